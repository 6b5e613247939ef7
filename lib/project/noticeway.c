#include "project/config.h"

#include "base/command.h"
#include "os/spawn.h"

enum { PROGRAMS = 4 };                  /* and NULL */

static const struct {
	const char *name;
	const char *address;            /* needed behind a colon */
	const char *programs[PROGRAMS]; /* any can send it */
} kinds[] = {
	[NOTICEWAY_BELL]    = { "bell" },
	[NOTICEWAY_TMUX]    = { "tmux" },
	[NOTICEWAY_OSC]     = { "osc" },
	[NOTICEWAY_DESKTOP] = { "desktop", NULL, { "notify-send",
	    "terminal-notifier", "osascript" } },
	[NOTICEWAY_NTFY]    = { "ntfy", "https://HOST/TOPIC", { "curl" } },
	[NOTICEWAY_WEBHOOK] = { "webhook", "https://HOST...", { "curl" } },
	[NOTICEWAY_COMMAND] = { "command" },
};

const char *
noticeway_name(enum noticeway_kind kind)
{
	return kinds[kind].name;
}

enum noticeway_kind
noticeway_named(const char *name, const char **nearest)
{
	enum noticeway_kind kind, found = NOTICEWAY_KINDS;

	*nearest = NULL;
	for (kind = 0; kind < NOTICEWAY_KINDS; kind++) {
		if (strcmp(kinds[kind].name, name) == 0)
			found = kind;
		if (kind != NOTICEWAY_COMMAND)
			command_nearer(nearest, name, kinds[kind].name);
	}
	return found;
}

/* NOTICEWAY_COMMAND: none.  *address behind a colon, or NULL. */
static enum noticeway_kind
way_of(const char *word, const char **address)
{
	enum noticeway_kind kind = 0;
	size_t len = strcspn(word, ":");

	while (kind < NOTICEWAY_COMMAND && (strlen(kinds[kind].name) != len ||
	    strncmp(kinds[kind].name, word, len) != 0 ||
	    (word[len] == ':') != (kinds[kind].address != NULL)))
		kind++;
	*address = kind < NOTICEWAY_COMMAND && word[len] == ':' ?
	    word + len + 1 : NULL;
	return kind;
}

void
noticeways_add(struct noticeways *list, struct noticeway way)
{
	const char *name = kinds[way.kind].name;
	struct buf text = BUF_INIT;
	char **word;

	buf_adds(&text, way.address != NULL ? way.address : "");
	for (word = way.words; word != NULL && *word != NULL; word++)
		buf_printf(&text, "%s\n", *word);
	/* The hash tells two of a kind apart and betrays no password. */
	snprintf(way.id, sizeof(way.id), text.len > 0 ? "%s-%08lx" : "%s",
	    name, (unsigned long)(text_hash(text.data, text.len) & 0xffffffff));
	if (text.len == 0 && way.kind == NOTICEWAY_COMMAND)
		noticeway_release(&way);
	else
		*ARRAY_ADD(list->way, list->n) = way;
	buf_release(&text);
}

static int
way_add_item(struct strict *s, struct noticeways *list, const struct json *item,
    bool alone)
{
	const char *text = item->text, *address, *nearest, *host, *path, *p;
	char *word, **words = strict_list(item);
	enum noticeway_kind kind;
	int ret = 0;

	if (!json_is(item, JSON_TEXT)) {
		if (words != NULL && (alone || words[0] != NULL))
			noticeways_add(list, (struct noticeway){ .kind =
			    NOTICEWAY_COMMAND, .words = usercommand_words(
			    (const char *const *)words, s->folder) });
		else
			ret = strict_refuse(s, item, alone ? " is neither a "
			    "way of a notice, nor a command, nor a list of "
			    "them" : " holds what is neither a way of a notice "
			    "nor a command, a list of words");
		argv_free(words);
		return ret;
	}
	kind = way_of(text, &address);
	if (kind == NOTICEWAY_COMMAND && !alone) {
		/* A password may stand behind a colon. */
		word = xstrndup(text, strcspn(text, ":"));
		noticeway_named(word, &nearest);
		if (nearest == NULL)
			strict_refuse(s, item, ": '%s' is no way; a command "
			    "in a list is a list itself: [\"%s\"]", word, word);
		else
			strict_refuse(s, item, ": '%s%s' is no way; did you "
			    "mean '%s%s'?", word, strchr(text, ':') ? ":" : "",
			    nearest, kinds[noticeway_named(nearest, &p)].address
			    ? ":https://..." : "");
		free(word);
		return -1;
	}
	if (address != NULL) {
		/* http or https, with a host, and with a topic for ntfy. */
		host = strncmp(address, "https://", 8) == 0 ? address + 8 :
		    strncmp(address, "http://", 7) == 0 ? address + 7 : "";
		path = host + strcspn(host, "/?#");
		for (p = host; *p > ' ' && *p < 0x7f; p++)
			continue;
		if (*p != '\0' || path == host || (kind == NOTICEWAY_NTFY &&
		    (path[0] != '/' || path[1] == '\0')))
			return strict_refuse(s, item, " has an address of "
			    "'%s' that is not %s", kinds[kind].name,
			    kinds[kind].address);
	}
	noticeways_add(list, (struct noticeway){ .kind = kind,
	    .address = address != NULL ? xstrdup(address) : NULL,
	    .words = kind == NOTICEWAY_COMMAND ?
	    usercommand_parse(text, s->folder) : NULL });
	return 0;
}

int
noticeways_take(struct strict *s, void *field, const struct json *value)
{
	struct noticeways *list = field;
	const struct json *item = NULL;
	const char *address;
	bool ways = false;

	noticeways_release(list);
	if (json_is(value, JSON_NULL))
		return 0;
	if (json_is(value, JSON_LIST))
		json_each(item, value)
			ways = ways || !json_is(item, JSON_TEXT) ||
			    way_of(item->text, &address) != NOTICEWAY_COMMAND;
	if (!ways)
		return way_add_item(s, list, value, true);
	json_each(item, value)
		if (way_add_item(s, list, item, false) == -1)
			return -1;
	return 0;
}

void
noticeways_print(struct buf *out, const struct noticeways *list)
{
	struct json *all = json_new_list(), *words;
	const struct noticeway *w = list->way, *end = w + list->n;
	char *text, **word;

	for (; w < end; w++) {
		if (w->kind == NOTICEWAY_COMMAND) {
			words = json_add_list(all, NULL);
			for (word = w->words; *word != NULL; word++)
				json_append(words, json_new_text(*word));
			continue;
		}
		text = xasprintf("%s%s%s", kinds[w->kind].name,
		    w->address ? ":" : "", w->address ? w->address : "");
		json_append(all, json_new_text(text));
		free(text);
	}
	json_print(out, all);
	json_free(all);
}

int
noticeways_parse(struct noticeways *list, const char *text, size_t len)
{
	struct buf error = BUF_INIT;
	struct json *value = json_parse(text, len, false, NULL);
	int ret = !json_is(value, JSON_LIST) ? -1 : noticeways_take(
	    &(struct strict){ .error = &error }, list, value);

	json_free(value);
	buf_release(&error);
	return ret;
}

void
noticeway_release(struct noticeway *w)
{
	free(w->address);
	argv_free(w->words);
}

void
noticeways_release(struct noticeways *list)
{
	for (; list->n > 0; list->n--)
		noticeway_release(&list->way[list->n - 1]);
	free(list->way);
	list->way = NULL;
}

char *
noticeway_program(enum noticeway_kind kind)
{
	const char *const *p = kinds[kind].programs;
	char *found = NULL;

	for (; found == NULL && *p != NULL; p++)
		found = spawn_find(*p);
	return found;
}

int
noticeway_check(const struct noticeway *w, struct buf *error)
{
	const char *const *p = kinds[w->kind].programs;
	char *program = noticeway_program(w->kind);
	bool found = program != NULL;

	free(program);
	if (w->kind == NOTICEWAY_COMMAND)
		return usercommand_check(w->words,
		    "cannot use the command of notify: ", error);
	if (found || *p == NULL)
		return 0;
	buf_printf(error, "cannot use '%s' of notify: there is no program ",
	    kinds[w->kind].name);
	for (; *p != NULL; p++)
		buf_printf(error, "'%s'%s", *p, p[1] == NULL ? "" :
		    p[2] == NULL ? " or " : ", ");
	buf_adds(error, " in PATH");
	return -1;
}

#include "tmux/listing.h"

#include <limits.h>

#include "base/base.h"

/* A text of a pane or of a client: the key of its line, its place, and its
 * format. */
struct listing_text {
	char        key;
	size_t      at;
	const char *format;
};

#define PANE(name) offsetof(struct tmux_pane, name)
#define CLIENT(name) offsetof(struct tmux_client, name)

/* The last two only if they are asked for. */
static const struct listing_text pane_texts[] = {
	{ 's', PANE(session_name), "#{session_name}" },
	{ 'w', PANE(window_name),  "#{window_name}" },
	{ 'd', PANE(path),         "#{pane_current_path}" },
	{ 'i', PANE(issue),        "#{@paneward_issue}" },
	{ 'r', PANE(run),          "#{@paneward_run}" },
	{ 'o', PANE(dir),          "#{@paneward_dir}" },
	{ 't', PANE(title),        "#{pane_title}" },
	{ 'f', PANE(command),      "#{pane_current_command}" },
	{ 'g', PANE(index),        "#{pane_index}" },
	{ 'm', PANE(mark),         "#{@paneward_state}" },
	{ 'q', PANE(queue),        "#{PANEWARD_QUEUE}" },
	{ .key = '\0' }
};

/* Before 3.2 tmux has no termtype: it is empty. */
static const struct listing_text client_texts[] = {
	{ 'y', CLIENT(tty),        "#{client_tty}" },
	{ 'x', CLIENT(termtype),   "#{client_termtype}" },
	{ 'n', CLIENT(termname),   "#{client_termname}" },
	{ .key = '\0' }
};

static char **
listing_text(void *thing, const struct listing_text *t)
{
	return (char **)((char *)thing + t->at);
}

static void
listing_texts(void *thing, const struct listing_text *t, bool begin)
{
	for (; t->key != '\0'; t++)
		if (begin)
			*listing_text(thing, t) = xstrdup("");
		else
			free(*listing_text(thing, t));
}

/* A line of numbers and ids, then a line for each text.  A text may have several
 * lines; a line is part of the format only if it begins with the token. */
static char *
listing_lines(const char *token, const char *numbers,
    const struct listing_text *t, char before)
{
	struct buf format = BUF_INIT;

	buf_printf(&format, "%s %s", token, numbers);
	for (; t->key != before; t++)
		buf_printf(&format, "\n%s %c %s", token, t->key, t->format);
	return buf_steal(&format);
}

/* Before 3.2 tmux knows no flags: they are empty. */
char *
listing_clients(const char *token)
{
	return listing_lines(token, "k #{window_id} #{pane_id}"
	    " #{client_activity} #{client_control_mode} #{window_zoomed_flag}"
	    " #{focus-events} ,#{client_flags}", client_texts, '\0');
}

char *
listing_format(const char *token, enum tmux_lists lists)
{
	if (lists != TMUX_BRIEF)
		return listing_lines(token, "p #{pane_id} #{session_id}"
		    " #{window_id} #{pane_pid} #{pane_dead} #{pane_pipe}"
		    " #{window_activity}"
		    " #{pane_dead_status},#{pane_dead_signal}", pane_texts,
		    lists == TMUX_MARKED ? '\0' : 'm');
	return xasprintf(
	    "%1$s p #{pane_id} - #{window_id} #{pane_pid} #{pane_dead} 0"
	    " #{window_activity} ,\n"
	    "%1$s s #{session_name}\n%1$s w #{window_name}"
	    "#{?@paneward_issue,\n%1$s i #{@paneward_issue}"
	    "\n%1$s o #{@paneward_dir},}", token);
}

/* "3.3a", "next-3.5", "openbsd-7.4": only a plain number can be too old. */
bool
tmux_version_old(const char *version)
{
	return version[0] >= '0' && version[0] <= '9' &&
	    strtol(version, NULL, 10) < 3;
}

/* An exit status or signal in digits; -1 if tmux gives none. */
static int
end_number(const char *digits)
{
	long n = digits[0] >= '0' && digits[0] <= '9' ?
	    strtol(digits, NULL, 10) : -1;

	return n < INT_MAX ? (int)n : -1;
}

enum { PANE_WORDS = 8 };

static bool
pane_number(const char *word, int64_t *n)
{
	char *end;

	*n = strtoll(word, &end, 10);
	return end > word && *end == '\0';
}

/* Adds a pane; NULL if the line is none, or if the pane is listed already, in a
 * window that two sessions share. */
static struct tmux_pane *
listing_add_pane(struct tmux_listing *l, char *line)
{
	struct tmux_pane p = { .id = "" }, *last;
	int64_t pid, dead, pipe;
	char *words[PANE_WORDS], *status;
	size_t i;

	for (i = 0; i < PANE_WORDS; i++)
		words[i] = strsep(&line, " ");
	if (words[PANE_WORDS - 1] == NULL || !pane_number(words[3], &pid) ||
	    !pane_number(words[4], &dead) || !pane_number(words[5], &pipe) ||
	    !pane_number(words[6], &p.activity))
		return NULL;
	snprintf(p.id, TMUX_ID, "%s", words[0]);
	snprintf(p.session, TMUX_ID, "%s", words[1]);
	snprintf(p.window, TMUX_ID, "%s", words[2]);
	p.pid = (pid_t)pid;
	p.dead = dead != 0;
	p.pipe = pipe != 0;
	/* How its process ended: "1,", ",9", or "," while it runs. */
	status = strsep(&words[7], ",");
	p.dead_status = end_number(status);
	p.dead_signal = end_number(words[7] != NULL ? words[7] : "");
	if (listing_pane(l, p.id) != NULL)
		return NULL;
	p.number = strtol(p.id + 1, NULL, 10);
	listing_texts(&p, pane_texts, true);
	/* The panes of a window follow one another. */
	last = l->npanes > 0 ? &l->panes[l->npanes - 1] : NULL;
	if (last != NULL && strcmp(p.window, last->window) == 0)
		p.shared = last->shared = true;
	*ARRAY_ADD(l->panes, l->npanes) = p;
	return &l->panes[l->npanes - 1];
}

static bool
client_has(const char *flags, const char *flag)
{
	size_t len = strlen(flag);

	for (; flags != NULL && *flags == ','; flags = strchr(flags + 1, ','))
		if (strncmp(flags + 1, flag, len) == 0 &&
		    (flags[1 + len] == ',' || flags[1 + len] == '\0'))
			return true;
	return false;
}

static struct tmux_client *
listing_add_client(struct tmux_listing *l, const char *text)
{
	struct tmux_client c = { .control = false };
	int control, zoomed, focus_events;
	long long activity;
	char flags[192];

	if (sscanf(text, "%23s %23s %lld %d %d %d %191s", c.window, c.pane,
	    &activity, &control, &zoomed, &focus_events, flags) != 7)
		return NULL;
	c.activity = activity;
	c.control = control;
	c.zoomed = zoomed;
	c.suspended = client_has(flags, "suspended");
	/* Without the option, the flag is what it was at the start. */
	c.unfocused = focus_events && client_has(flags, "attached") &&
	    !client_has(flags, "focused");
	listing_texts(&c, client_texts, true);
	*ARRAY_ADD(l->clients, l->nclients) = c;
	return &l->clients[l->nclients - 1];
}

/* The next line that begins with the token, behind it; NULL at the end. */
static const char *
next_mark(const char *p, const char *end, const char *token, const char **mark)
{
	const char *at = p;

	while ((at = memmem(at, (size_t)(end - at), token, TMUX_TOKEN)) !=
	    NULL) {
		if ((at == p || at[-1] == '\n') && end - at > TMUX_TOKEN + 2) {
			*mark = at;
			return at + TMUX_TOKEN + 1;
		}
		at += TMUX_TOKEN;
	}
	*mark = end;
	return NULL;
}

/* Each mark is a key and everything up to the next one, without the line feed
 * between them. */
void
listing_parse(struct tmux_listing *l, const char *answer, size_t len,
    const char *token)
{
	const char *end, *mark, *next, *value, *behind;
	const struct listing_text *t = NULL, *row;
	struct tmux_capture c;
	char line[256], version[32], key, **text;
	void *thing = NULL;             /* a text is of the last pane or client */
	long long start;
	size_t size;
	int pid;

	if (len == 0)
		return;
	end = answer + len;
	next = next_mark(answer, end, token, &mark);
	while (next != NULL) {
		key = next[0];
		value = next + 2;
		next = next_mark(value, end, token, &mark);
		size = (size_t)(mark - value);
		if (size > 0 && value[size - 1] == '\n')
			size--;
		if (strchr("pkv", key) != NULL)
			snprintf(line, sizeof(line), "%.*s", (int)size, value);
		if (key != 'c' && key != 'k' && t != client_texts)
			l->hash = l->hash * 31 + text_hash(value, size);
		if (key == 'p') {
			thing = listing_add_pane(l, line);
			t = pane_texts;
		} else if (key == 'k') {
			thing = listing_add_client(l, line);
			t = client_texts;
		} else if (key == 'v' && sscanf(line, "%d %lld %31s", &pid,
		    &start, version) == 3) {
			l->server = pid;
			l->server_start = start;
			memcpy(l->version, version, sizeof(l->version));
		} else if (key == 'c' && (behind = memchr(value, '\n', size)) !=
		    NULL) {
			/* The id of a pane, and behind it what that shows. */
			snprintf(c.pane, sizeof(c.pane), "%.*s",
			    (int)(behind - value), value);
			c.len = (size_t)(value + size - behind) - 1;
			c.text = xmalloc(c.len + 1);
			memcpy(c.text, behind + 1, c.len);
			c.text[c.len] = '\0';
			*ARRAY_ADD(l->captures, l->ncaptures) = c;
		}
		for (row = t; thing != NULL && row->key != '\0'; row++) {
			text = listing_text(thing, row);
			if (row->key == key && **text == '\0') {
				free(*text);    /* the first of a kind counts */
				*text = xstrndup(value, size);
			}
		}
	}
}

void
listing_release(struct tmux_listing *l)
{
	size_t i;

	for (i = 0; i < l->npanes; i++)
		listing_texts(&l->panes[i], pane_texts, false);
	for (i = 0; i < l->nclients; i++)
		listing_texts(&l->clients[i], client_texts, false);
	for (i = 0; i < l->ncaptures; i++)
		free(l->captures[i].text);
	free(l->panes);
	free(l->clients);
	free(l->captures);
	*l = (struct tmux_listing){ 0 };
}

const struct tmux_pane *
listing_pane(const struct tmux_listing *l, const char *id)
{
	long number = id[0] == '%' ? strtol(id + 1, NULL, 10) : -1;
	size_t i;

	for (i = 0; i < l->npanes; i++)
		if (l->panes[i].number == number)
			return &l->panes[i];
	return NULL;
}

const struct tmux_pane *
listing_ref(const struct tmux_listing *l, const struct pane_ref *p)
{
	const struct tmux_pane *pane = listing_pane(l, p->pane);

	return pane != NULL && pane->pid == p->pane_pid &&
	    l->server == p->server && l->server_start == p->server_start ?
	    pane : NULL;
}

const struct tmux_capture *
listing_capture(const struct tmux_listing *l, const char *id)
{
	size_t i;

	for (i = 0; i < l->ncaptures; i++)
		if (strcmp(l->captures[i].pane, id) == 0)
			return &l->captures[i];
	return NULL;
}

bool
listing_shown(const struct tmux_listing *l, const struct tmux_pane *p)
{
	return listing_looked_at(l, p, -1);
}

bool
listing_looked_at(const struct tmux_listing *l, const struct tmux_pane *p,
    int64_t now)
{
	const struct tmux_client *c = l->clients, *end = c + l->nclients;

	for (; c < end; c++)
		if (!c->control && !c->suspended &&
		    strcmp(c->window, p->window) == 0 &&
		    (!c->zoomed || strcmp(c->pane, p->id) == 0) &&
		    (now == -1 || (!c->unfocused &&
		    c->activity >= now - LISTING_IN_USE)))
			return true;
	return false;
}

#include "run/startlist.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "base/utf8.h"
#include "os/file.h"
#include "run/queued.h"
#include "text/strict.h"

enum { LIST_BYTES = 128 << 20 };

/* ---- a line of JSON ------------------------------------------------------ */

struct listed {
	char  *issue;
	char **options, **command;
};

/* An issue, also as a number. */
static int
listed_issue(struct strict *s, const struct strict_row *row, void *field,
    const cJSON *value)
{
	double n = cJSON_IsNumber(value) ? value->valuedouble : -1;
	bool whole = n >= 0 && n <= INT32_MAX && n == (double)(int32_t)n;

	(void)row;
	if (!cJSON_IsString(value) && !whole)
		return strict_refuse(s, value, " is neither a text nor a whole "
		    "number");
	free(*(char **)field);
	*(char **)field = whole ? xasprintf("%d", (int)n) :
	    xstrdup(value->valuestring);
	return 0;
}

static void
listed_add(void *field, const char *key, const char *value)
{
	char ***options = field, *word, *p;

	word = value != NULL ? xasprintf("--%s=%s", key, value) :
	    xasprintf("--%s", key);
	for (p = word + 2; *p != '=' && *p != '\0'; p++)
		if (*p == '_')
			*p = '-';
	*options = argv_own(*options, word);
}

/* The option of the same name. */
static int
listed_text(struct strict *s, const struct strict_row *row, void *field,
    const cJSON *value)
{
	if (!cJSON_IsString(value))
		return strict_refuse(s, value, " is not a text");
	listed_add(field, row->key, value->valuestring);
	return 0;
}

/* true, or its value. */
static int
listed_either(struct strict *s, const struct strict_row *row, void *field,
    const cJSON *value)
{
	if (cJSON_IsString(value))
		return listed_text(s, row, field, value);
	if (!cJSON_IsBool(value))
		return strict_refuse(s, value, " is neither true, false nor a "
		    "text");
	if (cJSON_IsTrue(value))
		listed_add(field, row->key, NULL);
	return 0;
}

#define OPTION_ROW(name, taker) \
	{ .key = (name), .take = (taker), \
	    .at = offsetof(struct listed, options) }

static const struct strict_row listed_rows[] = {
	{ .key = "issue", .take = listed_issue,
	    .at = offsetof(struct listed, issue) },
	OPTION_ROW("prompt", listed_text),
	OPTION_ROW("prompt_file", listed_text),
	OPTION_ROW("backend", listed_text),
	OPTION_ROW("session", listed_text),
	OPTION_ROW("cwd", listed_text),
	OPTION_ROW("worktree", listed_text),
	OPTION_ROW("new_worktree", listed_either),
	OPTION_ROW("base", listed_text),
	OPTION_ROW("marker", listed_text),
	OPTION_ROW("handoff", listed_text),
	{ .key = "command", .take = strict_texts,
	    .at = offsetof(struct listed, command) },
	{ .key = NULL }
};

static void
listed_json(struct listed *l, const char *line, size_t len)
{
	struct buf error = BUF_INIT;
	struct strict s = { .error = &error };
	struct json_error wrong;
	cJSON *o = json_parse(line, len, false, &wrong);

	if (o == NULL)
		fatal_usage("%s", wrong.reason);
	if (strict_read(&s, listed_rows, l, o) == -1)
		fatal_usage("%s", buf_str(&error));
	if (l->issue == NULL)
		fatal_usage("there is no 'issue'");
	json_free(o);
}

/* ---- any line ------------------------------------------------------------ */

static void
listed_plain(struct listed *l, const char *line, size_t len)
{
	const char *tab = memchr(line, '\t', len);
	size_t before = tab != NULL ? (size_t)(tab - line) : len, at, size;
	char *prompt;

	for (at = 0; at < len; at += size)
		if ((size = utf8_decode(line + at, len - at, NULL)) == 0)
			fatal_usage("it is not valid UTF-8");
	l->issue = xstrndup(line, before);
	if (tab == NULL || before + 1 == len)
		return;
	prompt = xstrndup(tab + 1, len - before - 1);
	listed_add(&l->options, "prompt", prompt);
	free(prompt);
}

static void
startlist_refuse_double(const struct startlist *l, const char *issue)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (strcmp(l->v[i].issue, issue) == 0)
			fatal_usage("issue '%s' is at %s already", issue,
			    l->v[i].place);
}

static void
startlist_line(struct startlist *list, char *place, const char *line,
    size_t len)
{
	struct startlist_item *item;
	struct listed l = { NULL };

	if (memchr(line, '\0', len) != NULL)
		fatal_usage("it holds a NUL byte");
	if (line[0] == '{')
		listed_json(&l, line, len);
	else
		listed_plain(&l, line, len);
	if (!issue_valid(l.issue))
		fatal_usage("'%s' is not an issue: letters, digits, '_' and "
		    "'-', at most %d, the first a letter or digit", l.issue,
		    ISSUE_MAX);
	startlist_refuse_double(list, l.issue);
	if (list->n == QUEUED_MOST)
		fatal_usage("at most %d issues can be queued", QUEUED_MOST);
	list->v = xreallocarray(list->v, list->n + 1, sizeof(*list->v));
	item = &list->v[list->n++];
	*item = (struct startlist_item){ .place = place, .options = l.options,
	    .command = l.command };
	memcpy(item->issue, l.issue, strlen(l.issue) + 1);
	free(l.issue);
}

static void
startlist_load(struct buf *text, const char *path)
{
	bool input = strcmp(path, "-") == 0;
	char bytes[4096];
	ssize_t n;

	if (!input && file_read(AT_FDCWD, path, 0, text, LIST_BYTES) == -1)
		fatal("cannot read the list '%s'", path);
	while (input && (n = read(STDIN_FILENO, bytes, sizeof(bytes))) != 0) {
		if (n == -1 || text->len > LIST_BYTES)
			fatal("cannot read the list from standard input");
		buf_add(text, bytes, (size_t)n);
	}
}

void
startlist_read(struct startlist *list, const char *path)
{
	struct buf text = BUF_INIT;
	unsigned number = 0;
	const char *line, *end;
	size_t len;
	char *place;

	*list = (struct startlist){ NULL };
	startlist_load(&text, path);
	end = buf_str(&text) + text.len;
	for (line = text.data; line < end; line += len + 1) {
		len = strcspn(line, "\n");
		if (line + len < end && line[len] == '\0')
			len = (size_t)(end - line);     /* is refused */
		number++;
		if (len == 0 || line[0] == '#' || line[0] == '\r')
			continue;
		place = xasprintf("%s:%u", path, number);
		msg_at(place);
		startlist_line(list, place, line,
		    line[len - 1] == '\r' ? len - 1 : len);
		msg_at(NULL);
	}
	if (list->n == 0)
		fatal_usage("the list '%s' names no issue", path);
	buf_release(&text);
}

void
startlist_release(struct startlist *list)
{
	while (list->n > 0) {
		list->n--;
		free(list->v[list->n].place);
		argv_free(list->v[list->n].options);
		argv_free(list->v[list->n].command);
	}
	free(list->v);
	list->v = NULL;
}

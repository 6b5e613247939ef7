#include "project/startlist.h"

#include "data/strict.h"
#include "os/file.h"

enum { LIST_BYTES = 128 << 20 };

static int
listed_issue(struct strict *s, void *field, const struct json *value)
{
	double n = json_is(value, JSON_NUMBER) ? value->number : -1;
	bool whole = n >= 0 && n <= INT32_MAX && n == (int32_t)n;

	if (!json_is(value, JSON_TEXT) && !whole)
		return strict_refuse(s, value, " is neither a text nor a whole "
		    "number");
	free(*(char **)field);
	*(char **)field = whole ? xasprintf("%d", (int)n) :
	    xstrdup(value->text);
	return 0;
}

static void
listed_add(void *field, const char *key, const char *value)
{
	char ***options = field, *p, *word = xasprintf("--%s%s%s", key,
	    value != NULL ? "=" : "", value != NULL ? value : "");

	for (p = word + 2; *p != '=' && *p != '\0'; p++)
		if (*p == '_')
			*p = '-';
	*options = argv_own(*options, word);
}

/* Adds the option of the same name; if least is set, a bool, too. */
static int
listed_option(struct strict *s, void *field, const struct json *value)
{
	if (!json_is(value, JSON_TEXT) &&
	    (s->row->least == 0 || !json_is(value, JSON_BOOL)))
		return strict_refuse(s, value, s->row->least == 0 ?
		    " is not a text" : " is neither true, false nor a text");
	if (json_is(value, JSON_TEXT) || json_is_true(value))
		listed_add(field, s->row->key, value->text);
	return 0;
}

#define ITEM(member) .at = offsetof(struct startlist_item, member)
#define OPTION(name) { name, .take = listed_option, ITEM(options) }

static const struct strict_row listed_rows[] = {
	{ "issue",        .take = listed_issue,  ITEM(issue) },
	OPTION("prompt"), OPTION("prompt_file"), OPTION("backend"),
	OPTION("session"), OPTION("cwd"), OPTION("worktree"),
	{ "new_worktree", .take = listed_option, ITEM(options), .least = 1 },
	OPTION("base"), OPTION("marker"), OPTION("handoff"),
	{ "command",      .take = strict_texts,  ITEM(command) },
	{ .key = NULL }
};

/* Fills in the last item, if the list may have it. */
static void
startlist_line(struct startlist *list, const char *line, size_t len,
    size_t most, struct buf *error)
{
	struct startlist_item *l = &list->v[list->n - 1], *other;
	struct strict s = { .error = error };
	struct text_error wrong;
	struct json *o;
	const char *tab = memchr(line, '\t', len);
	size_t before = tab != NULL ? (size_t)(tab - line) : len;
	char *prompt;

	if (memchr(line, '\0', len) != NULL) {
		buf_adds(error, "it holds a NUL byte");
	} else if (line[0] == '{') {
		o = json_parse(line, len, false, &wrong);
		if (o == NULL)
			buf_adds(error, wrong.reason);
		else if (strict_read(&s, listed_rows, l, o) == 0 &&
		    l->issue == NULL)
			buf_adds(error, "there is no 'issue'");
		json_free(o);
	} else {
		if (!utf8_valid(line, len))
			buf_adds(error, "it is not valid UTF-8");
		l->issue = xstrndup(line, before);
		if (before + 1 < len) {
			prompt = xstrndup(tab + 1, len - before - 1);
			listed_add(&l->options, "prompt", prompt);
			free(prompt);
		}
	}
	if (error->len == 0 && !issue_valid(l->issue))
		buf_printf(error, "'%s' is not an issue: letters, digits, '_' "
		    "and '-', at most %d, the first a letter or digit",
		    l->issue, ISSUE_MAX);
	for (other = list->v; error->len == 0 && other < l; other++)
		if (strcmp(other->issue, l->issue) == 0)
			buf_printf(error, "issue '%s' is at %s already",
			    l->issue, other->place);
	if (error->len == 0 && list->n > most)
		buf_printf(error, "at most %zu issues can be queued", most);
}

enum exit_status
startlist_read(struct startlist *list, const char *path, size_t most,
    struct buf *error)
{
	bool input = strcmp(path, "-") == 0;
	struct buf text = BUF_INIT, why = BUF_INIT;
	enum exit_status status = EXIT_DONE;
	const char *line, *rest, *end;
	unsigned number = 0;
	size_t len;

	*list = (struct startlist){ 0 };
	if ((input ? file_drain(STDIN_FILENO, &text, LIST_BYTES) :
	    file_read(AT_FDCWD, path, 0, &text, LIST_BYTES)) == -1 ||
	    text.len > LIST_BYTES) {
		buf_printf(error, "cannot read the list %s%s%s: %s",
		    input ? "from standard input" : "'", input ? "" : path,
		    input ? "" : "'", strerror(text.len > LIST_BYTES ? EFBIG :
		    errno));
		status = EXIT_COULD_NOT;
	}
	rest = buf_str(&text);
	end = rest + text.len;
	while (status == EXIT_DONE && text_line(&rest, end, &line, &len)) {
		number++;
		if (len == 0 || line[0] == '#' || line[0] == '\r')
			continue;
		*ARRAY_ADD(list->v, list->n) = (struct startlist_item){
		    .place = xasprintf("%s:%u", path, number) };
		startlist_line(list, line, line[len - 1] == '\r' ? len - 1 :
		    len, most, &why);
		if (why.len > 0) {
			buf_printf(error, "%s:%u: %s", path, number,
			    buf_str(&why));
			status = EXIT_USAGE;
		}
	}
	if (status == EXIT_DONE && list->n == 0) {
		buf_printf(error, "the list '%s' names no issue", path);
		status = EXIT_USAGE;
	}
	buf_release(&why);
	buf_release(&text);
	return status;
}

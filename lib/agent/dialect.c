#include "agent/dialect.h"

#include "data/datafile.h"

enum { BEGINNING = (4 << 10) - 1 };     /* bytes; with a NUL, a page */

/* The least of a row with check_text. */
enum { FILLED, RELATIVE, FILE_NAME };

static int
check_text(struct strict *s, void *field, const struct json *value)
{
	const char *text = json_text_of(value);

	if (text == NULL)
		return strict_ignored(s, field, value);
	if (text[0] == '\0')
		return strict_refuse(s, value, " is empty");
	if (s->row->least == RELATIVE && text[0] == '/')
		return strict_refuse(s, value, " is not a relative path");
	if (s->row->least == FILE_NAME && strchr(text, '/') != NULL)
		return strict_refuse(s, value, " is not the name of a file");
	return 0;
}

static int
check_field(struct strict *s, void *field, const struct json *value)
{
	return (json_is(value, JSON_LIST) ? strict_ignored_texts :
	    check_text)(s, field, value);
}

static int
check_event(struct strict *s, void *field, const struct json *value)
{
	struct event_meaning event;

	(void)field;
	return event_meaning(json_text_of(value), &event) ? 0 :
	    strict_refuse(s, value, " is not what an event may report");
}

#define PATHS(name) { name, .take = check_field }
#define CHECKED(name, what) { name, .take = check_text, .least = what }

static const struct strict_row field_rows[] = {
	PATHS("event"), PATHS("session"), PATHS("folder"), PATHS("transcript"),
	PATHS("prompt"), PATHS("message"), PATHS("inbox_message"),
	PATHS("background"), PATHS("background_type"), PATHS("piece"), PATHS("piece_of"),
	PATHS("piece_index"), PATHS("piece_last"), PATHS("tool"),
	PATHS("command"), PATHS("output"), PATHS("helper"), PATHS("notice"),
	PATHS("words"), PATHS("why"), PATHS("error"), PATHS("status"),
	{ .key = NULL }
};

static const struct strict_row texts[] = {
	{ "*", .take = strict_ignored }, { .key = NULL }
};

static const struct strict_row events[] = {
	{ "*", .take = check_event }, { .key = NULL }
};

static const struct strict_row registered[] = {
	{ "record", .take = strict_object, .rows = texts },
	{ "inbox",  .take = strict_object, .rows = texts },
	{ "loop",   .take = strict_object, .rows = texts },
	{ .key = NULL }
};

/* ourhooks.h reads them. */
static const struct strict_row session_rows[] = {
	{ "words", .take = strict_ignored_texts },
	CHECKED("file", RELATIVE), CHECKED("variable", FILLED),
	CHECKED("list", FILLED), { .key = NULL }
};

static int
check_session(struct strict *s, void *field, const struct json *value)
{
	if (strict_object(s, field, value) == -1)
		return -1;
	if (json_member(value, "file") == NULL)
		return strict_refuse(s, value, " has no 'file'");
	return json_member(value, "variable") == NULL ||
	    json_member(value, "list") != NULL ? 0 :
	    strict_refuse(s, value, " has a 'variable', and no 'list'");
}

#define DIALECT(member) .at = offsetof(struct dialect, member)

/* Most rows only check. */
static const struct strict_row hook_rows[] = {
	CHECKED("folder", RELATIVE), CHECKED("file", FILE_NAME),
	CHECKED("user_folder", RELATIVE), CHECKED("user_variable", FILLED),
	CHECKED("project_variable", FILLED), CHECKED("skills", RELATIVE),
	CHECKED("plugin", FILE_NAME), CHECKED("note", FILLED),
	CHECKED("background_command", FILLED), CHECKED("completed", FILLED),
	{ "session",   .take = check_session, .rows = session_rows },
	{ "comments",  .take = strict_flag, DIALECT(comments) },
	{ "replaces",  .take = strict_ignored_texts },
	{ "base",      .take = strict_ignored_object },
	{ "entry",     .take = strict_ignored_object },
	{ "fields",    .take = strict_object, .rows = field_rows },
	{ "shells",    .take = strict_texts, DIALECT(shells) },
	{ "questions", .take = strict_texts, DIALECT(questions) },
	{ "notices",   .take = strict_object, .rows = texts },
	{ "errors",    .take = strict_object, .rows = texts },
	{ "events",    .take = strict_object, .rows = events },
	{ "register",  .take = strict_object, .rows = registered },
	{ .key = NULL }
};

/* 1; 0: so many bytes have no hooks; -1 with the message. */
static int
find_hooks(struct dialect *d, const char *name, size_t most,
    struct buf *error)
{
	struct buf text = BUF_INIT;
	struct text_error e;
	int ret;

	json_free(d->file);
	free(d->path);
	d->file = NULL;
	ret = backend_text(name, most, &d->path, &text, error);
	if (ret == 1) {
		d->file = json_parse_member(text.data, text.len, true, "hooks",
		    &e);
		d->hooks = json_member(d->file, "hooks");
		ret = d->hooks != NULL;
		if (d->file == NULL) {
			buf_printf(error, "'%s' line %u: %s", d->path, e.line,
			    e.reason);
			ret = -1;
		}
	}
	buf_release(&text);
	return ret;
}

int
dialect_read(struct dialect *d, const char *agent, struct buf *error)
{
	/* The last two only without a plugin. */
	static const char *const needed[] = { "folder", "file", "user_folder",
	    "entry", "register" };
	struct strict s = { .error = error, .lines = true,
	    .keys = { "hooks" }, .depth = 1 };
	size_t before = error->len, i, n;
	struct backend b;
	int ret;

	*d = (struct dialect){ .agent = xstrdup(agent) };
	/* An agent waits for its hooks, so they stand first in its file. */
	ret = find_hooks(d, agent, BEGINNING, error);
	if (ret != 1 && d->path != NULL) {
		error->len = before;
		ret = find_hooks(d, agent, BACKEND_MAX, error);
	}
	/* An extended backend's hooks count, too. */
	if (ret == 0 && json_member(d->file, "extends") != NULL &&
	    (ret = backend_read(&b, agent, error)) == 0) {
		if (b.hooks != NULL)
			ret = find_hooks(d, b.hooks, BACKEND_MAX, error);
		backend_release(&b);
	}
	s.from = d->path;
	if (ret == 1 && strict_read(&s, hook_rows, d, d->hooks) == -1)
		ret = -1;
	n = json_member(d->hooks, "plugin") == NULL ? 5 : 3;
	for (i = 0; ret == 1 && i < n; i++)
		if (json_member(d->hooks, needed[i]) == NULL)
			ret = strict_refuse(&s, d->hooks, " has no '%s'",
			    needed[i]);
	if (ret != 1)
		dialect_release(d);
	return ret;
}

void
dialect_release(struct dialect *d)
{
	json_free(d->file);
	argv_free(d->shells);
	argv_free(d->questions);
	free(d->agent);
	free(d->path);
	*d = (struct dialect){ 0 };
}

char **
backends_give(struct backends *all, const char *path, const struct buf *text,
    struct buf *error)
{
	const char *slash = strrchr(path, '/');
	struct strict s = { .error = error, .from = path };
	const struct json *root = strict_parse(&s, text), *one;
	const struct json *list = json_member(root, "backends");
	char **names = NULL, **p, *end;
	struct dialect d;

	json_each(one, json_is(list, JSON_OBJECT) ? list : NULL) {
		backend_give(one->key, path, text, one->open, one->to);
		names = argv_add(names, one->key);
	}
	if (list == NULL && root != NULL) {
		names = argv_add(NULL, slash != NULL ? slash + 1 : path);
		end = strrchr(names[0], '.');
		if (end != NULL && strcmp(end, ".json") == 0)
			*end = '\0';
		backend_give(names[0], path, text, 0, text->len);
	} else if (root != NULL && (names == NULL || json_size(root) > 1)) {
		buf_printf(error, "'%s' is no bundle: it has 'backends' alone, "
		    "an object of them by name", path);
	}
	for (p = names; p != NULL && *p != NULL && error->len == 0; p++)
		if (**p == '\0' || **p == '-' || !text_only(*p, "_-"))
			buf_printf(error, "cannot use '%s': '%s' is no name of "
			    "a backend: letters, digits, '-' and '_'", path,
			    *p);
		else if (backends_get(all, *p, error) != NULL &&
		    dialect_read(&d, *p, error) != -1)
			dialect_release(&d);
	return error->len == 0 ? names : NULL;
}

char **
dialect_agents(void)
{
	char **names = datafile_names(BACKEND_FOLDER, ".json");
	char **agents = NULL, **p;
	struct buf error = BUF_INIT;
	struct dialect d;

	for (p = names; p != NULL && *p != NULL; p++)
		if (dialect_read(&d, *p, &error) != 0) {
			agents = argv_add(agents, *p);
			dialect_release(&d);
		}
	buf_release(&error);
	argv_free(names);
	return agents;
}

const struct json *
dialect_member(const struct dialect *d, const struct json *input,
    const char *field, bool text)
{
	const struct json *found, *path, *paths =
	    json_member(json_member(d->hooks, "fields"), field);

	path = json_is(paths, JSON_LIST) ? paths->child : paths;
	for (; path != NULL; path = path == paths ? NULL : path->next) {
		found = json_follow(input, path->text);
		if (found != NULL && (!text || json_is(found, JSON_TEXT)))
			return found;
	}
	return NULL;
}

static bool
dialect_event(const struct dialect *d, const struct json *input,
    struct event_meaning *event)
{
	const char *name = dialect_text(d, input, "event");
	const char *notice = dialect_text(d, input, "notice");
	const char *tool = dialect_text(d, input, "tool");

	if (name == NULL || !event_meaning(json_text(json_member(d->hooks,
	    "events"), name), event))
		return false;
	if (event->type == EVENT_WAITING && event->kind == NULL &&
	    notice != NULL)
		event->kind = json_text(json_member(d->hooks, "notices"),
		    notice);
	if (event->type == EVENT_WAITING && event->kind != NULL &&
	    tool != NULL && argv_has(d->questions, tool))
		event->kind = "question";
	return event->type != EVENT_WAITING || event->kind != NULL;
}

/* Keeps the first reason. */
static bool
try_dialect(struct dialect *d, const char *agent, const struct json *input,
    struct event_meaning *event, struct buf *error)
{
	size_t before = error->len;

	if (dialect_read(d, agent, error) == 1) {
		if (dialect_event(d, input, event))
			return true;
		dialect_release(d);
	}
	if (before > 0)
		error->len = before;
	return false;
}

int
dialect_find(struct dialect *d, const char *agent, const struct json *input,
    struct event_meaning *event, struct buf *error)
{
	bool found = (agent != NULL && try_dialect(d, agent, input, event,
	    error)) || try_dialect(d, "claude", input, event, error);
	char **names = found ? NULL : datafile_names(BACKEND_FOLDER, ".json");
	char **p;

	for (p = names; p != NULL && *p != NULL && !found; p++)
		found = try_dialect(d, *p, input, event, error);
	argv_free(names);
	if (found)
		buf_reset(error);
	return found ? 1 : error->len > 0 ? -1 : 0;
}

const char *
dialect_error(const struct dialect *d, const char *word)
{
	const char *ours = word == NULL ? NULL :
	    json_text(json_member(d->hooks, "errors"), word);

	return ours != NULL ? ours : word;
}

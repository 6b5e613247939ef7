#include "chain/dialect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/file.h"
#include "text/datafile.h"

enum { DIALECT_MAX = 1 << 20 };         /* bytes of a backend's file */

static const char dialect_folder[] = "backends";

/* Its dialect is tried first, which saves listing the folder. */
static const char most_common[] = "claude";

static const char *const field_names[] = {
	[DIALECT_EVENT]         = "event",
	[DIALECT_SESSION]       = "session",
	[DIALECT_FOLDER]        = "folder",
	[DIALECT_MESSAGE]       = "message",
	[DIALECT_INBOX_MESSAGE] = "inbox_message",
	[DIALECT_BACKGROUND]    = "background",
	[DIALECT_PIECE]         = "piece",
	[DIALECT_PIECE_OF]      = "piece_of",
	[DIALECT_PIECE_INDEX]   = "piece_index",
	[DIALECT_PIECE_LAST]    = "piece_last",
	[DIALECT_TOOL]          = "tool",
	[DIALECT_COMMAND]       = "command",
	[DIALECT_OUTPUT]        = "output",
	[DIALECT_HELPER]        = "helper",
	[DIALECT_NOTICE]        = "notice",
	[DIALECT_WORDS]         = "words",
	[DIALECT_WHY]           = "why",
	[DIALECT_ERROR]         = "error",
	[DIALECT_STATUS]        = "status",
};

/* ---- what the keys may hold ---------------------------------------------- */

static bool
is_filled(const cJSON *value)
{
	return cJSON_IsString(value) && value->valuestring[0] != '\0';
}

static bool
is_relative(const cJSON *value)
{
	return is_filled(value) && value->valuestring[0] != '/';
}

static bool
is_file_name(const cJSON *value)
{
	return is_filled(value) && strchr(value->valuestring, '/') == NULL;
}

static bool
is_flag(const cJSON *value)
{
	return cJSON_IsBool(value);
}

static bool
is_object(const cJSON *value)
{
	return cJSON_IsObject(value);
}

/* All members of an object, or of a list, texts. */
static bool
all_texts(const cJSON *value)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, value)
		if (!cJSON_IsString(member))
			return false;
	return true;
}

static bool
is_texts(const cJSON *value)
{
	return cJSON_IsArray(value) && all_texts(value);
}

static bool
is_words(const cJSON *value)
{
	return cJSON_IsObject(value) && all_texts(value);
}

static bool
is_fields(const cJSON *value)
{
	const cJSON *member;
	size_t i;

	if (!cJSON_IsObject(value))
		return false;
	cJSON_ArrayForEach(member, value) {
		for (i = 0; i < DIALECT_FIELDS; i++)
			if (strcmp(field_names[i], member->string) == 0)
				break;
		if (i == DIALECT_FIELDS ||
		    (!is_filled(member) && !is_texts(member)))
			return false;
	}
	return true;
}

/* What an event may report.  Of a notice the dialect says what it is about. */
static const struct meaning {
	const char     *name;
	enum event_type type;
	const char     *kind;
} meanings[] = {
	{ "session-started", EVENT_SESSION, NULL },
	{ "turn-started",    EVENT_TURN,    NULL },
	{ "tool",            EVENT_TOOL,    NULL },
	{ "message",         EVENT_MESSAGE, NULL },
	{ "permission",      EVENT_WAITING, "permission" },
	{ "question",        EVENT_WAITING, "question" },
	{ "prompt",          EVENT_WAITING, "prompt" },
	{ "notice",          EVENT_WAITING, NULL },
	{ "turn-ended",      EVENT_ENDED,   NULL },
	{ "turn-failed",     EVENT_FAILED,  NULL },
	{ "compacting",      EVENT_COMPACT, NULL },
	{ "session-ended",   EVENT_OVER,    NULL },
};

static const struct meaning *
meaning_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (name != NULL && strcmp(meanings[i].name, name) == 0)
			return &meanings[i];
	return NULL;
}

static bool
is_events(const cJSON *value)
{
	const cJSON *event;

	if (!cJSON_IsObject(value))
		return false;
	cJSON_ArrayForEach(event, value)
		if (meaning_of(cJSON_GetStringValue(event)) == NULL)
			return false;
	return true;
}

/* For each hook of ours the agent's events, and their matchers. */
static bool
is_register(const cJSON *value)
{
	const cJSON *hook;

	if (!cJSON_IsObject(value))
		return false;
	cJSON_ArrayForEach(hook, value)
		if (!is_words(hook) || (strcmp(hook->string, "record") != 0 &&
		    strcmp(hook->string, "inbox") != 0 &&
		    strcmp(hook->string, "loop") != 0))
			return false;
	return true;
}

static const struct {
	const char *name;
	bool      (*good)(const cJSON *);
	bool        needed;
} keys[] = {
	{ "folder",           is_relative,  true },
	{ "file",             is_file_name, true },
	{ "user_folder",      is_relative,  true },
	{ "user_variable",    is_filled,    false },
	{ "project_variable", is_filled,    false },
	{ "skills",           is_relative,  false },
	{ "plugin",           is_file_name, false },
	{ "comments",         is_flag,      false },
	{ "note",             is_filled,    false },
	{ "base",             is_object,    false },
	{ "entry",            is_object,    false },
	{ "fields",           is_fields,    false },
	{ "shells",           is_texts,     false },
	{ "notices",          is_words,     false },
	{ "errors",           is_words,     false },
	{ "completed",        is_filled,    false },
	{ "events",           is_events,    false },
	{ "register",         is_register,  false },
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

/* NULL, or the key that is unknown, missing or wrong. */
static const char *
hooks_wrong(const cJSON *hooks)
{
	const cJSON *member;
	size_t i;

	if (!cJSON_IsObject(hooks))
		return keys[0].name;
	cJSON_ArrayForEach(member, hooks) {
		for (i = 0; i < KEYS; i++)
			if (strcmp(keys[i].name, member->string) == 0)
				break;
		if (i == KEYS || !keys[i].good(member))
			return member->string;
	}
	for (i = 0; i < KEYS; i++)
		if (keys[i].needed && json_member(hooks, keys[i].name) == NULL)
			return keys[i].name;
	if (json_member(hooks, "plugin") != NULL)
		return NULL;
	return json_member(hooks, "entry") == NULL ? "entry" :
	    json_member(hooks, "register") == NULL ? "register" : NULL;
}

/* ---- reading ------------------------------------------------------------- */

/* The line of a key of the hooks, or of what should hold it. */
static unsigned
hooks_line(const struct buf *text, const char *key)
{
	struct json_spans spans = { NULL, 0, 0 };
	cJSON *file = json_parse_spans(text->data, text->len, true, &spans,
	    NULL);
	const cJSON *hooks = json_member(file, "hooks");
	const cJSON *value = json_member(hooks, key);
	unsigned line = json_span(&spans, value ? value : hooks)->line;

	json_spans_release(&spans);
	json_free(file);
	return line;
}

static int
parse_file(struct dialect *d, const struct buf *text, struct buf *error)
{
	struct json_error e;
	const char *wrong;

	d->file = json_parse(text->data, text->len, true, &e);
	if (d->file == NULL) {
		buf_printf(error, "'%s' line %u: %s", d->path, e.line,
		    e.reason);
		return -1;
	}
	d->hooks = json_member(d->file, "hooks");
	if (d->hooks == NULL)
		return 0;
	wrong = hooks_wrong(d->hooks);
	if (wrong == NULL)
		return 1;
	buf_printf(error, "'%s' line %u: 'hooks.%s' is unknown, missing or "
	    "wrong", d->path, hooks_line(text, wrong), wrong);
	return -1;
}

int
dialect_read(struct dialect *d, const char *agent, struct buf *error)
{
	char *name = xasprintf("%s.json", agent);
	struct buf text = BUF_INIT;
	int ret = 0;

	*d = (struct dialect)DIALECT_INIT;
	d->agent = xstrdup(agent);
	d->path = datafile_find(dialect_folder, name);
	if (d->path != NULL) {
		ret = file_read(AT_FDCWD, d->path, 0, &text, DIALECT_MAX);
		if (ret == -1)
			buf_printf(error, "cannot read '%s': %s", d->path,
			    strerror(errno));
		else
			ret = parse_file(d, &text, error);
	}
	if (ret != 1)
		dialect_release(d);
	buf_release(&text);
	free(name);
	return ret;
}

void
dialect_release(struct dialect *d)
{
	json_free(d->file);
	free(d->agent);
	free(d->path);
	*d = (struct dialect)DIALECT_INIT;
}

static void
add_name(void *context, const char *name)
{
	char ***names = context, **p;
	const char *end = strrchr(name, '.');
	char *agent;

	if (end == NULL || strcmp(end, ".json") != 0)
		return;
	agent = xstrndup(name, (size_t)(end - name));
	for (p = *names; p != NULL && *p != NULL; p++)
		if (strcmp(*p, agent) == 0)
			break;
	if (p == NULL || *p == NULL)
		*names = argv_add(*names, agent);
	free(agent);
}

static int
names_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **
backend_names(void)
{
	char **names = NULL;

	datafile_names(dialect_folder, add_name, &names);
	if (names != NULL)
		qsort(names, argv_count(names), sizeof(*names), names_order);
	return names;
}

char **
dialect_agents(void)
{
	char **names = backend_names(), **agents = NULL, **p;
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

/* ---- a hook's input ------------------------------------------------------ */

static const cJSON *
follow(const cJSON *from, const char *path)
{
	char name[64];
	size_t len;

	for (; from != NULL; path += len + 1) {
		len = strcspn(path, ".");
		if (len >= sizeof(name))
			return NULL;
		memcpy(name, path, len);
		name[len] = '\0';
		from = json_member(from, name);
		if (path[len] == '\0')
			break;
	}
	return from;
}

static const cJSON *
paths_of(const struct dialect *d, enum dialect_field field)
{
	return json_member(json_member(d->hooks, "fields"),
	    field_names[field]);
}

bool
dialect_has(const struct dialect *d, enum dialect_field field)
{
	return paths_of(d, field) != NULL;
}

const cJSON *
dialect_member(const struct dialect *d, const cJSON *input,
    enum dialect_field field)
{
	const cJSON *paths = paths_of(d, field), *path, *found = NULL;

	if (cJSON_IsString(paths))
		return follow(input, paths->valuestring);
	cJSON_ArrayForEach(path, paths)
		if (found == NULL)
			found = follow(input, path->valuestring);
	return found;
}

const char *
dialect_text(const struct dialect *d, const cJSON *input,
    enum dialect_field field)
{
	const cJSON *paths = paths_of(d, field), *path;
	const char *found = NULL;

	if (cJSON_IsString(paths))
		return cJSON_GetStringValue(follow(input, paths->valuestring));
	cJSON_ArrayForEach(path, paths)
		if (found == NULL)
			found = cJSON_GetStringValue(follow(input,
			    path->valuestring));
	return found;
}

bool
dialect_event(const struct dialect *d, const cJSON *input,
    struct dialect_event *event)
{
	const char *name = dialect_text(d, input, DIALECT_EVENT);
	const char *notice = dialect_text(d, input, DIALECT_NOTICE);
	const struct meaning *m = name == NULL ? NULL : meaning_of(json_text(
	    json_member(d->hooks, "events"), name));

	if (m == NULL)
		return false;
	event->type = m->type;
	event->kind = m->kind;
	if (m->type == EVENT_WAITING && m->kind == NULL && notice != NULL)
		event->kind = json_text(json_member(d->hooks, "notices"),
		    notice);
	return m->type != EVENT_WAITING || event->kind != NULL;
}

static bool
try_dialect(struct dialect *d, const char *agent, const cJSON *input,
    struct dialect_event *event, struct buf *error)
{
	if (dialect_read(d, agent, error) != 1)
		return false;
	if (dialect_event(d, input, event))
		return true;
	dialect_release(d);
	return false;
}

int
dialect_find(struct dialect *d, const cJSON *input,
    struct dialect_event *event, struct buf *error)
{
	bool found = try_dialect(d, most_common, input, event, error);
	char **names = found ? NULL : backend_names(), **p;

	for (p = names; p != NULL && *p != NULL && !found; p++)
		found = try_dialect(d, *p, input, event, error);
	argv_free(names);
	if (found)
		buf_reset(error);
	return found ? 1 : error->len > 0 ? -1 : 0;
}

void
dialect_prefer(struct dialect *d, const char *agent, const cJSON *input,
    struct dialect_event *event)
{
	struct buf error = BUF_INIT;
	struct dialect_event of_own;
	struct dialect own;

	if (agent != NULL && strcmp(agent, d->agent) != 0 &&
	    try_dialect(&own, agent, input, &of_own, &error)) {
		dialect_release(d);
		*d = own;
		*event = of_own;
	}
	buf_release(&error);
}

bool
dialect_shell(const struct dialect *d, const char *tool)
{
	const cJSON *name;

	cJSON_ArrayForEach(name, json_member(d->hooks, "shells"))
		if (strcmp(name->valuestring, tool) == 0)
			return true;
	return false;
}

const char *
dialect_error(const struct dialect *d, const char *word)
{
	const char *ours = word == NULL ? NULL :
	    json_text(json_member(d->hooks, "errors"), word);

	return ours != NULL ? ours : word;
}

#include "run/config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/command.h"
#include "os/file.h"
#include "os/usercommand.h"
#include "run/mailrules.h"
#include "run/verdict.h"
#include "text/json.h"
#include "text/pattern.h"

enum { FILE_MAX = 1 << 20, NAME_BYTES_MAX = 64 };

enum kind {
	KIND_PATH,              /* char *, made absolute */
	KIND_NAME,              /* char *, may become part of a file name */
	KIND_PATTERN,           /* char *, compiles and has the group issue */
	KIND_PATHS,             /* char **, NULL-ended, each absolute */
	KIND_FOLDERS,           /* the same, each inside some other folder */
	KIND_COMMAND,           /* char **, see usercommand.h */
	KIND_STATES,            /* unsigned, 1 << enum state of each */
	KIND_NUMBER,            /* int64_t, from least to most */
	KIND_RULES,             /* struct inboxrules * */
	KIND_TEXT,              /* char * */
	KIND_LOOP,              /* an object; its keys are rows of loop_rows */
	KIND_IGNORED            /* a text for other programs */
};

struct row {
	const char *key;
	size_t      offset;     /* of its field in struct config */
	enum kind   kind;
	int64_t     least, most;
	const char *fallback;   /* as a variable would say it; NULL: none */
};

#define FIELD(name) #name, offsetof(struct config, name)

/* In the order of the manual.  PANEWARD_<KEY> is the variable of each. */
static const struct row rows[] = {
	{ FIELD(status_dir),      KIND_PATH,    0, 0, NULL },
	{ FIELD(backend),         KIND_NAME,    0, 0, "claude" },
	{ FIELD(session_pattern), KIND_PATTERN, 0, 0,
	    "(?:^|-)issue-(?<issue>[0-9]+)(?:-|$)" },
	{ FIELD(sockets),         KIND_PATHS,   0, 0, "" },
	{ FIELD(capture_every),   KIND_NUMBER,  1, 86400, "30" },
	{ FIELD(stalled_after),   KIND_NUMBER,  1, 31536000, "3600" },
	{ FIELD(log_cap),         KIND_NUMBER,  65536, INT64_C(1) << 40,
	    "67108864" },
	{ FIELD(handoff),         KIND_COMMAND, 0, 0, NULL },
	{ FIELD(handoff_timeout), KIND_NUMBER,  1, 86400, "600" },
	{ FIELD(handoff_attempts), KIND_NUMBER, 1, 1000, "5" },
	{ FIELD(worktree_root),   KIND_PATH,    0, 0, NULL },
	{ FIELD(build_dirs),      KIND_FOLDERS, 0, 0, "" },
	{ FIELD(notify),          KIND_COMMAND, 0, 0, "" },
	{ FIELD(notify_on),       KIND_STATES,  0, 0, "complete:error:asking:"
	    "waiting:limited:stalled:dead:gone:refused" },
	{ FIELD(inbox),           KIND_RULES,   0, 0, NULL },
	{ FIELD(loop),            KIND_LOOP,    0, 0, "{\"same_rounds\": 5}" },
	{ "$schema", 0,           KIND_IGNORED, 0, 0, NULL },
};

#define LOOP_FIELD(name) #name, offsetof(struct config, loop.name)

static const struct row loop_rows[] = {
	{ LOOP_FIELD(backend),         KIND_NAME,   0, 0, NULL },
	{ LOOP_FIELD(session_manager), KIND_NAME,   0, 0, NULL },
	{ LOOP_FIELD(prompt_file),     KIND_PATH,   0, 0, NULL },
	{ LOOP_FIELD(keyword),         KIND_TEXT,   0, 0, NULL },
	{ LOOP_FIELD(max_iterations),  KIND_NUMBER, 1, 1000000, NULL },
	{ LOOP_FIELD(idle_timeout),    KIND_NUMBER, 0, 31536000, NULL },
	{ LOOP_FIELD(max_time),        KIND_NUMBER, 0, 31536000, NULL },
	{ LOOP_FIELD(same_rounds),     KIND_NUMBER, 0, 1000000, NULL },
	{ LOOP_FIELD(report),          KIND_PATH,   0, 0, NULL },
};

enum {
	ROWS = sizeof(rows) / sizeof(rows[0]),
	LOOP_ROWS = sizeof(loop_rows) / sizeof(loop_rows[0])
};

static void *
field(struct config *config, const struct row *row)
{
	return (char *)config + row->offset;
}

/* The list with one text more behind its first n. */
static char **
list_add(char **list, size_t n, const char *text, size_t len)
{
	list = xreallocarray(list, n + 2, sizeof(*list));
	list[n] = xstrndup(text, len);
	list[n + 1] = NULL;
	return list;
}

/* Whose value this was is said before, hence the blank. */
static int
refuse(const struct row *row, struct buf *why)
{
	switch (row->kind) {
	case KIND_NAME:
		buf_printf(why, " is not a name of a-z, 0-9, '_' and '-', at "
		    "most %d", NAME_BYTES_MAX);
		break;
	case KIND_PATHS:
		buf_adds(why, " is not a list of absolute paths");
		break;
	case KIND_FOLDERS:
		buf_adds(why, " is not a list of folders inside a work tree");
		break;
	case KIND_COMMAND:
		buf_adds(why, " is neither a text nor a list of texts");
		break;
	case KIND_STATES:
		buf_adds(why, " is not a list of states that can be told of");
		break;
	case KIND_NUMBER:
		buf_printf(why, " is not a whole number from %" PRId64 " to %"
		    PRId64, row->least, row->most);
		break;
	default:
		buf_adds(why, " is not a text");
	}
	return -1;
}

static int
set_number(struct config *config, const struct row *row, int64_t number,
    struct buf *why)
{
	if (number < row->least || number > row->most)
		return refuse(row, why);
	*(int64_t *)field(config, row) = number;
	return 0;
}

/* A relative path that stays where it begins, spares git's own folder, and can
 * stand in a list. */
static bool
inside(const char *path)
{
	const char *p = path;
	size_t len;

	for (; *p != '\0'; p += len + (p[len] == '/')) {
		len = strcspn(p, "/");
		if (len == 0 || (len == 1 && p[0] == '.') ||
		    (len == 2 && memcmp(p, "..", 2) == 0) ||
		    (len == 4 && strncasecmp(p, ".git", 4) == 0))
			return false;
	}
	return path[0] != '\0' && strchr(path, ':') == NULL;
}

static int
set_states(struct config *config, const struct row *row, char **list,
    struct buf *why)
{
	static const unsigned possible = 1u << STATE_COMPLETE |
	    1u << STATE_ERROR | 1u << STATE_ASKING | 1u << STATE_WAITING |
	    1u << STATE_LIMITED | 1u << STATE_STALLED | 1u << STATE_DEAD |
	    1u << STATE_GONE | CONFIG_REFUSED;
	unsigned states = 0, state;
	char **p;

	for (p = list; *p != NULL; p++) {
		state = strcmp(*p, "refused") == 0 ? CONFIG_REFUSED :
		    1u << state_of(*p, strlen(*p));
		if ((state & possible) == 0)
			break;
		states |= state;
	}
	if (*p != NULL) {
		argv_free(list);
		return refuse(row, why);
	}
	argv_free(list);
	*(unsigned *)field(config, row) = states;
	return 0;
}

static void
set_command(struct config *config, const struct row *row, char **words)
{
	char ***place = field(config, row);

	argv_free(*place);
	*place = words;
}

/* Takes the list over. */
static int
set_list(struct config *config, const struct row *row, char **list,
    struct buf *why)
{
	char ***place = field(config, row), **p;

	for (p = list; *p != NULL; p++)
		if (row->kind == KIND_PATHS ? **p != '/' : !inside(*p)) {
			argv_free(list);
			return refuse(row, why);
		}
	argv_free(*place);
	*place = list;
	return 0;
}

/* A path as it is meant in the folder base; NULL is the current one. */
static char *
absolute(const char *base, const char *path, struct buf *why)
{
	char *here, *whole;

	if (path[0] == '\0') {
		buf_adds(why, " is empty");
		return NULL;
	}
	if (path[0] == '/')
		return xstrdup(path);
	if (base != NULL)
		return xasprintf("%s/%s", strcmp(base, "/") ? base : "", path);
	here = xrealpath(".");
	if (here == NULL) {
		buf_printf(why, ": the current directory: %s",
		    strerror(errno));
		return NULL;
	}
	whole = absolute(here, path, why);
	free(here);
	return whole;
}

static bool
is_name(const char *text)
{
	size_t size = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-");

	return size > 0 && size <= NAME_BYTES_MAX && text[size] == '\0';
}

static int
check_pattern(const char *text, struct buf *why)
{
	char reason[200];
	struct pattern *pattern = pattern_new(text, reason, sizeof(reason));
	bool named = pattern != NULL && pattern_has_group(pattern, "issue");

	if (pattern == NULL)
		buf_printf(why, ": %s", reason);
	else if (!named)
		buf_adds(why, " has no group (?<issue>...)");
	pattern_free(pattern);
	return named ? 0 : -1;
}

static int
set_text(struct config *config, const struct row *row, const char *base,
    const char *text, struct buf *why)
{
	char **place = field(config, row), *value;

	if (row->kind == KIND_NAME && !is_name(text))
		return refuse(row, why);
	/* The default one is known to be good, and compiling takes time. */
	if (row->kind == KIND_PATTERN && text != row->fallback &&
	    check_pattern(text, why) == -1)
		return -1;
	if (row->kind == KIND_PATH)
		value = absolute(base, text, why);
	else
		value = xstrdup(text);
	if (value == NULL)
		return -1;
	free(*place);
	*place = value;
	return 0;
}

/* text as a number of nothing but digits; -1 where it is none. */
static int64_t
digits(const char *text)
{
	intmax_t number;

	if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0')
		return -1;
	errno = 0;
	number = strtoimax(text, NULL, 10);
	return errno == 0 ? (int64_t)number : -1;
}

static char **
split(const char *text)
{
	char **list = xcalloc(1, sizeof(*list));
	size_t n, size;

	for (n = 0; *text != '\0'; n++) {
		size = strcspn(text, ":");
		list = list_add(list, n, text, size);
		text += size + (text[size] == ':');
	}
	return list;
}

static int
set_rules(struct config *config, const struct row *row, const cJSON *value,
    struct buf *why)
{
	struct inboxrules **place = field(config, row);
	struct inboxrules *rules = inboxrules_new(value, why);

	if (rules == NULL)
		return -1;
	inboxrules_free(*place);
	*place = rules;
	return 0;
}

static int take_member(struct config *, const struct row *, const char *base,
    const cJSON *object, struct buf *why);

static int
set_loop(struct config *config, const char *base, const cJSON *object,
    struct buf *why)
{
	struct buf reason = BUF_INIT;
	const cJSON *member;
	size_t i;

	if (!cJSON_IsObject(object)) {
		buf_adds(why, " is not an object");
		return -1;
	}
	cJSON_ArrayForEach(member, object) {
		for (i = 0; i < LOOP_ROWS; i++)
			if (strcmp(loop_rows[i].key, member->string) == 0)
				break;
		if (i == LOOP_ROWS)
			buf_printf(why, ": unknown key '%.64s'",
			    member->string);
		else if (take_member(config, &loop_rows[i], base, object,
		    &reason) == -1)
			buf_printf(why, ": '%s'%s", member->string,
			    buf_str(&reason));
		else
			continue;
		buf_release(&reason);
		return -1;
	}
	return 0;
}

/* A variable has the object as JSON. */
static int
parse_object(struct config *config, const struct row *row, const char *text,
    const char *here, struct buf *why)
{
	struct json_error error;
	cJSON *value = json_parse(text, strlen(text), true, &error);
	int ret = -1;

	if (value == NULL)
		buf_printf(why, ": line %u: %s", error.line, error.reason);
	else if (row->kind == KIND_LOOP)
		ret = set_loop(config, here, value, why);
	else
		ret = set_rules(config, row, value, why);
	json_free(value);
	return ret;
}

/* A variable or a default; what is relative begins in the folder here. */
static int
take_text(struct config *config, const struct row *row, const char *text,
    const char *here, struct buf *why)
{
	switch (row->kind) {
	case KIND_NUMBER:
		return set_number(config, row, digits(text), why);
	case KIND_PATHS:
	case KIND_FOLDERS:
		return set_list(config, row, split(text), why);
	case KIND_STATES:
		return set_states(config, row, split(text), why);
	case KIND_COMMAND:
		set_command(config, row, usercommand_parse(text, here));
		return 0;
	case KIND_RULES:
	case KIND_LOOP:
		return parse_object(config, row, text, here, why);
	default:
		return set_text(config, row, NULL, text, why);
	}
}

/* The texts of an array; NULL where it is something else. */
static char **
texts(const cJSON *array)
{
	char **list = xcalloc(1, sizeof(*list));
	const cJSON *item;
	size_t n = 0;

	cJSON_ArrayForEach(item, array) {
		if (!cJSON_IsString(item))
			break;
		list = list_add(list, n++, item->valuestring,
		    strlen(item->valuestring));
	}
	if (cJSON_IsArray(array) && item == NULL)
		return list;
	argv_free(list);
	return NULL;
}

static int
take_command(struct config *config, const struct row *row, const char *base,
    const cJSON *value, struct buf *why)
{
	char **list;

	if (cJSON_IsString(value)) {
		set_command(config, row, usercommand_parse(value->valuestring,
		    base));
		return 0;
	}
	list = cJSON_IsNull(value) ? xcalloc(1, sizeof(*list)) : texts(value);
	if (list == NULL)
		return refuse(row, why);
	set_command(config, row, usercommand_words(
	    (const char *const *)list, base));
	argv_free(list);
	return 0;
}

/* A member of a file's object. */
static int
take_member(struct config *config, const struct row *row, const char *base,
    const cJSON *object, struct buf *why)
{
	const char *text = json_text(object, row->key);
	char **list;

	switch (row->kind) {
	case KIND_NUMBER:
		return set_number(config, row, json_number(object, row->key,
		    row->least - 1), why);
	case KIND_PATHS:
	case KIND_FOLDERS:
		list = texts(json_member(object, row->key));
		return list ? set_list(config, row, list, why) :
		    refuse(row, why);
	case KIND_STATES:
		list = texts(json_member(object, row->key));
		return list ? set_states(config, row, list, why) :
		    refuse(row, why);
	case KIND_COMMAND:
		return take_command(config, row, base,
		    json_member(object, row->key), why);
	case KIND_RULES:
		return set_rules(config, row, json_member(object, row->key),
		    why);
	case KIND_LOOP:
		return set_loop(config, base, json_member(object, row->key),
		    why);
	case KIND_IGNORED:
		return text ? 0 : refuse(row, why);
	default:
		return text ? set_text(config, row, base, text, why) :
		    refuse(row, why);
	}
}

static const struct row *
row_of(const char *key)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (strcmp(rows[i].key, key) == 0)
			return &rows[i];
	return NULL;
}

static const char *
nearest_key(const char *key)
{
	const char *nearest = NULL;
	size_t i, d, least = 3;

	for (i = 0; i < ROWS; i++) {
		d = command_distance(key, rows[i].key);
		if (d < least) {
			least = d;
			nearest = rows[i].key;
		}
	}
	return nearest;
}

static void
unknown_key(const char *key, struct buf *error)
{
	const char *nearest = nearest_key(key);

	buf_printf(error, "unknown key '%.64s'", key);
	if (nearest != NULL)
		buf_printf(error, " (did you mean '%s'?)", nearest);
}

/* Everything in a file; path names it, and relative paths in it begin in its
 * folder. */
static int
take_object(struct config *config, const char *path, const struct buf *text,
    const cJSON *object, struct buf *error)
{
	char *base = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	struct buf why = BUF_INIT;
	const cJSON *member = NULL;
	const struct row *row;

	cJSON_ArrayForEach(member, object) {
		row = row_of(member->string);
		if (row != NULL &&
		    take_member(config, row, base, object, &why) == 0)
			continue;
		buf_printf(error, "'%s' line %u: ", path,
		    json_line(text->data, text->len, member->string, NULL));
		if (row == NULL)
			unknown_key(member->string, error);
		else
			buf_printf(error, "'%s'%s", row->key, buf_str(&why));
		break;
	}
	buf_release(&why);
	free(base);
	return member == NULL ? 0 : -1;
}

/* Could another user have put this here, or written to it? */
static bool
untrusted(const char *path, struct buf *error)
{
	struct stat st;

	if (project_foreign(path, error))
		return true;
	if (stat(path, &st) == -1 || !(st.st_mode & S_IWOTH))
		return false;
	buf_printf(error, "cannot use '%s': everybody can write to it", path);
	return true;
}

/* 1 where there is no such file. */
static int
read_file(const char *path, struct buf *text, struct buf *error)
{
	struct stat st;
	const char *wrong;

	if (untrusted(path, error))
		return -1;
	if (file_read(AT_FDCWD, path, FILE_TRUSTED, text, FILE_MAX + 1) == 0) {
		if (text->len <= FILE_MAX)
			return 0;
		wrong = "it is larger than 1 MiB";
	} else if (errno == ENOENT || errno == ENOTDIR) {
		return 1;
	} else if (errno == EINVAL && stat(path, &st) == 0) {
		wrong = S_ISDIR(st.st_mode) ? strerror(EISDIR) :
		    "it is not a regular file";
	} else {
		wrong = strerror(errno);
	}
	buf_printf(error, "cannot read '%s': %s", path, wrong);
	return -1;
}

static int
take_file(struct config *config, const char *path, struct buf *error)
{
	struct json_error where;
	struct buf text = BUF_INIT;
	cJSON *value = NULL;
	int ret = read_file(path, &text, error);

	if (ret != 0)
		goto out;
	ret = -1;
	value = json_parse(buf_str(&text), text.len, true, &where);
	if (value == NULL)
		buf_printf(error, "'%s' line %u: %s", path, where.line,
		    where.reason);
	else if (!cJSON_IsObject(value))
		buf_printf(error, "'%s' line %u: it is not an object", path,
		    json_line(text.data, text.len, NULL));
	else
		ret = take_object(config, path, &text, value, error);
out:
	json_free(value);
	buf_release(&text);
	return ret == -1 ? -1 : 0;
}

static int
take_user_file(struct config *config, struct buf *error)
{
	const char *folder = getenv("XDG_CONFIG_HOME"), *inside = "";
	char *path;
	int ret;

	if (folder == NULL || folder[0] != '/') {
		folder = getenv("HOME");
		inside = "/.config";
	}
	if (folder == NULL || folder[0] != '/')
		return 0;
	path = xasprintf("%s%s/paneward", folder, inside);
	ret = untrusted(path, error) ? -1 : 0;
	free(path);
	path = xasprintf("%s%s/paneward/config.json", folder, inside);
	if (ret == 0)
		ret = take_file(config, path, error);
	free(path);
	return ret;
}

static int
take_project_file(struct config *config, const struct project *project,
    struct buf *error)
{
	char *path = xasprintf("%s/.paneward.json",
	    strcmp(project->root, "/") ? project->root : "");
	int ret = take_file(config, path, error);

	free(path);
	return ret;
}

static char *
variable_of(const struct row *row)
{
	char *name = xasprintf("PANEWARD_%s", row->key), *p;

	for (p = name; *p != '\0'; p++)
		if (*p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
	return name;
}

static int
take_variable(struct config *config, const struct row *row, struct buf *error)
{
	struct buf why = BUF_INIT;
	char *name = variable_of(row), *here = NULL;
	const char *text = getenv(name);
	int ret = 0;

	if (text != NULL && text[0] != '\0') {
		here = xrealpath(".");
		ret = take_text(config, row, text, here, &why);
	}
	if (ret == -1)
		buf_printf(error, "%s: '%.200s'%s", name, text, buf_str(&why));
	buf_release(&why);
	free(here);
	free(name);
	return ret;
}

static int
take_environment(struct config *config, struct buf *error)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (rows[i].kind != KIND_IGNORED &&
		    take_variable(config, &rows[i], error) == -1)
			return -1;
	return 0;
}

static void
take_defaults(struct config *config)
{
	struct buf why = BUF_INIT;
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (rows[i].fallback != NULL)
			take_text(config, &rows[i], rows[i].fallback, NULL, &why);
	buf_release(&why);
}

int
config_read(struct config *config, const struct project *project,
    struct buf *error)
{
	memset(config, 0, sizeof(*config));
	if (project->refused != NULL) {
		buf_adds(error, project->refused);
		return -1;
	}
	take_defaults(config);
	if (take_user_file(config, error) == 0 &&
	    take_project_file(config, project, error) == 0 &&
	    take_environment(config, error) == 0)
		return 0;
	config_release(config);
	return -1;
}

void
config_release(struct config *config)
{
	free(config->status_dir);
	free(config->backend);
	free(config->session_pattern);
	argv_free(config->sockets);
	argv_free(config->handoff);
	free(config->worktree_root);
	argv_free(config->build_dirs);
	argv_free(config->notify);
	inboxrules_free(config->inbox);
	free(config->loop.backend);
	free(config->loop.session_manager);
	free(config->loop.prompt_file);
	free(config->loop.keyword);
	free(config->loop.report);
	memset(config, 0, sizeof(*config));
}

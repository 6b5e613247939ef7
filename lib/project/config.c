#include "project/config.h"

#include <strings.h>

#include "base/command.h"
#include "base/state.h"
#include "data/pattern.h"
#include "os/file.h"
#include "os/userfolder.h"

enum { FILE_MAX = 1 << 20, VARIABLE_MAX = 64 };

#define NOTIFIED (1u << STATE_COMPLETE | 1u << STATE_ERROR | \
	1u << STATE_ASKING | 1u << STATE_WAITING | 1u << STATE_LIMITED | \
	1u << STATE_STALLED | 1u << STATE_DEAD | 1u << STATE_GONE | \
	CONFIG_REFUSED)

bool
config_inside(const char *path)
{
	const char *p = path;
	size_t len;

	for (; *p != '\0'; p += len + (p[len] == '/')) {
		len = strcspn(p, "/");
		if (len == 0 || (len <= 2 && memcmp(p, "..", len) == 0) ||
		    (len == 4 && strncasecmp(p, ".git", 4) == 0))
			return false;
	}
	return path[0] != '\0' && strchr(path, ':') == NULL;
}

static bool
is_absolute(const char *path)
{
	return path[0] == '/';
}

static int
config_worktree(struct strict *s, void *field, const struct json *value)
{
	const char *word = json_text_of(value);

	if (!json_is(value, JSON_NULL) &&
	    (word == NULL || strcmp(word, "new") != 0))
		return strict_refuse(s, value, " is neither \"new\" nor null");
	*(bool *)field = word != NULL;
	return 0;
}

static int
take_states(struct strict *s, void *field, const struct json *value)
{
	unsigned states = 0, state;
	const struct json *word = NULL;
	const char *name = NULL, *nearest = NULL;
	int i;

	json_each(word, value) {
		name = json_text_of(word);
		state = name == NULL ? 0 : strcmp(name, "refused") == 0 ?
		    CONFIG_REFUSED : 1u << state_of(name, strlen(name));
		if ((state & NOTIFIED) == 0)
			break;
		states |= state;
	}
	if (!json_is(value, JSON_LIST) || (word != NULL && name == NULL))
		return strict_refuse(s, value, " is not a list of states");
	if (word != NULL) {
		command_nearer(&nearest, name, "refused");
		for (i = 0; i < STATE_COUNT; i++)
			if (1u << i & NOTIFIED)
				command_nearer(&nearest, name, state_names[i]);
		return strict_refuse(s, word, nearest ? ": '%s' is no state "
		    "(did you mean '%s'?)" : ": '%s' is no state that gets a "
		    "notice", name, nearest);
	}
	*(unsigned *)field = states;
	return 0;
}

static int
take_on_limit(struct strict *s, void *field, const struct json *value)
{
	const char *word = json_text_of(value);

	*(bool *)field = word != NULL && strcmp(word, "resume") == 0;
	return *(bool *)field || (word != NULL && strcmp(word, "wait") == 0) ?
	    0 : strict_refuse(s, value, " is neither 'wait' nor 'resume'");
}

/* A line is typed: no control characters. */
static bool
is_line(const char *text)
{
	const char *p = text;

	while ((unsigned char)*p >= ' ' && *p != 0x7f)
		p++;
	return *p == '\0' && !text_empty(text, strlen(text));
}

static int
take_command(struct strict *s, void *field, const struct json *value)
{
	char ***place = field, **list = strict_list(value);

	if (list == NULL && !json_is(value, JSON_TEXT) &&
	    !json_is(value, JSON_NULL))
		return strict_refuse(s, value, " is neither a text nor a list "
		    "of texts");
	argv_free(*place);
	*place = json_is(value, JSON_TEXT) ?
	    usercommand_parse(value->text, s->folder) :
	    usercommand_words((const char *const *)list, s->folder);
	argv_free(list);
	return 0;
}

static bool
config_name_valid(const char *name)
{
	size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");

	return size > 0 && size <= 64 && name[size] == '\0';
}

static int
take_pattern(struct strict *s, void *field, const struct json *value)
{
	const char *text = json_text_of(value);
	struct pattern *pattern;
	char reason[200];
	bool named = true;

	if (text != NULL) {
		pattern = pattern_new(text, false, reason, sizeof(reason));
		if (pattern == NULL)
			return strict_refuse(s, value, ": %s", reason);
		named = pattern_has_group(pattern, "issue");
		pattern_free(pattern);
	}
	return named ? strict_text(s, field, value) :
	    strict_refuse(s, value, " has no group (?<issue>...)");
}

#define NUMBER(from, to) .take = strict_number, .least = (from), .most = (to)
#define SECONDS(from, to) NUMBER(from, to), .seconds = true
#define TEXTS(each, words) \
	.take = strict_texts, .valid = (each), .those = (words)
#define NAME .take = strict_word, .valid = config_name_valid, \
	.those = "not a name of a-z, 0-9, '_' and '-', at most 64"
#define LOOP(name) #name, .at = offsetof(struct config_loop, name)

static const struct strict_row loop_rows[] = {
	{ LOOP(backend),         NAME },
	{ LOOP(session_manager), NAME },
	{ LOOP(prompt_file),     .take = strict_path },
	{ LOOP(keyword),         .take = strict_text },
	{ LOOP(max_iterations),  NUMBER(1, 1000000) },
	{ LOOP(idle_timeout),    SECONDS(0, 31536000) },
	{ LOOP(max_time),        SECONDS(0, 31536000) },
	{ LOOP(same_rounds),     NUMBER(0, 1000000) },
	{ LOOP(report),          .take = strict_path },
	{ .key = NULL }
};

bool
fleet_name_valid(const char *name)
{
	return name[0] != '\0' && text_only(name, "_-") &&
	    strlen(name) <= FLEET_HOST_MAX;
}

/* A password in the file would be seen. */
static bool
address_valid(const char *text)
{
	const char *rest = strncmp(text, "tls://", 6) == 0 ? text + 6 :
	    strncmp(text, "nats://", 7) == 0 ? text + 7 : "";

	return rest[0] != '\0' && text_only(rest, ".-:[]");
}

#define FLEET(name) #name, .at = offsetof(struct fleetrules, name)

static const struct strict_row fleet_rows[] = {
	{ FLEET(servers),    TEXTS(address_valid,
	    "addresses like tls://HOST:4222, which have no password") },
	{ FLEET(host),       .take = strict_word, .valid = fleet_name_valid,
	    .those = "no name of letters, digits, '-' and '_'" },
	{ FLEET(labels),     TEXTS(fleet_name_valid,
	    "names of letters, digits, '-' and '_'") },
	{ FLEET(ca),         .take = strict_path },
	{ FLEET(cert),       .take = strict_path },
	{ FLEET(key),        .take = strict_path },
	{ FLEET(lease),      SECONDS(10, 86400) },
	{ FLEET(keep_days),  NUMBER(1, 3650) },
	{ FLEET(keep_bytes), NUMBER(1 << 20, INT64_C(1) << 50) },
	{ .key = NULL }
};

static int
fleetrules_take(struct strict *s, void *field, const struct json *value)
{
	struct fleetrules **place = field, *r = xcalloc(1, sizeof(*r));
	int ret, files;

	*r = (struct fleetrules){ .lease = 60, .keep_days = 30,
	    .keep_bytes = 1 << 30 };
	ret = strict_read(s, fleet_rows, r, value);
	files = (r->ca != NULL) + (r->cert != NULL) + (r->key != NULL);
	if (ret == 0 && (r->servers == NULL || r->servers[0] == NULL))
		ret = strict_refuse(s, value, " lacks 'servers'");
	else if (ret == 0 && r->host == NULL)
		ret = strict_refuse(s, value, " lacks 'host', the name of "
		    "this one");
	else if (ret == 0 && files != 0 && files != 3)
		ret = strict_refuse(s, value, " needs all of 'ca', 'cert' and "
		    "'key', or none");
	strict_release(fleet_rows, *place);
	free(*place);
	*place = r;
	return ret;
}

#define FIELD(name) #name, .at = offsetof(struct config, name)

/* Each but worktree has a variable, PANEWARD_<KEY>: a hand-off's
 * PANEWARD_WORKTREE is a path.  Agents write to the project, so it has no
 * personal keys. */
static const struct strict_row rows[] = {
	{ FIELD(status_dir),      .take = strict_path },
	{ FIELD(backend),         NAME },
	{ FIELD(session_pattern), .take = take_pattern },
	{ FIELD(sockets),         TEXTS(is_absolute, "absolute paths") },
	{ FIELD(hosts),           TEXTS(hostname_valid, "names of hosts"),
	    .personal = true },
	{ FIELD(fleet),           .take = fleetrules_take, .personal = true },
	{ FIELD(answers),         .take = answerrules_take, .personal = true },
	{ FIELD(capture_every),   SECONDS(1, 86400) },
	{ FIELD(stalled_after),   SECONDS(1, 31536000) },
	{ FIELD(log_cap),         NUMBER(65536, INT64_C(1) << 40) },
	{ FIELD(keep_logs),       NUMBER(0, INT64_C(1) << 40) },
	{ FIELD(handoff),         .take = take_command },
	{ FIELD(handoff_timeout), SECONDS(1, 86400) },
	{ FIELD(handoff_attempts), NUMBER(1, 1000) },
	{ FIELD(worktree_root),   .take = strict_path },
	{ FIELD(worktree),        .take = config_worktree },
	{ FIELD(worktree_copy),   TEXTS(config_inside,
	    "paths inside the project") },
	{ FIELD(worktree_setup),  .take = take_command },
	{ FIELD(build_dirs),      TEXTS(config_inside,
	    "folders inside a work tree") },
	{ FIELD(notify),          .take = noticeways_take },
	{ FIELD(notify_on),       .take = take_states },
	{ FIELD(notify_again),    SECONDS(0, 31536000) },
	{ FIELD(on_limit),        .take = take_on_limit },
	{ FIELD(limit_prompt),    .take = strict_word,
	    .valid = is_line, .those = "not one line of text" },
	{ FIELD(inbox),           .take = inboxrules_take },
	{ FIELD(loop),            .take = strict_object, .rows = loop_rows },
	{ "$schema",              .take = strict_ignored },
	{ .key = NULL }
};

static enum exit_status
config_take_file(struct config *config, const char *folder, const char *name,
    bool shared, struct buf *error)
{
	char *path = project_join(folder, name);
	const char *const checked[] = { folder, path };
	struct strict s = { .from = path, .folder = folder,
	    .error = error, .shared = shared };
	enum exit_status status = EXIT_DONE;
	struct buf text = BUF_INIT;
	const char *wrong = NULL;
	struct stat st;
	int i, foreign;
	bool read;

	/* No other user may own or write to these. */
	for (i = shared ? 1 : 0; i < 2 && status == EXIT_DONE; i++) {
		foreign = project_foreign(checked[i], &st, error);
		if (foreign == 0 && st.st_mode & S_IWOTH)
			buf_printf(error, "cannot use '%s': any user can write "
			    "to it", checked[i]);
		if (foreign != 0 || st.st_mode & S_IWOTH)
			status = foreign == -1 ? EXIT_COULD_NOT : EXIT_USAGE;
		else if (st.st_mode == 0)
			status = EXIT_NO;
	}
	read = status == EXIT_DONE && file_read(AT_FDCWD, path, FILE_TRUSTED,
	    &text, FILE_MAX + 1) == 0;
	if (read && text.len > FILE_MAX) {
		wrong = "it is larger than 1 MiB";
		status = EXIT_USAGE;
	} else if (read) {
		status = strict_file(&s, &text, rows, config) == -1 ?
		    EXIT_USAGE : EXIT_DONE;
	} else if (status == EXIT_DONE && !file_missing(errno)) {
		status = errno == EINVAL ? EXIT_USAGE : EXIT_COULD_NOT;
		wrong = errno != EINVAL ? strerror(errno) :
		    S_ISDIR(st.st_mode) ? strerror(EISDIR) :
		    "it is not a regular file";
	}
	if (wrong != NULL)
		buf_printf(error, "cannot read '%s': %s", path, wrong);
	buf_release(&text);
	free(path);
	return status == EXIT_NO ? EXIT_DONE : status;
}

static int
take_variable(struct config *config, const struct strict_row *row,
    struct buf *error)
{
	strict_take *take = row->take;
	char name[VARIABLE_MAX], *here, *p, *copy, *rest;
	struct strict s = { .from = name, .error = error, .depth = 1,
	    .row = row };
	struct text_error e;
	const char *text;
	struct json *value;
	int ret = -1;

	snprintf(name, sizeof(name), "PANEWARD_%s", row->key);
	for (p = name; *p != '\0'; p++)
		if (*p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
	text = getenv(name);
	if (text == NULL || text[0] == '\0')
		return 0;
	if (take == strict_number && text[strspn(text, "0123456789")] == '\0') {
		value = json_add_number(NULL, NULL, strtod(text, NULL));
	} else if (take == strict_texts || take == take_states) {
		value = json_new_list();
		rest = copy = xstrdup(text);
		while (rest != NULL && *rest != '\0')
			json_append(value, json_new_text(strsep(&rest, ":")));
		free(copy);
	} else if (take == strict_object || take == inboxrules_take ||
	    take == answerrules_take || take == fleetrules_take) {
		value = json_parse(text, strlen(text), true, &e);
		if (value == NULL)
			buf_printf(error, "%s: '%.200s': line %u: %s", name,
			    text, e.line, e.reason);
	} else {
		value = json_new_text(text);
	}
	s.folder = here = xrealpath(".");
	/* A message names the key if the text may hold a password. */
	s.keys[0] = json_is(value, JSON_OBJECT) || take == noticeways_take ?
	    row->key : text;
	if (value != NULL)
		ret = take(&s, (char *)config + row->at, value);
	json_free(value);
	free(here);
	return ret;
}

enum exit_status
config_read(struct config *config, const struct project *project,
    struct buf *error)
{
	const struct strict_row *row;
	enum exit_status status = EXIT_DONE;
	char *folder;

	if (project->refused != NULL) {
		*config = (struct config){ .backend = NULL };
		buf_adds(error, project->refused);
		return EXIT_USAGE;
	}
	*config = (struct config){
		.backend = xstrdup("claude"),
		.session_pattern = xstrdup(
		    "(?:^|-)issue-(?<issue>[0-9]+)(?:-|$)"),
		.sockets = xcalloc(1, sizeof(char *)),
		.hosts = xcalloc(1, sizeof(char *)),
		.capture_every = 30,
		.stalled_after = 3600,
		.log_cap = 64 << 20,
		.keep_logs = 256 << 20,
		.handoff_timeout = 600,
		.handoff_attempts = 5,
		.build_dirs = xcalloc(1, sizeof(char *)),
		.notify_on = NOTIFIED,
		.limit_prompt = xstrdup("continue"),
		.loop = { .session_manager = xstrdup("native"),
		    .keyword = xstrdup("LOOP_COMPLETE"),
		    .max_iterations = 100, .same_rounds = 5 }
	};
	inboxrules_init(&config->inbox);
	folder = userfolder_config();
	if (folder != NULL)
		status = config_take_file(config, folder, "config.json", false,
		    error);
	free(folder);
	if (status == EXIT_DONE)
		status = config_take_file(config, project->root,
		    ".paneward.json", true, error);
	for (row = rows; status == EXIT_DONE && row->key != NULL; row++)
		if (row->take != strict_ignored &&
		    row->take != config_worktree &&
		    take_variable(config, row, error) == -1)
			status = EXIT_USAGE;
	if (status != EXIT_DONE)
		config_release(config);
	return status;
}

void
config_release(struct config *config)
{
	strict_release(rows, config);
	strict_release(fleet_rows, config->fleet);
	free(config->session_pattern);
	argv_free(config->handoff);
	argv_free(config->worktree_setup);
	free(config->fleet);
	answerrules_release(&config->answers);
	noticeways_release(&config->notify);
	inboxrules_release(&config->inbox);
	memset(config, 0, sizeof(*config));
}

#include "project/config.h"

#include "base/alloc.h"
#include "base/since.h"
#include "base/state.h"
#include "data/json.h"
#include "scratch.h"
#include "unit/fixture.h"

static struct project project;          /* project in the scratch folder */
static struct config defaults;          /* once they are read */
static struct json *schema;

static void
forget(void)
{
	char *name;
	int i;

	for (i = 0; environ[i] != NULL; i++)
		if (strncmp(environ[i], "PANEWARD_", 9) == 0) {
			name = xstrndup(environ[i], strcspn(environ[i], "="));
			unsetenv(name);
			free(name);
			i = -1;
		}
	remove(scratch_path("project/.paneward.json"));
	remove(scratch_path("xdg/paneward/config.json"));
	setenv("HOME", scratch, 1);
	setenv("XDG_CONFIG_HOME", scratch_path("xdg"), 1);
}

#define FIELD(kind, name) { #name, kind, offsetof(struct config, name) }

static const struct shown {
	const char *name;
	char kind;                      /* of text, words, number, flag */
	size_t at;
} fields[] = {
	FIELD('t', status_dir), FIELD('t', backend),
	FIELD('t', session_pattern), FIELD('w', sockets), FIELD('w', hosts),
	FIELD('n', capture_every), FIELD('n', stalled_after),
	FIELD('n', log_cap), FIELD('n', keep_logs), FIELD('w', handoff),
	FIELD('n', handoff_timeout), FIELD('n', handoff_attempts),
	FIELD('t', worktree_root), FIELD('f', worktree),
	FIELD('w', worktree_copy), FIELD('w', worktree_setup),
	FIELD('w', build_dirs), FIELD('n', notify_again), FIELD('f', on_limit),
	FIELD('t', limit_prompt), FIELD('t', loop.backend),
	FIELD('t', loop.session_manager), FIELD('t', loop.keyword),
	FIELD('t', loop.prompt_file), FIELD('t', loop.report),
	FIELD('n', loop.max_iterations), FIELD('n', loop.same_rounds),
	FIELD('n', loop.idle_timeout), FIELD('n', loop.max_time),
};

static const char *
value_of(const struct config *c, const struct shown *f)
{
	static struct buf text[2];
	static unsigned next;
	struct buf *out = &text[next++ % 2];
	const void *at = (const char *)c + f->at;
	const char *value = *(char *const *)at;

	buf_reset(out);
	if (f->kind == 't')
		buf_adds(out, value ? value : "-");
	else if (f->kind == 'w')
		buf_adds(out, joined(*(char **const *)at));
	else if (f->kind == 'n')
		buf_printf(out, "%lld", (long long)*(const int64_t *)at);
	else
		buf_printf(out, "%d", *(const bool *)at);
	return buf_str(out);
}

/* Adds what differs from the defaults, each with a blank behind it. */
static void
show(struct buf *out, const struct config *c)
{
	const struct fleetrules *f = c->fleet;
	size_t i;

	for (i = 0; i < COUNT(fields); i++)
		if (strcmp(value_of(c, &fields[i]),
		    value_of(&defaults, &fields[i])) != 0)
			buf_printf(out, "%s=%s ", fields[i].name,
			    value_of(c, &fields[i]));
	for (i = 0; i < c->notify.n; i++)
		buf_printf(out, "notify=%s:%s ", c->notify.way[i].address ?
		    c->notify.way[i].address : "",
		    joined(c->notify.way[i].words));
	for (i = 0; c->notify_on != defaults.notify_on && i <= STATE_COUNT; i++)
		if (c->notify_on & 1u << i)
			buf_printf(out, "on=%s ", i == STATE_COUNT ?
			    "refused" : state_names[i]);
	if (f != NULL)
		buf_printf(out, "fleet=%s,%s,%s,%s,%s,%d", joined(f->servers),
		    f->host, f->ca, f->cert, f->key, (int)f->lease);
	if (c->answers.n > 0)
		buf_printf(out, "%zu answers, ls: %s ", c->answers.n,
		    answerrules_find(&c->answers, "permission", "ls"));
}

/*
 * What differs from the defaults, or what the configuration is refused for.
 * P3: and U3: stand for line 3 of the project's and of the user's file; the
 * scratch folder is left out.
 */
static const char *
shown(void)
{
	static struct buf out;
	struct config config;
	const char *told;

	buf_reset(&out);
	if (config_read(&config, &project, &out) == EXIT_DONE) {
		is_text(buf_str(&out), "");
		show(&out, &config);
	} else {
		ok(config.backend == NULL && config.sockets == NULL);
	}
	config_release(&config);
	told = replaced(buf_str(&out), scratch, "");
	told = replaced(told, "'/project/.paneward.json' line ", "P");
	return replaced(told, "'/xdg/paneward/config.json' line ", "U");
}

/* With these files and variables ("A=x\nB=y") that is shown.  '\'' stands for
 * '"' in them. */
struct row {
	const char *project, *want, *user, *env;
};

static void
try(const struct row *row)
{
	char *env = xstrdup(row->env ? quoted(row->env) : ""), *rest = env;
	char *line, *name;

	ROW("%s %s %s", row->project ? row->project : "",
	    row->user ? row->user : "", env);
	forget();
	if (row->project != NULL)
		scratch_write("project/.paneward.json", quoted(row->project));
	if (row->user != NULL)
		scratch_write("xdg/paneward/config.json", quoted(row->user));
	while ((line = strsep(&rest, "\n")) != NULL && line[0] != '\0') {
		name = xasprintf("PANEWARD_%s", strsep(&line, "="));
		setenv(name, line, 1);
		free(name);
	}
	is_text(shown(), row->want);
	free(env);
	forget();
}

static void
try_all(const struct row *row)
{
	for (; row->want != NULL; row++)
		try(row);
}

#define TRY(...) try_all((const struct row[]){ __VA_ARGS__, { .want = NULL } })

TEST(without_any_file_the_defaults_hold) {
	struct buf error = BUF_INIT;

	TRY({ NULL, "backend=claude session_pattern="
	    "(?:^|-)issue-(?<issue>[0-9]+)(?:-|$) sockets= hosts= "
	    "capture_every=30 stalled_after=3600 log_cap=67108864 "
	    "keep_logs=268435456 handoff_timeout=600 handoff_attempts=5 "
	    "build_dirs= limit_prompt=continue loop.same_rounds=5 on=asking "
	    "on=waiting on=limited on=stalled on=complete on=error on=dead "
	    "on=gone on=refused " });
	is_number(config_read(&defaults, &project, &error), EXIT_DONE);
}

TEST(every_key_is_taken_from_the_projects_file) {
	TRY({ "// what this project wants\n"
	    "{ '$schema': 'x', 'status_dir': 'state/here',\n"
	    "'backend': 'my_agent-2', /* ours */\n"
	    "'session_pattern': '^i(?<issue>\\\\d+)',\n"
	    "'sockets': ['/tmp/a:b', '/tmp/c d'],\n"
	    "'capture_every': 1, 'stalled_after': 31536000,\n"
	    "'log_cap': 1099511627776 }\n",
	    "status_dir=/project/state/here backend=my_agent-2 session_pattern="
	    "^i(?<issue>\\d+) sockets=/tmp/a:b|/tmp/c d| capture_every=1 "
	    "stalled_after=31536000 log_cap=1099511627776 " });
}

TEST(the_environment_beats_project_beats_user_key_by_key) {
	TRY({ "{ 'capture_every': 7, 'stalled_after': 8, 'sockets': [] }",
	    "status_dir=/xdg/paneward/../state capture_every=7 stalled_after=9 "
	    "log_cap=70000 ", "{ 'status_dir': '../state', 'capture_every': 5, "
	    "'stalled_after': 6, 'log_cap': 70000, 'sockets': ['/a', '/b'] }",
	    "STALLED_AFTER=9" },
	    { "{ 'status_dir': '/s', 'capture_every': 7 }",
	    "status_dir=/s capture_every=7 ",
	    .env = "STATUS_DIR=\nCAPTURE_EVERY=" });
}

TEST(every_key_has_a_variable) {
	TRY({ NULL, "status_dir=/state backend=codex "
	    "session_pattern=(?<issue>.) sockets=/tmp/a|/tmp/b| "
	    "capture_every=86400 stalled_after=1 log_cap=65536 ",
	    .env = "STATUS_DIR=state\nBACKEND=codex\n"
	    "SESSION_PATTERN=(?<issue>.)\nSOCKETS=/tmp/a:/tmp/b\n"
	    "CAPTURE_EVERY=0086400\nSTALLED_AFTER=1\nLOG_CAP=65536" });
}

TEST(the_users_file_is_below_home_where_xdg_names_no_folder) {
	scratch_write(".config/paneward/config.json", "{\"backend\": \"pi\"}");
	forget();
	is_text(shown(), "");
	unsetenv("XDG_CONFIG_HOME");
	is_text(shown(), "backend=pi ");
	setenv("XDG_CONFIG_HOME", "relative", 1);
	is_text(shown(), "backend=pi ");
	setenv("HOME", "relative", 1);
	is_text(shown(), "");
	unsetenv("HOME");
	is_text(shown(), "");
}

TEST(an_unknown_key_is_refused_with_the_nearest_one) {
	TRY({ "{\n\n'backend': 'pi',\n'stauts_dir': 1}",
	    "P4: unknown key 'stauts_dir' (did you mean 'status_dir'?)" },
	    { "{'Backend': 'pi'}",
	    "P1: unknown key 'Backend' (did you mean 'backend'?)" },
	    { "{'verbose': true}", "P1: unknown key 'verbose'" },
	    { "{'': true}", "P1: unknown key ''" },
	    { NULL, "U2: unknown key 'no'", "{\n'no': {} }" });
}

#define COUNTS(from, to) " is not a whole number from " from " to " to
#define PERSONAL " stands only in the user's config.json"
#define NO_NAME " is not a name of a-z, 0-9, '_' and '-', at most 64"
#define NO_COMMAND " is neither a text nor a list of texts"
#define NO_WAY(of, form) " has an address of '" of "' that is not https://" form

/* Values of a key of the project's, or of a variable without PANEWARD_, and
 * what follows the key, or the variable and its value, in the message. */
static const struct wrong {
	const char *key, *want, *values[16];
} wrong[] = {
	{ "capture_every", COUNTS("1", "86400") SINCE_UNITS, { "0", "86401",
	    "-1", "1.5", "'30'", "true", "null", "[30]", "1e300", "'30x'",
	    "'0s'", "'1441m'", "'1.5h'", "' 30s'" } },
	{ "CAPTURE_EVERY", COUNTS("1", "86400") SINCE_UNITS, { "0", "86401",
	    "-1", "+1", " 1", "1 ", "0x10", "1.5", "1e3", "10 m",
	    "99999999999999999999", "18446744073709551646" } },
	{ "log_cap", COUNTS("65536", "1099511627776"), { "65535" } },
	{ "LOG_CAP", COUNTS("65536", "1099511627776"), { "12x" } },
	{ "handoff_timeout", COUNTS("1", "86400") SINCE_UNITS, { "0" } },
	{ "handoff_attempts", COUNTS("1", "1000"), { "1.5", "'3s'" } },
	{ "HANDOFF_ATTEMPTS", COUNTS("1", "1000"), { "1001" } },
	{ "session_pattern", ": missing closing parenthesis at offset 6",
	    { "'(issue'" } },
	{ "session_pattern", " has no group (?<issue>...)",
	    { "'issue-([0-9]+)'" } },
	{ "session_pattern", " is not a text", { "1" } },
	{ "SESSION_PATTERN", " has no group (?<issue>...)", { "x" } },
	{ "SESSION_PATTERN", ": missing terminating ] for character class at "
	    "offset 1", { "[" } },
	{ "backend", NO_NAME, { "'../x'", "''" } },
	{ "BACKEND", NO_NAME, { "Claude" } },
	{ "status_dir", " is empty", { "''" } },
	{ "status_dir", " is not a text", { "['x']" } },
	{ "$schema", " is not a text", { "1" } },
	{ "sockets", " is not a list of absolute paths",
	    { "'/tmp/x'", "['/tmp/x', 1]", "['/tmp/x', '']" } },
	{ "SOCKETS", " is not a list of absolute paths",
	    { "/tmp/x:y", "/x::/y" } },
	{ "answers", PERSONAL, { "[]" } },
	{ "hosts", PERSONAL, { "['box']" } },
	{ "HOSTS", " is not a list of names of hosts", { "a b" } },
	{ "fleet", PERSONAL, { "{ 'host': 'x' }" } },
	{ "loop", " is not an object", { "5" } },
	{ "handoff", NO_COMMAND, { "7", "{}" } },
	{ "notify", " holds what is neither a way of a notice nor a command, "
	    "a list of words", { "['bell', 7]" } },
	{ "notify", " is neither a way of a notice, nor a command, nor a list "
	    "of them", { "false" } },
	{ "notify", NO_WAY("ntfy", "HOST/TOPIC"),
	    { "'ntfy:https://u:secret@h'" } },
	{ "notify", NO_WAY("webhook", "HOST..."),
	    { "[['a'], 'webhook:secret']" } },
	{ "worktree_root", " is empty", { "''" } },
	{ "worktree_root", " is not a text", { "null" } },
	{ "worktree", " is neither \"new\" nor null", { "'old'" } },
	{ "worktree_copy", " is not a list of paths inside the project",
	    { "['../x']" } },
	{ "build_dirs", " is not a list of folders inside a work tree",
	    { "['../x']", "['a//b']", "['a:b']", "['/x']", "['a/..']",
	    "['.']", "['.git']", "['x/.git/y']", "['.GiT']", "['x/.Git']",
	    "['']", "'target'" } },
	{ "BUILD_DIRS", " is not a list of folders inside a work tree",
	    { "x:/y" } },
	{ "notify_on", " is not a list of states",
	    { "['error',1]", "'error'" } },
	{ "notify_on", ": 'working' is no state that gets a notice",
	    { "['working']" } },
	{ "notify_on", ": 'Error' is no state (did you mean 'error'?)",
	    { "['Error']" } },
	{ "notify_on", ": 'askin' is no state (did you mean 'asking'?)",
	    { "['error','askin']" } },
	{ "notify_on", ": 'refuse' is no state (did you mean 'refused'?)",
	    { "['refuse']" } },
	{ "NOTIFY_ON", ": 'often' is no state that gets a notice",
	    { "dead:often" } },
};

TEST(a_wrong_value_is_refused_with_its_place) {
	char text[200], want[400];
	const char *const *value;
	const struct wrong *w;

	for (w = wrong; w < wrong + COUNT(wrong); w++)
		for (value = w->values; *value != NULL; value++)
			if (w->key[0] >= 'A' && w->key[0] <= 'Z') {
				snprintf(text, sizeof(text), "%s=%s", w->key,
				    *value);
				snprintf(want, sizeof(want), "PANEWARD_%s: "
				    "'%s'%s", w->key, *value, w->want);
				TRY({ NULL, want, .env = text });
			} else {
				snprintf(text, sizeof(text), "{\n'%s': %s}",
				    w->key, *value);
				snprintf(want, sizeof(want), "P2: '%s'%s",
				    w->key, w->want);
				TRY({ text, want });
			}
}

TEST(seconds_may_have_a_unit) {
	TRY({ "{'handoff_timeout': 86400, 'handoff_attempts': 1}",
	    "handoff_timeout=86400 handoff_attempts=1000 ",
	    .env = "HANDOFF_ATTEMPTS=1000" },
	    { "{ 'capture_every': '90s', 'stalled_after': '2h', 'notify_again'"
	    ": '0s', 'loop': { 'idle_timeout': '10m', 'max_time': '52w' } }",
	    "capture_every=90 stalled_after=7200 handoff_timeout=86400 "
	    "loop.idle_timeout=600 loop.max_time=31449600 "
	    "fleet=tls://a|,b,(null),(null),(null),120", "{ 'fleet': { "
	    "'servers': ['tls://a'], 'host': 'b', 'lease': '2m' } }",
	    "HANDOFF_TIMEOUT=1d" });
}

TEST(only_the_user_has_rules_for_answers_hosts_and_a_fleet) {
#define ANSWERS "[{'asks': 'permission', 'pattern': 'ls', 'answer': 'yes'}]"
	TRY({ NULL, "1 answers, ls: yes ", "{'answers': " ANSWERS "}" },
	    { NULL, "1 answers, ls: yes ", .env = "ANSWERS=" ANSWERS },
	    { NULL, "hosts=box|me@far.example| ",
	    "{ 'hosts': ['box', 'me@far.example'] }" },
	    { NULL, "hosts=other| ", "{ 'hosts': ['box'] }", "HOSTS=other" },
	    { NULL, "U1: 'hosts' is not a list of names of hosts",
	    "{ 'hosts': ['-oProxyCommand=x'] }" },
	    { NULL, "fleet=tls://q.example:4222|,desk,/xdg/paneward/ca.pem,"
	    "/c/desk.pem,/xdg/paneward/desk.key,60", "{'fleet': { 'servers': "
	    "['tls://q.example:4222'], 'host': 'desk', 'ca': 'ca.pem', 'cert': "
	    "'/c/desk.pem', 'key': 'desk.key' }}" },
	    { NULL, "U1: 'fleet' lacks 'servers'",
	    "{'fleet': {'host': 'desk'}}" },
	    { NULL, "U1: 'fleet.servers' is not a list of addresses like "
	    "tls://HOST:4222, which have no password",
	    "{ 'fleet': { 'servers': ['tls://me:secret@x'] } }" },
	    { NULL, "U1: 'fleet.host' is no name of letters, digits, '-' and "
	    "'_'", "{'fleet': {'servers': ['nats://x'], 'host': 'a.b'}}" });
}

TEST(a_value_is_refused_although_another_one_beats_it) {
	TRY({ "{ 'capture_every': 1 }", "U1: 'capture_every' is not a whole "
	    "number from 1 to 86400" SINCE_UNITS, "{ 'capture_every': 0 }",
	    "CAPTURE_EVERY=2" });
}

TEST(a_file_that_is_not_json_is_refused_with_its_line) {
	TRY({ "{\n'capture_every': 1,\n}", "P3: unexpected '}'" },
	    { "", "P1: it ends too early" },
	    { "// x\n[]", "P2: it is not an object" },
	    { "{'log_cap': 65536,\n'log_cap': 65537}",
	    "P2: the key 'log_cap' stands twice" });
}

TEST(a_file_that_cannot_be_read_is_refused) {
	static char large[(1 << 20) + 1];
	char path[200];

	snprintf(path, sizeof(path), "%s/.paneward.json", project.root);
	memset(large, ' ', sizeof(large));
	memcpy(large, "{}", 2);
	scratch_put("project/.paneward.json", O_TRUNC, large, 1 << 20);
	is_text(shown(), "");
	scratch_put("project/.paneward.json", O_TRUNC, large, sizeof(large));
	is_text(shown(), "cannot read '/project/.paneward.json': "
	    "it is larger than 1 MiB");
	forget();
	ok(mkdir(path, 0700) == 0);
	is_text(shown(),
	    "cannot read '/project/.paneward.json': Is a directory");
	forget();
	ok(mkfifo(path, 0600) == 0);
	is_text(shown(), "cannot read '/project/.paneward.json': "
	    "it is not a regular file");
	forget();
	ok(symlink(".paneward.json", path) == 0);
	ok(strncmp(shown(), "cannot look at '/project/.paneward.json': ",
	    42) == 0);
	forget();
	scratch_write("elsewhere.json", "{\"backend\": \"pi\"}");
	ok(symlink("../elsewhere.json", path) == 0);
	is_text(shown(), "backend=pi ");
}

TEST(the_options_of_a_loop_are_taken_and_checked) {
	TRY({ "{ 'loop': { 'keyword': 'DONE', 'idle_timeout': 60, "
	    "'prompt_file': 'PROMPT.md' } }", "loop.keyword=DONE "
	    "loop.prompt_file=/project/PROMPT.md loop.idle_timeout=60 " },
	    { "{'loop': {'max': 5}}", "P1: unknown key 'loop.max'" },
	    { "{'loop': {'max_iterations': 0}}", "P1: 'loop.max_iterations' is "
	    "not a whole number from 1 to 1000000" });
}

static bool
accepts(const char *key, int64_t number)
{
	char text[100];

	snprintf(text, sizeof(text), "{\"%s\": %lld}", key, (long long)number);
	scratch_write("project/.paneward.json", text);
	return strchr(shown(), '\'') == NULL;
}

TEST(the_schema_has_the_keys_that_are_read_with_their_limits) {
	const struct json *row, *value;
	int64_t least, most;
	unsigned keys = 0;
	struct buf text = BUF_INIT;

	forget();
	json_each(row, json_member(schema, "properties")) {
		ROW("%s", row->key);
		keys++;
		ok(json_text(row, "description") != NULL);
		value = json_member(row, "default");
		if (value != NULL) {
			buf_reset(&text);
			buf_printf(&text, "{\"%s\": ", row->key);
			json_print(&text, value);
			buf_addc(&text, '}');
			scratch_write("project/.paneward.json", buf_str(&text));
			is_text(shown(), strcmp(row->key, "worktree_copy") == 0
			    ? "worktree_copy= " : "");
		}
		least = json_number(row, "minimum", -1);
		most = json_number(row, "maximum", -1);
		ok(least == -1 || (accepts(row->key, least) &&
		    accepts(row->key, most) && !accepts(row->key, least - 1) &&
		    !accepts(row->key, most + 1)));
	}
	is_number(keys, 27);
	ok(!json_bool(schema, "additionalProperties", true));
	buf_release(&text);
}

TEST(commands_are_texts_words_or_none) {
	TRY({ "{ 'handoff': 'a b', 'notify': '/bin/x' }",
	    "handoff=/bin/sh|-c|a b|paneward| notify=:/bin/x| " },
	    { "{ 'handoff': ['./a b', '', '$c'] }",
	    "handoff=/project/./a b||$c| " },
	    { "{ 'handoff': null, 'notify': [] }", "handoff= " },
	    { "{ 'handoff': '' }", "handoff= " },
	    { "{ 'handoff': '' }", "handoff=/bin/sh|-c|x y|paneward| ",
	    .env = "HANDOFF=x y" });
}

TEST(an_address_is_no_part_of_a_message) {
	TRY({ NULL, "PANEWARD_NOTIFY: 'notify' has an address of 'ntfy' "
	    "that is not https://HOST/TOPIC",
	    .env = "NOTIFY=ntfy:ftp://secret/x" },
	    { NULL, "notify=https://ntfy.sh/x:- ",
	    .env = "NOTIFY=ntfy:https://ntfy.sh/x" });
}

TEST(a_program_of_a_file_is_found_beside_it) {
#define USERS "{ 'notify': './tell', 'handoff': null }"
	TRY({ NULL, "handoff= notify=:/xdg/paneward/./tell| ", USERS },
	    { "{ 'notify': ['bin/tell', 'bin/x'] }",
	    "handoff= notify=:/project/bin/tell|bin/x| ", USERS },
	    { "{ 'notify': ['bin/tell', 'bin/x'] }",
	    "handoff= notify=:/project/bin/tell|bin/x| ", USERS, "NOTIFY=" },
	    { "{ 'notify': ['bin/tell'] }", "handoff= notify=:tell| ", USERS,
	    "NOTIFY=tell" },
	    { "{ 'notify': null }", "handoff= ", USERS });
}

TEST(new_work_trees_and_their_root_are_asked_for) {
	TRY({ NULL, "worktree_root=/xdg/paneward/trees ",
	    "{ 'worktree_root': 'trees' }" },
	    { "{ 'worktree_root': '../trees' }",
	    "worktree_root=/project/../trees ", "{'worktree_root': 'trees'}" },
	    { "{ 'worktree_root': '../trees' }", "worktree_root=/trees ",
	    .env = "WORKTREE_ROOT=/trees" },
	    { "{'worktree': 'new', 'worktree_copy': ['.env', 'a/b/']}",
	    "worktree=1 worktree_copy=.env|a/b/| ",
	    .env = "WORKTREE=/a/path/of/a/hand-off" },
	    { "{ 'worktree': null }", "", "{ 'worktree': 'new' }",
	    "WORKTREE=/a" },
	    { "{ 'worktree_setup': ['./setup', 'a b'] }",
	    "worktree=1 worktree_setup=/project/./setup|a b| ",
	    "{ 'worktree': 'new' }" });
}

TEST(folders_of_a_build_and_states_of_a_notice_are_lists) {
	TRY({ "{'build_dirs': ['target', 'a/b']}",
	    "build_dirs=target|a/b| " },
	    { "{'build_dirs': ['target', 'a/b']}", "build_dirs=x|y| ",
	    .env = "BUILD_DIRS=x:y" },
	    { "{'notify_on': ['error']}", "on=error " },
	    { "{'notify_on': ['error']}", "on=dead on=gone ",
	    .env = "NOTIFY_ON=dead:gone" },
	    { "{'notify_on': []}", "" },
	    { "{'notify_on': ['gone', 'gone']}", "on=gone " });
}

TEST(names_of_a_fleet_are_tokens) {
	char name[FLEET_HOST_MAX + 2] = "";

	ok(fleet_name_valid("desk") && fleet_name_valid("Desk_2-b"));
	ok(!fleet_name_valid("") && !fleet_name_valid("a.b"));
	ok(!fleet_name_valid("*") && !fleet_name_valid("a b"));
	memset(name, 'a', FLEET_HOST_MAX);
	ok(fleet_name_valid(name));
	name[FLEET_HOST_MAX] = 'a';
	ok(!fleet_name_valid(name));
}

BEFORE_TESTS {
	static char text[64 * 1024];
	FILE *f = fopen("templates/config.schema.json", "r");

	schema = json_parse(text, fread(text, 1, sizeof(text), f), false, NULL);
	fclose(f);
	scratch_folder("xdg/paneward");
	scratch_folder("project");
	project.root = xstrdup(scratch_path("project"));
	forget();
	ok(schema != NULL && chdir("/") == 0);
}

AFTER_TESTS {
	config_release(&defaults);
	json_free(schema);
	free(project.root);
}

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
	extern char **environ;
	static char *none[] = { NULL };

	environ = none;
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

	buf_reset(out);
	if (f->kind == 't')
		buf_adds(out, *(char *const *)at ? *(char *const *)at : "-");
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

/*
 * What is shown with a text as the project's file.  Behind "@user " is the text
 * of the user's file, behind "@env " are variables without PANEWARD_, a line
 * each.  '\'' stands for '"' in all.
 */
static const char *
shown_of(const char *text)
{
	char *all = xstrdup(quoted(text)), *env = strstr(all, "@env ");
	char *user = strstr(all, "@user "), *line, *name;

	if (env != NULL)
		*env = '\0';
	if (user != NULL)
		*user = '\0';
	forget();
	if (all[0] != '\0' || (env == NULL && user == NULL))
		scratch_write("project/.paneward.json", all);
	if (user != NULL)
		scratch_write("xdg/paneward/config.json", user + 6);
	env = env != NULL ? env + 5 : NULL;
	while ((line = strsep(&env, "\n")) != NULL) {
		name = xasprintf("PANEWARD_%s", strsep(&line, "="));
		setenv(name, line, 1);
		free(name);
	}
	free(all);
	text = shown();
	forget();
	return text;
}

TEST(every_key_is_taken_from_the_projects_file) {
	ROWS(shown_of, "// what this project wants\n{ '$schema': 'x', "
	    "'status_dir': 'state/here',\n'backend': 'my_agent-2', /* ours */\n"
	    "'session_pattern': '^i(?<issue>\\\\d+)',\n'sockets': ['/tmp/a:b', "
	    "'/tmp/c d'],\n'capture_every': 1, 'stalled_after': 31536000,\n"
	    "'log_cap': 1099511627776, 'loop': { 'keyword': 'DONE' } }\n => "
	    "status_dir=/project/state/here "
	    "backend=my_agent-2 session_pattern=^i(?<issue>\\d+) "
	    "sockets=/tmp/a:b|/tmp/c d| capture_every=1 stalled_after=31536000 "
	    "log_cap=1099511627776 loop.keyword=DONE ",
	    "{'loop': {'max': 5}} => P1: unknown key 'loop.max'",
	    "{'loop': {'max_iterations': 0}} => P1: 'loop.max_iterations' is "
	    "not a whole number from 1 to 1000000");
}

TEST(the_environment_beats_project_beats_user_key_by_key) {
	ROWS(shown_of, "@env STATUS_DIR=state\nSESSION_PATTERN=(?<issue>.)\n"
	    "SOCKETS=/tmp/a:/tmp/b\nCAPTURE_EVERY=0086400\nBUILD_DIRS=x:y => "
	    "status_dir=/state session_pattern=(?<issue>.) "
	    "sockets=/tmp/a|/tmp/b| capture_every=86400 build_dirs=x|y| ",
	    "@env NOTIFY=ntfy:https://n.sh/x => notify=https://n.sh/x:- ",
	    "{ 'capture_every': 7, 'stalled_after': 8, 'sockets': "
	    "[] } @user { 'status_dir': '../state', 'capture_every': 5, "
	    "'stalled_after': 6, 'log_cap': 70000, 'sockets': ['/a', '/b'] } "
	    "@env STALLED_AFTER=9 => status_dir=/xdg/paneward/../state "
	    "capture_every=7 stalled_after=9 log_cap=70000 ",
	    "{ 'status_dir': '/s', 'capture_every': 7 } @env STATUS_DIR=\n"
	    "CAPTURE_EVERY= => status_dir=/s capture_every=7 ",
	    "{ 'capture_every': 1 } @user { 'capture_every': 0 } @env "
	    "CAPTURE_EVERY=2 => U1: 'capture_every' is not a whole number from "
	    "1 to 86400" SINCE_UNITS);
}

TEST(the_users_file_is_below_home_where_xdg_names_no_folder) {
	scratch_write(".config/paneward/config.json", "{\"backend\": \"pi\"}");
	forget();
	is_text(shown(), "");
	unsetenv("XDG_CONFIG_HOME");
	is_text(shown(), "backend=pi ");
	setenv("XDG_CONFIG_HOME", "relative", 1);
	is_text(shown(), "backend=pi ");
	unsetenv("HOME");
	is_text(shown(), "");
}

#define COUNTS(from, to) "is not a whole number from " from " to " to

/* "KEY: VALUE ; VALUE" of the project's file, or of a variable without
 * PANEWARD_: what each is refused for, behind the key or the value. */
static const char *
refusal(const char *text)
{
	char *key = xstrdup(text), *value = strstr(key, ": "), *next;
	char row[200], place[200];
	const char *all = NULL, *told;

	*value = '\0';
	for (value += 2; value != NULL; value = next) {
		next = strstr(value, " ; ");
		if (next != NULL) {
			*next = '\0';
			next += 3;
		}
		snprintf(row, sizeof(row), "{\n'%s': %s}", key, value);
		snprintf(place, sizeof(place), "P2: '%s'", key);
		if (key[0] >= 'A' && key[0] <= 'Z') {
			snprintf(row, sizeof(row), "@env %s=%s", key, value);
			snprintf(place, sizeof(place), "PANEWARD_%s: '%s'", key,
			    value);
		}
		told = replaced(shown_of(row), place, "");
		if (all != NULL && strcmp(all, told) != 0)
			is_text(row, all);
		all = told;
	}
	free(key);
	return all + (all[0] == ' ');
}

TEST(a_wrong_value_is_refused_with_its_place) {
	ROWS(refusal, "capture_every: 1.5 ; '30' ; null ; 1e300 ; '30x' ; "
	    "'0s' ; '1441m' ; ' 30s' => " COUNTS("1", "86400") SINCE_UNITS,
	    "CAPTURE_EVERY: 0 ; 86401 ; +1 ;  1 ; 1  ; 0x10 ; 1.5 ; 1e3 ; "
	    "18446744073709551646 => " COUNTS("1", "86400") SINCE_UNITS,
	    "handoff_attempts: 1.5 ; '3s' => " COUNTS("1", "1000"),
	    "session_pattern: 'issue-([0-9]+)' => has no group (?<issue>...)",
	    "session_pattern: 1 => is not a text",
	    "SESSION_PATTERN: [ => : missing terminating ] for character class "
	    "at offset 1", "backend: '../x' ; '' => is not a name of a-z, 0-9, "
	    "'_' and '-', at most 64", "status_dir: '' => is empty",
	    "SOCKETS: /tmp/x:y ; /x::/y => is not a list of absolute paths",
	    "answers: [] => stands only in the user's config.json",
	    "HOSTS: a b => is not a list of names of hosts",
	    "handoff: 7 ; {} => is neither a text nor a list of texts",
	    "worktree: 'old' => is neither \"new\" nor null",
	    "build_dirs: ['../x'] ; ['a//b'] ; ['a:b'] ; ['/x'] ; ['a/..'] ; "
	    "['.'] ; ['.git'] ; ['x/.GiT/y'] ; [''] ; 'target' => is not a "
	    "list of folders inside a work tree",
	    "notify_on: ['error',1] ; 'error' => is not a list of states",
	    "notify_on: ['working'] => : 'working' is no state that gets a "
	    "notice",
	    "notify_on: ['error','askin'] => : 'askin' is no state (did you "
	    "mean 'asking'?)",
	    "NOTIFY_ON: refuse => : 'refuse' is no state (did you mean "
	    "'refused'?)");
}

TEST(seconds_may_have_a_unit) {
	ROWS(shown_of, "{ 'capture_every': '90s', 'notify_again': '0s', "
	    "'loop': { 'max_time': '52w' } } @user { 'fleet': { 'servers': "
	    "['tls://a'], 'host': 'b', 'lease': '2m' } } @env "
	    "HANDOFF_TIMEOUT=1d => capture_every=90 handoff_timeout=86400 "
	    "loop.max_time=31449600 fleet=tls://a|,b,(null),(null),(null),120");
}

TEST(only_the_user_has_rules_for_answers_hosts_and_a_fleet) {
#define ANSWERS "[{'asks': 'permission', 'pattern': 'ls', 'answer': 'yes'}]"
	ROWS(shown_of, "@user {'answers': " ANSWERS "} => 1 answers, ls: yes ",
	    "@env ANSWERS=" ANSWERS " => 1 answers, ls: yes ",
	    "@user { 'hosts': ['box'] } @env HOSTS=me@far.example:x => "
	    "hosts=me@far.example|x| ",
	    "@user {'fleet': { 'servers': ['tls://q.example:4222'], 'host': "
	    "'desk', 'ca': 'ca.pem', 'cert': '/c/desk.pem', 'key': 'desk.key' "
	    "}} => "
	    "fleet=tls://q.example:4222|,desk,/xdg/paneward/ca.pem,/c/desk.pem,"
	    "/xdg/paneward/desk.key,60",
	    "@user {'fleet': {'host': 'desk'}} => U1: 'fleet' lacks 'servers'",
	    "@user { 'fleet': { 'servers': ['tls://me:secret@x'] } } => U1: "
	    "'fleet.servers' is not a list of addresses like tls://HOST:4222, "
	    "which have no password",
	    "@user {'fleet': {'servers': ['nats://x'], 'host': 'a.b'}} => U1: "
	    "'fleet.host' is no name of letters, digits, '-' and '_'");
}

TEST(what_is_no_json_or_no_key_is_refused_with_its_line) {
	ROWS(shown_of, "{\n\n'backend': 'pi',\n'stauts_dir': 1} => P4: unknown "
	    "key 'stauts_dir' (did you mean 'status_dir'?)",
	    "{'': true} => P1: unknown key ''",
	    "@user {\n'no': {} } => U2: unknown key 'no'",
	    "{\n'capture_every': 1,\n} => P3: unexpected '}'",
	    " => P1: it ends too early", "// x\n[] => P2: it is not an object",
	    "{'log_cap': 65536,\n'log_cap': 65537} => P2: the key 'log_cap' "
	    "stands twice");
}

/* The configuration after a line of shell, in which FILE is the project's. */
static const char *
shown_after(const char *line)
{
	forget();
	run(replaced(line, "FILE", "project/.paneward.json"));
	line = shown();
	run("rm -r project/.paneward.json");
	return line;
}

TEST(a_file_that_cannot_be_read_is_refused) {
	char circle[100];

#define CANNOT "cannot read '/project/.paneward.json': "
	ROWS(shown_after, "printf '%1048576s' {} >FILE => ",
	    "printf '%1048577s' {} >FILE => " CANNOT "it is larger than 1 MiB",
	    "mkdir FILE => " CANNOT "Is a directory",
	    "mkfifo FILE => " CANNOT "it is not a regular file",
	    "ln -s ../.config/paneward/config.json FILE => backend=pi ");
	snprintf(circle, sizeof(circle), "cannot look at "
	    "'/project/.paneward.json': %s", strerror(ELOOP));
	is_text(shown_after("ln -s .paneward.json FILE"), circle);
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
	ok(json_is(json_member(schema, "additionalProperties"), JSON_BOOL) &&
	    !json_true(schema, "additionalProperties"));
	buf_release(&text);
}

TEST(a_program_of_a_file_is_found_beside_it) {
#define USERS "{ 'notify': './tell', 'handoff': null }"
	ROWS(shown_of,
	    "{'handoff': ['./a b', '', '$c']} => handoff=/project/./a b||$c| ",
	    "{ 'handoff': '' } @env HANDOFF=x y => handoff=/bin/sh|-c|x "
	    "y|paneward| ",
	    "@env NOTIFY=ntfy:ftp://secret/x => PANEWARD_NOTIFY: 'notify' has "
	    "an address of 'ntfy' that is not https://HOST/TOPIC",
	    "@user " USERS " => handoff= notify=:/xdg/paneward/./tell| ",
	    "{ 'notify': ['bin/tell', 'bin/x'] } @user " USERS " @env NOTIFY= "
	    "=> handoff= notify=:/project/bin/tell|bin/x| ",
	    "{ 'notify': ['bin/tell'] } @user " USERS " @env NOTIFY=tell => "
	    "handoff= notify=:tell| ",
	    "{ 'notify': null } @user " USERS " => handoff= ");
}

TEST(new_work_trees_and_their_root_are_asked_for) {
	ROWS(shown_of, "{ 'worktree_root': '../trees' } @user "
	    "{'worktree_root': 'trees'} => worktree_root=/project/../trees ",
	    "{'worktree': 'new', 'worktree_copy': ['.env', 'a/b/']} @env "
	    "WORKTREE=/a/path/of/a/hand-off => worktree=1 "
	    "worktree_copy=.env|a/b/| ",
	    "{ 'worktree': null } @user { 'worktree': 'new' } @env WORKTREE=/a "
	    "=> ");
}

TEST(states_of_a_notice_are_a_list) {
	ROWS(shown_of, "{'notify_on': []} => ",
	    "{'notify_on': ['error']} @env NOTIFY_ON=dead:gone => on=dead "
	    "on=gone ", "{'notify_on': ['gone', 'gone']} => on=gone ");
}

BEFORE_TESTS {
	static char text[64 * 1024];
	struct buf error = BUF_INIT;
	FILE *f = fopen("templates/config.schema.json", "r");

	schema = json_parse(text, fread(text, 1, sizeof(text), f), false, NULL);
	fclose(f);
	scratch_folder("xdg/paneward");
	scratch_folder("project");
	project.root = xstrdup(scratch_path("project"));
	forget();
	is_number(config_read(&defaults, &project, &error), EXIT_DONE);
	ok(schema != NULL && chdir("/") == 0);
}

#include "project/config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/since.h"
#include "base/state.h"
#include "data/json.h"
#include "run/keptlog.h"
#include "tap.h"

static const char schema_path[] = "templates/config.schema.json";

static const char *home;                /* the folder of this test */
static struct project project;          /* home/project */

static void
write_bytes(const char *name, const char *bytes, size_t len)
{
	char *path = xasprintf("%s/%s", home, name);
	FILE *f = fopen(path, "w");

	if (f == NULL || fwrite(bytes, 1, len, f) != len || fclose(f) != 0)
		is_text("cannot write", path);
	free(path);
}

static void
project_says(const char *text)
{
	write_bytes("project/.paneward.json", text, strlen(text));
}

static void
user_says(const char *text)
{
	write_bytes("xdg/paneward/config.json", text, strlen(text));
}

/* path in the folder of this test; freed when the next one is made. */
static const char *
in_home(const char *path)
{
	static char *whole;

	free(whole);
	whole = xasprintf("%s/%s", home, path);
	return whole;
}

static void
forget(void)
{
	static const char *const variables[] = {
		"STATUS_DIR", "BACKEND", "SESSION_PATTERN", "SOCKETS",
		"HOSTS", "ANSWERS", "CAPTURE_EVERY", "STALLED_AFTER", "LOG_CAP", "HANDOFF",
		"HANDOFF_TIMEOUT", "HANDOFF_ATTEMPTS", "WORKTREE_ROOT",
		"BUILD_DIRS", "NOTIFY", "NOTIFY_ON", "NOTIFY_AGAIN",
	};
	char *name;
	size_t i;

	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		name = xasprintf("PANEWARD_%s", variables[i]);
		unsetenv(name);
		free(name);
	}
	unlink(in_home("project/.paneward.json"));
	rmdir(in_home("project/.paneward.json"));
	unlink(in_home("xdg/paneward/config.json"));
	unlink(in_home(".config/paneward/config.json"));
	setenv("HOME", home, 1);
	setenv("XDG_CONFIG_HOME", in_home("xdg"), 1);
}

/* What is set; released when the next one is read. */
static struct config *
read_config(void)
{
	static struct config config;
	struct buf error = BUF_INIT;

	config_release(&config);
	is_number(config_read(&config, &project, &error), 0);
	is_text(buf_str(&error), "");
	buf_release(&error);
	return &config;
}

/*
 * What the configuration is refused for, or "" where it is not; freed when the
 * next one is read.  The folder of this test is left out.
 */
static const char *
refusal(void)
{
	static char *told;
	struct buf error = BUF_INIT;
	struct config config;
	char *at;

	if (config_read(&config, &project, &error) == EXIT_DONE)
		ok(error.len == 0);
	else
		ok(config.backend == NULL && config.sockets == NULL);
	config_release(&config);
	free(told);
	told = buf_steal(&error);
	at = strstr(told, home);
	if (at != NULL)
		memmove(at, at + strlen(home), strlen(at + strlen(home)) + 1);
	return told;
}

static bool
begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

#define project_is_refused(text, want) do { \
	project_says(text); \
	is_text(refusal(), "'/project/.paneward.json' " want); \
	forget(); \
} while (0)

#define variable_is_refused(key, text, want) do { \
	setenv("PANEWARD_" key, (text), 1); \
	is_text(refusal(), "PANEWARD_" key ": '" text "'" want); \
	forget(); \
} while (0)

TEST(without_any_file_the_defaults_hold) {
	struct config *c = read_config();

	is_text(c->status_dir, NULL);
	is_text(c->backend, "claude");
	is_text(c->session_pattern, "(?:^|-)issue-(?<issue>[0-9]+)(?:-|$)");
	ok(c->sockets != NULL && c->sockets[0] == NULL);
	is_number(c->capture_every, 30);
	is_number(c->stalled_after, 3600);
	is_number(c->log_cap, 67108864);
	is_number(c->keep_logs, KEPTLOG_BYTES);
}

TEST(every_key_is_taken_from_the_projects_file) {
	struct config *c;

	project_says("// what this project wants\n"
	    "{ \"$schema\": \"x\", \"status_dir\": \"state/here\",\n"
	    "\"backend\": \"my_agent-2\", /* ours */\n"
	    "\"session_pattern\": \"^i(?<issue>\\\\d+)\",\n"
	    "\"sockets\": [\"/tmp/a:b\", \"/tmp/c d\"],\n"
	    "\"capture_every\": 1, \"stalled_after\": 31536000,\n"
	    "\"log_cap\": 1099511627776 }\n");
	c = read_config();
	is_text(c->status_dir, in_home("project/state/here"));
	is_text(c->backend, "my_agent-2");
	is_text(c->session_pattern, "^i(?<issue>\\d+)");
	is_text(c->sockets[0], "/tmp/a:b");
	is_text(c->sockets[1], "/tmp/c d");
	is_text(c->sockets[2], NULL);
	is_number(c->capture_every, 1);
	is_number(c->stalled_after, 31536000);
	is_number(c->log_cap, 1099511627776);
	forget();
}

TEST(the_environment_beats_project_beats_user_key_by_key) {
	struct config *c;

	user_says("{ \"status_dir\": \"../state\", \"capture_every\": 5, "
	    "\"stalled_after\": 6, \"log_cap\": 70000, "
	    "\"sockets\": [\"/a\", \"/b\"] }");
	project_says("{ \"capture_every\": 7, \"stalled_after\": 8, "
	    "\"sockets\": [] }");
	setenv("PANEWARD_STALLED_AFTER", "9", 1);
	c = read_config();
	is_text(c->status_dir, in_home("xdg/paneward/../state"));
	is_number(c->log_cap, 70000);
	is_number(c->capture_every, 7);
	is_number(c->stalled_after, 9);
	ok(c->sockets[0] == NULL);
	forget();
}

TEST(every_key_has_a_variable) {
	struct config *c;
	char *here = realpath(".", NULL), *want;

	setenv("PANEWARD_STATUS_DIR", "state", 1);
	setenv("PANEWARD_BACKEND", "codex", 1);
	setenv("PANEWARD_SESSION_PATTERN", "(?<issue>.)", 1);
	setenv("PANEWARD_SOCKETS", "/tmp/a:/tmp/b", 1);
	setenv("PANEWARD_CAPTURE_EVERY", "0086400", 1);
	setenv("PANEWARD_STALLED_AFTER", "1", 1);
	setenv("PANEWARD_LOG_CAP", "65536", 1);
	c = read_config();
	want = xasprintf("%s/state", here);
	is_text(c->status_dir, want);
	is_text(c->backend, "codex");
	is_text(c->session_pattern, "(?<issue>.)");
	is_text(c->sockets[0], "/tmp/a");
	is_text(c->sockets[1], "/tmp/b");
	ok(c->sockets[2] == NULL);
	is_number(c->capture_every, 86400);
	is_number(c->stalled_after, 1);
	is_number(c->log_cap, 65536);
	free(want);
	free(here);
	forget();
}

TEST(an_empty_variable_is_none) {
	struct config *c;

	project_says("{ \"status_dir\": \"/s\", \"capture_every\": 7 }");
	setenv("PANEWARD_STATUS_DIR", "", 1);
	setenv("PANEWARD_CAPTURE_EVERY", "", 1);
	c = read_config();
	is_text(c->status_dir, "/s");
	is_number(c->capture_every, 7);
	forget();
}

TEST(the_users_file_is_below_home_where_xdg_names_no_folder) {
	static const char text[] = "{ \"backend\": \"pi\" }";

	write_bytes(".config/paneward/config.json", text, strlen(text));
	is_text(read_config()->backend, "claude");
	unsetenv("XDG_CONFIG_HOME");
	is_text(read_config()->backend, "pi");
	setenv("XDG_CONFIG_HOME", "relative", 1);
	is_text(read_config()->backend, "pi");
	setenv("HOME", "relative", 1);
	is_text(read_config()->backend, "claude");
	unsetenv("HOME");
	is_text(read_config()->backend, "claude");
	forget();
}

TEST(an_unknown_key_is_refused_with_the_nearest_one) {
	project_is_refused("{\n\n\"backend\": \"pi\",\n\"stauts_dir\": 1}",
	    "line 4: unknown key 'stauts_dir' (did you mean 'status_dir'?)");
	project_is_refused("{\"Backend\": \"pi\"}",
	    "line 1: unknown key 'Backend' (did you mean 'backend'?)");
	project_is_refused("{\"verbose\": true}",
	    "line 1: unknown key 'verbose'");
	project_is_refused("{\"\": true}", "line 1: unknown key ''");
	user_says("{\n\"no\": {} }");
	is_text(refusal(),
	    "'/xdg/paneward/config.json' line 2: unknown key 'no'");
	forget();
}

TEST(a_number_must_be_whole_and_in_its_range) {
	static const char no[] = "'/project/.paneward.json' line 2: "
	    "'capture_every' is not a whole number from 1 to 86400"
	    SINCE_UNITS;
	static const char *const values[] = {
		"0", "86401", "-1", "1.5", "\"30\"", "true", "null", "[30]",
		"1e300", "\"30x\"", "\"0s\"", "\"1441m\"", "\"1.5h\"",
		"\" 30s\"",
	};
	char *text;
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		text = xasprintf("{\n\"capture_every\": %s}", values[i]);
		project_says(text);
		is_text(refusal(), no);
		free(text);
	}
	forget();
	project_is_refused("{\"log_cap\": 65535}", "line 1: 'log_cap' is not "
	    "a whole number from 65536 to 1099511627776");
}

TEST(seconds_may_have_a_unit) {
	struct config *c;

	user_says("{ \"fleet\": { \"servers\": [\"tls://a\"], "
	    "\"host\": \"b\", \"lease\": \"2m\" } }");
	project_says("{ \"capture_every\": \"90s\", \"stalled_after\": "
	    "\"2h\", \"notify_again\": \"0s\", \"loop\": { "
	    "\"idle_timeout\": \"10m\", \"max_time\": \"52w\" } }");
	setenv("PANEWARD_HANDOFF_TIMEOUT", "1d", 1);
	c = read_config();
	is_number(c->capture_every, 90);
	is_number(c->stalled_after, 7200);
	is_number(c->notify_again, 0);
	is_number(c->loop.idle_timeout, 600);
	is_number(c->loop.max_time, 52 * 7 * 86400);
	is_number(c->handoff_timeout, 86400);
	is_number(c->fleet->lease, 120);
	forget();
	project_is_refused("{\"handoff_attempts\": \"3s\"}", "line 1: "
	    "'handoff_attempts' is not a whole number from 1 to 1000");
}

TEST(a_number_in_a_variable_is_read_as_strictly) {
	static const char *const values[] = {
		"0", "86401", "-1", "+1", " 1", "1 ", "0x10", "1.5", "1e3",
		"99999999999999999999", "18446744073709551646", "10 m",
	};
	char *want;
	size_t i;

	variable_is_refused("LOG_CAP", "12x",
	    " is not a whole number from 65536 to 1099511627776");
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		setenv("PANEWARD_CAPTURE_EVERY", values[i], 1);
		want = xasprintf("PANEWARD_CAPTURE_EVERY: '%s' is not a whole "
		    "number from 1 to 86400" SINCE_UNITS, values[i]);
		is_text(refusal(), want);
		free(want);
	}
	forget();
}

TEST(a_pattern_must_compile_and_have_its_group) {
	project_says("{\n\n\"session_pattern\": \"(issue\"}");
	ok(begins(refusal(), "'/project/.paneward.json' line 3: "
	    "'session_pattern': "));
	ok(strstr(refusal(), " at offset 6") != NULL);
	forget();
	project_is_refused("{\"session_pattern\": \"issue-([0-9]+)\"}",
	    "line 1: 'session_pattern' has no group (?<issue>...)");
	project_is_refused("{\"session_pattern\": 1}",
	    "line 1: 'session_pattern' is not a text");
	variable_is_refused("SESSION_PATTERN", "x",
	    " has no group (?<issue>...)");
	setenv("PANEWARD_SESSION_PATTERN", "[", 1);
	ok(begins(refusal(), "PANEWARD_SESSION_PATTERN: '[': "));
	forget();
}

TEST(names_and_paths_must_be_what_they_are_called) {
	static const char name[] = " is not a name of a-z, 0-9, '_' and '-', "
	    "at most 64";
	char *want = xasprintf("'/project/.paneward.json' line 1: "
	    "'backend'%s", name);

	project_says("{\"backend\": \"../x\"}");
	is_text(refusal(), want);
	project_says("{\"backend\": \"\"}");
	is_text(refusal(), want);
	free(want);
	want = xasprintf("PANEWARD_BACKEND: 'Claude'%s", name);
	forget();
	setenv("PANEWARD_BACKEND", "Claude", 1);
	is_text(refusal(), want);
	free(want);
	forget();
	project_is_refused("{\"status_dir\": \"\"}",
	    "line 1: 'status_dir' is empty");
	project_is_refused("{\"status_dir\": [\"x\"]}",
	    "line 1: 'status_dir' is not a text");
	project_is_refused("{\"sockets\": \"/tmp/x\"}",
	    "line 1: 'sockets' is not a list of absolute paths");
	project_is_refused("{\"sockets\": [\"/tmp/x\", 1]}",
	    "line 1: 'sockets' is not a list of absolute paths");
	project_is_refused("{\"sockets\": [\"/tmp/x\", \"\"]}",
	    "line 1: 'sockets' is not a list of absolute paths");
	variable_is_refused("SOCKETS", "/tmp/x:y",
	    " is not a list of absolute paths");
	variable_is_refused("SOCKETS", "/x::/y",
	    " is not a list of absolute paths");
	project_is_refused("{\"$schema\": 1}",
	    "line 1: '$schema' is not a text");
}

TEST(only_the_user_has_rules_for_answers) {
	static const char rule[] = "[{ \"asks\": \"permission\", \"pattern\": "
	    "\"ls\", \"answer\": \"yes\" }]";
	char *text = xasprintf("{\n\"answers\": %s}", rule);

	project_is_refused(text, "line 2: 'answers' stands only in the user's "
	    "config.json");
	user_says(text);
	is_number(read_config()->answers.n, 1);
	forget();
	setenv("PANEWARD_ANSWERS", rule, 1);
	is_text(answerrules_find(&read_config()->answers, "permission", "ls"),
	    "yes");
	forget();
	free(text);
}

TEST(only_the_user_names_hosts) {
	struct config *c;

	project_is_refused("{\n\"hosts\": [\"box\"]}",
	    "line 2: 'hosts' stands only in the user's config.json");
	user_says("{ \"hosts\": [\"box\", \"me@far.example\"] }");
	c = read_config();
	is_text(c->hosts[0], "box");
	is_text(c->hosts[1], "me@far.example");
	is_text(c->hosts[2], NULL);
	setenv("PANEWARD_HOSTS", "other", 1);
	is_text(read_config()->hosts[0], "other");
	forget();
	user_says("{ \"hosts\": [\"-oProxyCommand=x\"] }");
	is_text(refusal(), "'/xdg/paneward/config.json' line 1: 'hosts' is not "
	    "a list of names of hosts");
	forget();
	variable_is_refused("HOSTS", "a b", " is not a list of names of hosts");
}

TEST(only_the_user_names_a_fleet) {
	static const char fleet[] = "{ \"fleet\": { \"servers\": "
	    "[\"tls://q.example:4222\"], \"host\": \"desk\", \"ca\": \"ca.pem\", "
	    "\"cert\": \"/c/desk.pem\", \"key\": \"desk.key\" } }";
	const struct fleetrules *f;

	project_is_refused("{\n\"fleet\": { \"host\": \"x\" } }",
	    "line 2: 'fleet' stands only in the user's config.json");
	user_says(fleet);
	f = read_config()->fleet;
	is_text(f->servers[0], "tls://q.example:4222");
	is_text(f->host, "desk");
	ok(strstr(f->ca, "/xdg/paneward/ca.pem") > f->ca);
	is_text(f->cert, "/c/desk.pem");
	is_number(f->lease, 60);
	forget();
	user_says("{ \"fleet\": { \"host\": \"desk\" } }");
	is_text(refusal(), "'/xdg/paneward/config.json' line 1: 'fleet' lacks "
	    "'servers'");
	user_says("{ \"fleet\": { \"servers\": [\"tls://me:secret@x\"] } }");
	is_text(refusal(), "'/xdg/paneward/config.json' line 1: "
	    "'fleet.servers' is not a list of addresses like tls://HOST:4222, "
	    "which have no password");
	user_says("{ \"fleet\": { \"servers\": [\"nats://x\"], \"host\": "
	    "\"a.b\" } }");
	is_text(refusal(), "'/xdg/paneward/config.json' line 1: 'fleet.host' is "
	    "no name of letters, digits, '-' and '_'");
	forget();
}

TEST(what_is_beaten_is_refused_all_the_same) {
	user_says("{ \"capture_every\": 0 }");
	project_says("{ \"capture_every\": 1 }");
	setenv("PANEWARD_CAPTURE_EVERY", "2", 1);
	is_text(refusal(), "'/xdg/paneward/config.json' line 1: "
	    "'capture_every' is not a whole number from 1 to 86400"
	    SINCE_UNITS);
	forget();
}

TEST(a_file_that_is_not_json_is_refused_with_its_line) {
	project_is_refused("{\n\"capture_every\": 1,\n}",
	    "line 3: unexpected '}'");
	project_is_refused("", "line 1: it ends too early");
	project_is_refused("// x\n[]", "line 2: it is not an object");
	project_is_refused("{\"log_cap\": 65536,\n\"log_cap\": 65537}",
	    "line 2: the key 'log_cap' stands twice");
}

TEST(a_file_that_cannot_be_read_is_refused) {
	char *large = xmalloc((1 << 20) + 1);
	const char *path;

	memset(large, ' ', (1 << 20) + 1);
	large[0] = '{';
	large[1] = '}';
	write_bytes("project/.paneward.json", large, 1 << 20);
	is_text(refusal(), "");
	write_bytes("project/.paneward.json", large, (1 << 20) + 1);
	is_text(refusal(), "cannot read '/project/.paneward.json': "
	    "it is larger than 1 MiB");
	free(large);
	forget();
	path = in_home("project/.paneward.json");
	ok(mkdir(path, 0700) == 0);
	is_text(refusal(),
	    "cannot read '/project/.paneward.json': Is a directory");
	forget();
	path = in_home("project/.paneward.json");
	ok(mkfifo(path, 0600) == 0);
	is_text(refusal(), "cannot read '/project/.paneward.json': "
	    "it is not a regular file");
	forget();
	path = in_home("project/.paneward.json");
	ok(symlink(".paneward.json", path) == 0);
	ok(begins(refusal(), "cannot look at '/project/.paneward.json': "));
	forget();
}

TEST(a_link_to_a_file_is_followed) {
	write_bytes("elsewhere.json", "{\"backend\": \"pi\"}", 17);
	ok(symlink("../elsewhere.json",
	    in_home("project/.paneward.json")) == 0);
	is_text(read_config()->backend, "pi");
	forget();
}

/* The schema's properties, NULL where it cannot be read. */
static struct json *
read_schema(void)
{
	static char text[64 * 1024];
	struct json_error error = { 0, "" };
	FILE *f = fopen(schema_path, "r");
	struct json *schema;
	size_t len;

	if (f == NULL)
		return NULL;
	len = fread(text, 1, sizeof(text), f);
	fclose(f);
	schema = json_parse(text, len, false, &error);
	is_text(error.reason, "");
	return schema;
}

/* A value of a key, in the project's file. */
static void
project_sets(const char *key, const struct json *value)
{
	struct buf text = BUF_INIT;

	buf_printf(&text, "{\"%s\": ", key);
	json_print(&text, value);
	buf_addc(&text, '}');
	project_says(buf_str(&text));
	buf_release(&text);
}

static bool
accepts(const char *key, int64_t number)
{
	struct json *object = json_new_object();
	bool accepted;

	json_add_number(object, "n", number);
	project_sets(key, json_member(object, "n"));
	json_free(object);
	accepted = refusal()[0] == '\0';
	forget();
	return accepted;
}

TEST(the_options_of_a_loop_are_taken_and_checked) {
	struct config *c;

	project_says("{ \"loop\": { \"keyword\": \"DONE\", \"idle_timeout\": "
	    "60, \"prompt_file\": \"PROMPT.md\" } }");
	c = read_config();
	is_text(c->loop.keyword, "DONE");
	is_number(c->loop.idle_timeout, 60);
	is_number(c->loop.max_iterations, 0);
	is_number(c->loop.same_rounds, 5);
	is_text(c->loop.prompt_file, in_home("project/PROMPT.md"));
	ok(c->loop.backend == NULL);
	forget();
	project_is_refused("{\"loop\": 5}", "line 1: 'loop' is not an object");
	project_is_refused("{\"loop\": {\"max\": 5}}",
	    "line 1: unknown key 'loop.max'");
	project_is_refused("{\"loop\": {\"max_iterations\": 0}}",
	    "line 1: 'loop.max_iterations' is not a whole number from 1 to "
	    "1000000");
}

TEST(the_schema_has_the_keys_that_are_read_with_their_limits) {
	struct json *schema = read_schema();
	const struct json *row, *value;
	int64_t least, most;
	unsigned keys = 0;

	json_each(row, json_member(schema, "properties")) {
		keys++;
		value = json_member(row, "default");
		ok(json_text(row, "description") != NULL);
		if (value != NULL) {
			project_sets(row->key, value);
			is_text(refusal(), "");
			forget();
		}
		least = json_number(row, "minimum", -1);
		most = json_number(row, "maximum", -1);
		if (least == -1)
			continue;
		ok(accepts(row->key, least) && accepts(row->key, most));
		ok(!accepts(row->key, least - 1));
		ok(!accepts(row->key, most + 1));
	}
	is_number(keys, 27);
	ok(!json_bool(schema, "additionalProperties", true));
	json_free(schema);
}

TEST(the_schema_tells_the_defaults) {
	struct json *schema = read_schema();
	const struct json *p = json_member(schema, "properties");
	struct config *c = read_config();

	is_text(json_text(json_member(p, "backend"), "default"), c->backend);
	is_text(json_text(json_member(p, "session_pattern"), "default"),
	    c->session_pattern);
	is_number(json_number(json_member(p, "capture_every"), "default", 0),
	    c->capture_every);
	is_number(json_number(json_member(p, "stalled_after"), "default", 0),
	    c->stalled_after);
	is_number(json_number(json_member(p, "log_cap"), "default", 0),
	    c->log_cap);
	is_number(json_number(json_member(p, "keep_logs"), "default", -1),
	    c->keep_logs);
	is_number(json_number(json_member(p, "handoff_timeout"), "default", 0),
	    c->handoff_timeout);
	is_number(json_number(json_member(p, "handoff_attempts"), "default",
	    0), c->handoff_attempts);
	json_free(schema);
}

static int
set_up(void)
{
	static char made[] = "/tmp/paneward-config-XXXXXX";
	static const char *const folders[] = {
		"project", "xdg", "xdg/paneward", ".config", ".config/paneward",
	};
	size_t i;

	if (mkdtemp(made) == NULL)
		return -1;
	home = made;
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (mkdir(in_home(folders[i]), 0700) == -1)
			return -1;
	project.root = xstrdup(in_home("project"));
	forget();
	return 0;
}

/* The words with a '|' behind each; "-" for no list. */
static const char *
joined(char *const *words)
{
	static char text[1024];

	text[0] = '\0';
	if (words == NULL)
		return "-";
	for (; *words != NULL; words++) {
		strncat(text, *words, sizeof(text) - strlen(text) - 1);
		strncat(text, "|", sizeof(text) - strlen(text) - 1);
	}
	return text;
}

/* The words of notify, if it is one command. */
static const char *
command_of(const struct config *c)
{
	return c->notify.n == 0 ? "" : c->notify.n > 1 ? "several" :
	    joined(c->notify.way[0].words);
}

TEST(commands_are_texts_words_or_none) {
	is_text(joined(read_config()->handoff), "-");
	is_text(command_of(read_config()), "");
	project_says("{ \"handoff\": \"a b\", \"notify\": \"/bin/x\" }");
	is_text(joined(read_config()->handoff), "/bin/sh|-c|a b|paneward|");
	is_text(command_of(read_config()), "/bin/x|");
	project_says("{ \"handoff\": [\"./a b\", \"\", \"$c\"] }");
	is_text(strrchr(joined(read_config()->handoff), '/'), "/a b||$c|");
	ok(begins(joined(read_config()->handoff), project.root));
	project_says("{ \"handoff\": null, \"notify\": [] }");
	is_text(joined(read_config()->handoff), "");
	project_says("{ \"handoff\": \"\" }");
	is_text(joined(read_config()->handoff), "");
	setenv("PANEWARD_HANDOFF", "x y", 1);
	is_text(joined(read_config()->handoff), "/bin/sh|-c|x y|paneward|");
	forget();
	project_is_refused("{\n\"handoff\": 7}",
	    "line 2: 'handoff' is neither a text nor a list of texts");
	project_is_refused("{\"handoff\": {}}",
	    "line 1: 'handoff' is neither a text nor a list of texts");
	project_is_refused("{\"notify\": [\"bell\", 7]}",
	    "line 1: 'notify' holds what is neither a way of a notice nor a "
	    "command, a list of words");
	project_is_refused("{\n\n\"notify\": false}",
	    "line 3: 'notify' is neither a way of a notice, nor a command, nor "
	    "a list of them");
}

TEST(an_address_is_no_part_of_a_message) {
	project_is_refused("{\"notify\": \"ntfy:https://u:secret@h\"}",
	    "line 1: 'notify' has an address of 'ntfy' that is not "
	    "https://HOST/TOPIC");
	project_is_refused("{\"notify\": [[\"a\"], \"webhook:secret\"]}",
	    "line 1: 'notify' has an address of 'webhook' that is not "
	    "https://HOST...");
	setenv("PANEWARD_NOTIFY", "ntfy:ftp://secret/x", 1);
	is_text(refusal(), "PANEWARD_NOTIFY: 'notify' has an address of 'ntfy' "
	    "that is not https://HOST/TOPIC");
	setenv("PANEWARD_NOTIFY", "ntfy:https://ntfy.sh/x", 1);
	is_text(read_config()->notify.way[0].address, "https://ntfy.sh/x");
	forget();
}

TEST(a_program_of_a_file_is_found_beside_it) {
	user_says("{ \"notify\": \"./tell\", \"handoff\": null }");
	is_text(read_config()->notify.way[0].words[0], in_home("xdg/paneward/./tell"));
	project_says("{ \"notify\": [\"bin/tell\", \"bin/x\"] }");
	is_text(read_config()->notify.way[0].words[0], in_home("project/bin/tell"));
	is_text(read_config()->notify.way[0].words[1], "bin/x");
	is_text(joined(read_config()->handoff), "");
	setenv("PANEWARD_NOTIFY", "", 1);
	is_text(read_config()->notify.way[0].words[0], in_home("project/bin/tell"));
	setenv("PANEWARD_NOTIFY", "tell", 1);
	is_text(command_of(read_config()), "tell|");
	project_says("{ \"notify\": null }");
	unsetenv("PANEWARD_NOTIFY");
	is_text(command_of(read_config()), "");
	forget();
}

TEST(time_and_attempts_of_a_handoff_have_limits) {
	is_number(read_config()->handoff_timeout, 600);
	is_number(read_config()->handoff_attempts, 5);
	project_says("{ \"handoff_timeout\": 86400, "
	    "\"handoff_attempts\": 1 }");
	setenv("PANEWARD_HANDOFF_ATTEMPTS", "1000", 1);
	is_number(read_config()->handoff_timeout, 86400);
	is_number(read_config()->handoff_attempts, 1000);
	forget();
	project_is_refused("{\n\"handoff_timeout\": 0}", "line 2: "
	    "'handoff_timeout' is not a whole number from 1 to 86400"
	    SINCE_UNITS);
	project_is_refused("{\"handoff_attempts\": 1.5}", "line 1: "
	    "'handoff_attempts' is not a whole number from 1 to 1000");
	variable_is_refused("HANDOFF_ATTEMPTS", "1001",
	    " is not a whole number from 1 to 1000");
}

TEST(the_root_of_the_work_trees_is_a_path) {
	is_text(read_config()->worktree_root, NULL);
	user_says("{ \"worktree_root\": \"trees\" }");
	is_text(read_config()->worktree_root, in_home("xdg/paneward/trees"));
	project_says("{ \"worktree_root\": \"../trees\" }");
	is_text(read_config()->worktree_root, in_home("project/../trees"));
	setenv("PANEWARD_WORKTREE_ROOT", "/trees", 1);
	is_text(read_config()->worktree_root, "/trees");
	forget();
	project_is_refused("{\n\"worktree_root\": \"\"}",
	    "line 2: 'worktree_root' is empty");
	project_is_refused("{\"worktree_root\": null}",
	    "line 1: 'worktree_root' is not a text");
}

TEST(new_work_trees_are_asked_for) {
	ok(!read_config()->worktree);
	ok(read_config()->worktree_setup == NULL);
	setenv("PANEWARD_WORKTREE", "/a/path/of/a/hand-off", 1);
	project_says("{ \"worktree\": \"new\", "
	    "\"worktree_copy\": [\".env\", \"a/b/\"] }");
	ok(read_config()->worktree);
	is_text(joined(read_config()->worktree_copy), ".env|a/b/|");
	user_says("{ \"worktree\": \"new\" }");
	project_says("{ \"worktree\": null }");
	ok(!read_config()->worktree);
	unsetenv("PANEWARD_WORKTREE");
	project_says("{ \"worktree_setup\": [\"./setup\", \"a b\"] }");
	is_text(joined(read_config()->worktree_setup),
	    in_home("project/./setup|a b|"));
	forget();
	project_is_refused("{\"worktree\": \"old\"}", "line 1: "
	    "'worktree' is neither \"new\" nor null");
	project_is_refused("{\"worktree_copy\": [\"../x\"]}", "line 1: "
	    "'worktree_copy' is not a list of paths inside the project");
}

TEST(build_dirs_are_inside_and_states_can_be_told_of) {
	static const unsigned all = 1u << STATE_COMPLETE | 1u << STATE_ERROR |
	    1u << STATE_ASKING | 1u << STATE_WAITING | 1u << STATE_LIMITED |
	    1u << STATE_STALLED | 1u << STATE_DEAD | 1u << STATE_GONE |
	    CONFIG_REFUSED;

	is_text(joined(read_config()->build_dirs), "");
	is_number(read_config()->notify_on, all);
	project_says("{ \"build_dirs\": [\"target\", \"a/b\"], "
	    "\"notify_on\": [\"error\"] }");
	is_text(joined(read_config()->build_dirs), "target|a/b|");
	is_number(read_config()->notify_on, 1u << STATE_ERROR);
	setenv("PANEWARD_NOTIFY_ON", "dead:gone", 1);
	setenv("PANEWARD_BUILD_DIRS", "x:y", 1);
	is_number(read_config()->notify_on,
	    1u << STATE_DEAD | 1u << STATE_GONE);
	is_text(joined(read_config()->build_dirs), "x|y|");
	forget();
	project_is_refused("{\"build_dirs\": [\"../x\"]}", "line 1: "
	    "'build_dirs' is not a list of folders inside a work tree");
	project_is_refused("{\"build_dirs\": [\"a//b\"]}", "line 1: "
	    "'build_dirs' is not a list of folders inside a work tree");
	project_is_refused("{\"build_dirs\": [\"a:b\"]}", "line 1: "
	    "'build_dirs' is not a list of folders inside a work tree");
	project_is_refused("{\"build_dirs\": [\"/x\"]}", "line 1: "
	    "'build_dirs' is not a list of folders inside a work tree");
	project_is_refused("{\"build_dirs\": [\"a/..\"]}", "line 1: "
	    "'build_dirs' is not a list of folders inside a work tree");
	project_is_refused("{\n\"build_dirs\": [\".\"]}", "line 2: "
	    "'build_dirs' is not a list of folders inside a work tree");
	project_is_refused("{\"build_dirs\": [\".git\"]}", "line 1: "
	    "'build_dirs' is not a list of folders inside a work tree");
	project_is_refused("{\"build_dirs\": [\"x/.git/y\"]}", "line 1: "
	    "'build_dirs' is not a list of folders inside a work tree");
	project_is_refused("{\"build_dirs\": [\".GiT\"]}", "line 1: "
	    "'build_dirs' is not a list of folders inside a work tree");
	project_is_refused("{\"build_dirs\": [\"x/.Git\"]}", "line 1: "
	    "'build_dirs' is not a list of folders inside a work tree");
	project_is_refused("{\"build_dirs\": [\"\"]}", "line 1: "
	    "'build_dirs' is not a list of folders inside a work tree");
	project_is_refused("{\"build_dirs\": \"target\"}", "line 1: "
	    "'build_dirs' is not a list of folders inside a work tree");
	variable_is_refused("BUILD_DIRS", "x:/y",
	    " is not a list of folders inside a work tree");
	project_says("{ \"notify_on\": [] }");
	is_number(read_config()->notify_on, 0);
	project_says("{ \"notify_on\": [\"gone\", \"gone\"] }");
	is_number(read_config()->notify_on, 1u << STATE_GONE);
	forget();
	project_is_refused("{\"notify_on\": [\"working\"]}", "line 1: "
	    "'notify_on': 'working' is no state that gets a notice");
	project_is_refused("{\n\n\"notify_on\": [\"error\",\n1]}", "line 3: "
	    "'notify_on' is not a list of states");
	project_is_refused("{\"notify_on\": \"error\"}", "line 1: "
	    "'notify_on' is not a list of states");
	project_is_refused("{\"notify_on\": [\"Error\"]}", "line 1: "
	    "'notify_on': 'Error' is no state (did you mean 'error'?)");
	project_is_refused("{\"notify_on\": [\"error\",\n\"askin\"]}", "line 2: "
	    "'notify_on': 'askin' is no state (did you mean 'asking'?)");
	project_is_refused("{\"notify_on\": [\"refuse\"]}", "line 1: "
	    "'notify_on': 'refuse' is no state (did you mean 'refused'?)");
	variable_is_refused("NOTIFY_ON", "dead:often",
	    ": 'often' is no state that gets a notice");
}

static void
tear_down(void)
{
	char *line = xasprintf("rm -r %s", home);

	ok(system(line) == 0);
	free(line);
	free(project.root);
}

TEST(names_of_a_fleet_are_tokens) {
	char long_name[FLEET_HOST_MAX + 2];

	ok(fleet_name_valid("desk"));
	ok(fleet_name_valid("Desk_2-b"));
	ok(!fleet_name_valid(""));
	ok(!fleet_name_valid("a.b"));
	ok(!fleet_name_valid("*"));
	ok(!fleet_name_valid("a b"));
	memset(long_name, 'a', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	ok(!fleet_name_valid(long_name));
}

BEFORE_TESTS {
	if (set_up() == -1) {
		printf("Bail out! no folder for this test\n");
		exit(1);
	}
}

AFTER_TESTS {
	tear_down();
}

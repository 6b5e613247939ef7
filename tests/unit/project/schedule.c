/*
 * tests/system/units.sh installs them.
 */
#include "project/schedule.h"

#include "base/alloc.h"
#include "base/argv.h"
#include "scratch.h"
#include "unit/fixture.h"

static struct buf out, error;           /* of the last fill() */

static int
fill_text(enum schedule_kind kind, const char *text, const struct schedule *s)
{
	int ret;

	buf_reset(&out);
	buf_reset(&error);
	ret = schedule_fill(&out, kind, text, strlen(text), s, &error);
	is_number(ret, error.len > 0 ? -1 : 0);
	return ret;
}

/* With our own template. */
static int
fill(enum schedule_kind kind, const struct schedule *s)
{
	static const char *const names[] = { "templates/sweep.cron",
	    "templates/sweep.systemd", "templates/sweep.plist",
	    "templates/watch.systemd", "templates/watch.plist",
	    "templates/watch.tmux", "templates/revive.systemd",
	    "templates/revive.plist", "templates/fleet.systemd",
	    "templates/fleet.plist" };
	static char text[65536];
	FILE *file = fopen(names[kind], "r");
	size_t n;

	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	return fill_text(kind, text, s);
}

static char *const some_env[] = { (char[]){ "PATH=/usr/bin:/bin" },
	(char[]){ "TMUX_TMPDIR=/run/t" }, NULL };

static const struct schedule some = {
	.program = "/usr/local/bin/paneward", .root = "/home/me/src/app",
	.home = "/home/me", .env = some_env,
};

TEST(a_unit_says_how_and_how_often_it_runs) {
	static const struct { enum schedule_kind kind; const char *lines; }
	rows[] = {
		{ SCHEDULE_SYSTEMD,
		    "\nEnvironment=PATH=/usr/bin:/bin TMUX_TMPDIR=/run/t\n" },
		{ SCHEDULE_SYSTEMD, "\nOnCalendar=minutely\n" },
		{ SCHEDULE_LAUNCHD, "<key>PATH</key> "
		    "<string>/usr/bin:/bin</string> <key>TMUX_TMPDIR</key>" },
		{ SCHEDULE_LAUNCHD, "/me/Library/Logs/paneward.sweep.app-" },
		{ SCHEDULE_LAUNCHD, "AbandonProcessGroup</key>\n\t<true/>" },
		{ SCHEDULE_LAUNCHD, "<integer>60</integer>" },
		{ SCHEDULE_WATCH_SYSTEMD, "\nWorkingDirectory=/home/me\n" },
		{ SCHEDULE_WATCH_SYSTEMD, "\nRestart=always\n" },
		{ SCHEDULE_WATCH_LAUNCHD, "KeepAlive</key>\n\t<true/>" },
		{ SCHEDULE_FLEET_SYSTEMD, "/paneward agent\n" },
		{ SCHEDULE_FLEET_LAUNCHD, "<string>agent</string>" },
	};
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		ROW("%s", rows[i].lines);
		is_number(fill(rows[i].kind, &some), 0);
		ok(strstr(buf_str(&out), rows[i].lines) != NULL);
	}
}

TEST(a_line_that_cron_would_cut_is_refused) {
	static const char line[] = "# short\n<<environment>>\n";
	char path[SCHEDULE_LINE_MAX + 2] = "PATH=";
	char *const longer[] = { path, NULL };
	struct schedule s = some;

	s.env = longer;
	memset(path + 5, '/', SCHEDULE_LINE_MAX - 5);
	is_number(fill_text(SCHEDULE_CRON, line, &s), 0);
	path[SCHEDULE_LINE_MAX] = '/';
	is_number(fill_text(SCHEDULE_CRON, line, &s), -1);
	is_number(fill_text(SCHEDULE_SYSTEMD, line, &s), 0);
}

TEST(without_a_home_there_is_no_place_for_its_log) {
	struct schedule s = some;

	s.home = "home";
	is_number(fill(SCHEDULE_LAUNCHD, &s), -1);
	s.home = NULL;
	is_number(fill(SCHEDULE_LAUNCHD, &s), -1);
	is_number(fill(SCHEDULE_CRON, &s), 0);
}

static const char *
name_of(const char *path)
{
	struct schedule s = some;

	s.root = path;
	fill_text(SCHEDULE_SYSTEMD, "<<name>>", &s);
	return buf_str(&out);
}

TEST(the_name_is_safe_and_tells_projects_apart) {
	is_text(name_of("/home/me/src/app"), "app-5ab16e39");
	ok(strcmp(name_of("/home/you/src/app"), "app-5ab16e39") != 0);
	ok(strncmp(name_of("/x/my.big--+app--"), "my-big-app-", 11) == 0);
	ok(strncmp(name_of("/"), "project-", 8) == 0);
	is_number(strlen(name_of("/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")), 48 + 9);
}

TEST(what_would_need_quoting_is_refused) {
	static const char *const bad[] = {
		"/a b", "/o'brien", "/\"q\"", "/50%", "/b\\s", "/$HOME",
		"/`id`", "/~", "/*", "/#c", "/a;b", "/a&b", "/<a>", "/a\nb",
		"/\033[2J", "/Z\xc3\xbcrich", "/\xff",
	};
	enum schedule_kind kind;
	struct schedule s = some, root = some, program = some;
	char variable[32], *const list[] = { variable, NULL };
	size_t i;

	s.env = list;
	for (i = 0; i < COUNT(bad); i++) {
		root.root = program.program = bad[i];
		snprintf(variable, sizeof(variable), "PATH=%s", bad[i]);
		for (kind = SCHEDULE_CRON; kind < SCHEDULES; kind++) {
			ROW("%s, kind %d", bad[i], (int)kind);
			is_number(fill(kind, &root), -1);
			is_number(fill(kind, &program), -1);
			is_number(fill(kind, &s), -1);
		}
	}
}

/* All of our environment, with a '|' behind each. */
static const char *
environment(void)
{
	char **list = schedule_environment();
	const char *text = joined(list);

	argv_free(list);
	return text;
}

TEST(path_keeps_what_is_absolute_plain_and_once) {
	unsetenv("TMUX_TMPDIR");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_STATE_HOME");
	setenv("PATH", "/b:/a b:.::bin:/b:/b/c:/b:", 1);
	is_text(environment(), "PATH=/b:/b/c|");
	setenv("PATH", ".", 1);
	is_text(environment(), "PATH=/usr/local/bin:/usr/bin:/bin|");
}

TEST(what_leads_somewhere_else_is_carried_over) {
	setenv("PATH", "/bin", 1);
	setenv("TMUX_TMPDIR", "/t", 1);
	setenv("XDG_CONFIG_HOME", "/x", 1);
	setenv("XDG_STATE_HOME", "/y", 1);
	setenv("PANEWARD_STATUS_DIR", "/s", 1);
	is_text(environment(), "PATH=/bin|TMUX_TMPDIR=/t|XDG_CONFIG_HOME=/x|"
	    "XDG_STATE_HOME=/y|PANEWARD_STATUS_DIR=/s|");
	setenv("TMUX_TMPDIR", "", 1);
	setenv("XDG_CONFIG_HOME", "relative", 1);       /* is ignored */
	setenv("XDG_STATE_HOME", "relative", 1);
	setenv("PANEWARD_STATUS_DIR", "s", 1);
	ok(chdir("/tmp") == 0);
	is_text(environment(), "PATH=/bin|PANEWARD_STATUS_DIR=/tmp/s|");
}

#include "project/schedule.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "scratch.h"

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

	ok(file != NULL);
	if (file == NULL)
		return -1;
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

/* The rest of the line that begins so in the last text; "" if none does. */
static const char *
line_of(const char *begin)
{
	static char line[8192];
	const char *p = buf_str(&out);
	size_t len = strlen(begin), end;

	for (; *p != '\0'; p += end + (p[end] == '\n')) {
		end = strcspn(p, "\n");
		if (strncmp(p, begin, len) != 0)
			continue;
		snprintf(line, sizeof(line), "%.*s", (int)(end - len), p + len);
		return line;
	}
	return "";
}

TEST(the_crontab_is_one_line_and_comments) {
	const char *p;

	is_number(fill(SCHEDULE_CRON, &some), 0);
	is_text(line_of("* * * * * "), "cd /home/me/src/app && "
	    "PATH=/usr/bin:/bin TMUX_TMPDIR=/run/t /usr/local/bin/paneward "
	    "sweep");
	for (p = buf_str(&out); *p != '\0'; p += strcspn(p, "\n") + 1)
		ok(p[0] == '#' || strncmp(p, "* * * * * cd ", 13) == 0);
}

TEST(a_line_that_cron_would_cut_is_refused) {
	char path[SCHEDULE_LINE_MAX + 1] = "PATH=", *want;
	char *const longer[] = { path, NULL };
	struct schedule s = some;
	size_t size;

	s.env = longer;
	fill(SCHEDULE_CRON, &s);
	size = strlen("* * * * * ") + strlen(line_of("* * * * * "));
	memset(path + 5, '/', SCHEDULE_LINE_MAX - size);
	is_number(fill(SCHEDULE_CRON, &s), 0);
	is_number(strlen(line_of("* * * * * ")), SCHEDULE_LINE_MAX - 10);
	path[strlen(path)] = '/';
	is_number(fill(SCHEDULE_CRON, &s), -1);
	want = xasprintf("cannot print a crontab: a line of it would have %d "
	    "bytes, and cron may read no more than %d of them; run this "
	    "command with a shorter PATH", SCHEDULE_LINE_MAX + 1,
	    SCHEDULE_LINE_MAX);
	is_text(buf_str(&error), want);
	is_number(fill(SCHEDULE_SYSTEMD, &s), 0);
	free(want);
}

TEST(the_service_is_as_short_as_it_can_be) {
	fill(SCHEDULE_SYSTEMD, &some);
	is_text(line_of("WorkingDirectory="), "/home/me/src/app");
	is_text(line_of("ExecStart="), "/usr/local/bin/paneward sweep");
	is_text(line_of("Environment="), "PATH=/usr/bin:/bin "
	    "TMUX_TMPDIR=/run/t");
	is_text(line_of("Type="), "oneshot");
	is_text(line_of("KillMode="), "process");
	is_text(line_of("OnCalendar="), "minutely");
	is_text(line_of("WantedBy="), "timers.target");
}

TEST(the_plist_says_it_all) {
	static const char *const parts[] = {
		"<string>/usr/local/bin/paneward</string>\n",
		"<key>WorkingDirectory</key>\n\t<string>/home/me/src/app<",
		"<key>PATH</key> <string>/usr/bin:/bin</string>",
		"<key>TMUX_TMPDIR</key> <string>/run/t</string>",
		"<string>/home/me/Library/Logs/paneward.sweep.app-",
		"<key>AbandonProcessGroup</key>\n\t<true/>",
		"<key>StartInterval</key>\n\t<integer>60</integer>",
	};
	size_t i;

	is_number(fill(SCHEDULE_LAUNCHD, &some), 0);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		ok(strstr(buf_str(&out), parts[i]) != NULL);
}

TEST(a_watch_of_all_projects_is_begun_again) {
	is_number(fill(SCHEDULE_WATCH_SYSTEMD, &some), 0);
	is_text(line_of("ExecStart="), "/usr/local/bin/paneward watch "
	    "--everywhere");
	is_text(line_of("WorkingDirectory="), "/home/me");
	is_text(line_of("Restart="), "always");
	is_number(fill(SCHEDULE_WATCH_LAUNCHD, &some), 0);
	ok(strstr(buf_str(&out), "<key>KeepAlive</key>\n\t<true/>") != NULL);
	is_number(fill(SCHEDULE_WATCH_TMUX, &some), 0);
	is_text(line_of("run-shell -b "), "'PATH=/usr/bin:/bin "
	    "TMUX_TMPDIR=/run/t /usr/local/bin/paneward watch --everywhere "
	    ">/dev/null 2>&1 || :'");
}

TEST(the_agent_of_a_fleet_is_kept_running) {
	is_number(fill(SCHEDULE_FLEET_SYSTEMD, &some), 0);
	ok(strstr(buf_str(&out), "\nExecStart=/usr/local/bin/paneward agent\n")
	    != NULL);
	is_number(fill(SCHEDULE_FLEET_LAUNCHD, &some), 0);
	ok(strstr(buf_str(&out), "<string>agent</string>") != NULL);
}

TEST(without_a_home_there_is_no_place_for_its_log) {
	struct schedule s = some;

	s.home = NULL;
	is_number(fill(SCHEDULE_LAUNCHD, &s), -1);
	is_text(buf_str(&error), "cannot print a unit for launchd: HOME '' is "
	    "not an absolute path");
	is_number(fill(SCHEDULE_CRON, &s), 0);
	s.home = "home";
	is_number(fill(SCHEDULE_LAUNCHD, &s), -1);
}

static const char *
name_of(const char *path)
{
	struct schedule s = some;

	s.root = path;
	fill_text(SCHEDULE_SYSTEMD, "name=<<name>>", &s);
	return line_of("name=");
}

TEST(the_name_is_safe_and_tells_projects_apart) {
	is_text(name_of("/home/me/src/app"), "app-5ab16e39");
	is_number(strncmp(name_of("/home/you/src/app"), "app-", 4), 0);
	ok(strcmp(name_of("/home/you/src/app"), "app-5ab16e39") != 0);
	is_number(strncmp(name_of("/x/my.big--+app--"), "my-big-app-", 11), 0);
	is_number(strncmp(name_of("/"), "project-", 8), 0);
	is_number(strncmp(name_of("/..."), "project-", 8), 0);
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
	struct schedule s;
	char variable[32], *const list[] = { variable, NULL };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (kind = SCHEDULE_CRON; kind < SCHEDULES; kind++) {
			s = some;
			s.root = bad[i];
			is_number(fill(kind, &s), -1);
			s = some;
			s.program = bad[i];
			is_number(fill(kind, &s), -1);
			s = some;
			snprintf(variable, sizeof(variable), "PATH=%s", bad[i]);
			s.env = list;
			is_number(fill(kind, &s), -1);
		}
	s = some;
	s.root = "/a b";
	fill(SCHEDULE_CRON, &s);
	is_text(buf_str(&error), "cannot print a crontab: the project '/a b' "
	    "has a character that is not in [A-Za-z0-9_@+=:,./-]; rename it");
}

TEST(a_template_that_asks_for_more_is_refused) {
	is_number(fill_text(SCHEDULE_SYSTEMD, "<<nothing>>", &some), -1);
	is_text(buf_str(&error), "cannot print units for systemd: template "
	    "'sweep.systemd' asks for an unknown name");
}

TEST(the_root_folder_can_be_a_project) {
	struct schedule s = some;

	s.root = "/";
	fill(SCHEDULE_CRON, &s);
	ok(strncmp(line_of("* * * * * "), "cd / && ", 8) == 0);
	fill(SCHEDULE_SYSTEMD, &s);
	is_text(line_of("WorkingDirectory="), "/");
}

/* ---- our environment ----------------------------------------------------- */

/* All of it, with a blank behind each. */
static void
environment_is(const char *want)
{
	char **list = schedule_environment();
	struct buf text = BUF_INIT;
	size_t i;

	for (i = 0; list[i] != NULL; i++)
		buf_printf(&text, "%s ", list[i]);
	is_text(buf_str(&text), want);
	buf_release(&text);
	argv_free(list);
}

TEST(path_keeps_what_is_absolute_plain_and_once) {
	unsetenv("XDG_STATE_HOME");
	setenv("PATH", "/b:/a b:.::bin:/b:/b/c:/b:", 1);
	environment_is("PATH=/b:/b/c ");
	setenv("PATH", ".", 1);
	environment_is("PATH=/usr/local/bin:/usr/bin:/bin ");
	unsetenv("PATH");
	environment_is("PATH=/usr/local/bin:/usr/bin:/bin ");
}

TEST(what_leads_somewhere_else_is_carried_over) {
	char *want;

	setenv("PATH", "/bin", 1);
	setenv("TMUX_TMPDIR", "/t", 1);
	setenv("XDG_CONFIG_HOME", "/x", 1);
	setenv("XDG_STATE_HOME", "/y", 1);
	setenv("PANEWARD_STATUS_DIR", "/s", 1);
	environment_is("PATH=/bin TMUX_TMPDIR=/t XDG_CONFIG_HOME=/x "
	    "XDG_STATE_HOME=/y PANEWARD_STATUS_DIR=/s ");
	setenv("TMUX_TMPDIR", "", 1);
	setenv("XDG_CONFIG_HOME", "relative", 1);       /* is ignored */
	setenv("XDG_STATE_HOME", "relative", 1);
	setenv("PANEWARD_STATUS_DIR", "s", 1);
	ok(chdir(scratch) == 0);
	want = xasprintf("PATH=/bin PANEWARD_STATUS_DIR=%s/s ", scratch);
	environment_is(want);
	free(want);
}

BEFORE_TESTS {
	unsetenv("TMUX_TMPDIR");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("PANEWARD_STATUS_DIR");
}

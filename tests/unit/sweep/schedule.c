#include "sweep/schedule.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/spawn.h"
#include "scratch.h"

/* Names of folders that somebody's quoting might trip over. */
static const char *const hostile[] = {
	"plain", "a b", " a", "b ", "o'brien", "''", "\"q\"", "50%", "%", "%%h",
	"\\%", "%\\", "\\'%", "b\\s", "b\\\\s", "\\\\\\", "tail\\", "\\n",
	"$HOME", "$$", "${x}", "`id`", "$(id)", "-rf", "--", "~", "*", "#c",
	"a#b", "a;b", "a&b", "a|b", "(a)", "{a}", "!1", "^a", "?", "[a]", "=",
	"A=b", "<a>", "&amp;", "]]>", "-->", "<<name>>", "{{name}}",
	"Z\xc3\xbcrich \xe6\x97\xa5\xe6\x9c\xac",
};

enum { HOSTILE = sizeof(hostile) / sizeof(hostile[0]) };

static struct buf out, error;           /* of the last fill() */

static int
fill_text(enum units_kind kind, const char *text, const struct units *u)
{
	int ret;

	buf_reset(&out);
	buf_reset(&error);
	ret = units_fill(&out, kind, text, strlen(text), u, &error);
	is_number(ret, error.len > 0 ? -1 : 0);
	return ret;
}

/* With our own template. */
static int
fill(enum units_kind kind, const struct units *u)
{
	static char text[65536];
	char name[64];
	FILE *file;
	size_t n;

	snprintf(name, sizeof(name), "templates/%s", units_template(kind));
	file = fopen(name, "r");
	ok(file != NULL);
	if (file == NULL)
		return -1;
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	return fill_text(kind, text, u);
}

static char *const some_env[] = { (char[]){ "PATH=/usr/bin:/bin" }, NULL };

static const struct units some = {
	.program = "/usr/local/bin/paneward", .root = "/home/me/src/app",
	.home = "/home/me", .env = some_env,
};

/* The rest of the line that begins so in the last text; "" if none does. */
static const char *
line_of(const char *begin)
{
	static char line[8192];
	const char *p = buf_str(&out), *end;
	size_t len = strlen(begin);

	for (; *p != '\0'; p = end + (*end == '\n')) {
		end = strchrnul(p, '\n');
		if (strncmp(p, begin, len) != 0)
			continue;
		snprintf(line, sizeof(line), "%.*s", (int)(end - p - (int)len),
		    p + len);
		return line;
	}
	return "";
}

/* ---- a program that says how it was run ---------------------------------- */

static char *root;                      /* a folder with a hostile name */
static char *program, *env_path, *env_tmux;
static char *env[3];
static struct units here;

static void
place_begin(const char *name)
{
	static const char script[] = "#!/bin/sh\n"
	    "printf '%s|' \"$#\" \"$@\" \"$PATH\" \"$TMUX_TMPDIR\" "
	    ">\"${0%/*}/record\"\n"
	    "pwd >>\"${0%/*}/record\"\n";

	scratch_folder(name);
	root = xstrdup(scratch_path(name));
	program = xasprintf("%s/paneward", root);
	scratch_write(program + strlen(scratch) + 1, script);
	ok(chmod(program, 0700) == 0);
	env[0] = env_path = xasprintf("PATH=/usr/bin:/bin:%s", root);
	env[1] = env_tmux = xasprintf("TMUX_TMPDIR=%s", root);
	here = (struct units){ .program = program, .root = root,
	    .home = root, .env = env };
}

static void
place_end(void)
{
	ok(nftw(root, scratch_remove, 16, FTW_DEPTH | FTW_PHYS) == 0);
	free(root);
	free(program);
	free(env_path);
	free(env_tmux);
}

/* It was run as it should be, and is forgotten. */
static void
was_run(void)
{
	char *name = xasprintf("%s/record", root + strlen(scratch) + 1);
	char *want = xasprintf("1|sweep|%s|%s|%s\n", env_path + 5,
	    env_tmux + 12, root);

	is_text(scratch_text(name), want);
	unlinkat(scratch_fd, name, 0);
	free(name);
	free(want);
}

static void
run(const char *const *argv, const char *const *environment, const char *cwd)
{
	struct spawn s = SPAWN_INIT;
	const struct spawn_how how = { .argv = argv, .env = environment,
	    .cwd = cwd, .limit = 10000 };

	ok(spawn_begin(&s, &how) == 0);
	spawn_finish(&s);
	is_number(s.status, 0);
	is_text(buf_str(&s.output), "");
	is_text(buf_str(&s.errors), "");
	spawn_release(&s);
}

/* ---- cron ---------------------------------------------------------------- */

/* What crons make of "\%", "\\" and '%' differs. */
struct cron {
	bool percent, backslash;
};

static char *
cron_reads(const struct cron *c, const char *line)
{
	struct buf command = BUF_INIT;
	const char *p;

	for (p = line; *p != '\0'; p++) {
		if (*p == '%' && c->percent)
			break;
		if (*p == '\\' && p[1] != '\0') {
			if (!(p[1] == '%' && c->percent) &&
			    !(p[1] == '\\' && c->backslash))
				buf_addc(&command, *p);
			p++;
		}
		buf_addc(&command, *p);
	}
	buf_adds(&command, "");
	return buf_steal(&command);
}

static void
cron_runs(const struct cron *c, const char *line)
{
	static const char *const environment[] = { "HOME=/", "LOGNAME=me",
	    "SHELL=/bin/sh", "PATH=/usr/bin:/bin", NULL };
	char *command = cron_reads(c, line);
	const char *argv[] = { "/bin/sh", "-c", command, NULL };

	run(argv, environment, "/");
	free(command);
}

static void
every_cron_runs_the_line(void)
{
	static const struct cron crons[] = {
		{ true, true }, { true, false }, { false, false },
	};
	size_t i, j;

	for (i = 0; i < HOSTILE; i++) {
		place_begin(hostile[i]);
		is_number(fill(UNITS_CRON, &here), 0);
		for (j = 0; j < sizeof(crons) / sizeof(crons[0]); j++) {
			cron_runs(&crons[j], line_of("* * * * * "));
			was_run();
		}
		place_end();
	}
}

static void
the_line_begins_with_cd(void)
{
	fill(UNITS_CRON, &some);
	is_text(line_of("* * * * * "), "cd '/home/me/src/app' && "
	    "PATH='/usr/bin:/bin' '/usr/local/bin/paneward' sweep");
}

static void
all_else_in_the_crontab_is_a_comment(void)
{
	const char *p;
	size_t i, lines;

	for (i = 0; i < HOSTILE; i++) {
		place_begin(hostile[i]);
		fill(UNITS_CRON, &here);
		for (lines = 0, p = buf_str(&out); *p != '\0'; lines++) {
			ok(p[0] == '#' || strncmp(p, "* * * * * cd ", 13) == 0);
			p = strchrnul(p, '\n');
			p += *p == '\n';
		}
		is_number(lines, 14);
		place_end();
	}
}

static void
a_line_that_cron_would_cut_is_refused(void)
{
	char path[UNITS_LINE_MAX + 1] = "PATH=", *want;
	char *const longer[] = { path, NULL };
	struct units u = some;
	size_t size;

	u.env = longer;
	fill(UNITS_CRON, &u);
	size = strlen("* * * * * ") + strlen(line_of("* * * * * "));
	memset(path + 5, '/', UNITS_LINE_MAX - size);
	is_number(fill(UNITS_CRON, &u), 0);
	is_number(strlen(line_of("* * * * * ")), UNITS_LINE_MAX - 10);
	path[strlen(path)] = '/';
	is_number(fill(UNITS_CRON, &u), -1);
	want = xasprintf("cannot print a crontab: a line of it would have %d "
	    "bytes, and cron may read no more than %d of them; run this "
	    "command with a shorter PATH", UNITS_LINE_MAX + 1, UNITS_LINE_MAX);
	is_text(buf_str(&error), want);
	is_number(fill(UNITS_SYSTEMD, &u), 0);
	free(want);
}

/* ---- systemd ------------------------------------------------------------- */

/* "%%" is one, anything else is a specifier; that of the first word of a
 * command is all that is done to it, in the others "$$" is a '$'. */
static void
expand(struct buf *word, const char *text, bool dollars)
{
	for (; *text != '\0'; text++) {
		if (*text == '%' || (*text == '$' && dollars)) {
			ok(text[1] == text[0]);
			text++;
		}
		buf_addc(word, *text);
	}
	buf_adds(word, "");
}

/* Words as systemd splits them, quotes and backslashes read. */
static char **
split(const char *line, bool command)
{
	struct buf raw = BUF_INIT, word = BUF_INIT;
	char **words = NULL, quote;

	while (*line != '\0') {
		for (quote = 0; *line != '\0' && (quote || *line != ' ');
		    line++) {
			if (quote ? *line == quote : strchr("'\"", *line) != 0)
				quote = quote ? 0 : *line;
			else if (*line == '\\' && strchr("\\\"'", *++line) == 0)
				ok(!"an escape that systemd knows");
			else
				buf_addc(&raw, *line);
		}
		ok(quote == 0);
		expand(&word, buf_str(&raw), command && words != NULL);
		words = argv_add(words, buf_str(&word));
		buf_reset(&raw);
		buf_reset(&word);
		line += *line == ' ';
	}
	buf_release(&raw);
	buf_release(&word);
	return words;
}

static void
systemd_runs(void)
{
	char **argv = split(line_of("ExecStart="), true);
	char **environment = split(line_of("Environment="), false);
	struct buf directory = BUF_INIT;

	expand(&directory, line_of("WorkingDirectory="), false);
	/* What systemd would cut off, or join to the next line. */
	ok(directory.len > 0 &&
	    strchr(" \\", directory.data[directory.len - 1]) == NULL);
	ok(argv_count(argv) > 1 && strpbrk(argv[0], "'\"\\") == NULL);
	run((const char *const *)argv, (const char *const *)environment,
	    buf_str(&directory));
	argv_free(argv);
	argv_free(environment);
	buf_release(&directory);
}

static void
systemd_runs_the_service(void)
{
	size_t i;

	for (i = 0; i < HOSTILE; i++) {
		place_begin(hostile[i]);
		is_number(fill(UNITS_SYSTEMD, &here), 0);
		systemd_runs();
		was_run();
		place_end();
	}
}

static void
the_service_is_as_short_as_it_can_be(void)
{
	fill(UNITS_SYSTEMD, &some);
	is_text(line_of("WorkingDirectory="), "/home/me/src/app");
	is_text(line_of("ExecStart="), "\"/usr/local/bin/paneward\" sweep");
	is_text(line_of("Environment="), "\"PATH=/usr/bin:/bin\"");
	is_text(line_of("Type="), "oneshot");
	is_text(line_of("KillMode="), "process");
	is_text(line_of("OnCalendar="), "minutely");
	is_text(line_of("WantedBy="), "timers.target");
}

/* Each part goes to a file of the folder units, as the comment says it. */
static void
write_units(void)
{
	const char *p = buf_str(&out), *end, *name;
	char *file;

	while ((p = strstr(p, "\n# file: ")) != NULL) {
		name = p + 9;
		end = strstr(name, "\n# file: ");
		if (end == NULL)
			end = strchr(name, '\0');
		file = xasprintf("units/%.*s", (int)strcspn(name, "\n"), name);
		scratch_put(file, O_TRUNC, p + 1, (size_t)(end - p - 1));
		free(file);
		p = end;
	}
}

/* What systemd says of them, and in output how it understood them; -1 where it
 * cannot be asked. */
static int
verify(struct buf *output, struct buf *errors)
{
	static const char script[] = "cd \"$0/units\" && "
	    "exec systemd-analyze verify --user --man=no ./*.service ./*.timer";
	const char *argv[] = { "/bin/sh", "-c", script, scratch, NULL };
	struct spawn s = SPAWN_INIT;
	const struct spawn_how how = { .argv = argv, .limit = 30000 };
	int status = -1;

	if (spawn_begin(&s, &how) == 0) {
		spawn_finish(&s);
		status = s.status;
		buf_add(output, s.output.data, s.output.len);
		buf_add(errors, s.errors.data, s.errors.len);
	}
	spawn_release(&s);
	return status;
}

/* Does it say, in a line of its own, what name is? */
static bool
understood(struct buf *output, const char *name, const char *value)
{
	char *line = xasprintf("%s: %s\n", name, value);
	bool found = strstr(buf_str(output), line) != NULL;

	if (!found)
		printf("# systemd does not say %s", line);
	free(line);
	return found;
}

static void
systemd_understands(void)
{
	struct buf output = BUF_INIT, errors = BUF_INIT;

	write_units();
	is_number(verify(&output, &errors), 0);
	if (strstr(buf_str(&output), "WorkingDirectory: ") != NULL) {
		ok(understood(&output, "WorkingDirectory", root));
		ok(understood(&output, "Environment", env_path));
		ok(understood(&output, "Environment", env_tmux));
	}
	ok(nftw(scratch_path("units"), scratch_remove, 16,
	    FTW_DEPTH | FTW_PHYS) == 0);
	buf_release(&output);
	buf_release(&errors);
}

/* Can it be asked, and does it say what it has understood? */
static bool
systemd_answers(void)
{
	struct buf output = BUF_INIT, errors = BUF_INIT;
	bool answers;

	scratch_folder("run");
	setenv("XDG_RUNTIME_DIR", scratch_path("run"), 1);
	setenv("SYSTEMD_LOG_LEVEL", "debug", 1);
	scratch_write("units/a.service", "[Service]\nExecStart=/bin/sh\n");
	scratch_write("units/a.timer", "[Timer]\nOnCalendar=minutely\n");
	answers = verify(&output, &errors) == 0;
	nftw(scratch_path("units"), scratch_remove, 16, FTW_DEPTH | FTW_PHYS);
	buf_release(&output);
	buf_release(&errors);
	return answers;
}

static void
systemd_itself_finds_no_fault(void)
{
	size_t i;

	if (!systemd_answers()) {
		printf("# systemd-analyze is not here\n");
		return;
	}
	for (i = 0; i < HOSTILE; i++) {
		place_begin(hostile[i]);
		is_number(fill(UNITS_SYSTEMD, &here), 0);
		systemd_understands();
		place_end();
	}
}

/* ---- launchd ------------------------------------------------------------- */

/* What an XML text means; bare "<" and "&" are none. */
static const char *
xml_text(const char *text, size_t len)
{
	static struct buf plain;
	static const struct { const char *name; char c; } entities[] = {
		{ "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' },
	};
	size_t i, j, size;

	buf_reset(&plain);
	for (i = 0; i < len; i += size) {
		size = 1;
		ok(text[i] != '<');
		if (text[i] != '&') {
			buf_addc(&plain, text[i]);
			continue;
		}
		for (j = 0; j < 3; j++)
			if (strncmp(text + i, entities[j].name,
			    strlen(entities[j].name)) == 0)
				break;
		ok(j < 3);
		if (j < 3) {
			buf_addc(&plain, entities[j].c);
			size = strlen(entities[j].name);
		}
	}
	return buf_str(&plain);
}

/* The first string behind a key. */
static const char *
plist_string(const char *key)
{
	char *begin = xasprintf("<key>%s</key>", key);
	const char *p = strstr(buf_str(&out), begin), *end;

	free(begin);
	p = p ? strstr(p, "<string>") : NULL;
	end = p ? strstr(p, "</string>") : NULL;
	if (end == NULL)
		return NULL;
	p += strlen("<string>");
	return xml_text(p, (size_t)(end - p));
}

/* Every element that begins ends, and comments hold no "--". */
static void
is_well_formed(void)
{
	const char *p = buf_str(&out), *end, *open[16];
	size_t depth = 0, len;

	for (; (p = strchr(p, '<')) != NULL; p = end + 1) {
		if (strncmp(p, "<!--", 4) == 0) {
			end = strstr(p + 4, "--");
			ok(end != NULL && end[2] == '>');
			continue;
		}
		end = strchr(p, '>');
		if (end == NULL)
			break;
		len = strcspn(p + 1, " >");
		if (p[1] == '?' || p[1] == '!' || end[-1] == '/')
			continue;
		if (p[1] != '/') {
			ok(depth < 16);
			open[depth++ % 16] = p + 1;
			continue;
		}
		ok(depth > 0);
		if (depth > 0)
			ok(strncmp(open[--depth % 16], p + 2, len - 1) == 0);
	}
	is_number(depth, 0);
}

static void
the_plist_says_it_all(void)
{
	char *logs;
	size_t i;

	for (i = 0; i < HOSTILE; i++) {
		place_begin(hostile[i]);
		is_number(fill(UNITS_LAUNCHD, &here), 0);
		is_well_formed();
		is_text(plist_string("ProgramArguments"), program);
		is_text(plist_string("WorkingDirectory"), root);
		is_text(plist_string("PATH"), env_path + 5);
		is_text(plist_string("TMUX_TMPDIR"), env_tmux + 12);
		logs = xasprintf("%s/Library/Logs/paneward.sweep.", root);
		ok(strncmp(plist_string("StandardErrorPath"), logs,
		    strlen(logs)) == 0);
		free(logs);
		place_end();
	}
	ok(strstr(buf_str(&out), "<key>AbandonProcessGroup</key>\n\t<true/>"));
	ok(strstr(buf_str(&out), "<key>StartInterval</key>\n"
	    "\t<integer>60</integer>"));
}

static void
without_a_home_there_is_no_place_for_its_log(void)
{
	struct units u = some;

	u.home = NULL;
	is_number(fill(UNITS_LAUNCHD, &u), -1);
	is_text(buf_str(&error), "cannot print a unit for launchd: HOME '' is "
	    "not an absolute path");
	is_number(fill(UNITS_CRON, &u), 0);
	u.home = "home";
	is_number(fill(UNITS_LAUNCHD, &u), -1);
}

/* ---- all of them --------------------------------------------------------- */

static const char *
name_of(const char *path)
{
	struct units u = some;

	u.root = path;
	fill_text(UNITS_SYSTEMD, "name=<<name>>", &u);
	return line_of("name=");
}

static void
the_name_is_safe_and_tells_projects_apart(void)
{
	const char *name;
	size_t i, j;

	is_text(name_of("/home/me/src/app"), "app-5ab16e39");
	is_number(strncmp(name_of("/home/you/src/app"), "app-", 4), 0);
	ok(strcmp(name_of("/home/you/src/app"), "app-5ab16e39") != 0);
	is_number(strncmp(name_of("/x/my.big  app-- "), "my-big-app-", 11), 0);
	is_number(strncmp(name_of("/"), "project-", 8), 0);
	is_number(strncmp(name_of("/\xe6\x97\xa5"), "project-", 8), 0);
	is_number(strlen(name_of("/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")), 48 + 9);
	for (i = 0; i < HOSTILE; i++) {
		place_begin(hostile[i]);
		name = name_of(root);
		for (j = 0; name[j] != '\0'; j++)
			ok(isalnum((unsigned char)name[j]) || name[j] == '_' ||
			    (name[j] == '-' && j > 0 && name[j - 1] != '-'));
		place_end();
	}
}

static void
control_characters_are_refused(void)
{
	static const char *const bad[] = {
		"/a\nb", "/a\tb", "/a\rb", "/\033[2J", "/a\x7f", "/\xff",
		"/\xc2\x9b", "/\xe2\x80\xae",
	};
	enum units_kind kind;
	struct units u;
	char variable[32], *const list[] = { variable, NULL };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (kind = UNITS_CRON; kind <= UNITS_LAUNCHD; kind++) {
			u = some;
			u.root = bad[i];
			is_number(fill(kind, &u), -1);
			u = some;
			u.program = bad[i];
			is_number(fill(kind, &u), -1);
			u = some;
			snprintf(variable, sizeof(variable), "PATH=%s", bad[i]);
			u.env = list;
			is_number(fill(kind, &u), -1);
		}
	u = some;
	u.root = "/a\nb";
	fill(UNITS_CRON, &u);
	is_text(buf_str(&error), "cannot print a crontab: the project '/a\nb' "
	    "holds a control character or is no UTF-8; change it");
}

static void
a_template_that_asks_for_more_is_refused(void)
{
	is_number(fill_text(UNITS_SYSTEMD, "<<nothing>>", &some), -1);
	is_text(buf_str(&error), "cannot print units for systemd: template "
	    "'sweep.systemd' asks for an unknown name");
}

static void
the_root_folder_can_be_a_project(void)
{
	struct units u = some;

	u.root = "/";
	fill(UNITS_CRON, &u);
	ok(strncmp(line_of("* * * * * "), "cd '/' && ", 10) == 0);
	fill(UNITS_SYSTEMD, &u);
	is_text(line_of("WorkingDirectory="), "/");
}

/* ---- our environment ----------------------------------------------------- */

/* All of it, with a blank behind each. */
static void
environment_is(const char *want)
{
	char **list = units_environment();
	struct buf text = BUF_INIT;
	size_t i;

	for (i = 0; list[i] != NULL; i++)
		buf_printf(&text, "%s ", list[i]);
	is_text(buf_str(&text), want);
	buf_release(&text);
	argv_free(list);
}

static void
path_keeps_what_is_absolute_and_once(void)
{
	setenv("PATH", "/b:/a b:.::bin:/b:/b/c:/b:", 1);
	environment_is("PATH=/b:/a b:/b/c ");
	setenv("PATH", ".", 1);
	environment_is("PATH=/usr/local/bin:/usr/bin:/bin ");
	unsetenv("PATH");
	environment_is("PATH=/usr/local/bin:/usr/bin:/bin ");
}

static void
what_leads_somewhere_else_is_carried_over(void)
{
	char *want;

	setenv("PATH", "/bin", 1);
	setenv("TMUX_TMPDIR", "/t", 1);
	setenv("XDG_CONFIG_HOME", "/x", 1);
	setenv("PANEWARD_STATUS_DIR", "/s", 1);
	environment_is("PATH=/bin TMUX_TMPDIR=/t XDG_CONFIG_HOME=/x "
	    "PANEWARD_STATUS_DIR=/s ");
	setenv("TMUX_TMPDIR", "", 1);
	setenv("XDG_CONFIG_HOME", "relative", 1);       /* is ignored */
	setenv("PANEWARD_STATUS_DIR", "s", 1);
	ok(chdir(scratch) == 0);
	want = xasprintf("PATH=/bin PANEWARD_STATUS_DIR=%s/s ", scratch);
	environment_is(want);
	free(want);
}

int
main(void)
{
	unsetenv("TMUX_TMPDIR");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("PANEWARD_STATUS_DIR");
	scratch_begin();
	TEST(every_cron_runs_the_line);
	TEST(the_line_begins_with_cd);
	TEST(all_else_in_the_crontab_is_a_comment);
	TEST(a_line_that_cron_would_cut_is_refused);
	TEST(systemd_runs_the_service);
	TEST(the_service_is_as_short_as_it_can_be);
	TEST(systemd_itself_finds_no_fault);
	TEST(the_plist_says_it_all);
	TEST(without_a_home_there_is_no_place_for_its_log);
	TEST(the_name_is_safe_and_tells_projects_apart);
	TEST(control_characters_are_refused);
	TEST(a_template_that_asks_for_more_is_refused);
	TEST(the_root_folder_can_be_a_project);
	TEST(path_keeps_what_is_absolute_and_once);
	TEST(what_leads_somewhere_else_is_carried_over);
	scratch_end();
	return tap_done();
}

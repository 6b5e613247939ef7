/*
 * doctor.c - paneward doctor: what is installed, what works, what does not
 * and why.
 */
#include "setup/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/clock.h"
#include "base/issue.h"
#include "base/msg.h"
#include "data/datafile.h"
#include "os/file.h"
#include "os/notify.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "paneward.h"
#include "project/config.h"
#include "project/context.h"
#include "project/project.h"
#include "project/statusdir.h"
#include "run/status.h"
#include "tmux/servers.h"

enum {
	PROGRAM_TIME = 5000,            /* ms for another program's answer */
	ROOM_WATCHERS = 16,             /* fewer are a warning */
	ROOM_DISK = 64,                 /* MiB */
	SWEEP_LATE = 3600000            /* ms without a sweep that is due */
};

char *
doctor_ask(const char *program, const char *argument)
{
	const struct spawn_how how = { .argv = WORDS(program, argument),
	    .limit = PROGRAM_TIME };
	struct spawn s = SPAWN_INIT;

	if (spawn_run(&s, &how) != 0)
		return NULL;
	buf_chomp(&s.output);
	return buf_steal(&s.output);
}

/* ---- paneward itself ---------------------------------------------------- */

static void
check_program(struct doctor *d)
{
	static const struct { const char *folder, *name; } data[] = {
		{ "agents", "implement.md" },
		{ "backends", "claude.json" },
	};
	size_t i;

	for (i = 0; i < sizeof(data) / sizeof(data[0]); i++)
		if (datafile_find(data[i].folder, data[i].name) == NULL)
			doctor_found(d, PROBLEM, "a file of its installation "
			    "is missing", "install it again", "no '%s/%s'",
			    data[i].folder, data[i].name);
	if (d->findings.worst == OK)
		doctor_found(d, OK, NULL, NULL, "%s, version %s",
		    proc_program(), VERSION);
}

static void
check_configuration(struct doctor *d)
{
	struct buf error = BUF_INIT;

	if (config_read(&d->config, &d->project, &error) != EXIT_DONE)
		doctor_found(d, PROBLEM, "no command works until it is "
		    "corrected", "correct it; paneward.json(5) has the keys",
		    "%s", buf_str(&error));
	else
		doctor_found(d, OK, NULL, NULL, "of the project '%s'",
		    d->project.root);
	d->configured = error.len == 0;
}

/* ---- the status directory ----------------------------------------------- */

static void
doctor_take_record(void *context, const char *name)
{
	struct doctor *d = context;
	char issue[ISSUE_MAX + 1];
	struct status s;

	if (!status_named(d->dir.state_fd, name, issue))
		return;
	if (status_read(&s, d->dir.state_fd, issue) != 1) {
		doctor_found(d, WARNING, strerror(errno), "correct or remove "
		    ".paneward/ISSUE.json there; until then its run is unknown",
		    "the status record of issue '%s' cannot be read", issue);
		status_release(&s);
		return;
	}
	*ARRAY_ADD(d->records, d->nrecords) = s;
}

static void
check_status_dir(struct doctor *d)
{
	struct buf error = BUF_INIT;
	char *other = NULL;
	unsigned long long room;
	struct statvfs v;

	if (!d->configured && d->option == NULL)
		return;                 /* it may name another one */
	if (statusdir_open(&d->dir, statusdir_path(d->option, &d->config,
	    &d->project), false, &error) == -1)
		doctor_found(d, PROBLEM, "no signal and no log is read",
		    "correct that, or name another one with --status-dir", "%s",
		    buf_str(&error));
	else if (d->dir.fd == -1)
		doctor_found(d, OK, NULL, NULL, "'%s' is not there yet; the "
		    "first run makes it", d->dir.path);
	else if (faccessat(d->dir.fd, ".", W_OK, AT_EACCESS) == -1)
		doctor_found(d, PROBLEM, strerror(errno), "make it writable, "
		    "or name another one with --status-dir", "nothing can be "
		    "recorded in '%s'", d->dir.path);
	else if (d->dir.state_fd != -1 && !statusdir_ours(&d->dir,
	    d->project.root, false, &other))
		doctor_found(d, PROBLEM, "issues of both would be mixed up",
		    "name another one with --status-dir",
		    "'%s' belongs to the project '%s'", d->dir.path, other);
	else
		doctor_found(d, OK, NULL, NULL, "'%s'", d->dir.path);
	room = d->dir.fd == -1 || fstatvfs(d->dir.fd, &v) == -1 ? ROOM_DISK :
	    (unsigned long long)v.f_bavail * v.f_frsize >> 20;
	if (room < ROOM_DISK)
		doctor_found(d, WARNING, "paneward acts only on what it has "
		    "recorded", "make room", "only %llu MiB are free in '%s'",
		    room, d->dir.path);
	if (d->dir.state_fd != -1)
		statusdir_names(d->dir.state_fd, doctor_take_record, d);
}

/* ---- the system --------------------------------------------------------- */

static void
check_system(struct doctor *d)
{
	struct utsname u;

	uname(&u);
	if (strcmp(u.sysname, "Linux") == 0)
		doctor_found(d, OK, NULL, NULL, "%s %s, %s", u.sysname,
		    u.release, u.machine);
	else
		doctor_found(d, WARNING, "paneward is compiled for macOS and "
		    "the BSDs, but has only been run on Linux", "run 'make "
		    "test' where its source is, and report what fails",
		    "%s %s, %s, is untested", u.sysname, u.release,
		    u.machine);
}

static void
check_locale(struct doctor *d)
{
	const char *codes;

	setlocale(LC_CTYPE, "");
	codes = nl_langinfo(CODESET);
	if (strcmp(codes, "UTF-8") == 0 || strcmp(codes, "utf8") == 0)
		doctor_found(d, OK, NULL, NULL, "%s", codes);
	else
		doctor_found(d, WARNING, "agents that are started from here "
		    "may draw other characters than the patterns know", "set "
		    "LANG to a UTF-8 locale, such as C.UTF-8", "the characters "
		    "are %s, not UTF-8", codes);
	setlocale(LC_CTYPE, "C");
}

/* Is there room for as many watchers as a user may start soon? */
static void
check_files(struct doctor *d)
{
	struct notify *tried[ROOM_WATCHERS];
	int why = 0, n = 0;
	bool told;

	while (n < ROOM_WATCHERS && why == 0)
		tried[n++] = notify_new(&why);
	told = tried[0]->fd != -1;
	if (told && d->dir.fd != -1 && notify_watch(tried[0],
	    d->dir.fd, NOTIFY_DIRECTORY) == -1)
		doctor_found(d, WARNING, strerror(errno), "raise "
		    "fs.inotify.max_user_watches with sysctl",
		    "the kernel watches no more files; they are polled every "
		    "two seconds");
	if (!told && why == 0)
		doctor_found(d, OK, NULL, NULL, "files are polled: the system "
		    "reports no changes");
	else if (!told)
		doctor_found(d, WARNING, strerror(why), "raise "
		    "fs.inotify.max_user_instances with sysctl", "the kernel "
		    "reports no changes; files are polled every two seconds");
	else if (why != 0)
		doctor_found(d, WARNING, strerror(why), "raise "
		    "fs.inotify.max_user_instances with sysctl", "the kernel "
		    "reports changes to %d more watchers only; others poll "
		    "files every two seconds", n - 1);
	else
		doctor_found(d, OK, NULL, NULL, "the kernel reports changes");
	while (n > 0)
		notify_free(tried[--n]);
}

/* ---- the sweep ---------------------------------------------------------- */

/* Is what in the text, at the end of a word? */
static bool
names(const char *text, const char *what)
{
	const char *p = text;

	while ((p = strstr(p, what)) != NULL) {
		p += strlen(what);
		if (*p == '\0' || strchr(" \t\r\n'\";&<", *p) != NULL)
			return true;
	}
	return false;
}

/* Does a file of paneward's in this folder of the user's name the project? */
static bool
unit_in(const struct doctor *d, const char *folder)
{
	const char *home = getenv("HOME");
	DIR *dir = file_opendir(AT_FDCWD, xasprintf("%s/%s", home ? home : "",
	    folder));
	struct buf text = BUF_INIT;
	const struct dirent *e;
	bool there = false;

	while (dir != NULL && !there && (e = readdir(dir)) != NULL) {
		buf_reset(&text);
		there = strstr(e->d_name, "paneward") != NULL &&
		    file_read(dirfd(dir), e->d_name, 0, &text, 1 << 20) == 0 &&
		    names(buf_str(&text), d->project.root);
	}
	if (dir != NULL)
		closedir(dir);
	return there;
}

/* A sweep is late only if one is due. */
static void
check_sweep(struct doctor *d)
{
	bool due = unit_in(d, ".config/systemd/user") ||
	    unit_in(d, "Library/LaunchAgents");
	char *rest = doctor_ask("crontab", "-l"), *line, text[CLOCK_TEXT];
	struct stat st;

	while (!due && (line = strsep(&rest, "\n")) != NULL)
		due = line[strspn(line, " \t")] != '#' &&
		    names(line, d->project.root) &&
		    (names(line, "paneward sweep") ||
		    names(line, "paneward' sweep") ||
		    names(line, "paneward\" sweep"));
	if (due)
		doctor_found(d, OK, NULL, NULL, "this project is swept");
	else
		doctor_found(d, WARNING, "without a watcher nothing is handed "
		    "off", "see 'paneward sweep --help'", "no crontab and no "
		    "unit of yours sweeps this project");
	if (d->dir.state_fd == -1)
		return;
	if (fstatat(d->dir.state_fd, STATUSDIR_SWEPT, &st,
	    AT_SYMLINK_NOFOLLOW) == -1) {
		doctor_found(d, WARNING, NULL, due ? "wait for a minute, or "
		    "see what cron or the timer says" : "run 'paneward sweep'",
		    "none has run yet");
		return;
	}
	clock_format(text, file_mtime(&st));
	if (due && file_mtime(&st) + SWEEP_LATE < clock_wall())
		doctor_found(d, WARNING, "one is due every minute", "see what "
		    "cron or the timer says, and what 'paneward sweep' does by "
		    "hand", "the last one ran at %s", text);
	else
		doctor_found(d, OK, NULL, NULL, "the last one ran at %s", text);
}

/* ---- the command -------------------------------------------------------- */

/* Order matters: later checks use what earlier ones have read. */
static const struct {
	const char *name;
	void      (*check)(struct doctor *);
} checks[] = {
	{ "paneward",         check_program },
	{ "system",           check_system },
	{ "configuration",    check_configuration },
	{ "status directory", check_status_dir },
	{ "tmux",             doctor_check_tmux },
	{ "tmux server",      doctor_check_servers },
	{ "notices",          doctor_check_notices },
	{ "pipes",            doctor_check_pipes },
	{ "watchers",         doctor_check_watchers },
	{ "locale",           check_locale },
	{ "file events",      check_files },
	{ "hooks",            doctor_check_agents },
	{ "shared server",    doctor_check_shared },
	{ "clients",          doctor_check_clients },
	{ "sweep",            check_sweep },
};

enum { OPTION_JSON = 'j' };

static int
doctor_run(const struct command *c, int argc, char **argv)
{
	struct doctor d = { .dir = STATUSDIR_INIT, .servers = SERVERS_INIT };
	struct buf why = BUF_INIT;
	size_t i;
	int key;

	while ((key = command_option(c, argc, argv, NULL)) != -1) {
		if (key == CONTEXT_KEY)
			d.option = optarg;
		else
			d.findings.json = true;
	}
	if (optind < argc)
		command_usage(c, "takes no argument");
	if (project_find(&d.project, ".", &why) == -1)
		fatalx("%s", buf_str(&why));
	for (i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		d.findings.check = checks[i].name;
		checks[i].check(&d);
	}
	return d.findings.worst == PROBLEM ? EXIT_NO : EXIT_DONE;
}

const struct command doctor_command = {
	.name = "doctor",
	.summary = "Check what is installed, what works, and what does not",
	.examples =
	"  paneward doctor\n"
	"  paneward doctor | grep -v ^ok\n",
	.options = (const struct command_option[]){
		{ OPTION_JSON, "json", NULL, "one JSON object per line" },
		CONTEXT_OPTION,
		{ 0 }
	},
	.run = doctor_run,
};

/*
 * doctor.c - checks what is installed, what works, and what does not.
 *
 * A check looks at one thing and changes nothing.  No finding ends the round,
 * since a later check may tell why.
 */
#include "setup/setup.h"

#include <langinfo.h>
#include <locale.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>

#include "agent/backend.h"
#include "data/findings.h"
#include "queue/row.h"
#include "run/panelog.h"
#include "run/run.h"

enum {
	PROGRAM_TIME = 5000,            /* ms for another program's answer */
	ROOM_WATCHERS = 16,             /* fewer are a warning */
	ROOM_DISK = 64,                 /* MiB */
	SWEEP_LATE = 3600000            /* ms without a sweep that is due */
};

struct doctor {
	struct findings findings;
	const char     *option;         /* --status-dir, or NULL */
	struct project  project;
	struct config   config;
	bool            configured;     /* config was read */
	struct statusdir dir;
	struct status  *records;
	size_t          nrecords;
	struct servers   servers;
};

/* Its output, without the last line feeds; NULL: it failed. */
static char *
doctor_ask(const char *program, const char *argument)
{
	struct spawn s = SPAWN_INIT;

	if (spawn_run(&s, &(struct spawn_how){ .limit = PROGRAM_TIME,
	    .argv = WORDS(program, argument) }) != 0)
		return NULL;
	buf_chomp(&s.output);
	return buf_steal(&s.output);
}

static void
check_program(struct doctor *d)
{
	const char *const *file = WORDS("agents/implement.md",
	    "backends/claude.json");

	for (; *file != NULL; file++)
		if (datafile_path(*file, false) == NULL)
			problem(d, "a file of its installation is missing",
			    "install it again", "no '%s'", *file);
	if (d->findings.worst == OK)
		fine(d, "%s, version %s", proc_program(), VERSION);
}

static void
check_configuration(struct doctor *d)
{
	struct buf error = BUF_INIT;

	if (config_read(&d->config, &d->project, &error) != EXIT_DONE)
		problem(d, "no command works until it is corrected", "correct "
		    "it; paneward.json(5) has the keys", "%s", buf_str(&error));
	else
		fine(d, "of the project '%s'", d->project.root);
	d->configured = error.len == 0;
}

static void
check_status_dir(struct doctor *d)
{
	struct buf error = BUF_INIT;
	char *other = NULL, **issue = NULL;
	unsigned long long room;
	struct statvfs v;
	struct status s;
	int ours = 1;

	if (!d->configured && d->option == NULL)
		return;                 /* it may name another one */
	if (statusdir_open(&d->dir, statusdir_path(d->option, &d->config,
	    &d->project), false, &error) == -1)
		problem(d, "no signal and no log is read", "correct that, or "
		    "name another one with --status-dir", "%s",
		    buf_str(&error));
	else if (d->dir.fd == -1)
		fine(d, "'%s' is not there yet; the first run makes it",
		    d->dir.path);
	else if (faccessat(d->dir.fd, ".", W_OK, AT_EACCESS) == -1)
		problem(d, strerror(errno), "make it writable, or name another "
		    "one with --status-dir", "nothing can be recorded in '%s'",
		    d->dir.path);
	else if (d->dir.state_fd != -1 && (ours = statusdir_ours(&d->dir,
	    d->project.root, false, &other)) == -1)
		problem(d, strerror(errno), "see why", "cannot see whose '%s' "
		    "is", d->dir.path);
	else if (ours == 0)
		problem(d, "issues of both would be mixed up", "name another "
		    "one with --status-dir", "'%s' belongs to the project '%s'",
		    d->dir.path, other);
	else
		fine(d, "'%s'", d->dir.path);
	room = d->dir.fd == -1 || fstatvfs(d->dir.fd, &v) == -1 ? ROOM_DISK :
	    (unsigned long long)v.f_bavail * v.f_frsize >> 20;
	if (room < ROOM_DISK)
		warning(d, "paneward acts only on what it has recorded", "make "
		    "room", "only %llu MiB are free in '%s'", room,
		    d->dir.path);
	if (d->dir.state_fd != -1 &&
	    (issue = status_issues(d->dir.state_fd)) == NULL)
		problem(d, strerror(errno), "see why; what the later checks "
		    "say of runs counts only then", "cannot see which issues "
		    "there are in '%s'", d->dir.path);
	for (; issue != NULL && *issue != NULL; issue++)
		if (status_read(&s, d->dir.state_fd, *issue) == 1)
			*ARRAY_ADD(d->records, d->nrecords) = s;
		else
			warning(d, msg_reason(errno), "correct or remove "
			    ".paneward/ISSUE.json there; until then its run is "
			    "unknown", "the status record of issue '%s' cannot "
			    "be read", *issue);
}

static void
check_system(struct doctor *d)
{
	struct utsname u;

	uname(&u);
	if (strcmp(u.sysname, "Linux") == 0)
		fine(d, "%s %s, %s", u.sysname, u.release, u.machine);
	else
		warning(d, "paneward is compiled for macOS and the BSDs, but "
		    "has only been run on Linux", "run 'make test' where its "
		    "source is, and report what fails", "%s %s, %s, is "
		    "untested", u.sysname, u.release, u.machine);
}

static void
check_locale(struct doctor *d)
{
	const char *codes;

	setlocale(LC_CTYPE, "");
	codes = nl_langinfo(CODESET);
	if (strcmp(codes, "UTF-8") == 0 || strcmp(codes, "utf8") == 0)
		fine(d, "%s", codes);
	else
		warning(d, "agents that are started from here may draw other "
		    "characters than the patterns know", "set LANG to a UTF-8 "
		    "locale, such as C.UTF-8", "the characters are %s, not "
		    "UTF-8", codes);
	setlocale(LC_CTYPE, "C");
}

/* Tries as many watchers as a user may start soon. */
static void
check_files(struct doctor *d)
{
	struct notify *tried[ROOM_WATCHERS];
	const char *todo = "raise fs.inotify.max_user_instances with sysctl";
	int why = 0, n = 0;
	bool told;

	while (n < ROOM_WATCHERS && why == 0)
		tried[n++] = notify_new(&why);
	told = tried[0]->fd != -1;
	if (told && d->dir.fd != -1 && notify_watch(tried[0], d->dir.fd,
	    NOTIFY_DIRECTORY) == -1)
		warning(d, strerror(errno), "raise fs.inotify.max_user_watches "
		    "with sysctl", "the kernel watches no more files; they are "
		    "polled every two seconds");
	if (why == 0)
		fine(d, told ? "the kernel reports changes" : "files are "
		    "polled: the system reports no changes");
	else if (!told)
		warning(d, strerror(why), todo, "the kernel reports no "
		    "changes; files are polled every two seconds");
	else
		warning(d, strerror(why), todo, "the kernel reports changes to "
		    "%d more watchers only; others poll files every two "
		    "seconds", n - 1);
	while (n > 0)
		notify_free(tried[--n]);
}

static void
check_tmux(struct doctor *d)
{
	char *version = doctor_ask("tmux", "-V");      /* "tmux 3.3a" */
	const char *number;
	int major = 0, minor = 9;

	if (version == NULL) {
		problem(d, "panes cannot be inspected", "install tmux 3.0 or "
		    "later", "no tmux in PATH answers");
		return;
	}
	sscanf(version, "%*[^0-9]%3d.%3d", &major, &minor);
	number = strchr(version, ' ');
	if (number != NULL && tmux_version_old(number + 1))
		problem(d, "paneward needs 3.0 or later", "install a newer one",
		    "'%s' is too old", version);
	else
		fine(d, "%s%s", version, major == 3 && minor < 6 ? " (a known "
		    "flaw of builds with utempter, as in Debian, is worked "
		    "around)" : "");
}

static void
check_servers(struct doctor *d)
{
	struct servers *all = &d->servers;
	const struct tmux_server *s;
	size_t i;

	if (spawn_find("tmux") == NULL)
		return;                 /* check_tmux() printed that */
	servers_add_usual(all, d->configured ? d->config.sockets : NULL);
	for (i = 0; i < d->nrecords; i++)
		if (!d->records[i].ended && d->records[i].place.socket != NULL)
			servers_add(all, d->records[i].place.socket);
	servers_ask(all, false);
	for (s = all->first; s != NULL; s = s->next) {
		if (s->result == TMUX_OK)
			fine(d, "'%s' answers, %zu panes, %zu clients",
			    s->socket, s->listing.npanes, s->listing.nclients);
		else if (s->result == TMUX_NO_SERVER)
			fine(d, "none at '%s'", s->socket);
		else if (s->result == TMUX_SILENT)
			problem(d, "the state of its panes is unknown until it "
			    "does", "see why, or end it", "the one at "
			    "'%s' does not answer", s->socket);
		else
			problem(d, "the state of its panes is unknown", "try "
			    "'tmux -S' with that socket; a client of the server's "
			    "own version may be needed", "the one at '%s': %s",
			    s->socket, s->why.data ? s->why.data : "failed");
	}
}

static void
check_notices(struct doctor *d)
{
	const struct noticeways *ways = &d->config.notify;
	const struct noticeway *w = ways->way;
	const struct tmux_server *s;
	struct buf error = BUF_INIT;
	bool client = false;            /* its terminal can show a notice */

	if (!d->configured)
		return;
	for (s = d->servers.first; s != NULL; s = s->next)
		client |= s->listing.nclients > 0;
	if (ways->n == 0)
		fine(d, "no notice is sent: 'notify' is not set");
	for (; w < ways->way + ways->n; w++) {
		buf_reset(&error);
		if (noticeway_check(w, &error) == -1)
			warning(d, "no notice is sent by it", "install it, or "
			    "take it out of 'notify'", "%s", buf_str(&error));
		else
			fine(d, "by %s%s", noticeway_name(w->kind), w->kind >
			    NOTICEWAY_OSC || client ? "" : ", once a client is "
			    "attached");
	}
}

static void
check_pipes(struct doctor *d)
{
	const char *why = "only its screen is read";
	const struct status *r = d->records;
	struct server_pane p;
	size_t ours = 0;

	for (; r < d->records + d->nrecords; r++) {
		if (run_life(&d->servers, r, &p) != PANE_LIVES)
			continue;
		if (!p.pane->pipe)
			warning(d, why, "'paneward watch' opens one", "pane %s "
			    "of issue '%s' has no pipe", p.pane->id, r->issue);
		else if (panelog_writer(d->dir.state_fd, r->issue,
		    PANE_NAME(&r->place), NULL) == PANELOG_UNWRITTEN)
			warning(d, why, "'paneward watch --steal-pipe' takes "
			    "it over", "pane %s of issue '%s' has another "
			    "program's pipe", p.pane->id, r->issue);
		else
			ours++;
	}
	if (ours > 0)
		fine(d, "%zu of issues' panes are logged", ours);
}

static void
check_watchers(struct doctor *d)
{
	const struct status *r = d->records;
	struct presence x;
	const char *ended;
	msec when;

	presence_init(&x);
	presence_enter(&x, d->dir.state_fd);
	for (; r < d->records + d->nrecords; r++) {
		when = presence_unwatched(&x, r);
		if (x.unsure != 0)
			warning(d, strerror(x.unsure), "see why", "cannot see "
			    "whether issue '%s' is watched", r->issue);
		if (when == 0)
			continue;
		ended = presence_ended(&x, r);
		warning(d, ended ? ended : "changes of its state are not "
		    "recorded", "run 'paneward watch' or 'paneward sweep'",
		    "issue '%s' is unwatched since %s", r->issue,
		    CLOCK_WORDS(when));
	}
	if (lock_held(d->dir.state_fd, STATUSDIR_ALL, NULL) == 1)
		fine(d, "a watcher follows all issues, later ones too");
}

static size_t
look_hooks(struct doctor *d, const struct agenthooks *h, const char *root,
    const char *folder)
{
	char *path = xasprintf("%s%s%s/%s", root, folder[0] ? "/" : "", folder,
	    h->file), **p;
	struct buf text = BUF_INIT, why = BUF_INIT;
	int ret = file_read(AT_FDCWD, path, 0, &text, OURHOOKS_MAX + 1);
	size_t n;
	bool own;

	if (ret == -1 && !file_missing(errno))
		warning(d, errno == EINVAL ? "it is not a regular file" :
		    strerror(errno), "make it readable, if it is to have hooks",
		    "cannot read '%s'", path);
	if (ret == 0 && text.len > OURHOOKS_MAX)
		warning(d, "it is not searched for hooks", "make it smaller, "
		    "if it is to have hooks", "'%s' is larger than %d bytes",
		    path, OURHOOKS_MAX);
	if (ret == -1 || text.len > OURHOOKS_MAX)
		return 0;
	ret = ourhooks_list(&h->dialect, &text, &p, &own, &why);
	n = argv_count(p);
	while (n > 0 && *p != NULL && access(*p, X_OK) == 0)
		p++;
	if (ret == -1)
		warning(d, buf_str(&why), "correct it, then run 'paneward "
		    "init' for it", "cannot tell which hooks are in '%s'",
		    path);
	else if (n > 0 && *p != NULL)
		problem(d, "the agent reports nothing", "run 'paneward init' "
		    "for it again", "the hooks of %s in '%s' run '%s', which "
		    "is not there", h->title, path, *p);
	if (ret == 1 && n > 0 && !h->dialect.comments) {
		buf_adds(&why, ", which not every agent ignores");
		warning(d, buf_str(&why), "take the comments out", "the hooks "
		    "of %s in '%s' may not run", h->title, path);
	} else if (n > 0 && *p == NULL) {
		fine(d, "%s: %zu in '%s'", h->title, n, path);
	}
	return n;
}

static void
check_agents(struct doctor *d)
{
	const char *home = getenv("HOME"), *named, *root = d->project.root;
	struct buf given = BUF_INIT, error = BUF_INIT;
	char **agent = dialect_agents();
	bool any = false, session;
	const struct status *r;
	struct agenthooks h;
	size_t here, own;
	struct launch l;

	for (; agent != NULL && *agent != NULL; agent++) {
		buf_reset(&error);
		if (agenthooks_read(&h, *agent, &error) == -1) {
			problem(d, "its hooks are unknown", "correct it, or "
			    "install paneward again", "%s", buf_str(&error));
			continue;
		}
		session = json_member(h.data, "session") != NULL;
		here = look_hooks(d, &h, root, h.folder);
		own = 0;
		if (!ourhooks_named_folder(&h.dialect, &named, &error))
			warning(d, "what the agent reads depends on where it "
			    "is started", "make it absolute, or unset it", "%s",
			    buf_str(&error));
		else if (named != NULL)
			own = look_hooks(d, &h, named, "");
		else if (home != NULL && home[0] == '/' &&
		    (strcmp(home, root) != 0 ||
		    strcmp(h.folder, h.user_folder) != 0))
			own = look_hooks(d, &h, home, h.user_folder);
		if (here > 0 && own > 0)
			warning(d, "every event is recorded twice", "remove "
			    "one of them with 'paneward init --remove'", "%s "
			    "has them in the project and in your own settings",
			    h.title);
		/* In a linked work tree the settings there count.  An agent
		 * of ours has hooks for its session. */
		for (r = d->records; own == 0 &&
		    ourhooks_installed(&h.dialect, root) &&
		    r < d->records + d->nrecords; r++)
			if (!status_over(r) && r->worktree != NULL &&
			    r->backend != NULL &&
			    strcmp(r->backend, *agent) == 0 &&
			    !(session && launch_noted(&l, d->dir.state_fd,
			    r->issue, r->run)) &&
			    !ourhooks_installed(&h.dialect, r->worktree))
				warning(d, "the project's hooks are not in its "
				    "work tree", "commit them, or use "
				    "'paneward init --user'", "%s works on "
				    "issue '%s' without hooks", h.title,
				    r->issue);
		if (session)
			buf_printf(&given, "%s%s", given.len > 0 ? ", " :
			    " (paneward start brings them for ", h.title);
		any |= here > 0 || own > 0;
	}
	if (!any)
		warning(d, "an agent that you start yourself shows less in its "
		    "pane alone, and later", "see 'paneward init --help'", "no "
		    "agent's settings have paneward's hooks%s%s",
		    buf_str(&given), given.len > 0 ? ")" : "");
}

/* Codex starts "codex app-server --listen ... --managed-daemon", perhaps by a
 * wrapper. */
static void
check_shared(struct doctor *d)
{
	char **pid = file_names(AT_FDCWD, "/proc");
	const struct status *r = d->records;
	struct buf error = BUF_INIT;
	char **words, **argv, *program;
	struct backend b;
	struct stat st;

	for (; pid != NULL && *pid != NULL; pid++) {
		if (strchr("123456789", **pid) == NULL ||
		    stat(xasprintf("/proc/%s", *pid), &st) == -1 ||
		    st.st_uid != geteuid())
			continue;
		words = proc_words((pid_t)atol(*pid));
		if (argv_has(words, "app-server") &&
		    argv_has(words, "--managed-daemon"))
			warning(d, "it runs the tools and hooks of every Codex "
			    "without --no-daemon, in the environment of the "
			    "first one", "'paneward start' keeps out of it; "
			    "end it with 'codex app-server daemon stop'",
			    "process %s is a shared server of Codex", *pid);
	}
	for (; r < d->records + d->nrecords; r++) {
		if (r->backend == NULL ||
		    !proc_alive(r->agent.pid, r->agent.start) ||
		    backend_read(&b, r->backend, &error) == -1)
			continue;
		words = proc_words(r->agent.pid);
		if (words == NULL || b.command == NULL || b.if_known[0] == NULL)
			continue;
		argv = backend_keep(&b, words);
		program = spawn_find(argv[0]);
		if (program != NULL &&
		    backend_add_known(&b, program, &argv) > 0)
			warning(d, "its tools may report for another issue",
			    "'paneward reload' restarts it with it", "the "
			    "agent of issue '%s' runs without %s", r->issue,
			    argv[1]);
	}
}

/* issue: its agent has the version, else the installed one has. */
static void
found_version(struct doctor *d, const struct backend *b, const char *issue,
    const char *version)
{
	struct buf what = BUF_INIT;
	char **tried;

	if (issue != NULL)
		buf_printf(&what, "the agent of issue '%s' is ", issue);
	buf_printf(&what, "%s %s", b->command, version);
	for (tried = b->tried; *tried != NULL; tried++)
		buf_printf(&what, "%s %s", tried == b->tried ?
		    "; its rules were tried with" : ",", *tried);
	if (tried == b->tried)
		buf_adds(&what, "; its rules were not tried");
	if (clientversion_newer(b, version))
		warning(d, "a newer one may show or write down something else",
		    "if 'paneward explain' is wrong about a pane, keep it with "
		    "--save", "%s", buf_str(&what));
	else if (issue == NULL)
		fine(d, "%s", buf_str(&what));
}

/* All clients are asked at once: each may take a second. */
static void
check_clients(struct doctor *d)
{
	char **names = datafile_names(BACKEND_FOLDER, ".json"), *version;
	size_t n = argv_count(names);
	struct asked {
		struct backend b;
		struct spawn   s;
		bool           begun;
	}   *asked = xcalloc(n, sizeof(*asked)), *a;
	struct buf error = BUF_INIT;
	const struct status *r;
	struct marker_set set;
	struct event_evidence ignored;
	struct transcript t;

	for (a = asked; a < asked + n; a++) {
		if (backend_read(&a->b, names[a - asked], &error) == 0)
			a->begun = clientversion_begin(&a->s, &a->b);
		else
			warning(d, "no agent is known by it", "correct it, or "
			    "remove it", "%s", buf_str(&error));
		buf_reset(&error);
	}
	for (a = asked; a < asked + n; a++) {
		buf_reset(&error);
		version = a->begun ? clientversion_end(&a->s, &error) : NULL;
		if (version != NULL)
			found_version(d, &a->b, NULL, version);
		else if (a->begun)
			warning(d, buf_str(&error), "see what it says to that",
			    "the version of '%s %s' is unknown", a->b.command,
			    a->b.version[0]);
		for (r = d->records; r < d->records + d->nrecords; r++) {
			if (status_over(r) || r->transcript.path == NULL ||
			    r->backend == NULL || a->b.transcript == NULL ||
			    strcmp(r->backend, names[a - asked]) != 0)
				continue;
			t = (struct transcript){ .format = a->b.transcript,
			    .markers = &set, .events = &ignored };
			marker_set_init(&set, r->issue, r->run, NULL);
			version = transcript_read_path(&t,
			    r->transcript.path) != -1 ?
			    clientversion_in(t.version) : NULL;
			if (version != NULL)
				found_version(d, &a->b, r->issue, version);
		}
	}
}

/* Does a word of the text end so? */
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

/* Does a file of ours in this folder name the project? */
static bool
unit_in(const struct doctor *d, const char *folder)
{
	const char *home = getenv("HOME");
	char *path = xasprintf("%s/%s", home ? home : "", folder);
	char **name = file_names(AT_FDCWD, path);
	struct buf text = BUF_INIT;

	for (; name != NULL && *name != NULL; name++) {
		buf_reset(&text);
		if (strstr(*name, "paneward") != NULL &&
		    file_read(AT_FDCWD, xasprintf("%s/%s", path, *name), 0,
		    &text, 1 << 20) == 0 &&
		    names(buf_str(&text), d->project.root))
			return true;
	}
	return false;
}

/* A sweep is late only if one is due. */
static void
check_sweep(struct doctor *d)
{
	bool due = unit_in(d, ".config/systemd/user") ||
	    unit_in(d, "Library/LaunchAgents");
	char *rest = doctor_ask("crontab", "-l"), *line;
	struct stat st;
	int there;

	while (!due && (line = strsep(&rest, "\n")) != NULL)
		due = line[strspn(line, " \t")] != '#' &&
		    names(line, d->project.root) &&
		    (names(line, "paneward sweep") ||
		    names(line, "paneward' sweep") ||
		    names(line, "paneward\" sweep"));
	if (due)
		fine(d, "this project is swept");
	else
		warning(d, "without a watcher nothing is handed off", "see "
		    "'paneward sweep --help'", "no crontab and no unit of "
		    "yours sweeps this project");
	if (d->dir.state_fd == -1)
		return;
	there = file_look(d->dir.state_fd, STATUSDIR_SWEPT,
	    AT_SYMLINK_NOFOLLOW, &st);
	if (there == -1)
		problem(d, strerror(errno), "see why", "cannot see when the "
		    "last one ran");
	else if (there == 0)
		warning(d, NULL, due ? "wait for a minute, or see the log of "
		    "cron or the timer" : "run 'paneward sweep'", "no sweep "
		    "has run yet");
	else if (due && file_mtime(&st) + SWEEP_LATE < clock_wall())
		warning(d, "one is due every minute", "see the log of cron or "
		    "the timer, and run 'paneward sweep' by hand", "the "
		    "last one ran at %s", CLOCK_WORDS(file_mtime(&st)));
	else
		fine(d, "the last one ran at %s", CLOCK_WORDS(file_mtime(&st)));
}

/* Later checks use what earlier ones have read. */
static const struct {
	const char *name;
	void      (*check)(struct doctor *);
} checks[] = {
	{ "paneward",         check_program },
	{ "system",           check_system },
	{ "configuration",    check_configuration },
	{ "status directory", check_status_dir },
	{ "tmux",             check_tmux },
	{ "tmux server",      check_servers },
	{ "notices",          check_notices },
	{ "pipes",            check_pipes },
	{ "watchers",         check_watchers },
	{ "locale",           check_locale },
	{ "file events",      check_files },
	{ "hooks",            check_agents },
	{ "shared server",    check_shared },
	{ "clients",          check_clients },
	{ "sweep",            check_sweep },
};

static int
doctor_run(const struct command *c, int argc, char **argv)
{
	struct doctor d = { .dir = STATUSDIR_INIT, .servers = SERVERS_INIT };
	struct buf why = BUF_INIT;
	size_t i;

	command_option(c, argc, argv, &d);
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
		JSON_AT(struct doctor, findings.json,
		    "one JSON object per line"),
		CONTEXT_OPTION_AT(struct doctor, option),
		{ 0 }
	},
	.run = doctor_run,
};

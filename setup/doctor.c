/*
 * doctor.c - paneward doctor: what is installed, what works, what does not
 * and why.
 *
 * A check looks at one thing and changes nothing.  What it finds is said in
 * one line each: how bad it is, what it is, why that matters, what to do.
 * Nothing that is wrong ends the round: the next check may tell why.  The round
 * is short, so checks leave what they allocate to the system.
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/clientversion.h"
#include "base/alloc.h"
#include "base/argv.h"
#include "base/clock.h"
#include "base/command.h"
#include "base/issue.h"
#include "base/msg.h"
#include "os/file.h"
#include "os/lock.h"
#include "os/notify.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "project/config.h"
#include "project/context.h"
#include "project/project.h"
#include "project/statusdir.h"
#include "queue/presence.h"
#include "run/launch.h"
#include "run/panelog.h"
#include "run/run.h"
#include "run/status.h"
#include "setup/agenthooks.h"
#include "setup/commands.h"
#include "text/datafile.h"
#include "text/json.h"
#include "tmux/servers.h"

enum {
	PROGRAM_TIME = 5000,            /* ms for another program's answer */
	ROOM_WATCHERS = 16,             /* fewer are a warning */
	ROOM_DISK = 64,                 /* MiB */
	SWEEP_LATE = 3600000            /* ms without a sweep that is due */
};

enum level { OK, WARNING, PROBLEM };

static const char *const level_names[] = { "ok", "warning", "problem" };

struct doctor {
	bool            json;
	const char     *option;         /* --status-dir, or NULL */
	const char     *check;          /* the one that looks */
	bool            silent;         /* prints nothing */
	enum level      worst;
	struct project  project;
	struct config   config;
	bool            configured;     /* config was read */
	struct statusdir dir;
	struct status  *records;
	size_t          nrecords;
	struct servers   servers;
};

/* Prints what was found; why it matters may be NULL, and what to do if nothing
 * is wrong. */
static void __attribute__((format(printf, 5, 6)))
found(struct doctor *d, enum level level, const char *why, const char *todo,
    const char *what, ...)
{
	struct buf text = BUF_INIT, line = BUF_INIT;
	va_list ap;
	cJSON *o;

	assert(level == OK || todo != NULL);
	if (d->silent)
		return;
	va_start(ap, what);
	buf_vprintf(&text, what, ap);
	va_end(ap);
	if (d->json) {
		o = json_new_object();
		json_add_text(o, "check", d->check);
		json_add_text(o, "result", level_names[level]);
		json_add_text(o, "what", buf_str(&text));
		json_add_text(o, "why", why);
		json_add_text(o, "do", todo);
		json_print(&line, o);
		json_free(o);
	} else {
		if (why != NULL)
			buf_printf(&text, ": %s", why);
		if (todo != NULL)
			buf_printf(&text, "; %s", todo);
		buf_printf(&line, "%-8s %s: ", level_names[level], d->check);
		msg_escape(&line, text.data, text.len);
	}
	puts(buf_str(&line));
	if (level > d->worst)
		d->worst = level;
	buf_release(&text);
	buf_release(&line);
}

/* ---- paneward itself ---------------------------------------------------- */

static void
check_program(struct doctor *d)
{
	static const struct { const char *folder, *name; } data[] = {
		{ "agents", "implement.md" },
		{ "backends", "claude.json" },
	};
	const char *program = proc_program();
	size_t i;

	for (i = 0; i < sizeof(data) / sizeof(data[0]); i++)
		if (datafile_find(data[i].folder, data[i].name) == NULL)
			found(d, PROBLEM, "a file of its installation is "
			    "missing", "install it again", "no '%s/%s'",
			    data[i].folder, data[i].name);
	if (d->worst == OK)
		found(d, OK, NULL, NULL, "%s, version %s", program ? program :
		    "paneward", VERSION);
}

static void
check_configuration(struct doctor *d)
{
	struct buf error = BUF_INIT;

	if (config_read(&d->config, &d->project, &error) == -1)
		found(d, PROBLEM, "no command works until it is corrected",
		    "correct it; paneward.json(5) has the keys",
		    "%s", buf_str(&error));
	else
		found(d, OK, NULL, NULL, "of the project '%s'",
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
		found(d, WARNING, strerror(errno), "correct or remove "
		    ".paneward/ISSUE.json there; until then its run is unknown",
		    "the status record of issue '%s' cannot be read", issue);
		status_release(&s);
		return;
	}
	d->records = xreallocarray(d->records, d->nrecords + 1,
	    sizeof(*d->records));
	d->records[d->nrecords++] = s;
}

static void
check_open_directory(struct doctor *d)
{
	const char *path = d->dir.path;
	char *other = NULL;
	unsigned long long room;
	struct statvfs v;

	if (faccessat(d->dir.fd, ".", W_OK, AT_EACCESS) == -1)
		found(d, PROBLEM, strerror(errno), "make it writable, or "
		    "name another one with --status-dir",
		    "nothing can be recorded in '%s'", path);
	else if (d->dir.state_fd != -1 && !statusdir_ours(&d->dir,
	    d->project.root, false, &other))
		found(d, PROBLEM, "issues of both would be mixed up",
		    "name another one with --status-dir",
		    "'%s' belongs to the project '%s'", path, other);
	else
		found(d, OK, NULL, NULL, "'%s'", path);
	room = fstatvfs(d->dir.fd, &v) == -1 ? ROOM_DISK :
	    (unsigned long long)v.f_bavail * v.f_frsize >> 20;
	if (room < ROOM_DISK)
		found(d, WARNING, "paneward acts only on what it has recorded",
		    "make room", "only %llu MiB are free in '%s'", room, path);
	if (d->dir.state_fd != -1)
		statusdir_names(d->dir.state_fd, doctor_take_record, d);
}

static void
check_status_dir(struct doctor *d)
{
	struct buf error = BUF_INIT;

	if (!d->configured && d->option == NULL)
		return;                 /* it may name another one */
	if (statusdir_open(&d->dir, statusdir_path(d->option, &d->config,
	    &d->project), false, &error) == -1)
		found(d, PROBLEM, "no signal and no log is read", "correct "
		    "that, or name another one with --status-dir",
		    "%s", buf_str(&error));
	else if (d->dir.fd == -1)
		found(d, OK, NULL, NULL, "'%s' is not there yet; the first run "
		    "makes it", d->dir.path);
	else
		check_open_directory(d);
}

/* ---- tmux --------------------------------------------------------------- */

/* What another program writes, without line feeds at the end; NULL if it
 * cannot be run or fails. */
static char *
ask_program(const char *program, const char *argument)
{
	const struct spawn_how how = { .argv = WORDS(program, argument),
	    .limit = PROGRAM_TIME };
	struct spawn s = SPAWN_INIT;

	if (spawn_run(&s, &how) != 0)
		return NULL;
	buf_chomp(&s.output);
	return buf_steal(&s.output);
}

static void
check_tmux(struct doctor *d)
{
	char *version = ask_program("tmux", "-V");      /* "tmux 3.3a" */
	const char *number;
	int major, minor;

	if (version == NULL) {
		found(d, PROBLEM, "panes cannot be inspected",
		    "install tmux 3.0 or later", "no tmux in PATH answers");
		return;
	}
	number = strchr(version, ' ');
	if (number != NULL && tmux_version_old(number + 1))
		found(d, PROBLEM, "paneward needs 3.0 or later",
		    "install a newer one", "'%s' is too old", version);
	else
		found(d, OK, NULL, NULL, "%s", version);
	number = version + strcspn(version, "0123456789");
	if (sscanf(number, "%3d.%3d", &major, &minor) == 2 && major == 3 &&
	    minor < 6)
		found(d, WARNING, "if it is built with utempter, as in "
		    "Debian and Ubuntu", "paneward makes it look again, which "
		    "works as long as the server runs as you; tmux 3.6 needs "
		    "no help",
		    "it may not notice that a pane's process has ended");
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
	for (i = 0; i < all->n; i++) {
		s = &all->server[i];
		if (s->result == TMUX_OK)
			found(d, OK, NULL, NULL, "'%s' answers, %zu panes, %zu "
			    "clients", s->socket, s->listing.npanes,
			    s->listing.nclients);
		else if (s->result == TMUX_NO_SERVER)
			found(d, OK, NULL, NULL, "none at '%s'", s->socket);
		else if (s->result == TMUX_SILENT)
			found(d, PROBLEM, "what its panes do is unknown until "
			    "it does", "see what holds it up, or end it",
			    "the one at '%s' does not answer", s->socket);
		else
			found(d, PROBLEM, "what its panes do is unknown",
			    "try 'tmux -S' with that socket; a client of the "
			    "server's own version may be needed",
			    "the one at '%s': %s", s->socket,
			    s->why.data ? s->why.data : "failed");
	}
}

/* Is a client attached, at which a terminal would show a notice? */
static bool
any_client(const struct servers *all)
{
	size_t i;

	for (i = 0; i < all->n; i++)
		if (all->server[i].listing.nclients > 0)
			return true;
	return false;
}

static void
check_notices(struct doctor *d)
{
	const struct noticeways *ways = &d->config.notify;
	bool client = any_client(&d->servers);
	struct buf error = BUF_INIT;
	enum noticeway_kind kind;
	size_t i;

	if (!d->configured)
		return;
	if (ways->n == 0)
		found(d, OK, NULL, NULL, "none is sent: 'notify' is not set");
	for (i = 0; i < ways->n; i++) {
		kind = ways->way[i].kind;
		buf_reset(&error);
		if (noticeway_check(&ways->way[i], &error) == -1)
			found(d, PROBLEM, "watch and sweep refuse to run",
			    "install it, or take it out of 'notify'", "%s",
			    buf_str(&error));
		else
			found(d, OK, NULL, NULL, "by %s%s",
			    noticeway_name(kind), kind > NOTICEWAY_OSC ||
			    client ? "" : ", once a client is attached");
	}
	buf_release(&error);
}

/* A pane's output is only known if the pipe of the pane is ours. */
static void
check_pipes(struct doctor *d)
{
	const char *why = "only its screen is read";
	char name[PANE_REF_NAME];
	const struct status *r;
	size_t i, ours = 0;
	struct server_pane p;
	uint64_t start;
	pid_t pid;

	for (i = 0; i < d->nrecords; i++) {
		r = &d->records[i];
		if (d->servers.n == 0 ||
		    run_life(&d->servers, r, &p) != PANE_LIVES)
			continue;
		pane_ref_name(name, &r->place);
		if (!p.pane->pipe)
			found(d, WARNING, why, "'paneward watch' opens one",
			    "pane %s of issue '%s' has no pipe", p.pane->id,
			    r->issue);
		else if (panelog_writer(d->dir.state_fd, r->issue, name, &pid,
		    &start) == PANELOG_UNWRITTEN)
			found(d, WARNING, why, "'paneward watch --steal-pipe' "
			    "takes it over", "pane %s of issue '%s' has "
			    "another program's pipe", p.pane->id, r->issue);
		else
			ours++;
	}
	if (ours > 0)
		found(d, OK, NULL, NULL, "%zu of issues' panes are logged",
		    ours);
}

static void
check_watchers(struct doctor *d)
{
	struct presence x;
	const char *ended;
	char since[CLOCK_TEXT];
	msec when;
	size_t i;

	presence_init(&x);
	presence_enter(&x, d->dir.state_fd);
	for (i = 0; i < d->nrecords; i++) {
		when = presence_unwatched(&x, &d->records[i]);
		if (when == 0)
			continue;
		ended = presence_ended(&x, &d->records[i]);
		clock_format(since, when);
		found(d, WARNING, ended ? ended : "changes of its state are "
		    "not recorded", "run 'paneward watch' or 'paneward sweep'",
		    "issue '%s' is unwatched since %s", d->records[i].issue,
		    since);
	}
	if (lock_held(d->dir.state_fd, STATUSDIR_ALL, NULL))
		found(d, OK, NULL, NULL, "a watcher follows all issues, later "
		    "ones too");
}

/* ---- the system --------------------------------------------------------- */

static void
check_locale(struct doctor *d)
{
	const char *codes;

	setlocale(LC_CTYPE, "");
	codes = nl_langinfo(CODESET);
	if (strcmp(codes, "UTF-8") == 0 || strcmp(codes, "utf8") == 0)
		found(d, OK, NULL, NULL, "%s", codes);
	else
		found(d, WARNING, "agents that are started from here may draw "
		    "other characters than the patterns know",
		    "set LANG to a UTF-8 locale, such as C.UTF-8",
		    "the characters are %s, not UTF-8", codes);
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
	told = notify_fd(tried[0]) != -1;
	if (told && d->dir.fd != -1 && notify_watch(tried[0],
	    d->dir.fd, NOTIFY_DIRECTORY) == -1)
		found(d, WARNING, strerror(errno), "raise "
		    "fs.inotify.max_user_watches with sysctl",
		    "the kernel watches no more files; they are polled every "
		    "two seconds");
	if (!told && why == 0)
		found(d, OK, NULL, NULL, "files are polled: the system reports "
		    "no changes");
	else if (!told)
		found(d, WARNING, strerror(why), "raise "
		    "fs.inotify.max_user_instances with sysctl", "the kernel "
		    "reports no changes; files are polled every two seconds");
	else if (why != 0)
		found(d, WARNING, strerror(why), "raise "
		    "fs.inotify.max_user_instances with sysctl", "the kernel "
		    "reports changes to %d more watchers only; others poll "
		    "files every two seconds", n - 1);
	else
		found(d, OK, NULL, NULL, "the kernel reports changes");
	while (n > 0)
		notify_free(tried[--n]);
}

/* ---- agents' hooks ------------------------------------------------------ */

/* The number of our hooks in the text of a file. */
static size_t
look_text(struct doctor *d, const struct agenthooks *h, const char *path,
    struct buf *text)
{
	struct buf why = BUF_INIT;
	char **programs, **p;
	bool own;
	int ret = ourhooks_list(&h->dialect, text, &programs, &own, &why);
	size_t n = argv_count(programs);

	for (p = programs; n > 0 && *p != NULL && access(*p, X_OK) == 0; p++)
		continue;
	if (ret == -1)
		found(d, WARNING, buf_str(&why), "correct it, then run "
		    "'paneward init' for it",
		    "cannot tell which hooks are in '%s'", path);
	else if (n > 0 && *p != NULL)
		found(d, PROBLEM, "the agent reports nothing",
		    "run 'paneward init' for it again",
		    "the hooks of %s in '%s' run '%s', which is not there",
		    h->title, path, *p);
	if (ret == 1 && n > 0 && !h->comments) {
		buf_adds(&why, ", which not every agent ignores");
		found(d, WARNING, buf_str(&why), "take the comments out",
		    "the hooks of %s in '%s' may not run", h->title, path);
	} else if (n > 0 && *p == NULL) {
		found(d, OK, NULL, NULL, "%s: %zu in '%s'", h->title, n, path);
	}
	return n;
}

/* The number of our hooks in the settings below this folder. */
static size_t
look_hooks(struct doctor *d, const struct agenthooks *h, const char *root,
    const char *folder)
{
	char *path = xasprintf("%s%s%s/%s", root, folder[0] ? "/" : "", folder,
	    h->file);
	struct buf text = BUF_INIT;
	size_t n = 0;

	if (file_read(AT_FDCWD, path, 0, &text, OURHOOKS_MAX + 1) == 0 &&
	    text.len <= OURHOOKS_MAX)
		n = look_text(d, h, path, &text);
	else if (text.len > OURHOOKS_MAX)
		found(d, WARNING, "it is not searched for hooks",
		    "make it smaller, if it is to have hooks",
		    "'%s' is larger than %d bytes", path, OURHOOKS_MAX);
	else if (errno != ENOENT && errno != ENOTDIR)
		found(d, WARNING, errno == EINVAL ? "it is not a regular file" :
		    strerror(errno), "make it readable, if it is to have hooks",
		    "cannot read '%s'", path);
	return n;
}

static size_t
look_user_hooks(struct doctor *d, const struct agenthooks *h)
{
	const char *home = getenv("HOME"), *named;
	struct buf why = BUF_INIT;

	if (!ourhooks_named_folder(&h->dialect, &named, &why)) {
		found(d, WARNING, "what the agent reads depends on where it "
		    "is started", "make it absolute, or unset it", "%s",
		    buf_str(&why));
		return 0;
	}
	if (named != NULL)
		return look_hooks(d, h, named, "");
	if (home == NULL || home[0] != '/' ||
	    (strcmp(home, d->project.root) == 0 &&
	    strcmp(h->folder, h->user_folder) == 0))
		return 0;
	return look_hooks(d, h, home, h->user_folder);
}

/* Was it started by paneward, which gives it hooks for its session? */
static bool
has_session_hooks(const struct doctor *d, const struct agenthooks *h,
    const struct status *r)
{
	struct launch l;

	if (json_member(h->data, "session") == NULL ||
	    launch_noted(&l, d->dir.state_fd, r->issue, r->run) != 1)
		return false;
	launch_release(&l);
	return true;
}

/* An agent in a linked work tree reads the settings that lie there. */
static void
check_worktrees(struct doctor *d, const struct agenthooks *h)
{
	const struct status *r;
	size_t i, n;

	for (i = 0; i < d->nrecords; i++) {
		r = &d->records[i];
		if (status_over(r) || r->worktree == NULL ||
		    r->backend == NULL ||
		    strcmp(r->backend, h->dialect.agent) != 0 ||
		    has_session_hooks(d, h, r))
			continue;
		d->silent = true;
		n = look_hooks(d, h, r->worktree, h->folder);
		d->silent = false;
		if (n == 0)
			found(d, WARNING, "those of the project are not in its "
			    "work tree", "commit them, or use 'paneward init "
			    "--user'", "%s works on issue '%s' without hooks",
			    h->title, r->issue);
	}
}

/* Adds the agent to those that get hooks for a session. */
static bool
check_agent(struct doctor *d, const char *agent, struct buf *given)
{
	struct buf error = BUF_INIT;
	struct agenthooks h;
	size_t here, own;

	if (agenthooks_read(&h, agent, &error) == -1) {
		found(d, PROBLEM, "its hooks are unknown", "correct it, or "
		    "install paneward again", "%s", buf_str(&error));
		return false;
	}
	here = look_hooks(d, &h, d->project.root, h.folder);
	own = look_user_hooks(d, &h);
	if (here > 0 && own > 0)
		found(d, WARNING, "every event is recorded twice",
		    "remove one of them with 'paneward init --remove'",
		    "%s has them in the project and in your own settings",
		    h.title);
	if (here > 0 && own == 0)
		check_worktrees(d, &h);
	if (json_member(h.data, "session") != NULL)
		buf_printf(given, "%s%s", given->len > 0 ? ", " : "", h.title);
	agenthooks_release(&h);
	return here > 0 || own > 0;
}

static void
check_agents(struct doctor *d)
{
	char **agents = dialect_agents(), **p;
	struct buf given = BUF_INIT;
	bool any = false;

	for (p = agents; p != NULL && *p != NULL; p++)
		any = check_agent(d, *p, &given) || any;
	if (!any)
		found(d, WARNING, "panes alone show less, and later",
		    "see 'paneward init --help'", "no agent has paneward's "
		    "hooks in its settings, as far as files tell%s%s",
		    given.len > 0 ? "; those that paneward starts get them "
		    "for a session: " : "", buf_str(&given));
	buf_release(&given);
}

/* ---- servers that agents share ------------------------------------------ */

/* Codex starts it as "codex app-server --listen ... --managed-daemon".  The
 * wrapper of its npm package has the same words behind the first one. */
static void
check_daemon(struct doctor *d)
{
	DIR *dir = opendir("/proc");
	const struct dirent *e;
	struct stat st;
	char **words;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		if (strchr("123456789", e->d_name[0]) == NULL ||
		    fstatat(dirfd(dir), e->d_name, &st, 0) == -1 ||
		    st.st_uid != geteuid())
			continue;
		words = proc_words((pid_t)atol(e->d_name));
		if (argv_has(words, "app-server") &&
		    argv_has(words, "--managed-daemon"))
			found(d, WARNING, "it runs the tools and hooks of "
			    "every Codex without --no-daemon, in the "
			    "environment of the first one",
			    "'paneward start' keeps out of it; end it with "
			    "'codex app-server daemon stop'",
			    "process %s is a shared server of Codex",
			    e->d_name);
		argv_free(words);
	}
	if (dir != NULL)
		closedir(dir);
}

static void
check_shared(struct doctor *d)
{
	struct buf error = BUF_INIT;
	char **words, **argv, *program;
	const struct status *r;
	struct backend b;
	size_t i;

	check_daemon(d);
	for (i = 0; i < d->nrecords; i++) {
		r = &d->records[i];
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
			found(d, WARNING, "its tools may report for another "
			    "issue", "'paneward reload' restarts it with it",
			    "the agent of issue '%s' runs without %s",
			    r->issue, argv[1]);
	}
}

/* ---- versions of clients ------------------------------------------------ */

/* A client, which is asked for its version. */
struct asked {
	struct backend b;
	struct spawn   s;
	bool           begun;
};

/* issue: the agent of that one, which may be older than what is installed;
 * NULL: the one that is installed. */
static void
found_version(struct doctor *d, const struct backend *b, const char *issue,
    const char *version)
{
	struct buf what = BUF_INIT;
	char **tried;

	buf_printf(&what, "%s%s%s%s %s", issue ? "the agent of issue '" : "",
	    issue ? issue : "", issue ? "' is " : "", b->command, version);
	for (tried = b->tried; *tried != NULL; tried++)
		buf_printf(&what, "%s %s", tried == b->tried ?
		    "; its rules were tried with" : ",", *tried);
	if (clientversion_newer(b, version))
		found(d, WARNING, "a newer one may show or write down "
		    "something else", "if 'paneward explain' is wrong about a "
		    "pane, keep it with --save", "%s", buf_str(&what));
	else if (issue == NULL)
		found(d, OK, NULL, NULL, "%s", buf_str(&what));
	buf_release(&what);
}

static void
found_answer(struct doctor *d, struct asked *a)
{
	struct buf why = BUF_INIT;
	char *version = clientversion_end(&a->s, &why);

	if (version != NULL)
		found_version(d, &a->b, NULL, version);
	else
		found(d, WARNING, buf_str(&why), "see what it says to that",
		    "the version of '%s %s' is unknown", a->b.command,
		    a->b.version[0]);
}

/* What the client of a run wrote down of itself. */
static void
check_client_of(struct doctor *d, const struct status *r,
    const struct backend *b)
{
	struct marker_set set;
	struct transcript t = { .format = b->transcript, .markers = &set };
	char *version = NULL;
	int fd = transcript_open(r->transcript.path);

	marker_set_init(&set, r->issue, r->run, NULL);
	if (fd != -1 && transcript_read(&t, fd) != -1)
		version = clientversion_in(t.version);
	if (fd != -1)
		close(fd);
	if (version != NULL)
		found_version(d, b, r->issue, version);
}

/* All are asked at once, since each may take a second. */
static void
check_clients(struct doctor *d)
{
	char **names = datafile_names(BACKEND_FOLDER, ".json");
	size_t n = argv_count(names), i, j;
	struct asked *asked = xcalloc(n, sizeof(*asked)), *a;
	struct buf error = BUF_INIT;
	const struct status *r;

	for (i = 0; i < n; i++)
		asked[i].begun = backend_read(&asked[i].b, names[i],
		    &error) == 0 && clientversion_begin(&asked[i].s,
		    &asked[i].b);
	for (i = 0; i < n; i++) {
		a = &asked[i];
		if (a->begun)
			found_answer(d, a);
		for (j = 0; j < d->nrecords; j++) {
			r = &d->records[j];
			if (!status_over(r) && r->transcript.path != NULL &&
			    r->backend != NULL && strcmp(r->backend,
			    names[i]) == 0 && a->b.transcript != NULL)
				check_client_of(d, r, &a->b);
		}
	}
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

/* Does a line of the user's crontab sweep the project? */
static bool
in_crontab(const struct doctor *d)
{
	char *rest = ask_program("crontab", "-l"), *line;
	bool there = false;

	while (!there && (line = strsep(&rest, "\n")) != NULL)
		there = line[strspn(line, " \t")] != '#' &&
		    names(line, d->project.root) &&
		    (names(line, "paneward sweep") ||
		    names(line, "paneward' sweep") ||
		    names(line, "paneward\" sweep"));
	return there;
}

/* A sweep is late only if one is due. */
static void
check_sweep(struct doctor *d)
{
	bool due = in_crontab(d) || unit_in(d, ".config/systemd/user") ||
	    unit_in(d, "Library/LaunchAgents");
	char text[CLOCK_TEXT];
	struct stat st;

	if (due)
		found(d, OK, NULL, NULL, "this project is swept");
	else
		found(d, WARNING, "without a watcher nothing is handed off",
		    "see 'paneward sweep --help'", "no crontab and no unit of "
		    "yours sweeps this project");
	if (d->dir.state_fd == -1)
		return;
	if (fstatat(d->dir.state_fd, STATUSDIR_SWEPT, &st,
	    AT_SYMLINK_NOFOLLOW) == -1) {
		found(d, WARNING, NULL, due ? "wait for a minute, or see what "
		    "cron or the timer says" : "run 'paneward sweep'",
		    "none has run yet");
		return;
	}
	clock_format(text, file_mtime(&st));
	if (due && file_mtime(&st) + SWEEP_LATE < clock_wall())
		found(d, WARNING, "one is due every minute", "see what cron "
		    "or the timer says, and what 'paneward sweep' does by hand",
		    "the last one ran at %s", text);
	else
		found(d, OK, NULL, NULL, "the last one ran at %s", text);
}

/* ---- the command -------------------------------------------------------- */

/* Order matters: later checks use what earlier ones have read. */
static const struct {
	const char *name;
	void      (*check)(struct doctor *);
} checks[] = {
	{ "paneward",         check_program },
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

enum { OPTION_JSON = 'j' };

static int
doctor_run(const struct command *c, int argc, char **argv)
{
	struct doctor d = { .dir = STATUSDIR_INIT, .servers = SERVERS_INIT };
	size_t i;
	int key;

	while ((key = command_option(c, argc, argv)) != -1) {
		if (key == CONTEXT_KEY)
			d.option = optarg;
		else
			d.json = true;
	}
	if (optind < argc)
		command_usage(c, "takes no argument");
	if (project_find(&d.project, ".") == -1)
		fatal("cannot find the project around the current directory");
	for (i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		d.check = checks[i].name;
		checks[i].check(&d);
	}
	return d.worst == PROBLEM ? EXIT_NO : EXIT_DONE;
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

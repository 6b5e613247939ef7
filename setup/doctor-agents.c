#include "setup/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/clientversion.h"
#include "base/alloc.h"
#include "base/argv.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "project/project.h"
#include "run/launch.h"
#include "run/status.h"
#include "setup/agenthooks.h"
#include "text/datafile.h"
#include "text/json.h"

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
		doctor_found(d, WARNING, buf_str(&why), "correct it, then run "
		    "'paneward init' for it",
		    "cannot tell which hooks are in '%s'", path);
	else if (n > 0 && *p != NULL)
		doctor_found(d, PROBLEM, "the agent reports nothing",
		    "run 'paneward init' for it again",
		    "the hooks of %s in '%s' run '%s', which is not there",
		    h->title, path, *p);
	if (ret == 1 && n > 0 && !h->comments) {
		buf_adds(&why, ", which not every agent ignores");
		doctor_found(d, WARNING, buf_str(&why), "take the comments out",
		    "the hooks of %s in '%s' may not run", h->title, path);
	} else if (n > 0 && *p == NULL) {
		doctor_found(d, OK, NULL, NULL, "%s: %zu in '%s'", h->title, n,
		    path);
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
		doctor_found(d, WARNING, "it is not searched for hooks",
		    "make it smaller, if it is to have hooks",
		    "'%s' is larger than %d bytes", path, OURHOOKS_MAX);
	else if (errno != ENOENT && errno != ENOTDIR)
		doctor_found(d, WARNING, errno == EINVAL ? "it is not a "
		    "regular file" : strerror(errno), "make it readable, if it "
		    "is to have hooks", "cannot read '%s'", path);
	return n;
}

static size_t
look_user_hooks(struct doctor *d, const struct agenthooks *h)
{
	const char *home = getenv("HOME"), *named;
	struct buf why = BUF_INIT;

	if (!ourhooks_named_folder(&h->dialect, &named, &why)) {
		doctor_found(d, WARNING, "what the agent reads depends on "
		    "where it is started", "make it absolute, or unset it",
		    "%s", buf_str(&why));
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
		d->findings.silent = true;
		n = look_hooks(d, h, r->worktree, h->folder);
		d->findings.silent = false;
		if (n == 0)
			doctor_found(d, WARNING, "those of the project are not "
			    "in its work tree", "commit them, or use 'paneward "
			    "init --user'", "%s works on issue '%s' without "
			    "hooks", h->title, r->issue);
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
		doctor_found(d, PROBLEM, "its hooks are unknown", "correct it, "
		    "or install paneward again", "%s", buf_str(&error));
		return false;
	}
	here = look_hooks(d, &h, d->project.root, h.folder);
	own = look_user_hooks(d, &h);
	if (here > 0 && own > 0)
		doctor_found(d, WARNING, "every event is recorded twice",
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

void
doctor_check_agents(struct doctor *d)
{
	char **agents = dialect_agents(), **p;
	struct buf given = BUF_INIT;
	bool any = false;

	for (p = agents; p != NULL && *p != NULL; p++)
		any = check_agent(d, *p, &given) || any;
	if (!any)
		doctor_found(d, WARNING, "an agent that you start yourself "
		    "shows less in its pane alone, and later",
		    "see 'paneward init --help'", "no agent's settings have "
		    "paneward's hooks%s%s%s", given.len > 0 ? " (paneward "
		    "start brings them for " : "", buf_str(&given),
		    given.len > 0 ? ")" : "");
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
			doctor_found(d, WARNING, "it runs the tools and hooks "
			    "of every Codex without --no-daemon, in the "
			    "environment of the first one", "'paneward start' "
			    "keeps out of it; end it with 'codex app-server "
			    "daemon stop'", "process %s is a shared server of "
			    "Codex", e->d_name);
		argv_free(words);
	}
	if (dir != NULL)
		closedir(dir);
}

void
doctor_check_shared(struct doctor *d)
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
			doctor_found(d, WARNING, "its tools may report for "
			    "another issue", "'paneward reload' restarts it "
			    "with it", "the agent of issue '%s' runs without "
			    "%s", r->issue, argv[1]);
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
		doctor_found(d, WARNING, "a newer one may show or write down "
		    "something else", "if 'paneward explain' is wrong about a "
		    "pane, keep it with --save", "%s", buf_str(&what));
	else if (issue == NULL)
		doctor_found(d, OK, NULL, NULL, "%s", buf_str(&what));
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
		doctor_found(d, WARNING, buf_str(&why), "see what it says to "
		    "that", "the version of '%s %s' is unknown", a->b.command,
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
void
doctor_check_clients(struct doctor *d)
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

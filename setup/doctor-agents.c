#include "setup/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/backend.h"
#include "agent/clientversion.h"
#include "base/alloc.h"
#include "base/argv.h"
#include "data/datafile.h"
#include "data/json.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "project/project.h"
#include "run/launch.h"
#include "run/status.h"
#include "setup/agenthooks.h"

/* ---- agents' hooks ------------------------------------------------------ */

/* The number of our hooks in the settings below this folder. */
static size_t
look_hooks(struct doctor *d, const struct agenthooks *h, const char *root,
    const char *folder)
{
	char *path = xasprintf("%s%s%s/%s", root, folder[0] ? "/" : "", folder,
	    h->file), **programs, **p;
	struct buf text = BUF_INIT, why = BUF_INIT;
	size_t n;
	bool own;
	int ret = file_read(AT_FDCWD, path, 0, &text, OURHOOKS_MAX + 1);

	if (ret == -1 && errno != ENOENT && errno != ENOTDIR)
		doctor_found(d, WARNING, errno == EINVAL ? "it is not a "
		    "regular file" : strerror(errno), "make it readable, if it "
		    "is to have hooks", "cannot read '%s'", path);
	if (ret == 0 && text.len > OURHOOKS_MAX)
		doctor_found(d, WARNING, "it is not searched for hooks",
		    "make it smaller, if it is to have hooks",
		    "'%s' is larger than %d bytes", path, OURHOOKS_MAX);
	if (ret == -1 || text.len > OURHOOKS_MAX)
		return 0;
	ret = ourhooks_list(&h->dialect, &text, &programs, &own, &why);
	n = argv_count(programs);
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

/* An agent in a linked work tree reads the settings that lie there. */
static void
check_worktrees(struct doctor *d, const struct agenthooks *h)
{
	const struct status *r;
	struct launch l;
	size_t i, n;

	for (i = 0; i < d->nrecords; i++) {
		r = &d->records[i];
		if (status_over(r) || r->worktree == NULL ||
		    r->backend == NULL ||
		    strcmp(r->backend, h->dialect.agent) != 0)
			continue;
		/* An agent that paneward starts has hooks for its session. */
		if (json_member(h->data, "session") != NULL &&
		    launch_noted(&l, d->dir.state_fd, r->issue, r->run) == 1) {
			launch_release(&l);
			continue;
		}
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
	const char *home = getenv("HOME"), *named;
	struct buf error = BUF_INIT;
	struct agenthooks h;
	size_t here, own = 0;

	if (agenthooks_read(&h, agent, &error) == -1) {
		doctor_found(d, PROBLEM, "its hooks are unknown", "correct it, "
		    "or install paneward again", "%s", buf_str(&error));
		return false;
	}
	here = look_hooks(d, &h, d->project.root, h.folder);
	if (!ourhooks_named_folder(&h.dialect, &named, &error))
		doctor_found(d, WARNING, "what the agent reads depends on "
		    "where it is started", "make it absolute, or unset it",
		    "%s", buf_str(&error));
	else if (named != NULL)
		own = look_hooks(d, &h, named, "");
	else if (home != NULL && home[0] == '/' &&
	    (strcmp(home, d->project.root) != 0 ||
	    strcmp(h.folder, h.user_folder) != 0))
		own = look_hooks(d, &h, home, h.user_folder);
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
void
doctor_check_shared(struct doctor *d)
{
	DIR *dir = opendir("/proc");
	struct buf error = BUF_INIT;
	char **words, **argv, *program;
	const struct dirent *e;
	const struct status *r;
	struct backend b;
	struct stat st;
	size_t i;

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

/* All installed clients are asked at once, since each may take a second.  The
 * client of a run has recorded its own version. */
void
doctor_check_clients(struct doctor *d)
{
	char **names = datafile_names(BACKEND_FOLDER, ".json"), *version;
	size_t n = argv_count(names), i, j;
	struct asked *asked = xcalloc(n, sizeof(*asked)), *a;
	struct buf error = BUF_INIT;
	const struct status *r;
	struct marker_set set;
	struct transcript t;
	int fd;

	for (i = 0; i < n; i++)
		asked[i].begun = backend_read(&asked[i].b, names[i],
		    &error) == 0 && clientversion_begin(&asked[i].s,
		    &asked[i].b);
	for (i = 0; i < n; i++) {
		a = &asked[i];
		buf_reset(&error);
		version = a->begun ? clientversion_end(&a->s, &error) : NULL;
		if (version != NULL)
			found_version(d, &a->b, NULL, version);
		else if (a->begun)
			doctor_found(d, WARNING, buf_str(&error), "see what it "
			    "says to that", "the version of '%s %s' is unknown",
			    a->b.command, a->b.version[0]);
		for (j = 0; j < d->nrecords; j++) {
			r = &d->records[j];
			if (status_over(r) || r->transcript.path == NULL ||
			    r->backend == NULL || strcmp(r->backend,
			    names[i]) != 0 || a->b.transcript == NULL)
				continue;
			t = (struct transcript){ .format = a->b.transcript,
			    .markers = &set };
			marker_set_init(&set, r->issue, r->run, NULL);
			fd = transcript_open(r->transcript.path);
			version = fd != -1 && transcript_read(&t, fd) != -1 ?
			    clientversion_in(t.version) : NULL;
			file_close(fd);
			if (version != NULL)
				found_version(d, &a->b, r->issue, version);
		}
	}
}

#include "start/start.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "os/spawn.h"

void
resume_release(struct resume *x)
{
	launch_release(&x->launch);
	*x = (struct resume){ .backend = NULL };
}

/* ---- with which conversation? -------------------------------------------- */

bool
resume_session(struct resume *x, const struct status *r, struct buf *why)
{
	const struct backend *b = x->backend;
	const char *id = r->agent.session;
	bool by_id = b->resume[0] != NULL;
	bool by_file = !by_id && b->resume_transcript[0] != NULL;
	size_t before = why->len;

	if (!by_id && !by_file && b->latest[0] == NULL)
		buf_printf(why, "backend '%s' does not say how a session is "
		    "resumed", b->name);
	else if (!by_id && !by_file && r->worktree == NULL)
		buf_printf(why, "backend '%s' resumes only the last session "
		    "of a folder, and the run has no work tree of its own",
		    b->name);
	else if (by_id && (id == NULL || !backend_session_valid(id)))
		buf_adds(why, "the id of its session is not known");
	else if (by_file && r->transcript.path == NULL)
		buf_adds(why, "no transcript of its session is known");
	else if (r->transcript.path != NULL &&
	    access(r->transcript.path, F_OK) == -1)
		buf_adds(why, "the transcript of its session is gone");
	if (why->len > before)
		return false;
	x->session = by_id ? id : NULL;
	x->transcript = by_file ? r->transcript.path : NULL;
	return true;
}

/* ---- with which command? ------------------------------------------------- */

bool
resume_find(struct resume *x, struct backends *all, const struct status *r,
    const struct statusdir *dir, struct buf *why)
{
	struct launch *l = &x->launch;
	const char *recorded = r->backend, *program = NULL, *name;
	const char *command, *gone = NULL;
	bool noted = launch_noted(l, dir->state_fd, r->issue, r->run) == 1;

	if (!noted && !r->adopted) {
		buf_adds(why, "how its agent was started is not known");
		return false;
	}
	/* The backend of a command of the user's is called like its program. */
	if (l->argv != NULL) {
		program = strrchr(l->argv[0], '/');
		program = program != NULL ? program + 1 : l->argv[0];
	}
	if (recorded != NULL && strcmp(recorded, "shell") == 0)
		recorded = NULL;
	name = backend_choose(recorded, program, NULL);
	if (name == NULL) {
		buf_adds(why, program != NULL ?
		    "its command is that of no known agent" :
		    "which agent it was is not known");
		return false;
	}
	x->backend = backends_get(all, name, why);
	if (x->backend == NULL)
		return false;
	/* The backend's command, for a run that start did not begin. */
	command = x->backend->command;
	if (!noted && r->cwd != NULL && command != NULL)
		l->program = spawn_find(command);
	if (!noted && l->program == NULL) {
		buf_adds(why, "it was not begun by 'paneward start', and ");
		if (r->cwd == NULL)
			buf_adds(why, "the folder of its agent is not known");
		else
			buf_printf(why, "the program of backend '%s' is not in "
			    "PATH", x->backend->name);
		return false;
	}
	if (!noted) {
		memcpy(l->run, r->run, sizeof(l->run));
		l->cwd = xstrdup(r->cwd);
		l->status_dir = xstrdup(dir->path);
		l->argv = argv_add(NULL, command);
		l->base = 1;
	}
	if (access(l->cwd, F_OK) == -1)
		gone = "the folder of its agent is gone";
	else if (r->worktree != NULL && access(r->worktree, F_OK) == -1)
		gone = "its work tree is gone";
	else if (access(l->program, X_OK) == -1)
		gone = "the program of its agent is gone";
	if (gone != NULL)
		buf_adds(why, gone);
	return gone == NULL && resume_session(x, r, why);
}

/* ---- what is told -------------------------------------------------------- */

void
resume_describe(const struct resume *x, struct buf *out)
{
	const char *cwd = x->launch.cwd;

	buf_printf(out, "%s with ", x->backend->name);
	if (x->session != NULL) {
		buf_printf(out, "session %s", x->session);
	} else if (x->transcript != NULL) {
		buf_adds(out, "transcript '");
		msg_escape(out, x->transcript, strlen(x->transcript));
		buf_addc(out, '\'');
	} else {
		buf_adds(out, "its last session");
	}
	buf_adds(out, " in '");
	msg_escape(out, cwd, strlen(cwd));
	buf_addc(out, '\'');
}

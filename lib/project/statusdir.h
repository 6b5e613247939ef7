/*
 * statusdir.h - the folder in which agents and paneward meet.
 *
 * Two open directories: the status directory, with the signals of agents and
 * the logs, and .paneward in it, which is ours.  Their files are reached
 * through these descriptors, so a directory that was moved or replaced is
 * noticed and not silently followed.
 */
#ifndef PANEWARD_STATUSDIR_H
#define PANEWARD_STATUSDIR_H

#include <sys/types.h>

#include "base/issue.h"
#include "os/file.h"
#include "project/config.h"

struct statusdir {
	char *path;                     /* absolute */
	int   fd, state_fd;             /* the directory, its .paneward; -1 */
	uid_t owner;                    /* whose signals count */
	dev_t dev;                      /* which directory it is */
	ino_t ino;
	bool  narrowed;                 /* by opening it: the group could write
					   to it */
};

#define STATUSDIR_INIT { .fd = -1, .state_fd = -1 }

/*
 * The path: option (may be NULL), else the configuration's (to which the
 * environment belongs), else <project>/.worktrees/.status.  Absolute; the
 * caller frees it.
 */
char *statusdir_path(const char *option, const struct config *,
    const struct project *);

/*
 * Opens the directory at path, which it takes over from the caller.  With make
 * set it is made if it is missing, with all that belongs into it, and its
 * group loses the right to write to it.  A link, another user's directory, one
 * that any user can write to, or something else is refused.  -1 with the whole
 * reason in *error, and with errno, which is 0 for a refusal: nothing was made.
 * Without make a missing one is no error: fd is -1; so is state_fd without
 * .paneward.
 */
int  statusdir_open(struct statusdir *, char *path, bool make,
    struct buf *error);
void statusdir_close(struct statusdir *);

/*
 * Does the directory belong to the project, to none, or to one that is gone?
 * With claim set it belongs to the project from now on.  1: it does; 0: *other is
 * the root of its project, for the caller to free; -1 with errno.
 */
int  statusdir_ours(const struct statusdir *, const char *root, bool claim,
    char **other);

/* The folder in which a status directory of that absolute path has its usual
 * place, else the one it lies in.  The caller frees it. */
char *statusdir_folder(const char *path);

/* The root of the project that it belongs to: the claimed one, else its
 * folder.  The caller frees it.  NULL with errno if that cannot be read. */
char *statusdir_project(const struct statusdir *);

/* The names in an open directory, for argv_free().  NULL with errno if it
 * cannot be read. */
#define statusdir_names(dir) file_names((dir), ".")

/* The lock (lock.h) of a watcher that follows all issues, later ones too, and
 * hands them off as configured; no issue has that name. */
#define STATUSDIR_ALL ".all"

/* An empty file in .paneward, modified at the end of the last sweep. */
#define STATUSDIR_SWEPT "sweep"

/* Is the directory at path still the one that is open? */
bool statusdir_current(const struct statusdir *);

/* Opens the directory that is at the path now, if it is another one; makes it
 * only with make set.  False: the old one stays. */
bool statusdir_reopen(struct statusdir *, bool make);

/*
 * The files of a run, beside its record, its lock and its signals: logs, what
 * hooks and the agent's parent wrote, the pane's pipe, notes of a reload and of
 * a removal.
 *
 * Those that must not count for the issue's next run are renamed to NAME.old
 * when it begins, over those of the run before.  A cleanup removes all of them.
 */

/* Whose it is: it must not count for the next one. */
enum runfile_of { RUNFILE_ANY, RUNFILE_RUN, RUNFILE_AGENT };

struct runfile {
	const char *before, *behind;    /* of the issue, in the name */
	bool        inner;              /* lies in .paneward */
	enum runfile_of of;
};

/* In the order in which they are removed; ends with an entry without names. */
extern const struct runfile runfiles[];

enum { RUNFILE_NAME = ISSUE_MAX + 32 };

/* Fills in and returns its name; old: of the one that was put aside. */
const char *runfile_name(char name[RUNFILE_NAME], const struct runfile *,
    const char *issue, bool old);

/* Renames those files of the last run (or of its agent alone) that exist and
 * are named by a bit each, or back.  Returns which. */
unsigned runfiles_move(const struct statusdir *, const char *issue,
    enum runfile_of, unsigned which, bool back);

/* ---- those of all projects: registry.c ----------------------------------- */

/*
 * The status directories of the user's projects: "projects" in the
 * user's folder of state (userfolder.h), an absolute path a line.
 *
 * It serves commands that show all projects: a failure to write it is silent,
 * and a directory that is missing in it comes back when a command uses it
 * again.
 */

/* Adds an open directory with its .paneward, unless it is in there.  Then those
 * drop out that are gone, or that statusdir_open() refuses. */
void registry_add(const struct statusdir *);

/* The paths of those that are there and that statusdir_open() does not refuse,
 * or could not look at, each directory once; or, unless there is set, all
 * lines.  For argv_free().  NULL with errno: 0 if there are none, else why they
 * cannot be read. */
char **registry_directories(bool there);

/* The name of the lock that `watch --everywhere` holds in the same folder. */
#define REGISTRY_LOCK "everywhere"
/* Does a process of the user hold it? */
bool registry_watched(void);

#endif

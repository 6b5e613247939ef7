/*
 * statusdir.h - the folder in which agents and paneward meet: signals, logs,
 * and .paneward with our files.
 *
 * All are reached through open directories: a replaced one is noticed and never
 * followed.
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
	uid_t owner;                    /* its signals count */
	dev_t dev;
	ino_t ino;
	bool  narrowed;                 /* its group lost the right to write */
};

#define STATUSDIR_INIT { .fd = -1, .state_fd = -1 }

/* The option (or NULL), the configuration, or the usual place.  The caller
 * frees it. */
char *statusdir_path(const char *option, const struct config *,
    const struct project *);

/* Takes over and opens the path.  make makes a missing one and takes its
 * group's right to write.  Refuses a link, and a directory that another user
 * owns or can write to.  -1 with the whole reason and errno, 0 for a refusal.
 * Without make, fd or state_fd of a missing one is -1. */
int  statusdir_open(struct statusdir *, char *path, bool make,
    struct buf *error);
void statusdir_close(struct statusdir *);

/* 1: it belongs to the project, or to none that exists; claim makes it the
 * project's.  0: *other, which the caller frees, is its project.  -1 with
 * errno. */
int  statusdir_ours(const struct statusdir *, const char *root, bool claim,
    char **other);

/* The project whose usual place that is, else the folder around it.  The caller
 * frees it. */
char *statusdir_folder(const char *path);

/* The claiming project's root, else its folder; NULL with errno. */
char *statusdir_project(const struct statusdir *);

/* For argv_free(); NULL with errno. */
#define statusdir_names(dir) file_names((dir), ".")

/* The lock of a watcher of all issues; no issue has that name. */
#define STATUSDIR_ALL ".all"

/* Modified at the end of a sweep. */
#define STATUSDIR_SWEPT "sweep"

bool statusdir_current(const struct statusdir *);

/* Opens or makes its replacement.  False: the old one stays. */
bool statusdir_reopen(struct statusdir *, bool make);

/* The files of a run beside its record, lock and signals.  A new run, or agent,
 * renames those of the last one to NAME.old. */

enum runfile_of { RUNFILE_ANY, RUNFILE_RUN, RUNFILE_AGENT };

struct runfile {
	const char *before, *behind;    /* of the issue, in the name */
	bool        inner;              /* lies in .paneward */
	enum runfile_of of;
	bool        kept;               /* by keptlog_put() */
};

/* In the order of removal; the last entry has no names. */
extern const struct runfile runfiles[];

enum { RUNFILE_NAME = ISSUE_MAX + 32 };

/* old: NAME.old. */
const char *runfile_name(char name[RUNFILE_NAME], const struct runfile *,
    const char *issue, bool old);

/* Renames the existing files, a bit each, or back.  Returns the bits. */
unsigned runfiles_move(const struct statusdir *, const char *issue,
    enum runfile_of, unsigned which, bool back);

/* ---- those of all projects: registry.c ----------------------------------- */

/* "projects" in the user's folder of state.  A failed write is silent: the next
 * use repeats it. */

/* Adds an open one with its .paneward; drops missing and refused ones. */
void registry_add(const struct statusdir *);

/* Existing or unreadable directories, each once; or all lines.  For
 * argv_free(); NULL with errno, or 0 for none. */
char **registry_directories(bool there);

/* `watch --everywhere` holds it there. */
#define REGISTRY_LOCK "everywhere"
bool registry_watched(void);

#endif

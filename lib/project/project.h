/*
 * project.h - the project around a directory, and its work trees.
 *
 * The project is the main work tree of the git repository around the directory;
 * of a bare repository the folder that holds it; in a submodule its work tree.
 * Outside git it is the nearest folder upwards with .paneward.json or
 * .worktrees/.status, else the directory.  Files of git are read; git is not
 * run.
 */
#ifndef PANEWARD_PROJECT_H
#define PANEWARD_PROJECT_H

#include <sys/stat.h>

#include "base/base.h"

struct project {
	char *root;             /* absolute, without links */
	char *git_dir;          /* the common git directory, or NULL */
	bool  bare;             /* root holds the repository: no work tree */
	bool  above;            /* outside git: root lies above the start */
	const char *unfit;      /* why root is no project by itself, or NULL */
	char *refused;          /* why it must not be used, or NULL */
};

/* -1 with the message: start cannot be entered, or a look on the way up failed,
 * which may hide the project.  Another user's .git, configuration or status
 * directory decides which commands run, so it refuses the project; callers
 * check that, as config_read() does. */
int  project_find(struct project *, const char *start, struct buf *why);
void project_release(struct project *);

/* May a command make its files in the project? */
bool project_fit(const struct project *, struct buf *why);

/* After a failed look, the functions below put the whole message into *why,
 * which was empty, and return NULL.  Callers free the texts. */

/* Does path, or its target, belong to neither the user nor root?  1 with *why;
 * 0; -1: unknown.  A missing one has the mode 0. */
int  project_foreign(const char *path, struct stat *, struct buf *why);

/* The work tree of an absolute path, which need not exist: the deepest linked
 * one, or root unless it is bare or linked is set.  NULL: none. */
char *project_worktree_at(const struct project *, const char *path,
    bool linked, struct buf *why);

/* The path without links, as far as it exists.  NULL: the rest could lead
 * elsewhere. */
char *project_resolve(const char *path, struct buf *why);

/* The work tree to which a linked one's git directory leads, or NULL. */
char *project_linked(const char *git_dir, struct buf *why);

/* The path, as a file of the folder means it. */
char *project_join(const char *folder, const char *path);

/* Is path the folder, or below it?  Names alone count. */
bool  project_contains(const char *folder, const char *path);

/* The only linked work tree called issue-<issue> or issue-<issue>-..., or
 * NULL. */
char *project_worktree_of(const struct project *, const char *issue,
    struct buf *why);

/* The branch of a work tree by its HEAD; NULL if detached. */
char *project_branch(const char *worktree, struct buf *why);

/* The folder beside an agent's settings in which hooks keep its sessions. */
#define PROJECT_SESSIONS "self-reborn"

/* Hides the open folder from git by a .gitignore in it. */
void project_hide(int fd);

#endif

/*
 * project.h - the project around a directory, and its work trees.
 *
 * It is the main work tree of the git repository there; of a bare one the
 * folder that holds it; in a submodule its work tree.  Outside git it is the
 * nearest folder upwards with .paneward.json or .worktrees/.status, else the
 * directory.
 */
#ifndef PANEWARD_PROJECT_H
#define PANEWARD_PROJECT_H

#include <sys/stat.h>

#include "base/base.h"

struct project {
	char *root;             /* absolute, without links */
	char *git_dir;          /* the common git directory, or NULL */
	bool  bare;             /* no work tree */
	bool  above;            /* root lies above the start */
	const char *unfit;      /* why root is no project by itself, or NULL */
	char *refused;          /* why it must not be used, or NULL */
};

/* -1 with the message: start or a folder above cannot be read.  Another user's
 * files, which decide what runs, refuse the project; callers check that. */
int  project_find(struct project *, const char *start, struct buf *why);
void project_release(struct project *);

bool project_fit(const struct project *, struct buf *why);

/* On failure these put the message into the empty *why and return NULL.
 * Callers free the texts. */

/* Do neither we nor root own path, or its target?  1 with *why; 0; -1: unknown.
 * A missing one has mode 0. */
int  project_foreign(const char *path, struct stat *, struct buf *why);

/* The work tree of an absolute path: the deepest linked one, or root unless it
 * is bare or linked is set.  Neither need exist. */
char *project_worktree_at(const struct project *, const char *path,
    bool linked, struct buf *why);

/* The path without links, as far as it exists, or NULL if the rest climbs. */
char *project_resolve(const char *path, struct buf *why);

/* Each linked work tree's folder in that git directory, then its own; for
 * argv_free(). */
char **project_linked_all(const char *git_dir, struct buf *why);

char *project_join(const char *folder, const char *path);

/* Is path the folder or below it, by name? */
bool  project_contains(const char *folder, const char *path);

/* The only linked work tree issue-<issue> or issue-<issue>-..., or NULL. */
char *project_worktree_of(const struct project *, const char *issue,
    struct buf *why);

/* NULL if detached. */
char *project_branch(const char *worktree, struct buf *why);

/* Hooks keep sessions in this folder, beside an agent's settings. */
#define PROJECT_SESSIONS "self-reborn"

/* Hides the open folder from git. */
void project_hide(int fd);

#endif

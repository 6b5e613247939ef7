/*
 * project.h - the project around a directory, and its work trees.
 *
 * The project is the main work tree of the git repository around the directory,
 * also for a directory in a linked work tree; of a bare repository the folder
 * that holds it; in a submodule its work tree.  Outside git it is the nearest
 * folder upwards that holds .paneward.json or .worktrees/.status, else the
 * directory itself.  It is found by reading .git, gitdir and commondir; git is
 * not run.
 */
#ifndef PANEWARD_PROJECT_H
#define PANEWARD_PROJECT_H

#include <sys/stat.h>

#include "base/base.h"

struct project {
	char *root;             /* absolute, without links */
	char *git_dir;          /* the common git directory; NULL outside git */
	bool  bare;             /* root holds the repository: no work tree */
	bool  above;            /* outside git: root was found above the start */
	const char *unfit;      /* why root, the start, is no project by itself;
				   NULL if it is one */
	char *refused;          /* why it must not be used, or NULL */
};

/*
 * -1, and *why has one more message, if start is not a directory that we may enter,
 * or if something on the way up cannot be looked at: it may be what makes a
 * folder the project.  If a .git, a configuration or a status directory there
 * belongs to another user, the project is refused: its content decides which
 * commands are run.  config_read() refuses such a project; other callers check
 * it.
 */
int  project_find(struct project *, const char *start, struct buf *why);
void project_release(struct project *);

/* May a command make its files in the project?  False in a folder that is no
 * project by itself; why says so, and what makes it one. */
bool project_fit(const struct project *, struct buf *why);

/*
 * If something cannot be looked at, the functions below put the whole message
 * into *why, which was empty, and return NULL, as if it were not there.
 */

/* Does path, or what it links to, belong to neither the user nor root?  1, also
 * with *why; 0 if not; -1 if that is not known.  The mode is 0 if it is not
 * there. */
int project_foreign(const char *path, struct stat *, struct buf *why);

/*
 * The work tree of the repository that path (absolute) lies in: root itself
 * unless it is bare, or a linked one, the deepest that fits; with linked set,
 * NULL instead of root.  Neither path nor work tree need exist any more.  NULL
 * outside all of them, or outside git.  The caller frees it.
 */
char *project_worktree_at(const struct project *, const char *path,
    bool linked, struct buf *why);

/* A path without links, as far as it exists; the rest stays as it is.  NULL if
 * that could lead elsewhere.  The caller frees it. */
char *project_resolve(const char *path, struct buf *why);

/* The work tree to which a linked one's git directory leads, or NULL.  The
 * caller frees it. */
char *project_linked(const char *git_dir, struct buf *why);

/* The path, as a file of the folder means it.  The caller frees it. */
char *project_join(const char *folder, const char *path);

/* Does path lie in the folder, or is it the folder?  By their names alone. */
bool  project_contains(const char *folder, const char *path);

/*
 * The only linked work tree whose folder is called issue-<issue> or begins
 * with issue-<issue>-; NULL if there is none, or more than one.  The caller
 * frees it.
 */
char *project_worktree_of(const struct project *, const char *issue,
    struct buf *why);

/* The branch checked out in a work tree, by its HEAD; NULL if detached.  The
 * caller frees it. */
char *project_branch(const char *worktree, struct buf *why);

/* In a folder beside an agent's settings its hooks keep what they know of its
 * sessions; see paneward-hook(1). */
#define PROJECT_SESSIONS "self-reborn"

/* Hides the open folder, itself included, from git by a .gitignore in it. */
void project_hide(int fd);

#endif

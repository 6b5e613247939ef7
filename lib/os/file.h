/*
 * file.h - small files, read and replaced as a whole; safe opening, locks.
 * A failure is -1 or NULL, with errno.
 */
#ifndef PANEWARD_FILE_H
#define PANEWARD_FILE_H

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

enum file_how {
	FILE_NOFOLLOW = 1 << 0,         /* a link is refused (ELOOP) */
	FILE_TAIL     = 1 << 1,         /* reads the end of a longer one */
	FILE_TRUSTED  = 1 << 2          /* EPERM unless the user or root owns
					   it and not everyone may write */
};

/* Adds at most that many bytes, never blocks.  EINVAL: no regular file. */
int file_read(int dir, const char *name, enum file_how, struct buf *,
    size_t most);
int file_read_open(int fd, enum file_how, struct buf *, size_t most);
/* Adds bytes until there are more than that. */
int file_drain(int fd, struct buf *, size_t most);

/* open(2) of our own file; a new one has the mode 600.  Never blocks, follows
 * no link.  EBADMSG: no regular file, a second name, or another user's. */
int file_open_own(int dir, const char *name, int flags, struct stat *);

/* Written beside, synced, renamed, the directory synced.  A new file gets the
 * mode, less the umask.  After a failure the old file is there, or the new one
 * in a directory that is not synced. */
int file_replace(int dir, const char *name, const void *bytes, size_t len,
    mode_t mode);
/* Without sync a power failure may leave an empty file. */
int file_put(int dir, const char *name, const void *bytes, size_t len,
    mode_t mode, bool sync);

enum { FILE_PATIENT = -1 };             /* waits for a lock for ever */

/* flock(2), exclusive; EWOULDBLOCK after that many ms. */
int file_lock(int fd, msec patience);

int file_write(int fd, const void *bytes, size_t len);

/* Keeps errno; ignores -1. */
void file_close(int fd);

/* Opens a folder below root, such as "a/b", or makes it.  ENOTDIR: no folder,
 * or a link. */
int file_folder(const char *root, const char *path, bool make);

/* Makes a folder of mode 700, and those above it; changes path meanwhile. */
int file_make_path(char *path);

DIR *file_opendir(int dir, const char *name);
/* NULL with errno 0 at the end. */
struct dirent *file_next(DIR *);
/* For argv_free(). */
char **file_names(int dir, const char *name);

/* The thing is not there; any other errno is no answer. */
#define file_missing(error) ((error) == ENOENT || (error) == ENOTDIR)
/* Is there nothing at the path, or an empty folder? */
bool file_empty(const char *path);
/* The file is there, and not ours.  BSD has EMLINK for a link. */
#define file_refused(error) ((error) == EBADMSG || (error) == EINVAL || \
	(error) == ELOOP || (error) == EMLINK)
/* fstatat(2).  1: it is there; 0: it is not. */
int  file_look(int dir, const char *name, int flags, struct stat *);

/* Owned by neither the user nor root. */
#define file_foreign(st) ((st)->st_uid != geteuid() && (st)->st_uid != 0)

msec file_mtime(const struct stat *);
bool file_same_times(const struct stat *, const struct stat *);

#endif

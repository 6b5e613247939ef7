/*
 * file.h - small files, read and replaced as a whole; safe opening, locks.
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

/* Adds at most that many bytes of a regular file; dir is an open directory or
 * AT_FDCWD.  Opening never blocks.  -1 with errno; EINVAL: no regular file. */
int file_read(int dir, const char *name, enum file_how, struct buf *,
    size_t most);
/* The same for a descriptor that was just opened. */
int file_read_open(int fd, enum file_how, struct buf *, size_t most);
/* Adds bytes up to the end, or until there are more than that.  -1 with
 * errno. */
int file_drain(int fd, struct buf *, size_t most);

/* Opens a file of our own with the open(2) flags; a new one has the mode 600.
 * Never blocks, follows no link.  -1 with errno: see file_refused(); EBADMSG if
 * it is no regular file, has a second name or belongs to another user. */
int file_open_own(int dir, const char *name, int flags, struct stat *);

/* Replaces the file name: written beside, synced, renamed, the directory
 * synced.  A new file gets the mode, less the umask.  -1 with errno: the old
 * file is unchanged and nothing is left beside it; or the new one is in place,
 * and the system could not sync the directory. */
int file_replace(int dir, const char *name, const void *bytes, size_t len,
    mode_t mode);
/* The same, if wanted without syncing: after a power failure the old file may
 * be there, or an empty one. */
int file_put(int dir, const char *name, const void *bytes, size_t len,
    mode_t mode, bool sync);

enum { FILE_PATIENT = -1 };             /* waits for a lock for ever */

/* Locks an open file exclusively, with flock(2).  -1 with errno; EWOULDBLOCK if
 * another process still holds the lock after that many ms. */
int file_lock(int fd, msec patience);

/* Writes all of it.  -1 with errno. */
int file_write(int fd, const void *bytes, size_t len);

/* Closes it, unless it is -1; keeps errno. */
void file_close(int fd);

/* Opens a folder below root, path being "a" or "a/b", following no link on the
 * way; make creates a missing one.  -1 with errno; ENOTDIR: no folder, or a
 * link. */
int file_folder(const char *root, const char *path, bool make);

/* Makes a folder of mode 700, and those above it with the usual mode; changes
 * path meanwhile.  -1 with errno. */
int file_make_path(char *path);

/* Opens a folder for readdir(3).  NULL with errno. */
DIR *file_opendir(int dir, const char *name);
/* The next entry.  NULL with errno: 0 at the end, else why reading failed. */
struct dirent *file_next(DIR *);
/* The names in a folder, for argv_free().  NULL with errno. */
char **file_names(int dir, const char *name);

/* Does the errno mean that the thing is not there?  Any other one means that
 * the lookup failed, which is no answer. */
#define file_missing(error) ((error) == ENOENT || (error) == ENOTDIR)
/* Is there nothing at the path, or an empty folder? */
bool file_empty(const char *path);
/* Does the errno of file_read() or file_open_own() mean that the file is there,
 * and not ours?  BSD has EMLINK for a link. */
#define file_refused(error) ((error) == EBADMSG || (error) == EINVAL || \
	(error) == ELOOP || (error) == EMLINK)
/* As fstatat(2).  1: it is there; 0: it is not; -1 with errno: the lookup
 * failed. */
int  file_look(int dir, const char *name, int flags, struct stat *);

/* Does it belong to neither the user nor root? */
#define file_foreign(st) ((st)->st_uid != geteuid() && (st)->st_uid != 0)

/* The offset of the first byte outside a hole.  -1 with errno; ENXIO: none. */
off_t file_data(int fd, off_t from);

/* The time of the last write, wall time. */
msec file_mtime(const struct stat *);
bool file_same_times(const struct stat *, const struct stat *);

#endif

/*
 * file.h - small files, read and replaced as a whole.
 */
#ifndef PANEWARD_FILE_H
#define PANEWARD_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"

enum file_how {
	FILE_NOFOLLOW = 1 << 0,         /* a link is refused (ELOOP) */
	FILE_TAIL     = 1 << 1,         /* of a longer one the end is read */
	FILE_TRUSTED  = 1 << 2          /* EPERM unless it is the user's or
					   root's, and not all may write */
};

/*
 * Adds the content of a regular file to the buffer, at most most bytes of it.
 * dir is an open directory or AT_FDCWD.  Opening never blocks.  -1 with errno;
 * EINVAL if it is no regular file.
 */
int file_read(int dir, const char *name, enum file_how, struct buf *,
    size_t most);

/*
 * Opens a file of our own with the open(2) flags; a new one has the mode 600.
 * Never blocks, follows no link.  -1 with errno; EBADMSG if it is no regular
 * file, has a second name or belongs to another user.
 */
int file_open_own(int dir, const char *name, int flags, struct stat *);

/*
 * Puts a file in the place of name: written beside, synced, renamed, the
 * directory synced.  A new file has the mode, less the umask.  -1 with errno;
 * then the old file is as it was, and nothing is left beside it.
 */
int file_replace(int dir, const char *name, const void *bytes, size_t len,
    mode_t mode);

enum { FILE_PATIENT = -1 };             /* waits for a lock for ever */

/*
 * Locks an open file for ourselves, with flock(2).  -1 with errno, EWOULDBLOCK
 * where others have held it all the time; 0 ms do not wait at all.
 */
int file_lock(int fd, msec patience);

/* Writes all of it, however often that takes.  -1 with errno. */
int file_write(int fd, const void *bytes, size_t len);

/* Opens a folder for readdir(3).  NULL with errno. */
DIR *file_opendir(int dir, const char *name);

/* Does it belong to neither the user nor root? */
bool file_foreign(const struct stat *);

/* Where the next byte of a file is that is in no hole, from a place on.  -1 with
 * errno; ENXIO: there is none. */
off_t file_data(int fd, off_t from);

/* When a file was last written, wall time. */
msec file_mtime(const struct stat *);
/* Was it neither written nor changed otherwise between two stat()? */
bool file_same_times(const struct stat *, const struct stat *);

#endif

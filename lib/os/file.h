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
	FILE_TAIL     = 1 << 1,         /* of a longer one the end is read */
	FILE_TRUSTED  = 1 << 2          /* EPERM unless the user or root owns
					   it and not everyone may write */
};

/* Adds a regular file's content to the buffer, at most that many bytes.  dir is
 * an open directory or AT_FDCWD.  Opening never blocks.  -1 with errno; EINVAL
 * if it is no regular file. */
int file_read(int dir, const char *name, enum file_how, struct buf *,
    size_t most);
/* The same for a descriptor that was just opened. */
int file_read_open(int fd, enum file_how, struct buf *, size_t most);
/* Adds what can be read up to the end, or until there are more bytes than that.
 * -1 with errno. */
int file_drain(int fd, struct buf *, size_t most);

/*
 * Opens a file of our own with the open(2) flags; a new one has the mode 600.
 * Never blocks, follows no link.  -1 with errno: see file_refused(); EBADMSG if it
 * is no regular file, has a second name or belongs to another user.
 */
int file_open_own(int dir, const char *name, int flags, struct stat *);

/* Replaces the file name: written beside, synced, renamed, the directory
 * synced.  A new file gets the mode, less the umask.  -1 with errno: the old
 * file is unchanged and nothing is left beside it; or the new one is in place,
 * and the system could not sync the directory. */
int file_replace(int dir, const char *name, const void *bytes, size_t len,
    mode_t mode);
/* The same without syncing: after a failure of power the old file may be there,
 * or an empty one. */
int file_swap(int dir, const char *name, const void *bytes, size_t len,
    mode_t mode);

enum { FILE_PATIENT = -1 };             /* waits for a lock for ever */

/* Locks an open file exclusively, with flock(2).  -1 with errno; EWOULDBLOCK if
 * another process still holds the lock after that many ms. */
int file_lock(int fd, msec patience);

/* Writes all of it, however often that takes.  -1 with errno. */
int file_write(int fd, const void *bytes, size_t len);

/* Closes it, unless it is -1; leaves errno as it is. */
void file_close(int fd);

/* Opens a folder below root, path being "a" or "a/b", following no link on the
 * way; with make set it is made if it is missing.  -1 with errno; ENOTDIR if it
 * is no folder, or a link. */
int file_folder(const char *root, const char *path, bool make);

/* Makes a folder of mode 700, and those above it as any user's program would;
 * path is as before.  -1 with errno. */
int file_make_path(char *path);

/* Opens a folder for readdir(3).  NULL with errno. */
DIR *file_opendir(int dir, const char *name);
/* Its next entry.  NULL at the end, with errno 0, or with why it cannot be
 * read on. */
struct dirent *file_next(DIR *);
/* The names in a folder, for argv_free().  NULL with errno if it cannot be
 * read. */
char **file_names(int dir, const char *name);

/*
 * A failed look is no answer.  Does this errno say that the thing is not there?
 * Any other one says that the system could not look.
 */
#define file_missing(error) ((error) == ENOENT || (error) == ENOTDIR)
/* Is there nothing at the path, or an empty folder? */
bool file_empty(const char *path);
/* Does this errno of file_read() or file_open_own() say that it is there, and no
 * file of ours?  BSD has EMLINK for a link. */
#define file_refused(error) ((error) == EBADMSG || (error) == EINVAL || \
	(error) == ELOOP || (error) == EMLINK)
/* Looks at a name, as fstatat(2).  1: it is there; 0: it is not; -1 with errno:
 * could not look. */
int  file_look(int dir, const char *name, int flags, struct stat *);

/* Does it belong to neither the user nor root? */
#define file_foreign(st) ((st)->st_uid != geteuid() && (st)->st_uid != 0)

/* The offset of the next byte from a place on that is in no hole.  -1 with
 * errno; ENXIO: there is none. */
off_t file_data(int fd, off_t from);

/* When a file was last written, wall time. */
msec file_mtime(const struct stat *);
/* Are the file's times the same in both? */
bool file_same_times(const struct stat *, const struct stat *);

#endif

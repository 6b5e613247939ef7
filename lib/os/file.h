/*
 * file.h - small files as a whole, safe opening, locks.  A failure is -1 or
 * NULL, with errno.
 */
#ifndef PANEWARD_FILE_H
#define PANEWARD_FILE_H

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

enum file_how {
	FILE_NOFOLLOW = 1 << 0,         /* ELOOP: a link */
	FILE_TAIL     = 1 << 1,         /* reads the last bytes */
	FILE_TRUSTED  = 1 << 2          /* EPERM: foreign, or all can write */
};

/* Adds at most that many bytes of a regular file; dir is an open directory or
 * AT_FDCWD.  Never blocks.  EINVAL: no regular file. */
int file_read(int dir, const char *name, enum file_how, struct buf *,
    size_t most);
int file_read_open(int fd, enum file_how, struct buf *, size_t most);
/* Reads until the buffer exceeds most. */
int file_drain(int fd, struct buf *, size_t most);

/* Opens our file, mode 600 if new.  Never blocks, follows no link.  EBADMSG: no
 * regular file, a second name, or another user's. */
int file_open_own(int dir, const char *name, int flags, struct stat *);

/* Writes beside, syncs, renames, syncs the directory.  The umask applies.  A
 * failure leaves the old file, or the new one in an unsynced directory. */
#define file_replace(dir, name, bytes, len, mode) \
	file_put((dir), (name), (bytes), (len), (mode), true)
/* Without sync a power failure may leave an empty file. */
int file_put(int dir, const char *name, const void *bytes, size_t len,
    mode_t mode, bool sync);

enum { FILE_PATIENT = INT32_MAX };      /* ms: three weeks */

/* flock(2), exclusive.  Waits at most that many ms; then EWOULDBLOCK. */
int file_lock(int fd, msec patience);

int file_write(int fd, const void *bytes, size_t len);

/* Keeps errno; ignores -1. */
void file_close(int fd);

/* Opens or makes a folder below root.  ENOTDIR: no folder, or a link. */
int file_folder(const char *root, const char *path, bool make);

/* Makes a folder of mode 700 and its parents; changes path meanwhile. */
int file_make_path(char *path);

DIR *file_opendir(int dir, const char *name);
/* The next entry.  At the end NULL with errno 0. */
struct dirent *file_next(DIR *);
/* For argv_free(). */
char **file_names(int dir, const char *name);

/* Any other errno is no answer. */
#define file_missing(error) ((error) == ENOENT || (error) == ENOTDIR)
/* Is the folder missing or empty? */
bool file_empty(const char *path);
/* Not our file.  BSD has EMLINK for a link. */
#define file_refused(error) ((error) == EBADMSG || (error) == EINVAL || \
	(error) == ELOOP || (error) == EMLINK)
/* 1: there, 0: missing. */
int  file_look(int dir, const char *name, int flags, struct stat *);

#define file_foreign(st) ((st)->st_uid != geteuid() && (st)->st_uid != 0)

msec file_mtime(const struct stat *);
bool file_same_times(const struct stat *, const struct stat *);

#endif

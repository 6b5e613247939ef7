/*
 * file.h - small files, read and replaced as a whole.
 */
#ifndef PANEWARD_FILE_H
#define PANEWARD_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "buf.h"

enum file_how {
	FILE_NOFOLLOW = 1 << 0          /* a link is refused (ELOOP) */
};

/*
 * Adds the content of a regular file to the buffer, at most most bytes of it.
 * dir is an open directory or AT_FDCWD.  Opening never blocks.  -1 with errno;
 * EINVAL if it is no regular file.
 */
int file_read(int dir, const char *name, enum file_how, struct buf *,
    size_t most);

/*
 * Puts a file in the place of name: written beside, synced, renamed, the
 * directory synced.  A new file has the mode, less the umask.  -1 with errno;
 * then the old file is as it was, and nothing is left beside it.
 */
int file_replace(int dir, const char *name, const void *bytes, size_t len,
    mode_t mode);

/* Writes all of it, however often that takes.  -1 with errno. */
int file_write(int fd, const void *bytes, size_t len);

#endif

/*
 * compat.h - calls that not every system has.
 *
 * Their own names let tests reach the functions everywhere.
 * Without threads, no fork() comes between pipe() and fcntl().
 */
#ifndef PANEWARD_COMPAT_H
#define PANEWARD_COMPAT_H

#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static inline int
compat_pipe2(int ends[2], int flags)
{
	int i;

	if (pipe(ends) == -1)
		return -1;
	for (i = 0; i < 2; i++) {
		if (flags & O_CLOEXEC)
			fcntl(ends[i], F_SETFD, FD_CLOEXEC);
		if (flags & O_NONBLOCK)
			fcntl(ends[i], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

static inline void *
compat_memrchr(const void *bytes, int c, size_t len)
{
	const unsigned char *p = bytes;

	while (len > 0)
		if (p[--len] == (unsigned char)c)
			return (void *)(uintptr_t)(p + len);
	return NULL;
}

#ifdef __APPLE__
#define pipe2 compat_pipe2
#define memrchr compat_memrchr
#define fdatasync fsync
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif

#ifdef __GLIBC__
int malloc_trim(size_t);
#else
#define malloc_trim(spare) ((void)0)
#endif

#ifndef POLLRDHUP
#define POLLRDHUP 0
#endif

#ifndef SEEK_DATA
#define SEEK_DATA SEEK_SET              /* holes are read */
#endif

#ifndef CLOCK_BOOTTIME                  /* counts sleep there, too */
#define CLOCK_BOOTTIME CLOCK_MONOTONIC
#endif

#endif

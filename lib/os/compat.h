/*
 * compat.h - calls that glibc, musl and the BSDs have and another system may
 * not.  What uses one of them includes this; a port adds what it lacks here.
 *
 * There are no threads, so no program starts between pipe() and fcntl().
 */
#ifndef PANEWARD_COMPAT_H
#define PANEWARD_COMPAT_H

#ifdef __APPLE__

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#define fdatasync(fd) fsync(fd)

static inline int
pipe2(int ends[2], int flags)
{
	int i;

	if (pipe(ends) == -1)
		return -1;
	for (i = 0; i < 2; i++) {
		fcntl(ends[i], F_SETFD, FD_CLOEXEC);
		if (flags & O_NONBLOCK)
			fcntl(ends[i], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

static inline void *
memrchr(const void *bytes, int c, size_t len)
{
	const char *p = bytes;

	while (len > 0)
		if (p[--len] == (char)c)
			return (char *)p + len;
	return NULL;
}

#endif

#include <poll.h>

#ifndef POLLRDHUP
#define POLLRDHUP 0                     /* poll() reports POLLHUP alone */
#endif

#endif

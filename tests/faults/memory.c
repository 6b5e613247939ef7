/*
 * memory.c - preloaded into a program: an allocation fails.
 *
 * The program itself does not begin.  It reads orders from descriptor 3, two
 * ints N and STAYS each, and for each a child of it begins: in that the Nth
 * allocation behind the start of main() fails, and if STAYS, all that follow.
 * Descriptor 4 gets a line with the child's status, as wait() tells it; if N is
 * 0, one with the number of allocations before it.  What a child starts is left
 * alone, and its fsync() does nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static int order[2], nth, on;

static int
refused(void)
{
	int fails = order[0], stays = order[1];

	if (!on || ++nth < fails || fails == 0 || (nth > fails && !stays))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *
malloc(size_t size)
{
	return refused() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
	return refused() ? NULL : __libc_calloc(count, size);
}

void *
realloc(void *p, size_t size)
{
	return refused() ? NULL : __libc_realloc(p, size);
}

int
fsync(int fd)
{
	(void)fd;
	return 0;
}

static void __attribute__((constructor))
begin(void)
{
	int status;

	unsetenv("LD_PRELOAD");
	while (!on && read(3, order, sizeof(order)) == sizeof(order)) {
		on = fork() == 0;
		if (!on && wait(&status) != -1)
			dprintf(4, "%d\n", status);
	}
	if (!on)
		_exit(0);
	close(3);
	fcntl(4, F_SETFD, FD_CLOEXEC);
	if (lseek(0, 0, SEEK_SET) == -1 || ftruncate(1, 0) == -1 ||
	    ftruncate(2, 0) == -1)
		_exit(125);
}

static void __attribute__((destructor))
end(void)
{
	if (on && order[0] == 0)
		dprintf(4, "%d\n", nth);
}

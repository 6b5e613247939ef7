#include "os/lock.h"

#include <signal.h>
#include <sys/file.h>

#include "base/issue.h"
#include "os/file.h"
#include "os/loop.h"
#include "os/proc.h"

enum { AGAIN = 20 };                    /* ms between tries */

static void
read_holder(struct lock *l, int fd)
{
	char text[64] = "";
	unsigned long long start = 0;
	long pid = 0;

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0 ||
	    sscanf(text, "%ld %llu", &pid, &start) != 2)
		pid = 0;
	l->holder = (pid_t)pid;
	l->holder_start = pid != 0 ? start : 0;
}

void
lock_mark(const struct lock *l)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%ld %llu\n", (long)getpid(),
	    (unsigned long long)proc_start(getpid()));

	/* On a full disk the holder stays unknown. */
	if (ftruncate(l->fd, 0) == -1 ||
	    pwrite(l->fd, text, (size_t)n, 0) == -1)
		errno = 0;
}

int
lock_take(struct lock *l, int dir, const char *issue)
{
	struct stat st;
	int fd = file_open_own(dir, ISSUE_NAME(issue, "lock"),
	    O_RDWR | O_CREAT, &st), saved;

	if (fd == -1)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) == -1) {
		saved = errno;
		read_holder(l, fd);
		close(fd);
		errno = saved;
		return saved == EWOULDBLOCK ? 0 : -1;
	}
	l->fd = fd;
	l->holder = 0;
	lock_mark(l);
	return 1;
}

int
lock_await(struct lock *l, int dir, const char *issue, msec patience)
{
	msec until = clock_now() + patience, tried;
	int got;

	/* A process stopped until the end tries once more. */
	for (;; loop_pause(AGAIN)) {
		tried = clock_now();
		got = lock_take(l, dir, issue);
		if (got != 0 || tried >= until)
			return got;
	}
}

int
lock_look(struct lock *l, int dir, const char *issue, msec *last)
{
	struct stat st;
	bool held = false;
	int fd = file_open_own(dir, ISSUE_NAME(issue, "lock"), O_RDONLY,
	    &st);

	if (last != NULL)
		*last = fd != -1 ? file_mtime(&st) : 0;
	if (fd == -1)
		return dir == -1 || file_missing(errno) ||
		    file_refused(errno) ? 0 : -1;
	read_holder(l, fd);
	if (l->holder == 0 || (l->holder != getpid() &&
	    (kill(l->holder, 0) == 0 || errno == EPERM)))
		held = flock(fd, LOCK_SH | LOCK_NB) == -1 &&
		    errno == EWOULDBLOCK;
	close(fd);
	return held;
}

bool
lock_await_other(int dir, const char *issue, bool ours, msec patience)
{
	msec until = clock_now() + patience, tried;
	struct lock l = LOCK_INIT;
	bool held;

	for (;; loop_pause(AGAIN)) {
		tried = clock_now();
		held = lock_look(&l, dir, issue, NULL) == 1 ||
		    (ours && l.holder != getpid());
		if (held || tried >= until)
			return held;
	}
}

void
lock_release(struct lock *l)
{
	if (l->fd != -1)
		lock_touch(l);
	file_close(l->fd);
	l->fd = -1;
}

bool
lock_counts(const struct lock *l, int dir, const char *issue)
{
	struct stat ours, there;
	int seen = fstat(l->fd, &ours) == -1 ? -1 : file_look(dir,
	    ISSUE_NAME(issue, "lock"), AT_SYMLINK_NOFOLLOW, &there);

	if (seen == 1 && ours.st_dev == there.st_dev &&
	    ours.st_ino == there.st_ino)
		return true;
	if (seen != -1)
		errno = EBUSY;
	return false;
}

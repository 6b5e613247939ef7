#include "run/lease.h"

#include <inttypes.h>

#include "base/issue.h"
#include "os/compat.h"
#include "os/file.h"

enum {
	LEASE_BYTES = 256,
	LEASE_PART = 5,
	LEASE_PATIENCE = 1000           /* ms */
};

msec
lease_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (msec)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void
lease_renew(struct lease *l, msec sent, msec lasts)
{
	l->over = sent + lasts;
	l->deadline = l->over - lasts / LEASE_PART;
	proc_boot(l->boot);
}

bool
lease_past(const struct lease *l, msec now)
{
	return now >= l->deadline || proc_boot_over(l->boot);
}

/* Locked: half a renewal is never read. */
static int
lease_open(int state_fd, const char *issue, int flags)
{
	struct stat st;
	int fd = file_open_own(state_fd, ISSUE_NAME(issue, "lease"), flags,
	    &st);

	if (fd == -1 || file_lock(fd, LEASE_PATIENCE) == 0)
		return fd;
	file_close(fd);
	return -1;
}

int
lease_read(struct lease *l, int state_fd, const char *issue)
{
	struct buf text = BUF_INIT;
	int fd = lease_open(state_fd, issue, O_RDONLY), ret;

	*l = (struct lease){ 0 };
	if (fd == -1)
		return errno == ENOENT ? 0 : -1;
	ret = file_read_open(fd, 0, &text, LEASE_BYTES);
	if (ret == 0 && sscanf(buf_str(&text), "token %" SCNu64
	    " revision %" SCNu64 " deadline %" SCNd64 " over %" SCNd64
	    " boot %63s", &l->token, &l->revision, &l->deadline, &l->over,
	    l->boot) != 5) {
		errno = EBADMSG;
		ret = -1;
	}
	file_close(fd);
	buf_release(&text);
	return ret == -1 ? -1 : 1;
}

int
lease_write(const struct lease *l, int state_fd, const char *issue)
{
	char text[LEASE_BYTES];
	size_t n = (size_t)snprintf(text, sizeof(text), "token %020" PRIu64
	    " revision %020" PRIu64 " deadline %020" PRId64 " over %020" PRId64
	    " boot %-*s\n", l->token, l->revision, l->deadline, l->over,
	    PROC_BOOT - 1, l->boot);
	int fd = lease_open(state_fd, issue, O_WRONLY), ret;

	if (fd == -1 && errno == ENOENT)
		return file_replace(state_fd, ISSUE_NAME(issue, "lease"), text,
		    n, 0600);
	if (fd == -1)
		return -1;
	ret = pwrite(fd, text, n, 0) == (ssize_t)n ? fdatasync(fd) : -1;
	file_close(fd);
	return ret;
}

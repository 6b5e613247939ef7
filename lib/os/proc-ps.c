/*
 * proc-ps.c - processes by ps(1), for systems without /proc.
 *
 * A query costs a process, so ends of processes are only checked at the slow
 * tick; there is nothing to wait for.
 */
#include "os/proc.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "os/spawn.h"

enum { PS_LIMIT = 5000 };

/* The output of ps, in the C locale. */
static int
ask_ps(pid_t pid, const char *columns, struct buf *answer)
{
	char number[16];
	const char *argv[] = { "env", "LC_ALL=C", "TZ=UTC", "ps", "-o",
	    columns, "-p", number, NULL };
	const struct spawn_how how = { .argv = argv, .limit = PS_LIMIT };
	struct spawn s = SPAWN_INIT;
	int ret = -1;

	snprintf(number, sizeof(number), "%d", (int)pid);
	if (spawn_run(&s, &how) == 0 && s.output.len > 0) {
		buf_add(answer, s.output.data, s.output.len);
		ret = 0;
	}
	spawn_release(&s);
	return ret;
}

int
proc_read(struct proc *p, pid_t pid)
{
	struct buf answer = BUF_INIT;
	struct tm tm = { 0 };
	char state[16], date[32], tty[24];
	int parent, group, foreground, used = 0, ret = -1;

	if (pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) &&
	    ask_ps(pid, "ppid=,pgid=,tpgid=,tty=,stat=,lstart=", &answer) ==
	    0 &&
	    sscanf(buf_str(&answer), "%d %d %d %23s %15s %n", &parent, &group,
	    &foreground, tty, state, &used) == 5) {
		snprintf(date, sizeof(date), "%.24s", answer.data + used);
		if (strptime(date, "%a %b %d %H:%M:%S %Y", &tm) != NULL)
			ret = 0;
	}
	buf_release(&answer);
	if (ret == -1) {
		/* The process exists, but ps failed. */
		errno = pid > 0 && !proc_ended(pid) ? EAGAIN : ESRCH;
		return -1;
	}
	p->pid = pid;
	p->start = (uint64_t)timegm(&tm);
	p->began = (msec)p->start * 1000;
	p->parent = parent;
	p->group = group;
	/* ps shows '?', "??" or '-' for none. */
	snprintf(p->terminal, sizeof(p->terminal), "%s",
	    strchr("?-", tty[0]) ? "" : tty);
	p->foreground = foreground > 0 ? foreground : -1;
	p->zombie = state[0] == 'Z';
	p->stopped = state[0] == 'T';
	return 0;
}

int
proc_open(pid_t pid, uint64_t start)
{
	errno = proc_alive(pid, start) ? ENOSYS : ESRCH;
	return -1;
}

int
proc_ends(void)
{
	errno = ENOSYS;
	return -1;
}

int
proc_ends_set(int ends, int fd, bool in)
{
	(void)ends, (void)fd, (void)in;
	errno = ENOSYS;
	return -1;
}

int
proc_ends_next(int ends)
{
	(void)ends;
	return -1;
}

bool
proc_ended(pid_t pid)
{
	return kill(pid, 0) == -1 && errno == ESRCH;
}

/* ps puts blanks between them. */
char **
proc_words(pid_t pid)
{
	(void)pid;
	return NULL;
}

/* Some systems show a path; a login shell begins with '-'. */
void
proc_name(pid_t pid, char *name, size_t size)
{
	struct buf answer = BUF_INIT;
	const char *text, *slash;

	name[0] = '\0';
	if (pid > 0 && ask_ps(pid, "comm=", &answer) == 0) {
		text = buf_str(&answer);
		answer.data[strcspn(text, "\n")] = '\0';
		slash = strrchr(text, '/');
		snprintf(name, size, "%s", slash ? slash + 1 : text);
	}
	buf_release(&answer);
}

/* The first process began with the boot. */
void
proc_boot(char id[PROC_BOOT])
{
	struct proc first;

	if (proc_read(&first, 1) == 0)
		snprintf(id, PROC_BOOT, "%llu",
		    (unsigned long long)first.start);
	else
		memcpy(id, PROC_BOOT_UNKNOWN, sizeof(PROC_BOOT_UNKNOWN));
}

char *
proc_program(void)
{
	static const char *const links[] = {
		"/proc/self/exe", "/proc/curproc/file", "/proc/curproc/exe"
	};
	char path[PATH_MAX];
	ssize_t len;
	size_t i;

	for (i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		len = readlink(links[i], path, sizeof(path) - 1);
		if (len > 0 && path[0] == '/')
			return xstrndup(path, (size_t)len);
	}
	return spawn_find("paneward");
}

char *
proc_variable(pid_t pid, const char *name)
{
	const char *value = getenv(name);

	(void)pid;
	return value != NULL ? xstrdup(value) : NULL;
}

size_t
proc_family(pid_t pid, const char *without, pid_t *family, size_t most)
{
	(void)without, (void)most;
	family[0] = pid;
	return 1;
}

char *
proc_open_file(pid_t pid, unsigned *fd)
{
	(void)pid, (void)fd;
	return NULL;
}

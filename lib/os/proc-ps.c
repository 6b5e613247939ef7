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

/* The output of ps, in the C locale; pid 0: for all processes. */
static int
ask_ps(pid_t pid, const char *columns, struct buf *answer)
{
	char number[16];
	const char *argv[] = { "env", "LC_ALL=C", "TZ=UTC", "ps", "-o",
	    columns, pid == 0 ? "-A" : "-p", pid == 0 ? NULL : number, NULL };
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

/* What ps shows as the name at the end of a line, which is cut there.  Some
 * systems show a path. */
static const char *
ps_program_name(char *shown)
{
	const char *slash;

	shown += strspn(shown, " ");
	shown[strcspn(shown, "\n")] = '\0';
	slash = strrchr(shown, '/');
	return slash != NULL ? slash + 1 : shown;
}

int
proc_read(struct proc *p, pid_t pid)
{
	struct buf answer = BUF_INIT;
	struct tm tm = { 0 };
	char state[16], date[32], tty[24];
	const char *name;
	int parent, group, foreground, used = 0, ret = -1;

	if (pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) &&
	    ask_ps(pid, "ppid=,pgid=,tpgid=,tty=,stat=,lstart=,comm=",
	    &answer) == 0 &&
	    sscanf(buf_str(&answer), "%d %d %d %23s %15s %n", &parent, &group,
	    &foreground, tty, state, &used) == 5) {
		snprintf(date, sizeof(date), "%.24s", answer.data + used);
		name = ps_program_name(answer.data + used + strlen(date));
		snprintf(p->name, sizeof(p->name), "%s", name);
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
	p->threads = 0;
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

/* A login shell begins with '-'. */
void
proc_name(pid_t pid, char *name, size_t size)
{
	struct buf answer = BUF_INIT;

	name[0] = '\0';
	if (pid > 0 && ask_ps(pid, "comm=", &answer) == 0) {
		buf_str(&answer);
		snprintf(name, size, "%s", ps_program_name(answer.data));
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

void
proc_variables(pid_t pid, const char *const *names, char **values, size_t n)
{
	const char *own;
	size_t i;

	(void)pid;
	for (i = 0; i < n; i++) {
		own = getenv(names[i]);
		values[i] = own != NULL ? xstrdup(own) : NULL;
	}
}

size_t
proc_family(pid_t pid, const char *without, pid_t *family, size_t most)
{
	(void)without, (void)most;
	family[0] = pid;
	return 1;
}

/* In the order of ps, by their ids: a process rarely has a smaller one than
 * the one that began it. */
void
proc_front_begin(struct proc_front *f, const struct proc *p)
{
	struct buf answer = BUF_INIT;
	const char *line;
	int pid, group, used;

	*f = (struct proc_front){ .group = p->foreground };
	if (p->foreground > 0 && ask_ps(0, "pid=,pgid=", &answer) == 0) {
		f->pids[f->n++] = p->foreground;
		for (line = buf_str(&answer); f->n < PROC_FRONT &&
		    sscanf(line, "%d %d%n", &pid, &group, &used) == 2;
		    line += used)
			if (group == p->foreground && pid != group)
				f->pids[f->n++] = pid;
	}
	buf_release(&answer);
}

bool
proc_front_next(struct proc_front *f, struct proc *p)
{
	while (f->given < f->n)
		if (proc_read(p, f->pids[f->given++]) == 0 &&
		    p->group == f->group && !p->zombie)
			return true;
	return false;
}

char *
proc_open_file(pid_t pid, unsigned *fd)
{
	(void)pid, (void)fd;
	return NULL;
}

/*
 * proc-ps.c - processes by ps(1), for any system.
 */
#include "os/proc.h"

#include <limits.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "os/spawn.h"

enum { PS_LIMIT = 5000 };

/* pid 0: all processes. */
static bool
ask_ps(pid_t pid, const char *columns, struct buf *answer)
{
	char number[16];
	const char *argv[] = { "env", "LC_ALL=C", "TZ=UTC", "ps", "-o",
	    columns, pid == 0 ? "-A" : "-p", pid == 0 ? NULL : number, NULL };
	const struct spawn_how how = { .argv = argv, .limit = PS_LIMIT };
	struct spawn s = SPAWN_INIT;

	snprintf(number, sizeof(number), "%d", (int)pid);
	if (spawn_run(&s, &how) == 0)
		buf_add(answer, s.output.data, s.output.len);
	spawn_release(&s);
	return answer->len > 0;
}

int
proc_read(struct proc *p, pid_t pid)
{
	struct buf answer = BUF_INIT;
	struct tm tm = { 0 };
	char state[16], date[32], tty[24], *name, *slash;
	int parent, group, foreground, used = 0, ret = -1;

	if (pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) &&
	    ask_ps(pid, "ppid=,pgid=,tpgid=,tty=,stat=,lstart=,comm=",
	    &answer) &&
	    sscanf(buf_str(&answer), "%d %d %d %23s %15s %n", &parent, &group,
	    &foreground, tty, state, &used) == 5) {
		snprintf(date, sizeof(date), "%.24s", answer.data + used);
		/* Some systems show a path. */
		name = answer.data + used + strlen(date);
		name += strspn(name, " ");
		name[strcspn(name, "\n")] = '\0';
		slash = strrchr(name, '/');
		snprintf(p->name, sizeof(p->name), "%s", slash != NULL ?
		    slash + 1 : name);
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

bool
proc_ended(pid_t pid)
{
	return kill(pid, 0) == -1 && errno == ESRCH;
}

/* ps puts blanks between the words. */
char **
proc_texts(pid_t pid, bool environment)
{
	(void)pid, (void)environment;
	return NULL;
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
proc_own_path(void)
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

size_t
proc_children(pid_t pid, pid_t *pids, size_t n, size_t most)
{
	(void)pid, (void)pids, (void)most;
	return n;
}

size_t
proc_group(pid_t group, pid_t *pids, size_t most)
{
	struct buf answer = BUF_INIT;
	const char *line;
	int pid, its, used;
	size_t n = 0;

	if (ask_ps(0, "pid=,pgid=", &answer))
		for (line = buf_str(&answer); n < most &&
		    sscanf(line, "%d %d%n", &pid, &its, &used) == 2;
		    line += used)
			if (its == group)
				pids[n++] = pid;
	buf_release(&answer);
	return n;
}

char *
proc_open_file(pid_t pid, unsigned *fd)
{
	(void)pid, (void)fd;
	return NULL;
}

/*
 * proc-linux.c - processes by /proc.
 */
#include "os/proc.h"

#include <limits.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>

#include "os/file.h"
#include "os/loop.h"

static ssize_t
read_proc(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd == -1 ? -1 : read(fd, text, size - 1);

	file_close(fd);
	if (n >= 0)
		text[n] = '\0';
	return n;
}

/* Fields behind the name, see proc_pid_stat(5). */
enum {
	STAT_STATE, STAT_PARENT, STAT_GROUP, STAT_TERMINAL = 4,
	STAT_FOREGROUND, STAT_THREADS = 17, STAT_START = 19, STAT_FIELDS
};

int
proc_read(struct proc *p, pid_t pid)
{
	long long field[STAT_FIELDS];
	char path[32], text[1024], *rest, *name, *at, *end;
	struct timespec up;
	int i;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (pid <= 0 || read_proc(path, text, sizeof(text)) == -1) {
		if (pid <= 0 || errno == ENOENT)
			errno = ESRCH;
		return -1;
	}
	/* The name in parentheses may hold any byte. */
	name = strchr(text, '(');
	rest = strrchr(text, ')');
	if (name == NULL || rest == NULL || strlen(rest) < 3) {
		errno = ESRCH;
		return -1;
	}
	/* sscanf() is many times slower. */
	field[STAT_STATE] = rest[2];
	for (i = STAT_STATE + 1, at = rest + 3; i < STAT_FIELDS; i++, at = end)
		field[i] = strtoll(at, &end, 10);
	p->pid = pid;
	p->start = (uint64_t)field[STAT_START];
	p->threads = (unsigned)field[STAT_THREADS];
	/* In clock ticks since the boot. */
	clock_gettime(CLOCK_BOOTTIME, &up);
	p->began = clock_wall() - (msec)up.tv_sec * 1000 -
	    up.tv_nsec / 1000000 +
	    (msec)(p->start * 1000 / (uint64_t)sysconf(_SC_CLK_TCK));
	p->parent = (pid_t)field[STAT_PARENT];
	p->group = (pid_t)field[STAT_GROUP];
	p->terminal[0] = '\0';
	if (field[STAT_TERMINAL] != 0)
		snprintf(p->terminal, sizeof(p->terminal), "%d",
		    (int)field[STAT_TERMINAL]);
	p->foreground = (pid_t)field[STAT_FOREGROUND];
	p->zombie = field[STAT_STATE] == 'Z' || field[STAT_STATE] == 'X';
	p->stopped = field[STAT_STATE] == 'T' || field[STAT_STATE] == 't';
	snprintf(p->name, sizeof(p->name), "%.*s", (int)(rest - name - 1),
	    name + 1);
	return 0;
}

int
proc_ends_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

bool
proc_ended(pid_t pid)
{
	int fd = proc_ends_open(pid);
	bool ended;

	if (fd == -1)
		return errno == ESRCH || !proc_alive(pid, 0);
	ended = loop_await(fd, POLLIN, 0);
	close(fd);
	return ended;
}

int
proc_ends(void)
{
	return epoll_create1(EPOLL_CLOEXEC);
}

int
proc_ends_set(int ends, int fd, bool in)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(ends, in ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd, &e);
}

int
proc_ends_next(int ends)
{
	struct epoll_event e;

	return epoll_wait(ends, &e, 1, 0) == 1 ? e.data.fd : -1;
}

enum { WORDS_MAX = 1 << 20, OPEN_MOST = 256 };  /* bytes, descriptors */

char **
proc_texts(pid_t pid, bool environment)
{
	struct buf text = BUF_INIT;
	char path[32], some[2048], **words = NULL, *p = some;
	ssize_t n;
	size_t len, at;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid,
	    environment ? "environ" : "cmdline");
	n = pid > 0 ? read_proc(path, some, sizeof(some)) : -1;
	if (n == -1)
		return NULL;
	len = (size_t)n;
	if (len == sizeof(some) - 1) {
		if (file_read(AT_FDCWD, path, 0, &text, WORDS_MAX) == -1 ||
		    text.len == WORDS_MAX)
			buf_reset(&text);
		len = text.len;
		buf_str(&text);
		p = text.data;
	}
	for (at = 0; at < len; at += strlen(p + at) + 1)
		words = argv_add(words, p + at);
	buf_release(&text);
	return words;
}

static size_t
add_children(pid_t pid, const char *thread, pid_t *family, size_t n,
    size_t most)
{
	char path[64], text[1024], *p = text;
	int used;

	snprintf(path, sizeof(path), "/proc/%d/task/%.16s/children", (int)pid,
	    thread);
	if (read_proc(path, text, sizeof(text)) <= 0)
		return n;
	for (; n < most && sscanf(p, "%d%n", &family[n], &used) == 1; n++)
		p += used;
	return n;
}

size_t
proc_children(pid_t pid, pid_t *family, size_t n, size_t most)
{
	const struct dirent *e;
	char path[32];
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = opendir(path);
	while (d != NULL && (e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			n = add_children(pid, e->d_name, family, n, most);
	if (d != NULL)
		closedir(d);
	return n;
}

void
proc_front_begin(struct proc_front *f, const struct proc *p)
{
	bool leads = p->foreground == p->pid;

	*f = (struct proc_front){ .group = p->foreground, .leader = *p,
	    .root = leads || p->foreground <= 0 ? 0 : p->pid };
	if (leads || (proc_read(&f->leader, p->foreground) == 0 &&
	    f->leader.group == p->foreground)) {
		f->pids[f->n++] = f->leader.pid;
		if (!leads && f->leader.parent > 1)
			f->root = f->leader.parent;
	} else {
		f->deep = true;
	}
}

/* The leader comes first, and once more below the root. */
bool
proc_front_next(struct proc_front *f, struct proc *p)
{
	bool leader, taken, alone;
	char thread[16];
	pid_t next;
	size_t i;

	for (;;) {
		while (f->given < f->n) {
			i = f->given++;
			leader = f->pids[i] == f->leader.pid;
			*p = f->leader;
			taken = (leader ? i == 0 :
			    proc_read(p, f->pids[i]) == 0) &&
			    p->group == f->group && !p->zombie;
			if (!taken && !f->deep)
				f->pids[i] = 0;
			f->alone[i] = taken && p->threads == 1;
			if (taken)
				return true;
		}
		next = f->root;
		alone = false;
		f->root = 0;
		while (next == 0 && f->expanded < f->n) {
			alone = f->alone[f->expanded];
			next = f->pids[f->expanded++];
		}
		if (next == 0)
			return false;
		snprintf(thread, sizeof(thread), "%d", (int)next);
		f->n = alone ? add_children(next, thread, f->pids, f->n,
		    PROC_FRONT) : proc_children(next, f->pids, f->n,
		    PROC_FRONT);
	}
}

char *
proc_open_file(pid_t pid, unsigned *fd)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	for (; *fd < OPEN_MOST; (*fd)++) {
		snprintf(link, sizeof(link), "/proc/%d/fd/%u", (int)pid, *fd);
		n = readlink(link, path, sizeof(path));
		if (n > 0 && path[0] == '/')
			return xstrndup(path, (size_t)n);
	}
	return NULL;
}

void
proc_boot(char id[PROC_BOOT])
{
	ssize_t n = read_proc("/proc/sys/kernel/random/boot_id", id, PROC_BOOT);

	if (n <= 0)
		memcpy(id, PROC_BOOT_UNKNOWN, sizeof(PROC_BOOT_UNKNOWN));
	id[strcspn(id, "\n")] = '\0';
}

/* The kernel marks a removed path; after an upgrade a new file has it. */
char *
proc_own_path(void)
{
	static const char deleted[] = " (deleted)";
	struct buf path = BUF_INIT;
	size_t tail = sizeof(deleted) - 1, room = 127;
	ssize_t n;

	while ((n = readlink("/proc/self/exe", buf_room(&path, room), room)) ==
	    (ssize_t)room)
		room *= 2;
	if (n == -1)
		return NULL;
	path.len = (size_t)n;
	if (path.len > tail && strcmp(buf_str(&path) + path.len - tail,
	    deleted) == 0 && access(buf_str(&path), F_OK) == -1)
		path.len -= tail;
	return buf_steal(&path);
}

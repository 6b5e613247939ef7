#include "os/file.h"

#include <libgen.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/time.h>

#include "os/compat.h"

static void
lock_interrupted(int signo)
{
	(void)signo;
}

int
file_lock(int fd, msec patience)
{
	struct itimerval timer = { .it_interval.tv_usec = 20000,
	    .it_value = { .tv_sec = (time_t)(patience / 1000),
	    .tv_usec = (suseconds_t)(patience % 1000 * 1000) } }, timer_had;
	struct sigaction action = { .sa_handler = lock_interrupted }, had;
	sigset_t alarm, mask;
	int ret = flock(fd, LOCK_EX | LOCK_NB), error;
	msec until;

	/* Polling costs more, and gets the lock later. */
	if (ret == 0 || errno != EWOULDBLOCK || patience == 0)
		return ret;
	until = clock_now() + patience;
	/* The signal repeats, since the first may come before the wait.  The
	 * parent may have blocked SIGALRM. */
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigaction(SIGALRM, &action, &had);
	sigprocmask(SIG_UNBLOCK, &alarm, &mask);
	setitimer(ITIMER_REAL, &timer, &timer_had);
	while ((ret = flock(fd, LOCK_EX)) == -1 && errno == EINTR &&
	    clock_now() < until)
		continue;
	error = ret == -1 && errno == EINTR ? EWOULDBLOCK : errno;
	/* The wait delays the caller's alarm. */
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	sigaction(SIGALRM, &had, NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	setitimer(ITIMER_REAL, &timer_had, NULL);
	errno = error;
	return ret;
}

int
file_write(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;
	ssize_t n;

	while (len > 0) {
		n = write(fd, p, len);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int
file_put(int dir, const char *name, const void *bytes, size_t len,
    mode_t mode, bool sync)
{
	char *beside = xasprintf("%s.%ld.tmp", name, (long)getpid()), *copy;
	int fd, ret = -1, saved;

	fd = openat(dir, beside,
	    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd != -1 && file_write(fd, bytes, len) == 0 &&
	    (!sync || fsync(fd) == 0))
		ret = renameat(dir, beside, dir, name);
	saved = errno;
	if (fd != -1 && ret == -1)
		unlinkat(dir, beside, 0);
	errno = saved;
	file_close(fd);
	free(beside);
	if (ret == -1 || !sync)
		return ret;
	copy = xstrdup(name);
	fd = openat(dir, dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ret = fd == -1 ? -1 : fsync(fd);
	file_close(fd);
	free(copy);
	return ret;
}

void
file_close(int fd)
{
	int saved = errno;

	if (fd != -1)
		close(fd);
	errno = saved;
}

int
file_read_open(int fd, enum file_how how, struct buf *to, size_t most)
{
	size_t start = to->len, piece, room;
	struct stat st;
	ssize_t n = 1;

	if (fstat(fd, &st) == -1)
		return -1;
	errno = !S_ISREG(st.st_mode) ? EINVAL : how & FILE_TRUSTED &&
	    (file_foreign(&st) || st.st_mode & S_IWOTH) ? EPERM : 0;
	if (errno != 0 || (how & FILE_TAIL && st.st_size > (off_t)most &&
	    lseek(fd, -(off_t)most, SEEK_END) == -1))
		return -1;
	/* The size saves the last read. */
	piece = st.st_size > 0 ? (size_t)st.st_size : 4096;
	while (n != 0 && to->len - start < most &&
	    (st.st_size == 0 || to->len - start < piece)) {
		room = most - (to->len - start);
		if (room > piece)
			room = piece;
		n = read(fd, buf_room(to, room), room);
		if (n == -1 && errno != EINTR)
			return -1;
		to->len += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int
file_read(int dir, const char *name, enum file_how how, struct buf *to,
    size_t most)
{
	int fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
	    | (how & FILE_NOFOLLOW ? O_NOFOLLOW : 0));
	int ret = fd == -1 ? -1 : file_read_open(fd, how, to, most);

	file_close(fd);
	return ret;
}

int
file_drain(int fd, struct buf *to, size_t most)
{
	enum { PIECE = 4096 };
	ssize_t n = 1;

	while (n != 0 && to->len <= most) {
		n = read(fd, buf_room(to, PIECE), PIECE);
		if (n == -1 && errno != EINTR)
			return -1;
		to->len += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int
file_folder(const char *root, const char *path, bool make)
{
	int how = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	int fd = open(root, how), next, saved;
	char *names = xstrdup(path), *rest = names, *name;

	while (fd != -1 && (name = strsep(&rest, "/")) != NULL) {
		if (name[0] == '\0')
			continue;
		next = openat(fd, name, how | O_NOFOLLOW);
		if (next == -1 && errno == ENOENT && make &&
		    (mkdirat(fd, name, 0777) == 0 || errno == EEXIST))
			next = openat(fd, name, how | O_NOFOLLOW);
		/* Systems differ on a link. */
		saved = errno == ELOOP ? ENOTDIR : errno;
		close(fd);
		errno = saved;
		fd = next;
	}
	free(names);
	return fd;
}

int
file_make_path(char *path)
{
	char *p;
	int ret = 0;

	for (p = path + 1; ret == 0 && (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		if (mkdir(path, 0777) == -1 && errno != EEXIST)
			ret = -1;
		*p = '/';
	}
	return ret == 0 && (mkdir(path, 0700) == 0 || errno == EEXIST) ? 0 : -1;
}

int
file_open_own(int dir, const char *name, int flags, struct stat *st)
{
	int fd = openat(dir, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
	    O_CLOEXEC, 0600);

	if (fd != -1 && fstat(fd, st) == 0) {
		if (S_ISREG(st->st_mode) && st->st_nlink == 1 &&
		    st->st_uid == geteuid())
			return fd;
		errno = EBADMSG;
	}
	file_close(fd);
	return -1;
}

DIR *
file_opendir(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd != -1 ? fdopendir(fd) : NULL;

	if (fd != -1 && d == NULL && errno == ENOMEM)
		fatal_memory();
	if (d == NULL)
		file_close(fd);
	return d;
}

struct dirent *
file_next(DIR *dir)
{
	errno = 0;
	return readdir(dir);
}

char **
file_names(int dir, const char *name)
{
	DIR *d = file_opendir(dir, name);
	const struct dirent *e;
	char **names = NULL;
	size_t n = 0;
	int error;

	if (d == NULL)
		return NULL;
	while ((e = file_next(d)) != NULL)
		*ARRAY_ADD(names, n) = xstrdup(e->d_name);
	error = errno;
	closedir(d);
	*ARRAY_ADD(names, n) = NULL;
	if (error != 0) {
		argv_free(names);
		names = NULL;
	}
	errno = error;
	return names;
}

bool
file_empty(const char *path)
{
	char **names = file_names(AT_FDCWD, path), **p;
	bool empty = names != NULL || errno == ENOENT;

	for (p = names; p != NULL && *p != NULL; p++)
		if (strcmp(*p, ".") != 0 && strcmp(*p, "..") != 0)
			empty = false;
	argv_free(names);
	return empty;
}

int
file_look(int dir, const char *name, int flags, struct stat *st)
{
	return fstatat(dir, name, st, flags) == 0 ? 1 :
	    file_missing(errno) ? 0 : -1;
}

bool
file_same_times(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	    a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	    a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	    a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

msec
file_mtime(const struct stat *st)
{
	return (msec)st->st_mtim.tv_sec * 1000 + st->st_mtim.tv_nsec / 1000000;
}

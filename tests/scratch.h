/*
 * scratch.h - a folder for the tests of a file, made before them, removed behind
 * them.
 *
 *	scratch_write("config/a.json", "{}");
 *	is_text(scratch_text("config/a.json"), "{}");
 *
 * Names are relative to the folder; missing parents are made.  What paneward
 * keeps for the user is in it, too.  No project is found above it.
 */
#ifndef PANEWARD_SCRATCH_H
#define PANEWARD_SCRATCH_H

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static char scratch[] = "/tmp/paneward-test-XXXXXX";
static int  scratch_fd = -1;            /* open on it */

enum { SCRATCH_NOBODY = 65534 };

static inline void
scratch_begin(void)
{
	if (mkdtemp(scratch) == NULL ||
	    (scratch_fd = open(scratch, O_RDONLY | O_CLOEXEC)) == -1) {
		printf("Bail out! no folder for this test\n");
		exit(1);
	}
	setenv("XDG_STATE_HOME", scratch, 1);
	setenv("PANEWARD_CEILING", "/tmp", 1);
}

/* The folder is the user's home, and git commits as "test". */
static inline void
scratch_home(void)
{
	setenv("HOME", scratch, 1);
	setenv("XDG_CONFIG_HOME", scratch, 1);
	setenv("TMPDIR", scratch, 1);
	setenv("GIT_AUTHOR_NAME", "test", 1);
	setenv("GIT_AUTHOR_EMAIL", "test@localhost", 1);
	setenv("GIT_COMMITTER_NAME", "test", 1);
	setenv("GIT_COMMITTER_EMAIL", "test@localhost", 1);
}

static inline int
scratch_remove(const char *path, const struct stat *st, int kind,
    struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static inline void
scratch_end(void)
{
	close(scratch_fd);
	ok(nftw(scratch, scratch_remove, 16, FTW_DEPTH | FTW_PHYS) == 0);
}

__attribute__((constructor)) static void
scratch_register(void)
{
	tap_open = scratch_begin;
	tap_close = scratch_end;
}

/* The absolute path of a name, in one of a few static buffers. */
static inline const char *
scratch_path(const char *name)
{
	static char paths[4][4096];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", scratch, name);
	return path;
}

/* The folders that the name goes through. */
static inline void
scratch_parents(const char *name)
{
	char folder[4096];
	const char *slash;

	for (slash = name; (slash = strchr(slash, '/')) != NULL; slash++) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - name),
		    name);
		mkdirat(scratch_fd, folder, 0700);
	}
}

static inline void
scratch_folder(const char *name)
{
	scratch_parents(name);
	mkdirat(scratch_fd, name, 0700);
}

static inline void
scratch_put(const char *name, int how, const void *bytes, size_t len)
{
	int fd;

	scratch_parents(name);
	fd = openat(scratch_fd, name, O_WRONLY | O_CREAT | O_CLOEXEC | how,
	    0600);
	if (fd == -1 || write(fd, bytes, len) != (ssize_t)len)
		is_text("cannot write", name);
	close(fd);
}

static inline void
scratch_write(const char *name, const char *text)
{
	scratch_put(name, O_TRUNC, text, strlen(text));
}

static inline void
scratch_add(const char *name, const char *text)
{
	scratch_put(name, O_APPEND, text, strlen(text));
}

/* The text of a file; NULL if it does not exist. */
static inline const char *
scratch_text(const char *name)
{
	static char text[1 << 20];
	int fd = openat(scratch_fd, name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd == -1)
		return NULL;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static inline unsigned
scratch_lines(const char *name)
{
	const char *p = scratch_text(name);
	unsigned n = 0;

	for (; p != NULL && (p = strchr(p, '\n')) != NULL; p++)
		n++;
	return n;
}

static inline bool
scratch_there(const char *name)
{
	struct stat st;

	return fstatat(scratch_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* How many entries a folder has. */
static inline unsigned
scratch_count(const char *folder)
{
	int fd = openat(scratch_fd, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd != -1 ? fdopendir(fd) : NULL;
	const struct dirent *entry;
	unsigned n = 0;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		n += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	if (dir != NULL)
		closedir(dir);
	return n;
}

/*
 * Runs checks in a child, which may change its limits and user; a check that
 * fails there fails the test.
 */
static inline void
scratch_apart(void (*checks)(void))
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		tap_bad_checks = 0;
		checks();
		fflush(stdout);
		_exit(tap_bad_checks > 0);
	}
	ok(pid != -1 && waitpid(pid, &status, 0) == pid);
	is_number(status, 0);
}

/* From now on this process has no privileges. */
static inline void
scratch_become_nobody(void)
{
	if (geteuid() == 0)
		ok(setgid(SCRATCH_NOBODY) == 0 && setuid(SCRATCH_NOBODY) == 0);
}

/* From now on no file of this process can grow beyond this size. */
static inline void
scratch_limit_files(rlim_t bytes)
{
	struct rlimit limit = { bytes, bytes };

	signal(SIGXFSZ, SIG_IGN);
	ok(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

#endif

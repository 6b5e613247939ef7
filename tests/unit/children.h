/*
 * children.h - what a unit test runs in a child, and checks of texts and words,
 * beside the folder of scratch.h.
 */
#ifndef PANEWARD_CHILDREN_H
#define PANEWARD_CHILDREN_H

#include <poll.h>
#include <stdarg.h>

#include "base/argv.h"
#include "scratch.h"

/* The text has this part; else all of it is printed. */
#define contains(text, part) \
	tap_part((text), (part), #text, __FILE__, __LINE__)

static inline void
tap_part(const char *text, const char *part, const char *what,
    const char *file, int line)
{
	if (text != NULL && strstr(text, part) != NULL)
		return;
	tap_fail(file, line);
	printf("%s is '%s', without '%s'\n", what, text ? text : "(null)",
	    part);
}

/* The function says that of each of these words, up to NULL. */
static inline void
says(bool want, bool (*judge)(const char *), const char *const *words)
{
	for (; *words != NULL; words++) {
		ROW("'%s'", *words);
		ok(judge(*words) == want);
	}
	ROW("%s", "");
}

/* Runs a line of shell in the scratch folder. */
__attribute__((format(printf, 1, 2))) static inline void
sh(const char *format, ...)
{
	char line[2000];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	ROW("%.200s", line);
	is_number(chdir(scratch) | system(line), 0);
}

static inline bool
readable(int fd, int patience)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, patience) == 1;
}

/* A child that prepares itself (or NULL), and sleeps until it is ended. */
static inline pid_t
sleeper(bool (*prepare)(const void *), const void *with)
{
	int ready[2];
	char byte;
	pid_t pid;

	ok(pipe(ready) == 0);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (prepare != NULL && !prepare(with))
			_exit(1);
		while (write(ready[1], "", 1) == 1)
			pause();
	}
	close(ready[1]);
	ok(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	return pid;
}

static inline void
sleeper_end(pid_t pid)
{
	kill(pid, SIGKILL);
	ok(waitpid(pid, NULL, 0) == pid);
}

/* From now on a file gets what this descriptor got; returns the old one. */
static inline int
divert(int fd, const char *name)
{
	int old = dup(fd), file;

	fflush(stdout);
	scratch_write(name, "");
	file = openat(scratch_fd, name, O_WRONLY | O_APPEND | O_CLOEXEC);
	dup2(file, fd);
	close(file);
	return old;
}

static inline void
divert_back(int fd, int old)
{
	fflush(stdout);
	dup2(old, fd);
	close(old);
}

/* The exit status of a child that calls this; it prints into out and err. */
static inline int
status_of(void (*act)(void *), void *with)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		divert(STDOUT_FILENO, "out");
		divert(STDERR_FILENO, "err");
		act(with);
		exit(0);
	}
	ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

#endif

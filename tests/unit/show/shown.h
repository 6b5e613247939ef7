/*
 * shown.h - what a command of this folder prints, run in a child of the test.
 *
 *	is_text(shown(&status_command, "--tmux", NULL), "1 working\n");
 *	is_number(shown_exit, 0);
 *
 * Its project is the scratch folder, its status directory "status" there.
 */
#ifndef PANEWARD_SHOWN_H
#define PANEWARD_SHOWN_H

#include <stdarg.h>
#include <stdint.h>

#include "base/command.h"
#include "paneward.h"
#include "scratch.h"

#define SHOWN_RUN "0123abcd-1111-4222-8333-444444444444"

static int shown_exit;

/* A command leaves its memory to the system, which is no leak. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* Its standard output; the file "err" has its messages. */
static inline const char *
shown(const struct command *c, ...)
{
	const char *argv[16] = { c->name };
	int argc = 1, status = 0;
	va_list words;
	pid_t pid;

	va_start(words, c);
	while (argc < 15 && (argv[argc] = va_arg(words, const char *)) != NULL)
		argc++;
	va_end(words);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (freopen(scratch_path("out"), "w", stdout) == NULL ||
		    freopen(scratch_path("err"), "w", stderr) == NULL)
			_exit(98);
		setenv("PANEWARD_STATUS_DIR", scratch_path("status"), 1);
		status = fchdir(scratch_fd) == 0 ?
		    c->run(c, argc, (char **)(uintptr_t)argv) : 99;
		fflush(stdout);
		_exit(status);
	}
	ok(pid != -1 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	shown_exit = WEXITSTATUS(status);
	return scratch_text("out");
}

/* The status record of an issue, with more members. */
static inline void
shown_record(const char *issue, const char *state, const char *more)
{
	char name[128], text[1024];

	snprintf(name, sizeof(name), "status/.paneward/%s.json", issue);
	snprintf(text, sizeof(text), "{\"issue\":\"%s\",\"run\":\"" SHOWN_RUN
	    "\",\"state\":\"%s\",\"source\":\"process\",\"why\":\"it is so\","
	    "\"since\":\"2026-01-31T12:00:00Z\","
	    "\"started\":\"2026-01-31T12:00:00Z\"%s}\n", issue, state, more);
	scratch_write(name, text);
}

#endif

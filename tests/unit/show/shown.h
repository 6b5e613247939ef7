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

#include <stdint.h>

#include "base/command.h"
#include "paneward.h"
#include "unit/children.h"

#define SHOWN_RUN "0123abcd-1111-4222-8333-444444444444"

static int shown_exit;

/* A command leaves its memory to the system, which is no leak. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}

struct shown_call {
	const struct command *command;
	const char *argv[16];
	int argc;
};

static inline void
shown_act(void *call)
{
	struct shown_call *s = call;

	setenv("PANEWARD_STATUS_DIR", scratch_path("status"), 1);
	exit(fchdir(scratch_fd) != 0 ? 99 : s->command->run(s->command,
	    s->argc, (char **)(uintptr_t)s->argv));
}

/* Its standard output; the file "err" has its messages. */
static inline const char *
shown(const struct command *c, ...)
{
	struct shown_call s = { c, { c->name }, 1 };
	va_list words;

	va_start(words, c);
	while ((s.argv[s.argc] = va_arg(words, const char *)) != NULL)
		s.argc++;
	va_end(words);
	shown_exit = status_of(shown_act, &s);
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

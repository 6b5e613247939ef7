/*
 * parkedrun.c - parked-run: tells an agent that a usage limit held to go on, in
 * a process of its own.
 *
 * It inherits the lock, as a runner does.  That the agent is told is
 * recorded before anything is typed, so a process that is killed does not tell
 * it twice at once.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "handoff/runner.h"
#include "paneward.h"
#include "queue/answer.h"
#include "queue/typist.h"
#include "run/journal.h"
#include "run/parked.h"

/* Adds what it was told, else why it was not. */
static enum typist_end
parkedrun_tell(const struct row *row, const char *prompt, struct buf *said)
{
	struct backends all = { .first = NULL };
	enum typist_end end = TYPIST_REFUSED;
	struct dialog_reply reply;
	char *choice;
	struct buf why = BUF_INIT;
	struct answer a;
	bool on = false, off = false;

	backends_all(&all, said);
	buf_reset(said);
	/* A dialog gets the choice that continues, else the one that leads to
	 * the prompt. */
	if (answer_look(&a, &all, row, said) == 1 && a.dialog.limit) {
		on = dialog_choose(&a.dialog, "yes", &reply, &why) == 0;
		off = !on && dialog_choose(&a.dialog, "no", &reply, &why) == 0;
	}
	if (on || off) {
		choice = xstrdup(reply.choice);
		buf_reset(said);
		end = answer_give(&a, &reply, said);
		if (end == TYPIST_DONE)
			buf_adds(said, choice);
		free(choice);
	}
	answer_release(&a);
	buf_release(&why);
	/* The agent goes on, or the dialog is there still. */
	if (on || (off && end != TYPIST_DONE))
		return end;
	buf_reset(said);
	end = typist_tell(&all, row, prompt, said);
	if (end == TYPIST_DONE)
		buf_adds(said, prompt);
	return end;
}

static int
parkedrun_main(const struct command *c, int argc, char **argv)
{
	struct context context;
	struct runner_call call;
	struct buf said = BUF_INIT, detail = BUF_INIT;
	enum typist_end result;
	struct status r;

	if (!runner_enter(&call, c, argc, argv, &context, &r))
		return EXIT_COULD_NOT;
	if (!context.config.on_limit || parked_wait(&r, clock_wall()) != 0)
		return EXIT_DONE;
	parked_begin(&r, clock_wall());
	if (status_write(&r, context.dir.state_fd) == -1)
		return EXIT_COULD_NOT;
	result = parkedrun_tell(&(struct row){ .status = r },
	    context.config.limit_prompt, &said);
	buf_printf(&detail, "after its limit: %s, %u of %d: %s",
	    result == TYPIST_DONE ? "told to go on" :
	    result == TYPIST_HALF || result == TYPIST_LATE ?
	    "perhaps told to go on" : "not told to go on", r.parked.asks,
	    (int)PARKED_MOST, buf_str(&said));
	if (journal_add(context.dir.state_fd, context.dir.path, JOURNAL_PARKED,
	    &r, buf_str(&detail)) == -1)
		warn("cannot write to the journal in '%s'", context.dir.path);
	buf_release(&detail);
	buf_release(&said);
	return result == TYPIST_DONE ? EXIT_DONE : EXIT_NO;
}

const struct command parkedrun_command = {
	.name = "parked-run",
	.arguments = "-- ISSUE",
	.options = runner_options,
	.run = parkedrun_main,
};

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
#include "handoff/commands.h"
#include "handoff/runner.h"
#include "queue/answer.h"
#include "queue/tell.h"
#include "run/journal.h"
#include "run/parked.h"

static void
parkedrun_journal(const struct context *c, const struct status *r,
    enum typist_end result, struct buf *said)
{
	const char *what = result == TYPIST_DONE ? "told to go on" :
	    result == TYPIST_HALF || result == TYPIST_LATE ? "perhaps told to go on" :
	    "not told to go on";
	struct buf detail = BUF_INIT;

	buf_printf(&detail, "after its limit: %s, %u of %d: %s", what,
	    r->parked.asks, (int)PARKED_MOST, buf_str(said));
	if (journal_add(c->dir.state_fd, c->dir.path, JOURNAL_PARKED, r,
	    buf_str(&detail)) == -1)
		warn("cannot write to the journal in '%s'", c->dir.path);
	buf_release(&detail);
}

/* The answer to the dialog of a limit: the choice that goes on, else the one
 * that leads to the prompt. */
static bool
parkedrun_choose(const struct dialog *d, struct dialog_reply *reply, bool *on)
{
	struct buf why = BUF_INIT;

	*on = dialog_choose(d, "yes", reply, &why) == 0;
	if (!*on && dialog_choose(d, "no", reply, &why) == -1)
		reply->choice = NULL;
	buf_release(&why);
	return reply->choice != NULL;
}

/* True if it is over: the agent goes on, or the dialog is there still. */
static bool
parkedrun_answer(struct answer *a, enum typist_end *end, struct buf *said)
{
	struct dialog_reply reply;
	char *choice;
	bool on;

	if (!a->dialog.limit || !parkedrun_choose(&a->dialog, &reply, &on))
		return false;
	choice = xstrdup(reply.choice);
	buf_reset(said);
	*end = answer_give(a, &reply, said);
	if (*end == TYPIST_DONE)
		buf_adds(said, choice);
	free(choice);
	return on || *end != TYPIST_DONE;
}

/* Adds what it was told, else why it was not. */
static enum typist_end
parkedrun_tell(const struct row *row, const char *prompt, struct buf *said)
{
	struct backends all = { .first = NULL };
	enum typist_end end = TYPIST_REFUSED;
	struct answer a;
	bool over;

	backends_all(&all, said);
	buf_reset(said);
	over = answer_look(&a, &all, row, said) == 1 &&
	    parkedrun_answer(&a, &end, said);
	answer_release(&a);
	if (over)
		return end;
	buf_reset(said);
	end = tell(&all, row, prompt, said);
	if (end == TYPIST_DONE)
		buf_adds(said, prompt);
	return end;
}

static int
parkedrun_main(const struct command *c, int argc, char **argv)
{
	struct context context;
	struct runner_call call;
	struct buf said = BUF_INIT;
	enum typist_end result;
	struct status r;

	runner_parse(&call, c, argc, argv);
	if (!runner_enter(&call, &context, &r))
		return EXIT_COULD_NOT;
	if (!context.config.on_limit || parked_wait(&r, clock_wall()) != 0)
		return EXIT_DONE;
	parked_begin(&r, clock_wall());
	if (status_write(&r, context.dir.state_fd) == -1)
		return EXIT_COULD_NOT;
	result = parkedrun_tell(&(struct row){ .status = r },
	    context.config.limit_prompt, &said);
	parkedrun_journal(&context, &r, result, &said);
	buf_release(&said);
	return result == TYPIST_DONE ? EXIT_DONE : EXIT_NO;
}

const struct command parkedrun_command = {
	.name = "parked-run",
	.arguments = "-- ISSUE",
	.options = runner_options,
	.run = parkedrun_main,
};

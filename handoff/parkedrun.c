/*
 * parkedrun.c - parked-run: tells an agent that a usage limit held to go on, in
 * a process of its own.
 *
 * It inherits the issue's lock, as a runner does.  That the agent is told is
 * recorded before anything is typed, so a process that is killed does not tell
 * it twice at once.
 */
#include "base/msg.h"
#include "handoff/commands.h"
#include "handoff/runner.h"
#include "queue/tell.h"
#include "run/journal.h"
#include "run/parked.h"

static void
parkedrun_journal(const struct context *c, const struct status *r,
    enum typist_end result, struct buf *why)
{
	const char *what = result == TYPIST_DONE ? "told to go on" :
	    result == TYPIST_HALF ? "perhaps told to go on" :
	    "not told to go on";
	struct buf detail = BUF_INIT;

	buf_printf(&detail, "after its limit: %s, %u of %d: %s", what,
	    r->parked.asks, (int)PARKED_MOST, result == TYPIST_DONE ?
	    c->config.limit_prompt : buf_str(why));
	if (journal_add(c->dir.state_fd, c->dir.path, JOURNAL_PARKED, r,
	    buf_str(&detail)) == -1)
		warn("cannot write to the journal in '%s'", c->dir.path);
	buf_release(&detail);
}

static enum typist_end
parkedrun_tell(const struct context *c, const struct status *r,
    struct buf *why)
{
	const struct row row = { .status = *r };
	struct backends all = { .first = NULL };

	backends_all(&all, why);
	buf_reset(why);
	return tell(&all, &row, c->config.limit_prompt, why);
}

static int
parkedrun_main(const struct command *c, int argc, char **argv)
{
	struct context context;
	struct runner_call call;
	struct buf why = BUF_INIT;
	enum typist_end result;
	struct status r;

	runner_parse(&call, c, argc, argv);
	context_open(&context, call.status_dir, false);
	lock_mark(&call.lock);
	if (!lock_counts(&call.lock, context.dir.state_fd, call.issue) ||
	    status_read(&r, context.dir.state_fd, call.issue) != 1)
		return EXIT_COULD_NOT;
	if (!context.config.on_limit || parked_wait(&r, clock_wall()) != 0)
		return EXIT_DONE;
	parked_begin(&r, clock_wall());
	if (status_write(&r, context.dir.state_fd) == -1)
		return EXIT_COULD_NOT;
	result = parkedrun_tell(&context, &r, &why);
	parkedrun_journal(&context, &r, result, &why);
	buf_release(&why);
	return result == TYPIST_DONE ? EXIT_DONE : EXIT_NO;
}

const struct command parkedrun_command = {
	.name = "parked-run",
	.arguments = "-- ISSUE",
	.options = runner_options,
	.run = parkedrun_main,
};

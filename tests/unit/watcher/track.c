#include "watcher/track.h"

#include <unistd.h>

#include "unit/watcher/watched.h"

static msec
deadline(void)
{
	track_schedule(t);
	return track_deadline(t);
}

TEST(the_first_timer_is_the_deadline) {
	watched_begin();
	is_number(deadline(), CLOCK_NEVER);
	is_number(t->fd[FD_AGENT], -1);
	is_number(t->files[FILE_LOG].watch, -1);
	t->at[AT_CAPTURE] = WATCHED_NOW + 30;
	t->at[AT_QUIET] = WATCHED_NOW + 20;
	t->at[AT_HANDOFF] = WATCHED_NOW + 10;
	is_number(deadline(), WATCHED_NOW + 10);
	t->at[AT_HANDOFF] = CLOCK_NEVER;
	is_number(deadline(), WATCHED_NOW + 20);
	t->due.marked = true;
	is_number(deadline(), 0);
	track_finish(t, EXIT_NO);
	is_number(deadline(), CLOCK_NEVER);
	is_number(t->life.exit, EXIT_NO);
	/* An unwritten record holds back hand-off and notice. */
	watched_begin();
	t->at[AT_HANDOFF] = t->at[AT_NOTICE] = WATCHED_NOW;
	t->at[AT_RETRY] = WATCHED_NOW + 500;
	is_number(deadline(), WATCHED_NOW + 500);
	t->at[AT_RETRY] = CLOCK_NEVER;
	is_number(deadline(), WATCHED_NOW);
	/* A running hand-off has no deadline. */
	watched_begin();
	t->at[AT_QUIET] = WATCHED_NOW;
	t->runner.fd = dup(STDOUT_FILENO);
	is_number(deadline(), CLOCK_NEVER);
}

TEST(silence_of_pane_and_hooks_is_judged_once) {
	watched_begin();
	t->evidence.pane = PANE_LIVES;
	is_number(deadline(), CLOCK_NEVER);
	watched_hold();
	t->evidence.wall = WATCHED_NOW;         /* no hook has written */
	t->sources.output = WATCHED_NOW + 5;
	is_number(deadline(), WATCHED_NOW + 5 + 60000);
	t->judged_at = WATCHED_NOW + 5 + 60000;
	t->evidence.wall += 60005;
	is_number(deadline(), CLOCK_NEVER);
	t->sources.output = t->judged_at;
	is_number(deadline(), t->judged_at + 60000);
	t->record.verdict.state = STATE_WAITING;
	is_number(deadline(), CLOCK_NEVER);
}

TEST(the_last_look_waits_for_the_writer_of_a_pane_that_is_gone) {
	watched_begin();
	t->at[AT_ENDING] = WATCHED_NOW + 200;
	t->at[AT_DRAIN] = WATCHED_NOW + 2000;
	is_number(deadline(), CLOCK_NEVER);
	t->last.captured = true;
	t->evidence.pane = PANE_DEAD;
	is_number(deadline(), WATCHED_NOW + 200);
	t->evidence.pane = PANE_GONE;
	t->pipe.state = PIPE_CLAIMED;
	is_number(deadline(), WATCHED_NOW + 2000);
	t->evidence.final = true;
	is_number(deadline(), CLOCK_NEVER);
}

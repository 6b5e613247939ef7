#include "watcher/track.h"

#include "unit/watcher/watched.h"

/* A process that runs until it is killed, as the adopted run's agent. */
static pid_t
begin_adopted(void)
{
	struct proc p = { 0 };
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	watched_begin_held();
	ok(proc_read(&p, pid) == 0);
	t->record.adopted = true;
	t->record.agent.pid = pid;
	t->record.agent.start = p.start;
	t->due.claims = true;
	return pid;
}

static void
end_agent(pid_t pid)
{
	ok(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
}

/* tests/system/adopt-follow.sh has those that an event reports. */
TEST(the_end_that_no_event_reports_is_found_later) {
	pid_t pid = begin_adopted();

	gather_tick(t);
	ok(!t->evidence.agent_ended);
	end_agent(pid);
	gather_tick(t);
	ok(t->evidence.agent_ended);
	end_agent(begin_adopted());     /* it has ended before */
	gather_due(t);
	ok(t->evidence.agent_ended);
}

TEST(captures_replace_an_untrusted_log_and_follow_a_burst_once) {
	watched_begin();
	t->evidence.pane = PANE_LIVES;
	t->pipe.state = PIPE_FOREIGN;
	gather_due(t);
	is_number(t->at[AT_UNTRUSTED], WATCHED_NOW + TRACK_UNTRUSTED);
	w.now += 10;
	gather_due(t);
	is_number(t->at[AT_UNTRUSTED], WATCHED_NOW + TRACK_UNTRUSTED);
	t->record.verdict.state = STATE_COMPLETE;
	gather_due(t);
	is_number(t->at[AT_UNTRUSTED], CLOCK_NEVER);
	watched_begin_held();
	t->at[AT_QUIET] = w.now;
	t->at[AT_CAPTURE] = w.now + 5;
	gather_due(t);
	is_number(t->pane.want, TMUX_CAPTURE);
	ok(t->at[AT_QUIET] == CLOCK_NEVER && t->at[AT_CAPTURE] == CLOCK_NEVER);
}

TEST(the_last_look_waits_for_late_output_and_reads_the_rest) {
	static char text[3 * WATCH_SHARE];
	int turns;

	watched_begin_held();
	t->evidence.pane = PANE_GONE;
	gather_due(t);
	ok(!t->evidence.final);
	is_number(t->at[AT_ENDING], WATCHED_NOW + EVIDENCE_SILENCE);
	is_number(w.budget, WATCH_SHARE);       /* each log has one */
	w.budget = WATCH_BUDGET;
	w.now += EVIDENCE_SILENCE;
	gather_due(t);
	ok(t->evidence.final && w.budget == WATCH_BUDGET);
	/* As if a signal decided in each turn, before the log. */
	watched_begin();
	memset(text, 'x', sizeof(text) - 1);
	scratch_write("status/output-7.log", text);
	watched_hold();
	gather_due(t);
	gather_log(&t->sources, &t->evidence);
	ok(t->sources.log.left > 0);
	t->evidence.pane = PANE_GONE;
	for (turns = 0; turns < 4; turns++, w.now += EVIDENCE_SILENCE)
		gather_due(t);
	ok(t->evidence.final);
}

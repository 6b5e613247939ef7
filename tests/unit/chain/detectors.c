#include "evidence.h"
#include "unit/fixture.h"

/* "error: why | message", or "gone by session: why"; without a reason only the
 * state is compared, and "-" is none. */
static void
is_found(const char *detector, const char *want)
{
	const struct detector *d = chain;
	struct verdict v = { 0 };
	char got[2048] = "-";

	while (strcmp(d->name, detector) != 0)
		d++;
	if (d->detect(&ev, &v))
		snprintf(got, sizeof(got), "%s%s%s: %s%s%s",
		    state_name(v.state), v.source[0] ? " by " : "", v.source,
		    v.why, v.message[0] ? " | " : "", v.message);
	else
		is_number(v.state, STATE_NONE);
	if (strchr(want, ':') == NULL)
		got[strcspn(got, ":")] = '\0';
	is_text(got, want);
}

/* Of "pane", the log and the capture. */
static void
detect(const char *detector, const char *const *row)
{
	bool pane = strcmp(detector, "pane") == 0;
	char evidence[512];
	const char *want;

	for (; *row != NULL; row++) {
		ROW("%s: %.200s", detector, *row);
		want = strstr(*row, " => ");
		snprintf(evidence, sizeof(evidence), "%.*s",
		    (int)(want - *row), *row);
		evidence_set(evidence);
		is_found(pane ? "log" : detector, want + 4);
		if (pane)
			is_found("capture", want + 4);
	}
}

#define DETECT(detector, ...) \
	detect((detector), (const char *const[]){ __VA_ARGS__, NULL })

#define TOLD "stalled_after=3600000, hook.there, hook.unsaid, hook.time=now, " \
	"hook.last="
/* The pane shows a plain marker, and hooks have just told something. */
#define HELD "log_there, log.complete, capture.complete, " TOLD
#define REPORT(kind, where) kind " marker in what the agent wrote, " where

/* The vectors of the chain, and hooks.t, show the usual; here are the reasons,
 * and what is nearly so. */
TEST(what_is_found_is_told_with_its_reason) {
	DETECT("signal",
	    "signal-complete=there, signal-complete.text=all done => "
	    "complete: signal-complete-7 is there | all done",
	    "signal-error=there, signal-error.text=no disk => "
	    "error: signal-error-7 is there | no disk",
	    "signal-complete=stale, signal-error=refused => -",
	    "signal-complete=refused, signal-error=stale => -",
	    "signal-complete=refused, signal-error=there => error");
	DETECT("log", "log_there, log.error, log.message=no disk => "
	    "error: an error marker in the pane log | no disk",
	    "+log.complete => complete: a completion marker in the pane log",
	    "log.complete, log.error => -");
	DETECT("capture", "capture.complete => "
	    "complete: a completion marker in the capture",
	    "capture.error, capture.message=no disk => -",
	    "+capture_alone => "
	    "error: an error marker in the capture | no disk");
	DETECT("hook", TOLD "ended, hook.error, hook.message=no disk => "
	    REPORT("error: an error", "reported by its hooks | no disk"),
	    "+errors=0 => -", "+hook.complete => "
	    REPORT("complete: a completion", "reported by its hooks"),
	    "+hook.ignored.complete, hook.ignored.error => -",
	    "+hook.complete=2 => complete");
	DETECT("transcript", "transcript.there, transcript.complete => "
	    REPORT("complete: a completion", "in its transcript"),
	    "transcript.there, transcript.stale => -", " => -");
}

/* Fewer than the past ones are no news: some scrolled off. */
TEST(past_markers_and_those_of_another_run_do_not_count) {
	DETECT("pane",
	    "log_there, capture_alone, log.stale=3, capture.stale=3 => -",
	    "log_there, log.complete=2, log.ignored.complete=2, log.error, "
	    "log.ignored.error, capture_alone, capture.complete=1, "
	    "capture.ignored.complete=3, capture.error=1, "
	    "capture.ignored.error=3 => -",
	    "+log.error=2, capture.error=4 => error",
	    "+log.complete=3, capture.complete=4 => complete",
	    "errors=0, log_there, log.error, capture_alone, capture.error"
	    " => -");
}

TEST(hooks_tell_what_it_is_at) {
#define TELLS(last, kind, want) TOLD last ", hook.kind=" kind ", " \
	"hook.time=now-2500, hook.text=x => " want
	DETECT("hook", TELLS("session", "", "waiting: new session, no prompt "
	    "yet | x"), TELLS("turn", "", "working: a turn began"),
	    TELLS("tool", "", "working: it uses a tool"),
	    TELLS("message", "", "working: it writes a message"),
	    TELLS("compact", "", "working: it compacts its session"),
	    TELLS("waiting", "permission", "asking: it asks for permission | "
	    "x"), TELLS("waiting", "question", "asking: it asks a question | "
	    "x"), TELLS("waiting", "prompt", "waiting: at its prompt | x"),
	    TELLS("ended", "", "waiting: at its prompt, not reported | x"),
	    TELLS("ended", "background", "working: its turn goes on in the "
	    "background"), TELLS("ended", "command", "waiting: at its prompt, "
	    "not reported, and a command of it still runs | x"),
	    TELLS("failed", "server_error", "asking: its turn failed: "
	    "server_error | x"), TELLS("failed", "aborted", "waiting: its turn "
	    "was interrupted | x"), TELLS("failed", "", "asking: its turn "
	    "failed | x"), TELLS("failed", "usage_limit", "limited: its turn "
	    "ended at a limit: usage_limit | x"),
	    TELLS("failed", "rate_limit, hook.reset=1772463600000", "limited: "
	    "its turn ended at a limit until 2026-03-02T15:00:00.000Z: "
	    "rate_limit | x"), TELLS("over", "other", "-"), " => -");
}

TEST(that_it_waits_is_said_when_nothing_else_follows) {
	/* A prompt may come with the session, and a hook may keep the turn
	 * going. */
	DETECT("hook", TOLD "session => -", "+hook.time=now-1999 => -",
	    "+hook.time=now-2000 => waiting", TOLD "ended => -",
	    "+hook.complete => complete",
	    /* Some report each attempt as a turn; pi waits for two seconds. */
	    TOLD "failed, hook.kind=server_error => working: an attempt failed",
	    "+hook.time=now-2499 => working", "+hook.time=now-2500 => asking",
	    TOLD "failed, hook.kind=rate_limit => limited",
	    /* A hook may be lost; then what it would have ended does not last
	     * for ever. */
	    TOLD "tool, hook.time=now-3600000 => working",
	    "+silent=3600000 => -", "+hook.time=now-3599999 => working",
	    TOLD "waiting, hook.kind=permission, hook.time=0, silent=3600000"
	    " => asking",
	    /* A restart leaves only reports. */
	    TOLD "over, hook.kind=other, reload => -", "+hook.last=session"
	    " => -", "+hook.complete => complete");
}

TEST(a_plain_marker_waits_for_the_record_of_its_turn) {
	DETECT("pane", HELD "session => -", HELD "tool => -",
	    HELD "message => -", HELD "compact => -", HELD "turn => -",
	    "+hook.there=0 => complete",
	    HELD "turn, log.complete=0, log.error, capture.complete=0, "
	    "capture.error => -",
	    /* A bound one waits for nothing. */
	    HELD "turn, log.bound_complete, capture.bound_complete => complete",
	    HELD "failed => complete", HELD "over => complete",
	    HELD "ended => complete", HELD "ended, hook.unsaid=0 => -",
	    HELD "waiting, hook.kind=prompt => complete",
	    HELD "waiting, hook.kind=permission => -",
	    /* So does the end of the agent, but not that of a restart, */
	    HELD "turn, agent_ended => complete",
	    HELD "turn, pane=dead => complete",
	    HELD "turn, pane=gone => complete", HELD "turn, final => complete",
	    HELD "turn, final, agent_ended, reload => -",
	    /* and a minute of silence, of the pane and its hooks. */
	    HELD "turn, silent=60000 => -", "+hook.time=now-60000 => complete",
	    "+silent=59999 => -", "+silent=60000, hook.time=now-59999 => -");
	DETECT("log", HELD "turn, log.complete=0, log.error, log.bound_error"
	    " => error",
	    /* The client makes its transcript with its first message, which is
	     * drawn before. */
	    "log_there, log.complete, transcript_due, silent=500 => -");
	is_number(evidence_pending(&ev), 9500);
	DETECT("log", "+silent=10000 => complete",
	    "+silent=500, agent_ended => complete");
}

/* Clients draw old text again, whatever becomes of later turns. */
TEST(beside_a_transcript_or_a_told_message_the_pane_reports_nothing) {
#define DRAWN(last) HELD last ", hook.told => -", \
	"+silent=60000, hook.time=now-60000 => -", \
	"+agent_ended, final, pane=dead => -", \
	"+log.error, capture.error => -", \
	"+log.bound_complete, capture.bound_complete => complete"
	DETECT("pane", DRAWN("ended"), DRAWN("turn"), DRAWN("failed"),
	    DRAWN("over"));
	DETECT("log", "log_there, log.complete, transcript.there => complete",
	    "+transcript_told => -", "+log.bound_complete => complete");
}

#define ENDED "final, agent_ended, "
#define UNKNOWN "unknown by session: the tmux server lives and does not answer"
#define NOTHING ", and there is no report"

TEST(how_the_agent_ended_is_told_once_all_it_left_is_read) {
	DETECT("process", " => -", "final => -", "agent_ended => -",
	    "agent_ended, pane=dead => -", "agent_ended, pane=gone => -",
	    "agent_ended, pane=none => -", "final, pane=gone => "
	    "gone by session: its pane is no longer there" NOTHING,
	    "final, pane=none => gone by session: it has no pane" NOTHING,
	    ENDED "pane=gone, exit_code=1 => gone by session",
	    "final, pane=dead, exit_code=0 => dead: the pane's process ended "
	    "with status 0, without a report",
	    ENDED " => dead: the agent ended, its status is unknown, without a "
	    "report", ENDED "exit_code=7 => dead: the agent ended with status "
	    "7, without a report", ENDED "exit_signal=9, last=bye => dead: the "
	    "agent ended by signal 9 (Killed), without a report | bye",
	    ENDED "exit_signal=12345 => dead",
	    /* Its end can be the report, */
	    ENDED "exit_is_report, pane=dead, exit_code=0 => complete: the "
	    "agent ended with status 0",
	    "+exit_code=3 => error: the agent ended with status 3",
	    "+exit_code=-1 => dead", "+pane=gone, exit_code=0 => complete",
	    /* unless it was ended, however it took it. */
	    "+lease_over => dead: its lease is over: the fleet may have given "
	    "it to another host",
	    "pane=silent => " UNKNOWN, "+final, agent_ended => " UNKNOWN,
	    "stalled_after=3600000, silent=3599999 => -", "+silent=3600000"
	    " => stalled: nothing was printed for 3600 seconds",
	    "+agent_ended => -", "+agent_ended=0, pane=dead => -");
}

/* "1" if only time may change it. */
static const char *
pending(const char *evidence)
{
	evidence_set(evidence);
	return evidence_pending(&ev) < CLOCK_NEVER ? "1" : "0";
}

TEST(only_time_may_change_what_is_pending) {
	ROWS(pending, "hook.there, hook.time=now-1999, silent=1999 => 1",
	    "+hook.there=0 => 0",
	    "hook.there, hook.time=now-2000, silent=2000 => 0",
	    /* A marker is, until a minute without output or record. */
	    "+log.complete => 1", "+log.ignored.complete => 0",
	    "+log.error => 1", "hook.there, hook.time=now-59999, silent=59999, "
	    "capture.complete => 1", "+hook.there=0 => 0",
	    "+hook.there, hook.time=now-60000, silent=60000 => 0",
	    "+silent=59999 => 1", "+silent=60000, hook.time=now-59999 => 1",
	    "hook.there, hook.time=now-2000, silent=2000, log.complete, "
	    "hook.told => 0");          /* it will never count */
}

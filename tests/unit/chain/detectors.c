#include "evidence.h"

struct row {
	const char *detector;           /* or "pane": the log and the capture */
	const char *evidence, *want;
};

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

static void
detect(const struct row *row)
{
	bool pane;

	for (; row->detector != NULL; row++) {
		ROW("%s: %.200s", row->detector, row->evidence);
		evidence_set(row->evidence);
		pane = strcmp(row->detector, "pane") == 0;
		is_found(pane ? "log" : row->detector, row->want);
		if (pane)
			is_found("capture", row->want);
	}
}

#define DETECT(...) \
	detect((const struct row[]){ __VA_ARGS__, { NULL, NULL, NULL } })

#define TOLD "stalled_after=3600000, hook.there, hook.unsaid, hook.time=now, " \
	"hook.last="
/* The pane shows a plain marker, and hooks have just told something. */
#define HELD "log_there, log.complete, capture.complete, " TOLD

TEST(a_signal_decides_unless_it_is_stale_or_refused) {
	DETECT({ "signal", "", "-" },
	    { "signal", "signal-complete=there, signal-complete.text=all done",
		"complete: signal-complete-7 is there | all done" },
	    { "signal", "signal-error=there, signal-error.text=no disk",
		"error: signal-error-7 is there | no disk" },
	    { "signal", "signal-complete=stale, signal-error=refused", "-" },
	    { "signal", "signal-complete=refused, signal-error=stale", "-" },
	    { "signal", "signal-complete=refused, signal-error=there",
		"error: signal-error-7 is there" },
	    /* Of two, complete decides and the other is told. */
	    { "signal", "signal-complete=there, signal-error=there, "
		"signal-error.text=no disk", "complete: signal-complete-7 is "
		"there, and counts before signal-error-7: no disk" });
}

TEST(an_error_that_is_not_looked_for_does_not_decide) {
	DETECT({ "signal", "errors=0, signal-error=there", "-" },
	    { "pane", "errors=0, log_there, log.error, capture_alone, "
		"capture.error", "-" },
	    { "pane", "+log.complete, capture.complete", "complete" },
	    { "hook", TOLD "ended, hook.error, errors=0", "-" });
}

TEST(a_new_marker_of_the_run_in_the_pane_decides) {
	DETECT({ "log", "log_there", "-" },
	    { "log", "+log.error, log.message=no disk",
		"error: an error marker in the pane log | no disk" },
	    { "log", "+log.complete",
		"complete: a completion marker in the pane log" },
	    { "log", "log.complete, log.error", "-" },
	    { "capture", "capture.complete",
		"complete: a completion marker in the capture" },
	    { "pane", "log_there, capture_alone, log.stale=3, capture.stale=3",
		"-" },
	    /* Past ones do not count; fewer are no news: some scrolled off. */
	    { "pane", "log_there, log.complete=2, log.ignored.complete=2, "
		"log.error, log.ignored.error, capture_alone, "
		"capture.complete=1, capture.ignored.complete=3, "
		"capture.error=1, capture.ignored.error=3", "-" },
	    { "pane", "+log.error=2, capture.error=4", "error" },
	    { "pane", "+log.complete=3, capture.complete=4", "complete" },
	    /* An error on the screen counts only without a log. */
	    { "capture", "capture.error, capture.message=no disk", "-" },
	    { "capture", "+capture_alone",
		"error: an error marker in the capture | no disk" });
}

TEST(hooks_tell_what_it_is_at) {
#define TELLS(last, kind, want) { "hook", TOLD last ", hook.kind=" kind ", " \
	"hook.time=now-2500, hook.text=x", want }
	DETECT(TELLS("session", "", "waiting: new session, no prompt yet | x"),
	    TELLS("turn", "", "working: a turn began"),
	    TELLS("tool", "", "working: it uses a tool"),
	    TELLS("message", "", "working: it writes a message"),
	    TELLS("compact", "", "working: it compacts its session"),
	    TELLS("waiting", "permission",
		"asking: it asks for permission | x"),
	    TELLS("waiting", "question", "asking: it asks a question | x"),
	    TELLS("waiting", "prompt", "waiting: at its prompt | x"),
	    TELLS("ended", "",
		"waiting: at its prompt, not reported | x"),
	    TELLS("ended", "background",
		"working: its turn goes on in the background"),
	    TELLS("ended", "command", "waiting: at its prompt, not reported, "
		"and a command of it still runs | x"),
	    TELLS("failed", "server_error",
		"asking: its turn failed: server_error | x"),
	    TELLS("failed", "aborted", "waiting: its turn was interrupted | x"),
	    TELLS("failed", "", "asking: its turn failed | x"),
	    TELLS("failed", "usage_limit",
		"limited: its turn ended at a limit: usage_limit | x"),
	    TELLS("failed", "rate_limit, hook.reset=1772463600000",
		"limited: its turn ended at a limit until "
		"2026-03-02T15:00:00.000Z: rate_limit | x"),
	    TELLS("over", "other", "-"), { "hook", "", "-" });
}

TEST(that_it_waits_is_said_when_nothing_else_follows) {
	/* A prompt may come with the session, and a hook may keep the turn
	 * going. */
	DETECT({ "hook", TOLD "session", "-" },
	    { "hook", "+hook.time=now-1999", "-" },
	    { "hook", "+hook.time=now-2000", "waiting" },
	    { "hook", TOLD "ended", "-" },
	    { "hook", "+hook.complete", "complete" },
	    /* Some report each attempt as a turn; pi waits for two seconds. */
	    { "hook", TOLD "failed, hook.kind=server_error",
		"working: an attempt failed" },
	    { "hook", "+hook.time=now-2100", "working" },
	    { "hook", "+hook.time=now-2499", "working" },
	    { "hook", "+hook.time=now-2500", "asking" },
	    { "hook", TOLD "failed, hook.kind=rate_limit", "limited" });
}

TEST(a_marker_in_a_record_is_a_report) {
	DETECT({ "hook", TOLD "ended, hook.error, hook.message=no disk",
		"error: an error marker in what the agent wrote, reported by "
		"its hooks | no disk" },
	    { "hook", "+hook.complete", "complete: a completion marker in "
		"what the agent wrote, reported by its hooks" },
	    { "hook", "+hook.ignored.complete, hook.ignored.error", "-" },
	    { "hook", "+hook.complete=2", "complete" },
	    { "transcript", "", "-" },
	    { "transcript", "transcript.there, transcript.complete",
		"complete: a completion marker in what the agent wrote, in "
		"its transcript" },
	    { "transcript", "transcript.there, transcript.stale", "-" });
}

TEST(old_news_of_work_is_none_and_a_restart_leaves_only_reports) {
	/* A hook may be lost; then what it would have ended does not last
	 * for ever. */
	DETECT({ "hook", TOLD "tool, hook.time=now-3600000", "working" },
	    { "hook", "+silent=3600000", "-" },
	    { "hook", "+hook.time=now-3599999", "working" },
	    { "hook", TOLD "waiting, hook.kind=permission, hook.time=0, "
		"silent=3600000", "asking" });
	DETECT({ "hook", TOLD "over, hook.kind=other, reload", "-" },
	    { "hook", "+hook.last=session", "-" },
	    { "hook", "+hook.complete", "complete" });
}

TEST(a_plain_marker_waits_for_the_record_of_its_turn) {
	DETECT({ "pane", HELD "session", "-" }, { "pane", HELD "turn", "-" },
	    { "pane", HELD "tool", "-" }, { "pane", HELD "message", "-" },
	    { "pane", HELD "compact", "-" },
	    { "pane", "+hook.there=0", "complete" },
	    { "pane", HELD "turn, log.complete=0, log.error, "
		"capture.complete=0, capture.error", "-" },
	    /* A bound one waits for nothing. */
	    { "pane", HELD "turn, log.bound_complete, capture.bound_complete",
		"complete" },
	    { "log", HELD "turn, log.complete=0, log.error, log.bound_error",
		"error" });
	DETECT({ "pane", HELD "failed", "complete" },
	    { "pane", HELD "over", "complete" },
	    { "pane", HELD "ended", "complete" },
	    { "pane", HELD "ended, hook.unsaid=0", "-" },
	    { "pane", HELD "waiting, hook.kind=prompt", "complete" },
	    { "pane", HELD "waiting, hook.kind=permission", "-" },
	    /* So does the end of the agent, but not that of a restart, */
	    { "pane", HELD "turn, agent_ended", "complete" },
	    { "pane", HELD "turn, pane=dead", "complete" },
	    { "pane", HELD "turn, pane=gone", "complete" },
	    { "pane", HELD "turn, final", "complete" },
	    { "pane", HELD "turn, final, agent_ended, reload", "-" },
	    /* and a minute of silence, of the pane and its hooks. */
	    { "pane", HELD "turn, silent=60000", "-" },
	    { "pane", "+hook.time=now-60000", "complete" },
	    { "pane", "+silent=59999", "-" },
	    { "pane", "+silent=60000, hook.time=now-59999", "-" });
}

/* Clients draw old text again, whatever becomes of later turns. */
TEST(beside_a_transcript_or_a_told_message_the_pane_reports_nothing) {
	static const char *const last[] = { "ended", "turn", "failed", "over" };
	char words[256];
	size_t i;

	DETECT({ "log", "log_there, log.complete, transcript.there",
		"complete" },           /* by a file of its process */
	    { "log", "+transcript.told", "-" },
	    { "log", "+log.bound_complete", "complete" });
	for (i = 0; i < 4; i++) {
		snprintf(words, sizeof(words), HELD "%s, hook.told", last[i]);
		DETECT({ "pane", words, "-" },
		    { "pane", "+silent=60000, hook.time=now-60000", "-" },
		    { "pane", "+agent_ended, final, pane=dead", "-" },
		    { "pane", "+log.error, capture.error", "-" },
		    { "pane", "+log.bound_complete, capture.bound_complete",
			"complete" });
	}
}

/* The client makes the file with its first message, which is drawn before. */
TEST(until_there_is_a_transcript_the_pane_waits_for_it) {
	DETECT({ "log", "log_there, log.complete, transcript_due, silent=500",
		"-" });
	is_number(evidence_pending(&ev), 9500);
	DETECT({ "log", "+silent=10000", "complete" },
	    { "log", "+silent=500, agent_ended", "complete" });
}

#define ENDED "final, agent_ended, "

TEST(how_the_agent_ended_is_told_once_all_it_left_is_read) {
	DETECT({ "process", "", "-" }, { "process", "final", "-" },
	    { "process", "agent_ended", "-" },
	    { "process", "agent_ended, pane=dead", "-" },
	    { "process", "agent_ended, pane=gone", "-" },
	    { "process", "agent_ended, pane=none", "-" },
	    { "process", "final, pane=gone", "gone by session: its pane is no "
		"longer there, and there is no report" },
	    { "process", "final, pane=none", "gone by session: it has no pane, "
		"and there is no report" },
	    { "process", ENDED "pane=gone, exit_code=1", "gone by "
		"session: its pane is no longer there, and there is no "
		"report" },
	    { "process", "final, pane=dead, exit_code=0", "dead: the pane's "
		"process ended with status 0, without a report" },
	    { "process", ENDED, "dead: the agent ended, its status is "
		"unknown, without a report" },
	    { "process", ENDED "exit_code=7", "dead: the agent ended "
		"with status 7, without a report" },
	    { "process", ENDED "exit_signal=9, last=bye", "dead: the "
		"agent ended by signal 9 (Killed), without a report: bye" },
	    { "process", ENDED "exit_signal=12345", "dead" });
}

TEST(an_end_can_be_the_report_and_silence_none) {
	DETECT({ "process", ENDED "exit_is_report, pane=dead, "
		"exit_code=0", "complete: the agent ended with status 0" },
	    { "process", "+exit_code=3",
		"error: the agent ended with status 3" },
	    { "process", "+exit_code=-1", "dead: the agent ended, its status "
		"is unknown, without a report" },
	    { "process", "+pane=gone, exit_code=0", "complete" },
	    /* It was ended for that, however it took it. */
	    { "process", "+lease_over", "dead: its lease is over: the fleet "
		"may have given it to another host" });
	DETECT({ "process", "pane=silent", "unknown by session: the tmux "
		"server lives and does not answer" },
	    { "process", "+final, agent_ended", "unknown by session: the tmux "
		"server lives and does not answer" });
	DETECT({ "process", "stalled_after=3600000, silent=3599999", "-" },
	    { "process", "+silent=3600000",
		"stalled: nothing was printed for 3600 seconds" },
	    { "process", "+agent_ended", "-" },
	    { "process", "+agent_ended=0, pane=dead", "-" });
}

TEST(only_time_may_change_what_is_pending) {
	static const struct { const char *evidence; bool pending; } rows[] = {
		{ "hook.there, hook.time=now-1999, silent=1999", true },
		{ "+hook.there=0", false },
		{ "hook.there, hook.time=now-2000, silent=2000", false },
		/* A marker is, until a minute without output or record. */
		{ "+log.complete", true },
		{ "+log.ignored.complete", false },
		{ "+log.error", true },
		{ "hook.there, hook.time=now-59999, silent=59999, "
		    "capture.complete", true },
		{ "+hook.there=0", false },
		{ "+hook.there, hook.time=now-60000, silent=60000", false },
		{ "+silent=59999", true },
		{ "+silent=60000, hook.time=now-59999", true },
		{ "hook.there, hook.time=now-2000, silent=2000, log.complete, "
		    "hook.told", false },       /* it will never count */
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].evidence);
		evidence_set(rows[i].evidence);
		ok((evidence_pending(&ev) < CLOCK_NEVER) == rows[i].pending);
	}
}

AFTER_TESTS {
	evidence_release(&ev);
}

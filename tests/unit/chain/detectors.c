#include "chain/detectors.h"

#include "tap.h"

static struct evidence ev;
static struct verdict v;

/* A living pane that has printed nothing of interest. */
static void
begin(void)
{
	evidence_release(&ev);
	evidence_init(&ev, "7");
	ev.pane = PANE_LIVES;
	v = (struct verdict){ 0 };
}

#define decides(look, state_, source_, why_, message_) do { \
	v = (struct verdict){ 0 }; \
	ok(look(&ev, &v)); \
	is_text(state_name(v.state), state_name(state_)); \
	is_text(v.source, strcmp(source_, "session") == 0 ? source_ : ""); \
	is_text(v.why, (why_)); \
	is_text(v.message, (message_)); \
} while (0)

#define is_silent(look) do { \
	v = (struct verdict){ 0 }; \
	ok(!look(&ev, &v)); \
	is_number(v.state, STATE_NONE); \
} while (0)

/* ---- signal ------------------------------------------------------------ */

static void
add_signal(enum sigfile_kind kind, enum sigfile_found found, const char *text)
{
	ev.signal[kind].found = found;
	buf_reset(&ev.signal_text[kind]);
	buf_adds(&ev.signal_text[kind], text);
}

TEST(a_signal_decides) {
	begin();
	is_silent(detect_signal);
	add_signal(SIGFILE_COMPLETE, SIGFILE_SIGNAL, "all done");
	decides(detect_signal, STATE_COMPLETE, "signal",
	    "signal-complete-7 is there", "all done");
	begin();
	add_signal(SIGFILE_ERROR, SIGFILE_SIGNAL, "no disk");
	decides(detect_signal, STATE_ERROR, "signal",
	    "signal-error-7 is there", "no disk");
}

TEST(of_two_signals_complete_decides_and_the_other_is_told) {
	begin();
	add_signal(SIGFILE_ERROR, SIGFILE_SIGNAL, "no disk");
	add_signal(SIGFILE_COMPLETE, SIGFILE_SIGNAL, "");
	ok(detect_signal(&ev, &v));
	is_number(v.state, STATE_COMPLETE);
	ok(strstr(v.why, "signal-error") != NULL);
	is_text(v.message, "");
}

TEST(stale_and_refused_signals_do_not_decide) {
	begin();
	add_signal(SIGFILE_COMPLETE, SIGFILE_STALE, "done");
	add_signal(SIGFILE_ERROR, SIGFILE_REFUSED, "no disk");
	is_silent(detect_signal);
	add_signal(SIGFILE_COMPLETE, SIGFILE_REFUSED, "done");
	add_signal(SIGFILE_ERROR, SIGFILE_STALE, "no disk");
	is_silent(detect_signal);
	add_signal(SIGFILE_ERROR, SIGFILE_SIGNAL, "no disk");
	decides(detect_signal, STATE_ERROR, "signal",
	    "signal-error-7 is there", "no disk");
}

TEST(an_error_that_is_not_looked_for_does_not_decide) {
	begin();
	ev.errors = false;
	add_signal(SIGFILE_ERROR, SIGFILE_SIGNAL, "no disk");
	is_silent(detect_signal);
	ev.log_there = true;
	ev.log.hits.error = 1;
	is_silent(detect_log);
	ev.capture_alone = true;
	ev.capture.hits.error = 1;
	is_silent(detect_capture);
	ev.log.hits.complete = ev.capture.hits.complete = 1;
	decides(detect_log, STATE_COMPLETE, "log",
	    "a completion marker in the pane log", "");
	decides(detect_capture, STATE_COMPLETE, "capture",
	    "a completion marker in the capture", "");
}

/* ---- markers ----------------------------------------------------------- */

TEST(a_marker_in_the_log_decides) {
	begin();
	ev.log_there = true;
	is_silent(detect_log);
	ev.log.hits.error = 1;
	buf_adds(&ev.log.message, "no disk");
	decides(detect_log, STATE_ERROR, "log",
	    "an error marker in the pane log", "no disk");
	ev.log.hits.complete = 1;
	decides(detect_log, STATE_COMPLETE, "log",
	    "a completion marker in the pane log", "");
}

TEST(without_a_log_its_markers_are_nothing) {
	begin();
	ev.log.hits.complete = ev.log.hits.error = 1;
	is_silent(detect_log);
}

TEST(stale_markers_do_not_decide) {
	begin();
	ev.log_there = ev.capture_alone = true;
	ev.log.hits.stale = ev.capture.hits.stale = 3;
	is_silent(detect_log);
	is_silent(detect_capture);
}

TEST(past_markers_do_not_count) {
	begin();
	ev.log_there = ev.capture_alone = true;
	ev.log.hits.complete = ev.log.ignored.complete = 2;
	ev.log.hits.error = ev.log.ignored.error = 1;
	ev.capture.hits = ev.log.hits;
	ev.capture.ignored = ev.log.ignored;
	is_silent(detect_log);
	is_silent(detect_capture);
	ev.log.hits.error++;
	decides(detect_log, STATE_ERROR, "log",
	    "an error marker in the pane log", "");
	ev.capture.hits.complete++;
	decides(detect_capture, STATE_COMPLETE, "capture",
	    "a completion marker in the capture", "");
}

/* What scrolled off the screen is no longer counted in it. */
TEST(fewer_markers_than_before_are_no_news) {
	begin();
	ev.capture_alone = true;
	ev.capture.ignored.complete = ev.capture.ignored.error = 3;
	ev.capture.hits.complete = ev.capture.hits.error = 1;
	is_silent(detect_capture);
}

TEST(an_error_on_the_screen_counts_only_without_a_log) {
	begin();
	ev.capture.hits.error = 1;
	buf_adds(&ev.capture.message, "no disk");
	is_silent(detect_capture);
	ev.capture_alone = true;
	decides(detect_capture, STATE_ERROR, "capture",
	    "an error marker in the capture", "no disk");
}

/* ---- record ------------------------------------------------------------ */

/* Hooks have told something just now. */
static void
begin_event(enum event_type last, const char *kind, const char *text)
{
	begin();
	ev.stalled_after = 3600000;
	ev.wall = 10000000;
	ev.hook.there = true;
	ev.hook.time = ev.wall;
	ev.hook.last = last;
	ev.hook.unsaid = true;
	snprintf(ev.hook.kind, sizeof(ev.hook.kind), "%s", kind);
	snprintf(ev.hook.text, sizeof(ev.hook.text), "%s", text);
}

TEST(hooks_tell_what_it_is_at) {
	static const struct {
		enum event_type last;
		const char *kind;
		enum state  state;
		const char *why;
	} all[] = {
		{ EVENT_SESSION, "startup", STATE_WAITING,
		    "its session has begun" },
		{ EVENT_TURN, "", STATE_WORKING, "a turn has begun" },
		{ EVENT_TOOL, "", STATE_WORKING, "it uses a tool" },
		{ EVENT_MESSAGE, "", STATE_WORKING, "it writes a message" },
		{ EVENT_COMPACT, "", STATE_WORKING, "it compacts its session" },
		{ EVENT_WAITING, "permission", STATE_ASKING,
		    "it asks for permission" },
		{ EVENT_WAITING, "question", STATE_ASKING,
		    "it asks a question" },
		{ EVENT_WAITING, "prompt", STATE_WAITING,
		    "it waits for a prompt" },
		{ EVENT_ENDED, "", STATE_WAITING,
		    "its turn has ended without a report" },
		{ EVENT_ENDED, "background", STATE_WORKING,
		    "its turn has ended, and goes on in the background" },
		{ EVENT_ENDED, "command", STATE_WAITING,
		    "its turn has ended without a report, and a command of it "
		    "still runs" },
		{ EVENT_FAILED, "server_error", STATE_ASKING,
		    "its turn has failed: server_error" },
		{ EVENT_FAILED, "aborted", STATE_WAITING,
		    "its turn was broken off" },
		{ EVENT_FAILED, "", STATE_ASKING, "its turn has failed" },
		{ EVENT_FAILED, "usage_limit", STATE_LIMITED,
		    "its turn has ended by a limit: usage_limit" },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		begin_event(all[i].last, all[i].kind, "some words");
		ev.wall += EVIDENCE_RETRY;
		decides(detect_hook, all[i].state, "hook", all[i].why,
		    all[i].state == STATE_WORKING ? "" : "some words");
	}
	begin();
	is_silent(detect_hook);
	begin_event(EVENT_OVER, "other", "");
	is_silent(detect_hook);
}

/* A prompt may come with the session, and a hook may keep the turn going. */
TEST(that_it_waits_is_said_when_nothing_else_follows) {
	begin_event(EVENT_SESSION, "startup", "");
	is_silent(detect_hook);
	ev.wall += EVIDENCE_GRACE - 1;
	is_silent(detect_hook);
	ev.wall++;
	ok(detect_hook(&ev, &v));
	begin_event(EVENT_ENDED, "", "");
	is_silent(detect_hook);
	ev.hook.hits.complete = 1;
	ok(detect_hook(&ev, &v));
}

/* Some agents report each attempt as a turn. */
TEST(a_turn_has_failed_when_no_other_attempt_follows) {
	begin_event(EVENT_FAILED, "server_error", "");
	decides(detect_hook, STATE_WORKING, "hook", "an attempt has failed",
	    "");
	/* pi waits for two seconds, and a moment. */
	ev.wall += EVIDENCE_GRACE + 100;
	ok(detect_hook(&ev, &v));
	is_number(v.state, STATE_WORKING);
	ev.wall += EVIDENCE_RETRY - EVIDENCE_GRACE;
	ok(detect_hook(&ev, &v));
	is_number(v.state, STATE_ASKING);
	begin_event(EVENT_FAILED, "rate_limit", "");
	ok(detect_hook(&ev, &v));
}

TEST(a_limit_has_a_time_where_one_is_known) {
	begin_event(EVENT_FAILED, "rate_limit", "limit reached");
	ev.hook.reset = 1772463600000;
	decides(detect_hook, STATE_LIMITED, "hook", "its turn has ended "
	    "by a limit until 2026-03-02T15:00:00.000Z: rate_limit",
	    "limit reached");
}

TEST(a_marker_in_a_record_is_a_report) {
	begin_event(EVENT_ENDED, "", "");
	ev.hook.hits.error = 1;
	snprintf(ev.hook.error, sizeof(ev.hook.error), "%s", "no disk");
	decides(detect_hook, STATE_ERROR, "hook", "an error marker in "
	    "what the agent wrote, reported by its hooks", "no disk");
	ev.hook.hits.complete = 1;
	decides(detect_hook, STATE_COMPLETE, "hook", "a completion "
	    "marker in what the agent wrote, reported by its hooks", "");
	ev.hook.ignored = (struct marker_ignored){ .complete = 1, .error = 1 };
	is_silent(detect_hook);
	ev.hook.hits.complete = 2;
	ok(detect_hook(&ev, &v));
	is_number(v.state, STATE_COMPLETE);
}

TEST(errors_in_records_are_looked_for_as_elsewhere) {
	begin_event(EVENT_ENDED, "", "");
	ev.hook.hits.error = 1;
	ev.errors = false;
	is_silent(detect_hook);
}

/* A hook may be lost; then what it would have ended does not last for ever. */
TEST(old_news_of_work_is_none) {
	begin_event(EVENT_TOOL, "", "");
	ev.hook.time = ev.wall - 3600000;
	ok(detect_hook(&ev, &v));               /* it still prints */
	ev.silent = 3600000;
	is_silent(detect_hook);
	ev.hook.time++;
	ok(detect_hook(&ev, &v));
	begin_event(EVENT_WAITING, "permission", "");
	ev.hook.time = 0;
	ev.silent = 3600000;
	ok(detect_hook(&ev, &v));
	is_number(v.state, STATE_ASKING);
}

TEST(while_it_is_restarted_only_reports_count) {
	begin_event(EVENT_OVER, "other", "");
	ev.reload = true;
	is_silent(detect_hook);
	ev.hook.last = EVENT_SESSION;
	is_silent(detect_hook);
	ev.hook.hits.complete = 1;
	ok(detect_hook(&ev, &v));
	is_number(v.state, STATE_COMPLETE);
}

/* ---- a marker in the pane, and hooks ----------------------------------- */

/* The pane shows a plain marker and its turn goes on. */
static void
begin_held(enum event_type last)
{
	begin_event(last, "", "");
	ev.log_there = true;
	ev.log.hits.complete = ev.capture.hits.complete = 1;
}

#define counts() do { \
	ok(detect_log(&ev, &v)); \
	is_number(v.state, STATE_COMPLETE); \
	ok(detect_capture(&ev, &v)); \
} while (0)

#define is_held() do { \
	is_silent(detect_log); \
	is_silent(detect_capture); \
} while (0)

TEST(a_plain_marker_waits_for_the_record_of_its_turn) {
	static const enum event_type goes_on[] = { EVENT_SESSION,
	    EVENT_TURN, EVENT_TOOL, EVENT_MESSAGE, EVENT_COMPACT };
	size_t i;

	for (i = 0; i < sizeof(goes_on) / sizeof(goes_on[0]); i++) {
		begin_held(goes_on[i]);
		is_held();
		ev.hook.there = false;
		counts();
	}
	begin_held(EVENT_TURN);
	ev.log.hits.complete = ev.capture.hits.complete = 0;
	ev.log.hits.error = ev.capture.hits.error = 1;
	is_held();
}

TEST(a_bound_marker_waits_for_nothing) {
	begin_held(EVENT_TURN);
	ev.log.hits.bound_complete = ev.capture.hits.bound_complete = 1;
	counts();
	ev.log.hits = (struct marker_hits){ .error = 1, .bound_error = 1 };
	ok(detect_log(&ev, &v));
	is_number(v.state, STATE_ERROR);
}

TEST(a_turn_without_its_record_leaves_the_marker_as_it_is) {
	begin_held(EVENT_FAILED);
	counts();
	begin_held(EVENT_OVER);
	counts();
	begin_held(EVENT_ENDED);
	counts();
	begin_held(EVENT_WAITING);     /* it was interrupted */
	snprintf(ev.hook.kind, sizeof(ev.hook.kind), "%s", "prompt");
	counts();
	begin_held(EVENT_WAITING);
	snprintf(ev.hook.kind, sizeof(ev.hook.kind), "%s", "permission");
	is_held();
	begin_held(EVENT_ENDED);
	ev.hook.unsaid = false;
	is_held();
}

TEST(so_does_the_end_of_the_agent) {
	begin_held(EVENT_TURN);
	ev.agent_ended = true;
	counts();
	begin_held(EVENT_TURN);
	ev.pane = PANE_DEAD;
	counts();
	ev.pane = PANE_GONE;
	counts();
	begin_held(EVENT_TURN);
	ev.final = true;
	counts();
	begin_held(EVENT_TURN);        /* but not that of a restart */
	ev.agent_ended = ev.final = ev.reload = true;
	is_held();
}

TEST(so_does_a_minute_of_silence) {
	begin_held(EVENT_TURN);
	ev.silent = 60000;
	is_held();              /* a hook has told something since */
	ev.hook.time = ev.wall - 60000;
	counts();
	ev.silent = 59999;
	is_held();
	ev.silent = 60000;
	ev.hook.time++;
	is_held();
}

/* Clients draw old text again, whatever becomes of later turns. */
TEST(a_transcript_reports_what_it_holds) {
	begin();
	is_silent(detect_transcript);
	ev.transcript.there = true;
	ev.transcript.hits.complete = 1;
	decides(detect_transcript, STATE_COMPLETE, "transcript",
	    "a completion marker in what the agent wrote, in its transcript",
	    "");
	ev.transcript.hits = (struct marker_hits){ .stale = 1 };
	is_silent(detect_transcript);
}

TEST(beside_a_transcript_the_pane_reports_nothing) {
	begin();
	ev.log_there = true;
	ev.log.hits.complete = 1;
	ok(detect_log(&ev, &v));
	ev.transcript.there = true;     /* by a file of its process */
	ok(detect_log(&ev, &v));
	ev.transcript.told = true;
	is_silent(detect_log);
	ev.log.hits.bound_complete = 1;
	ok(detect_log(&ev, &v));
}

/* The client makes the file with its first message, which is drawn before. */
TEST(until_there_is_a_transcript_the_pane_waits_for_it) {
	begin();
	ev.log_there = true;
	ev.log.hits.complete = 1;
	ev.transcript_due = true;
	ev.wall = 100000;
	ev.silent = 500;
	is_silent(detect_log);
	is_number(evidence_pending(&ev), 9500);
	ev.silent = 10000;
	ok(detect_log(&ev, &v));
	ev.silent = 500;
	ev.agent_ended = true;
	ok(detect_log(&ev, &v));
}

TEST(once_a_message_was_told_the_pane_reports_nothing) {
	static const enum event_type last[] = { EVENT_ENDED, EVENT_TURN,
	    EVENT_FAILED, EVENT_OVER };
	size_t i;

	for (i = 0; i < sizeof(last) / sizeof(last[0]); i++) {
		begin_held(last[i]);
		ev.hook.told = true;
		is_held();
		ev.silent = 60000;
		ev.hook.time = ev.wall - 60000;
		is_held();
		ev.agent_ended = ev.final = true;
		ev.pane = PANE_DEAD;
		is_held();
		ev.log.hits.error = ev.capture.hits.error = 1;
		is_held();
		ev.log.hits.bound_complete = ev.capture.hits.bound_complete = 1;
		counts();
	}
}

/* ---- process ----------------------------------------------------------- */

TEST(a_living_pane_decides_nothing) {
	begin();
	is_silent(detect_process);
	ev.final = true;
	is_silent(detect_process);
}

TEST(a_pane_that_is_gone_decides) {
	begin();
	ev.final = true;
	ev.pane = PANE_GONE;
	decides(detect_process, STATE_GONE, "session",
	    "its pane is no longer there, and there is no report", "");
	ev.pane = PANE_NONE;
	decides(detect_process, STATE_GONE, "session",
	    "it has no pane, and there is no report", "");
}

TEST(how_the_agent_died_is_told) {
	begin();
	ev.final = ev.agent_ended = true;
	decides(detect_process, STATE_DEAD, "process",
	    "the agent ended, its status is unknown, without a report", "");
	ev.exit_code = 7;
	decides(detect_process, STATE_DEAD, "process",
	    "the agent ended with status 7, without a report", "");
	ev.exit_code = -1;
	ev.exit_signal = 9;
	decides(detect_process, STATE_DEAD, "process",
	    "the agent ended by signal 9 (Killed), without a report", "");
	memcpy(ev.last, "bye", 4);
	decides(detect_process, STATE_DEAD, "process",
	    "the agent ended by signal 9 (Killed), without a report: bye", "");
	ev.exit_signal = 12345;
	ok(detect_process(&ev, &v));
}

TEST(a_dead_pane_decides) {
	begin();
	ev.final = true;
	ev.pane = PANE_DEAD;
	ev.exit_code = 0;
	decides(detect_process, STATE_DEAD, "process",
	    "the pane's process ended with status 0, without a report", "");
}

TEST(an_end_can_be_the_report) {
	begin();
	ev.final = ev.agent_ended = ev.exit_is_report = true;
	ev.pane = PANE_DEAD;
	ev.exit_code = 0;
	decides(detect_process, STATE_COMPLETE, "process",
	    "the agent ended with status 0", "");
	ev.exit_code = 3;
	decides(detect_process, STATE_ERROR, "process",
	    "the agent ended with status 3", "");
	ev.exit_code = -1;
	decides(detect_process, STATE_DEAD, "process",
	    "the agent ended, its status is unknown, without a report", "");
	ev.pane = PANE_GONE;
	ev.exit_code = 0;
	decides(detect_process, STATE_COMPLETE, "process",
	    "the agent ended with status 0", "");
	/* It was ended for that, however it took it. */
	ev.lease_over = true;
	decides(detect_process, STATE_DEAD, "process",
	    "its lease is over: the fleet may have given it to another host",
	    "");
}

TEST(gone_is_said_before_dead) {
	begin();
	ev.final = ev.agent_ended = true;
	ev.pane = PANE_GONE;
	ev.exit_code = 1;
	ok(detect_process(&ev, &v));
	is_number(v.state, STATE_GONE);
}

/* Before the last look at what was left behind, no end is said. */
TEST(a_report_beats_death) {
	static const enum pane_life lives[] = {
		PANE_LIVES, PANE_DEAD, PANE_GONE, PANE_NONE,
	};
	size_t i;

	for (i = 0; i < sizeof(lives) / sizeof(lives[0]); i++) {
		begin();
		ev.agent_ended = true;
		ev.pane = lives[i];
		is_silent(detect_process);
	}
}

TEST(a_server_that_does_not_answer_makes_it_unknown) {
	begin();
	ev.pane = PANE_SILENT;
	decides(detect_process, STATE_UNKNOWN, "session",
	    "the tmux server lives and does not answer", "");
	ev.final = ev.agent_ended = true;
	decides(detect_process, STATE_UNKNOWN, "session",
	    "the tmux server lives and does not answer", "");
}

TEST(long_silence_is_stalled) {
	begin();
	ev.stalled_after = 3600000;
	ev.silent = 3599999;
	is_silent(detect_process);
	ev.silent = 3600000;
	decides(detect_process, STATE_STALLED, "process",
	    "nothing was printed for 3600 seconds", "");
	ev.agent_ended = true;
	is_silent(detect_process);
	ev.agent_ended = false;
	ev.pane = PANE_DEAD;
	is_silent(detect_process);
	evidence_release(&ev);
}

/* ---- evidence that time alone changes ------------------------------------ */

/* A hook has told something, and the pane has printed, so long ago. */
static void
at_age(msec age)
{
	evidence_release(&ev);
	evidence_init(&ev, "7");
	ev.wall = 10000000;
	ev.hook.there = true;
	ev.hook.time = ev.wall - age;
	ev.silent = age;
}

TEST(a_minute_without_output_or_record_is_quiet) {
	at_age(59999);
	ok(evidence_quiet(&ev) < EVIDENCE_CONFIRM);
	at_age(60000);
	ok(evidence_quiet(&ev) >= EVIDENCE_CONFIRM);
	ev.silent--;
	ok(evidence_quiet(&ev) < EVIDENCE_CONFIRM);
	at_age(60000);
	ev.hook.time++;
	ok(evidence_quiet(&ev) < EVIDENCE_CONFIRM);
}

TEST(what_was_just_told_is_pending) {
	at_age(EVIDENCE_GRACE - 1);
	ok(evidence_pending(&ev) < CLOCK_NEVER);
	ev.hook.there = false;
	ok(evidence_pending(&ev) == CLOCK_NEVER);
	at_age(EVIDENCE_GRACE);
	ok(evidence_pending(&ev) == CLOCK_NEVER);
}

TEST(a_marker_is_pending_until_it_is_quiet) {
	at_age(EVIDENCE_GRACE);
	ev.log.hits.complete = 1;
	ok(evidence_pending(&ev) < CLOCK_NEVER);
	ev.log.ignored.complete = 1;
	ok(evidence_pending(&ev) == CLOCK_NEVER);
	ev.log.hits.error = 1;
	ok(evidence_pending(&ev) < CLOCK_NEVER);
	at_age(EVIDENCE_CONFIRM - 1);
	ev.capture.hits.complete = 1;
	ok(evidence_pending(&ev) < CLOCK_NEVER);
	ev.hook.there = false;
	ok(evidence_pending(&ev) == CLOCK_NEVER);
	at_age(EVIDENCE_CONFIRM);
	ev.capture.hits.complete = 1;
	ok(evidence_pending(&ev) == CLOCK_NEVER);
	at_age(EVIDENCE_GRACE);
	ev.log.hits.complete = 1;
	ev.hook.told = true;          /* it will never count */
	ok(evidence_pending(&ev) == CLOCK_NEVER);
}

AFTER_TESTS {
	evidence_release(&ev);
}

#include "look.h"

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
	is_text(source_name(v.source), source_name(source_)); \
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

static void
a_signal_decides(void)
{
	begin();
	is_silent(look_signal);
	add_signal(SIGFILE_COMPLETE, SIGFILE_SIGNAL, "all done");
	decides(look_signal, STATE_COMPLETE, SOURCE_SIGNAL,
	    "signal-complete-7 is there", "all done");
	begin();
	add_signal(SIGFILE_ERROR, SIGFILE_SIGNAL, "no disk");
	decides(look_signal, STATE_ERROR, SOURCE_SIGNAL,
	    "signal-error-7 is there", "no disk");
}

static void
of_two_signals_complete_decides_and_the_other_is_told(void)
{
	begin();
	add_signal(SIGFILE_ERROR, SIGFILE_SIGNAL, "no disk");
	add_signal(SIGFILE_COMPLETE, SIGFILE_SIGNAL, "");
	ok(look_signal(&ev, &v));
	is_number(v.state, STATE_COMPLETE);
	ok(strstr(v.why, "signal-error") != NULL);
	is_text(v.message, "");
}

static void
stale_and_refused_signals_do_not_decide(void)
{
	begin();
	add_signal(SIGFILE_COMPLETE, SIGFILE_STALE, "done");
	add_signal(SIGFILE_ERROR, SIGFILE_REFUSED, "no disk");
	is_silent(look_signal);
	add_signal(SIGFILE_COMPLETE, SIGFILE_REFUSED, "done");
	add_signal(SIGFILE_ERROR, SIGFILE_STALE, "no disk");
	is_silent(look_signal);
	add_signal(SIGFILE_ERROR, SIGFILE_SIGNAL, "no disk");
	decides(look_signal, STATE_ERROR, SOURCE_SIGNAL,
	    "signal-error-7 is there", "no disk");
}

static void
an_error_that_is_not_looked_for_does_not_decide(void)
{
	begin();
	ev.errors = false;
	add_signal(SIGFILE_ERROR, SIGFILE_SIGNAL, "no disk");
	is_silent(look_signal);
	ev.log_there = true;
	ev.log.hits.error = 1;
	is_silent(look_log);
	ev.capture_alone = true;
	ev.capture.hits.error = 1;
	is_silent(look_capture);
	ev.log.hits.complete = ev.capture.hits.complete = 1;
	decides(look_log, STATE_COMPLETE, SOURCE_LOG,
	    "a completion marker in the pane log", "");
	decides(look_capture, STATE_COMPLETE, SOURCE_CAPTURE,
	    "a completion marker in the capture", "");
}

/* ---- markers ----------------------------------------------------------- */

static void
a_marker_in_the_log_decides(void)
{
	begin();
	ev.log_there = true;
	is_silent(look_log);
	ev.log.hits.error = 1;
	buf_adds(&ev.log.message, "no disk");
	decides(look_log, STATE_ERROR, SOURCE_LOG,
	    "an error marker in the pane log", "no disk");
	ev.log.hits.complete = 1;
	decides(look_log, STATE_COMPLETE, SOURCE_LOG,
	    "a completion marker in the pane log", "");
}

static void
without_a_log_its_markers_are_nothing(void)
{
	begin();
	ev.log.hits.complete = ev.log.hits.error = 1;
	is_silent(look_log);
}

static void
stale_markers_do_not_decide(void)
{
	begin();
	ev.log_there = ev.capture_alone = true;
	ev.log.hits.stale = ev.capture.hits.stale = 3;
	is_silent(look_log);
	is_silent(look_capture);
}

static void
past_markers_do_not_count(void)
{
	begin();
	ev.log_there = ev.capture_alone = true;
	ev.log.hits.complete = ev.log.past.complete = 2;
	ev.log.hits.error = ev.log.past.error = 1;
	ev.capture.hits = ev.log.hits;
	ev.capture.past = ev.log.past;
	is_silent(look_log);
	is_silent(look_capture);
	ev.log.hits.error++;
	decides(look_log, STATE_ERROR, SOURCE_LOG,
	    "an error marker in the pane log", "");
	ev.capture.hits.complete++;
	decides(look_capture, STATE_COMPLETE, SOURCE_CAPTURE,
	    "a completion marker in the capture", "");
}

/* What scrolled off the screen is no longer counted in it. */
static void
fewer_markers_than_before_are_no_news(void)
{
	begin();
	ev.capture_alone = true;
	ev.capture.past.complete = ev.capture.past.error = 3;
	ev.capture.hits.complete = ev.capture.hits.error = 1;
	is_silent(look_capture);
}

static void
an_error_on_the_screen_counts_only_without_a_log(void)
{
	begin();
	ev.capture.hits.error = 1;
	buf_adds(&ev.capture.message, "no disk");
	is_silent(look_capture);
	ev.capture_alone = true;
	decides(look_capture, STATE_ERROR, SOURCE_CAPTURE,
	    "an error marker in the capture", "no disk");
}

/* ---- process ----------------------------------------------------------- */

static void
a_living_pane_decides_nothing(void)
{
	begin();
	is_silent(look_process);
	ev.last_look = true;
	is_silent(look_process);
}

static void
a_pane_that_is_gone_decides(void)
{
	begin();
	ev.last_look = true;
	ev.pane = PANE_GONE;
	decides(look_process, STATE_GONE, SOURCE_SESSION,
	    "its pane is no longer there, and there is no report", "");
	ev.pane = PANE_NONE;
	decides(look_process, STATE_GONE, SOURCE_SESSION,
	    "it has no pane, and there is no report", "");
}

static void
how_the_agent_died_is_told(void)
{
	begin();
	ev.last_look = ev.agent_ended = true;
	decides(look_process, STATE_DEAD, SOURCE_PROCESS,
	    "the agent ended, nobody knows how, without a report", "");
	ev.exit_code = 7;
	decides(look_process, STATE_DEAD, SOURCE_PROCESS,
	    "the agent ended with status 7, without a report", "");
	ev.exit_code = -1;
	ev.exit_signal = 9;
	decides(look_process, STATE_DEAD, SOURCE_PROCESS,
	    "the agent ended by signal 9 (Killed), without a report", "");
	ev.exit_signal = 12345;
	ok(look_process(&ev, &v));
}

static void
a_dead_pane_decides(void)
{
	begin();
	ev.last_look = true;
	ev.pane = PANE_DEAD;
	ev.exit_code = 0;
	decides(look_process, STATE_DEAD, SOURCE_PROCESS,
	    "the pane's process ended with status 0, without a report", "");
}

static void
gone_is_said_before_dead(void)
{
	begin();
	ev.last_look = ev.agent_ended = true;
	ev.pane = PANE_GONE;
	ev.exit_code = 1;
	ok(look_process(&ev, &v));
	is_number(v.state, STATE_GONE);
}

/* Before the last look at what was left behind, no end is said. */
static void
a_report_beats_death(void)
{
	static const enum pane_life lives[] = {
		PANE_LIVES, PANE_DEAD, PANE_GONE, PANE_NONE,
	};
	size_t i;

	for (i = 0; i < sizeof(lives) / sizeof(lives[0]); i++) {
		begin();
		ev.agent_ended = true;
		ev.pane = lives[i];
		is_silent(look_process);
	}
}

static void
a_server_that_does_not_answer_makes_it_unknown(void)
{
	begin();
	ev.pane = PANE_SILENT;
	decides(look_process, STATE_UNKNOWN, SOURCE_SESSION,
	    "the tmux server lives and does not answer", "");
	ev.last_look = ev.agent_ended = true;
	decides(look_process, STATE_UNKNOWN, SOURCE_SESSION,
	    "the tmux server lives and does not answer", "");
}

static void
long_silence_is_stalled(void)
{
	begin();
	ev.stalled_after = 3600000;
	ev.silent = 3599999;
	is_silent(look_process);
	ev.silent = 3600000;
	decides(look_process, STATE_STALLED, SOURCE_PROCESS,
	    "nothing was printed for 3600 seconds", "");
	ev.agent_ended = true;
	is_silent(look_process);
	ev.agent_ended = false;
	ev.pane = PANE_DEAD;
	is_silent(look_process);
}

int
main(void)
{
	TEST(a_signal_decides);
	TEST(of_two_signals_complete_decides_and_the_other_is_told);
	TEST(stale_and_refused_signals_do_not_decide);
	TEST(an_error_that_is_not_looked_for_does_not_decide);
	TEST(a_marker_in_the_log_decides);
	TEST(without_a_log_its_markers_are_nothing);
	TEST(stale_markers_do_not_decide);
	TEST(past_markers_do_not_count);
	TEST(fewer_markers_than_before_are_no_news);
	TEST(an_error_on_the_screen_counts_only_without_a_log);
	TEST(a_living_pane_decides_nothing);
	TEST(a_pane_that_is_gone_decides);
	TEST(how_the_agent_died_is_told);
	TEST(a_dead_pane_decides);
	TEST(gone_is_said_before_dead);
	TEST(a_report_beats_death);
	TEST(a_server_that_does_not_answer_makes_it_unknown);
	TEST(long_silence_is_stalled);
	evidence_release(&ev);
	return tap_done();
}

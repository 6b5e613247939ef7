#include "chain/sources.h"

#include <unistd.h>

#include "scratch.h"

static struct statusdir dir;
static struct status record;
static struct sources s;
static struct evidence ev;

static void
begin(void)
{
	sources_release(&s);
	evidence_release(&ev);
	status_init(&record, "7");
	dir = (struct statusdir){ .fd = scratch_fd, .state_fd = scratch_fd,
	    .owner = geteuid() };
	ok(sources_init(&s, &dir, &record) == 0);
	evidence_init(&ev, "7");
}

/* signals.sh shows that it has a moment to be filled. */
TEST(an_empty_error_signal_counts_at_once_if_there_is_no_later_turn) {
	begin();
	scratch_write("signal-error-7", "");
	ok(gather_signal(&s, &ev));
	is_number(ev.signal[SIGFILE_ERROR].found, SIGFILE_NONE);
	s.hasty = true;
	ok(gather_signal(&s, &ev));
	is_number(ev.signal[SIGFILE_ERROR].found, SIGFILE_SIGNAL);
	unlinkat(scratch_fd, "signal-error-7", 0);
}

/* The file of a signal is gathered, the log behind it is not opened. */
TEST(nothing_is_gathered_after_the_decision) {
	struct verdict v;

	begin();
	s.pass = true;
	ev.pane = PANE_LIVES;
	ok(judge(&s, &ev, &v) && s.log_read);
	is_number(v.state, STATE_WORKING);
	s.log_read = false;
	scratch_write("signal-complete-7", "done\n");
	ok(judge(&s, &ev, &v) && !s.log_read);
	is_number(v.state, STATE_COMPLETE);
	is_text(v.source, "signal");
	unlinkat(scratch_fd, "signal-complete-7", 0);
}

TEST(an_error_in_the_log_is_held_while_output_goes_on) {
	begin();
	scratch_write("output-7.log", "###TASK_ERROR_7###\n");
	ok(gather_log(&s, &ev));
	ok(s.printed);
	is_number(ev.log.hits.error, 0);
	is_number(ev.again, s.now + EVIDENCE_SILENCE);
	s.now += EVIDENCE_SILENCE;
	ok(gather_log(&s, &ev));
	is_number(ev.log.hits.error, 1);
	is_number(ev.silent, EVIDENCE_SILENCE);
}

static void
ends_saying(const char *last)
{
	ev.final = ev.agent_ended = true;
	ok(gather_process(&s, &ev));
	is_text(ev.last, last);
}

TEST(the_last_line_of_an_agent_is_known_at_its_end) {
	begin();
	ev.pane = PANE_DEAD;
	ends_saying("");
	s.text = "one\n  it #### failed\n\nPane is dead (status 1)\n \n";
	s.text_len = strlen(s.text);
	ok(gather_process(&s, &ev));
	ends_saying("it \uff03\uff03\uff03# failed");
	/* A log knows it better than the screen. */
	scratch_write("output-7.log", "one\r\n\tno \033[31msuch\033[0m session"
	    "\033[K\r\n\033[?25h \r\n");
	ok(gather_log(&s, &ev));
	ends_saying("no such session");
	/* A shell's prompt is no word of the agent. */
	record.adopted = true;
	ev.pane = PANE_LIVES;
	ends_saying("");
}

TEST(a_capture_tells_when_there_was_no_log) {
	begin();
	ok(!gather_capture(&s, &ev));
	s.text = "###TASK_COMPLETE_7###\n";
	s.text_len = strlen(s.text);
	record.ignored_capture.complete = UINT32_MAX;
	ok(gather_capture(&s, &ev));
	ok(ev.capture_alone);
	is_number(ev.capture.hits.complete, 1);
	is_number(record.ignored_capture.complete, 1);
	ok(!detect_capture(&ev, &(struct verdict){ .state = STATE_NONE }));
	unlinkat(scratch_fd, "output-7.log", 0);
}

TEST(a_log_that_is_opened_again_is_closed_first) {
	int fd;

	begin();
	scratch_write("output-7.log", "a line\n");
	ok(gather_log(&s, &ev));
	fd = s.log.file.fd;
	panelog_mark(&s.log, &record.log);
	ok(sources_open_log(&s) == 0);
	ok(gather_log(&s, &ev));
	is_number(s.log.file.fd, fd);
	unlinkat(scratch_fd, "output-7.log", 0);
}

BEFORE_TESTS {
	s.log.file.fd = -1;
}

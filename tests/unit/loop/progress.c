#include "loop/engine.h"

#include "base/alloc.h"
#include "scratch.h"

static struct progress lines, objects = { .json = true };
static struct loop_state state;

/* What a call prints. */
#define PRINTED(call) (open_out(), (call), close_out())

static int out;

static void
open_out(void)
{
	fflush(stdout);
	out = dup(STDOUT_FILENO);
	scratch_write("out", "");
	dup2(openat(scratch_fd, "out", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
}

static const char *
close_out(void)
{
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	return scratch_text("out");
}

static struct round
a_round(enum round_end end, int exit_code)
{
	return (struct round){ .iteration = 3, .began = 1000, .ended = 62500,
	    .end = end, .exit_code = exit_code, .exit_signal = -1,
	    .bytes = 9 };
}

TEST(a_round_is_a_line) {
	struct round r = a_round(ROUND_EXITED, 4);
	int log;

	scratch_write("log", "first\nlast\n");
	log = openat(scratch_fd, "log", O_RDONLY | O_CLOEXEC);
	is_text(PRINTED(progress_round(&lines, &r, log)),
	    "iteration 3  exit 4  1m01s  last\n");
	close(log);
	r.end = ROUND_KEYWORD;
	is_text(PRINTED(progress_round(&lines, &r, -1)),
	    "iteration 3  keyword  1m01s  \n");
	r = a_round(ROUND_LOST, -1);
	is_text(PRINTED(progress_round(&lines, &r, -1)),
	    "iteration 3  lost  1m01s  \n");
	r.end = ROUND_EXITED;
	r.exit_signal = 9;
	is_text(PRINTED(progress_round(&lines, &r, -1)),
	    "iteration 3  signal 9  1m01s  \n");
}

TEST(or_an_object) {
	struct round r = a_round(ROUND_IDLE, 0);

	is_text(PRINTED(progress_round(&objects, &r, -1)),
	    "{\"iteration\":3,\"end\":\"idle-timeout\",\"exit\":0,"
	    "\"milliseconds\":61500,\"bytes\":9}\n");
}

TEST(the_end_names_reason_and_logs) {
	state.iteration = 1;
	state.elapsed = 3723000;
	state.reason = xstrdup("keyword");
	is_text(PRINTED(progress_end(&lines, &state, true, "/s/l.*.log")),
	    "keyword after 1 iteration, 1h02m; logs: /s/l.*.log\n");
	is_text(PRINTED(progress_end(&objects, &state, true, "/s/l.*.log")),
	    "{\"success\":true,\"iterations\":1,\"reason\":\"keyword\"}\n");
	free(state.reason);
}

TEST(without_a_terminal_nothing_is_live) {
	ok(progress_live(&lines, &state, NULL, 5) == CLOCK_NEVER);
}

#include "loop/engine.h"

#include "unit/children.h"

static struct loop_state state;

static struct progress lines, objects = { .json = true };

static const char *
printed(struct progress *p, const struct round *r, int log)
{
	int out = divert(STDOUT_FILENO, "out");

	progress_round(p, r, log);
	divert_back(STDOUT_FILENO, out);
	return scratch_text("out");
}

TEST(a_round_is_a_line_or_an_object) {
	struct round r = { .iteration = 3, .began = 1000, .ended = 62500,
	    .end = ROUND_EXITED, .exit_code = 4, .exit_signal = -1,
	    .bytes = 9 };
	int log;

	scratch_write("log", "first\nlast\n");
	log = openat(scratch_fd, "log", O_RDONLY | O_CLOEXEC);
	is_text(printed(&lines, &r, log), "iteration 3  exit 4  1m01s  last\n");
	close(log);
	r.end = ROUND_KEYWORD;
	is_text(printed(&lines, &r, -1), "iteration 3  keyword  1m01s  \n");
	r.end = ROUND_IDLE;
	is_text(printed(&objects, &r, -1), "{\"iteration\":3,\"end\":"
	    "\"idle-timeout\",\"exit\":4,\"milliseconds\":61500,"
	    "\"bytes\":9}\n");
	r.end = ROUND_LOST;
	is_text(printed(&lines, &r, -1), "iteration 3  lost  1m01s  \n");
	r.end = ROUND_EXITED;
	r.exit_code = -1;
	r.exit_signal = 9;
	is_text(printed(&lines, &r, -1), "iteration 3  signal 9  1m01s  \n");
}

static const char *
page(void)
{
	struct buf why = BUF_INIT;

	is_number(report_write(&state, REPORT_HTML, "/s/.paneward", &why), 0);
	is_text(buf_str(&why), "");
	buf_release(&why);
	return scratch_text("r.html");
}

/* tests/system/loop-run.sh escapes what is in it.  The loop goes on whatever the
 * status is: to exit by itself is no failure. */
TEST(a_person_gets_a_page_with_a_bar_for_each_round) {
	const char *text = page();

	contains(text, "<td>loop-42.1.log");
	contains(text, "exit 1, 1.0 s");
	contains(text, "bar complete\" style=\"left:33.33%;width:66.67%\"");
	contains(text, "Logs: /s/.paneward/loop-42.*.log");
	contains(text, "bar working\" style=\"left:0.00%;width:33.33%\"");
	ok(strstr(text, "bar error") == NULL);
	state.rounds[0].exit_signal = 9;
	state.rounds[0].exit_code = -1;
	contains(page(), "class=\"bar dead\"");
	state.rounds[0].exit_signal = -1;
	state.rounds[0].end = ROUND_LOST;
	contains(page(), "class=\"bar dead\"");
}

/* A loop of two rounds. */
BEFORE_TESTS {
	scratch_home();
	scratch_write("paneward/templates/page.css", "p { margin: 0 }\n");
	state = (struct loop_state){ .loop = xstrdup("loop-42"),
	    .reason = xstrdup("keyword"),
	    .backend = xstrdup("<shell>"), .manager = xstrdup("native"),
	    .keyword = xstrdup("DONE"), .iteration = 2, .started = 1000,
	    .elapsed = 3000 };
	state.reports[REPORT_HTML] = xstrdup(scratch_path("r.html"));
	loop_state_add(&state, &(struct round){ .iteration = 1,
	    .began = 1000, .ended = 2000, .end = ROUND_EXITED,
	    .exit_code = 1, .exit_signal = -1, .bytes = 7 });
	loop_state_add(&state, &(struct round){ .iteration = 2,
	    .began = 2000, .ended = 4000, .end = ROUND_KEYWORD,
	    .exit_code = -1, .exit_signal = 15 });
}

AFTER_TESTS {
	loop_state_release(&state);
}

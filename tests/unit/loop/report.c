#include "loop/engine.h"

#include <errno.h>

#include "base/alloc.h"
#include "scratch.h"

static struct loop_state state;

/* A loop of two rounds. */
static void
make_state(void)
{
	state = (struct loop_state){ .loop = xstrdup("loop-42"),
	    .reason = xstrdup("keyword"),
	    .backend = xstrdup("<shell>"), .manager = xstrdup("native"),
	    .keyword = xstrdup("DONE"), .iteration = 2, .started = 1000,
	    .elapsed = 3000 };
	state.reports[REPORT_JSON] = xstrdup(scratch_path("r.json"));
	state.reports[REPORT_HTML] = xstrdup(scratch_path("r.html"));
	loop_state_add(&state, &(struct round){ .iteration = 1,
	    .began = 1000, .ended = 2000, .end = ROUND_EXITED,
	    .exit_code = 1, .exit_signal = -1, .bytes = 7 });
	loop_state_add(&state, &(struct round){ .iteration = 2,
	    .began = 2000, .ended = 4000, .end = ROUND_KEYWORD,
	    .exit_code = -1, .exit_signal = 15 });
}

static const char *
written(enum report kind, const char *name)
{
	struct buf why = BUF_INIT;

	is_number(report_write(&state, kind, "/s/.paneward", &why), 0);
	is_text(buf_str(&why), "");
	buf_release(&why);
	return scratch_text(name);
}

#define HAS(text, what) ok(strstr((text), (what)) != NULL)

TEST(the_kind_is_in_the_name) {
	is_number(report_kind("a.json"), REPORT_JSON);
	is_number(report_kind("/b/c.html"), REPORT_HTML);
	is_number(report_kind("json"), REPORTS);
	is_number(report_kind("a.json.txt"), REPORTS);
}

TEST(a_program_gets_json) {
	const char *text = written(REPORT_JSON, "r.json");

	HAS(text, "\"success\":true");
	HAS(text, "\"iterations\":2");
	HAS(text, "\"milliseconds\":3000");
	HAS(text, "\"logs\":\"/s/.paneward\"");
	HAS(text, "\"end\":\"exited\"");
	HAS(text, "\"exit\":1");
	HAS(text, "\"log\":\"loop-42.2.log\"");
}

TEST(a_person_gets_a_page) {
	const char *text = written(REPORT_HTML, "r.html");

	HAS(text, "<h1>loop-42</h1>");
	HAS(text, "keyword after 2 iterations, 3.0 s");
	HAS(text, "&lt;shell&gt;");
	HAS(text, "<td>loop-42.1.log");
	HAS(text, "exit 1, 1.0 s");
	HAS(text, "class=\"bar complete\" style=\"left:33.33%;width:66.67%\"");
	HAS(text, "Logs: /s/.paneward/loop-42.*.log");
}

/* The loop goes on whatever the status is. */
TEST(a_round_that_exited_by_itself_is_no_failure) {
	const char *text = written(REPORT_HTML, "r.html");

	HAS(text, "class=\"bar working\" style=\"left:0.00%;width:33.33%\"");
	ok(strstr(text, "bar error") == NULL);
	state.rounds[0].exit_signal = 9;
	state.rounds[0].exit_code = -1;
	HAS(written(REPORT_HTML, "r.html"), "class=\"bar dead\"");
	state.rounds[0].exit_signal = -1;
	state.rounds[0].end = ROUND_LOST;
	HAS(written(REPORT_HTML, "r.html"), "class=\"bar dead\"");
}

TEST(a_report_that_cannot_be_written_has_a_reason) {
	struct buf why = BUF_INIT;

	free(state.reports[REPORT_JSON]);
	state.reports[REPORT_JSON] = xstrdup(scratch_path("no/r.json"));
	is_number(report_write(&state, REPORT_JSON, "/s", &why), -1);
	is_text(buf_str(&why), strerror(ENOENT));
	buf_release(&why);
}

BEFORE_TESTS {
	scratch_home();
	scratch_write("paneward/templates/page.css", "p { margin: 0 }\n");
	make_state();
}

AFTER_TESTS {
	loop_state_release(&state);
}

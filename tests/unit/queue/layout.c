/*
 * tests/system/unwatched.sh has states of long ago, hosts.sh a host's problem.
 */
#include "queue/row.h"

#include "base/alloc.h"
#include "base/columns.h"
#include "tap.h"

enum { NOW = 1000000 };

static struct row rows[2];

/* The rows are these issues, which ask; the second one is of that project. */
static void
rows_are(const char *first, const char *second, const char *project)
{
	struct row *r;

	for (r = rows; r < rows + 2; r++) {
		row_release(r);
		*r = (struct row){ .alive = true,
		    .project = xstrdup(r == rows ? "/src/app" : project) };
		status_init(&r->status, r == rows ? first : second);
		r->status.verdict.state = STATE_ASKING;
		r->status.since = NOW - 5000;
		r->status.backend = xstrdup("claude");
		memcpy(r->status.place.pane, "%7", 3);
		verdict_why(&r->status.verdict, "it says so");
		row_rate(r);
	}
}

/* The lines of the first n rows in a terminal of that width. */
static const char *
lines_of(size_t n, unsigned width, bool color)
{
	static struct buf out;
	struct row *all[] = { &rows[0], &rows[1] };
	struct layout l;
	size_t i;

	ROW("width %u", width);
	buf_reset(&out);
	layout_fit(&l, all, n, width, false, NOW);
	for (i = 0; i < n; i++) {
		buf_adds(&out, i > 0 ? "\n" : "");
		layout_line(&out, &l, all[i], color, NOW);
	}
	return buf_str(&out);
}

#define are_lines(n, width, want) is_text(lines_of((n), (width), false), want)

TEST(cells_stand_below_each_other) {
	static const char want[] =
	    "42            asking   5s  claude  app   %7  it says so\n"
	    "a-longer-one  working  5s  claude  site  %7  it says so";

	rows_are("42", "a-longer-one", "/src/site");
	rows[1].status.verdict.state = STATE_WORKING;
	are_lines(2, 100, want);
	are_lines(2, COLUMNS_ALL, want);
	rows_are("1", "2", "/src/app");
	are_lines(2, 100, "1  asking  5s  claude  %7  it says so\n"
	    "2  asking  5s  claude  %7  it says so");
}

/* The name, the state, the age and the text stay in the narrowest. */
TEST(a_narrow_line_has_fewer_cells) {
	rows_are("1", "2", "/src/site");
	rows[0].host = xstrdup("box");
	are_lines(2, 68, "box  1  asking  5s  claude  app   %7  it says so\n"
	    "     2  asking  5s  claude  site  %7  it says so");
	are_lines(2, 67, "box  1  asking  5s  claude  app   it says so\n"
	    "     2  asking  5s  claude  site  it says so");
	are_lines(2, 61, "box  1  asking  5s  claude  it says so\n"
	    "     2  asking  5s  claude  it says so");
	are_lines(1, 27, "1  asking  5s  it says so");
	are_lines(1, 19, "1  asking  5s  it …");
}

TEST(what_is_asked_is_said_and_not_that_it_asks) {
	rows_are("1", "", "");
	verdict_message(&rows[0].status.verdict, "rm -r build", 11);
	are_lines(1, 40, "1  asking  5s  rm -r build");
	rows[0].status.handoff.state = HANDOFF_FAILED;
	are_lines(1, 37, "1  asking  5s  it says so: rm -r bui…");
}

TEST(no_line_is_wider_than_its_terminal) {
	unsigned width;

	rows_are("a-name-that-is-as-long-as-names-may-be-and-a-bit", "", "");
	rows[0].status.verdict.state = STATE_COMPLETE;
	rows[0].unwatched = 1;
	rows[0].status.since = -365 * (msec)86400000;
	rows[0].host = xstrdup("a-host-with-a-long-name");
	verdict_why(&rows[0].status.verdict, "\xe6\xbc\xa2\xe5\xad\x97 "
	    "are two columns wide, and this goes on for a long, long while, "
	    "longer than any of the lines that this test tries here");
	for (width = 31; width <= 120; width++)
		ok(columns_of(lines_of(1, width, false)) <= width);
}

TEST(only_the_state_is_colored_or_all_that_was_seen) {
	rows_are("1", "", "");
	is_text(lines_of(1, 40, true),
	    "1  \33[1;33masking\33[m  5s  it says so");
	rows[0].status.verdict.state = STATE_COMPLETE;
	rows[0].seen = SEEN_ONCE;
	row_rate(&rows[0]);
	is_text(lines_of(1, 40, true), "\33[2m1\33[m  \33[2mcomplete\33[m  "
	    "\33[2m5s\33[m  \33[2mit says so\33[m");
}

BEFORE_TESTS {
	setenv("LC_ALL", "C.UTF-8", 1);
	columns_begin();
}

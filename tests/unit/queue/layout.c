#include "queue/row.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/columns.h"
#include "tap.h"

enum { NOW = 1000000 };

static struct row
row_of(const char *issue, const char *project, enum state state)
{
	struct row r = { .alive = true, .project = xstrdup(project) };

	status_init(&r.status, issue);
	r.status.verdict.state = state;
	r.status.since = NOW - 5000;
	r.status.backend = xstrdup("claude");
	memcpy(r.status.place.pane, "%7", 3);
	verdict_why(&r.status.verdict, "it says so");
	row_rate(&r);
	return r;
}

/* The lines of rows in a terminal of that width, one below the other. */
static char *
lines_of(struct row *rows, size_t n, unsigned width, bool color)
{
	struct row *all[4] = { NULL };
	struct buf out = BUF_INIT;
	struct layout l;
	size_t i;

	for (i = 0; i < n; i++)
		all[i] = &rows[i];
	layout_fit(&l, all, n, width, NOW);
	for (i = 0; i < n; i++) {
		layout_line(&out, &l, all[i], color, NOW);
		buf_addc(&out, '\n');
	}
	return buf_steal(&out);
}

static void
are_lines(struct row *rows, size_t n, unsigned width, const char *want)
{
	char *lines = lines_of(rows, n, width, false);

	is_text(lines, want);
	free(lines);
}

TEST(cells_stand_below_each_other) {
	struct row rows[] = { row_of("42", "/src/app", STATE_ASKING),
	    row_of("a-longer-one", "/src/site", STATE_WORKING) };

	are_lines(rows, 2, 100,
	    "42            asking   5s  claude  app   %7  it says so\n"
	    "a-longer-one  working  5s  claude  site  %7  it says so\n");
	are_lines(rows, 2, COLUMNS_ALL,
	    "42            asking   5s  claude  app   %7  it says so\n"
	    "a-longer-one  working  5s  claude  site  %7  it says so\n");
	row_release(&rows[0]);
	row_release(&rows[1]);
}

TEST(a_project_that_all_share_is_left_out) {
	struct row rows[] = { row_of("1", "/src/app", STATE_ASKING),
	    row_of("2", "/src/app", STATE_ASKING) };

	are_lines(rows, 2, 100,
	    "1  asking  5s  claude  %7  it says so\n"
	    "2  asking  5s  claude  %7  it says so\n");
	row_release(&rows[0]);
	row_release(&rows[1]);
}

/* The name, the state, the age and the text stay in the narrowest. */
TEST(a_narrow_line_has_fewer_cells) {
	struct row rows[] = { row_of("1", "/src/app", STATE_ASKING),
	    row_of("2", "/src/site", STATE_ASKING) };

	rows[0].host = xstrdup("box");
	are_lines(rows, 2, 68,
	    "box  1  asking  5s  claude  app   %7  it says so\n"
	    "     2  asking  5s  claude  site  %7  it says so\n");
	are_lines(rows, 2, 67,
	    "box  1  asking  5s  claude  app   it says so\n"
	    "     2  asking  5s  claude  site  it says so\n");
	are_lines(rows, 2, 61,
	    "box  1  asking  5s  claude  it says so\n"
	    "     2  asking  5s  claude  it says so\n");
	are_lines(rows, 1, 51, "box  1  asking  5s  it says so\n");
	are_lines(rows, 1, 27, "1  asking  5s  it says so\n");
	are_lines(rows, 1, 19, "1  asking  5s  it …\n");
	row_release(&rows[0]);
	row_release(&rows[1]);
}

TEST(without_room_for_all_only_what_is_asked_is_said) {
	struct row r = row_of("1", "/src/app", STATE_ASKING);

	verdict_message(&r.status.verdict, "rm -r build", 11);
	are_lines(&r, 1, 40, "1  asking  5s  it says so: rm -r build\n");
	are_lines(&r, 1, 37, "1  asking  5s  rm -r build\n");
	are_lines(&r, 1, 25, "1  asking  5s  rm -r bui…\n");
	r.status.handoff.state = HANDOFF_FAILED;
	are_lines(&r, 1, 37, "1  asking  5s  it says so: rm -r bui…\n");
	row_release(&r);
}

TEST(no_line_is_wider_than_its_terminal) {
	struct row r = row_of("a-name-that-is-as-long-as-names-may-be-and-a-bit",
	    "/src/app", STATE_COMPLETE);
	char *line;
	unsigned width;

	r.unwatched = 1;
	r.status.since = -365 * (msec)86400000;
	r.host = xstrdup("a-host-with-a-long-name");
	verdict_why(&r.status.verdict, "\xe6\xbc\xa2\xe5\xad\x97 "
	    "are two columns wide, and this goes on for a long, long while, "
	    "longer than any of the lines that this test tries here");
	for (width = 31; width <= 120; width++) {
		line = lines_of(&r, 1, width, false);
		line[strlen(line) - 1] = '\0';
		ok(columns_of(line) <= width);
		free(line);
	}
	row_release(&r);
}

TEST(a_state_that_is_not_watched_has_a_question_mark) {
	struct row r = row_of("1", "/src/app", STATE_WORKING);

	r.unwatched = NOW;
	setenv("TZ", "UTC", 1);
	are_lines(&r, 1, COLUMNS_ALL, "1  working?  5s  claude  %7  "
	    "it says so; not watched since 00:16\n");
	r.status.verdict.state = STATE_UNKNOWN;
	are_lines(&r, 1, 40, "1  unknown  5s  it says so; not watched…\n");
	row_release(&r);
}

TEST(a_host_with_a_problem_has_neither_state_nor_age) {
	struct row r = { .host = xstrdup("box"),
	    .problem = xstrdup("it does not answer") };

	status_init(&r.status, "");
	r.status.since = NOW;
	row_rate(&r);
	are_lines(&r, 1, 60, "box  box  -  it does not answer\n");
	row_release(&r);
}

TEST(only_the_state_is_colored_or_all_that_was_seen) {
	struct row r = row_of("1", "/src/app", STATE_ASKING);
	char *line = lines_of(&r, 1, 40, true);

	is_text(line, "1  \33[1;33masking\33[m  5s  it says so\n");
	free(line);
	r.status.verdict.state = STATE_COMPLETE;
	r.seen = SEEN_ONCE;
	row_rate(&r);
	line = lines_of(&r, 1, 40, true);
	is_text(line, "\33[2m1\33[m  \33[2mcomplete\33[m  \33[2m5s\33[m  "
	    "\33[2mit says so\33[m\n");
	free(line);
	row_release(&r);
}

BEFORE_TESTS {
	setenv("LC_ALL", "C.UTF-8", 1);
	columns_begin();
}

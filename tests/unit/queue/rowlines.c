/*
 * The lines go to standard output, which is a file of the test's meanwhile.
 * tests/system/follow.sh has its lines of text, and its end.
 */
#include "queue/lines.h"

#include "base/alloc.h"
#include "loops.h"
#include "queue/row.h"
#include "unit/children.h"
#include "unit/fixture.h"

static struct loop loop;

/* A row, "42 working", is given as the line that row_json() makes of it. */
static void
say(struct rowlines *x, const char *row)
{
	static char project[] = "/home/me/atlas";
	static struct buf line;
	struct row r = { .alive = true, .project = project,
	    .directory = project };
	const char *state = strchr(row, ' ') + 1;

	status_init(&r.status, "");
	snprintf(r.status.issue, sizeof(r.status.issue), "%.*s",
	    (int)(state - 1 - row), row);
	r.status.verdict.state = state_of(state, strlen(state));
	verdict_why(&r.status.verdict, "it says so");
	r.status.since = clock_wall();
	row_rate(&r);
	buf_reset(&line);
	row_json(&line, &r);
	rowlines_row(x, buf_str(&line), line.len);
}

/*
 * Takes these steps: rows, "whole", and "+N", a flush at that time.  What they
 * print is that; a row of JSON is its words in angle brackets.
 */
static void
prints(struct rowlines *x, const char *steps, const char *want)
{
	char *list = xstrdup(steps), *rest = list, *step;
	int old = divert(STDOUT_FILENO, "out");
	bool good = true;

	ROW("%s", steps);
	while ((step = strsep(&rest, ",")) != NULL) {
		if (step[0] == '+')
			good = good && rowlines_flush(x, atoll(step));
		else if (strcmp(step, "whole") == 0)
			rowlines_whole(x);
		else
			say(x, step);
	}
	divert_back(STDOUT_FILENO, old);
	ok(good);
	run("sed 's/{.*issue.:.\\([0-9]*\\).*state.:.\\([a-z]*\\).*/"
	    "<\\1 \\2>/' out >shown");
	is_text(scratch_text("shown"), want);
	free(list);
}

TEST(json_comes_in_batches_with_an_empty_line_also_each_half_minute) {
	struct rowlines *x = rowlines_new(true, &loop);
	msec now = clock_now();
	char later[30];
	size_t fds;

	prints(x, "42 working,43 asking,whole,+1000",
	    "<42 working>\n<43 asking>\n\n");
	prints(x, "43 asking,whole,+2000",
	    "{\"key\":\"/home/me/atlas/42\",\"gone\":true}\n\n");
	prints(x, "+3000,+31999", "");
	prints(x, "+32000,+32001", "\n");
	snprintf(later, sizeof(later), "+%lld", (long long)now);
	prints(x, later, "\n");
	ok(loop_next(&loop, &fds) == now + 30000);
	is_number(fds, 2);
}

TEST(an_output_that_fails_is_reported) {
	struct rowlines *x = rowlines_new(false, &loop);
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC), old;
	bool good;

	if (full == -1)
		return;                         /* this system has none */
	old = divert(STDOUT_FILENO, "out");
	dup2(full, STDOUT_FILENO);
	say(x, "42 working");
	good = rowlines_flush(x, 1000);
	clearerr(stdout);
	divert_back(STDOUT_FILENO, old);
	close(full);
	ok(!good);
}

BEFORE_TESTS {
	setenv("TZ", "UTC", 1);
	setenv("PANEWARD_NOW", "1763870400", 1);        /* 04:00:00 */
}

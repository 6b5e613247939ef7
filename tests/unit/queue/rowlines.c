/*
 * The lines go to standard output, which is a file of the test's meanwhile.
 */
#include "queue/lines.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "loops.h"
#include "queue/row.h"
#include "scratch.h"

static int tap_out = -1;
static struct loop loop;

/* Standard output is that descriptor, until it is given back. */
static void
output_is(int fd)
{
	fflush(stdout);
	if (tap_out == -1)
		tap_out = dup(STDOUT_FILENO);
	dup2(fd, STDOUT_FILENO);
}

static void
output_back(void)
{
	fflush(stdout);
	dup2(tap_out, STDOUT_FILENO);
}

/* What was printed since printing(). */
static const char *
printed(void)
{
	output_back();
	return scratch_text("out");
}

static void
printing(void)
{
	int fd;

	fflush(stdout);
	fd = openat(scratch_fd, "out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	output_is(fd);
	close(fd);
}

static struct row
row_of(const char *issue, enum state state)
{
	static char project[] = "/home/me/atlas";
	struct row r = { .alive = true, .project = project,
	    .directory = project };

	status_init(&r.status, issue);
	r.status.verdict.state = state;
	verdict_why(&r.status.verdict, "it says so");
	r.status.since = clock_wall();
	row_rate(&r);
	return r;
}

/* The line that row_json() makes of it. */
static char *
json_of(const char *issue, enum state state)
{
	struct row r = row_of(issue, state);
	struct buf line = BUF_INIT;

	row_json(&line, &r);
	return buf_steal(&line);
}

static void
say(struct rowlines *x, const char *issue, enum state state)
{
	char *line = json_of(issue, state);

	rowlines_row(x, line, strlen(line));
	free(line);
}

TEST(a_row_is_said_again_once_its_line_changes) {
	struct rowlines *x = rowlines_new(false, &loop);

	printing();
	say(x, "42", STATE_WORKING);
	say(x, "43", STATE_ASKING);
	say(x, "42", STATE_WORKING);
	is_text(printed(),
	    "04:00:00  42                working             atlas         "
	    "it says so\n"
	    "04:00:00  43                asking              atlas         "
	    "it says so\n");
	setenv("PANEWARD_NOW", "1763870460", 1);        /* a minute later */
	printing();
	say(x, "42", STATE_ERROR);
	say(x, "43", STATE_ASKING);
	is_text(printed(),
	    "04:01:00  42                error               atlas         "
	    "it says so\n");
	setenv("PANEWARD_NOW", "1763870400", 1);
	rowlines_free(x);
}

TEST(a_row_that_has_left_is_told_once) {
	struct rowlines *x = rowlines_new(false, &loop);

	printing();
	say(x, "42", STATE_WORKING);
	say(x, "43", STATE_WORKING);
	rowlines_whole(x);
	printing();
	say(x, "43", STATE_WORKING);
	rowlines_whole(x);
	rowlines_whole(x);
	is_text(printed(), "04:00:00  42                left the list\n"
	    "04:00:00  43                left the list\n");
	rowlines_free(x);
}

TEST(json_comes_in_batches_with_an_empty_line) {
	struct rowlines *x = rowlines_new(true, &loop);
	char *one = json_of("42", STATE_WORKING);
	char *two = json_of("43", STATE_ASKING);
	struct buf want = BUF_INIT;

	printing();
	say(x, "42", STATE_WORKING);
	say(x, "43", STATE_ASKING);
	rowlines_whole(x);
	ok(rowlines_flush(x, 1000));
	buf_printf(&want, "%s\n%s\n\n", one, two);
	is_text(printed(), buf_str(&want));
	printing();
	say(x, "43", STATE_ASKING);
	rowlines_whole(x);
	ok(rowlines_flush(x, 2000));
	is_text(printed(),
	    "{\"key\":\"/home/me/atlas/42\",\"gone\":true}\n\n");
	free(one);
	free(two);
	buf_release(&want);
	rowlines_free(x);
}

TEST(an_empty_line_also_comes_each_half_minute) {
	struct rowlines *x = rowlines_new(true, &loop);

	printing();
	ok(rowlines_flush(x, 500));
	is_text(printed(), "");
	printing();
	rowlines_whole(x);
	ok(rowlines_flush(x, 1000));
	ok(rowlines_flush(x, 2000));
	ok(rowlines_flush(x, 30999));
	is_text(printed(), "\n");
	printing();
	ok(rowlines_flush(x, 31000));
	ok(rowlines_flush(x, 31001));
	is_text(printed(), "\n");
	rowlines_free(x);
	x = rowlines_new(false, &loop);
	printing();
	ok(rowlines_flush(x, 1000));
	ok(rowlines_flush(x, 100000));
	is_text(printed(), "");
	rowlines_free(x);
}

TEST(an_output_that_fails_is_reported) {
	struct rowlines *x = rowlines_new(false, &loop);
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	bool good;

	if (full == -1)
		return;                         /* this system has none */
	output_is(full);
	close(full);
	say(x, "42", STATE_WORKING);
	good = rowlines_flush(x, 1000);
	clearerr(stdout);
	output_back();
	ok(!good);
	rowlines_free(x);
}

/* Waits with those as standard input and output, a moment at most. */
static bool
wait_with(struct rowlines *x, int in, int out)
{
	int old = dup(STDIN_FILENO);

	output_is(out);
	dup2(in, STDIN_FILENO);
	loop_round(&loop, clock_now() + 1);
	dup2(old, STDIN_FILENO);
	close(old);
	output_back();
	return rowlines_flush(x, 0);
}

TEST(without_a_reader_or_the_other_end_it_does_not_go_on) {
	struct rowlines *x = rowlines_new(false, &loop);
	int in[2], out[2];

	ok(pipe(in) == 0 && pipe(out) == 0);
	ok(wait_with(x, in[0], out[1]));
	close(out[0]);
	ok(!wait_with(x, in[0], out[1]));
	close(out[1]);
	rowlines_free(x);
	x = rowlines_new(false, &loop);
	ok(pipe(out) == 0);
	ok(wait_with(x, in[0], out[1]));
	close(in[1]);
	ok(!wait_with(x, in[0], out[1]));
	close(in[0]);
	close(out[0]);
	close(out[1]);
	rowlines_free(x);
}

TEST(an_empty_line_is_due_after_half_a_minute) {
	struct rowlines *x = rowlines_new(true, &loop);
	msec now = clock_now();
	size_t fds;

	printing();
	rowlines_whole(x);
	rowlines_flush(x, now);
	is_text(printed(), "\n");
	ok(loop_next(&loop, &fds) == now + 30000);
	printing();
	rowlines_flush(x, now + 29999);
	is_text(printed(), "");
	printing();
	rowlines_flush(x, now + 30000);
	is_text(printed(), "\n");
	rowlines_free(x);
}

BEFORE_TESTS {
	setenv("TZ", "UTC", 1);
	setenv("PANEWARD_NOW", "1763870400", 1);        /* 04:00:00 */
	signal(SIGPIPE, SIG_IGN);
	alarm(60);
}

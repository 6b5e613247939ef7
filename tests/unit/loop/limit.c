#include "loop/engine.h"

#include "scratch.h"

static const struct signs no_signs;
static const msec WALL = 1772365800000;
static msec until;

/* Does a round that ended with this text end by a limit? */
static bool
limited(const char *text, bool failed)
{
	bool found;
	int fd;

	scratch_write("log", text);
	fd = openat(scratch_fd, "log", O_RDONLY | O_CLOEXEC);
	found = limit_find(&no_signs, fd, failed, WALL, &until);
	close(fd);
	return found;
}

TEST(a_failed_agent_reports_a_limit_anywhere) {
	ok(limited("rate limit exceeded\n", true));
	is_number(until, 0);
	ok(limited("Error: 429 {\"type\":\"rate_limit_error\"}\n", true));
	ok(!limited("all tests pass\n", true));
}

TEST(one_that_did_not_fail_names_the_end_of_the_limit) {
	ok(limited("Usage limit reached. Try again in 20 minutes.\n", false));
	is_number(until, WALL + 20 * 60 * 1000);
	ok(!limited("Usage limit reached.\n", false));
}

TEST(words_about_limits_are_none) {
	ok(!limited("FAIL tests/rate_limit_reached.c\n", true));
	ok(!limited("I added usage limit handling. Try again in 5 minutes.\n",
	    false));
}

TEST(an_end_that_is_too_far_is_not_known) {
	ok(limited("Claude AI usage limit reached|4102444800\n", true));
	is_number(until, 0);
}

TEST(only_the_very_end_of_the_output_counts) {
	static char text[8192];

	memset(text, 'x', sizeof(text) - 1);
	memcpy(text, "rate limit exceeded\n", 20);
	ok(!limited(text, true));
}

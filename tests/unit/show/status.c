#include "shown.h"

/* 2026-01-31T12:00:00Z and so many seconds. */
static void
it_is(long long seconds)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", 1769860800 + seconds);
	setenv("PANEWARD_NOW", text, 1);
}

TEST(the_worst_comes_first) {
	it_is(3);
	shown_record("10", "complete", "");
	shown_record("9", "error", ",\"message\":\"no disk\"");
	is_text(shown(&status_command, NULL),
	    "9   error?    3s  it is so: no disk; not watched since 12:00\n"
	    "10  complete  3s  it is so\n");
	is_number(shown_exit, 0);
}

TEST(an_age_has_its_largest_unit) {
	shown_record("8", "complete", "");
	it_is(59);
	ok(strstr(shown(&status_command, "8", NULL), " 59s ") != NULL);
	it_is(60);
	ok(strstr(shown(&status_command, "8", NULL), " 1m ") != NULL);
	it_is(7200);
	ok(strstr(shown(&status_command, "8", NULL), " 2h ") != NULL);
	it_is(9 * 86400);
	ok(strstr(shown(&status_command, "8", NULL), " 9d ") != NULL);
	it_is(-5);
	ok(strstr(shown(&status_command, "8", NULL), " 0s ") != NULL);
	unlinkat(scratch_fd, "status/.paneward/8.json", 0);
}

TEST(an_unknown_issue_is_named_and_the_others_are_shown) {
	it_is(3);
	is_text(shown(&status_command, "10", "77", NULL),
	    "10  complete  3s  it is so\n");
	is_number(shown_exit, 1);
	ok(strstr(scratch_text("err"), "nothing is known of issue '77' in '") !=
	    NULL);
	is_text(shown(&status_command, "a/b", NULL), "");
	is_number(shown_exit, 2);
}

TEST(a_damaged_record_is_named) {
	scratch_write("status/.paneward/7.json", "{");
	is_text(shown(&status_command, "7", NULL), "");
	is_number(shown_exit, 1);
	ok(strstr(scratch_text("err"), "cannot read the status record of issue "
	    "'7' in '") != NULL);
	unlinkat(scratch_fd, "status/.paneward/7.json", 0);
}

TEST(json_says_since_when_it_is_unwatched) {
	ok(strstr(shown(&status_command, "--json", "9", NULL),
	    ",\"unwatched\":\"2026-01-31T12:00:00.000Z\",") != NULL);
	ok(strstr(shown(&status_command, "--json", "10", NULL),
	    ",\"unwatched\":null,") != NULL);
}

TEST(the_status_bar_has_a_number_for_each_state) {
	shown_record("11", "complete", "");
	is_text(shown(&status_command, "--tmux", NULL), "2 complete 1 error\n");
}

TEST(an_end_that_was_not_judged_is_unknown) {
	it_is(120);
	shown_record("12", "working", ",\"boot\":\"another\",\"tmux\":"
	    "{\"socket\":\"/none\",\"server\":1,\"pane\":\"%1\"}");
	is_text(shown(&status_command, "12", NULL),
	    "12  unknown  2m  %1  the machine was restarted; not judged "
	    "yet, 'paneward sweep' does that; not watched since 12:00\n");
	shown_record("12", "complete", ",\"boot\":\"another\",\"tmux\":"
	    "{\"socket\":\"/none\",\"server\":1,\"pane\":\"%1\"}");
	is_text(shown(&status_command, "12", NULL),
	    "12  complete  2m  %1  it is so\n");
}

TEST(nothing_is_said_without_a_status_directory) {
	ok(renameat(scratch_fd, "status", scratch_fd, "away") == 0);
	is_text(shown(&status_command, NULL), "");
	is_number(shown_exit, 0);
	ok(!scratch_there("status"));
}

BEFORE_TESTS {
	setenv("TZ", "UTC", 1);
}

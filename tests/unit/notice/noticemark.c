#include "notice/notice.h"

#include "scratch.h"

static struct noticemark mark;          /* of the last read_mark() */

static const char *
read_mark(const char *episode)
{
	argv_free(mark.lines);
	noticemark_read(&mark, scratch_fd, "42", episode);
	return mark.word;
}

static void
add(const char *episode, const char *word, const char *way)
{
	is_number(noticemark_add(scratch_fd, "42", episode, word, way), 0);
}

static void
begin(const char *episode, const char *word, const struct noticemark *before)
{
	is_number(noticemark_begin(scratch_fd, "42", episode, word, before), 0);
}

TEST(without_a_file_nothing_was_tried) {
	is_text(read_mark("run-1"), "");
	ok(!noticemark_has(&mark, "sent", "bell"));
	add("run-1", "sent", NULL);
	ok(scratch_text("42.notice") == NULL);
}

TEST(each_way_has_a_line) {
	begin("run-1", "begun", NULL);
	is_text(read_mark("run-1"), "begun");
	ok(mark.since > 0);
	add("run-1", "sent", "bell");
	add("run-1", "failed", "ntfy-1a2b3c4d");
	is_text(read_mark("run-1"), "begun");
	ok(noticemark_has(&mark, "sent", "bell"));
	ok(!noticemark_has(&mark, "sent", "bel"));
	ok(!noticemark_has(&mark, "sent", "ntfy-1a2b3c4d"));
	ok(noticemark_has(&mark, "failed", "ntfy-1a2b3c4d"));
	add("run-1", "failed", NULL);
	is_text(read_mark("run-1"), "failed");
}

TEST(the_next_try_knows_of_the_ways) {
	begin("run-1", "begun", NULL);
	add("run-1", "sent", "bell");
	add("run-1", "failed", "osc");
	add("run-1", "failed", NULL);
	read_mark("run-1");
	begin("run-1", "begun", &mark);
	add("run-1", "failed", "osc");
	read_mark("run-1");
	begin("run-1", "begun", &mark);
	is_text(scratch_text("42.notice"), "run-1 sent bell\nrun-1 failed osc\n"
	    "run-1 begun\n");
	is_text(read_mark("run-1"), "begun");
	begin("run-1", "again", NULL);
	is_text(scratch_text("42.notice"), "run-1 again\n");
}

TEST(lines_of_another_episode_do_not_count) {
	begin("run-1", "begun", NULL);
	begin("run-2", "begun", NULL);
	add("run-1", "sent", "bell");
	add("run-1", "sent", NULL);
	is_text(read_mark("run-2"), "begun");
	ok(!noticemark_has(&mark, "sent", "bell"));
	is_text(read_mark("run"), "");
	is_text(read_mark("run-22"), "");
}

TEST(a_line_that_was_cut_short_does_not_count) {
	scratch_write("42.notice", "run-1 begun\nrun-1 sent bell\nrun-1 sent");
	is_text(read_mark("run-1"), "begun");
	ok(noticemark_has(&mark, "sent", "bell"));
}

TEST(no_line_goes_through_a_link) {
	scratch_write("other", "");
	unlink(scratch_path("42.notice"));
	ok(symlinkat("other", scratch_fd, "42.notice") == 0);
	is_number(noticemark_add(scratch_fd, "42", "run-1", "sent", NULL), -1);
	is_text(scratch_text("other"), "");
	is_text(read_mark("run-1"), "");
}

AFTER_TESTS {
	argv_free(mark.lines);
}

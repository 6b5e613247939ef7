#include "setup/linediff.h"

#include "tap.h"

static void
check(const char *before, const char *after, const char *want)
{
	struct buf a = BUF_INIT, b = BUF_INIT, out = BUF_INIT;

	if (before != NULL)
		buf_adds(&a, before);
	if (after != NULL)
		buf_adds(&b, after);
	linediff(&out, "f", before ? &a : NULL, after ? &b : NULL);
	is_text(buf_str(&out), want);
	buf_release(&a);
	buf_release(&b);
	buf_release(&out);
}

static void
the_same_text_shows_nothing(void)
{
	check("", "", "");
	check("a\nb", "a\nb", "");
}

static void
a_change_is_shown_with_three_lines_around_it(void)
{
	check("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n",
	    "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n");
}

static void
changes_far_from_each_other_are_shown_apart(void)
{
	check("a\n1\n2\n3\n4\n5\n6\n7\n8\nb\n",
	    "1\n2\n3\n4\n5\n6\n7\n8\nb\nc\n",
	    "--- f\n+++ f\n@@ -1,4 +1,3 @@\n-a\n 1\n 2\n 3\n"
	    "@@ -8,3 +7,4 @@\n 7\n 8\n b\n+c\n");
	check("a\n1\n2\n", "b\n1\n2\nc\n",
	    "--- f\n+++ f\n@@ -1,3 +1,4 @@\n-a\n+b\n 1\n 2\n+c\n");
}

static void
a_file_that_is_not_there_is_named_so(void)
{
	check(NULL, "a\n", "--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
	check("a\n", NULL, "--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
}

static void
a_missing_line_feed_is_told(void)
{
	check("a", "a\n", "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n"
	    "\\ No newline at end of file\n+a\n");
}

static void
control_bytes_are_escaped_and_tabs_are_not(void)
{
	check("", "\t\033[1m\ta\r\n",
	    "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+\t\\x1b[1m\ta\\x0d\n");
}

int
main(void)
{
	TEST(the_same_text_shows_nothing);
	TEST(a_change_is_shown_with_three_lines_around_it);
	TEST(changes_far_from_each_other_are_shown_apart);
	TEST(a_file_that_is_not_there_is_named_so);
	TEST(a_missing_line_feed_is_told);
	TEST(control_bytes_are_escaped_and_tabs_are_not);
	return tap_done();
}

#include "marker/marker.h"

#include "tap.h"

static struct marker_set set;
static struct fence fence;
static struct buf message;

static void
begin(void)
{
	ok(marker_set_init(&set, "7", "0badcafe-0000-4000-8000-000000000000",
	    NULL) == 0);
	fence = (struct fence){ 0 };
	buf_reset(&message);
}

static struct marker_hits
piece(const char *text)
{
	return marker_source(&set, text, strlen(text), &fence, &message);
}

static struct marker_hits
whole(const char *text)
{
	begin();
	return piece(text);
}

#define DONE "###TASK_COMPLETE_7###"
#define FAILED "###TASK_ERROR_7###"

TEST(a_marker_on_a_line_of_its_own_counts) {
	is_number(whole(DONE).complete, 1);
	is_number(whole("All done.\n\n" DONE "\n\nBye.\n").complete, 1);
	is_number(whole("All done.\r\n" DONE "\r\n").complete, 1);
	is_number(whole("   " DONE).complete, 1);
	is_number(whole("**" DONE "**").complete, 1);
	is_number(whole("").complete, 0);
	is_number(whole("\n\n\n").complete, 0);
}

TEST(with_a_word_behind_it_a_marker_is_none) {
	static const char *const behind[] = { " foo", "  foo", "foo", " #x",
	    ", then I stop.", "\tas asked" };
	char line[80];
	size_t i;

	for (i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
		snprintf(line, sizeof(line), DONE "%s\n", behind[i]);
		is_number(whole(line).complete, 0);
		snprintf(line, sizeof(line), FAILED "%s\n", behind[i]);
		is_number(whole(line).error, 0);
	}
	is_number(whole(DONE " !\n").complete, 1);
	is_number(whole(DONE "  \nfoo").complete, 1);
}

TEST(lines_count_and_not_markers) {
	is_number(whole(DONE "###COMPLETE_TASK_7###\n" DONE "\n").complete, 2);
}

TEST(a_fence_hides_what_is_in_it) {
	is_number(whole("```\n" DONE "\n```\n").complete, 0);
	is_number(whole("~~~sh\n" DONE "\n~~~\n" DONE "\n").complete, 1);
	is_number(whole("````\n```\n" DONE "\n```\n" DONE "\n````\n").complete,
	    0);
	is_number(whole("```\n" DONE "\n").complete, 0);
	is_number(fence.mark, '`');
	is_number(fence.len, 3);
}

TEST(a_fence_goes_on_in_the_next_piece) {
	begin();
	is_number(piece("So:\n````sh\n").complete, 0);
	is_number(piece(DONE "\n```\n").complete, 0);
	is_number(fence.len, 4);
	is_number(piece(DONE "\n````\n").complete, 0);
	is_number(fence.mark, 0);
	is_number(piece(DONE "\n").complete, 1);
}

TEST(what_is_only_shown_does_not_count) {
	static const char *const texts[] = {
		"- " DONE, "* " DONE, "+\t" DONE, "  - " DONE, "1. " DONE,
		"12) " DONE, "> " DONE, ">" DONE, "  > " DONE,
		"    " DONE, "\t" DONE, "  \t" DONE, "`" DONE "`",
		"print " DONE, "\"" DONE "\"", "\u4e86" DONE,
		"\u4e86\u3000" DONE, DONE "\u3067\u3059",
		DONE " \u2705 \u7d42",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		is_text(whole(texts[i]).complete ? texts[i] : "", "");
}

TEST(what_only_looks_like_a_list_counts) {
	is_number(whole("-" DONE).complete, 1);
	is_number(whole("1." DONE).complete, 1);
	is_number(whole("*" DONE "*").complete, 1);
	is_number(whole("\u4e86\uff1a" DONE "\u3002").complete, 1);
	is_number(whole(DONE " \u2705 \xe7\xb5").complete, 1);
}

TEST(an_error_has_the_next_line_as_its_message) {
	is_number(whole(FAILED "\n no disk \nmore\n").error, 1);
	is_text(buf_str(&message), "no disk");
	is_number(whole(FAILED "\n```\n" FAILED "\n").error, 1);
	is_text(buf_str(&message), "```");
	is_number(whole(FAILED "\nfirst\n" FAILED "\nlast\n").error, 2);
	is_text(buf_str(&message), "last");
	is_number(whole(FAILED).error, 1);
	is_text(buf_str(&message), "Unknown error");
	is_number(whole(FAILED "\n\n").error, 1);
	is_text(buf_str(&message), "Unknown error");
	is_number(whole("nothing\nat all\n").error, 0);
	is_text(buf_str(&message), "");
}

TEST(a_message_is_not_needed) {
	begin();
	is_number(marker_source(&set, FAILED "\nx", strlen(FAILED "\nx"),
	    &fence, NULL).error, 1);
}

TEST(bound_markers_are_told_apart) {
	struct marker_hits h = whole("###TASK_COMPLETE_7:0badcafe###\n"
	    "###TASK_ERROR_7:0badcafe###\nx\n###TASK_COMPLETE_7:12345678###\n");

	is_number(h.complete, 1);
	is_number(h.bound_complete, 1);
	is_number(h.error, 1);
	is_number(h.bound_error, 1);
	is_number(h.stale, 1);
}

TEST(other_issues_are_nothing_to_us) {
	struct marker_hits h = whole("###TASK_COMPLETE_70###\n"
	    "###TASK_COMPLETE_8###\n###PHASE_COMPLETE_7###\n");

	is_number(h.complete + h.error + h.stale, 0);
}

TEST(nul_ends_nothing) {
	static const char text[] = "a\0b\n" DONE "\n\0";

	begin();
	is_number(marker_source(&set, text, sizeof(text) - 1, &fence,
	    &message).complete, 1);
}

AFTER_TESTS {
	buf_release(&message);
}

#include "marker/marker.h"

#include "tap.h"

static struct marker_set set;
static struct fence fence;
static struct buf message;

static struct marker_hits
piece(const char *text)
{
	return marker_source(&set, text, strlen(text), &fence, &message);
}

static struct marker_hits
whole(const char *text)
{
	fence = (struct fence){ 0 };
	buf_reset(&message);
	return piece(text);
}

#define DONE "###TASK_COMPLETE_7###"
#define FAILED "###TASK_ERROR_7###"

TEST(a_marker_on_a_line_of_its_own_counts_unless_it_is_only_shown) {
	static const struct { const char *text; unsigned complete; } rows[] = {
		{ DONE, 1 }, { "All done.\n\n" DONE "\n\nBye.\n", 1 },
		{ "All done.\r\n" DONE "\r\n", 1 }, { "   " DONE, 1 },
		{ "**" DONE "**", 1 }, { "", 0 }, { "\n\n\n", 0 },
		{ DONE " !\n", 1 }, { DONE "  \nfoo", 1 },
		/* Lines count, and not markers. */
		{ DONE "###COMPLETE_TASK_7###\n" DONE "\n", 2 },
		{ "```\n" DONE "\n```\n", 0 }, { "```\n" DONE "\n", 0 },
		{ "~~~sh\n" DONE "\n~~~\n" DONE "\n", 1 },
		{ "````\n```\n" DONE "\n```\n" DONE "\n````\n", 0 },
		{ "- " DONE, 0 }, { "* " DONE, 0 }, { "+\t" DONE, 0 },
		{ "  - " DONE, 0 }, { "1. " DONE, 0 }, { "12) " DONE, 0 },
		{ "> " DONE, 0 }, { ">" DONE, 0 }, { "  > " DONE, 0 },
		{ "    " DONE, 0 }, { "\t" DONE, 0 }, { "  \t" DONE, 0 },
		{ "`" DONE "`", 0 }, { "print " DONE, 0 },
		{ "\"" DONE "\"", 0 }, { "\u4e86" DONE, 0 },
		{ "\u4e86\u3000" DONE, 0 }, { DONE "\u3067\u3059", 0 },
		{ DONE " \u2705 \u7d42", 0 },
		/* What only looks like a list counts. */
		{ "-" DONE, 1 }, { "1." DONE, 1 }, { "*" DONE "*", 1 },
		{ "\u4e86\uff1a" DONE "\u3002", 1 },
		{ DONE " \u2705 \xe7\xb5", 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].text);
		is_number(whole(rows[i].text).complete, rows[i].complete);
	}
}

TEST(with_a_word_behind_it_a_marker_is_none) {
	static const char *const behind[] = { " foo", "  foo", "foo", " #x",
	    ", then I stop.", "\tas asked" };
	char line[80];
	size_t i;

	for (i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
		ROW("%s", behind[i]);
		snprintf(line, sizeof(line), DONE "%s\n", behind[i]);
		is_number(whole(line).complete, 0);
		snprintf(line, sizeof(line), FAILED "%s\n", behind[i]);
		is_number(whole(line).error, 0);
	}
}

TEST(a_fence_goes_on_in_the_next_piece) {
	is_number(whole("So:\n````sh\n").complete, 0);
	is_number(piece(DONE "\n```\n").complete, 0);
	ok(fence.mark == '`' && fence.len == 4);
	is_number(piece(DONE "\n````\n").complete, 0);
	is_number(fence.mark, 0);
	is_number(piece(DONE "\n").complete, 1);
}

TEST(an_error_has_the_next_line_as_its_message) {
	static const struct {
		const char *text;
		unsigned error;
		const char *message;
	} rows[] = {
		{ FAILED "\n no disk \nmore\n", 1, "no disk" },
		{ FAILED "\n```\n" FAILED "\n", 1, "```" },
		{ FAILED "\nfirst\n" FAILED "\nlast\n", 2, "last" },
		{ FAILED, 1, "Unknown error" },
		{ FAILED "\n\n", 1, "Unknown error" },
		{ "nothing\nat all\n", 0, "" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].text);
		is_number(whole(rows[i].text).error, rows[i].error);
		is_text(buf_str(&message), rows[i].message);
	}
	fence = (struct fence){ 0 };
	is_number(marker_source(&set, FAILED "\nx", strlen(FAILED "\nx"),
	    &fence, NULL).error, 1);
}

TEST(bound_markers_and_those_of_other_issues_are_told_apart) {
	struct marker_hits h = whole("###TASK_COMPLETE_7:0badcafe###\n"
	    "###TASK_ERROR_7:0badcafe###\nx\n###TASK_COMPLETE_7:12345678###\n");

	ok(h.complete == 1 && h.bound_complete == 1);
	ok(h.error == 1 && h.bound_error == 1 && h.stale == 1);
	h = whole("###TASK_COMPLETE_70###\n###TASK_COMPLETE_8###\n"
	    "###PHASE_COMPLETE_7###\n");
	ok(h.complete + h.error + h.stale == 0);
}

TEST(nul_ends_nothing) {
	static const char text[] = "a\0b\n" DONE "\n\0";

	fence = (struct fence){ 0 };
	is_number(marker_source(&set, text, sizeof(text) - 1, &fence,
	    &message).complete, 1);
}

BEFORE_TESTS {
	ok(marker_set_init(&set, "7", "0badcafe-0000-4000-8000-000000000000",
	    NULL) == 0);
}

AFTER_TESTS {
	buf_release(&message);
}

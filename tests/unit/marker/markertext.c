#include "marker/marker.h"

#include "base/alloc.h"
#include "tap.h"

#define RUN "0badcafe-0000-4000-8000-000000000000"

static struct marker_set set;             /* of issue 7 */
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
	static const struct { const char *text; unsigned hits; } rows[] = {
		{ DONE, 1 }, { "All done.\n\n" DONE "\n\nBye.\n", 1 },
		{ "All done.\r\n" DONE "\r\n", 1 }, { "   " DONE, 1 },
		{ "**" DONE "**", 1 }, { "", 0 }, { "\n\n\n", 0 },
		{ DONE " !\n", 1 }, { DONE "  \nfoo", 1 },
		/* With a word behind it a marker is none. */
		{ DONE " foo", 0 }, { DONE "  foo", 0 }, { DONE "foo", 0 },
		{ DONE " #x", 0 }, { DONE ", then I stop.", 0 },
		{ DONE "\tas asked", 0 }, { FAILED " foo", 0 },
		{ FAILED "foo", 0 }, { FAILED "\tas asked", 0 },
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
	struct marker_hits hits;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].text);
		hits = whole(rows[i].text);
		is_number(hits.complete + hits.error, rows[i].hits);
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

/* ---- a capture ----------------------------------------------------------- */

static struct marker_hits
window_n(const char *text, size_t len, const char *custom)
{
	struct marker_set of;

	ok(marker_set_init(&of, "7", RUN, custom) == 0);
	buf_reset(&message);
	return marker_window(&of, text, len, &message);
}

static struct marker_hits
window(const char *text)
{
	return window_n(text, strlen(text), NULL);
}

TEST(lines_count_where_no_fence_is) {
	struct marker_hits hits = window(DONE "\n"
	    "###TASK_ERROR_7:0badcafe###\r\n\033[1mno disk\n"
	    "###ERROR_TASK_7:12345678###");

	ok(hits.complete == 1 && hits.error == 1);
	ok(hits.bound_error == 1 && hits.stale == 1);
	is_text(buf_str(&message), "no disk");
	hits = window_n(NULL, 0, NULL);
	ok(hits.complete + hits.error + hits.stale == 0 && message.len == 0);
}

TEST(a_marker_counts_if_it_does_so_in_all_readings) {
	static const struct { const char *text; unsigned complete; } rows[] = {
		{ DONE "\n```\n", 0 }, { "```\n" DONE "\n", 0 },
		{ DONE "\n```sh\n", 1 }, { DONE "\n~~~\n", 0 },
		{ DONE "\n- ```\n", 1 },
		{ "```\nx\n```sh\ny\n```\n" DONE "\n", 1 },
		{ "```\nx\n```sh\ny\n```\n~~~\n" DONE "\n", 0 },
		/* A wrapped one counts on its first line. */
		{ "  ###T\n   ASK_COMPLETE_7###\n", 1 },
		{ "  ###\n   TASK_COMPLETE_7###\n", 0 },
		{ "x ###TASK_COMPLETE_7##\t \n#\n", 0 },
		{ "x: ###TASK_COMPLETE_7##\t \n#\n", 1 },
		{ "'###TASK_\nCOMPLETE_7###\n", 0 },
		{ "###TASK_\nCOMPLETE_7###'\n", 0 },
		{ "###TASK_\n\nCOMPLETE_7###\n", 0 },
		{ "\342\224\203 ###TASK_\342\224\202\n"
		    "\342\224\202COMPLETE_7###\342\224\202\n", 1 },
		{ "> ###TASK_\n> COMPLETE_7###\n", 0 },
		/* A line counts once, wrapped or not. */
		{ DONE " ###TASK_\nCOMPLETE_7### " DONE "\n", 2 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].text);
		is_number(window(rows[i].text).complete, rows[i].complete);
	}
}

TEST(a_wrapped_custom_marker_is_cut_behind_four_characters) {
	static const char marker[] = "\345\256\214\344\272\206"
	    "\345\256\214\344\272\206\345\256\214";
	char text[sizeof(marker) + 1];
	size_t i;

	for (i = 3; i < sizeof(marker) - 1; i += 3) {
		snprintf(text, sizeof(text), "%.*s\n%s", (int)i, marker,
		    marker + i);
		is_number(window_n(text, strlen(text), marker).complete,
		    i >= 4 * 3);
	}
}

TEST(the_message_of_a_wrapped_error_is_behind_both_lines) {
	is_number(window("###TASK_ERR\nOR_7###\n  no disk\n").error, 1);
	is_text(buf_str(&message), "no disk");
	is_number(window("###TASK_ERR\nOR_7###").error, 1);
	is_text(buf_str(&message), "Unknown error");
	is_number(window("###TASK_ERROR_7###").error, 1);
	is_text(buf_str(&message), "Unknown error");
}

TEST(of_a_large_window_the_end_is_looked_at) {
	const size_t len = 2 * MARKER_WINDOW_MAX;
	static const char marker[] = "\n###TASK_COMPLETE_7###\n";
	char *text = xmalloc(len);

	memset(text, 'x', len);
	memcpy(text, marker, sizeof(marker) - 1);
	is_number(window_n(text, len, NULL).complete, 0);
	memcpy(text + len - sizeof(marker), marker, sizeof(marker) - 1);
	is_number(window_n(text, len, NULL).complete, 1);
	free(text);
}

BEFORE_TESTS {
	ok(marker_set_init(&set, "7", RUN, NULL) == 0);
}

AFTER_TESTS {
	buf_release(&message);
}

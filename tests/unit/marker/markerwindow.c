#include "marker/marker.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "tap.h"

static const char RUN[] = "0123abcd-1111-4222-8333-444444444444";

static struct buf message;

static struct marker_hits
window_n(const char *text, size_t len, const char *custom)
{
	struct marker_set set;

	ok(marker_set_init(&set, "20", RUN, custom) == 0);
	buf_reset(&message);
	return marker_window(&set, text, len, &message);
}

static struct marker_hits
window(const char *text)
{
	return window_n(text, strlen(text), NULL);
}

#define DONE "###TASK_COMPLETE_20###\n"

TEST(lines_count_where_no_fence_is) {
	struct marker_hits hits = window(DONE
	    "###TASK_ERROR_20:0123abcd###\r\n\033[1mno disk\n"
	    "###ERROR_TASK_20:12345678###");

	ok(hits.complete == 1 && hits.error == 1);
	ok(hits.bound_error == 1 && hits.stale == 1);
	is_text(buf_str(&message), "no disk");
	hits = window_n(NULL, 0, NULL);
	ok(hits.complete + hits.error + hits.stale == 0 && message.len == 0);
}

TEST(a_marker_counts_if_it_does_so_in_all_readings) {
	static const struct { const char *text; unsigned complete; } rows[] = {
		{ DONE "```\n", 0 }, { "```\n" DONE, 0 }, { DONE "```sh\n", 1 },
		{ DONE "~~~\n", 0 }, { DONE "- ```\n", 1 },
		{ "```\nx\n```sh\ny\n```\n" DONE, 1 },
		{ "```\nx\n```sh\ny\n```\n~~~\n" DONE, 0 },
		/* A wrapped one counts on its first line. */
		{ "  ###T\n   ASK_COMPLETE_20###\n", 1 },
		{ "  ###\n   TASK_COMPLETE_20###\n", 0 },
		{ "x ###TASK_COMPLETE_20##\t \n#\n", 0 },
		{ "x: ###TASK_COMPLETE_20##\t \n#\n", 1 },
		{ "'###TASK_\nCOMPLETE_20###\n", 0 },
		{ "###TASK_\nCOMPLETE_20###'\n", 0 },
		{ "###TASK_\n\nCOMPLETE_20###\n", 0 },
		{ "\342\224\203 ###TASK_\342\224\202\n"
		    "\342\224\202COMPLETE_20###\342\224\202\n", 1 },
		{ "> ###TASK_\n> COMPLETE_20###\n", 0 },
		/* A line counts once, wrapped or not. */
		{ "###TASK_COMPLETE_20### ###TASK_\nCOMPLETE_20### " DONE, 2 },
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
	is_number(window("###TASK_ERR\nOR_20###\n  no disk\n").error, 1);
	is_text(buf_str(&message), "no disk");
	is_number(window("###TASK_ERR\nOR_20###").error, 1);
	is_text(buf_str(&message), "Unknown error");
	is_number(window("###TASK_ERROR_20###").error, 1);
	is_text(buf_str(&message), "Unknown error");
}

TEST(of_a_large_window_the_end_is_looked_at) {
	const size_t len = 2 * MARKER_WINDOW_MAX;
	static const char marker[] = "\n###TASK_COMPLETE_20###\n";
	char *text = xmalloc(len);

	memset(text, 'x', len);
	memcpy(text, marker, sizeof(marker) - 1);
	is_number(window_n(text, len, NULL).complete, 0);
	memcpy(text + len - sizeof(marker), marker, sizeof(marker) - 1);
	is_number(window_n(text, len, NULL).complete, 1);
	free(text);
}

AFTER_TESTS {
	buf_release(&message);
}

#include "marker/marker.h"

#include "base/alloc.h"
#include "tap.h"
#include "unit/fixture.h"

#define RUN "0badcafe-0000-4000-8000-000000000000"

static struct marker_set set;             /* of issue 7 */
static struct buf message;

/* "2 1 1: no disk": complete and error, bound and stale markers if there are
 * any, and a message. */
static const char *
told(const struct marker_hits *h)
{
	static char text[300];
	int n = snprintf(text, sizeof(text), "%u %u", h->complete, h->error);

	if (h->bound_complete + h->bound_error + h->stale > 0)
		n += snprintf(text + n, 40, " bound %u %u stale %u",
		    h->bound_complete, h->bound_error, h->stale);
	if (message.len > 0)
		snprintf(text + n, 250, ": %s", buf_str(&message));
	return text;
}

/* hooks.t shows pieces. */
static const char *
whole(const char *text)
{
	struct fence fence = { 0 };
	struct marker_hits h;

	buf_reset(&message);
	h = marker_source(&set, text, strlen(text), &fence, &message);
	return told(&h);
}

static const char *
window_n(const char *text, size_t len, const char *custom)
{
	struct marker_set of;
	struct marker_hits h;

	ok(marker_set_init(&of, "7", RUN, custom) == 0);
	buf_reset(&message);
	h = marker_window(&of, text, len, &message);
	return told(&h);
}

static const char *
window(const char *text)
{
	return window_n(text, strlen(text), NULL);
}

/* So is each of these texts. */
static void
texts_are(const char *(*read)(const char *), const char *want,
    const char *const *text)
{
	for (; *text != NULL; text++) {
		ROW("%s", *text);
		is_text(read(*text), want);
	}
}

#define ARE(read, want, ...) \
	texts_are((read), (want), (const char *const[]){ __VA_ARGS__, NULL })
#define DONE "###TASK_COMPLETE_7###"
#define FAILED "###TASK_ERROR_7###"

TEST(a_marker_on_a_line_of_its_own_counts_unless_it_is_only_shown) {
	ARE(whole, "1 0", DONE, "All done.\n\n" DONE "\n\nBye.\n",
	    "All done.\r\n" DONE "\r\n", "   " DONE, "**" DONE "**",
	    DONE " !\n", DONE "  \nfoo", "~~~sh\n" DONE "\n~~~\n" DONE "\n",
	    /* A line that only looks like a list counts. */
	    "-" DONE, "1." DONE, "*" DONE "*", "\u4e86\uff1a" DONE "\u3002",
	    DONE " \u2705 \xe7\xb5");
	ARE(whole, "0 0", "", "\n\n\n",
	    /* With a word behind it a marker is none. */
	    DONE " foo", DONE "  foo", DONE "foo", DONE " #x",
	    DONE ", then I stop.", DONE "\tas asked", FAILED " foo",
	    FAILED "foo", FAILED "\tas asked",
	    "```\n" DONE "\n```\n", "```\n" DONE "\n",
	    "````\n```\n" DONE "\n```\n" DONE "\n````\n",
	    "- " DONE, "* " DONE, "+\t" DONE, "  - " DONE, "1. " DONE,
	    "12) " DONE, "> " DONE, ">" DONE, "  > " DONE, "    " DONE,
	    "\t" DONE, "  \t" DONE, "`" DONE "`", "print " DONE,
	    "\"" DONE "\"", "\u4e86" DONE, "\u4e86\u3000" DONE,
	    DONE "\u3067\u3059", DONE " \u2705 \u7d42",
	    "###TASK_COMPLETE_70###\n###PHASE_COMPLETE_7###\n");
	/* Lines count, and not markers. */
	is_text(whole(DONE "###COMPLETE_TASK_7###\n" DONE "\n"), "2 0");
	is_text(whole("###TASK_COMPLETE_7:0badcafe###\n"
	    "###TASK_ERROR_7:0badcafe###\nx\n"
	    "###TASK_COMPLETE_7:12345678###\n"), "1 1 bound 1 1 stale 1: x");
}

TEST(an_error_has_the_next_line_as_its_message) {
	ROWS(whole, FAILED "\n no disk \nmore\n => 0 1: no disk",
	    FAILED "\n```\n" FAILED "\n => 0 1: ```",
	    FAILED "\nfirst\n" FAILED "\nlast\n => 0 2: last",
	    FAILED " => 0 1: Unknown error",
	    FAILED "\n\n => 0 1: Unknown error");
}

/* ---- a capture ----------------------------------------------------------- */

TEST(a_line_counts_if_it_does_so_in_all_readings) {
	is_text(window(DONE "\n###TASK_ERROR_7:0badcafe###\r\n\033[1mno disk\n"
	    "###ERROR_TASK_7:12345678###"),
	    "1 1 bound 0 1 stale 1: no disk");
	is_text(window_n(NULL, 0, NULL), "0 0");
	ARE(window, "0 0", DONE "\n```\n", "```\n" DONE "\n",
	    DONE "\n~~~\n", "```\nx\n```sh\ny\n```\n~~~\n" DONE "\n",
	    "  ###\n   TASK_COMPLETE_7###\n",
	    "x ###TASK_COMPLETE_7##\t \n#\n", "'###TASK_\nCOMPLETE_7###\n",
	    "###TASK_\nCOMPLETE_7###'\n", "###TASK_\n\nCOMPLETE_7###\n",
	    "> ###TASK_\n> COMPLETE_7###\n");
	ARE(window, "1 0", DONE "\n```sh\n", DONE "\n- ```\n",
	    "```\nx\n```sh\ny\n```\n" DONE "\n",
	    /* A wrapped one counts on its first line. */
	    "  ###T\n   ASK_COMPLETE_7###\n",
	    "x: ###TASK_COMPLETE_7##\t \n#\n",
	    "\342\224\203 ###TASK_\342\224\202\n"
	    "\342\224\202COMPLETE_7###\342\224\202\n");
	/* A line counts once, wrapped or not. */
	is_text(window(DONE " ###TASK_\nCOMPLETE_7### " DONE "\n"), "2 0");
	/* The message is behind both lines. */
	ROWS(window, "###TASK_ERR\nOR_7###\n  no disk\n => 0 1: no disk",
	    "###TASK_ERR\nOR_7### => 0 1: Unknown error",
	    "###TASK_ERROR_7### => 0 1: Unknown error");
}

TEST(a_wrapped_custom_marker_is_cut_behind_four_characters) {
	static const char marker[] = "\345\256\214\344\272\206"
	    "\345\256\214\344\272\206\345\256\214";
	char text[sizeof(marker) + 1];
	size_t i;

	for (i = 3; i < sizeof(marker) - 1; i += 3) {
		snprintf(text, sizeof(text), "%.*s\n%s", (int)i, marker,
		    marker + i);
		is_text(window_n(text, strlen(text), marker),
		    i >= 4 * 3 ? "1 0" : "0 0");
	}
}

TEST(of_a_large_window_the_end_is_looked_at) {
	const size_t len = 2 * MARKER_WINDOW_MAX;
	static const char marker[] = "\n###TASK_COMPLETE_7###\n";
	char *text = xmalloc(len);

	memset(text, 'x', len);
	memcpy(text, marker, sizeof(marker) - 1);
	is_text(window_n(text, len, NULL), "0 0");
	memcpy(text + len - sizeof(marker), marker, sizeof(marker) - 1);
	is_text(window_n(text, len, NULL), "1 0");
	free(text);
}

BEFORE_TESTS {
	ok(marker_set_init(&set, "7", RUN, NULL) == 0);
}

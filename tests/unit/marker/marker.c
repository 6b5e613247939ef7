/*
 * What the vectors can say in one piece is in tests/cases/markers.t; here are
 * those that grow, and all that is asked of an unfinished stream.
 */
#include "marker/marker.h"

#include <fcntl.h>

#include "data/json.h"
#include "os/file.h"
#include "story.h"

static struct marker_scan *scan;

static void
begin_with(const char *issue, const char *custom,
    const struct marker_state *from)
{
	struct marker_set set;

	ok(marker_set_init(&set, issue, "0123abcd-1111-4222-8333-444444444444",
	    custom) == 0);
	marker_scan_free(scan);
	scan = marker_scan_new(&set, from);
}

static void
begin(void)
{
	begin_with("7", NULL, NULL);
}

static void
feed(const char *text)
{
	marker_scan_feed(scan, text, strlen(text));
}

static void
feed_many(const char *text, size_t times)
{
	while (times-- > 0)
		feed(text);
}

/* "+TEXT" is fed, "*TEXT" until it fills a line thrice; "early 1 0" and "ended
 * 1 0" are the hits; "waits", "settled"; "says MESSAGE"; "for MARKER" begins
 * anew. */
static bool
step(const char *word)
{
	struct marker_hits hits;
	struct buf got = BUF_INIT;

	if (*word == '+') {
		feed(word + 1);
		return true;
	} else if (*word == '*') {
		feed_many(word + 1, 3 * VT_LINE_MAX);
		return true;
	} else if (strncmp(word, "for ", 4) == 0) {
		begin_with("7", word + 4, NULL);
		return true;
	} else if (*word == 'e') {
		hits = marker_scan_hits(scan, word[1] == 'n');
		buf_printf(&got, "%.6s%u %u", word, hits.complete, hits.error);
	} else if (strncmp(word, "says ", 5) == 0) {
		buf_adds(&got, "says ");
		marker_scan_message(scan, &got);
	} else {
		buf_adds(&got, marker_scan_waits(scan) ? "waits" : "settled");
	}
	is_text(buf_str(&got), word);
	buf_release(&got);
	return true;
}

#define DONE "###TASK_COMPLETE_7###"
#define FAILED "###TASK_ERROR_7###"

/* One log that grows; what is new is counted at the end of each step. */
static void
run_sequence(const struct json *sequence)
{
	struct buf log = BUF_INIT;
	struct marker_hits before = { .complete = 0 }, hits;
	const struct json *each, *expect;
	char issue[32];
	bool cut;

	snprintf(issue, sizeof(issue), "%d",
	    (int)json_number(sequence, "issue", 0));
	begin_with(issue, json_text(sequence, "marker"), NULL);
	json_each(each, json_member(sequence, "steps")) {
		cut = json_true(each, "truncate");
		if (cut)
			buf_reset(&log);
		if (cut || json_true(each, "restart")) {
			begin_with(issue, json_text(sequence, "marker"), NULL);
			before = (struct marker_hits){ .complete = 0 };
			feed(buf_str(&log));
		}
		buf_adds(&log, json_text(each, "append"));
		feed(json_text(each, "append"));
		hits = marker_scan_hits(scan, true);
		expect = json_member(each, "expect_new");
		is_number(hits.complete - before.complete,
		    json_number(expect, "complete", -1));
		is_number(hits.error - before.error,
		    json_number(expect, "error", -1));
		before = hits;
	}
	buf_release(&log);
}

TEST(the_vectors_that_grow_hold) {
	struct buf text = BUF_INIT;
	const struct json *each;
	struct json *index;

	ok(file_read(AT_FDCWD, "tests/vectors/markers/index.json", 0, &text,
	    1 << 20) == 0);
	index = json_parse(text.data, text.len, false, NULL);
	buf_release(&text);
	is_number(json_size(json_member(index, "sequences")), 9);
	json_each(each, json_member(index, "sequences"))
		run_sequence(each);
	json_free(index);
}

TEST(a_stream_that_goes_on_is_judged_at_each_step) {
	static const struct story stories[] = {
		{ "a marker counts once nothing can refuse it",
		    { "+" DONE, "early 0 0", "waits", "+\343\200", "early 0 0",
			"waits", "+\215", "early 0 0", "settled",
			"ended 0 0" } },
		{ "two blanks", { "+" DONE " ", "early 0 0", "waits", "+ ",
			"settled", "early 1 0", "+\n", "early 1 0",
			"ended 1 0" } },
		{ "what may become a fence waits", { "for > done",
			"+~~~ > done .", "early 0 0", "settled",
			"+\n~~~\n``` > done .", "ended 0 0", "+`\n",
			"early 1 0" } },
		{ "nothing counts early behind a backspace",
		    { "+" DONE "x\b", "early 0 0", "waits", "+'\n",
			"ended 0 0" } },
		{ "an unfinished line counts once",
		    { "+" DONE, "ended 1 0", "ended 1 0", "+ " FAILED,
			"ended 1 1", "+\nno disk\n", "ended 1 1",
			"says no disk" } },
		{ "a message may come later", { "+" FAILED "\n", "early 0 1",
			"waits", "says Unknown error", "+  no \033[1mdisk ",
			"waits", "says no disk", "+left\t\r\nmore\n",
			"settled", "says no disk left" } },
		{ "it is of the last error", { "+" FAILED
			"\n###ERROR_TASK_7###\n```\nx\n", "early 0 2",
			"says ```", "+```\n" FAILED "\n\nlate\n",
			"says Unknown error" } },
		{ "and anywhere in a long line",
		    { "+" FAILED "\n", "* ", "+why", "* ", "+\n",
			"says why" } },
		{ "a word refuses across any number of blanks",
		    { "+word", "* ", "+" DONE "\n", "early 0 0" } },
		{ "a long line may be a fence",
		    { "*\342\224\202 ", "+```\n" DONE "\n```",
			"*\342\224\202 ", "+\n" DONE "\n", "early 1 0" } },
	};

	TELL(stories, begin, step);
}

TEST(bound_markers_are_counted_apart) {
	struct marker_hits hits;

	begin();
	feed("###TASK_COMPLETE_7:0123abcd### " DONE "\n"
	    "###TASK_ERROR_7:0123abcd###\n"
	    "###ERROR_TASK_7:ffffffff###\n"
	    "`###ERROR_TASK_7:ffffffff###`\n" DONE "\n");
	hits = marker_scan_hits(scan, false);
	ok(hits.complete == 2 && hits.bound_complete == 1);
	ok(hits.error == 1 && hits.bound_error == 1 && hits.stale == 1);
}

TEST(a_scan_goes_on_from_a_state) {
	static const char log[] = FAILED "\n"
	    "no disk\n> ~~~~\ncode\n" DONE "\rspin\n"
	    "~~~~\n" DONE "\n\033]0;ti\ntle\n###TASK_";
	struct marker_state state;
	size_t i;

	for (i = 0; i < sizeof(log); i++) {
		begin();
		marker_scan_feed(scan, log, i);
		state = scan->begin;
		ok(state.offset <= i);
		feed(log + i);
		is_number(marker_scan_hits(scan, false).error, 1);
		begin_with("7", NULL, &state);
		feed(log + state.offset);
		step("+ERROR_7###\nlate\n");
		step("early 1 2");
		step("says late");
	}
	/* It is the beginning of the last line. */
	is_number(state.offset, sizeof(log) - sizeof("###TASK_"));
}

/* A marker behind that many bytes of a line that mostly says fill. */
static unsigned
found_in_long_line(size_t at, char fill, const char *marker)
{
	static char line[3 * VT_LINE_MAX + 80];

	memset(line, fill, sizeof(line));
	memcpy(line + at, marker, strlen(marker));
	line[sizeof(line) - 1] = '\n';
	begin();
	marker_scan_feed(scan, line, sizeof(line));
	return marker_scan_hits(scan, false).complete;
}

TEST(a_marker_is_found_anywhere_in_a_long_line) {
	size_t at;

	for (at = VT_LINE_MAX / 2 - 100; at < VT_LINE_MAX + 100; at++) {
		ROW("at %zu", at);
		is_number(found_in_long_line(at, '.', DONE), 1);
		is_number(found_in_long_line(at, '.', "'" DONE), 0);
		is_number(found_in_long_line(at, '.', DONE "\343\200\215"), 0);
		is_number(found_in_long_line(at, ' ', "a " DONE), 0);
	}
	is_number(found_in_long_line(2 * VT_LINE_MAX, ' ', DONE), 1);
}

TEST(resting_changes_nothing) {
	const char *p;

	begin();
	for (p = "```\nx\n```\n" FAILED "\r\nno \033[1mdisk\n"; *p; p++) {
		marker_scan_feed(scan, p, 1);
		marker_scan_rest(scan);
	}
	step("early 0 1");
	step("says no disk");
	marker_scan_free(NULL);
}

/*
 * What the vectors can say in one piece is in tests/cases/markers.t; here is
 * what they say of pieces, and all that is asked of an unfinished stream.
 */
#include "marker/marker.h"

#include <fcntl.h>

#include "base/alloc.h"
#include "data/json.h"
#include "os/file.h"
#include "tap.h"

#define VECTORS "tests/vectors/markers/"

static const char RUN[] = "0123abcd-1111-4222-8333-444444444444";

static struct marker_scan *scan;

static struct marker_scan *
scan_for(const char *issue, const char *custom, const struct marker_state *from)
{
	struct marker_set set;

	ok(marker_set_init(&set, issue, RUN, custom) == 0);
	return marker_scan_new(&set, from);
}

static void
begin(const char *custom, const struct marker_state *from)
{
	marker_scan_free(scan);
	scan = scan_for("7", custom, from);
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

/* "+TEXT" is fed; "early 1 0" and "ended 1 0" are the hits; "waits", "settled";
 * "says MESSAGE". */
static void
play(const char *const *step)
{
	struct buf got = BUF_INIT;
	struct marker_hits hits;

	for (; *step != NULL; step++) {
		ROW("%s", *step);
		buf_reset(&got);
		hits = marker_scan_hits(scan, **step == 'e' &&
		    (*step)[1] == 'n');
		if (**step == '+') {
			feed(*step + 1);
			continue;
		} else if (**step == 'e') {
			buf_printf(&got, "%.6s%u %u", *step, hits.complete,
			    hits.error);
		} else if (strncmp(*step, "says ", 5) == 0) {
			buf_adds(&got, "says ");
			marker_scan_message(scan, &got);
		} else {
			buf_adds(&got, marker_scan_waits(scan) ? "waits" :
			    "settled");
		}
		is_text(buf_str(&got), *step);
	}
	ROW("%s", "");
	buf_release(&got);
}

#define PLAY(...) play((const char *const[]){ __VA_ARGS__, NULL })
#define DONE "###TASK_COMPLETE_7###"
#define FAILED "###TASK_ERROR_7###"

/* ---- the vectors --------------------------------------------------------- */

/* The scan for a case or a sequence. */
static struct marker_scan *
scan_of(const struct json *c)
{
	char issue[32];

	snprintf(issue, sizeof(issue), "%d", (int)json_number(c, "issue", 0));
	return scan_for(issue, json_text(c, "marker"), NULL);
}

/* Feeds pieces of the sizes in a list, then the rest. */
static void
run_case(const struct json *c)
{
	char *path = xasprintf("%s%s", VECTORS, json_text(c, "file"));
	struct marker_scan *parts = scan_of(c), *whole = scan_of(c);
	struct marker_hits want, got;
	struct buf text = BUF_INIT;
	const struct json *size;
	size_t at = 0, n;

	ROW("%s", path);
	ok(file_read(AT_FDCWD, path, 0, &text, 1 << 20) == 0);
	marker_scan_feed(whole, text.data, text.len);
	json_each(size, json_member(c, "chunks")) {
		n = (size_t)size->number;
		if (n > text.len - at)
			n = text.len - at;
		marker_scan_feed(parts, text.data + at, n);
		at += n;
	}
	marker_scan_feed(parts, text.data + at, text.len - at);
	want = marker_scan_hits(whole, true);
	got = marker_scan_hits(parts, true);
	is_number(got.complete, want.complete);
	is_number(got.error, want.error);
	marker_scan_free(whole);
	marker_scan_free(parts);
	buf_release(&text);
	free(path);
}

/* One log that grows; what is new is counted at the end of each step. */
static void
run_sequence(const struct json *sequence)
{
	struct buf log = BUF_INIT;
	struct marker_hits before = { .complete = 0 }, hits;
	const struct json *step, *expect;

	marker_scan_free(scan);
	scan = scan_of(sequence);
	json_each(step, json_member(sequence, "steps")) {
		if (json_bool(step, "truncate", false))
			buf_reset(&log);
		if (json_bool(step, "truncate", false) ||
		    json_bool(step, "restart", false)) {
			marker_scan_free(scan);
			scan = scan_of(sequence);
			before = (struct marker_hits){ .complete = 0 };
			feed(buf_str(&log));
		}
		buf_adds(&log, json_text(step, "append"));
		feed(json_text(step, "append"));
		hits = marker_scan_hits(scan, true);
		expect = json_member(step, "expect_new");
		is_number(hits.complete - before.complete,
		    json_number(expect, "complete", -1));
		is_number(hits.error - before.error,
		    json_number(expect, "error", -1));
		before = hits;
	}
	buf_release(&log);
}

TEST(the_vectors_hold_in_pieces) {
	struct buf text = BUF_INIT;
	const struct json *each;
	struct json *index;
	unsigned cases = 0;

	ok(file_read(AT_FDCWD, VECTORS "index.json", 0, &text, 1 << 20) == 0);
	index = json_parse(text.data, text.len, false, NULL);
	buf_release(&text);
	json_each(each, json_member(index, "cases"))
		if (json_is(json_member(each, "chunks"), JSON_LIST)) {
			run_case(each);
			cases++;
		}
	is_number(cases, 5);
	is_number(json_size(json_member(index, "sequences")), 9);
	json_each(each, json_member(index, "sequences"))
		run_sequence(each);
	json_free(index);
}

/* ---- a stream that goes on ----------------------------------------------- */

TEST(a_marker_counts_once_nothing_can_refuse_it) {
	begin(NULL, NULL);
	PLAY("+" DONE, "early 0 0", "waits", "+\343\200", "early 0 0", "waits",
	    "+\215", "early 0 0", "settled", "ended 0 0");
	begin(NULL, NULL);
	PLAY("+" DONE " ", "early 0 0", "waits", "+ ", "settled", "early 1 0",
	    "+\n", "early 1 0", "ended 1 0");
	/* What may become a fence waits. */
	begin("> done", NULL);
	PLAY("+~~~ > done .", "early 0 0", "settled", "+\n~~~\n``` > done .",
	    "ended 0 0", "+`\n", "early 1 0");
	/* Nothing counts early behind a backspace. */
	begin(NULL, NULL);
	PLAY("+" DONE "x\b", "early 0 0", "waits", "+'\n", "ended 0 0");
}

TEST(an_unfinished_line_counts_once) {
	begin(NULL, NULL);
	PLAY("+" DONE, "ended 1 0", "ended 1 0", "+ " FAILED, "ended 1 1",
	    "+\nno disk\n", "ended 1 1", "says no disk");
}

TEST(the_message_is_the_line_behind_the_last_error) {
	begin(NULL, NULL);
	PLAY("+" FAILED "\n", "early 0 1", "waits", "says Unknown error",
	    "+  no \033[1mdisk ", "waits", "says no disk",
	    "+left\t\r\nmore\n", "settled", "says no disk left");
	begin(NULL, NULL);
	PLAY("+" FAILED "\n###ERROR_TASK_7###\n```\nx\n", "early 0 2",
	    "says ```", "+```\n" FAILED "\n\nlate\n", "says Unknown error");
	begin(NULL, NULL);
	feed(FAILED "\n");
	feed_many(" ", 3 * VT_LINE_MAX);
	feed("why");
	feed_many(" ", 3 * VT_LINE_MAX);
	PLAY("+\n", "says why");
}

TEST(bound_markers_are_counted_apart) {
	struct marker_hits hits;

	begin(NULL, NULL);
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
		begin(NULL, NULL);
		marker_scan_feed(scan, log, i);
		state = scan->begin;
		ok(state.offset <= i);
		begin(NULL, &state);
		feed(log + state.offset);
		PLAY("+ERROR_7###\nlate\n", "early 1 2", "says late");
	}
}

TEST(the_state_is_the_last_line_beginning) {
	const struct marker_state *state;

	begin(NULL, NULL);
	state = &scan->begin;
	feed("a\n```sh\nb\rc");
	is_number(state->offset, 10);
	ok(state->fence.mark == '`' && state->fence.len == 3);
	feed("\r");
	is_number(state->offset, 10);
	feed("\n```\n" FAILED "\n");
	is_number(state->offset, scan->now.offset);
	ok(state->fence.mark == 0 && state->want_message);
	is_number(state->hits.error, 1);
}

/* A marker behind that many bytes of a line that mostly says fill. */
static unsigned
found_in_long_line(size_t at, char fill, const char *marker)
{
	static char line[3 * VT_LINE_MAX + 80];

	memset(line, fill, sizeof(line));
	memcpy(line + at, marker, strlen(marker));
	line[sizeof(line) - 1] = '\n';
	begin(NULL, NULL);
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
	/* A word refuses across any number of blanks. */
	begin(NULL, NULL);
	feed("word");
	feed_many(" ", 3 * VT_LINE_MAX);
	PLAY("+" DONE "\n", "early 0 0");
	/* A long line may be a fence. */
	begin(NULL, NULL);
	feed_many("\342\224\202 ", VT_LINE_MAX);
	feed("```\n" DONE "\n```");
	feed_many("\342\224\202 ", VT_LINE_MAX);
	PLAY("+\n" DONE "\n", "early 1 0");
}

TEST(resting_changes_nothing) {
	const char *p;

	begin(NULL, NULL);
	for (p = "```\nx\n```\n" FAILED "\r\nno \033[1mdisk\n"; *p; p++) {
		marker_scan_feed(scan, p, 1);
		marker_scan_rest(scan);
	}
	PLAY("early 0 1", "says no disk");
	marker_scan_free(NULL);
}

AFTER_TESTS {
	marker_scan_free(scan);
}

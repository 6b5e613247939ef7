/*
 * What the vectors can say in one piece is in tests/cases/markers.t; here is
 * what they say of pieces, and all that is asked of an unfinished stream.
 */
#include "marker/marker.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "data/json.h"
#include "marker/vt.h"
#include "tap.h"

#define VECTORS "tests/vectors/markers/"

static const char RUN[] = "0123abcd-1111-4222-8333-444444444444";

static struct marker_set
set_of(const char *issue, const char *custom)
{
	struct marker_set set;

	ok(marker_set_init(&set, issue, RUN, custom) == 0);
	return set;
}

static struct marker_scan *
new_scan(void)
{
	struct marker_set set = set_of("7", NULL);

	return marker_scan_new(&set, NULL);
}

static void
feed(struct marker_scan *scan, const char *text)
{
	marker_scan_feed(scan, text, strlen(text));
}

#define is_hits(scan, unfinished, complete_, error_) do { \
	struct marker_hits hits_ = marker_scan_hits((scan), (unfinished)); \
	is_number(hits_.complete, (complete_)); \
	is_number(hits_.error, (error_)); \
} while (0)

static const char *
message_of(const struct marker_scan *scan)
{
	static struct buf message;

	buf_reset(&message);
	marker_scan_message(scan, &message);
	return buf_str(&message);
}

static void
read_file(const char *path, struct buf *text)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	ok(f != NULL);
	if (f == NULL)
		return;
	while ((n = fread(buf_room(text, BUFSIZ), 1, BUFSIZ, f)) > 0)
		text->len += n;
	fclose(f);
}

static struct json *
read_index(void)
{
	struct buf text = BUF_INIT;
	struct json *index;

	read_file(VECTORS "index.json", &text);
	index = json_parse(text.data, text.len, false, NULL);
	ok(index != NULL);
	buf_release(&text);
	return index;
}

/* Feeds the first pieces of the sizes in a list, then the rest. */
static void
feed_chunks(struct marker_scan *scan, const struct json *sizes, const struct buf *b)
{
	const struct json *size;
	size_t at = 0, n;

	json_each(size, sizes) {
		n = (size_t)size->number;
		if (n > b->len - at)
			n = b->len - at;
		marker_scan_feed(scan, b->data + at, n);
		at += n;
	}
	marker_scan_feed(scan, b->data + at, b->len - at);
}

/* The scan for a case or a sequence. */
static struct marker_scan *
scan_of(const struct json *c)
{
	char issue[32];
	struct marker_set set;

	snprintf(issue, sizeof(issue), "%d",
	    (int)json_number(c, "issue", 0));
	set = set_of(issue, json_text(c, "marker"));
	return marker_scan_new(&set, NULL);
}

static void
run_case(const struct json *c)
{
	char *path = xasprintf("%s%s", VECTORS, json_text(c, "file"));
	struct marker_scan *scan = scan_of(c), *whole = scan_of(c);
	struct marker_hits hits;
	struct buf text = BUF_INIT;

	read_file(path, &text);
	marker_scan_feed(whole, text.data, text.len);
	hits = marker_scan_hits(whole, true);
	feed_chunks(scan, json_member(c, "chunks"), &text);
	is_hits(scan, true, hits.complete, hits.error);
	marker_scan_free(whole);
	marker_scan_free(scan);
	buf_release(&text);
	free(path);
}

TEST(a_case_in_pieces_of_its_own_gives_the_same) {
	struct json *index = read_index();
	const struct json *c;
	unsigned cases = 0;

	json_each(c, json_member(index, "cases"))
		if (json_is(json_member(c, "chunks"), JSON_LIST)) {
			run_case(c);
			cases++;
		}
	is_number(cases, 5);
	json_free(index);
}

/* One log that grows; what is new is counted at the end of each step. */
static void
run_sequence(const struct json *sequence)
{
	struct buf log = BUF_INIT;
	struct marker_hits before = { 0, 0, 0, 0, 0 }, hits;
	const struct json *step, *expect;
	const char *append;
	struct marker_scan *scan = scan_of(sequence);

	json_each(step, json_member(sequence, "steps")) {
		append = json_text(step, "append");
		if (json_bool(step, "truncate", false))
			buf_reset(&log);
		if (json_bool(step, "truncate", false) ||
		    json_bool(step, "restart", false)) {
			marker_scan_free(scan);
			scan = scan_of(sequence);
			before = (struct marker_hits){ 0, 0, 0, 0, 0 };
			feed(scan, buf_str(&log));
		}
		buf_adds(&log, append);
		feed(scan, append);
		hits = marker_scan_hits(scan, true);
		expect = json_member(step, "expect_new");
		is_number(hits.complete - before.complete,
		    json_number(expect, "complete", -1));
		is_number(hits.error - before.error,
		    json_number(expect, "error", -1));
		before = hits;
	}
	marker_scan_free(scan);
	buf_release(&log);
}

TEST(the_sequences_of_the_vectors_hold) {
	struct json *index = read_index();
	const struct json *sequence, *all = json_member(index, "sequences");

	is_number(json_size(all), 9);
	json_each(sequence, all)
		run_sequence(sequence);
	json_free(index);
}

TEST(a_marker_waits_for_the_character_behind_it) {
	struct marker_scan *scan = new_scan();

	feed(scan, "###TASK_COMPLETE_7###");
	is_hits(scan, false, 0, 0);
	ok(marker_scan_waits(scan));
	feed(scan, "\343\200");
	is_hits(scan, false, 0, 0);
	ok(marker_scan_waits(scan));
	feed(scan, "\215");
	is_hits(scan, false, 0, 0);
	ok(!marker_scan_waits(scan));
	is_hits(scan, true, 0, 0);
	marker_scan_free(scan);
}

TEST(a_marker_counts_early_when_nothing_can_refuse_it) {
	struct marker_scan *scan = new_scan();

	feed(scan, "###TASK_COMPLETE_7### ");
	is_hits(scan, false, 0, 0);
	ok(marker_scan_waits(scan));            /* for a word */
	feed(scan, " ");
	ok(!marker_scan_waits(scan));
	is_hits(scan, false, 1, 0);
	feed(scan, "\n");
	is_hits(scan, false, 1, 0);
	is_hits(scan, true, 1, 0);
	marker_scan_free(scan);
}

TEST(what_may_become_a_fence_line_waits) {
	struct marker_set set = set_of("7", "> done");
	struct marker_scan *scan = marker_scan_new(&set, NULL);

	feed(scan, "~~~ > done .");
	is_hits(scan, false, 0, 0);
	ok(!marker_scan_waits(scan));
	feed(scan, "\n~~~\n``` > done .");
	is_hits(scan, true, 0, 0);
	feed(scan, "`\n");
	is_hits(scan, false, 1, 0);
	marker_scan_free(scan);
}

TEST(nothing_counts_early_behind_a_backspace) {
	struct marker_scan *scan = new_scan();

	feed(scan, "###TASK_COMPLETE_7###x\b");
	is_hits(scan, false, 0, 0);
	ok(marker_scan_waits(scan));
	feed(scan, "'\n");
	is_hits(scan, true, 0, 0);
	marker_scan_free(scan);
}

TEST(an_unfinished_line_counts_once) {
	struct marker_scan *scan = new_scan();

	feed(scan, "###TASK_COMPLETE_7###");
	is_hits(scan, true, 1, 0);
	is_hits(scan, true, 1, 0);
	feed(scan, " ###TASK_ERROR_7###");
	is_hits(scan, true, 1, 1);
	feed(scan, "\nno disk\n");
	is_hits(scan, true, 1, 1);
	is_text(message_of(scan), "no disk");
	marker_scan_free(scan);
}

TEST(an_error_waits_for_its_message) {
	struct marker_scan *scan = new_scan();

	feed(scan, "###TASK_ERROR_7###\n");
	is_hits(scan, false, 0, 1);
	ok(marker_scan_waits(scan));
	is_text(message_of(scan), "Unknown error");
	feed(scan, "  no \033[1mdisk ");
	ok(marker_scan_waits(scan));
	is_text(message_of(scan), "no disk");
	feed(scan, "left\t\r\nmore\n");
	ok(!marker_scan_waits(scan));
	is_text(message_of(scan), "no disk left");
	marker_scan_free(scan);
}

TEST(the_message_is_the_line_behind_the_last_error) {
	struct marker_scan *scan = new_scan();

	feed(scan, "###TASK_ERROR_7###\n###ERROR_TASK_7###\n```\nx\n");
	is_hits(scan, false, 0, 2);
	is_text(message_of(scan), "```");
	feed(scan, "```\n###TASK_ERROR_7###\n\nlate\n");
	is_text(message_of(scan), "Unknown error");
	marker_scan_free(scan);
}

TEST(a_message_behind_many_blanks_is_found) {
	struct marker_scan *scan = new_scan();
	char blanks[3 * VT_LINE_MAX + 1];

	memset(blanks, ' ', sizeof(blanks) - 1);
	blanks[sizeof(blanks) - 1] = '\0';
	feed(scan, "###TASK_ERROR_7###\n");
	feed(scan, blanks);
	feed(scan, "why");
	feed(scan, blanks);
	feed(scan, "\n");
	is_text(message_of(scan), "why");
	marker_scan_free(scan);
}

TEST(bound_markers_are_counted_apart) {
	struct marker_scan *scan = new_scan();
	struct marker_hits hits;

	feed(scan, "###TASK_COMPLETE_7:0123abcd### ###TASK_COMPLETE_7###\n"
	    "###TASK_ERROR_7:0123abcd###\n"
	    "###ERROR_TASK_7:ffffffff###\n"
	    "`###ERROR_TASK_7:ffffffff###`\n"
	    "###TASK_COMPLETE_7###\n");
	hits = marker_scan_hits(scan, false);
	is_number(hits.complete, 2);
	is_number(hits.bound_complete, 1);
	is_number(hits.error, 1);
	is_number(hits.bound_error, 1);
	is_number(hits.stale, 1);
	marker_scan_free(scan);
}

TEST(a_scan_goes_on_from_a_state) {
	static const char log[] = "###TASK_ERROR_7###\n"
	    "no disk\n> ~~~~\ncode\n###TASK_COMPLETE_7###\rspin\n"
	    "~~~~\n###TASK_COMPLETE_7###\n\033]0;ti\ntle\n###TASK_";
	const size_t len = sizeof(log) - 1;
	struct marker_set set = set_of("7", NULL);
	struct marker_scan *scan;
	struct marker_state state;
	size_t i;

	for (i = 0; i <= len; i++) {
		scan = marker_scan_new(&set, NULL);
		marker_scan_feed(scan, log, i);
		state = scan->begin;
		marker_scan_free(scan);
		ok(state.offset <= i);
		scan = marker_scan_new(&set, &state);
		feed(scan, log + state.offset);
		feed(scan, "ERROR_7###\nlate\n");
		is_hits(scan, false, 1, 2);
		is_text(message_of(scan), "late");
		marker_scan_free(scan);
	}
}

TEST(the_state_is_the_last_line_beginning) {
	struct marker_scan *scan = new_scan();
	struct marker_state state;

	feed(scan, "a\n```sh\nb\rc");
	state = scan->begin;
	is_number(state.offset, 10);
	is_number(state.fence.mark, '`');
	is_number(state.fence.len, 3);
	feed(scan, "\r");
	state = scan->begin;
	is_number(state.offset, 10);
	feed(scan, "\n```\n###TASK_ERROR_7###\n");
	state = scan->begin;
	is_number(state.offset, scan->now.offset);
	is_number(state.fence.mark, 0);
	is_number(state.hits.error, 1);
	ok(state.want_message);
	marker_scan_free(scan);
}

/* A marker somewhere in a line of that many bytes, most of which say fill. */
static unsigned
found_in_long_line(size_t at, const char *fill, const char *marker)
{
	struct buf line = BUF_INIT;
	struct marker_scan *scan = new_scan();
	unsigned complete;

	while (line.len < 3 * VT_LINE_MAX) {
		if (line.len == at)
			buf_adds(&line, marker);
		buf_adds(&line, fill);
	}
	buf_addc(&line, '\n');
	marker_scan_feed(scan, line.data, line.len);
	complete = marker_scan_hits(scan, false).complete;
	marker_scan_free(scan);
	buf_release(&line);
	return complete;
}

TEST(a_marker_is_found_anywhere_in_a_long_line) {
	size_t at;

	for (at = VT_LINE_MAX / 2 - 100; at < VT_LINE_MAX + 100; at++) {
		is_number(found_in_long_line(at, ".",
		    "###TASK_COMPLETE_7###"), 1);
		is_number(found_in_long_line(at, ".",
		    "'###TASK_COMPLETE_7###"), 0);
		is_number(found_in_long_line(at, ".",
		    "###TASK_COMPLETE_7###\343\200\215"), 0);
		is_number(found_in_long_line(at, " ",
		    "a ###TASK_COMPLETE_7###"), 0);
	}
	is_number(found_in_long_line(2 * VT_LINE_MAX, " ",
	    "###TASK_COMPLETE_7###"), 1);
}

TEST(a_word_refuses_across_any_number_of_blanks) {
	struct marker_scan *scan = new_scan();
	size_t i;

	feed(scan, "word");
	for (i = 0; i < 3 * VT_LINE_MAX; i++)
		feed(scan, " ");
	feed(scan, "###TASK_COMPLETE_7###\n");
	is_hits(scan, false, 0, 0);
	marker_scan_free(scan);
}

TEST(a_long_line_may_be_a_fence) {
	struct marker_scan *scan = new_scan();
	size_t i;

	for (i = 0; i < VT_LINE_MAX; i++)
		feed(scan, "\342\224\202 ");
	feed(scan, "```\n###TASK_COMPLETE_7###\n```");
	for (i = 0; i < VT_LINE_MAX; i++)
		feed(scan, "\342\224\202 ");
	feed(scan, "\n###TASK_COMPLETE_7###\n");
	is_hits(scan, false, 1, 0);
	marker_scan_free(scan);
}

TEST(resting_changes_nothing) {
	struct marker_scan *scan = new_scan();
	const char *p;

	for (p = "```\nx\n```\n###TASK_ERROR_7###\r\nno \033[1mdisk\n"; *p; p++) {
		marker_scan_feed(scan, p, 1);
		marker_scan_rest(scan);
	}
	is_hits(scan, false, 0, 1);
	is_text(message_of(scan), "no disk");
	marker_scan_free(scan);
	marker_scan_free(NULL);
}

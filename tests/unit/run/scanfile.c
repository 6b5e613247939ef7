#include "run/scanfile.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "marker/marker.h"
#include "tap.h"

/* A log that may grow, and the scan that reads it. */
struct reading {
	FILE *log;
	struct scanfile file;
};

static void
reading_begin(struct reading *r, const char *marker)
{
	struct marker_set set;

	ok(marker_set_init(&set, "7", NULL, marker) == 0);
	r->log = tmpfile();
	ok(r->log != NULL);
	r->file = (struct scanfile){
		.scan = marker_scan_new(&set, NULL),
		.fd = fileno(r->log),
	};
}

static void
reading_end(struct reading *r)
{
	marker_scan_free(r->file.scan);
	fclose(r->log);
}

static void
add(struct reading *r, const char *text)
{
	fputs(text, r->log);
	fflush(r->log);
}

/* Adds lines without markers, of about that many bytes. */
static void
add_quiet(struct reading *r, size_t len)
{
	static const char line[] = "\033[32m+ a ## `b` of # many\033[0m\r\n";

	for (; len >= sizeof(line) - 1; len -= sizeof(line) - 1)
		fputs(line, r->log);
	for (; len > 1; len--)
		fputc('.', r->log);
	if (len > 0)
		fputc('\n', r->log);
	fflush(r->log);
}

static void
reads(struct reading *r, unsigned complete, unsigned error)
{
	struct marker_hits hits;

	ok(scanfile_read(&r->file, NULL) == 0);
	hits = marker_scan_hits(r->file.scan, true);
	is_number(hits.complete, complete);
	is_number(hits.error, error);
}

enum { LARGE = 1000 * 1000, BLOCK = 256 * 1024 };

static void
what_holds_no_marker_is_only_searched(void)
{
	struct reading r;

	reading_begin(&r, NULL);
	add_quiet(&r, LARGE);
	reads(&r, 0, 0);
	is_number(marker_scan_offset(r.file.scan), 0);
	is_number(r.file.ahead, LARGE);
	reading_end(&r);
}

static void
a_little_is_fed_at_once(void)
{
	struct reading r;

	reading_begin(&r, NULL);
	add_quiet(&r, 5000);
	reads(&r, 0, 0);
	is_number(marker_scan_offset(r.file.scan), 5000);
	add(&r, "```\n###TASK_COMPLETE_7###\n``");
	reads(&r, 0, 0);
	add(&r, "`\n###TASK_COM");
	reads(&r, 0, 0);
	add(&r, "PLETE_7###");
	reads(&r, 1, 0);
	reading_end(&r);
}

static void
a_fence_far_before_a_marker_is_known(void)
{
	struct reading r;

	reading_begin(&r, NULL);
	add(&r, "```\n");
	add_quiet(&r, LARGE);
	add(&r, "###TASK_COMPLETE_7###\n");
	reads(&r, 0, 0);
	add_quiet(&r, LARGE);
	add(&r, "```\n");
	add_quiet(&r, LARGE);
	add(&r, "###TASK_ERROR_7###\n");
	add(&r, "no disk\n");
	add_quiet(&r, LARGE);
	reads(&r, 0, 1);
	reading_end(&r);
}

/* Wherever the blocks that are read end. */
static void
a_marker_across_two_blocks_is_found(void)
{
	static const char marker[] = "#\033[1m##TASK_ERROR_7###\r\nno disk";
	size_t before;

	for (before = 0; before <= sizeof(marker); before++) {
		struct reading r;
		struct buf message = BUF_INIT;

		reading_begin(&r, NULL);
		add_quiet(&r, BLOCK - before);
		add(&r, marker);
		add(&r, "\n");
		add_quiet(&r, LARGE);
		reads(&r, 0, 1);
		marker_scan_message(r.file.scan, &message);
		is_text(buf_str(&message), "no disk");
		buf_release(&message);
		reading_end(&r);
	}
}

static void
hashes_at_the_end_of_a_block_are_looked_at_again(void)
{
	struct reading r;

	reading_begin(&r, NULL);
	add_quiet(&r, BLOCK - 2);
	add(&r, "## heading\n");
	add_quiet(&r, LARGE);
	reads(&r, 0, 0);
	is_number(marker_scan_offset(r.file.scan), 0);
	reading_end(&r);
}

static void
a_marker_that_arrives_in_parts_is_found_behind_much(void)
{
	const char *p;
	struct reading r;

	reading_begin(&r, NULL);
	add_quiet(&r, LARGE);
	reads(&r, 0, 0);
	for (p = "\r\n###TASK_COMPLETE_7#"; *p != '\0'; p++) {
		char part[2] = { *p, '\0' };

		add(&r, part);
		reads(&r, 0, 0);
	}
	add(&r, "##");
	reads(&r, 1, 0);
	reading_end(&r);
}

static void
a_custom_marker_of_one_byte_is_found(void)
{
	struct reading r;

	reading_begin(&r, "%");
	add_quiet(&r, LARGE);
	add(&r, "100%");
	reads(&r, 1, 0);
	reading_end(&r);
}

static void
settling_feeds_what_was_only_searched(void)
{
	struct reading r;
	struct marker_state state;

	reading_begin(&r, NULL);
	add_quiet(&r, LARGE);
	add(&r, "~~~\n");
	add_quiet(&r, LARGE);
	reads(&r, 0, 0);
	ok(scanfile_settle(&r.file, NULL) == 0);
	is_number(marker_scan_offset(r.file.scan), 2 * LARGE + 4);
	marker_scan_state(r.file.scan, &state);
	is_number(state.fence, '~');
	is_number(state.offset, 2 * LARGE + 4);
	reading_end(&r);
}

static void
a_file_may_begin_in_the_middle_of_the_stream(void)
{
	struct reading r;
	struct marker_set set;
	const struct marker_state from = {
		.offset = 12345, .fence = '`', .fence_len = 3,
	};

	reading_begin(&r, NULL);
	set = *marker_scan_set(r.file.scan);
	marker_scan_free(r.file.scan);
	r.file.scan = marker_scan_new(&set, &from);
	r.file.base = 12345 - 4;
	add(&r, "xxx\n");
	add_quiet(&r, LARGE);
	add(&r, "###TASK_COMPLETE_7###\n```\n###TASK_COMPLETE_7###\n");
	reads(&r, 1, 0);
	reading_end(&r);
}

static void
a_file_that_became_shorter_is_read_to_its_end(void)
{
	struct reading r;

	reading_begin(&r, NULL);
	add_quiet(&r, LARGE);
	reads(&r, 0, 0);
	ok(ftruncate(r.file.fd, 1000) == 0);
	reads(&r, 0, 0);
	ok(scanfile_settle(&r.file, NULL) == 0);
	is_number(marker_scan_offset(r.file.scan), 1000);
	reading_end(&r);
}

/* A file of holes is read in no time, and says what it would with NULs. */
static void
a_hole_is_passed_over(void)
{
	static const char *const before[] = { "", "###TASK_", "```\n",
	    "\033]0;title", "###TASK_ERROR_7###\nno " };
	static const char *const behind[] = { "###TASK_COMPLETE_7###\n",
	    "COMPLETE_7###\n", "```\n###TASK_COMPLETE_7###\n",
	    "\a###TASK_COMPLETE_7###\n", "disk\n" };
	const off_t hole = (off_t)1 << 40;
	struct reading r;
	size_t i;

	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		reading_begin(&r, NULL);
		add(&r, before[i]);
		if (ftruncate(r.file.fd, hole) == -1) {
			reading_end(&r);
			continue;
		}
		fseeko(r.log, hole, SEEK_SET);
		add(&r, behind[i]);
		reads(&r, i != 4, i == 4);
		is_number(r.file.ahead, hole + (off_t)strlen(behind[i]));
		reading_end(&r);
	}
}

/* How often must be read on until the end. */
static unsigned
reads_in_parts(struct reading *r, uint64_t most)
{
	unsigned n = 0;
	int got = 1;

	while (got == 1 && n < 10000) {
		uint64_t budget = most, ahead = r->file.ahead;

		got = scanfile_read(&r->file, &budget);
		ok(r->file.ahead <= ahead + most + BLOCK);
		n++;
	}
	ok(got == 0);
	return n;
}

static void
a_budget_ends_a_reading_that_goes_on_later(void)
{
	struct marker_hits hits;
	struct reading r;

	reading_begin(&r, NULL);
	add(&r, "~~~\n");
	add_quiet(&r, LARGE);
	add(&r, "###TASK_COMPLETE_7###\n~~~\n");
	add_quiet(&r, LARGE);
	ok(reads_in_parts(&r, 100) > 6);
	add(&r, "###TASK_ERROR_7###\n");
	reads_in_parts(&r, 100);
	hits = marker_scan_hits(r.file.scan, true);
	is_number(hits.complete, 0);
	is_number(hits.error, 1);
	reading_end(&r);
}

static void
what_cannot_be_read_is_an_error(void)
{
	struct reading r;

	reading_begin(&r, NULL);
	r.file.fd = -1;
	errno = 0;
	ok(scanfile_read(&r.file, NULL) == -1 && errno == EBADF);
	reading_end(&r);
}

int
main(void)
{
	TEST(what_holds_no_marker_is_only_searched);
	TEST(a_little_is_fed_at_once);
	TEST(a_fence_far_before_a_marker_is_known);
	TEST(a_marker_across_two_blocks_is_found);
	TEST(hashes_at_the_end_of_a_block_are_looked_at_again);
	TEST(a_marker_that_arrives_in_parts_is_found_behind_much);
	TEST(a_custom_marker_of_one_byte_is_found);
	TEST(settling_feeds_what_was_only_searched);
	TEST(a_file_may_begin_in_the_middle_of_the_stream);
	TEST(a_file_that_became_shorter_is_read_to_its_end);
	TEST(a_hole_is_passed_over);
	TEST(a_budget_ends_a_reading_that_goes_on_later);
	TEST(what_cannot_be_read_is_an_error);
	return tap_done();
}

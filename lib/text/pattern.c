#include "text/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
	WORK_MAX = 2000000,     /* items tried, for a whole search */
	REACH = 64,             /* bytes read at the cost of one item */
	NESTING_MAX = 100,      /* parentheses */
	HEAP_MAX = 16 * 1024    /* KiB */
};

static const uint32_t compile_options =
    PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C |
    PCRE2_AUTO_CALLOUT;

struct pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
};

/* What one search has done. */
struct work {
	size_t done;
	size_t start;           /* where in the subject it now tries */
	size_t furthest;        /* and how far it has looked from there */
};

/* pcre2 gets its memory where everything else does, so it has it. */
static void *
allocate(size_t size, void *unused)
{
	(void)unused;
	return xmalloc(size);
}

static void
release(void *p, void *unused)
{
	(void)unused;
	free(p);
}

static pcre2_general_context *
general_context(void)
{
	return pcre2_general_context_create(allocate, release, NULL);
}

/*
 * Called before each item that is tried.  pcre2's own limit is on the steps
 * from one start, but a subject has many starts; nor does it count the bytes
 * that a repetition, a back reference or a lookaround reads.  Those are the
 * bytes between the start and the furthest position seen from it.
 */
static int
count_work(pcre2_callout_block *block, void *data)
{
	struct work *work = data;

	if (block->start_match != work->start) {
		work->start = block->start_match;
		work->furthest = work->start;
	}
	if (block->current_position > work->furthest)
		work->furthest = block->current_position;
	work->done += 1 + (work->furthest - work->start) / REACH;
	return work->done > WORK_MAX ? PCRE2_ERROR_MATCHLIMIT : 0;
}

static pcre2_code *
compile(const char *text, char *error, size_t size)
{
	pcre2_general_context *memory = general_context();
	pcre2_compile_context *context = pcre2_compile_context_create(memory);
	PCRE2_UCHAR reason[160];
	PCRE2_SIZE offset;
	pcre2_code *code;
	int number;

	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	pcre2_set_parens_nest_limit(context, NESTING_MAX);
	code = pcre2_compile((PCRE2_SPTR)text, strlen(text), compile_options,
	    &number, &offset, context);
	if (code == NULL) {
		pcre2_get_error_message(number, reason, sizeof(reason));
		snprintf(error, size, "%s at offset %zu", (char *)reason,
		    offset);
	}
	pcre2_compile_context_free(context);
	pcre2_general_context_free(memory);
	return code;
}

static pcre2_match_context *
match_limits(void)
{
	pcre2_general_context *memory = general_context();
	pcre2_match_context *limits = pcre2_match_context_create(memory);

	pcre2_set_match_limit(limits, WORK_MAX);
	pcre2_set_depth_limit(limits, WORK_MAX);
	pcre2_set_heap_limit(limits, HEAP_MAX);
	pcre2_general_context_free(memory);
	return limits;
}

struct pattern *
pattern_new(const char *text, char *error, size_t size)
{
	struct pattern *pattern;
	pcre2_code *code;

	if (strnlen(text, PATTERN_MAX + 1) > PATTERN_MAX) {
		snprintf(error, size, "longer than %d bytes", PATTERN_MAX);
		return NULL;
	}
	code = compile(text, error, size);
	if (code == NULL)
		return NULL;
	pattern = xmalloc(sizeof(*pattern));
	pattern->code = code;
	pattern->limits = match_limits();
	return pattern;
}

void
pattern_free(struct pattern *pattern)
{
	if (pattern == NULL)
		return;
	pcre2_match_context_free(pattern->limits);
	pcre2_code_free(pattern->code);
	free(pattern);
}

bool
pattern_has_group(const struct pattern *pattern, const char *name)
{
	PCRE2_SPTR first, last;

	return pcre2_substring_nametable_scan(pattern->code, (PCRE2_SPTR)name,
	    &first, &last) > 0;
}

/* What matched, or NULL; the caller frees it. */
static pcre2_match_data *
match(const struct pattern *pattern, const char *subject, size_t len)
{
	pcre2_match_data *found =
	    pcre2_match_data_create_from_pattern(pattern->code, NULL);
	struct work work = { 0, 0, 0 };

	pcre2_set_callout(pattern->limits, count_work, &work);
	if (pcre2_match(pattern->code, (PCRE2_SPTR)subject, len, 0, 0, found,
	    pattern->limits) >= 0)
		return found;
	pcre2_match_data_free(found);
	return NULL;
}

bool
pattern_match(const struct pattern *pattern, const char *subject, size_t len)
{
	pcre2_match_data *found = match(pattern, subject, len);

	pcre2_match_data_free(found);
	return found != NULL;
}

/* Several groups may have the name, (?J); the first that matched counts. */
static bool
find_group(const struct pattern *pattern, pcre2_match_data *found,
    const char *name, size_t *start, size_t *size)
{
	const PCRE2_SIZE *bounds = pcre2_get_ovector_pointer(found);
	PCRE2_SPTR row, last;
	unsigned number;
	int step;

	step = pcre2_substring_nametable_scan(pattern->code, (PCRE2_SPTR)name,
	    &row, &last);
	if (step <= 0)
		return false;
	for (; row <= last; row += step) {
		number = (unsigned)row[0] << 8 | row[1];
		if (bounds[2 * number] == PCRE2_UNSET)
			continue;
		*start = bounds[2 * number];
		*size = bounds[2 * number + 1] - *start;
		return true;
	}
	return false;
}

bool
pattern_group(const struct pattern *pattern, const char *subject, size_t len,
    const char *name, size_t *start, size_t *size)
{
	pcre2_match_data *found = match(pattern, subject, len);
	bool took_part;

	if (found == NULL)
		return false;
	took_part = find_group(pattern, found, name, start, size);
	pcre2_match_data_free(found);
	return took_part;
}

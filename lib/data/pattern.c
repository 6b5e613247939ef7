#include "data/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/base.h"

enum {
	WORK_MAX = 2000000,     /* items tried in a search */
	REACH = 64,             /* bytes at the cost of an item */
	NESTING_MAX = 100,      /* parentheses */
	HEAP_MAX = 16 * 1024    /* KiB */
};

struct pattern {
	pcre2_code *code;               /* NULL: not compiled */
	char *text;                     /* compiled at the first use, */
	bool lines;                     /* with these anchors */
	size_t *bounds;                 /* start, end of each group of the last
					   match; or NULL */
};

static pcre2_compile_context *pattern_rules;
static pcre2_match_context *pattern_limits;

struct match_work {
	size_t done, start, furthest;   /* furthest: read from start */
};

/* xmalloc() never fails, so neither does pcre2. */
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

/* pcre2 calls it before each item.  Its own limit begins anew at each start,
 * and ignores bytes that repetitions, back references and lookarounds read:
 * those from start to furthest. */
static int
count_work(pcre2_callout_block *block, void *data)
{
	struct match_work *work = data;

	if (block->start_match != work->start)
		work->start = work->furthest = block->start_match;
	if (block->current_position > work->furthest)
		work->furthest = block->current_position;
	work->done += 1 + (work->furthest - work->start) / REACH;
	return work->done > WORK_MAX ? PCRE2_ERROR_MATCHLIMIT : 0;
}

static pcre2_code *
pattern_compile(const char *text, bool lines, char *error, size_t size)
{
	pcre2_general_context *memory;
	PCRE2_UCHAR reason[160];
	PCRE2_SIZE offset;
	pcre2_code *code;
	int number;

	if (strnlen(text, PATTERN_MAX + 1) > PATTERN_MAX) {
		snprintf(error, size, "longer than %d bytes", PATTERN_MAX);
		return NULL;
	}
	if (pattern_limits == NULL) {
		memory = pcre2_general_context_create(allocate, release, NULL);
		pattern_rules = pcre2_compile_context_create(memory);
		pcre2_set_newline(pattern_rules, PCRE2_NEWLINE_LF);
		pcre2_set_parens_nest_limit(pattern_rules, NESTING_MAX);
		pattern_limits = pcre2_match_context_create(memory);
		pcre2_set_match_limit(pattern_limits, WORK_MAX);
		pcre2_set_depth_limit(pattern_limits, WORK_MAX);
		pcre2_set_heap_limit(pattern_limits, HEAP_MAX);
		pcre2_general_context_free(memory);
	}
	code = pcre2_compile((PCRE2_SPTR)text, strlen(text), PCRE2_UTF |
	    PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C |
	    PCRE2_AUTO_CALLOUT | (lines ? PCRE2_MULTILINE : 0), &number,
	    &offset, pattern_rules);
	if (code == NULL) {
		pcre2_get_error_message(number, reason, sizeof(reason));
		snprintf(error, size, "%s at offset %zu", (char *)reason,
		    offset);
	}
	return code;
}

struct pattern *
pattern_new(const char *text, bool lines, char *error, size_t size)
{
	pcre2_code *code = error != NULL ?
	    pattern_compile(text, lines, error, size) : NULL;
	struct pattern *pattern = NULL;

	if (code != NULL || error == NULL) {
		pattern = xcalloc(1, sizeof(*pattern));
		pattern->code = code;
		pattern->text = error == NULL ? xstrdup(text) : NULL;
		pattern->lines = lines;
	}
	return pattern;
}

static const pcre2_code *
pattern_code(struct pattern *pattern)
{
	char error[200];

	if (pattern->text != NULL)
		pattern->code = pattern_compile(pattern->text, pattern->lines,
		    error, sizeof(error));
	free(pattern->text);
	pattern->text = NULL;
	return pattern->code;
}

void
pattern_free(struct pattern *pattern)
{
	if (pattern == NULL)
		return;
	pcre2_code_free(pattern->code);
	free(pattern->text);
	free(pattern->bounds);
	free(pattern);
}

bool
pattern_has_group(struct pattern *pattern, const char *name)
{
	PCRE2_SPTR first, last;

	return pcre2_substring_nametable_scan(pattern_code(pattern),
	    (PCRE2_SPTR)name, &first, &last) > 0;
}

bool
pattern_match(struct pattern *pattern, const char *subject, size_t len)
{
	const pcre2_code *code = pattern_code(pattern);
	struct match_work work = { 0, 0, 0 };
	pcre2_match_data *found;
	size_t n;

	free(pattern->bounds);
	pattern->bounds = NULL;
	if (code == NULL)
		return false;
	found = pcre2_match_data_create_from_pattern(code, NULL);
	pcre2_set_callout(pattern_limits, count_work, &work);
	if (pcre2_match(code, (PCRE2_SPTR)subject, len, 0, 0, found,
	    pattern_limits) >= 0) {
		n = 2 * pcre2_get_ovector_count(found);
		pattern->bounds = xreallocarray(NULL, n,
		    sizeof(*pattern->bounds));
		memcpy(pattern->bounds, pcre2_get_ovector_pointer(found),
		    n * sizeof(*pattern->bounds));
	}
	pcre2_match_data_free(found);
	return pattern->bounds != NULL;
}

bool
pattern_group(const struct pattern *pattern, const char *name, size_t *start,
    size_t *size)
{
	const size_t *group = pattern->bounds;
	PCRE2_SPTR row = NULL, last = NULL;
	bool took_part = name == NULL;
	int step;

	if (group == NULL)
		return false;
	step = took_part ? 0 : pcre2_substring_nametable_scan(pattern->code,
	    (PCRE2_SPTR)name, &row, &last);
	/* (?J): of groups of one name the first match counts. */
	for (; step > 0 && row <= last && !took_part; row += step) {
		group = pattern->bounds + 2 * ((unsigned)row[0] << 8 | row[1]);
		took_part = group[0] != PCRE2_UNSET;
	}
	*start = group[0];
	*size = group[1] - group[0];
	return took_part;
}

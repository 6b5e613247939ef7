/*
 * limit.c - does the very end of a round's output say that a usage limit was
 * reached?
 *
 * Agents write about limits too, so the words count of one that has failed.
 * Some end with one as if all were well: of those a line that begins with it
 * counts, or is a sign of the backend, and only if it says until when.
 */
#include <string.h>

#include "engine.h"
#include "pattern.h"
#include "reset.h"
#include "tail.h"

enum { LAST = 1024 };                   /* bytes of text */

#define LIMIT "(?:(?:usage|rate|session|weekly|5-hour|(?:hit|reached) your" \
    "(?: [\\w-]+){0,3})[ _-]limit(?![a-z])"

static const char anywhere[] = "(?i)\\b" LIMIT
    "|too many requests|quota (?:exceeded|exhausted))";
static const char first[] = "(?im)^\\W*(?:\\w+[: ]+){0,4}?" LIMIT ")";

static bool
speaks_of_limit(const char *words, const char *text, size_t len)
{
	char error[200];
	struct pattern *p = pattern_new(words, error, sizeof(error));
	bool is = p != NULL && pattern_match(p, text, len);

	pattern_free(p);
	return is;
}

bool
limit_find(const struct signs *signs, int log, bool failed, msec wall,
    msec *until)
{
	struct buf text = BUF_INIT;
	struct sign_match m;
	const char *end;
	size_t len;
	bool is;

	tail_read(&text, log);
	len = text.len < LAST ? text.len : LAST;
	end = buf_str(&text) + text.len - len;
	m = signs_find(signs, SIGN_SCREEN, end, len, wall);
	is = m.sign != NULL && m.sign->kind == SIGN_LIMITED;
	*until = is && m.reset != 0 ? m.reset : reset_find(end, len, wall);
	if (failed)
		is = is || speaks_of_limit(anywhere, end, len);
	else
		is = (is || speaks_of_limit(first, end, len)) && *until != 0;
	buf_release(&text);
	return is;
}

#include "loop/engine.h"

#include "agent/reset.h"
#include "data/pattern.h"

enum {
	LAST = 1024,                            /* bytes of text */
	LONGEST = 8 * 24 * 60 * 60              /* seconds that one may last */
};

#define REACHED "(?:(?:usage|rate|request|session|opus|sonnet|weekly|5-hour)" \
    "[ _-]limit[ _](?:(?:is|was|has been) )?(?:reached|exceeded|hit)" \
    "|(?:hit|reached|exceed(?:ed|s)?) your(?: [\\w'-]+){0,3} limit" \
    ")(?![\\w/-]|\\.\\w)"

static const char anywhere[] = "(?i)\\b" REACHED
    "|\\b(?:hit|reached|exceed(?:ed|s)?) (?:the|an?|its) (?:usage|rate) limit"
	"(?![\\w/-])"
    "|\\b(?:are|is|were|was|been|being|got) rate[ -]limited\\b"
    "|\\b(?:error|status|code|rejected|http(?:/[\\d.]+)?)\\W{0,3}429\\b"
    "|\"rate_limit_error\""
    "|\\btoo many requests\\b"
    "|\\bquota (?:exceeded|exhausted)|\\bexceeded your (?:\\w+ )?quota";

/* Not followed by a word that it modifies, as in "limit reached test". */
static const char first[] = "(?im)^\\W*(?:[\\w'\xe2\x80\x99]+[: ]+){0,4}?"
    REACHED "(?! (?!(?:for|until|on|in|at|and|try|retry|will|resets?|please)"
	"\\b)\\w)";

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
	if (*until > wall + (msec)LONGEST * 1000)
		*until = 0;             /* not credible */
	buf_release(&text);
	return is;
}

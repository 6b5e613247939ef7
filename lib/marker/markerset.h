/*
 * markerset.h - what counts as a marker for one issue, and where a text holds
 * one (tests/vectors/README.md, "markers", rules 1 and 4).
 *
 * There are four spellings, ###TASK_COMPLETE_N###, ###COMPLETE_TASK_N###,
 * ###TASK_ERROR_N### and ###ERROR_TASK_N###, each also in the bound form with
 * the nonce of the run, ###TASK_COMPLETE_N:12345678###.  A custom completion
 * marker may replace the first.  Bound forms count even then: only an agent
 * that was given the nonce can write them.
 */
#ifndef PANEWARD_MARKERSET_H
#define PANEWARD_MARKERSET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/issue.h"

enum {
	MARKER_CUSTOM_MAX = 200,        /* bytes of a custom marker */
	MARKER_BYTES_MAX = 200          /* bytes of any marker */
};

struct marker_text;

struct marker_set {
	char issue[ISSUE_MAX + 1];
	char nonce[NONCE_LEN + 1];      /* empty: bound forms do not count */
	char custom[MARKER_CUSTOM_MAX + 1];     /* empty: the standard one */
	bool keyword;           /* nothing else counts, and it only as a word:
				   with no letter, digit or underscore beside */
	/* NULL, or: is the custom marker at this offset to be ignored? */
	bool (*ignored)(void *context, const struct marker_text *, size_t at);
	void *context;
};

/*
 * Makes the set.  run is a run id, or NULL; custom a marker, or NULL.
 * -1 with errno EINVAL where custom is empty, too long, begins or ends with a
 * blank, or holds a control byte.
 */
int marker_set_init(struct marker_set *, const char *issue, const char *run,
    const char *custom);

/*
 * Does text hold a finished marker of this set anywhere?  Without a set: one of
 * any issue, custom ones aside.  Used to refuse prompts and templates; ignores
 * fences and neighbours.  Bound forms count with any nonce.
 */
bool marker_set_in(const struct marker_set *, const char *text, size_t len);

/* What stands before the issue in each spelling; NULL behind the last. */
const char *marker_set_begin(size_t);

/* What a line holds; these are added up. */
enum marker_kind {
	MARKER_COMPLETE = 1 << 0,
	MARKER_ERROR = 1 << 1,
	MARKER_BOUND_COMPLETE = 1 << 2,         /* and MARKER_COMPLETE */
	MARKER_BOUND_ERROR = 1 << 3,            /* and MARKER_ERROR */
	MARKER_STALE = 1 << 4           /* bound to another run: nothing else */
};

/* A line of text without control sequences, or a piece of one. */
struct marker_text {
	const char *text;
	size_t      len;
	size_t      from, until;        /* markers that begin here count (until
					   is excluded) */
	size_t      beyond;     /* if they end behind this */
	bool        word;       /* marker_text_word() of what was before text */
	bool        open;       /* more may follow */
	bool        first;      /* for ignored(): text begins the line */
	bool        source;     /* as an agent wrote it: no terminal drew
				   anything beside a marker */
};

/*
 * The kinds of the accepted markers in a text.  In an open text a marker counts
 * only once nothing behind it can refuse it; *waits (which may be NULL) says
 * whether one depends on what follows.
 */
unsigned marker_set_find(const struct marker_set *, const struct marker_text *,
    bool *waits);

/* Does a word end before an offset of the text, or before blanks there? */
bool marker_text_word(const struct marker_text *, size_t at);

/*
 * Searches raw bytes: the offset of the first byte from which a marker of the
 * set may begin; len if there is none.  Never too late, whatever escape
 * sequences are inside the marker; sometimes too early.  Candidates are also a
 * backspace, since what is before it may become a marker, and the last few
 * bytes, from which one may continue behind the end.
 */
size_t marker_set_search(const struct marker_set *, const char *bytes,
    size_t len);

#endif

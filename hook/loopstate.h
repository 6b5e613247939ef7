/*
 * loopstate.h - what the state of a loop says, and how its text is changed
 * (tests/vectors/README.md, section "th-loop").
 *
 * Between a first line `---` and the next one stand lines `key: value`.  The
 * text belongs to people as much as to us: keys that we do not know are not
 * looked at, and a change replaces one value, so that comments, order, line
 * ends and the text below stay.
 *
 * A text whose structure is wrong says nothing.  Its numbers may be wrong all
 * the same, which matters only where they are used.
 */
#ifndef PANEWARD_HOOK_LOOPSTATE_H
#define PANEWARD_HOOK_LOOPSTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { LOOPSTATE_MAX = 64 << 10 };      /* bytes of a text */

enum loopstate_key {
	LOOPSTATE_STATUS,               /* "active", or it is over */
	LOOPSTATE_STARTED,
	LOOPSTATE_MAX_TURNS,            /* `max` */
	LOOPSTATE_ITERATION,
	LOOPSTATE_DURATION,
	LOOPSTATE_PROMPT,               /* empty: what is new in the channel */
	LOOPSTATE_LAST_READ,            /* `last_read_timestamp` */
	LOOPSTATE_KEYS
};

struct loopstate {
	struct buf text;
	size_t     end;                 /* where the closing `---` begins */
	struct loopstate_value {
		bool       given;
		size_t     line;        /* where its line begins in text */
		size_t     from, to;    /* the value, quotes included */
		struct buf text;        /* without quotes and escapes */
	} values[LOOPSTATE_KEYS];
	int64_t    started, last_read;  /* epoch seconds; -1 if missing */
	int64_t    max;                 /* turns */
	int64_t    iteration;           /* turns so far; 0 if missing */
	int64_t    duration;            /* seconds; 0: no limit */
};

#define LOOPSTATE_INIT { .text = BUF_INIT }

/* Reads what is in text, all but the numbers.  -1 with what is wrong. */
int  loopstate_parse(struct loopstate *, struct buf *why);
void loopstate_release(struct loopstate *);

/* Reads the numbers of a text that was parsed.  -1 with what is wrong. */
int  loopstate_numbers(struct loopstate *, struct buf *why);

/* Is the status that word? */
bool loopstate_is(const struct loopstate *, const char *status);

/*
 * Change a text that was parsed; a key that is missing is added as the last
 * one.  A word is put in as it stands, a text in double quotes, and is then
 * read as the same again.
 */
void loopstate_set_word(struct loopstate *, enum loopstate_key, const char *);
void loopstate_set_number(struct loopstate *, enum loopstate_key, int64_t);
void loopstate_set_text(struct loopstate *, enum loopstate_key, const char *);
void loopstate_remove(struct loopstate *, enum loopstate_key);

#endif

/*
 * marker.h - the agreed line in an agent's output (tests/vectors/README.md,
 * section "markers", is the rule book).
 *
 * A struct marker_set (markerset.h) says what counts for one issue.
 *
 * A struct marker_scan reads a stream of terminal output from its beginning,
 * in pieces of any size, and counts the lines that hold an accepted marker
 * outside of code fences.  Its answer does not depend on how the stream was
 * cut.  Memory is bounded whatever is fed; where nothing is looked at closely
 * it holds none.  A line longer than VT_LINE_MAX is judged part by part: a
 * backspace that goes back by more than half of that no longer changes what
 * was found.
 *
 * Nothing here fails: any bytes are input.
 */
#ifndef PANEWARD_MARKER_H
#define PANEWARD_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "marker/markerset.h"

enum { MARKER_MESSAGE_MAX = 200 };      /* code points */

/* Numbers of lines. */
struct marker_hits {
	unsigned complete, error;       /* accepted, bound ones included */
	unsigned bound_complete, bound_error;
	unsigned stale;                 /* of another run: never counted */
};

/* Adds one line that holds these kinds of markers. */
void marker_hits_add(struct marker_hits *, unsigned kinds);

/*
 * Adds a line as the message of an error: trimmed, MARKER_MESSAGE_MAX code
 * points at most, "Unknown error" where nothing is left.
 */
void marker_message_add(struct buf *, const char *line, size_t len);

/*
 * A place in the stream at which a line begins, with all that is known there.
 * A scan that starts from it goes on as if it had read everything before.
 * All zero is the beginning of a stream.
 */
struct marker_state {
	uint64_t offset;                /* bytes of the stream before it */
	struct marker_hits hits;        /* lines before it */
	char     fence;                 /* '`', '~': a block is open; else 0 */
	unsigned fence_len;
	bool     want_message;          /* the line before was an error */
};

struct marker_scan;                     /* allocated by marker_scan_new() */

struct marker_scan *marker_scan_new(const struct marker_set *,
    const struct marker_state *from);   /* from may be NULL: the beginning */
void marker_scan_free(struct marker_scan *);    /* NULL is fine */

void marker_scan_feed(struct marker_scan *, const char *bytes, size_t len);

/* As if so many NULs were fed, in no time; more of them say no more. */
void marker_scan_skip(struct marker_scan *, uint64_t nuls);

const struct marker_set *marker_scan_set(const struct marker_scan *);

/* The bytes of the stream that were fed, or were before where it began. */
uint64_t marker_scan_offset(const struct marker_scan *);

/*
 * Does the scan stand where a line begins that is not wanted as a message?
 * There marker_set_search() may look through what follows: what is before its
 * answer need not be fed until something is found, but then must be, since
 * the fences are in it.
 */
bool marker_scan_idle(const struct marker_scan *);

/*
 * The hits up to the last line that is finished, and with unfinished set as
 * if the stream ended here.  Without it a line counts early where what follows
 * cannot change it, backspaces aside.  A line once counted is not counted
 * again when it is finished later, and remains counted.
 */
struct marker_hits marker_scan_hits(struct marker_scan *, bool unfinished);

/*
 * Is there something in the unfinished line that waits: a marker for the
 * character that may refuse it or for the end of what may become a fence
 * line, or an error for the line that is its message?  The caller asks for
 * the hits with unfinished set when the stream was silent for a while.
 */
bool marker_scan_waits(const struct marker_scan *);

/*
 * Adds the message of the last counted error, the line after it, as far as it
 * is there.  Errors before the place from which the scan went on are not known
 * to it.
 */
void marker_scan_message(const struct marker_scan *, struct buf *);

/* The last line beginning that the scan knows everything about. */
void marker_scan_state(const struct marker_scan *, struct marker_state *);

/* Gives memory back that only reading needed. */
void marker_scan_rest(struct marker_scan *);

#endif

/*
 * marker.h - the agreed line in an agent's output; tests/vectors/README.md,
 * section "markers", has the rules.
 *
 * A struct marker_set (markerset.h) says what counts for one issue.
 *
 * A struct marker_scan reads a stream of terminal output in pieces of any size
 * and counts the lines that hold an accepted marker outside code fences.  The
 * result does not depend on how the stream was cut.  Memory is bounded for any
 * input, and freed while the scan only searches.  A line longer than
 * VT_LINE_MAX is judged part by part: a backspace over more than half of that
 * changes nothing any more.
 *
 * Nothing here fails: any bytes are input.
 */
#ifndef PANEWARD_MARKER_H
#define PANEWARD_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "marker/fence.h"
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
/* Adds others so many times, which may be -1. */
void marker_hits_sum(struct marker_hits *, const struct marker_hits *,
    int times);

/*
 * Adds a line as the message of an error: trimmed, MARKER_MESSAGE_MAX code
 * points at most, "Unknown error" where nothing is left.
 */
void marker_message_add(struct buf *, const char *line, size_t len);

/*
 * Where a line of the stream begins, and the state of the scan there.  A scan
 * started from it continues as if it had read everything before.  All zero is
 * the beginning of a stream.
 */
struct marker_state {
	uint64_t offset;                /* bytes of the stream before it */
	struct marker_hits hits;        /* lines before it */
	struct fence fence;             /* the open block */
	bool     want_message;          /* the line before was an error */
};

struct marker_scan;                     /* allocated by marker_scan_new() */

struct marker_scan *marker_scan_new(const struct marker_set *,
    const struct marker_state *from);   /* from may be NULL: the beginning */
void marker_scan_free(struct marker_scan *);    /* NULL is fine */

void marker_scan_feed(struct marker_scan *, const char *bytes, size_t len);

/* The same as feeding that many NULs, in constant time. */
void marker_scan_skip(struct marker_scan *, uint64_t nuls);

const struct marker_set *marker_scan_set(const struct marker_scan *);

/* The offset in the stream of the next byte to feed. */
uint64_t marker_scan_offset(const struct marker_scan *);

/*
 * Is the scan at the beginning of a line that is no error's message?  When
 * idle, the caller may skip ahead with marker_set_search() instead of feeding;
 * once that finds a candidate, the caller must feed everything it skipped,
 * because code fences may be in it.
 */
bool marker_scan_idle(const struct marker_scan *);

/*
 * The hits so far.  With unfinished set, the last line counts as if the stream
 * ended here; without, it counts only if what follows cannot change it,
 * backspaces aside.  A counted line stays counted, and counts once.
 */
struct marker_hits marker_scan_hits(struct marker_scan *, bool unfinished);

/*
 * May the unfinished line still change the hits?  A marker waits for the next
 * character, which may refuse it, or for the end of a possible fence line; an
 * error waits for the line that is its message.  After some silence the caller
 * asks for the hits with unfinished set.
 */
bool marker_scan_waits(const struct marker_scan *);

/*
 * Adds the message of the last counted error: the line after it, as far as it
 * was fed.  Errors before the state that the scan started from have none.
 */
void marker_scan_message(const struct marker_scan *, struct buf *);

/* The beginning of the line that is being read. */
void marker_scan_state(const struct marker_scan *, struct marker_state *);

/* Frees memory that only reading needs. */
void marker_scan_rest(struct marker_scan *);

/* ---- texts that are there as a whole -------------------------------------- */

/*
 * The markers in what an agent wrote, as it wrote it: Markdown that no terminal
 * has drawn (markersource.c).  It shows all its fences, and also what clients
 * leave out when they draw it: a marker in a list item, in a quote, or indented
 * by four columns or more is an example, not a report.  So is one with a word
 * behind it on its line.
 *
 * Counts the lines with an accepted marker; adds the message of the last
 * counted error to message unless that is NULL or there is no error.  *fence
 * is the block that is open before the text, and then after it: a text may come
 * in pieces, cut at the ends of lines.
 */
struct marker_hits marker_source(const struct marker_set *, const char *text,
    size_t len, struct fence *, struct buf *message);

/* Does the command line of a shell print a marker, rather than read a text that
 * holds one?  The issue in it may be a variable. */
bool marker_command(const struct marker_set *, const char *command);

enum { MARKER_WINDOW_MAX = 1 << 20 };

/*
 * The same for a capture, which is the visible tail of something longer
 * (markerwindow.c; rules 5 and 6).  The window may begin inside a code block: a
 * line counts only if it counts either way.  A marker that the client wrapped
 * counts on its first line.  Of more than MARKER_WINDOW_MAX bytes only the last
 * are read.
 */
struct marker_hits marker_window(const struct marker_set *, const char *text,
    size_t len, struct buf *message);

#endif

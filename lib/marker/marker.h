/*
 * marker.h - the agreed line in an agent's output (tests/vectors/README.md,
 * "markers").
 *
 * A scan counts the lines of terminal output that a set accepts, in bounded
 * memory.
 */
#ifndef PANEWARD_MARKER_H
#define PANEWARD_MARKER_H

#include "base/base.h"
#include "base/issue.h"

/*
 * vt.c (rule 2): terminal output as lines of text, in the order of the bytes.
 *
 * A line holds tabs, but no other controls.  It begins in the ground state, so
 * the bytes between two line feeds can be read alone.
 */

enum { VT_LINE_MAX = 8192 };

enum vt_event {
	VT_MORE,
	VT_SOFT,                /* a cursor move ended a line */
	VT_HARD,                /* a line feed did */
	VT_FULL                 /* the line cannot grow: vt_drop() */
};

enum vt_mode {
	VT_GROUND,
	VT_ESCAPE,
	VT_INTERMEDIATE,        /* behind ESC and bytes 20-2F */
	VT_CSI,
	VT_OSC,                 /* BEL ends it, too */
	VT_STRING,
	VT_STRING_ESCAPE        /* behind ESC in those two */
};

/* All zero at the beginning of a stream. */
struct vt {
	struct buf   line;
	size_t       at;
	enum vt_mode mode;
	bool         cr;        /* the last byte was one */
	bool         again, returned;   /* the line, or the next one, overwrites
					   the one before */
};

/* Takes bytes up to the first event and returns how many.  Call vt_next() after
 * a line. */
size_t vt_feed(struct vt *, const char *bytes, size_t len, enum vt_event *);

/* Adds each line that ends, with a line feed. */
void vt_add_lines(struct vt *, const char *bytes, size_t len,
    struct buf *lines);

void vt_next(struct vt *);

/* Removes the beginning of the line. */
void vt_drop(struct vt *, size_t size);

/* Does a line begin here, with nothing open? */
bool vt_begins(const struct vt *);

/* May a byte be inside a word, unseen? */
bool vt_invisible(char);

/* Frees unused memory. */
void vt_rest(struct vt *);

void vt_release(struct vt *);

/* fence.c (rule 3) */

struct fence {
	char     mark;          /* '`', '~'; 0: no open block */
	unsigned len;
};

enum fence_place {
	FENCE_BEFORE, FENCE_NUMBER, FENCE_LISTED, FENCE_RUN, FENCE_BEHIND,
	FENCE_NONE
};

/* All zero at the beginning of a line. */
struct fence_line {
	enum fence_place place;
	char     mark;
	unsigned len;
	bool     listed, words, ticks;  /* words, ticks: behind the fence */
};

/* Adds a line, or whole characters of it. */
void fence_line_add(struct fence_line *, const char *text, size_t len);

bool fence_opens(const struct fence_line *);
bool fence_closes(const struct fence *, const struct fence_line *);

/* Did a whole line open or close a block? */
bool fence_pass(struct fence *, const struct fence_line *);

/* The size of a blank, or of a quote's or box's bar. */
size_t fence_skipped(const char *text, size_t len);

/* As marker_set_search(). */
size_t fence_search(const char *bytes, size_t len);

/* markerset.c (rules 1, 4) */

enum { MARKER_CUSTOM_MAX = 200, MARKER_BYTES_MAX = 200 };

struct marker_text;

/* A custom marker replaces ###TASK_COMPLETE_N###, but not its bound form. */
struct marker_set {
	char issue[ISSUE_MAX + 1];
	char nonce[NONCE_LEN + 1];      /* "": bound forms do not count */
	char custom[MARKER_CUSTOM_MAX + 1];
	bool keyword;           /* custom counts alone, as a whole word */
	/* Does the custom marker there not count?  May be NULL. */
	bool (*ignored)(void *context, const struct marker_text *, size_t at);
	void *context;
};

/* run and custom may be NULL.  EINVAL: custom is empty or too long, begins or
 * ends with a blank, or holds a control byte. */
int marker_set_init(struct marker_set *, const char *issue, const char *run,
    const char *custom);

/* Does text hold a marker of the set (NULL: of any issue), with any nonce? */
bool marker_set_in(const struct marker_set *, const char *text, size_t len);

enum marker_kind {
	MARKER_COMPLETE = 1 << 0,
	MARKER_ERROR = 1 << 1,
	MARKER_BOUND_COMPLETE = 1 << 2,         /* and MARKER_COMPLETE */
	MARKER_BOUND_ERROR = 1 << 3,            /* and MARKER_ERROR */
	MARKER_STALE = 1 << 4                   /* of another run */
};

/* A line without control sequences, or a piece of one. */
struct marker_text {
	const char *text;
	size_t      len;
	size_t      from, until;        /* markers that begin there count, */
	size_t      beyond;     /* if they end behind this */
	bool        word;       /* a word ends before text */
	bool        open;       /* more may follow */
	bool        first;      /* text begins the line */
	bool        source;     /* no terminal drew it */
};

/* The accepted kinds. */
unsigned marker_set_find(const struct marker_set *, const struct marker_text *);

/* Does a word end before an offset, or before blanks there? */
bool marker_text_word(const struct marker_text *, size_t at);

/* The offset in raw bytes where a marker may begin, or len.  Never too late,
 * whatever escape sequences it holds. */
size_t marker_set_search(const struct marker_set *, const char *bytes,
    size_t len);

enum { MARKER_MESSAGE_MAX = 200 };

struct marker_hits {
	unsigned complete, error;       /* and bound ones */
	unsigned bound_complete, bound_error;
	unsigned stale;
};

void marker_hits_add(struct marker_hits *, unsigned kinds);
/* times may be -1. */
void marker_hits_sum(struct marker_hits *, const struct marker_hits *,
    int times);

/* Trimmed and cut, or "Unknown error". */
void marker_message_add(struct buf *, const char *line, size_t len);

/* At the beginning of a line; all zero at that of a stream. */
struct marker_state {
	uint64_t offset;
	struct marker_hits hits;
	struct fence fence;
	bool     want_message;          /* the line before was an error */
};

/* Callers only read it. */
struct marker_scan {
	struct marker_set   set;
	struct vt           vt;
	struct marker_state now, begin; /* begin: of the line */
	struct buf          message;
	struct scan_line {
		unsigned    counted;    /* kinds */

		/* The dropped part of a long line: */
		struct fence_line fence;
		unsigned    kinds;
		size_t      from;       /* its end, in the rest */
		bool        word;
	} line;
};

/* from may be NULL. */
struct marker_scan *marker_scan_new(const struct marker_set *,
    const struct marker_state *from);
void marker_scan_free(struct marker_scan *);

void marker_scan_feed(struct marker_scan *, const char *bytes, size_t len);

/* Feeds one NUL or more, in constant time. */
void marker_scan_skip(struct marker_scan *, uint64_t nuls);

/* May the caller skip with marker_set_search()?  After a find it feeds all that
 * it skipped, which may hold fences. */
bool marker_scan_idle(const struct marker_scan *);

/* unfinished: the stream ends here; else the last line counts only if nothing
 * but a backspace can change it. */
struct marker_hits marker_scan_hits(struct marker_scan *, bool unfinished);

/* May the unfinished line still change the hits? */
bool marker_scan_waits(const struct marker_scan *);

/* Adds the last error's message so far. */
void marker_scan_message(const struct marker_scan *, struct buf *);

void marker_scan_rest(struct marker_scan *);

/* markertext.c */

/* In Markdown, a marker in a list, a quote or a block, or before a word, is an
 * example.  message may be NULL.  *fence: the open block, before and after. */
struct marker_hits marker_source(const struct marker_set *, const char *text,
    size_t len, struct fence *, struct buf *message);

/* Does a command print a marker, maybe of a variable? */
bool marker_command(const struct marker_set *, const char *command);

enum { MARKER_WINDOW_MAX = 1 << 20 };

/* A capture (rules 5 and 6) may begin inside a code block, so a line counts
 * only if it counts either way. */
struct marker_hits marker_window(const struct marker_set *, const char *text,
    size_t len, struct buf *message);

#endif

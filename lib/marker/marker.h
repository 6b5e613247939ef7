/*
 * marker.h - the agreed line in an agent's output; tests/vectors/README.md,
 * section "markers", has the rules.
 *
 * A struct marker_set says what counts for one issue.
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

#include "base/issue.h"
#include "marker/vt.h"

/* ---- code blocks: fence.c ------------------------------------------------ */

/*
 * Code blocks in Markdown, as panes show it
 * (tests/vectors/README.md, "markers", rule 3).
 *
 * A struct fence is the open block; all zero: none.  A struct fence_line judges
 * whether a line opens or closes one.  It is all zero at the beginning of a
 * line and gets the line's text, whole or in pieces that end with a character.
 */

struct fence {
	char     mark;          /* '`' or '~'; 0: no block is open */
	unsigned len;           /* how many of them opened it */
};

enum fence_place {
	FENCE_BEFORE,           /* among what is skipped before a fence */
	FENCE_NUMBER,           /* in the digits of a list marker */
	FENCE_LISTED,           /* behind a list marker: a blank must follow */
	FENCE_RUN,              /* in the backticks or tildes */
	FENCE_BEHIND,           /* behind three of them or more */
	FENCE_NONE              /* whatever follows: no fence line */
};

struct fence_line {
	enum fence_place place;
	char     mark;
	unsigned len;
	bool     listed;        /* a list marker stands before: cannot close */
	bool     words;         /* more than is skipped stands behind */
	bool     ticks;         /* a backtick stands behind */
};

void fence_line_add(struct fence_line *, const char *text, size_t len);

bool fence_opens(const struct fence_line *);
bool fence_closes(const struct fence *, const struct fence_line *);

/* Applies a whole line; did it open or close a block? */
bool fence_pass(struct fence *, const struct fence_line *);

/* The same with the text of a line; is it no part of a block? */
bool fence_outside(struct fence *, const char *line, size_t len);

/*
 * The size of the blank, tab, or line of a quote or a box (> U+2502 U+2503)
 * that begins at text; 0 if it is something else.
 */
size_t fence_skipped(const char *text, size_t len);

/*
 * Searches raw bytes: the offset of the first backtick or tilde from which a
 * fence may begin, whatever escape sequences are in it; len if there is none.
 * Sometimes too early.  Ignores backspaces.
 */
size_t fence_search(const char *bytes, size_t len);

/* ---- what counts for an issue: markerset.c ------------------------------- */

/*
 * The markers of one issue, and where a text holds one
 * (tests/vectors/README.md, "markers", rules 1 and 4).
 *
 * There are four spellings, ###TASK_COMPLETE_N###, ###COMPLETE_TASK_N###,
 * ###TASK_ERROR_N### and ###ERROR_TASK_N###, each also in the bound form with
 * the nonce of the run, ###TASK_COMPLETE_N:12345678###.  A custom completion
 * marker may replace the first.  Bound forms count even then: only an agent
 * that was given the nonce can write them.
 */

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

/* Markers of a line are added up. */
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

/* ---- a stream ------------------------------------------------------------ */

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

/* Allocated by marker_scan_new(); only read by its users. */
struct marker_scan {
	struct marker_set   set;
	struct vt           vt;
	struct marker_state now;        /* its offset: of the next byte to
					   feed */
	struct marker_state begin;      /* of the line that is being read */
	struct buf          message;    /* of the last error, not yet trimmed */
	struct scan_line {              /* that line */
		unsigned    counted;    /* kinds that are among the hits */

		/* A line that is too long had these in the part that was
		 * dropped. */
		struct fence_line fence;
		unsigned    kinds;
		size_t      from;       /* in what is left: up to where */
		bool        word;
	} line;
};

struct marker_scan *marker_scan_new(const struct marker_set *,
    const struct marker_state *from);   /* from may be NULL: the beginning */
void marker_scan_free(struct marker_scan *);    /* NULL is fine */

void marker_scan_feed(struct marker_scan *, const char *bytes, size_t len);

/* The same as feeding that many NULs, in constant time. */
void marker_scan_skip(struct marker_scan *, uint64_t nuls);

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

/* Frees memory that only reading needs. */
void marker_scan_rest(struct marker_scan *);

/* ---- texts that are there as a whole -------------------------------------- */

/*
 * The markers in what an agent wrote, as it wrote it: Markdown that no terminal
 * has drawn (markertext.c).  It shows all its fences, and also what clients
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
 * (markertext.c; rules 5 and 6).  The window may begin inside a code block: a
 * line counts only if it counts either way.  A marker that the client wrapped
 * counts on its first line.  Of more than MARKER_WINDOW_MAX bytes only the last
 * are read.
 */
struct marker_hits marker_window(const struct marker_set *, const char *text,
    size_t len, struct buf *message);

#endif

/*
 * transcript.h - what a client writes down of its session, one JSON object a
 * line, read as events.
 *
 * The format is data: "transcript" of backends/NAME.json.
 *
 *	"transcript": {
 *	  "time": "timestamp",
 *	  "lines": [
 *	    { "is": "message", "each": "message.content",
 *	      "when": { "type": "assistant", "@type": "text" },
 *	      "text": "@text" },
 *	    { "is": "turn-ended",
 *	      "when": { "message.stop_reason": "end_turn" } }
 *	  ]
 *	}
 *
 * A line is every row that matches it.  A path names members, and numbers of
 * lists, with dots between them; with @ in front it begins at a member of the
 * list that "each" names.  "when" compares: a text, as fnmatch(3) does;
 * true; a number; or false or null, which are a missing member, too.
 *
 * "is" has the words of a hook's events.  Beside them "said" is a message that
 * may be the last one of its turn, where no line tells a turn's end, and
 * "output" what a tool printed.  As for hooks, that counts if the tool is a
 * shell whose command line prints a marker.
 *
 * "version" is the path of the client's version, in lines that have it.
 *
 * "usage" has rows of lines that tell tokens: lists of paths whose numbers are
 * added up, and the path of the id under which a client tells them again:
 *
 *	  "usage": [
 *	    { "when": { "type": "assistant" }, "id": "message.id",
 *	      "input": [ "usage.input", "usage.cached" ],
 *	      "cached": [ "usage.cached" ], "output": [ "usage.output" ] }
 *	  ]
 *
 * Clients write in batches that are not in the order of time.  So what counts
 * for the activity is the newest time, not the last line.
 */
#ifndef PANEWARD_TRANSCRIPT_H
#define PANEWARD_TRANSCRIPT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "backend/transcriptfile.h"
#include "base/clock.h"
#include "marker/markerset.h"
#include "run/events.h"
#include "run/tokens.h"
#include "text/strict.h"

enum {
	TRANSCRIPT_SAID = 8192,         /* bytes of a message that are kept */
	TRANSCRIPT_LINE = 1 << 20,      /* bytes; a longer one is left out */
	TRANSCRIPT_NEW = 1 << 20,       /* behind that many bytes only lines
					   with a marker's word are parsed */
	TRANSCRIPT_CALLS = 16
};

/* A reader of one file.  All zero but the first nine is one that has read
 * nothing. */
struct transcript {
	const struct transcript_format *format;         /* borrowed */
	const struct marker_set *markers;       /* borrowed */
	msec     since;                 /* a marker of that time, or before it,
					   counts as stale */
	struct buf *said;               /* takes the newest message, its
					   beginning; borrowed; NULL */
	bool     resumed;               /* other lines of before tell nothing,
					   either: a run that began with its
					   client may go on with a session */
	struct token_count *tokens;     /* adds what follows its mark; borrowed;
					   NULL */
	msec     began;                 /* the run; see tokens_count() */
	/* Called for each message, which may be one of before that is written
	 * again with more of it; NULL.  Without it, only those of the last
	 * TRANSCRIPT_NEW bytes are read. */
	void   (*each)(void *, const char *text, bool again);
	void    *context;

	struct event_evidence events;
	uint64_t read;                  /* bytes, to the end of a line, */
	uint64_t skipped;               /* and of one that is too long */
	uint64_t size;                  /* with a line that is not finished */
	dev_t    dev;
	ino_t    ino;
	char     version[EVENT_WORD];   /* of the client; "": not known */
	unsigned lines, known;          /* of the format */
	unsigned strange;               /* not of it, and with a marker */
	unsigned broken, oversize;      /* no JSON; too long */
	char     calls[TRANSCRIPT_CALLS][EVENT_WORD];   /* printing a marker */
	unsigned ncalls;
	char     message[EVENT_WORD];   /* the newest one, */
	struct marker_hits hits;        /* and what was counted in it */
};

/* The row of "transcript" in a backend; its field is one of those below. */
strict_take transcript_take;
void transcript_format_free(struct transcript_format *); /* NULL is fine */

/* Where its files lie; NULL: that is not known. */
const struct transcript_place *transcript_place(
    const struct transcript_format *);

/*
 * Reads what is new in the open file.  1: something was new, 0: nothing, -1
 * with errno.  A file that was replaced or became shorter is read from its
 * beginning.
 */
int  transcript_read(struct transcript *, int fd);

/* Takes account of the file that the client keeps of its process. */
void transcript_process(struct transcript *, const cJSON *);

#endif

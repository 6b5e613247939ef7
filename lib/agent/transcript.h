/*
 * transcript.h - a client's record of its session, one JSON object a line, read
 * as events.
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
 *	  ],
 *	  "usage": [
 *	    { "when": { "type": "assistant" }, "id": "message.id",
 *	      "input": [ "usage.input", "usage.cached" ],
 *	      "cached": [ "usage.cached" ], "output": [ "usage.output" ] }
 *	  ]
 *	}
 *
 * A line is every row that it matches.  A path joins members, and numbers of
 * lists, by dots; @ begins it at a member of the list that "each" names. "when"
 * compares texts as fnmatch(3), numbers and true; false and null match a
 * missing member, too.
 *
 * "is" takes the words of a hook's events, and "said": a message that may end
 * its turn, where no line ends turns; "output": a tool's output, which counts
 * if its shell command prints a marker.  "version" is the path of the client's
 * version.  "usage" adds up tokens; a client may repeat those of an id.
 *
 * Clients write in batches out of order, so the newest time is the activity.
 */
#ifndef PANEWARD_TRANSCRIPT_H
#define PANEWARD_TRANSCRIPT_H

#include "data/strict.h"
#include "run/events.h"

enum {
	TRANSCRIPT_SAID = 8192,         /* bytes of a message that are kept */
	TRANSCRIPT_LINE = 1 << 20,      /* bytes; a longer one is skipped */
	TRANSCRIPT_NEW = 1 << 20,       /* last bytes, before which only lines
					   with a marker's word are parsed */
	TRANSCRIPT_CALLS = 16
};

/* A reader of one file; zeros from events on: it has read nothing. */
struct transcript {
	const struct transcript_format *format;         /* borrowed */
	const struct marker_set *markers;       /* borrowed */
	msec     since;                 /* markers up to then are stale */
	struct buf *said;               /* gets the beginning of the newest
					   message; borrowed; NULL */
	bool     resumed;               /* older lines belong to an earlier run
					   of the session */
	struct token_count *tokens;     /* adds lines behind its mark; borrowed;
					   NULL */
	msec     began;                 /* the run; see tokens_count() */
	/* Called for each message; again: one that has grown.  If NULL, only
	 * messages of the last TRANSCRIPT_NEW bytes are read. */
	void   (*each)(void *, const char *text, bool again);
	void    *context;

	struct event_evidence events;
	uint64_t read;                  /* bytes to the end of a line, */
	uint64_t skipped;               /* of a line that is too long, */
	uint64_t size;                  /* and with an unfinished line */
	dev_t    dev;
	ino_t    ino;
	char     version[EVENT_WORD];   /* of the client, or "" */
	unsigned lines, known;          /* known: of the format */
	unsigned strange;               /* unknown, and with a marker */
	unsigned broken, oversize;      /* no JSON; too long */
	char     calls[TRANSCRIPT_CALLS][EVENT_WORD];   /* printing a marker */
	unsigned ncalls;
	char     message[EVENT_WORD];   /* id of the newest one, */
	struct marker_hits hits;        /* and its markers */
};

/* The row of "transcript" in a backend; the field is a format. */
strict_take transcript_take;
void transcript_format_free(struct transcript_format *); /* NULL is fine */

/* NULL: the place of the files is unknown. */
const struct transcript_place *transcript_place(
    const struct transcript_format *);

/* Reads the new part of the open file, or all if it was replaced or became
 * shorter.  1: something was new, 0: nothing, -1 with errno. */
int  transcript_read(struct transcript *, int fd);

/* Reads the file that the client keeps of its process. */
void transcript_process(struct transcript *, const struct json *);

/* ---- where it lies: transcriptfile.c ------------------------------------- */

/*
 * A transcript counts only if exactly one is found: by the open files of the
 * process, by the path in a hook, or by the session's id, which the client got,
 * wrote to the file of its process, or sent to a hook.  No link below the
 * folder is followed.
 */

/* From "transcript" of a backend; NULL: not set. */
struct transcript_place {
	char *folder, *variable;        /* below HOME, unless this is set */
	char *files;                    /* "projects/ * /<<session>>.jsonl" */
	char *process;                  /* "sessions/<<pid>>.json" */
	char *session, *process_time;   /* paths in that file */
	char *moved, *moved_to;         /* paths of the same word, in the files
					   of the old and the new process */
	bool  open;                     /* the process holds it open */
	char *shared;                   /* a word of a process that serves many
					   sessions */
	bool  late;                     /* the first message makes it */
};

struct transcript_found {
	char  *path;                    /* NULL: none, or several */
	struct json *process;           /* file of the session's process, */
	const char *session;            /* and the session in it; or NULL */
	bool   moved;                   /* that is not the agent's process */
};

/* Hints; all but run may be missing. */
struct transcript_lead {
	pid_t       agent;
	const char *session;            /* of the agent */
	const char *run;                /* the session that it was given */
	const char *told, *told_session;        /* path and session of a hook */
	const char *known;              /* the last result: one of the session
					   saves the search */
};

void transcript_find(struct transcript_found *, const struct transcript_place *,
    const struct transcript_lead *);
void transcript_found_release(struct transcript_found *);

/* A time in an object: a text, or ms since 1970; -1: none. */
msec transcript_time(const struct json *, const char *path);

/* Opens a transcript for reading.  -1 with errno, EBADMSG for a path with
 * links, another user's file, or no regular file. */
int  transcript_open(const char *path);

#endif

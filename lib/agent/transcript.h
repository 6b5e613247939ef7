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

#include "data/strict.h"
#include "run/events.h"

enum {
	TRANSCRIPT_SAID = 8192,         /* bytes of a message that are kept */
	TRANSCRIPT_LINE = 1 << 20,      /* bytes; a longer one is left out */
	TRANSCRIPT_NEW = 1 << 20,       /* behind that many bytes only lines
					   with a marker's word are parsed */
	TRANSCRIPT_CALLS = 16
};

/* A reader of one file.  All zero from events on is one that has read
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
void transcript_process(struct transcript *, const struct json *);

/* ---- where it lies: transcriptfile.c ------------------------------------- */

/*
 * A client keeps transcripts in a folder of its user.  Only what leads to
 * exactly one file counts: the file that its process holds open; the path that
 * it told a hook; or the session's id, which the client was given, keeps in a
 * file of its process, or told a hook.  Below the folder no link is followed.
 */

/* From "transcript" of a backend. */
struct transcript_place {
	char *folder;                   /* below the home directory, */
	char *variable;                 /* or what this names; NULL: nothing */
	char *files;                    /* "projects/ * /<<session>>.jsonl" */
	char *process;                  /* "sessions/<<pid>>.json"; NULL */
	char *session, *process_time;   /* paths in that file */
	char *moved, *moved_to;         /* ... of a session that went on in
					   another process, whose own file has
					   the same word at moved_to; NULL */
	bool  open;                     /* the process holds it open */
	char *shared;                   /* a word in the command line of a
					   process that serves many sessions;
					   NULL: there is none */
	bool  late;                     /* it is made with the first message */
};

struct transcript_found {
	char  *path;                    /* NULL: none, or several */
	struct json *process;           /* the file of the process that has the
					   session, or NULL */
	const char *session;            /* in it, or NULL */
	bool   moved;                   /* it is not the agent's process */
};

/* The hints that lead to it; all but run may be missing. */
struct transcript_lead {
	pid_t       agent;
	const char *session;            /* of the agent */
	const char *run;                /* the session it was given, if it has
					   that for the name of its file only */
	const char *told, *told_session;        /* by a hook of that session:
					   the path */
	const char *known;              /* what was found before: if it is of
					   the session, there is no search */
};

void transcript_find(struct transcript_found *, const struct transcript_place *,
    const struct transcript_lead *);
void transcript_found_release(struct transcript_found *);

/* A time in an object: a text, or ms since 1970; -1: none. */
msec transcript_time(const struct json *, const char *path);

/* Opens a transcript for reading; -1 with errno, EBADMSG if it is no regular
 * file, belongs to another user, or a link is on the way to it. */
int  transcript_open(const char *path);

#endif

/*
 * transcript.h - a client's record of its session, one JSON object a line, read
 * as events in the format that paneward-backend(5) describes.
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
	TRANSCRIPT_NEW = 1 << 20,       /* last bytes: before them, lines
					   without a marker are skipped */
	TRANSCRIPT_CALLS = 16
};

/* A reader of one file; zeros from events on: it has read nothing. */
struct transcript {
	const struct transcript_format *format;         /* borrowed */
	const struct marker_set *markers;       /* borrowed */
	msec     since;                 /* markers up to then are stale */
	struct buf *said;               /* gets the newest message; borrowed;
					   NULL */
	bool     resumed;               /* lines up to then do not count */
	struct token_count *tokens;     /* adds lines behind its mark; borrowed;
					   NULL */
	msec     began;                 /* the run, for tokens_count() */
	/* Gets each message of the whole file, again if it grows; or NULL. */
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
 * process, by the path in a hook, or by the id of the session.
 */

/* The keys of that name; NULL: not set. */
struct transcript_place {
	char *folder, *variable, *files, *shared;
	char *process, *session, *process_time, *moved, *moved_to;
	bool  open, late;
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
	const char *known;              /* the last result saves a search */
};

void transcript_find(struct transcript_found *, const struct transcript_place *,
    const struct transcript_lead *);
void transcript_found_release(struct transcript_found *);

/* A time in an object: a text, or ms since 1970; -1: none. */
msec transcript_time(const struct json *, const char *path);

/* -1 with errno, EBADMSG for a path with links, another user's file, or no
 * regular file. */
int  transcript_open(const char *path);

#endif

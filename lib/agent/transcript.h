/*
 * transcript.h - a client's record of its session, read as events; see
 * paneward-backend(5).
 *
 * Clients write in batches out of order, so the newest time is the activity.
 */
#ifndef PANEWARD_TRANSCRIPT_H
#define PANEWARD_TRANSCRIPT_H

#include "data/strict.h"
#include "run/events.h"

enum {
	TRANSCRIPT_SAID = 8192,         /* bytes of a message */
	TRANSCRIPT_LINE = 1 << 20,      /* bytes; a longer one is skipped */
	TRANSCRIPT_NEW = 1 << 20,       /* last bytes, of which each line is
					   parsed */
	TRANSCRIPT_CALLS = 16,
	TRANSCRIPT_OPEN = 4             /* unanswered calls */
};

/* Borrows what it points to; said and tokens may be NULL.  Zeros from read on,
 * and in events: nothing is read. */
struct transcript {
	const struct transcript_format *format;
	const struct marker_set *markers;
	struct event_evidence *events;
	msec     since;                 /* markers up to then are stale */
	struct buf *said;               /* gets the newest message */
	bool     resumed;               /* lines up to then do not count */
	struct token_count *tokens;     /* counts lines behind its mark */
	msec     began;                 /* for tokens_count() */
	/* Gets each message, again if it grows; or NULL. */
	void   (*each)(void *, const char *text, bool again);
	void    *context;
	bool     all;                   /* parses the whole file */

	uint64_t read, skipped;         /* bytes; skipped: of a long line */
	uint64_t size;                  /* with an unfinished line */
	dev_t    dev;
	ino_t    ino;
	char     version[EVENT_WORD];   /* of the client, or "" */
	unsigned lines, known, broken, oversize;
	unsigned strange;               /* unknown lines with a marker */
	uint64_t calls[TRANSCRIPT_CALLS];       /* ids of those that print a
					   marker, as hashes */
	unsigned ncalls;
	struct {
		uint64_t id;
		char     what[EVENT_BRIEF];
	} open[TRANSCRIPT_OPEN];        /* the newest is the last one */
	unsigned nopen;
	uint64_t message;               /* id of the newest one, as a hash, */
	struct marker_hits hits;        /* and its markers */
};

strict_take transcript_take;
void transcript_format_free(struct transcript_format *); /* NULL is fine */

const struct transcript_place *transcript_place(
    const struct transcript_format *);

/* Reads the new part, or all of a replaced or shorter file.  1: new, 0: nothing
 * new, -1 with errno. */
int  transcript_read(struct transcript *, int fd);
/* The same of a file found, or of all parts of its session; -1, 0 or more. */
int  transcript_read_path(struct transcript *, const char *path);

void transcript_process(struct transcript *, const struct json *);

/* The last message of a file, whole.  1; 0: it has none; -1 with errno. */
int  transcript_answer(const struct transcript_format *, const char *path,
    struct buf *text);

/* ---- where it lies: transcriptfile.c ------------------------------------- */

/* Exactly one may be found: by the process, a hook, or the session's id. */

/* The keys of that name; NULL: not set. */
struct transcript_place {
	char *folder, *variable, *files, *shared;
	char *process, *session, *process_time, *moved, *moved_to;
	char *process_id;
	struct json *states;
	bool  open, late, parts;
};

struct transcript_found {
	char  *path;                    /* NULL: none, or several */
	struct json *process;           /* file of the session's process, */
	const char *session;            /* and the session in it; or NULL */
	bool   moved;                   /* that is not the agent's process */
	pid_t  left_to;                 /* the session's process, if the agent
					   has ended, or has no file; or 0 */
};

/* A background session, by the file of its process, from which these are
 * borrowed; name and folder may be NULL. */
struct transcript_session { const char *id, *session, *name, *folder; };

/* False: it is none. */
bool transcript_session(const struct transcript_place *, const struct json *,
    struct transcript_session *);

/* Hints; all but run may be missing. */
struct transcript_lead {
	pid_t       agent;
	const char *session, *run;      /* the agent's, and the given one */
	const char *told, *told_session;        /* by a hook: its path */
	const char *known;              /* the last result saves a search */
};

void transcript_find(struct transcript_found *, const struct transcript_place *,
    const struct transcript_lead *);
void transcript_found_release(struct transcript_found *);

/* The client's folder by the environment of a process (0: ours), for free(); or
 * NULL. */
char *transcript_folder(const struct transcript_place *, pid_t);
/* The processes with a file there, for free().  0: see errno. */
size_t transcript_pids(const struct transcript_place *, const char *folder,
    pid_t **);
/* False: there is none, or an older one, of an earlier process.  *content is
 * NULL while it is being written. */
bool transcript_file(const struct transcript_place *, const char *folder, pid_t,
    struct json **content);

/* A text, or ms since 1970; -1: none. */
msec transcript_time(const struct json *, const char *path);

/* -1 with errno, EBADMSG for a path with links, another user's file, or no
 * regular file. */
int  transcript_open(const char *path);

/* All of the session's, for argv_free(); without parts, the path. */
char **transcript_parts(const struct transcript_place *, const char *path);

#endif

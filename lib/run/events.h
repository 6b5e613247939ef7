/*
 * events.h - what an agent's own hooks reported: <issue>.records in .paneward
 * (SPEC 3, 4).
 *
 * Each call of a hook is one line of JSON, of at most RECORD_MAX bytes,
 * appended by one write under a lock of the file.  The agent's message is not
 * kept: its markers were counted where it was whole.  Readers skip what is no
 * record.
 *
 * A run's records are those of its agent's session.  An agent that is run by
 * this one, or by a command of ours, has its hooks report for the same run; they
 * are of another session and left out.  So who begins a session says which
 * process it is, and what that was begun by.
 */
#ifndef PANEWARD_EVENTS_H
#define PANEWARD_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/issue.h"
#include "marker/fence.h"
#include "marker/marker.h"
#include "run/status.h"

enum {
	RECORD_MAX = 4096,              /* bytes of a line */
	RECORD_WORD = 40,
	RECORD_PROCESSES = 16,
	RECORD_SESSION_MAX = 128,
	RECORD_TEXT = 200 * 4 + 1       /* 200 code points */
};

enum record_event {
	RECORD_NONE,
	RECORD_SESSION,                 /* a session has started */
	RECORD_TURN,                    /* a turn has begun: a prompt was sent */
	RECORD_TOOL,                    /* a tool is used, or was */
	RECORD_MESSAGE,                 /* a message, or a piece of it */
	RECORD_COMPACT,                 /* the session is about to be compacted */
	RECORD_WAITING,                 /* for a person */
	RECORD_ENDED,                   /* a turn has ended, with a message */
	RECORD_FAILED,                  /* ... without, by an error */
	RECORD_OVER,                    /* the session has ended */
	RECORD_EVENTS
};

struct record_process {
	pid_t    pid;
	uint64_t start;                 /* as proc.h has it */
};

struct record {
	enum record_event event;
	msec     time;                  /* wall time */
	char     run[RUN_ID_LEN + 1];   /* empty: of no run that is known */
	char     session[RECORD_SESSION_MAX];
	struct record_process processes[RECORD_PROCESSES];
	unsigned nprocesses;            /* SESSION: the agent, and those that it
					   was begun by; 0: not known */
	char     pane[RECORD_WORD];     /* SESSION: in which; "": none */
	char     kind[RECORD_WORD];     /* WAITING: permission, question, prompt;
					   FAILED: the agent's word for why;
					   ENDED: background, if that goes on */
	char     text[RECORD_TEXT];     /* what is asked, or was said */
	msec     reset;                 /* of a limit; 0: not known */
	bool     said;                  /* ENDED: the turn's message was there;
					   MESSAGE: it is a whole one */
	struct marker_hits hits;        /* in the message, or what a tool said */
	char     error[RECORD_TEXT];    /* the message of the last error in it */
	char     message[RECORD_WORD];  /* MESSAGE: which one, */
	unsigned index;                 /* which piece of it, */
	bool     final;                 /* the last one? */
	struct fence fence;             /* MESSAGE: what is open behind it */
};

const char *record_event_name(enum record_event);

/*
 * Appends a record to those of an issue, in the open .paneward.  One that says
 * no more than the last one, a few seconds ago, is left out.  -1 with errno.
 */
int  record_add(const struct record *, int state_fd, const char *issue);

/* The file, so that it can be watched: a descriptor and its inode, or -1 with
 * errno and 0.  Before the first record there is none; a rename makes it. */
int  record_open(int state_fd, const char *issue, ino_t *ino);

/*
 * The piece of a message before this one, with its fence.  False where it was
 * not recorded (yet: hooks overtake each other).
 */
bool record_piece(struct record *, int state_fd, const char *issue,
    const char *message, unsigned index);

/* What all records of a run say together. */
struct record_evidence {
	bool     there;                 /* is there any? */
	char     session[RECORD_SESSION_MAX];
	struct record_process agent;    /* of the session; pid 0: not known */
	char     pane[RECORD_WORD];
	struct marker_hits hits;        /* in all that the agent wrote */
	struct marker_past past;        /* of these, before the run's error; the
					   reader leaves it as it is */
	char     error[RECORD_TEXT];
	enum record_event last;         /* what the agent is at; never a piece
					   of a message that came late */
	char     kind[RECORD_WORD], text[RECORD_TEXT];
	msec     reset;
	msec     time;                  /* of the newest one */
	unsigned turns;                 /* that have ended, with a message */
	bool     told;                  /* a message of it, in whichever turn */
	bool     unsaid;                /* what it wrote last is in no record */
	bool     whole;                 /* ... but would be if its turn ended */
};

/* A reader; all zero is one that has read nothing. */
struct record_reader {
	uint64_t read;                  /* bytes */
	ino_t    ino;
};

/* Without opening the file: may there be something behind that many bytes? */
bool record_unread(int state_fd, const char *issue, uint64_t read);

/* Whose records count: those of that run, and from its beginning on those that
 * knew of none. */
struct record_run {
	const char *id;                 /* NULL: every record counts */
	msec        started;            /* wall time */
};

/*
 * Adds what is new in the file.  1: something was new, 0: nothing, -1 with
 * errno.  A file that was replaced or became shorter is read from its beginning.
 */
int  record_read(struct record_reader *, struct record_evidence *, int state_fd,
    const char *issue, const struct record_run *);

/* Is the last turn over, and its text lost: interrupted, failed, or ended
 * without one? */
bool record_lost(const struct record_evidence *);

/* Takes account of one more record; what record_read() does. */
void record_fold(struct record_evidence *, const struct record *);

void record_name(char name[ISSUE_MAX + 12], const char *issue);

#endif

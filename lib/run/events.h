/*
 * events.h - what an agent's own hooks reported: <issue>.records in .paneward.
 *
 * Each call of a hook is one line of JSON, of at most EVENT_MAX bytes,
 * appended by one write under a lock of the file.  The agent's message is not
 * kept: the hook counts its markers, since it has the whole text.  Readers
 * skip lines that are no event.
 *
 * A run's events are those of its agent's session.  The hooks of another
 * agent, run by this one or by a command of ours, report for the same run;
 * they name another session and are left out.  So the event that begins a
 * session says which process the agent is, and what started it.
 */
#ifndef PANEWARD_EVENTS_H
#define PANEWARD_EVENTS_H

#include "run/status.h"

enum {
	EVENT_MAX = 4096,               /* bytes of a line */
	EVENT_WORD = 40,
	EVENT_PROCESSES = 16,
	EVENT_SESSION_MAX = 128,
	EVENT_PATH = 512,
	EVENT_TEXT = 200 * 4 + 1        /* 200 code points */
};

enum event_type {
	EVENT_NONE,
	EVENT_SESSION,                  /* a session has started */
	EVENT_TURN,                     /* a turn has begun: a prompt was sent */
	EVENT_TOOL,                     /* a tool is used, or was */
	EVENT_MESSAGE,                  /* a message, or a piece of it */
	EVENT_COMPACT,                  /* the session is about to be compacted */
	EVENT_WAITING,                  /* for a person */
	EVENT_ENDED,                    /* a turn has ended, with a message */
	EVENT_FAILED,                   /* ... without, by an error */
	EVENT_OVER,                     /* the session has ended */
	EVENT_TYPES
};

struct event_process {
	pid_t    pid;
	uint64_t start;                 /* as proc.h has it */
};

struct event {
	enum event_type type;
	msec     time;                  /* wall time */
	char     run[RUN_ID_LEN + 1];   /* empty: of no run that is known */
	char     session[EVENT_SESSION_MAX];
	struct event_process processes[EVENT_PROCESSES];
	unsigned nprocesses;            /* SESSION: the agent, and those above
					   it; 0: not known */
	char     pane[EVENT_WORD];      /* SESSION: in which; "": none */
	char     transcript[EVENT_PATH];        /* SESSION, TURN: its path; "":
					   not known */
	char     kind[EVENT_WORD];      /* WAITING: permission, question, prompt;
					   FAILED: the agent's word for why;
					   ENDED: background, if that goes on;
					   command, if only one still runs */
	char     text[EVENT_TEXT];      /* what is asked, or was said; TOOL: the
					   same words as when it is asked */
	bool     notice;                /* WAITING: it reminds of a question
					   that has an event of its own */
	msec     reset;                 /* of a limit; 0: not known */
	bool     said;                  /* ENDED: the turn's message was there;
					   MESSAGE: it is a whole one */
	struct marker_hits hits;        /* in the message, or what a tool said */
	char     error[EVENT_TEXT];     /* the message of the last error in it */
	char     message[EVENT_WORD];   /* MESSAGE: which one, */
	unsigned index;                 /* which piece of it, */
	bool     final;                 /* the last one? */
	struct fence fence;             /* MESSAGE: what is open behind it */
};

extern const char *const event_types[EVENT_TYPES];

/* What a word of a backend's file means, like "turn-ended". */
struct event_meaning {
	enum event_type type;
	const char     *kind;           /* WAITING: for what; NULL: another
					   word says it */
};

/* False: there is no such word.  name may be NULL. */
bool event_meaning(const char *name, struct event_meaning *);

/* Copies words from outside as people may see them, 200 code points at most,
 * into a field of that size.  NULL leaves it as it is. */
void event_words(char *field, size_t size, const char *words);
/* Sets hits, fence and error by what the agent wrote. */
void event_scan(struct event *, const struct marker_set *, const char *text);

/* Appends an event to those of an issue, in the open .paneward, unless it says
 * no more than the last one, a few seconds ago.  -1 with errno. */
int  event_add(const struct event *, int state_fd, const char *issue);

/* Appends all events of another folder's issue.  -1 with errno. */
int  events_copy(int from, const char *name, int state_fd, const char *issue);

/* The file, so that it can be watched: a descriptor and its inode, or -1 with
 * errno and 0.  Before the first event there is none; a rename makes it. */
int  events_open(int state_fd, const char *issue, ino_t *ino);

/* The message's piece of that index, with its fence.  False if it was not
 * written, or not yet: hooks overtake each other. */
bool event_piece(struct event *, int state_fd, const char *issue,
    const char *message, unsigned index);

/* What all events of a run say together. */
struct event_evidence {
	bool     there;                 /* is there any? */
	char     session[EVENT_SESSION_MAX];
	struct event_process agent;     /* of the session; pid 0: not known */
	char     pane[EVENT_WORD];
	char     transcript[EVENT_PATH];        /* of the session; "": no hook
					   has told it */
	struct marker_hits hits;        /* in all that the agent wrote */
	struct marker_ignored ignored;  /* of these: before the run's error; the
					   reader leaves it as it is */
	char     error[EVENT_TEXT];
	enum event_type last;           /* what the agent is at; never a piece
					   of a message that came late */
	char     kind[EVENT_WORD], text[EVENT_TEXT];
	bool     notice;
	msec     reset;
	msec     asked;                 /* when the last question was asked */
	msec     began;                 /* since when it is at that */
	msec     time;                  /* of the newest one */
	unsigned turns;                 /* that have ended, with a message */
	bool     told;                  /* a message of it, in whichever turn */
	bool     unsaid;                /* no event has what it wrote last */
	bool     whole;                 /* ... but has it if its turn ends */
};

/* A reader; all zero is one that has read nothing. */
struct events_reader {
	uint64_t read;                  /* bytes */
	ino_t    ino;
};

/* Without opening the file: may it hold more than that many bytes? */
bool events_unread(int state_fd, const char *issue, uint64_t read);

/* The events that count: those of that run, and from its beginning on those
 * without a run. */
struct events_run {
	const char *id;                 /* NULL: those of any run, from its
					   beginning on */
	msec        started;            /* wall time */
	const char *session;            /* only those of this one; NULL: see
					   the top */
};

/* Adds what is new in the file; one that was replaced or became shorter is read
 * from its beginning.  1: something was new, 0: nothing, -1 with errno. */
int  events_read(struct events_reader *, struct event_evidence *, int state_fd,
    const char *issue, const struct events_run *);

/* Is the last turn over, and its text lost: interrupted, failed, or ended
 * without one? */
bool events_lost(const struct event_evidence *);

/* Adds one event, as events_read() does. */
void events_fold(struct event_evidence *, const struct event *);

#endif

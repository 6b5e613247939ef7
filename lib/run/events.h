/*
 * events.h - what an agent's own hooks reported: <issue>.records in .paneward.
 *
 * A hook appends one line of JSON, by one write under a lock of the file.  It
 * counts the markers of the message, which is not kept.  Readers skip every
 * other line.
 *
 * A run's events are those of its agent's session.  The hooks of other agents
 * that the agent runs name another session and are ignored.  So the event that
 * begins a session names its processes.
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
	EVENT_SESSION,                  /* a session started */
	EVENT_TURN,                     /* a prompt was sent */
	EVENT_TOOL,                     /* a tool is used, or was */
	EVENT_MESSAGE,                  /* a message, or a piece of it */
	EVENT_COMPACT,                  /* the session is being compacted */
	EVENT_WAITING,                  /* for a person */
	EVENT_ENDED,                    /* a turn ended with a message */
	EVENT_FAILED,                   /* a turn ended by an error */
	EVENT_OVER,                     /* the session ended */
	EVENT_TYPES
};

struct event_process {
	pid_t    pid;
	uint64_t start;                 /* proc.h's unit */
};

/* Empty texts and zeros are unknown. */
struct event {
	enum event_type type;
	msec     time;                  /* wall time */
	char     run[RUN_ID_LEN + 1];
	char     session[EVENT_SESSION_MAX];
	struct event_process processes[EVENT_PROCESSES];
	unsigned nprocesses;            /* SESSION: the agent, its parents */
	char     pane[EVENT_WORD];      /* SESSION */
	char     transcript[EVENT_PATH];        /* SESSION, TURN: its path */
	char     kind[EVENT_WORD];      /* WAITING: permission, question or
					   prompt; FAILED: the agent's reason;
					   ENDED: background, command: such work
					   continues */
	char     text[EVENT_TEXT];      /* the question, or what was said; TOOL:
					   the words of its question */
	bool     notice;                /* WAITING: reminds of a question that
					   has its own event */
	msec     reset;                 /* of a limit */
	bool     said;                  /* ENDED: with the turn's message;
					   MESSAGE: it is whole */
	struct marker_hits hits;        /* of the message or tool's output */
	char     error[EVENT_TEXT];     /* of the last error marker */
	char     message[EVENT_WORD];   /* MESSAGE: its id, */
	unsigned index;                 /* the piece of it, */
	bool     final;                 /* the last one, */
	struct fence fence;             /* and the fence open behind it */
};

extern const char *const event_types[EVENT_TYPES];

/* The meaning of a word in a backend's file, like "turn-ended". */
struct event_meaning {
	enum event_type type;
	const char     *kind;           /* WAITING: or NULL */
};

/* False: there is no such word.  name may be NULL. */
bool event_meaning(const char *name, struct event_meaning *);

/* Copies words from outside for people, 200 code points at most.  NULL leaves
 * the field as it is. */
void event_words(char *field, size_t size, const char *words);
/* Sets hits, fence and error by the agent's text. */
void event_scan(struct event *, const struct marker_set *, const char *text);

/* Appends an event, unless it repeats the last one of a few seconds ago.  -1
 * with errno. */
int  event_add(const struct event *, int state_fd, const char *issue);

/* Appends all events of another folder's issue.  -1 with errno. */
int  events_copy(int from, const char *name, int state_fd, const char *issue);

/* Opens the file.  -1 with errno; the first event renames it into place. */
int  events_open(int state_fd, const char *issue, int flags, struct stat *);

/* Finds a piece of a message.  False if it is not there yet: hooks overtake
 * each other. */
bool event_piece(struct event *, int state_fd, const char *issue,
    const char *message, unsigned index);

/* The sum of a run's events. */
struct event_evidence {
	bool     there;                 /* is there any? */
	char     session[EVENT_SESSION_MAX];
	struct event_process agent;
	char     pane[EVENT_WORD];
	char     transcript[EVENT_PATH];
	struct marker_hits hits;
	struct marker_ignored ignored;  /* of the hits; set by callers */
	char     error[EVENT_TEXT];
	enum event_type last;           /* never a piece that came late */
	char     kind[EVENT_WORD], text[EVENT_TEXT];
	bool     notice;
	msec     reset;
	msec     asked;                 /* the last question */
	msec     began;                 /* what the agent is at */
	msec     time;                  /* of the newest event */
	unsigned turns;                 /* that ended with a message */
	bool     told;                  /* any event has a message */
	bool     unsaid;                /* no event has the latest text */
	bool     whole;                 /* ... unless its turn ends now */
};

/* All zero: nothing was read. */
struct events_reader {
	uint64_t read;                  /* bytes */
	ino_t    ino;
};

/* Without opening the file: may it have changed since so many bytes? */
bool events_unread(int state_fd, const char *issue, uint64_t read);

/* Filters a run's events: those with its id, and after its start those without
 * one.  A NULL id is any run, a NULL session any session. */
struct events_run {
	const char *id;
	msec        started;            /* wall time */
	const char *session;
};

/* Adds new events; a file that was replaced or became shorter is read from its
 * beginning.  1: there were some, 0, -1 with errno. */
int  events_read(struct events_reader *, struct event_evidence *, int state_fd,
    const char *issue, const struct events_run *);

/* Is the last turn over without its text: interrupted, failed? */
bool events_lost(const struct event_evidence *);

/* Adds one event. */
void events_fold(struct event_evidence *, const struct event *);

#endif

/*
 * events.h - what an agent's own hooks reported: <issue>.records in .paneward.
 *
 * A hook appends one line of JSON, by one write under a lock.  Agents run by
 * the run's agent report another session, which is ignored.  A failure returns
 * -1 with errno.
 */
#ifndef PANEWARD_EVENTS_H
#define PANEWARD_EVENTS_H

#include "run/status.h"

enum {
	EVENT_MAX = 4096,
	EVENT_WORD = 40,
	EVENT_PROCESSES = 16,
	EVENT_SESSION_MAX = 128,
	EVENT_PATH = 512,
	EVENT_TEXT = 200 * 4 + 1,
	EVENT_WHO = 168,                /* bytes of a user, a terminal and two
					   hosts */
	EVENT_BRIEF = 240               /* of a line of a row */
};

enum event_type {
	EVENT_NONE,
	EVENT_SESSION, EVENT_TURN,      /* started */
	EVENT_TOOL,
	EVENT_MESSAGE,                  /* or a piece of it */
	EVENT_COMPACT,
	EVENT_WAITING,
	EVENT_ENDED,                    /* the turn */
	EVENT_FAILED,                   /* the turn, by an error */
	EVENT_OVER,                     /* the session */
	EVENT_STOPPED,                  /* the agent, by a person */
	EVENT_TYPES
};

struct event_process {
	pid_t    pid;
	uint64_t start;
};

/* Empty texts and zeros are unknown. */
struct event {
	enum event_type type;
	msec     time;
	char     run[RUN_ID_LEN + 1];
	char     session[EVENT_SESSION_MAX];
	struct event_process processes[EVENT_PROCESSES];
	unsigned nprocesses;            /* SESSION: the agent, its parents */
	char     pane[EVENT_WORD], transcript[EVENT_PATH];
	char     kind[EVENT_WORD];      /* WAITING: permission, question,
					   prompt; ENDED: background, command;
					   FAILED: the reason; TOOL: begins */
	char     text[EVENT_TEXT];      /* the question, the prompt, what was
					   said, or who stopped it */
	char     line[EVENT_BRIEF];     /* the last one of what was said */
	bool     notice, said;          /* reminds of a question; is whole */
	msec     reset;
	struct marker_hits hits;
	char     error[EVENT_TEXT];
	char     message[EVENT_WORD];
	unsigned index;
	bool     final;
	struct fence fence;
};

extern const char *const event_types[EVENT_TYPES];

/* A word in a backend's file, like "turn-ended". */
struct event_meaning {
	enum event_type type;
	const char     *kind;           /* or NULL */
};

bool event_meaning(const char *name, struct event_meaning *);

/* Copies words for people, unless NULL. */
void event_words(char *field, size_t size, const char *words);
/* The first line that is not empty; with markers the last one without any.
 * Without one, the field stays. */
void event_line(char *field, const char *text, const struct marker_set *);
void event_scan(struct event *, const struct marker_set *, const char *text);

/* Drops an event that repeats the last one within seconds. */
int  event_add(const struct event *, int state_fd, const char *issue);

int  events_copy(int from, const char *name, int state_fd, const char *issue);

#define events_open(state_fd, issue, flags, st) \
	file_open_own((state_fd), ISSUE_NAME((issue), "records"), (flags), (st))

/* Finds a piece of a message. */
bool event_piece(struct event *, int state_fd, const char *issue,
    const char *message, unsigned index);

struct event_evidence {
	bool     there, notice, told;   /* told: any event has a message */
	char     session[EVENT_SESSION_MAX];
	struct event_process agent;
	char     pane[EVENT_WORD], transcript[EVENT_PATH];
	struct marker_hits hits;
	struct marker_ignored ignored;  /* set by callers */
	enum event_type last;
	char     kind[EVENT_WORD], text[EVENT_TEXT], error[EVENT_TEXT];
	msec     reset;
	msec     asked, began, time;    /* of the question, of `last`, newest */
	unsigned turns;                 /* that ended with a message */
	char     stopped[EVENT_WHO];    /* by whom */
	bool     unsaid;                /* no event has the latest text, */
	bool     whole;                 /* unless its turn ends now */
	char     title[EVENT_BRIEF];    /* the session's, */
	char     prompt[EVENT_BRIEF];   /* the person's last one, */
	char     line[EVENT_BRIEF];     /* the last one of the last message, */
	char     doing[EVENT_BRIEF];    /* the tool in use, or "" */
	msec     acted;                 /* since when; 0: tools are not told */
};

struct events_reader {
	uint64_t read;                  /* bytes */
	ino_t    ino;
};

bool events_unread(int state_fd, const char *issue, uint64_t read);

/* Events with this id, and after its start those without one.  NULL: any. */
struct events_run {
	const char *id;
	msec        started;
	const char *session;
};

/* Reads a replaced or shorter file from its start.  1: new events. */
int  events_read(struct events_reader *, struct event_evidence *, int state_fd,
    const char *issue, const struct events_run *);

/* Is the last turn over without its text? */
bool events_lost(const struct event_evidence *);

void events_fold(struct event_evidence *, const struct event *);

#endif

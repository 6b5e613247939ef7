/*
 * sources.h - what the detectors of a run gather from.
 *
 * A watcher holds one for each issue and gathers again and again: the log, the
 * events and the screen are read on from where they were read before.  Sweep
 * and explain gather once (pass).
 */
#ifndef PANEWARD_SOURCES_H
#define PANEWARD_SOURCES_H

#include "agent/backend.h"
#include "chain/detectors.h"
#include "run/panelog.h"
#include "tmux/listing.h"

/* ---- the screen: screen.c ------------------------------------------------ */

/*
 * The screen of an agent's pane shows its state at the moment.
 *
 * The signs of the agent's backend (signs.h) are searched in three places: the
 * state that the agent announces to the terminal, the title of its pane, and
 * the visible text.  The agent states the first two itself, in its output, so
 * they are known at once.  The text is known only when it is captured.
 *
 * An announced state counts before the title.  An agent that states that it is
 * busy is busy, unless only its title says so and the text asks something or
 * shows a limit.  If it states that it asks, the text may show what.  If it
 * states that it is ready, or nothing, the text decides: some agents never
 * change their title.
 *
 * A capture older than the agent's last change of title or state is ignored;
 * "waiting" needs a current capture.
 *
 * Nothing of this is a report: the evidence is working, asking, waiting or
 * limited.
 */

enum {
	SCREEN_LINES = 40,              /* of a capture that are searched, from
					   below, without empty ones, */
	SCREEN_BYTES = 16 << 10,        /* and of these so many at most */
	SCREEN_TAIL = 64 << 10,         /* of what a log has grown by */
	SCREEN_OVERLAP = 1024           /* of pieces of the output, since a
					   sequence that is cut is ignored */
};

struct screen {
	const struct signs *signs;      /* borrowed; NULL: none are known */
	struct buf announced, title;    /* the last ones */
	struct sign_match stated;       /* what the agent states itself, */
	enum sign_place   stated_in;    /* and where */
	struct sign_match shown;        /* what the text shows */
	bool captured;                  /* there was a text, */
	msec captured_at;               /* then (wall time) */
	bool outdated;                  /* the agent stated another one since */
	bool shell_in_front;            /* of the agent, or instead of it: the
					   screen does not count */
	uint64_t read;                  /* bytes of the log */
};

void screen_release(struct screen *);

/* A piece of the output; pieces should overlap. */
void screen_print(struct screen *, const char *bytes, size_t len);
/* The part of a log since the last call, from a place of the run's output on,
 * as far as it can still be read. */
void screen_log(struct screen *, const struct panelog *, uint64_t begin);
void screen_title(struct screen *, const char *title);
void screen_capture(struct screen *, const char *text, size_t len, msec wall);
/* Something was printed since: may the screen be another one by now, so that it
 * should be captured although output goes on? */
bool screen_doubts(const struct screen *);

/* False: it cannot be told.  A limit is over at its end, unless the agent is
 * parked. */
bool screen_tell(const struct screen *, struct screen_evidence *, bool parked,
    msec wall);

/* The evidence behind a verdict of this detector; false: it was another's. */
bool screen_recall(struct screen_evidence *, const struct verdict *);

/* "announces 'working': busy; title ...": what each place shows. */
void screen_describe(const struct screen *, struct buf *);

/* ---- what the detectors gather from -------------------------------------- */

enum { SOURCES_ACTIVITY = 1000 };       /* ms: tmux tells seconds */

struct sources {
	const struct statusdir *dir;    /* borrowed, as all of these */
	struct status *record;          /* its run is empty: none is known */
	const struct backend *backend;  /* of the agent; NULL: not known */
	const struct tmux_pane *pane;   /* NULL: not there, or learnt bit by
					   bit by a watcher */
	const char *title, *foreground; /* of the pane; NULL: nothing new */
	const char *text;               /* a new capture, or NULL */
	size_t      text_len;
	const char *trouble;            /* why tmux knows nothing, or NULL */
	bool     pass;                  /* gathered once */
	bool     hasty;                 /* half-written evidence counts now */
	bool     replay;                /* files take the pane's place */
	bool     blind;                 /* no pane and no process is known */
	bool     untrusted;             /* captures replace the log, and nothing
					   else tells when it prints */
	bool     recall;                /* the screen is as the record says
					   until it is captured */
	msec     now;                   /* of this gathering: clock_now(); for a
					   pass clock_wall() */
	msec     output;                /* when something was printed last, by
					   the same clock; not for a pass */
	uint64_t *budget;               /* bytes of the log; NULL: all */
	struct panelog log;
	struct events_reader events;
	const char *transcript_path;    /* NULL: none is known */
	struct transcript transcript;
	struct buf said;                /* the newest message in it */
	msec     transcript_at;         /* when it is searched again */
	struct screen screen;

	/* Set by gathering: */
	int      signal_error, log_error, events_error,
		 transcript_error;      /* errno; 0: none */
	bool     log_read, events_read; /* were they gathered?  The caller
					   clears these, and printed */
	bool     printed;               /* has the log grown? */
	bool     events_due;            /* the events may be longer: set by the
					   caller, cleared by gathering */
	bool     changed;               /* the record was, and is to be saved;
					   the caller clears it */
	bool     captured;              /* the evidence has a capture */
	bool     replaying;             /* a restarted agent redraws its
					   conversation */
	pid_t    agent;                 /* of whom the log was read; 0: unknown */
	struct marker_hits baseline;    /* that the log held before */
};

/* -1: the record's own marker cannot be one; the usual ones count. */
int  sources_init(struct sources *, const struct statusdir *,
    struct status *);
void sources_release(struct sources *);

/* Opens the log again, after the record's mark. */
int  sources_open_log(struct sources *);

/* Finds the kind of agent, see backend_choose().  If it is another one, its
 * signs are searched in what was printed up to now.  -1 with the whole message
 * in *error: it is not known. */
int  sources_backend(struct sources *, struct backends *,
    const char *foreground, const char *configured, struct buf *error);

/* For a pass: what became of the pane and the agent's process. */
void sources_life(struct sources *, struct evidence *, enum pane_life,
    const struct tmux_pane *);

/* Wall time at which the log was written last; 0: there is no log. */
msec sources_written(const struct sources *);
/* How long nothing was printed, as far as the log shows. */
msec sources_silent(const struct sources *);
/* The same, as far as tmux knows, if it does: it counts in seconds, and what is
 * printed in a window. */
msec sources_quiet(const struct sources *);

#endif

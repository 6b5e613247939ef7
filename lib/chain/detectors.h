/*
 * detectors.h - the chain of detectors, the evidence that they share, and the
 * judge, who walks the chain to a verdict and records it.
 *
 * A detector is one row of chain[]: gather() puts what it finds in the sources
 * into the evidence, detect() reads the evidence and decides, or cannot tell,
 * and describe() says in a line for a person what was found.  A row's three
 * functions stand in one file, detector-NAME.c; those of log and capture in
 * detector-marker.c.
 *
 * Evidence is plain data about one run at one moment.  detect() is pure: it
 * calls no tmux, reads no file and no clock, and keeps nothing.
 */
#ifndef PANEWARD_DETECTORS_H
#define PANEWARD_DETECTORS_H

#include "run/events.h"
#include "run/sigfile.h"

struct sources;

/* Markers found in a text, and those of them that do not count. */
struct marker_evidence {
	struct marker_hits hits;
	struct marker_ignored ignored;
	struct buf message;             /* of the last error */
};

/* Times in ms. */
enum {
	EVIDENCE_SILENCE = 200,         /* without output, then a held marker
					   or error message counts */
	EVIDENCE_FILLING = 1000,        /* until an empty error file counts */
	EVIDENCE_GRACE = 2000,          /* until the screen shows what a hook
					   reported, and the hook that follows
					   at once has reported as well */
	EVIDENCE_RETRY = 2500,          /* until a client whose turn failed has
					   begun it again: pi waits for 2 s */
	EVIDENCE_DRAWN = 500,           /* until it shows the dialog that a hook
					   reported */
	EVIDENCE_WRITING = 10000,       /* of quiet, then a transcript that was
					   not written will not be */
	EVIDENCE_CONFIRM = 60000        /* of quiet, then the end of a turn
					   will not be reported */
};

enum { EVIDENCE_WHAT = 200 * 4 + 1 };

/* What the agent shows right now, by its backend's patterns. */
struct screen_evidence {
	enum state state;               /* working, asking, waiting, limited;
					   STATE_NONE: cannot be told */
	char       what[EVIDENCE_WHAT]; /* as in "it asks for permission" */
	const char *asked;              /* ASKING: and what, borrowed from the
					   screen; NULL: a title says no more */
	const char *kind;               /* permission, question, ... ; NULL: not
					   known */
	uint32_t   question, command;   /* as in a sign_match */
	msec       reset;               /* of a limit, wall time; 0: unknown */
	msec       text;                /* wall time of the capture that shows
					   it; 0: a title or an announced state
					   does */
};

struct evidence {
	const char *issue;              /* borrowed from the run's record */
	const struct status *record;    /* what it says already, borrowed; NULL:
					   there is none */
	bool     errors;                /* are errors looked for? */
	bool     reload;                /* the agent is being restarted, so its
					   end and its waiting mean nothing */
	msec     again;                 /* when unfinished evidence counts, by
					   the clock of the sources;
					   CLOCK_NEVER: all is finished */
	struct sigfile signal[SIGFILE_KINDS];
	struct buf     signal_text[SIGFILE_KINDS];
	struct event_evidence hook;
	struct event_evidence transcript;       /* told: there is one */
	const struct buf *said;         /* the newest message in it, longer;
					   borrowed from the sources; NULL */
	bool     transcript_due;        /* with the agent's first message */
	msec     wall;                  /* when the events were read */
	bool     parked;                /* the agent is told to go on when its
					   limit ends, which holds it until
					   then */
	bool     log_there;             /* is there a log at all? */
	struct marker_evidence log, capture;
	bool     capture_alone;         /* there was no log at that time */
	struct screen_evidence screen;
	enum pane_life pane;
	msec     ended;                 /* wall time of the end, or later; 0: not
					   known */
	bool     agent_ended;           /* its process; the pane may live on */
	bool     final;                 /* all that the run left is read, so its
					   end may be judged */
	int      exit_code, exit_signal;        /* -1: not known */
	char     last[VERDICT_WHY];     /* if it is final, the last line that
					   was printed, as it may be shown */
	bool     lease_over;            /* it was ended for that: run/lease.h */
	bool     exit_is_report;        /* and nothing else was reported */
	msec     silent;                /* how long nothing was printed, */
	msec     unsure;                /* or so much less, since tmux has not
					   told of it yet */
	msec     stalled_after;
};

void evidence_init(struct evidence *, const char *issue);
void evidence_release(struct evidence *);

/* Unfinished evidence is to be gathered again at that time, or before. */
void evidence_again(struct evidence *, msec at);

/* When did a hook or the transcript say something last?  0: never. */
msec evidence_told(const struct evidence *);
/* For how long has neither the pane nor a hook said anything? */
msec evidence_quiet(const struct evidence *);
/* After how long of that do plain markers in the pane count?  0: at once. */
msec evidence_patience(const struct evidence *);

/* In how many ms may the events be judged another way, though nothing happens?
 * CLOCK_NEVER: they will not. */
msec evidence_pending(const struct evidence *);

/* May what a detector sees of the moment replace the first answer, behind which
 * are these events (NULL: it comes from elsewhere)? */
typedef bool detector_overrules(const struct evidence *,
    const struct event_evidence *, const struct verdict *first,
    const struct verdict *seen);

struct detector {
	const char *name;               /* also the source of its verdicts */
	/* False: there is no such evidence, and detect() is not asked. */
	bool (*gather)(struct sources *, struct evidence *);
	/* False: it cannot tell. */
	bool (*detect)(const struct evidence *, struct verdict *);
	/* Adds one line without its end. */
	void (*describe)(struct sources *, const struct evidence *,
	    struct buf *);
	size_t events;                  /* where its events are in the evidence;
					   0: its answers come from elsewhere */
	detector_overrules *overrules;  /* NULL: it never does */
};

extern const struct detector chain[];
extern const size_t chain_length;

/* The detector has decided.  True. */
bool detector_decides(struct verdict *, enum state);

/* The three functions of a row, in its own file. */
#define DETECTOR(name) \
	bool gather_##name(struct sources *, struct evidence *); \
	bool detect_##name(const struct evidence *, struct verdict *); \
	void describe_##name(struct sources *, const struct evidence *, \
	    struct buf *)

DETECTOR(signal);                       /* the file that the agent writes */
DETECTOR(hook);                         /* what the agent's hooks reported */
DETECTOR(transcript);                   /* what its client wrote down of the
					   session */
DETECTOR(log);                          /* markers in the output, */
DETECTOR(capture);                      /* and on the screen */
DETECTOR(process);                      /* dead, gone, stalled */
DETECTOR(screen);                       /* busy, asking, waiting, limited */

/* Does a transcript, or the screen, overrule an earlier answer? */
detector_overrules transcript_overrules, screen_overrules;

/* detect_hook() and describe_hook() of any events; where is "reported by its
 * hooks". */
bool detect_events(const struct evidence *, const struct event_evidence *,
    const char *where, struct verdict *);
void describe_events(const struct event_evidence *, struct buf *);

/* Adds an error signal beside a completion, which has no effect, to the reason.
 * True if it was not there yet. */
bool detect_conflict(const struct evidence *, struct verdict *);
/* Removes the signals that the written record made needless; without errors, an
 * error's only beside a hand-off.  Not 0 with errno: one is still there. */
int  signals_remove(const struct status *, const struct evidence *,
    const struct statusdir *, bool errors);

/* ---- judging: judge.c ---------------------------------------------------- */

/*
 * The first detector that sees a report, an end, or that nothing can be known,
 * decides.  If none does, the first one that sees what the agent does at the
 * moment decides.  If none can tell, a pane that lives and prints is working;
 * otherwise the verdict is all zero (STATE_NONE) and false is returned.
 *
 * Without sources the evidence is judged as it is.
 */
bool judge(struct sources *, struct evidence *, struct verdict *);

/* The same, but every detector is asked; answer is NULL if it cannot tell. */
typedef void judge_each(void *context, const struct detector *,
    const struct evidence *, const struct verdict *answer);
bool judge_all(struct sources *, struct evidence *, struct verdict *,
    judge_each *, void *context);

/* Does the verdict change what is recorded? */
bool judge_changes(const struct status *, const struct verdict *);
/* Does it begin an episode: another state, or another question? */
bool judge_begins(const struct status *, const struct verdict *);

/* If it does: since when, by the time of the evidence, as far as that is known.
 * first: what the agent did before is not known.  wall is now, unknown what
 * counts if the evidence has no time. */
void judge_since(struct status *, const struct verdict *,
    const struct evidence *, bool first, msec wall, msec unknown);

/*
 * Puts the verdict, reached with this evidence, into the record.  With handoff
 * set a completion is to be handed off.  True if it begins an episode.
 */
bool judge_record(struct status *, const struct verdict *,
    const struct evidence *, bool handoff, msec wall);

/* Records the end of the run, and how it ended if known.  True if it is new. */
bool judge_record_end(struct status *, const struct evidence *);

#endif

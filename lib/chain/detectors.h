/*
 * detectors.h - the chain of detectors, their evidence, and the judge.
 *
 * A detector is one row of chain[]: gather() reads the sources into the
 * evidence, plain data about one run at one moment; detect() decides by it, or
 * cannot tell; describe() prints a line for people.  detect() is pure: it uses
 * no tmux, file or clock, and keeps nothing.
 */
#ifndef PANEWARD_DETECTORS_H
#define PANEWARD_DETECTORS_H

#include "run/events.h"
#include "run/sigfile.h"

struct sources;

struct marker_evidence {
	struct marker_hits hits;
	struct marker_ignored ignored;
	struct buf message;
};

/* Times in ms. */
enum {
	EVIDENCE_SILENCE = 200,         /* Then held markers count. */
	EVIDENCE_FILLING = 1000,        /* Then an empty error file counts. */
	EVIDENCE_GRACE = 2000,          /* from a hook to the screen, or to the
					   next hook */
	EVIDENCE_RETRY = 2500,          /* pi waits for 2 s */
	EVIDENCE_DRAWN = 500,           /* from a hook to its dialog */
	EVIDENCE_WRITING = 10000,       /* Then no transcript comes, no dialog
					   of a slow client, */
	EVIDENCE_CONFIRM = 60000        /* and no report of the turn's end. */
};

enum { EVIDENCE_WHAT = 200 * 4 + 1 };

struct screen_evidence {
	enum state state;               /* or STATE_NONE */
	char       what[EVIDENCE_WHAT]; /* as in "it asks for permission" */
	const char *asked, *kind;       /* of the question, or NULL */
	uint32_t   question, command;
	msec       reset, text, dialog; /* wall time, or 0: a limit ends; the
					   text was captured; it asked last */
};

struct evidence {
	const char *issue;
	const struct status *record;
	bool     errors, reload;
	msec     again;                 /* Unfinished evidence counts then, by
					   the sources' clock, or never. */
	struct sigfile signal[SIGFILE_KINDS];
	struct buf     signal_text[SIGFILE_KINDS];
	struct event_evidence hook, transcript;
	const struct buf *said;         /* the transcript's newest message, of
					   the sources, or NULL */
	/* Messages have been in it; its limit holds the agent. */
	bool     transcript_due, transcript_told, parked;
	msec     wall;                  /* The events were read. */
	struct marker_evidence log, capture;
	bool     log_there, capture_alone;      /* There was no log then. */
	struct screen_evidence screen;
	enum pane_life pane;
	msec     ended;                 /* or later */
	bool     agent_ended, final;    /* All that the run left is read. */
	int      exit_code, exit_signal;
	char     last[VERDICT_WHY];     /* if final, the last line of output */
	bool     lease_over, exit_is_report;
	msec     silent, unsure;        /* without output, or so much less */
	msec     stalled_after;
};

void evidence_init(struct evidence *, const char *issue);
void evidence_release(struct evidence *);
void evidence_again(struct evidence *, msec at);
/* The time of the last event, or 0. */
msec evidence_told(const struct evidence *);
/* How long pane and hooks were silent; how long until plain markers count. */
msec evidence_quiet(const struct evidence *);
msec evidence_patience(const struct evidence *);
/* In how many ms time alone may change the verdict on the events, if ever. */
msec evidence_pending(const struct evidence *);

/* May a detector's sight of the moment replace the first answer, of these
 * events (NULL: it comes from elsewhere)? */
typedef bool detector_overrules(const struct evidence *,
    const struct event_evidence *, const struct verdict *first,
    const struct verdict *seen);

struct detector {
	const char *name;
	/* False: there is no such evidence. */
	bool (*gather)(struct sources *, struct evidence *);
	bool (*detect)(const struct evidence *, struct verdict *);
	void (*describe)(struct sources *, const struct evidence *,
	    struct buf *);
	size_t events;                  /* their offset in the evidence, or 0 */
	detector_overrules *overrules;
};

extern const struct detector chain[];
extern const size_t chain_length;

#define detector_decides(v, to, ...) \
	(verdict_why((v), __VA_ARGS__), (v)->state = (to), true)

#define DETECTOR(name) \
	bool gather_##name(struct sources *, struct evidence *); \
	bool detect_##name(const struct evidence *, struct verdict *); \
	void describe_##name(struct sources *, const struct evidence *, \
	    struct buf *)

DETECTOR(signal);
DETECTOR(hook);
DETECTOR(transcript);
DETECTOR(log);
DETECTOR(capture);
DETECTOR(process);
DETECTOR(screen);

detector_overrules transcript_overrules, screen_overrules;

bool detect_events(const struct evidence *, const struct event_evidence *,
    const char *where, struct verdict *);
void describe_events(const struct event_evidence *, struct buf *);

/* True: an error signal beside a completion is new in the reason. */
bool detect_conflict(const struct evidence *, struct verdict *);
/* Removes the signals of a written record; without errors, an error's only
 * beside a hand-off.  Not 0 with errno: one is left. */
int  signals_remove(const struct status *, const struct evidence *,
    const struct statusdir *, bool errors);

/* ---- judge.c ------------------------------------------------------------- */

/* The first report, end or unknown decides; else the first sight of the moment.
 * If none can tell, a pane that lives is working, or unknown if its backend
 * tells no more; otherwise the verdict is all zero, and false is returned.
 * Without sources nothing is gathered. */
bool judge(struct sources *, struct evidence *, struct verdict *);

/* Follows each detector, so all are asked.  answer: NULL if it cannot tell. */
typedef void judge_each(void *context, const struct detector *,
    const struct evidence *, const struct verdict *answer);

bool judge_changes(const struct status *, const struct verdict *);
/* Does it begin an episode: another state, or another question? */
bool judge_begins(const struct status *, const struct verdict *);
/* If it does, sets since when, by the evidence, or by unknown. first: the
 * earlier state is not known. wall is now. */
void judge_since(struct status *, const struct verdict *,
    const struct evidence *, bool first, msec wall, msec unknown);
/* Gives the tool in use, or "", with paths below the agent's folder. */
const char *judge_doing(const struct evidence *, char shown[EVENT_BRIEF]);
/* Records the lines of its row; true: one is new. */
bool judge_lines(struct status *, const struct evidence *);
/* handoff: a completion is to be handed off.  True if an episode begins. */
bool judge_record(struct status *, const struct verdict *,
    const struct evidence *, bool handoff, msec wall);

#endif

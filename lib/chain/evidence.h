/*
 * evidence.h - everything a detector may look at.
 *
 * Evidence is plain data about one run at one moment.  Somebody else gathers
 * it (the watcher from the living pane, explain from files as well); the
 * detectors only read it.  That is what lets a text file be a test.
 */
#ifndef PANEWARD_EVIDENCE_H
#define PANEWARD_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "marker/marker.h"
#include "run/events.h"
#include "run/sigfile.h"
#include "run/status.h"
#include "run/verdict.h"

enum evidence_part {
	EVIDENCE_SIGNAL  = 1 << 0,
	EVIDENCE_HOOK  = 1 << 1,
	EVIDENCE_LOG     = 1 << 2,
	EVIDENCE_CAPTURE = 1 << 3,
	EVIDENCE_PROCESS = 1 << 4,
	EVIDENCE_SCREEN  = 1 << 5,
};

/* Markers found in a text, and those of them that do not count. */
struct marker_evidence {
	struct marker_hits hits;
	struct marker_ignored ignored;
	struct buf message;             /* of the last error */
};

enum {
	EVIDENCE_CONFIRM = 60000,       /* ms; see evidence_quiet() */
	EVIDENCE_SILENCE = 200,         /* ms without output after which a held
					   marker or error message counts */
	EVIDENCE_FILLING = 1000,        /* ms until an empty error file counts */
	EVIDENCE_GRACE = 2000           /* ms until the screen shows what a hook
					   told, and what follows from it at
					   once was told as well */
};
enum { EVIDENCE_WHAT = 200 * 4 + 1 };

/* What the agent shows right now, by its backend's patterns. */
struct screen_evidence {
	enum state state;               /* working, asking, waiting,
					   limited; STATE_NONE: cannot be told */
	char       what[EVIDENCE_WHAT]; /* in a few words: "asks for permission" */
	msec       reset;               /* of a limit, wall time; 0: unknown */
	msec       text;                /* when the text that shows it was
					   captured, wall time; 0: it is the
					   agent's own word alone */
};

struct evidence {
	const char *issue;              /* borrowed from the run's record */
	bool     errors;                /* are errors looked for? */
	struct sigfile signal[SIGFILE_KINDS];
	struct buf     signal_text[SIGFILE_KINDS];      /* what they say */
	struct event_evidence hook;  /* what the agent's hooks have told */
	msec     wall;                  /* when that was looked at */
	bool     log_there;             /* is there a log at all? */
	struct marker_evidence log, capture;
	struct screen_evidence screen;
	bool     capture_alone;         /* there was no log when it was taken */
	bool     reload;                /* it is being restarted: that it ends,
					   or waits, means nothing */
	enum pane_life pane;
	bool     agent_ended;           /* the agent's process, in a pane that
					   may live on */
	bool     last_look;             /* all that was left behind is read:
					   an end may be said */
	int      exit_code, exit_signal;        /* -1: not known */
	bool     exit_is_report;        /* that counts, as nothing else was
					   reported; see evidence_exit() */
	msec     silent;                /* how long nothing was printed */
	msec     stalled_after;
};

/* Has there been neither output nor a record for so long that the record of a
 * turn will not come? */
bool evidence_quiet(const struct evidence *);

/* Will what the hooks have told be judged in another way though nothing
 * happens, once some time has gone by? */
bool evidence_pending(const struct evidence *);

/* Is how the agent ends its report?  Not where it has reported already. */
void evidence_exit(struct evidence *, const struct status *);

void evidence_init(struct evidence *, const char *issue);
void evidence_release(struct evidence *);

#endif

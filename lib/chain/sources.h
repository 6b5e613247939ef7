/*
 * sources.h - what the detectors of a run gather from.
 *
 * A watcher holds one for each issue and gathers again and again: the log, the
 * events and the screen are read on from where they were read before.  Sweep
 * and explain gather once (pass).
 */
#ifndef PANEWARD_SOURCES_H
#define PANEWARD_SOURCES_H

#include "backend/backend.h"
#include "chain/detectors.h"
#include "chain/screen.h"
#include "project/statusdir.h"
#include "run/panelog.h"
#include "run/status.h"
#include "tmux/listing.h"

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
					   conversation; the log held this */
	struct marker_hits baseline;
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

/*
 * inspect.h - the evidence of a run at one moment, for somebody who does not
 * wait for more (sweep, explain).
 *
 * Each function fills its part of the evidence and returns whether there is
 * any.  Nothing on the disk is changed.
 */
#ifndef PANEWARD_INSPECT_H
#define PANEWARD_INSPECT_H

#include <stdbool.h>

#include "chain/evidence.h"
#include "chain/screen.h"
#include "run/panelog.h"
#include "run/status.h"
#include "run/statusdir.h"
#include "tmux/listing.h"

struct inspect {
	const struct statusdir *dir;
	const struct status    *record; /* its run is empty: none is known */
	bool        whole;              /* the log from where the run begins,
					   whatever was read of it before */
	const char *capture;            /* NULL: there is none */
	size_t      capture_len;
	enum pane_life life;
	const struct tmux_pane *pane;   /* NULL unless it is there */
	const struct signs *signs;      /* its backend's; NULL: not known */
	const char *title, *front;      /* of the pane: its title, and the
					   program in front; NULL: not known */
	struct marker_set set;
	struct panelog    log;          /* from inspect_log() on */
	struct screen     screen;       /* from inspect_screen() on */
	int         log_error;          /* an errno: it could not be read */
	uint64_t    events;             /* bytes of them, from inspect_events()
					   on */
};

/* -1 where the record's own marker cannot be one.  The rest is the caller's to
 * fill in. */
int  inspect_init(struct inspect *, const struct statusdir *,
    const struct status *);
void inspect_release(struct inspect *);

bool inspect_signals(struct inspect *, struct evidence *);
bool inspect_events(struct inspect *, struct evidence *);
/* With ended set as if nothing more would come; else a line that is not
 * finished is given time (inspect_waits()). */
bool inspect_log(struct inspect *, struct evidence *, bool ended);
bool inspect_capture(struct inspect *, struct evidence *);
void inspect_process(struct inspect *, struct evidence *);
/* After inspect_log(). */
bool inspect_screen(struct inspect *, struct evidence *);

/* May what the log ends with still become something else? */
bool inspect_waits(const struct inspect *);

#endif

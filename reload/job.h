/*
 * job.h - what the parts of the process that restarts an agent share.
 *
 * run.c goes through the phases; job.c writes them down, and knows the
 * processes; sight.c sees what the agent is at.
 */
#ifndef PANEWARD_RELOAD_JOB_H
#define PANEWARD_RELOAD_JOB_H

#include <stdbool.h>

#include "chain/backend.h"
#include "chain/screen.h"
#include "reload/note.h"
#include "run/events.h"
#include "run/restart.h"
#include "run/statusdir.h"

struct job {
	struct statusdir dir;
	const char *key;
	bool   issue;
	struct reload r;
	struct backend backend;
	bool   typed;                   /* the prompt has to be */
	struct note note;
	struct buf prompt;
	pid_t  agent;                   /* the new one */
	uint64_t agent_start;
	bool   kept;                    /* the pane stays only for us */
	bool   logged;                  /* it had a pipe of ours */
	/* What is looked at. */
	struct events_reader reader;
	struct event_evidence events;
	msec   started;                 /* the run, wall time */
	struct screen screen;
	char  *old_title;               /* what the old agent left behind, which
					   says nothing of the new one; NULL */
	bool   old_text;                /* it may still show that it is busy */
	bool   counted;                 /* the log's markers, before it draws */
	struct marker_hits drawn;       /* what is old once more */
	struct buf shown;               /* what the screen showed last */
	msec   changed;                 /* since when it shows that */
	msec   ready;                   /* since when its prompt is there; 0 */
	msec   looked;
};

/* ---- job.c --------------------------------------------------------------- */

/* A line for the log, with its time. */
void job_say(const struct job *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What cannot be written down is not begun: that ends the job. */
void job_begin(struct job *, enum reload_phase, const char *what);
/* The end, in one way or the other; the second with the reason. */
_Noreturn void job_end(struct job *, enum reload_phase);
_Noreturn void job_fail(struct job *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Does the agent's process live? */
bool job_alive(const struct job *);
/* Does this process lead what is in front of the pane? */
bool job_front_is(const struct job *, pid_t);
/* Waits for that long, or until a process (0: none) has ended. */
void job_pause(msec time, pid_t, uint64_t start);
/* A pane that is gone ends the job. */
void job_check_pane(struct job *);

/* ---- sight.c ------------------------------------------------------------- */

/* What the agent's hooks have told since. */
void sight_events(struct job *);
/* What the pane shows now, some ten times a second at the most. */
void sight_look(struct job *);
bool sight_shows(const struct job *, enum sign_kind);
/* Does it show its prompt, and neither work nor ask? */
bool sight_prompts(const struct job *);
/* Looks; for how many ms has it, without a break?  -1: it does not. */
msec sight_prompting(struct job *);
/* For how many ms has the pane shown the same? */
msec sight_unchanged(const struct job *);
/* The agent has ended: what it left there says nothing of the next one. */
void sight_forget(struct job *);

#endif

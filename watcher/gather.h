/*
 * gather.h - what is new in a track's files and processes becomes evidence.
 *
 * Nothing here decides anything: events fill the evidence and mark the track,
 * which is judged once per turn.
 */
#ifndef PANEWARD_WATCHER_GATHER_H
#define PANEWARD_WATCHER_GATHER_H

#include "watcher/track.h"

/* Opens the log, and waits for the ends of processes, for the record's run. */
void gather_open(struct track *);

/*
 * Finds the agent's backend by the record, or, if that names none, by the
 * program in front of the pane (NULL: not known yet).  Warns if it cannot be
 * used.
 */
void gather_backend(struct track *, const char *foreground);
/* Wants something of the next query, and a listing. */
void gather_ask(struct track *, unsigned want);
/* Looks for our log writer, and waits for its end.  True if it has the pane's
 * pipe and lives. */
bool gather_writer(struct track *);
/*
 * Looks for a restart, which replaces the run's agent.  True if the pane's
 * process (pane may be NULL) is the run's now.
 */
bool gather_restart(struct track *, const struct tmux_pane *pane);

/* A process has ended.  False: fd is not the track's. */
bool gather_end(struct track *, int fd);
/* Before a track is judged: asks for the captures that are due, and reads what
 * processes recorded. */
void gather_due(struct track *);
/* Afterwards: warns, watches files, and sets when evidence that time alone
 * changes is to be judged again. */
void gather_done(struct track *, const struct verdict *);
/* Ends that the system does not report. */
void gather_tick(struct track *);

#endif

/*
 * judge.h - walks the chain to a verdict, and records it.
 */
#ifndef PANEWARD_JUDGE_H
#define PANEWARD_JUDGE_H

#include "chain/detectors.h"

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

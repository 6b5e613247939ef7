/*
 * judge.h - walks the chain until somebody can tell, and what an answer does to
 * the record.
 */
#ifndef PANEWARD_JUDGE_H
#define PANEWARD_JUDGE_H

#include "chain/detect.h"

struct judge_walk {
	/*
	 * Puts one part into the evidence.  False where there is no such
	 * evidence; the detectors that need it are not asked.
	 */
	bool (*gather)(void *context, struct evidence *, enum evidence_part);
	/*
	 * Told what each detector saw; its answer is NULL where it could not
	 * tell or was not asked.  With this set every detector is asked.
	 */
	void (*tell)(void *context, const struct detector *,
	    const struct evidence *, bool asked, const struct verdict *answer);
	void *context;
};

/*
 * The first answer of the chain that is a report, an end, or that nothing can
 * be known; else the first that says what the agent does at the moment.  Where
 * nobody can tell, a pane that lives and still prints is working; otherwise the
 * verdict is all zero (STATE_NONE) and false is returned.
 */
bool judge(const struct judge_walk *, struct evidence *, struct verdict *);

/* Does the answer change what is recorded? */
bool judge_changes(const struct status *, const struct verdict *);

/*
 * The record says the verdict from now on, reached with this evidence.  With
 * handoff set a completion is to be handed off.
 */
void judge_record(struct status *, const struct verdict *,
    const struct evidence *, bool handoff, msec wall);

/* The run is over: how, as far as that is known.  True if that is new. */
bool judge_record_end(struct status *, const struct evidence *);

#endif

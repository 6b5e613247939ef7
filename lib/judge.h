/*
 * judge.h - walks the chain until somebody can tell.
 */
#ifndef PANEWARD_JUDGE_H
#define PANEWARD_JUDGE_H

#include "detect.h"

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
 * The first answer of the chain.  Where nobody can tell, a pane that lives
 * and still prints is working; otherwise the verdict is all zero
 * (STATE_NONE) and false is returned.
 */
bool judge(const struct judge_walk *, struct evidence *, struct verdict *);

#endif

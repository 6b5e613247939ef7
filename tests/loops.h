/*
 * loops.h - a loop whose time a test makes pass.
 */
#ifndef PANEWARD_TESTS_LOOPS_H
#define PANEWARD_TESTS_LOOPS_H

#include "os/loop.h"

/* Everything in it is due so much sooner. */
static inline void
loop_passes(struct loop *l, msec span)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->waits[i] != NULL && l->waits[i]->at != CLOCK_NEVER)
			l->waits[i]->at -= span;
}

/* When the first time is due; how many descriptors it waits for. */
static inline msec
loop_next(const struct loop *l, size_t *fds)
{
	msec at = CLOCK_NEVER;
	size_t i;

	for (*fds = i = 0; i < l->n; i++)
		if (l->waits[i] != NULL) {
			at = clock_sooner(at, l->waits[i]->at);
			*fds += l->waits[i]->fd != -1;
		}
	return at;
}

#endif

/*
 * detect.h - the chain: who is asked, in which order (SPEC 4).
 *
 * The order is policy: certain before likely, cheap before dear.  The
 * watcher, the sweep and explain walk the same rows.
 */
#ifndef PANEWARD_DETECT_H
#define PANEWARD_DETECT_H

#include <stdbool.h>
#include <stddef.h>

#include "chain/evidence.h"
#include "run/verdict.h"

struct detector {
	const char        *name;
	enum evidence_part needs;
	/* Fills the verdict, or returns false: it cannot tell.  Pure. */
	bool             (*detect)(const struct evidence *, struct verdict *);
};

extern const struct detector chain[];
extern const size_t chain_length;

#endif

/*
 * detectors.h - the detectors.
 *
 * Each looks at one kind of evidence and fills a verdict, or returns false: it
 * cannot tell.  None of them calls tmux, reads files, asks the time or keeps
 * anything.
 */
#ifndef PANEWARD_DETECTORS_H
#define PANEWARD_DETECTORS_H

#include <stdbool.h>

#include "chain/evidence.h"
#include "run/verdict.h"

bool detect_signal(const struct evidence *, struct verdict *);
bool detect_hook(const struct evidence *, struct verdict *);
bool detect_log(const struct evidence *, struct verdict *);
bool detect_capture(const struct evidence *, struct verdict *);
bool detect_process(const struct evidence *, struct verdict *);
bool detect_screen(const struct evidence *, struct verdict *);

/* An error that was signalled beside a completion has no effect; what it says
 * joins the reason.  True if that is new there. */
bool detect_conflict(const struct evidence *, struct verdict *);

#endif

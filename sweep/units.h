/*
 * units.h - what runs a sweep every minute, printed.
 */
#ifndef PANEWARD_SWEEP_UNITS_H
#define PANEWARD_SWEEP_UNITS_H

#include "run/project.h"
#include "sweep/schedule.h"

/*
 * Prints a unit that sweeps the project on standard output; its comments say
 * how it is installed.  -1 with the whole reason in *error; then nothing was
 * printed, unless it was standard output that failed.
 */
int units_print(enum units_kind, const struct project *, struct buf *error);

#endif

/*
 * limit.h - does the very end of a round's output say that a usage limit was
 * reached?
 *
 * Agents also write about limits, and name files and tests after them.  So only
 * words that report a limit as reached count, and only of an agent that has
 * failed.  Some agents end with such a message and status 0: then it counts if
 * it begins a line or is a sign of the backend, and names the limit's end.
 */
#ifndef PANEWARD_LOOP_LIMIT_H
#define PANEWARD_LOOP_LIMIT_H

#include <stdbool.h>

#include "backend/signs.h"
#include "base/clock.h"

/* *until: the limit's end, wall time; 0: not known. */
bool limit_find(const struct signs *, int log, bool failed, msec wall,
    msec *until);

#endif

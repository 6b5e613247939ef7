/*
 * report.h - a line on standard output: what changed for an issue.
 */
#ifndef PANEWARD_REPORT_H
#define PANEWARD_REPORT_H

#include "run/status.h"

/* "42 complete: why: message", or for its hand-off "42 handed off"; or for both
 * the same object of JSON.  Without an issue it is the agent's name.  With a
 * project (NULL: none) it is "folder/42", and the object has the whole path. */
void report_print(const struct status *, const char *project, bool handoff,
    bool json);

/* Adds "'paneward revive 42' brings it back" if the pane of a run in that state
 * is gone and its conversation is known.  True if it did. */
bool report_way_back(struct buf *, const struct status *, enum state);

#endif

/*
 * report.h - the report of a loop: JSON, or an HTML page that needs no other
 * file, with a bar for each round on a timeline.
 */
#ifndef PANEWARD_LOOP_REPORT_H
#define PANEWARD_LOOP_REPORT_H

#include "loop/state.h"

/* The kind of a file, by its name; REPORTS: none. */
enum report report_kind(const char *path);

/* Writes the loop's report of that kind to its file; name is the loop's, logs
 * the folder of its logs.  -1 with the reason. */
int report_write(const struct loop_state *, enum report, const char *name,
    const char *logs, struct buf *why);

#endif

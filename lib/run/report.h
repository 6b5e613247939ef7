/*
 * report.h - lines on standard output for what became known of an issue.
 */
#ifndef PANEWARD_REPORT_H
#define PANEWARD_REPORT_H

#include <stdbool.h>

#include "run/status.h"

/* "42 complete: why: message", or an object of JSON. */
void report_print_state(const struct status *, bool json);
/* "42 handed off", or the same object. */
void report_print_handoff(const struct status *, bool json);

#endif

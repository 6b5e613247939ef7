/*
 * alarm.h - SIGALRM at a time, by a clock that counts while the machine sleeps
 * (lease_now()), and then again and again.
 */
#ifndef PANEWARD_ALARM_H
#define PANEWARD_ALARM_H

#include "base/clock.h"

enum { ALARM_EACH = 1000 };             /* ms between the next ones */

/* That many ms from now on, or sooner where the system has no such timer.
 * Another call takes the place of the last one.  -1 with errno. */
int alarm_after(msec);

#endif

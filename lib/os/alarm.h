/*
 * alarm.h - SIGALRM at a time, by a clock that counts while the machine sleeps
 * (lease_now()), and then again and again.
 *
 * A machine that sleeps, or a process that is stopped, past that time gets it
 * within ALARM_EACH of going on.  It may come sooner, so the caller reads the
 * clock and asks again: not every system has a timer of such a clock.
 */
#ifndef PANEWARD_ALARM_H
#define PANEWARD_ALARM_H

#include "base/clock.h"

enum { ALARM_EACH = 1000 };             /* ms between the next ones */

/* That many ms from now on, or sooner.  Another call takes the place of the
 * last one.  -1 with errno. */
int alarm_after(msec);

#endif

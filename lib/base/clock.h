/*
 * clock.h - the two times there are, in milliseconds.
 *
 * clock_now() never jumps and counts what deadlines are made of;
 * clock_wall() is the date, for what is written down and compared with the
 * times of files and processes.  Tests set it: PANEWARD_NOW, where it is a
 * whole number, is what it says, in seconds since 1970.
 */
#ifndef PANEWARD_CLOCK_H
#define PANEWARD_CLOCK_H

#include <stdint.h>

typedef int64_t msec;

enum { CLOCK_TEXT = 25 };       /* "2026-01-31T23:59:59.999Z" and NUL */
#define CLOCK_NEVER INT64_MAX

msec clock_now(void);
msec clock_wall(void);

/* RFC 3339, UTC. */
void clock_format(char text[CLOCK_TEXT], msec wall);
/* What clock_format() wrote, or any RFC 3339 time in UTC; -1 if it is none. */
msec clock_parse(const char *text);

/* For poll(): milliseconds from now until deadline, -1 for CLOCK_NEVER. */
int  clock_until(msec deadline, msec now);

#endif

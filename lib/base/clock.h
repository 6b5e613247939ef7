/*
 * clock.h - the two clocks, in milliseconds.
 *
 * clock_now() never jumps.  clock_wall() is the date, or for tests PANEWARD_NOW
 * in seconds.
 */
#ifndef PANEWARD_CLOCK_H
#define PANEWARD_CLOCK_H

#include <stdint.h>

typedef int64_t msec;

enum { CLOCK_TEXT = 25 };       /* "2026-01-31T23:59:59.999Z" and NUL */
#define CLOCK_NEVER INT64_MAX

msec clock_now(void);
msec clock_wall(void);

/* RFC 3339, UTC.  CLOCK_WORDS() is in memory of the block. */
const char *clock_format(char text[CLOCK_TEXT], msec wall);
#define CLOCK_WORDS(wall) clock_format((char[CLOCK_TEXT]){ "" }, (wall))
/* The numbers of a text in this form, with 0 for a digit.  Returns the rest, or
 * NULL. */
const char *clock_form(const char *form, const char *text, int number[6]);
/* Parses any RFC 3339 time in UTC; or -1. */
msec clock_parse(const char *text);

struct buf;
/* Adds local time: "14:02", or "Nov 22 14:02". */
void clock_local(struct buf *, msec wall, msec now);
/* Adds "14:02 (in 3m20s)". */
void clock_ahead(struct buf *, msec wall, msec now);
/* Adds "45s", "12m05s", "3h20m". */
void clock_span(struct buf *, msec span);

msec clock_sooner(msec, msec);
int  clock_until(msec deadline, msec now);

#endif

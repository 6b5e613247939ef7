/*
 * filelimit.h - how many files a process may have open.
 *
 * A process that follows many issues raises its limit.  Its children get the
 * old one back, since a program may rely on low descriptor numbers.
 */
#ifndef PANEWARD_FILELIMIT_H
#define PANEWARD_FILELIMIT_H

#include <stddef.h>

/* Raises the limit as far as the system allows; returns it. */
size_t filelimit_raise(void);
/* Restores the old limit; in a child before exec. */
void   filelimit_restore(void);

#endif

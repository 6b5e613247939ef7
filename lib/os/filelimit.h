/*
 * filelimit.h - how many files a process may have open.
 *
 * What follows many issues raises its limit.  What it runs gets the old one
 * back, since a program may count on low numbers.
 */
#ifndef PANEWARD_FILELIMIT_H
#define PANEWARD_FILELIMIT_H

#include <stddef.h>

/* Raises the limit as far as the system allows; what it is then. */
size_t filelimit_raise(void);
/* As it was before; in a child, before it becomes another program. */
void   filelimit_restore(void);

#endif

/*
 * hostname.h - a name of another host, as ssh takes it: [A-Za-z0-9._@-]+, at most
 * HOSTNAME_MAX bytes, and no option.  No shell reads anything else in it.
 */
#ifndef PANEWARD_HOSTNAME_H
#define PANEWARD_HOSTNAME_H

#include <stdbool.h>

enum { HOSTNAME_MAX = 255 };

bool hostname_valid(const char *);

#endif

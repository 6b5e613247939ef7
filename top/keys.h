/*
 * keys.h - what each key does.
 */
#ifndef PANEWARD_KEYS_H
#define PANEWARD_KEYS_H

#include "top/live.h"

/* Does what a key says (top/canvas.h), and of the mouse its line. */
void keys_do(struct live *, long key, unsigned line);

/* The keys that the help shows, by number; false behind the last one. */
bool keys_help(size_t i, const char **key, const char **what);

#endif

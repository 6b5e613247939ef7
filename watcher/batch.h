/*
 * batch.h - several starts: all are checked, then queued at once, and those
 * whose turn it is begin.
 */
#ifndef PANEWARD_BATCH_H
#define PANEWARD_BATCH_H

#include "watcher/startwords.h"

/* The exit status of the program, which ends before if anything is wrong: then
 * nothing was queued. */
int batch_start(const struct start *);

#endif

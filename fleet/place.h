/*
 * place.h - a project of this host in which it works for the fleet.
 */
#ifndef PANEWARD_FLEET_PLACE_H
#define PANEWARD_FLEET_PLACE_H

#include "base/buf.h"
#include "os/lock.h"
#include "project/context.h"

struct place {
	struct context context;
	struct buf     repository;      /* its name in the backlog */
	struct lock    lock;            /* one worker for a project */
};

/* Opens the project of the directory, and makes its status directory.  Ends the
 * program if another process works there. */
void   place_open(struct place *, const char *directory);

/* The issues that have a lease file, for argv_free(). */
char **place_leased(const struct place *);

#endif

/*
 * open.h - what each command of paneward-fleet begins with, and what several
 * use.
 */
#ifndef PANEWARD_FLEET_OPEN_H
#define PANEWARD_FLEET_OPEN_H

#include "fleet/wire/link.h"
#include "project/context.h"

/* Opens the context (dir as for context_open()) and the link, or ends the
 * program with a message: the fleet is not configured, or cannot be reached
 * (which is none with stay set). */
struct link *fleet_open(struct context *, const char *dir, bool stay);
/* Closes both; the exit status of a command that has done all it should, or
 * not. */
enum exit_status fleet_close(struct context *, struct link *, bool good);

/* A file without a name that holds the text: the input of a child that may be
 * more than a pipe takes.  -1 with errno. */
int fleet_input(const char *text, size_t len);

#endif

/*
 * context.h - where a command is: project, configuration, status directory.
 *
 * Every command begins with it.  What is wrong ends the program here, with
 * the exit status of SPEC 5: 2 for the configuration, 3 for the rest.
 */
#ifndef PANEWARD_CONTEXT_H
#define PANEWARD_CONTEXT_H

#include <stdbool.h>

#include "config.h"
#include "project.h"
#include "statusdir.h"

struct context {
	struct project   project;
	struct config    config;
	struct statusdir dir;
};

/* Finds all three from the current directory; status_dir is the option, or
 * NULL.  With make set the status directory is made if it is missing. */
void context_open(struct context *, const char *status_dir, bool make);
/* Makes the status directory of an open context, if it is missing. */
void context_make(struct context *);
void context_close(struct context *);

/* The row of the option that every command with a status directory has. */
#define CONTEXT_OPTION \
	{ CONTEXT_KEY, "status-dir", "DIR", "the status directory" }
enum { CONTEXT_KEY = 256 + 900 };

#endif

/*
 * backend.h - a kind of agent: backends/<name>.json, the user's before ours.
 *
 * What differs between agents is data.  A word in "arguments" may hold
 * <<run>>, one in "prompt" <<prompt>>; they are replaced as in a template.  A
 * backend without "prompt" takes none on its command line.
 */
#ifndef PANEWARD_BACKEND_H
#define PANEWARD_BACKEND_H

#include <stdbool.h>

#include "buf.h"

struct backend {
	char  *name;
	char  *file;                    /* where it was read from */
	char  *command;                 /* NULL: a command must be given */
	char **arguments;               /* NULL-ended */
	char **prompt;                  /* NULL-ended; empty: takes none */
	bool   session_is_run;          /* its session id is the run id */
};

/* -1 with the whole message in *error. */
int  backend_read(struct backend *, const char *name, struct buf *error);
void backend_release(struct backend *);

/*
 * The words to run, and the words that the prompt becomes on a command line;
 * NULL-ended, freed by argv_free().  prompt may be NULL.
 */
char **backend_argv(const struct backend *, const char *run,
    const char *prompt);
char **backend_prompt(const struct backend *, const char *prompt);

#endif

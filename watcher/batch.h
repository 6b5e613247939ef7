/*
 * batch.h - several starts: all are checked, then queued at once, and those
 * whose turn it is begin.
 */
#ifndef PANEWARD_BATCH_H
#define PANEWARD_BATCH_H

#include <stddef.h>

struct command;

struct batch {
	const struct command *command;
	const char  *from;              /* a list; NULL: issues */
	char *const *issues;
	size_t       nissues;
	unsigned     at_once;           /* agents; 0: any number */
	char       **shared;            /* options of all starts; owned */
	char       **words;             /* COMMAND, or none */
	const char  *status_dir;        /* the option, or NULL */
};

/* The exit status of the program, which ends before if anything is wrong: then
 * nothing was queued. */
int batch_start(const struct batch *);

#endif

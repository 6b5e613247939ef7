/*
 * shared.h - agents that would work in one folder, where each overwrites what
 * the others do.
 */
#ifndef PANEWARD_SHARED_H
#define PANEWARD_SHARED_H

#include <stddef.h>

/* An issue that is to be started. */
struct shared {
	const char *issue;
	char *folder;                   /* its agent's; NULL: a new work tree */
};

/* Warns of folders in which more than one of these agents, or of those that
 * live in the project, would work.  On a terminal it asks, and ends the program
 * unless the answer is yes. */
void shared_ask(int state_fd, const struct shared *, size_t n);

#endif

/*
 * newer.h - the program that replaced our file on the disk, as an upgrade does.
 *
 * A file counts once it has rested, so that an installation is over, and its
 * --version has answered.  Each file is tried once.  A refused file, and a
 * removed one, is a warning.
 */
#ifndef PANEWARD_NEWER_H
#define PANEWARD_NEWER_H

#include <sys/stat.h>

#include "os/spawn.h"

struct newer {
	char       *path;
	struct loop *loop;
	bool        quiet;              /* no warnings: the screen is ours */
	struct stat ours, tried;
	msec        due, gone;          /* gone: since then; 0: it is there,
					   CLOCK_NEVER: and said so */
	struct spawn check;
	struct buf  version;            /* "paneward 1.0.0"; "": none */
};

/* Watches our own file, or (name) that of a program beside us. */
void newer_open(struct newer *, const char *name, struct loop *);

/* For each turn of the loop; looks once a second.  True while there is one. */
bool newer_look(struct newer *, msec now);

/* Says so and becomes it, with these words behind its name.  Process, children
 * and ignored signals stay, descriptors close.  On failure returns after a
 * warning; the file counts as refused. */
void newer_become(struct newer *, const char *const *words);

#endif

/*
 * program.h - a program that is a table of commands.
 */
#ifndef PANEWARD_PROGRAM_H
#define PANEWARD_PROGRAM_H

#include "base/command.h"

struct program {
	const char *name;
	/* NULL-ended.  Commands that share their first word are adjacent. */
	const struct command *const *commands;
	const char *alone;              /* what its name alone runs on a
					   terminal; NULL: nothing */
};

/* main(): runs the command that the arguments name, or prints help or the
 * version.  The exit status. */
int program_main(const struct program *, int argc, char **argv);

#endif

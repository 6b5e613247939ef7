/*
 * program.h - a program that is a table of commands.
 */
#ifndef PANEWARD_PROGRAM_H
#define PANEWARD_PROGRAM_H

#include "base/command.h"

struct program {
	const char *name;
	/* NULL-ended; commands of one first word are adjacent. */
	const struct command *const *commands;
	const char *alone;              /* command without arguments on a
					   terminal; or NULL */
};

int program_main(const struct program *, int argc, char **argv);

#endif

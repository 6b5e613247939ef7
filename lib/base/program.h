/*
 * program.h - a program that is a table of commands.
 */
#ifndef PANEWARD_PROGRAM_H
#define PANEWARD_PROGRAM_H

#include "base/command.h"

struct program_row {
	const char *heading;            /* of the group that it begins in the
					   help; NULL */
	const struct command *command;
};

struct program {
	const char *name;
	/* The last row has no command; commands of one first word are
	 * adjacent. */
	const struct program_row *commands;
	const char *alone;              /* command without arguments on a
					   terminal; or NULL */
};

int program_main(const struct program *, int argc, char **argv);

#endif

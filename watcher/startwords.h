/*
 * startwords.h - the command line of start, and the words of one start, which
 * are the same.
 */
#ifndef PANEWARD_STARTWORDS_H
#define PANEWARD_STARTWORDS_H

#include <stddef.h>

#include "base/command.h"
#include "watcher/newrun.h"

extern const struct command_option start_options[];

/* Also more than one start.  Texts are those of the command line. */
struct start {
	struct newrun_how how;          /* its issue is not set; its words are
					   the command of all */
	const char  *from;              /* a list; NULL: issues */
	char *const *issues;
	size_t       nissues;
	unsigned     at_once;           /* agents; 0: any number */
	char       **shared;            /* options of all starts; owned */
};

/* Parses them; how.command is set.  Ends the program if an option is wrong. */
void start_parse(struct start *, int argc, char **argv);
/* Ends the program if the issues are wrong, or cannot have these options. */
void start_check_all(const struct start *);

/* The words of one start: the command's name, options, an issue, and perhaps
 * "--" and a command; NULL-ended.  Ends the program if they are wrong.  The
 * words may be moved, and must outlive what is filled in. */
void start_words(struct newrun_how *, char **words);

#endif

/*
 * start.h - the words of one start: as on its command line.
 */
#ifndef PANEWARD_START_H
#define PANEWARD_START_H

#include "watcher/newrun.h"

/* Parses them: the command's name, options, an issue, and perhaps "--" and a
 * command; NULL-ended.  Ends the program if they are wrong.  The words may be
 * moved, and must outlive what is filled in. */
void start_words(struct newrun_how *, char **words);

#endif

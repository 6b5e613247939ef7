/*
 * paneward.h - the table of commands, for a command that shows it to others.
 */
#ifndef PANEWARD_PANEWARD_H
#define PANEWARD_PANEWARD_H

#include <stddef.h>

struct command;

/* The command at this place of the table, from 0 on; NULL behind the last: no place
 * beyond that is asked. */
const struct command *command_at(size_t place);

#endif

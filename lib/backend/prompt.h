/*
 * prompt.h - the prompt that an agent's screen shows, and whether a text is in
 * it.
 */
#ifndef PANEWARD_PROMPT_H
#define PANEWARD_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "backend/signs.h"

struct prompt {
	bool   ready;                   /* it is there, and the agent neither
					   works nor asks */
	bool   empty;                   /* with nothing typed in it */
	size_t first;                   /* its line of the screen, from 0 */
};

/* Of the lines of a screen, and the same with their sequences. */
struct prompt prompt_read(const struct signs *, const char *rows,
    const char *colored);

/* Is the text in the prompt?  Blanks and line breaks do not count. */
bool prompt_holds(const struct prompt *, const char *rows, const char *text);

#endif

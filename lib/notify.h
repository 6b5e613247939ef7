/*
 * notify.h - a person hears of a change (SPEC 6): the command `notify`.
 *
 * It is run once for each change into a state that is to be told of, and not
 * again for the same state within a minute; it is not retried.  So that no
 * crash makes it run twice, the record says that it was run before it is.
 */
#ifndef PANEWARD_NOTIFY_H
#define PANEWARD_NOTIFY_H

#include <stdbool.h>

#include "briefing.h"
#include "config.h"
#include "status.h"

enum {
	NOTIFY_AGAIN = 60000,           /* ms before the same state is told of
					   again */
	NOTIFY_LIMIT = 10               /* seconds that the command may take */
};

/*
 * Is the state that the record has just come into to be told of?  Then the
 * record says so from now on; it must be written before notify_send().
 */
bool notify_take(struct status *, const struct config *, msec wall);

/* Starts the command, beside us and for as long as it is given, and journals
 * it.  -1 with errno. */
int  notify_send(const struct briefing *);

#endif

/*
 * caller.h - the agent that runs a hook, and what runs the agent.
 */
#ifndef PANEWARD_HOOK_CALLER_H
#define PANEWARD_HOOK_CALLER_H

#include "run/events.h"

/*
 * The agent first, then its parent and so on, up to the first process of the
 * system or the end of the list.  The shell that only runs the hook's command
 * line is left out.  How many there are; 0 where the system does not tell.
 */
unsigned caller_find(struct event_process *, unsigned most);

#endif

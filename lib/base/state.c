#include "base/state.h"

#include <string.h>

#include "base/exitstatus.h"

const char *const state_names[STATE_COUNT] = {
	[STATE_NONE]     = "none",
	[STATE_WORKING]  = "working",
	[STATE_ASKING]   = "asking",
	[STATE_WAITING]  = "waiting",
	[STATE_LIMITED]  = "limited",
	[STATE_STALLED]  = "stalled",
	[STATE_COMPLETE] = "complete",
	[STATE_ERROR]    = "error",
	[STATE_DEAD]     = "dead",
	[STATE_GONE]     = "gone",
	[STATE_UNKNOWN]  = "unknown",
	[STATE_QUEUED]   = "queued",
};

const struct state_rule state_rules[STATE_COUNT] = {
	[STATE_WORKING]  = { .restless = true },
	[STATE_ASKING]   = { .waits = true, .exit = EXIT_WAITING },
	[STATE_WAITING]  = { .waits = true, .exit = EXIT_WAITING },
	[STATE_COMPLETE] = { .reported = true, .ended = true },
	[STATE_ERROR]    = { .reported = true, .exit = EXIT_NO },
	[STATE_DEAD]     = { .ended = true, .exit = EXIT_ENDED },
	[STATE_GONE]     = { .ended = true, .exit = EXIT_ENDED },
	[STATE_UNKNOWN]  = { .restless = true },
	[STATE_NONE]     = { .exit = EXIT_TIMEOUT },
	[STATE_QUEUED]   = { .exit = EXIT_TIMEOUT },
};

enum state
state_of(const char *name, size_t len)
{
	int i;

	for (i = 1; i < STATE_COUNT; i++)
		if (strlen(state_names[i]) == len &&
		    memcmp(state_names[i], name, len) == 0)
			return (enum state)i;
	return STATE_NONE;
}

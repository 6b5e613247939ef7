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

static const struct {
	bool        reported;           /* comes from the agent's own report */
	bool        ended;              /* no agent works on it any more */
	bool        restless;           /* something should happen */
	int         exit;
} states[STATE_COUNT] = {
	[STATE_NONE]     = { false, false, false, EXIT_TIMEOUT },
	[STATE_WORKING]  = { false, false, true,  EXIT_DONE },
	[STATE_ASKING]   = { false, false, false, EXIT_WAITING },
	[STATE_WAITING]  = { false, false, false, EXIT_WAITING },
	[STATE_LIMITED]  = { false, false, false, EXIT_DONE },
	[STATE_STALLED]  = { false, false, false, EXIT_DONE },
	[STATE_COMPLETE] = { true,  true,  false, EXIT_DONE },
	[STATE_ERROR]    = { true,  false, false, EXIT_NO },
	[STATE_DEAD]     = { false, true,  false, EXIT_ENDED },
	[STATE_GONE]     = { false, true,  false, EXIT_ENDED },
	[STATE_UNKNOWN]  = { false, false, true,  EXIT_DONE },
	[STATE_QUEUED]   = { false, false, false, EXIT_TIMEOUT },
};

const char *
state_name(enum state state)
{
	return state_names[state];
}

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

bool
state_reported(enum state state)
{
	return states[state].reported;
}

bool
state_ended(enum state state)
{
	return states[state].ended;
}

bool
state_restless(enum state state)
{
	return states[state].restless;
}

bool
state_waits(enum state state)
{
	return state == STATE_ASKING || state == STATE_WAITING;
}

int
state_exit(enum state state)
{
	return states[state].exit;
}

/*
 * state.h - what an agent is at, in one word.
 */
#ifndef PANEWARD_STATE_H
#define PANEWARD_STATE_H

#include <stdbool.h>
#include <stddef.h>

enum state {
	STATE_NONE,             /* no detector could tell */
	STATE_WORKING,
	STATE_ASKING,
	STATE_WAITING,
	STATE_LIMITED,
	STATE_STALLED,
	STATE_COMPLETE,
	STATE_ERROR,
	STATE_DEAD,
	STATE_GONE,
	STATE_UNKNOWN,
	STATE_QUEUED,           /* its start waits; no record has it */
	STATE_COUNT
};

/* The words for users and records; "none" for the zero. */
extern const char *const state_names[STATE_COUNT];
#define state_name(state) state_names[state]
/* STATE_NONE for a word that is not a state. */
enum state  state_of(const char *name, size_t len);

extern const struct state_rule {
	bool reported;          /* by the agent, so that only `complete` may
				   follow */
	bool ended;             /* the run is over, whatever may still be
				   reported of it */
	bool restless;          /* something should happen before long, so that
				   silence means `stalled` */
	bool waits;             /* needs a person: asking, or waiting for a
				   prompt */
	int  exit;              /* of a command that stops at this state */
} state_rules[STATE_COUNT];
#define state_reported(state) state_rules[state].reported
#define state_ended(state)    state_rules[state].ended
#define state_restless(state) state_rules[state].restless
#define state_waits(state)    state_rules[state].waits
#define state_exit(state)     state_rules[state].exit

#endif

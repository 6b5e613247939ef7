/*
 * state.h - the state of an agent, in one word.
 */
#ifndef PANEWARD_STATE_H
#define PANEWARD_STATE_H

#include <stdbool.h>
#include <stddef.h>

enum state {
	STATE_NONE,             /* no detector decided */
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
	STATE_QUEUED,           /* waits for its start; never recorded */
	STATE_COUNT
};

extern const char *const state_names[STATE_COUNT];
#define state_name(state) state_names[state]
enum state  state_of(const char *name, size_t len);

extern const struct state_rule {
	bool reported;          /* by the agent: only `complete` may follow */
	bool ended;
	bool restless;          /* long silence means `stalled` */
	bool waits;             /* for a person */
	int  exit;              /* of a command that stops there */
} state_rules[STATE_COUNT];
#define state_reported(state) state_rules[state].reported
#define state_ended(state)    state_rules[state].ended
#define state_restless(state) state_rules[state].restless
#define state_waits(state)    state_rules[state].waits
#define state_exit(state)     state_rules[state].exit

#endif

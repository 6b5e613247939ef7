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
const char *state_name(enum state);
/* STATE_NONE for a word that is not a state. */
enum state  state_of(const char *name, size_t len);

/* Did the agent report, so that only `complete` may follow? */
bool state_reported(enum state);
/* Is the run over, whatever may still be reported of it? */
bool state_ended(enum state);
/* Should something happen before long, so that silence means `stalled`? */
bool state_restless(enum state);
/* Does it need a person: is it asking, or waiting for a prompt? */
bool state_waits(enum state);

/* What a command that stops at this state exits with. */
int  state_exit(enum state);

#endif

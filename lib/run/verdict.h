/*
 * verdict.h - the answer: state, source, reason.
 *
 * A verdict is a value: copied, compared, forgotten.  Its texts are for
 * people; they hold no control bytes (verdict_why() and verdict_message()
 * see to that) and are cut, where they are too long, between characters.
 */
#ifndef PANEWARD_VERDICT_H
#define PANEWARD_VERDICT_H

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
	STATE_COUNT
};

enum { VERDICT_SOURCE = 16, VERDICT_WHY = 320, VERDICT_MESSAGE = 200 * 4 + 1 };

struct verdict {
	enum state  state;
	char        source[VERDICT_SOURCE];     /* the detector's name */
	char        why[VERDICT_WHY];
	char        message[VERDICT_MESSAGE];   /* what the agent said */
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

/*
 * Which detector decided: its name, of small letters, or "session" if tmux
 * did.  Any other word is no source.  An older version wrote "record" for
 * "hook".  verdict_source() is "none" where there is no source.
 */
void verdict_set_source(struct verdict *, const char *name);
const char *verdict_source(const struct verdict *);

/*
 * Copies a text as it may be shown, cut between two characters if it is too
 * long.  The watched pane itself may show it, so three hash signs, which begin
 * a marker, become full-width ones.
 */
void verdict_shown(char *to, size_t size, const char *text, size_t len);

void verdict_why(struct verdict *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void verdict_add_why(struct verdict *, const char *text);
void verdict_message(struct verdict *, const char *text, size_t len);

#endif

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
#include <stdint.h>

#include "base/clock.h"
#include "base/state.h"

enum { VERDICT_SOURCE = 16, VERDICT_WHY = 320, VERDICT_MESSAGE = 200 * 4 + 1 };

struct verdict {
	enum state  state;
	char        source[VERDICT_SOURCE];     /* the detector's name */
	char        why[VERDICT_WHY];
	char        message[VERDICT_MESSAGE];   /* what the agent said */
	uint32_t    question;                   /* hash of the question on the
						   screen; 0: not seen */
	bool        anew;                       /* ASKING: another question than
						   the record's; not recorded */
	msec        reset;                      /* of a limit, wall time; 0: not
						   known; not recorded */
};

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

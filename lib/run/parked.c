#include "run/status.h"

enum {                                  /* ms */
	MINUTE = 60 * 1000,
	PAUSE = 5 * MINUTE,
	EPISODE = 10 * MINUTE,
	SETTLE = 500                    /* until a limit ends everywhere */
};

static const msec longest = (msec)8 * 24 * 60 * MINUTE;

bool
parked_take(struct status *s, enum state state, msec reset, bool on, msec wall)
{
	bool was = s->parked.since != 0;
	msec spread;

	if (state == STATE_NONE)
		return false;
	if (!on || state != STATE_LIMITED) {
		s->parked.since = s->parked.until = s->parked.next = 0;
		return was;
	}
	/* Ignores an end that is over or not credible. */
	if (reset > wall + longest || reset <= s->parked.asked)
		reset = 0;
	/* The first end counts until it comes: "in 2 hours" moves on. */
	if (was && (s->parked.next == 0 || reset == 0 ||
	    (s->parked.until != 0 && s->parked.until > s->parked.asked)))
		return false;
	if (!was) {
		if (s->parked.asked == 0 || wall > s->parked.asked + EPISODE)
			s->parked.asks = 0;
		s->parked.since = wall;
	}
	if (s->parked.asks < PARKED_MOST) {
		spread = SETTLE + (msec)(text_hash(s->run, strlen(s->run)) %
		    (PARKED_SPREAD - SETTLE));
		s->parked.until = reset;
		s->parked.next = reset != 0 ? reset + spread :
		    wall + ((msec)PAUSE << s->parked.asks);
	}
	return true;
}

msec
parked_wait(const struct status *s, msec wall)
{
	msec left = s->parked.next - wall;
	msec most = s->parked.until <= s->parked.asked ?
	    (msec)PAUSE << s->parked.asks : longest;

	if (s->parked.next == 0 || s->verdict.state != STATE_LIMITED)
		return CLOCK_NEVER;
	/* A longer wait: the clock was set back. */
	return left <= 0 || left > most ? 0 : left;
}

void
parked_begin(struct status *s, msec wall)
{
	s->parked.asks++;
	s->parked.asked = wall;
	s->parked.next = s->parked.asks < PARKED_MOST ?
	    wall + ((msec)PAUSE << s->parked.asks) : 0;
}

void
parked_describe(struct buf *out, const struct status *s, msec wall)
{
	if (parked_wait(s, wall) == CLOCK_NEVER)
		return;
	buf_adds(out, "; goes on at ");
	clock_ahead(out, s->parked.next, wall);
	buf_printf(out, ", %u of %d", s->parked.asks + 1, (int)PARKED_MOST);
}

#include "watcher/settle.h"

#include <string.h>

#include "base/command.h"
#include "base/msg.h"
#include "run/handoffstate.h"

unsigned
settle_states(const struct command *c, const char *option, const char *list)
{
	struct buf known = BUF_INIT;
	unsigned states = 0;
	enum state state;
	const char *p;
	size_t len;
	int i;

	for (p = list;; p += len + 1) {
		len = strcspn(p, ",");
		state = state_of(p, len);
		if (state == STATE_NONE || state == STATE_QUEUED)
			break;
		states |= 1u << state;
		if (p[len] == '\0')
			return states;
	}
	for (i = STATE_NONE + 1; i < STATE_QUEUED; i++)
		buf_printf(&known, "%s%s", known.len > 0 ? ", " : "",
		    state_name((enum state)i));
	command_usage(c, "%s '%s': '%.*s' is not a state: %s", option, list,
	    (int)len, p, buf_str(&known));
}

bool
settle_over(const struct status *s)
{
	return status_over(s) && !handoff_open(&s->handoff);
}

int
settle_exit(const struct status *s, unsigned states)
{
	const struct handoff *h = &s->handoff;

	if ((states & 1u << s->verdict.state) == 0)
		return -1;
	if (s->verdict.state != STATE_COMPLETE)
		return state_exit(s->verdict.state);
	if (handoff_open(h))
		return -1;
	return h->state == HANDOFF_NONE || h->state == HANDOFF_DONE ?
	    EXIT_DONE : EXIT_HANDOFF;
}

int
settle_both(int a, int b)
{
	/* The first of these counts. */
	static const int order[] = { EXIT_COULD_NOT, EXIT_USAGE, EXIT_HANDOFF,
	    EXIT_NO, EXIT_ENDED, EXIT_WAITING, EXIT_TIMEOUT };
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return EXIT_DONE;
}

#include "show/history.h"


static const char *const type_words[JOURNAL_TYPES] = {
	[JOURNAL_RUN]     = "run",
	[JOURNAL_STALE]   = "stale",
	[JOURNAL_REFUSED] = "refused",
	[JOURNAL_HANDOFF] = "hand-off",
	[JOURNAL_NOTIFY]  = "notice",
	[JOURNAL_ANSWER]  = "answer",
	[JOURNAL_PARKED]  = "limit",
	[JOURNAL_WARNING] = "warning",
};

const char *
eventwords_what(const struct journal_event *e)
{
	return e->type == JOURNAL_STATE ? state_name(timeline_state(e)) :
	    type_words[e->type];
}

static void
add_part(struct buf *out, size_t start, const char *between, const char *text)
{
	if (text == NULL || text[0] == '\0')
		return;
	if (out->len > start)
		buf_adds(out, between);
	buf_adds(out, text);
}

void
eventwords_add(struct buf *out, const struct journal_event *e)
{
	size_t start = out->len;

	add_part(out, start, "", e->why);
	add_part(out, start, ": ", e->detail);
	/* The end of an attempt has a result. */
	if (e->type == JOURNAL_HANDOFF && e->exit != -1) {
		buf_printf(out, "%swith %d", out->len > start ? " " : "",
		    e->exit);
		add_part(out, start, ", ", e->state);
	}
	add_part(out, start, ": ", e->message);
}

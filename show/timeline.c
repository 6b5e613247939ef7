#include "show/show.h"

/* Mostly it is one of the last. */
static struct timeline_run *
timeline_find(const struct timeline *t, const char *run)
{
	size_t i;

	for (i = t->n; i > 0; i--)
		if (strcmp(t->runs[i - 1].run, run) == 0)
			return &t->runs[i - 1];
	return NULL;
}

/* Unknown: an adopted run is not judged yet, or the word is of a later
 * version. */
static enum state
timeline_state(const struct journal_event *e)
{
	enum state state = STATE_NONE;

	if (e->type == JOURNAL_STATE && e->state != NULL)
		state = state_of(e->state, strlen(e->state));
	if (e->type == JOURNAL_RUN && e->detail != NULL &&
	    strcmp(e->detail, "started") == 0)
		state = STATE_WORKING;
	return state != STATE_NONE ? state : STATE_UNKNOWN;
}

void
timeline_add(struct timeline *t, const struct journal_event *e, size_t place)
{
	struct timeline_run *r;

	if (e->run[0] == '\0')
		return;
	r = timeline_find(t, e->run);
	if (r == NULL) {
		r = ARRAY_ADD(t->runs, t->n);
		*r = (struct timeline_run){ .issue = xstrdup(e->subject) };
		memcpy(r->run, e->run, sizeof(e->run));
	}
	if (r->n > 0 && r->spans[r->n - 1].to < e->time)
		r->spans[r->n - 1].to = e->time;
	if (r->n > 0 && e->type != JOURNAL_STATE)
		return;
	*ARRAY_ADD(r->spans, r->n) = (struct span){ .state = timeline_state(e),
	    .from = e->time, .to = e->time, .event = place };
}

bool
timeline_stand(struct timeline *t, const struct status *s, msec now)
{
	struct timeline_run *r = timeline_find(t, s->run);
	struct span *last = r != NULL ? &r->spans[r->n - 1] : NULL;

	if (last != NULL && last->state == s->verdict.state &&
	    last->from <= now) {
		r->open = t->open = true;
		last->to = now;
	}
	return r != NULL;
}

/* ---- an event in words --------------------------------------------------- */

static const char *const type_words[JOURNAL_TYPES] = {
	[JOURNAL_RUN]     = "run",
	[JOURNAL_STALE]   = "stale",
	[JOURNAL_REFUSED] = "refused",
	[JOURNAL_HANDOFF] = "hand-off",
	[JOURNAL_NOTIFY]  = "notice",
	[JOURNAL_ANSWER]  = "answer",
	[JOURNAL_SENT]    = "sent",
	[JOURNAL_MERGE]   = "merge",
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
	enum state state = e->type == JOURNAL_STATE ? timeline_state(e) :
	    STATE_NONE;
	const char *says = state == STATE_WORKING ? e->task :
	    state == STATE_ASKING || state == STATE_WAITING ?
	    (e->said != NULL ? e->said : e->message) : NULL;
	size_t start = out->len;

	/* As a row and a notice say it. */
	if (says != NULL) {
		buf_adds(out, says);
		add_part(out, start, " - ", says != e->task ? e->task : NULL);
		return;
	}
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

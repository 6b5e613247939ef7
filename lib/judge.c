#include "judge.h"

#include <stdint.h>

#include "handoff.h"

static bool
judge_default(const struct evidence *ev, struct verdict *v)
{
	if (ev->pane != PANE_LIVES || ev->agent_ended)
		return false;
	verdict_why(v, "the agent's process lives");
	v->state = STATE_WORKING;
	v->source = SOURCE_PROCESS;
	return true;
}

bool
judge(const struct judge_walk *w, struct evidence *ev, struct verdict *v)
{
	struct verdict answer;
	bool decided = false, asked, told;
	size_t i;

	*v = (struct verdict){ 0 };
	for (i = 0; i < chain_length && (!decided || w->tell != NULL); i++) {
		answer = (struct verdict){ 0 };
		asked = w->gather(w->context, ev, chain[i].needs);
		told = asked && chain[i].look(ev, &answer);
		if (w->tell != NULL)
			w->tell(w->context, &chain[i], ev, asked,
			    told ? &answer : NULL);
		if (told && !decided) {
			*v = answer;
			decided = true;
		}
	}
	return decided || judge_default(ev, v);
}

bool
judge_changes(const struct status *r, const struct verdict *v)
{
	enum state old = r->verdict.state, new = v->state;

	if (new == STATE_NONE || new == old || old == STATE_COMPLETE)
		return false;                   /* complete is final */
	if (old == STATE_ERROR)
		return new == STATE_COMPLETE;
	if (state_ended(old))
		return state_reported(new);     /* a report that came late */
	return true;
}

/*
 * Completions that are there when an error is recorded have no effect any
 * more; they are part of its reason.
 */
static void
disarm_completions(struct status *r, const struct evidence *ev)
{
	if (ev->log.hits.complete > r->past_log.complete)
		verdict_add_why(&r->verdict, ", after a completion marker");
	r->past_log.complete = ev->log.hits.complete;
	r->past_log.error = ev->log.hits.error;
	/* Which ones the screen shows, the next capture tells. */
	r->past_capture.complete = r->past_capture.error = UINT32_MAX;
}

void
judge_record(struct status *r, const struct verdict *v,
    const struct evidence *ev, bool handoff, msec wall)
{
	r->verdict = *v;
	r->since = wall;
	r->changes++;
	if (v->state == STATE_ERROR)
		disarm_completions(r, ev);
	if (v->state == STATE_COMPLETE && handoff)
		handoff_want(&r->handoff, r->run);
}

bool
judge_record_end(struct status *r, const struct evidence *ev)
{
	if (!ev->last_look || r->ended)
		return false;
	r->ended = true;
	r->exit_code = ev->exit_code;
	r->exit_signal = ev->exit_signal;
	return true;
}

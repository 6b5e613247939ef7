#include "chain/judge.h"

#include <stdint.h>
#include <string.h>

#include "run/handoffstate.h"

static bool
judge_default(const struct evidence *ev, struct verdict *v)
{
	if (ev->pane != PANE_LIVES || ev->agent_ended)
		return false;
	verdict_why(v, "the agent's process lives");
	v->state = STATE_WORKING;
	verdict_set_source(v, "process");
	return true;
}

/* What the agent does at the moment is of no interest once it has reported, or
 * is no more. */
static bool
final(enum state state)
{
	return state_reported(state) || state_ended(state) ||
	    state == STATE_UNKNOWN;
}

/*
 * Is what the screen shows newer than what the hook reported?  A text counts if
 * it was captured after that was drawn, or nothing was printed since.  The
 * agent's own word is of now, but a title that is ready may never have changed.
 */
static bool
newer(const struct evidence *ev, const struct verdict *told,
    const struct verdict *seen)
{
	msec text = ev->screen.text;

	if (text == 0)
		return seen->state != STATE_WAITING;
	/* The failure of a turn may be drawn before its end is reported. */
	if (told->state == STATE_WAITING && (seen->state == STATE_ASKING ||
	    seen->state == STATE_LIMITED) && text >= ev->hook.time)
		return true;
	return text >= ev->hook.time + EVIDENCE_GRACE ||
	    text >= ev->wall - ev->silent;
}

/*
 * A hook tells of a moment, the screen shows what has come of it: nothing tells
 * of an interrupt, or that a question was answered.  Of a turn that failed, or
 * reached a limit, the screen shows no more than a prompt.  And an agent that
 * waits for a person prints nothing.
 */
static bool
overruled(const struct evidence *ev, const struct verdict *told,
    const struct verdict *seen)
{
	if (strcmp(seen->source, "screen") != 0)
		return false;
	if (told->state == STATE_STALLED)
		return !state_restless(seen->state);
	return strcmp(told->source, "hook") == 0 && told->state != seen->state &&
	    newer(ev, told, seen) &&
	    !(ev->hook.last == EVENT_FAILED && state_waits(seen->state)) &&
	    ev->wall - ev->hook.time >= EVIDENCE_GRACE;
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
		told = asked && chain[i].detect(ev, &answer);
		if (w->tell != NULL)
			w->tell(w->context, &chain[i], ev, asked,
			    told ? &answer : NULL);
		if (!told || decided)
			continue;
		decided = final(answer.state);
		if (decided || v->state == STATE_NONE ||
		    overruled(ev, v, &answer))
			*v = answer;
	}
	return v->state != STATE_NONE || judge_default(ev, v);
}

bool
judge_changes(const struct status *r, const struct verdict *v)
{
	enum state old = r->verdict.state, new = v->state;

	if (new == STATE_NONE || old == STATE_COMPLETE)
		return false;                   /* complete is final */
	if (new == old)                         /* for something else? */
		return state_waits(new) &&
		    strcmp(r->verdict.why, v->why) != 0;
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
	if (ev->log.hits.complete > r->ignored_log.complete)
		verdict_add_why(&r->verdict, ", after a completion marker");
	r->ignored_log.complete = ev->log.hits.complete;
	r->ignored_log.error = ev->log.hits.error;
	r->ignored_events.complete = ev->hook.hits.complete;
	r->ignored_events.error = ev->hook.hits.error;
	/* Which ones the screen shows, the next capture tells. */
	r->ignored_capture.complete = r->ignored_capture.error = UINT32_MAX;
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

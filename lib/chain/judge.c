#include "chain/judge.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chain/sources.h"
#include "run/handoffstate.h"

/* The events behind an answer; NULL: it comes from elsewhere. */
static const struct event_evidence *
judge_events(const struct evidence *ev, const struct verdict *answer)
{
	return strcmp(answer->source, "hook") == 0 ? &ev->hook :
	    strcmp(answer->source, "transcript") == 0 ? &ev->transcript : NULL;
}

/*
 * Is what the screen shows newer than the event?  A capture counts if it was
 * made when the screen had caught up with the event, or if nothing was printed
 * since.  A title is of now, but one that is ready may never have changed.
 */
static bool
newer(const struct evidence *ev, const struct event_evidence *events,
    const struct verdict *first, const struct verdict *seen)
{
	msec text = ev->screen.text;

	if (text == 0)
		return seen->state != STATE_WAITING;
	/* The failure of a turn may be drawn before its end is reported. */
	if (first->state == STATE_WAITING && (seen->state == STATE_ASKING ||
	    seen->state == STATE_LIMITED) && text >= events->time)
		return true;
	return text >= events->time + EVIDENCE_GRACE ||
	    text >= ev->wall - ev->silent;
}

/* Did a hook report an end without a message, and is how the turn ended in the
 * transcript, a moment before? */
static bool
judge_failure(const struct evidence *ev, const struct event_evidence *events)
{
	return events->last == EVENT_ENDED && events_lost(events) &&
	    ev->transcript.last == EVENT_FAILED &&
	    ev->transcript.time >= events->time - EVIDENCE_GRACE;
}

/* Did only an attempt fail?  The agent goes on printing that it is busy, and a
 * capture comes when it stops. */
static bool
tries_again(const struct evidence *ev, const struct event_evidence *events,
    const struct verdict *first, const struct verdict *seen)
{
	return events != NULL && events->last == EVENT_FAILED &&
	    first->state == STATE_ASKING && seen->state == STATE_WORKING &&
	    ev->silent < EVIDENCE_GRACE;
}

/*
 * May the transcript, or the screen, overrule an earlier detector?  Of a hook
 * and a transcript the newer one decides.  An event is of one moment, and the
 * screen shows what came of it: no hook reports an interrupt, or an answer to a
 * question.  But after a turn that failed, or reached a limit, the screen shows
 * only a prompt; so it does while helpers go on in the background.  And an agent
 * that waits for a person prints nothing, so it is not stalled.
 */
static bool
overruled(const struct evidence *ev, const struct verdict *first,
    const struct verdict *seen)
{
	const struct event_evidence *events = judge_events(ev, first);

	if (strcmp(seen->source, "transcript") == 0)
		return events != NULL && first->state != seen->state &&
		    (ev->transcript.time > events->time ||
		    judge_failure(ev, events));
	if (strcmp(seen->source, "screen") != 0)
		return false;
	if (first->state == STATE_STALLED)
		return !state_restless(seen->state);
	if (tries_again(ev, events, first, seen))
		return true;
	return events != NULL && first->state != seen->state &&
	    newer(ev, events, first, seen) &&
	    !(events->last == EVENT_FAILED && state_waits(seen->state)) &&
	    !(seen->state == STATE_WAITING &&
	    strcmp(events->kind, "background") == 0) &&
	    ev->wall - events->time >= EVIDENCE_GRACE;
}

/* Hash of the command of "Bash: make test". */
static uint32_t
judge_command(const char *text)
{
	const char *behind = strstr(text, ": ");

	text = behind != NULL ? behind + 2 : text;
	return signs_command(text, strlen(text));
}

/* Is the dialog on the screen about another command than the event tells? */
static bool
judge_differs(const struct evidence *ev, const struct event_evidence *e)
{
	return ev->screen.command != 0 && !e->notice &&
	    strstr(e->text, ": ") != NULL &&
	    judge_command(e->text) != ev->screen.command;
}

/* May the question of the record still be open?  A hook that is slow may come
 * behind the screen. */
static bool
judge_open(const struct status *r, const struct event_evidence *e)
{
	return r != NULL && r->verdict.state == STATE_ASKING && (e == NULL ||
	    e->asked <= r->since || (e->asked <= r->since + EVIDENCE_GRACE &&
	    judge_command(e->text) == judge_command(r->verdict.message)));
}

/*
 * Decides which question is open.  An event, or a title, says that the agent
 * asks; the screen says what, once the dialog is drawn.  The record's question
 * stands while neither shows another one.  If a client asks two things at once,
 * or its hooks report only some dialogs, the event and the screen name different
 * questions, and the screen counts.
 */
static void
judge_question(const struct evidence *ev, const struct verdict *seen,
    struct verdict *v)
{
	const struct status *r = ev->record;
	const struct event_evidence *e = judge_events(ev, v);
	bool asked = e != NULL && e->last == EVENT_WAITING;
	const struct verdict *old = judge_open(r, asked ? e : NULL) ?
	    &r->verdict : NULL;
	bool shown = seen->question != 0 && (e == NULL ||
	    (asked && ev->screen.text >= e->asked + EVIDENCE_DRAWN));
	bool other = shown && asked && judge_differs(ev, e), told;

	v->anew = old == NULL || (shown && old->question != 0 ?
	    seen->question != old->question :
	    other || (!asked && strcmp(v->why, old->why) != 0));
	if (old != NULL && old->question != 0 && !v->anew) {
		memcpy(v->why, old->why, sizeof(v->why));
		memcpy(v->message, old->message, sizeof(v->message));
		v->question = old->question;
	} else if (shown) {
		told = asked && !other && v->message[0] != '\0' &&
		    (old == NULL || old->question == 0) &&
		    (ev->screen.kind == NULL ||
		    strcmp(ev->screen.kind, e->kind) == 0);
		if (!told && seen->message[0] != '\0') {
			memcpy(v->why, seen->why, sizeof(v->why));
			memcpy(v->message, seen->message, sizeof(v->message));
		}
		v->question = seen->question;
	}
}

/* Will an event count in a moment?  Until then nothing changes. */
static bool
judge_soon(const struct evidence *ev)
{
	return (ev->hook.there || ev->transcript.there) &&
	    ev->wall - (ev->hook.time > ev->transcript.time ? ev->hook.time :
	    ev->transcript.time) < EVIDENCE_GRACE;
}

bool
judge_all(struct sources *s, struct evidence *ev, struct verdict *v,
    judge_each *each, void *context)
{
	struct verdict answer, seen = { 0 };
	const struct detector *d;
	bool decided = false, can_tell;

	*v = (struct verdict){ 0 };
	ev->again = CLOCK_NEVER;
	if (s != NULL)
		ev->record = s->record;
	for (d = chain; d < chain + chain_length && (!decided || each != NULL);
	    d++) {
		answer = (struct verdict){ 0 };
		can_tell = (s == NULL || d->gather(s, ev)) &&
		    d->detect(ev, &answer);
		if (can_tell && answer.source[0] == '\0')
			verdict_set_source(&answer, d->name);
		if (each != NULL)
			each(context, d, ev, can_tell ? &answer : NULL);
		if (can_tell && answer.question != 0)
			seen = answer;
		if (!can_tell || decided)
			continue;
		/* Whatever a later detector sees of the moment. */
		decided = state_reported(answer.state) ||
		    state_ended(answer.state) || answer.state == STATE_UNKNOWN;
		if (decided || v->state == STATE_NONE ||
		    overruled(ev, v, &answer))
			*v = answer;
	}
	if (v->state == STATE_ASKING)
		judge_question(ev, &seen, v);
	/* The last message is recorded with a report. */
	if (v->state == STATE_COMPLETE && s != NULL && each == NULL)
		gather_transcript(s, ev);
	/* Markers from before an error never count, so they must be known. */
	if (v->state == STATE_ERROR && s != NULL && each == NULL) {
		gather_hook(s, ev);
		gather_transcript(s, ev);
		gather_log(s, ev);
	}
	if (v->state == STATE_NONE && ev->pane == PANE_LIVES &&
	    !ev->agent_ended && !judge_soon(ev)) {
		verdict_why(v, "the agent's process lives");
		verdict_set_source(v, "process");
		v->state = STATE_WORKING;
	}
	return v->state != STATE_NONE;
}

bool
judge(struct sources *s, struct evidence *ev, struct verdict *v)
{
	return judge_all(s, ev, v, NULL, NULL);
}

bool
judge_changes(const struct status *r, const struct verdict *v)
{
	enum state old = r->verdict.state, new = v->state;

	if (new == STATE_NONE || old == STATE_COMPLETE)
		return false;                   /* complete is final */
	if (new == old)                         /* for something else? */
		return state_waits(new) && (v->anew ||
		    strcmp(r->verdict.why, v->why) != 0 ||
		    (new == STATE_ASKING &&
		    (r->verdict.question != v->question ||
		    strcmp(r->verdict.message, v->message) != 0)));
	if (old == STATE_ERROR)
		return new == STATE_COMPLETE;
	if (state_ended(old))
		return state_reported(new);     /* a late report */
	return true;
}

/* What the agent said last: the text of its signal, if that decided and has
 * one, else the message in its transcript or of its hooks, else the verdict's. */
static void
judge_last_message(struct status *r, const struct verdict *v,
    const struct evidence *ev)
{
	const struct buf *signal = &ev->signal_text[v->state == STATE_COMPLETE ?
	    SIGFILE_COMPLETE : SIGFILE_ERROR];
	const struct event_evidence *h = &ev->hook, *t = &ev->transcript;
	bool hook = h->there && (h->last == EVENT_MESSAGE ||
	    h->last == EVENT_ENDED);
	/* Is the message in the transcript the one that the hooks reported
	 * last, or a newer one?  Hooks keep less of it. */
	bool said = ev->said != NULL && ev->said->len > 0 && (!h->there ||
	    h->text[0] == '\0' || strcmp(h->text, t->text) == 0 ||
	    t->time >= h->time);
	char shown[STATUS_MESSAGE + 1];
	struct buf text = BUF_INIT;

	if (strcmp(v->source, "signal") == 0)
		buf_add(&text, signal->data, signal->len);
	else if (!said && hook)
		buf_adds(&text, h->text);
	if (text.len == 0 && ev->said != NULL)
		sigfile_text(&text, ev->said->data, ev->said->len,
		    TRANSCRIPT_SAID);
	if (text.len == 0 && state_reported(v->state))
		buf_adds(&text, v->message);
	verdict_shown(shown, sizeof(shown), text.data, text.len);
	buf_release(&text);
	if (shown[0] == '\0')
		return;
	free(r->last_message);
	r->last_message = xstrdup(shown);
}

bool
judge_begins(const struct status *r, const struct verdict *v)
{
	return r->verdict.state != v->state ||
	    (v->state == STATE_ASKING && v->anew);
}

/* When did what decided happen, by the wall time of the judging?  0: that is not
 * known. */
static msec
judge_when(const struct evidence *ev, const struct verdict *v, bool first,
    msec wall)
{
	const struct event_evidence *e = judge_events(ev, v);
	msec told = ev->hook.time > ev->transcript.time ? ev->hook.time :
	    ev->transcript.time;
	msec printed = ev->silent < wall ? wall - ev->silent : 0;

	if (strcmp(v->source, "signal") == 0)
		return ev->signal[v->state == STATE_COMPLETE ?
		    SIGFILE_COMPLETE : SIGFILE_ERROR].written;
	if (e != NULL)
		return e->began;
	if (state_ended(v->state))
		return ev->ended;
	if (v->state == STATE_WORKING || v->state == STATE_UNKNOWN)
		return 0;
	/* A client that redraws its screen each second does nothing by that. */
	return first && told != 0 && told < printed ? told : printed;
}

void
judge_since(struct status *r, const struct verdict *v,
    const struct evidence *ev, bool first, msec wall, msec unknown)
{
	msec since = judge_when(ev, v, first, wall);

	if (!judge_begins(r, v))
		return;
	if (since == 0)
		since = unknown;
	/* Not before the state that it follows. */
	if (r->changes > 0 && since != 0 && since <= r->since)
		since = r->since + 1;
	r->since = since < wall ? since : wall;
}

bool
judge_record(struct status *r, const struct verdict *v,
    const struct evidence *ev, bool handoff, msec wall)
{
	bool begins = judge_begins(r, v);

	judge_since(r, v, ev, r->changes == 0, wall, wall);
	r->verdict = *v;
	r->changes++;
	judge_last_message(r, v, ev);
	if (v->state == STATE_COMPLETE && handoff)
		handoff_want(&r->handoff, r->run);
	if (v->state != STATE_ERROR)
		return begins;
	/* The markers that are there when an error is recorded are ignored
	 * from then on.  The reason mentions a completion among them. */
	if (ev->log.hits.complete > r->ignored_log.complete)
		verdict_add_why(&r->verdict, ", after a completion marker");
	r->ignored_log.complete = ev->log.hits.complete;
	r->ignored_log.error = ev->log.hits.error;
	r->ignored_events.complete = ev->hook.hits.complete;
	r->ignored_events.error = ev->hook.hits.error;
	if (ev->transcript.time > r->transcript.past)
		r->transcript.past = ev->transcript.time;
	/* As many as the next capture shows. */
	r->ignored_capture.complete = r->ignored_capture.error = UINT32_MAX;
	return begins;
}

bool
judge_record_end(struct status *r, const struct evidence *ev)
{
	if (!ev->final || r->ended)
		return false;
	r->ended = true;
	r->exit_code = ev->exit_code;
	r->exit_signal = ev->exit_signal;
	return true;
}

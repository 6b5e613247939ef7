#include "chain/sources.h"

static const struct event_evidence *
judge_events(const struct evidence *ev, const struct verdict *answer)
{
	const struct detector *d = chain, *end = chain + chain_length;

	while (d < end && strcmp(d->name, answer->source) != 0)
		d++;
	return d < end && d->events != 0 ? (const struct event_evidence *)
	    (const void *)((const char *)ev + d->events) : NULL;
}

/* The newer one decides.  But a hook may report a turn's end without a message,
 * a moment after the transcript's failure. */
bool
transcript_overrules(const struct evidence *ev,
    const struct event_evidence *events, const struct verdict *first,
    const struct verdict *seen)
{
	return events != NULL && first->state != seen->state &&
	    (ev->transcript.time > events->time ||
	    (events->last == EVENT_ENDED && events_lost(events) &&
	    ev->transcript.last == EVENT_FAILED &&
	    ev->transcript.time >= events->time - EVIDENCE_GRACE));
}

/*
 * Only the screen shows an interrupt or an answer.  But it shows a mere prompt
 * after a turn that failed or reached a limit, and while helpers work in the
 * background.  An agent that waits for a person prints nothing: it is not
 * stalled.
 *
 * A capture is newer if the screen had caught up with the event, or if surely
 * nothing was printed since.  A title is current, but a ready agent's may never
 * have changed.
 */
bool
screen_overrules(const struct evidence *ev,
    const struct event_evidence *events, const struct verdict *first,
    const struct verdict *seen)
{
	msec text = ev->screen.text;
	bool newer;

	if (first->state == STATE_STALLED)
		return !state_restless(seen->state);
	if (events == NULL)
		return false;
	/* Only an attempt failed: the agent prints on, and a capture comes when
	 * it stops. */
	if (events->last == EVENT_FAILED && first->state == STATE_ASKING &&
	    seen->state == STATE_WORKING && ev->silent < EVIDENCE_GRACE)
		return true;
	/* Clients wait for their hooks before they draw a dialog. */
	if (first->state == STATE_ASKING && seen->state == STATE_WORKING &&
	    ev->screen.dialog < events->asked &&
	    ev->wall - events->asked < EVIDENCE_WRITING)
		return false;
	/* The failure of a turn may be drawn before its end is reported. */
	newer = text == 0 ? seen->state != STATE_WAITING :
	    text >= events->time + EVIDENCE_GRACE ||
	    text >= ev->wall - ev->silent + ev->unsure ||
	    (first->state == STATE_WAITING && text >= events->time &&
	    (seen->state == STATE_ASKING || seen->state == STATE_LIMITED));
	return newer && first->state != seen->state &&
	    !(events->last == EVENT_FAILED && state_waits(seen->state)) &&
	    !(seen->state == STATE_WAITING &&
	    strcmp(events->kind, "background") == 0) &&
	    ev->wall - events->time >= EVIDENCE_GRACE;
}

static uint32_t
judge_command(const char *text)
{
	const char *behind = strstr(text, ": ");

	text = behind != NULL ? behind + 2 : text;
	return signs_command(text, strlen(text));
}

/* An event or a title says that the agent asks; the screen says what, once the
 * dialog is drawn.  The record's question stands while neither shows another.
 * The screen counts before an event: clients ask two things at once, and hooks
 * report only some. */
static void
judge_question(const struct evidence *ev, const struct verdict *seen,
    struct verdict *v)
{
	const struct status *r = ev->record;
	const struct event_evidence *e = judge_events(ev, v);
	bool asked = e != NULL && e->last == EVENT_WAITING;
	/* A slow hook may come behind the screen. */
	bool open = r != NULL && r->verdict.state == STATE_ASKING && (!asked ||
	    e->asked <= r->since || (e->asked <= r->since + EVIDENCE_GRACE &&
	    judge_command(e->text) == judge_command(r->verdict.message)));
	const struct verdict *old = open ? &r->verdict : NULL;
	bool shown = seen->question != 0 && (e == NULL ||
	    (asked && ev->screen.text >= e->asked + EVIDENCE_DRAWN));
	bool other = shown && asked && ev->screen.command != 0 && !e->notice &&
	    strstr(e->text, ": ") != NULL &&
	    judge_command(e->text) != ev->screen.command, told;

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

bool
judge(struct sources *s, struct evidence *ev, struct verdict *v)
{
	struct verdict answer, seen = { 0 };
	const struct detector *d;
	const struct backend *b = s != NULL ? s->backend : NULL;
	judge_each *each = s != NULL ? s->each : NULL;
	/* It is found by its process, and tells nothing else. */
	bool mute = b != NULL && b->signs.n == 0 && b->transcript == NULL &&
	    (b->process_names[0] != NULL || b->process_packages[0] != NULL);
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
			each(s->each_context, d, ev, can_tell ? &answer : NULL);
		if (can_tell && answer.question != 0)
			seen = answer;
		if (!can_tell || decided)
			continue;
		decided = state_reported(answer.state) ||
		    state_ended(answer.state) || answer.state == STATE_UNKNOWN;
		if (decided || v->state == STATE_NONE ||
		    (d->overrules != NULL &&
		    d->overrules(ev, judge_events(ev, v), v, &answer)))
			*v = answer;
	}
	if (v->state == STATE_ASKING)
		judge_question(ev, &seen, v);
	if (v->state == STATE_COMPLETE && s != NULL && each == NULL)
		gather_transcript(s, ev);
	/* Markers from before an error never count. */
	if (v->state == STATE_ERROR && s != NULL && each == NULL) {
		gather_hook(s, ev);
		gather_transcript(s, ev);
		gather_log(s, ev);
	}
	/* A recent event may count in a moment. */
	if (v->state == STATE_NONE && ev->pane == PANE_LIVES &&
	    !ev->agent_ended && (ev->wall - evidence_told(ev) >= EVIDENCE_GRACE
	    || (!ev->hook.there && !ev->transcript.there))) {
		verdict_why(v, "its process is alive");
		verdict_set_source(v, "process");
		v->state = mute ? STATE_UNKNOWN : STATE_WORKING;
		if (mute && b->stranger)
			verdict_why(v, "an agent that paneward does not know: "
			    "'paneward init --backend %s'", b->name);
		else if (mute)
			verdict_why(v, "its state is not known beyond that it "
			    "lives");
	}
	return v->state != STATE_NONE;
}

bool
judge_changes(const struct status *r, const struct verdict *v)
{
	enum state old = r->verdict.state, new = v->state;

	if (new == STATE_NONE || old == STATE_COMPLETE)
		return false;
	/* Adopted, it was not judged before. */
	if (new == STATE_UNKNOWN && old == new)
		return strcmp(v->source, "process") == 0 &&
		    strcmp(r->verdict.why, v->why) != 0;
	if (new == old)
		return state_waits(new) && (v->anew ||
		    strcmp(r->verdict.why, v->why) != 0 ||
		    (new == STATE_ASKING &&
		    (r->verdict.question != v->question ||
		    strcmp(r->verdict.message, v->message) != 0)));
	if (old == STATE_ERROR)
		return new == STATE_COMPLETE;
	if (state_ended(old))
		return state_reported(new);
	return true;
}

static const struct sigfile *
judge_signal(const struct evidence *ev, const struct verdict *v)
{
	const struct sigfile *s = &ev->signal[v->state == STATE_COMPLETE ?
	    SIGFILE_COMPLETE : SIGFILE_ERROR];

	if (!state_reported(v->state) || s->found != SIGFILE_SIGNAL)
		return NULL;
	return s;
}

static void
judge_last_message(struct status *r, const struct verdict *v,
    const struct evidence *ev)
{
	const struct sigfile *signal = judge_signal(ev, v);
	const struct event_evidence *h = &ev->hook, *t = &ev->transcript;
	bool hook = h->there && (h->last == EVENT_MESSAGE ||
	    h->last == EVENT_ENDED);
	/* Hooks keep less of a message than the transcript. */
	bool said = ev->said != NULL && ev->said->len > 0 && (!h->there ||
	    h->text[0] == '\0' || strcmp(h->text, t->text) == 0 ||
	    t->time >= h->time);
	char shown[STATUS_MESSAGE + 1];
	struct buf text = BUF_INIT;

	if (signal != NULL)
		buf_add(&text, ev->signal_text[signal - ev->signal].data,
		    ev->signal_text[signal - ev->signal].len);
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

const char *
judge_doing(const struct evidence *ev, char shown[EVENT_BRIEF])
{
	const struct event_evidence *h = &ev->hook, *t = &ev->transcript;
	const char *doing = h->acted > t->acted ? h->doing : t->doing;
	const char *tree = ev->record->worktree != NULL ?
	    ev->record->worktree : ev->record->cwd;
	const char *path = tree != NULL ? strstr(doing, tree) : NULL;
	size_t len = path != NULL ? strlen(tree) : 0;

	if (path == NULL || path[len] != '/')
		return doing;
	snprintf(shown, EVENT_BRIEF, "%.*s%s", (int)(path - doing), doing,
	    path + len + 1);
	return shown;
}

static bool
judge_line(char **line, const char *new)
{
	char shown[EVENT_BRIEF + 16];

	verdict_shown(shown, sizeof(shown), new, strlen(new));
	if (shown[0] == '\0' || (*line != NULL && strcmp(*line, shown) == 0))
		return false;
	free(*line);
	*line = xstrdup(shown);
	return true;
}

bool
judge_lines(struct status *r, const struct evidence *ev)
{
	const struct event_evidence *h = &ev->hook, *t = &ev->transcript;
	bool hook = t->line[0] == '\0' || (h->line[0] != '\0' &&
	    h->time > t->time);
	const char *prompt = t->prompt[0] != '\0' ? t->prompt : h->prompt;
	bool new = judge_line(&r->said, hook ? h->line : t->line);

	if (new && !state_reported(r->verdict.state))
		judge_last_message(r, &r->verdict, ev);
	/* Without a title the prompt is the task. */
	if (t->title[0] != '\0')
		new |= judge_line(&r->prompt, prompt);
	return judge_line(&r->task, t->title[0] != '\0' ? t->title : prompt) ||
	    new;
}

bool
judge_begins(const struct status *r, const struct verdict *v)
{
	return r->verdict.state != v->state ||
	    (v->state == STATE_ASKING && v->anew);
}

void
judge_since(struct status *r, const struct verdict *v,
    const struct evidence *ev, bool first, msec wall, msec unknown)
{
	const struct event_evidence *e = judge_events(ev, v);
	const struct sigfile *signal = judge_signal(ev, v);
	msec told = evidence_told(ev);
	msec printed = ev->silent < wall ? wall - ev->silent : 0, since;

	if (!judge_begins(r, v))
		return;
	if (signal != NULL)
		since = signal->written;
	else if (e != NULL)
		since = e->began;
	else if (state_ended(v->state))
		since = ev->ended;
	else if (v->state == STATE_WORKING || v->state == STATE_UNKNOWN)
		since = 0;
	else
		since = first && told != 0 && told < printed ? told : printed;
	if (since == 0)
		since = unknown;
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
	judge_lines(r, ev);
	if (v->state == STATE_COMPLETE && handoff)
		handoff_want(&r->handoff, r->run);
	if (v->state != STATE_ERROR)
		return begins;
	if (ev->log.hits.complete > r->ignored_log.complete)
		verdict_add_why(&r->verdict, ", after a completion marker");
	r->ignored_log.complete = ev->log.hits.complete;
	r->ignored_log.error = ev->log.hits.error;
	r->ignored_events.complete = ev->hook.hits.complete;
	r->ignored_events.error = ev->hook.hits.error;
	if (ev->transcript.time > r->transcript.past)
		r->transcript.past = ev->transcript.time;
	r->ignored_capture.complete = r->ignored_capture.error = UINT32_MAX;
	return begins;
}

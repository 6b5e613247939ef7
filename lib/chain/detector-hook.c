#include "chain/sources.h"

bool
gather_hook(struct sources *s, struct evidence *ev)
{
	struct status *r = s->record;

	if (s->dir->state_fd == -1)
		return false;
	ev->wall = clock_wall();
	ev->silent = sources_quiet(s);
	ev->unsure = s->pane != NULL ? SOURCES_ACTIVITY :
	    s->untrusted ? ev->silent : 0;
	ev->parked = r->parked.next != 0;
	ev->hook.ignored = r->ignored_events;
	if (s->events_due) {
		s->events_error = events_read(&s->events, &ev->hook,
		    s->dir->state_fd, r->issue, &(struct events_run){
		    r->run[0] != '\0' ? r->run : NULL, r->started,
		    r->agent.moved ? r->agent.session : NULL }) == -1 ?
		    errno : 0;
		s->events_read = true;
		s->changed |= status_session(r, ev->hook.session);
	}
	s->events_due = false;
	return ev->hook.there;
}

/* The first row of the event's kind (NULL: any) counts.  after is in ms:
 * another hook may follow at once. */
static const struct activity {
	enum event_type type;
	const char     *kind;
	enum state      state;
	msec            after;
	const char     *why;
} activities[] = {
	{ EVENT_TURN,    NULL, STATE_WORKING, 0, "a turn began" },
	{ EVENT_TOOL,    NULL, STATE_WORKING, 0, "it uses a tool" },
	{ EVENT_MESSAGE, NULL, STATE_WORKING, 0, "it writes a message" },
	{ EVENT_COMPACT, NULL, STATE_WORKING, 0, "it compacts its session" },
	{ EVENT_WAITING, "permission", STATE_ASKING, 0,
	    "it asks for permission" },
	{ EVENT_WAITING, "question", STATE_ASKING, 0, "it asks a question" },
	{ EVENT_WAITING, NULL, STATE_WAITING, 0, "at its prompt" },
	{ EVENT_SESSION, NULL, STATE_WAITING, EVIDENCE_GRACE,
	    "new session, no prompt yet" },
	{ EVENT_ENDED,   "background", STATE_WORKING, 0,
	    "its turn goes on in the background" },
	{ EVENT_ENDED,   "command", STATE_WAITING, EVIDENCE_GRACE,
	    "at its prompt, not reported, and a command of it still runs" },
	{ EVENT_ENDED,   NULL, STATE_WAITING, EVIDENCE_GRACE,
	    "at its prompt, not reported" },
	{ EVENT_FAILED,  "aborted", STATE_WAITING, 0,
	    "its turn was interrupted" },
	{ EVENT_FAILED,  NULL, STATE_ASKING, EVIDENCE_RETRY,
	    "its turn failed" },
};

bool
detect_events(const struct evidence *ev, const struct event_evidence *h,
    const char *where, struct verdict *v)
{
	const struct activity *a = activities, *end = activities +
	    sizeof(activities) / sizeof(activities[0]);
	msec age = ev->wall - h->time;
	bool named;

	if (!h->there)
		return false;
	if (h->hits.complete > h->ignored.complete)
		return detector_decides(v, STATE_COMPLETE, "a completion "
		    "marker in what the agent wrote, %s", where);
	if (ev->errors && h->hits.error > h->ignored.error) {
		verdict_message(v, h->error, strlen(h->error));
		return detector_decides(v, STATE_ERROR, "an error marker in "
		    "what the agent wrote, %s", where);
	}
	if (ev->reload)
		return false;
	if (h->last == EVENT_FAILED && (strcmp(h->kind, "rate_limit") == 0 ||
	    strcmp(h->kind, "usage_limit") == 0) && (h->reset == 0 ||
	    ev->parked || ev->wall < h->reset + RESET_GRACE)) {
		verdict_message(v, h->text, strlen(h->text));
		v->reset = h->reset;
		return detector_decides(v, STATE_LIMITED, "its turn ended at "
		    "a limit%s%s: %s", h->reset != 0 ? " until " : "",
		    h->reset != 0 ? CLOCK_WORDS(h->reset) : "", h->kind);
	}
	while (a < end && (a->type != h->last ||
	    (a->kind != NULL && strcmp(a->kind, h->kind) != 0)))
		a++;
	/* After a long silence an event may have been lost. */
	if (a == end || (a->state == STATE_WORKING &&
	    ev->silent >= ev->stalled_after && age >= ev->stalled_after))
		return false;
	if (a->after > 0 && age < a->after)
		return h->last == EVENT_FAILED && detector_decides(v,
		    STATE_WORKING, "an attempt failed");
	named = h->last == EVENT_FAILED && a->kind == NULL &&
	    h->kind[0] != '\0';
	if (state_waits(a->state))
		verdict_message(v, h->text, strlen(h->text));
	return detector_decides(v, a->state, "%s%s%s", a->why,
	    named ? ": " : "", named ? h->kind : "");
}

bool
detect_hook(const struct evidence *ev, struct verdict *v)
{
	return detect_events(ev, &ev->hook, "reported by its hooks", v);
}

void
describe_events(const struct event_evidence *h, struct buf *out)
{
	buf_printf(out, "%u complete, %u error in what the agent wrote",
	    h->hits.complete, h->hits.error);
	if (h->ignored.complete > 0 || h->ignored.error > 0)
		buf_printf(out, ", of which %u and %u are from before",
		    h->ignored.complete, h->ignored.error);
	buf_printf(out, "; %u turns have ended; last %s%s%s, %s", h->turns,
	    event_types[h->last], h->kind[0] ? " " : "", h->kind,
	    CLOCK_WORDS(h->time));
}

void
describe_hook(struct sources *s, const struct evidence *ev, struct buf *out)
{
	(void)s;
	if (ev->hook.there)
		describe_events(&ev->hook, out);
	else
		buf_adds(out, "no hook has reported");
}

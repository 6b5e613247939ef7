#include "chain/detectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chain/reset.h"

static bool
answer(struct verdict *v, enum state state, const char *source)
{
	v->state = state;
	verdict_set_source(v, source);
	return true;
}

bool
detect_conflict(const struct evidence *ev, struct verdict *v)
{
	const struct buf *text = &ev->signal_text[SIGFILE_ERROR];
	char name[SIGFILE_NAME], *also;

	sigfile_name(name, SIGFILE_ERROR, ev->issue);
	if (v->state != STATE_COMPLETE || strstr(v->why, name) != NULL ||
	    ev->signal[SIGFILE_ERROR].found != SIGFILE_SIGNAL)
		return false;
	also = xasprintf(", and counts before %s: %.*s", name, (int)text->len,
	    text->data);
	verdict_add_why(v, also);
	free(also);
	return true;
}

bool
detect_signal(const struct evidence *ev, struct verdict *v)
{
	const struct sigfile *s = ev->signal;
	const struct buf *text = ev->signal_text;
	bool complete = s[SIGFILE_COMPLETE].found == SIGFILE_SIGNAL;
	bool error = s[SIGFILE_ERROR].found == SIGFILE_SIGNAL;

	if (complete) {
		verdict_why(v, "signal-complete-%s is there", ev->issue);
		verdict_message(v, text[SIGFILE_COMPLETE].data,
		    text[SIGFILE_COMPLETE].len);
		answer(v, STATE_COMPLETE, "signal");
		detect_conflict(ev, v);
		return true;
	}
	if (error && ev->errors) {
		verdict_why(v, "signal-error-%s is there", ev->issue);
		verdict_message(v, text[SIGFILE_ERROR].data,
		    text[SIGFILE_ERROR].len);
		return answer(v, STATE_ERROR, "signal");
	}
	return false;
}

/* ---- records ------------------------------------------------------------- */

/* What a limit is called, by the agents' own words for why a turn failed. */
static bool
limit(const char *kind)
{
	static const char *const limits[] = { "rate_limit", "usage_limit" };
	size_t i;

	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (strcmp(limits[i], kind) == 0)
			return true;
	return false;
}

/* What the newest record says that the agent is at.  Of several rows for one
 * event the first whose kind is the record's, or that has none, is meant. */
static const struct activity {
	enum event_type event;
	const char       *kind;
	enum state        state;
	const char       *why;
	bool              settles;      /* it goes on at once, or not at all: a
					   prompt may come with the session, and
					   another hook may keep it going */
} activities[] = {
	{ EVENT_TURN,     NULL, STATE_WORKING, "a turn has begun", false },
	{ EVENT_TOOL,     NULL, STATE_WORKING, "it uses a tool", false },
	{ EVENT_MESSAGE,  NULL, STATE_WORKING, "it writes a message", false },
	{ EVENT_COMPACT,  NULL, STATE_WORKING, "it compacts its session",
	    false },
	{ EVENT_WAITING,  "permission", STATE_ASKING,
	    "it asks for permission", false },
	{ EVENT_WAITING,  "question", STATE_ASKING, "it asks a question",
	    false },
	{ EVENT_WAITING,  NULL, STATE_WAITING, "it waits for a prompt",
	    false },
	{ EVENT_SESSION,  NULL, STATE_WAITING, "its session has begun", true },
	{ EVENT_ENDED,    "background", STATE_WORKING,
	    "its turn has ended, and goes on in the background", false },
	{ EVENT_ENDED,    NULL, STATE_WAITING,
	    "its turn has ended without a report", true },
	{ EVENT_FAILED,   "aborted", STATE_WAITING, "its turn was broken off",
	    false },
	{ EVENT_FAILED,   NULL, STATE_ASKING, "its turn has failed", false },
};

/* Nothing was told or printed for so long that a hook may have been lost. */
static bool
stale(const struct evidence *ev)
{
	return ev->silent >= ev->stalled_after &&
	    ev->wall - ev->hook.time >= ev->stalled_after;
}

static bool
detect_limit(const struct evidence *ev, struct verdict *v)
{
	const struct event_evidence *r = &ev->hook;
	char reset[CLOCK_TEXT];

	if (r->last != EVENT_FAILED || !limit(r->kind) ||
	    (r->reset != 0 && ev->wall >= r->reset + RESET_GRACE))
		return false;
	if (r->reset == 0) {
		verdict_why(v, "its turn has ended by a limit: %s", r->kind);
	} else {
		clock_format(reset, r->reset);
		verdict_why(v, "its turn has ended by a limit until %s: %s",
		    reset, r->kind);
	}
	verdict_message(v, r->text, strlen(r->text));
	return answer(v, STATE_LIMITED, "hook");
}

static bool
detect_activity(const struct evidence *ev, struct verdict *v)
{
	const struct event_evidence *r = &ev->hook;
	const struct activity *a;
	size_t i, n = sizeof(activities) / sizeof(activities[0]);
	bool named;

	for (i = 0; i < n; i++)
		if (activities[i].event == r->last &&
		    (activities[i].kind == NULL ||
		    strcmp(activities[i].kind, r->kind) == 0))
			break;
	if (i == n)
		return false;
	a = &activities[i];
	if ((a->state == STATE_WORKING && stale(ev)) ||
	    (a->settles && ev->wall - r->time < EVIDENCE_GRACE))
		return false;
	named = r->last == EVENT_FAILED && a->kind == NULL &&
	    r->kind[0] != '\0';
	verdict_why(v, "%s%s%s", a->why, named ? ": " : "",
	    named ? r->kind : "");
	if (state_waits(a->state))
		verdict_message(v, r->text, strlen(r->text));
	return answer(v, a->state, "hook");
}

bool
detect_hook(const struct evidence *ev, struct verdict *v)
{
	const struct event_evidence *r = &ev->hook;

	if (!r->there)
		return false;
	if (r->hits.complete > r->ignored.complete) {
		verdict_why(v, "a completion marker in what the agent wrote, "
		    "as its hooks tell");
		return answer(v, STATE_COMPLETE, "hook");
	}
	if (ev->errors && r->hits.error > r->ignored.error) {
		verdict_why(v, "an error marker in what the agent wrote, as "
		    "its hooks tell");
		verdict_message(v, r->error, strlen(r->error));
		return answer(v, STATE_ERROR, "hook");
	}
	return !ev->reload && (detect_limit(ev, v) || detect_activity(ev, v));
}

/* ---- markers in the pane ------------------------------------------------- */

/*
 * Where hooks tell what the agent wrote, that is the better witness of a plain
 * marker: once they have told a message, what the pane shows reports nothing,
 * since it also draws old text again.  Until then a marker waits for the record
 * of its turn, and counts as if there were no hooks where that ends without a
 * message.
 */
static bool
held(const struct evidence *ev)
{
	const struct event_evidence *r = &ev->hook;
	bool over = !ev->reload && (ev->last_look || ev->agent_ended ||
	    ev->pane == PANE_DEAD || ev->pane == PANE_GONE);

	return r->there && (r->told || (!over && r->last != EVENT_OVER &&
	    !events_lost(r) && !evidence_quiet(ev)));
}

/* Complete before error, wherever the markers stand. */
static bool
detect_markers(const struct evidence *ev, const struct marker_evidence *m,
    bool errors, const char *source, const char *where, struct verdict *v)
{
	bool waits = held(ev);

	if (m->hits.complete > m->ignored.complete &&
	    (!waits || m->hits.bound_complete > 0)) {
		verdict_why(v, "a completion marker in the %s", where);
		return answer(v, STATE_COMPLETE, source);
	}
	if (errors && m->hits.error > m->ignored.error &&
	    (!waits || m->hits.bound_error > 0)) {
		verdict_why(v, "an error marker in the %s", where);
		verdict_message(v, m->message.data, m->message.len);
		return answer(v, STATE_ERROR, source);
	}
	return false;
}

bool
detect_log(const struct evidence *ev, struct verdict *v)
{
	return ev->log_there && detect_markers(ev, &ev->log, ev->errors,
	    "log", "pane log", v);
}

bool
detect_capture(const struct evidence *ev, struct verdict *v)
{
	/* A screen shows prompts and old text too: of errors, the log is the
	 * better witness wherever there is one. */
	return detect_markers(ev, &ev->capture, ev->errors && ev->capture_alone,
	    "capture", "capture", v);
}

/* "the agent ended with status 7"; nothing where it is not known. */
static void
describe_exit(const struct evidence *ev, char *text, size_t size)
{
	if (ev->exit_code != -1)
		snprintf(text, size, " with status %d", ev->exit_code);
	else if (ev->exit_signal != -1)
		snprintf(text, size, " by signal %d (%s)", ev->exit_signal,
		    strsignal(ev->exit_signal));
	else
		snprintf(text, size, ", nobody knows how");
}

/* How an agent ends may be all that it reports. */
static bool
detect_exit(const struct evidence *ev, const char *how, struct verdict *v)
{
	if (!ev->exit_is_report ||
	    (ev->exit_code == -1 && ev->exit_signal == -1))
		return false;
	if (ev->exit_code != 0 && !ev->errors)
		return false;
	verdict_why(v, "the agent ended%s", how);
	return answer(v, ev->exit_code == 0 ? STATE_COMPLETE : STATE_ERROR,
	    "process");
}

/* A report beats death: this is asked when all the rest has been read. */
static bool
detect_end(const struct evidence *ev, struct verdict *v)
{
	char how[80];

	describe_exit(ev, how, sizeof(how));
	if (detect_exit(ev, how, v))
		return true;
	if (ev->pane == PANE_GONE || ev->pane == PANE_NONE) {
		verdict_why(v, "%s, and there is no report",
		    ev->pane == PANE_GONE ? "its pane is no longer there" :
		    "it has no pane");
		return answer(v, STATE_GONE, "session");
	}
	if (ev->agent_ended || ev->pane == PANE_DEAD) {
		verdict_why(v, "%s ended%s, without a report%s",
		    ev->agent_ended ? "the agent" : "the pane's process", how,
		    ev->agent_ended && ev->exit_code == 0 ?
		    " (see 'start --exit-is-report')" : "");
		return answer(v, STATE_DEAD, "process");
	}
	return false;
}

bool
detect_process(const struct evidence *ev, struct verdict *v)
{
	if (ev->pane == PANE_SILENT) {
		verdict_why(v, "the tmux server lives and does not answer");
		return answer(v, STATE_UNKNOWN, "session");
	}
	if (ev->reload) {
		verdict_why(v, "the agent is being restarted in its pane");
		return answer(v, STATE_WORKING, "process");
	}
	if (ev->last_look && detect_end(ev, v))
		return true;
	if (ev->pane == PANE_LIVES && !ev->agent_ended &&
	    ev->silent >= ev->stalled_after) {
		verdict_why(v, "nothing was printed for %lld seconds",
		    (long long)(ev->silent / 1000));
		return answer(v, STATE_STALLED, "process");
	}
	return false;
}

bool
detect_screen(const struct evidence *ev, struct verdict *v)
{
	const struct screen_evidence *s = &ev->screen;
	char reset[CLOCK_TEXT];

	if (s->state == STATE_NONE || ev->reload ||
	    (s->state == STATE_WORKING && ev->silent >= ev->stalled_after))
		return false;           /* what is left of a screen is no work */
	verdict_why(v, "%s", s->what);
	if (s->reset != 0) {
		clock_format(reset, s->reset);
		verdict_why(v, "%s until %s", s->what, reset);
	}
	return answer(v, s->state, "screen");
}

#include "look.h"

#include <stdio.h>
#include <string.h>

static bool
answer(struct verdict *v, enum state state, enum source source)
{
	v->state = state;
	v->source = source;
	return true;
}

bool
look_signal(const struct evidence *ev, struct verdict *v)
{
	const struct sigfile *s = ev->signal;
	const struct buf *text = ev->signal_text;
	bool complete = s[SIGFILE_COMPLETE].found == SIGFILE_SIGNAL;
	bool error = s[SIGFILE_ERROR].found == SIGFILE_SIGNAL;

	if (complete) {
		verdict_why(v, "signal-complete-%s is there%s", ev->issue,
		    error ? ", and counts before signal-error which is there "
		    "too" : "");
		verdict_message(v, text[SIGFILE_COMPLETE].data,
		    text[SIGFILE_COMPLETE].len);
		return answer(v, STATE_COMPLETE, SOURCE_SIGNAL);
	}
	if (error && ev->errors) {
		verdict_why(v, "signal-error-%s is there", ev->issue);
		verdict_message(v, text[SIGFILE_ERROR].data,
		    text[SIGFILE_ERROR].len);
		return answer(v, STATE_ERROR, SOURCE_SIGNAL);
	}
	return false;
}

/* Complete before error, wherever the markers stand. */
static bool
look_markers(const struct marker_evidence *m, bool errors, enum source source,
    const char *where, struct verdict *v)
{
	if (m->hits.complete > m->past.complete) {
		verdict_why(v, "a completion marker in the %s", where);
		return answer(v, STATE_COMPLETE, source);
	}
	if (errors && m->hits.error > m->past.error) {
		verdict_why(v, "an error marker in the %s", where);
		verdict_message(v, m->message.data, m->message.len);
		return answer(v, STATE_ERROR, source);
	}
	return false;
}

bool
look_log(const struct evidence *ev, struct verdict *v)
{
	return ev->log_there && look_markers(&ev->log, ev->errors, SOURCE_LOG,
	    "pane log", v);
}

bool
look_capture(const struct evidence *ev, struct verdict *v)
{
	/* A screen shows prompts and old text too: of errors, the log is the
	 * better witness wherever there is one. */
	return look_markers(&ev->capture, ev->errors && ev->capture_alone,
	    SOURCE_CAPTURE, "capture", v);
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

/* A report beats death: this is asked when all the rest has been read. */
static bool
look_end(const struct evidence *ev, struct verdict *v)
{
	char how[80];

	describe_exit(ev, how, sizeof(how));
	if (ev->pane == PANE_GONE || ev->pane == PANE_NONE) {
		verdict_why(v, "%s, and there is no report",
		    ev->pane == PANE_GONE ? "its pane is no longer there" :
		    "it has no pane");
		return answer(v, STATE_GONE, SOURCE_SESSION);
	}
	if (ev->agent_ended || ev->pane == PANE_DEAD) {
		verdict_why(v, "%s ended%s, without a report",
		    ev->agent_ended ? "the agent" : "the pane's process", how);
		return answer(v, STATE_DEAD, SOURCE_PROCESS);
	}
	return false;
}

bool
look_process(const struct evidence *ev, struct verdict *v)
{
	if (ev->pane == PANE_SILENT) {
		verdict_why(v, "the tmux server lives and does not answer");
		return answer(v, STATE_UNKNOWN, SOURCE_SESSION);
	}
	if (ev->last_look && look_end(ev, v))
		return true;
	if (ev->pane == PANE_LIVES && !ev->agent_ended &&
	    ev->silent >= ev->stalled_after) {
		verdict_why(v, "nothing was printed for %lld seconds",
		    (long long)(ev->silent / 1000));
		return answer(v, STATE_STALLED, SOURCE_PROCESS);
	}
	return false;
}

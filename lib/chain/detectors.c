#include "chain/detectors.h"

/* Order is policy: certain before likely, cheap before dear. */
const struct detector chain[] = {
	{ "signal",  gather_signal,  detect_signal,  describe_signal },
	{ "hook",    gather_hook,    detect_hook,    describe_hook,
	    offsetof(struct evidence, hook) },
	{ "transcript", gather_transcript, detect_transcript,
	    describe_transcript, offsetof(struct evidence, transcript),
	    transcript_overrules },
	{ "log",     gather_log,     detect_log,     describe_log },
	{ "capture", gather_capture, detect_capture, describe_capture },
	{ "process", gather_process, detect_process, describe_process },
	{ "screen",  gather_screen,  detect_screen,  describe_screen,
	    .overrules = screen_overrules },
};

const size_t chain_length = sizeof(chain) / sizeof(chain[0]);

void
evidence_init(struct evidence *ev, const char *issue)
{
	*ev = (struct evidence){
		.issue = issue, .errors = true, .pane = PANE_NONE,
		.exit_code = -1, .exit_signal = -1, .again = CLOCK_NEVER,
		.stalled_after = CLOCK_NEVER,
	};
}

void
evidence_release(struct evidence *ev)
{
	buf_release(&ev->signal_text[SIGFILE_COMPLETE]);
	buf_release(&ev->signal_text[SIGFILE_ERROR]);
	buf_release(&ev->log.message);
	buf_release(&ev->capture.message);
}

void
evidence_again(struct evidence *ev, msec at)
{
	ev->again = clock_sooner(ev->again, at);
}

msec
evidence_told(const struct evidence *ev)
{
	return ev->hook.time > ev->transcript.time ? ev->hook.time :
	    ev->transcript.time;
}

msec
evidence_quiet(const struct evidence *ev)
{
	msec age = ev->wall - ev->hook.time;

	return age < ev->silent ? age : ev->silent;
}

msec
evidence_patience(const struct evidence *ev)
{
	const struct event_evidence *h = &ev->hook;

	if (h->there && h->last != EVENT_OVER && !events_lost(h))
		return EVIDENCE_CONFIRM;
	return ev->transcript_due ? EVIDENCE_WRITING : 0;
}

static bool
marker_news(const struct marker_evidence *m)
{
	return m->hits.complete > m->ignored.complete ||
	    m->hits.error > m->ignored.error;
}

static msec
grace_left(const struct evidence *ev, const struct event_evidence *h)
{
	msec age = ev->wall - h->time, grace = h->last == EVENT_FAILED ?
	    EVIDENCE_RETRY : EVIDENCE_GRACE;

	return h->there && age < grace ? grace - age : CLOCK_NEVER;
}

msec
evidence_pending(const struct evidence *ev)
{
	msec left = clock_sooner(grace_left(ev, &ev->hook),
	    grace_left(ev, &ev->transcript)), quiet = evidence_quiet(ev),
	    patience = evidence_patience(ev);

	if (left != CLOCK_NEVER || ev->hook.told || ev->transcript_told ||
	    quiet >= patience ||
	    (!marker_news(&ev->log) && !marker_news(&ev->capture)))
		return left;
	return patience - quiet;
}

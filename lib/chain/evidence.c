#include "chain/evidence.h"

void
evidence_init(struct evidence *ev, const char *issue)
{
	*ev = (struct evidence){
		.issue = issue, .errors = true, .pane = PANE_NONE,
		.exit_code = -1, .exit_signal = -1,
		.stalled_after = CLOCK_NEVER,
	};
}

void
evidence_exit(struct evidence *ev, const struct status *r)
{
	ev->exit_is_report = r->exit_is_report &&
	    !state_reported(r->verdict.state);
}

bool
evidence_quiet(const struct evidence *ev)
{
	return ev->silent >= EVIDENCE_CONFIRM &&
	    ev->wall - ev->hook.time >= EVIDENCE_CONFIRM;
}

static bool
news(const struct marker_evidence *m)
{
	return m->hits.complete > m->ignored.complete ||
	    m->hits.error > m->ignored.error;
}

bool
evidence_pending(const struct evidence *ev)
{
	msec age = ev->wall - ev->hook.time;

	return ev->hook.there && (age < EVIDENCE_GRACE ||
	    (!ev->hook.told && !evidence_quiet(ev) &&
	    (news(&ev->log) || news(&ev->capture))));
}

void
evidence_release(struct evidence *ev)
{
	buf_release(&ev->signal_text[SIGFILE_COMPLETE]);
	buf_release(&ev->signal_text[SIGFILE_ERROR]);
	buf_release(&ev->log.message);
	buf_release(&ev->capture.message);
}

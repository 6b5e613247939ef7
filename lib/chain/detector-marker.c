#include "chain/sources.h"
#include "run/restart.h"

enum { DESCRIBED_LOG_MAX = 64 << 20 };

/* While output goes on, an error waits for its message line, and a marker until
 * the next character cannot reject it. */
bool
gather_log(struct sources *s, struct evidence *ev)
{
	struct marker_evidence *m = &ev->log;
	struct marker_hits *h = &m->hits, all, *was = &s->baseline;
	const char *phase = s->record->reload.phase;
	int got = s->dir->fd != -1 ? panelog_read(&s->log, s->budget) : 0;
	bool silent, redraws, another;

	s->log_error = got == -1 ? errno : 0;
	s->log_read = true;
	if (got == 1) {
		s->output = s->now;
		s->printed = true;
	}
	if (s->log.left > 0)
		ev->final = false;
	screen_log(&s->screen, &s->log, s->record->log.begin);
	ev->silent = sources_silent(s);
	silent = ev->final || s->hasty || ev->silent >= EVIDENCE_SILENCE;
	ev->log_there = s->log.file.fd != -1;
	*h = marker_scan_hits(s->log.file.scan, silent);
	/* A restarted agent redraws its conversation: meanwhile only bound
	 * markers count, the plain ones are judged already.  A watcher that
	 * stood still sees no restart, but another agent. */
	if (!s->pass) {
		all = marker_scan_hits(s->log.file.scan, true);
		redraws = ev->reload &&
		    (strcmp(phase, reload_phases[RELOAD_STARTING]) == 0 ||
		    strcmp(phase, reload_phases[RELOAD_DELIVERING]) == 0);
		another = s->agent != 0 && s->agent != s->record->agent.pid;
		if (s->agent == 0)
			*was = all;
		if (!redraws && (s->replaying || another)) {
			reload_redrawn(s->record, &all, was);
			s->changed = true;
			s->captured = false;
		}
		s->replaying = redraws;
		if (s->log.left == 0)
			s->agent = s->record->agent.pid;
		if (!redraws) {
			*was = all;
		} else {
			h->complete = was->complete - was->bound_complete +
			    h->bound_complete;
			h->error = was->error - was->bound_error +
			    h->bound_error;
		}
	}
	m->ignored = s->record->ignored_log;
	if (!silent && marker_scan_waits(s->log.file.scan)) {
		m->hits.error = m->ignored.error;
		evidence_again(ev, s->now + EVIDENCE_SILENCE - ev->silent);
	}
	buf_reset(&m->message);
	marker_scan_message(s->log.file.scan, &m->message);
	return ev->log_there;
}

bool
gather_capture(struct sources *s, struct evidence *ev)
{
	struct marker_evidence *m = &ev->capture;
	struct marker_ignored *ignored = &s->record->ignored_capture;

	if (s->text != NULL && s->dir->fd != -1) {
		buf_reset(&m->message);
		m->hits = marker_window(&s->log.set, s->text, s->text_len,
		    &m->message);
		/* Ignored markers scroll away. */
		if (ignored->complete > m->hits.complete)
			ignored->complete = m->hits.complete;
		if (ignored->error > m->hits.error)
			ignored->error = m->hits.error;
		m->ignored = *ignored;
		ev->capture_alone = s->log.file.fd == -1;
		s->captured = true;
	}
	return s->captured && !s->replaying;
}

/* Clients redraw old text: once a transcript or a hook has the agent's own
 * words, plain markers in the pane never count.  Until then they count if the
 * turn ends without a message.  Complete comes before error, wherever the
 * markers stand. */
static bool
detect_markers(const struct evidence *ev, const struct marker_evidence *m,
    bool errors, const char *where, struct verdict *v)
{
	bool over = !ev->reload && (ev->final || ev->agent_ended ||
	    ev->pane == PANE_DEAD || ev->pane == PANE_GONE);
	bool held = ev->transcript_told || (ev->hook.there && ev->hook.told) ||
	    (!over && evidence_quiet(ev) < evidence_patience(ev));

	if (m->hits.complete > m->ignored.complete &&
	    (!held || m->hits.bound_complete > 0))
		return detector_decides(v, STATE_COMPLETE,
		    "a completion marker in the %s", where);
	if (errors && m->hits.error > m->ignored.error &&
	    (!held || m->hits.bound_error > 0)) {
		verdict_message(v, m->message.data, m->message.len);
		return detector_decides(v, STATE_ERROR,
		    "an error marker in the %s", where);
	}
	return false;
}

bool
detect_log(const struct evidence *ev, struct verdict *v)
{
	return ev->log_there && detect_markers(ev, &ev->log, ev->errors,
	    "pane log", v);
}

/* A screen shows prompts and old text too, so a log alone reports errors. */
bool
detect_capture(const struct evidence *ev, struct verdict *v)
{
	return detect_markers(ev, &ev->capture, ev->errors && ev->capture_alone,
	    "capture", v);
}

static void
describe_hits(struct buf *out, const struct marker_evidence *m)
{
	buf_printf(out, "%u complete, %u error", m->hits.complete,
	    m->hits.error);
	if (m->hits.stale > 0)
		buf_printf(out, ", %u of another run", m->hits.stale);
	if (m->ignored.complete > 0 || m->ignored.error > 0)
		buf_printf(out, ", of which %u and %u are from before",
		    m->ignored.complete, m->ignored.error);
}

static const char *
last_marker(const struct marker_set *set, const char *text, size_t len,
    unsigned long long *line)
{
	const char *p, *end = text + len, *last = NULL;
	unsigned long long n = 0;

	while (text_line(&text, end, &p, &len)) {
		n++;
		if (!marker_set_in(set, p, len))
			continue;
		last = p;
		*line = n;
	}
	return last;
}

void
describe_log(struct sources *s, const struct evidence *ev, struct buf *out)
{
	const char *name = PANELOG_OF(s->record->issue, "");
	struct buf text = BUF_INIT;
	unsigned long long line;
	const char *last;

	if (!ev->log_there) {
		buf_printf(out, "%s: %s", name, s->log.refused ?
		    "no file that could be read" : "not there");
		return;
	}
	buf_printf(out, "%s: %llu bytes read, ", name,
	    (unsigned long long)(s->log.file.ahead - s->log.file.base));
	describe_hits(out, &ev->log);
	if (file_read(s->dir->fd, name, FILE_NOFOLLOW, &text,
	    DESCRIBED_LOG_MAX) == 0 && (last = last_marker(&s->log.set,
	    buf_str(&text), text.len, &line)) != NULL)
		buf_printf(out, "; last marker text at byte %llu, line %llu",
		    (unsigned long long)(last - text.data), line);
	buf_release(&text);
}

void
describe_capture(struct sources *s, const struct evidence *ev, struct buf *out)
{
	unsigned long long line;

	if (s->text == NULL) {
		buf_printf(out, "no capture%s%s", s->trouble ? ": " : "",
		    s->trouble ? s->trouble : "");
		return;
	}
	buf_printf(out, "%zu bytes, ", s->text_len);
	describe_hits(out, &ev->capture);
	if (ev->log_there)
		buf_adds(out, " (errors do not count where there is a log)");
	if (last_marker(&s->log.set, s->text, s->text_len, &line) != NULL)
		buf_printf(out, "; last marker text in line %llu", line);
}

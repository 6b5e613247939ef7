#include "chain/sources.h"
#include "data/pattern.h"
#include "os/compat.h"

enum { LAST_BYTES = 8 << 10 };          /* of the log */

/* The last line with a word, without a box's frame, behind all that was drawn:
 * a killed client's screen ends in its prompt and a status bar.  tmux writes
 * below it. */
static void
gather_last(struct evidence *ev, struct buf *tail)
{
	struct pattern *last = pattern_new(
	    "(?s)\\A.*^[\\h\\x{2500}-\\x{259f}]*+(?!Pane is dead)"
	    "(?<last>\\N*?[\\pL\\pN]\\N*?)[\\h\\x{2500}-\\x{259f}]*$", true, NULL,
	    0);
	const char *from = buf_str(tail), *p = from, *end = from + tail->len;
	struct buf lines = BUF_INIT;
	size_t start, size;
	struct vt vt = { 0 };

	while ((p = text_find(p, end, "\33[", 2)) != NULL) {
		p += 2 + strspn(p + 2, "0123456789;");
		if (*p != '\0' && strchr("ABEFHfd", *p) != NULL)
			from = p + 1;
	}
	vt_add_lines(&vt, from, (size_t)(end - from), &lines);
	if (pattern_match(last, buf_str(&lines), lines.len) &&
	    pattern_group(last, "last", &start, &size))
		verdict_shown(ev->last, sizeof(ev->last), lines.data + start,
		    size);
	pattern_free(last);
	vt_release(&vt);
	buf_release(&lines);
}

/* sources_life() notes all ends for a pass, a watcher as they happen. */
bool
gather_process(struct sources *s, struct evidence *ev)
{
	const struct status *r = s->record;
	struct buf tail = BUF_INIT;

	ev->silent = sources_silent(s);
	ev->exit_is_report = r->exit_is_report &&
	    !state_reported(r->verdict.state);
	if (s->pass)
		ev->final = !r->agent.background && (s->hasty || (!ev->reload &&
		    ev->silent >= EVIDENCE_SILENCE &&
		    (ev->pane != PANE_LIVES || ev->agent_ended)));
	ev->silent = sources_quiet(s);
	ev->last[0] = '\0';
	/* A shell may have written since in a living pane. */
	if (!ev->final || (ev->pane == PANE_LIVES && r->adopted))
		return !s->blind;
	if (lseek(s->log.file.fd, 0, SEEK_SET) == -1 ||
	    file_read_open(s->log.file.fd, FILE_TAIL, &tail, LAST_BYTES) == -1)
		buf_add(&tail, s->text, s->text != NULL ? s->text_len : 0);
	buf_addc(&tail, '\n');
	gather_last(ev, &tail);
	buf_release(&tail);
	return !s->blind;
}

/* A report beats an end; the exit status may be the only one. */
static bool
detect_end(const struct evidence *ev, struct verdict *v)
{
	bool known = ev->exit_code != -1 || ev->exit_signal != -1;
	char how[80];

	if (ev->exit_code != -1)
		snprintf(how, sizeof(how), " with status %d", ev->exit_code);
	else if (ev->exit_signal != -1)
		snprintf(how, sizeof(how), " by signal %d (%s)",
		    ev->exit_signal, strsignal(ev->exit_signal));
	else
		snprintf(how, sizeof(how), ", its status is unknown");
	if (ev->lease_over)
		return detector_decides(v, STATE_DEAD, "its lease is over: "
		    "the fleet may have given it to another host");
	if (ev->exit_is_report && known && (ev->exit_code == 0 || ev->errors))
		return detector_decides(v, ev->exit_code == 0 ?
		    STATE_COMPLETE : STATE_ERROR, "the agent ended%s", how);
	if (ev->hook.stopped[0] != '\0')
		return detector_decides(v, ev->pane == PANE_GONE ? STATE_GONE :
		    STATE_DEAD, "stopped by %s", ev->hook.stopped);
	if (ev->pane == PANE_GONE || ev->pane == PANE_NONE) {
		verdict_set_source(v, "session");
		return detector_decides(v, STATE_GONE, "%s, and there is no "
		    "report", ev->pane == PANE_GONE ?
		    "its pane is no longer there" : "it has no pane");
	}
	if (!ev->agent_ended && ev->pane != PANE_DEAD)
		return false;
	verdict_message(v, ev->last, strlen(ev->last));
	return detector_decides(v, STATE_DEAD, "%s ended%s, without a report%s",
	    ev->agent_ended ? "the agent" : "the pane's process", how,
	    ev->agent_ended && ev->exit_code == 0 ?
	    " (see 'start --exit-is-report')" : "");
}

bool
detect_process(const struct evidence *ev, struct verdict *v)
{
	if (ev->pane == PANE_SILENT) {
		verdict_set_source(v, "session");
		return detector_decides(v, STATE_UNKNOWN,
		    "the tmux server lives and does not answer");
	}
	if (ev->reload)
		return detector_decides(v, STATE_WORKING,
		    "the agent is being restarted in its pane");
	if (ev->final && detect_end(ev, v))
		return true;
	return ev->pane == PANE_LIVES && !ev->agent_ended &&
	    ev->silent >= ev->stalled_after && detector_decides(v,
	    STATE_STALLED, "nothing was printed for %lld seconds",
	    (long long)(ev->silent / 1000));
}

void
describe_process(struct sources *s, const struct evidence *ev, struct buf *out)
{
	static const char *const lives[] = {
		[PANE_UNSEEN] = "was not seen",
		[PANE_LIVES]  = "lives",
		[PANE_DEAD]   = "is dead",
		[PANE_GONE]   = "is not there",
		[PANE_NONE]   = "is not known",
		[PANE_SILENT] = "is on a server that does not answer",
	};

	if (s->replay && ev->pane == PANE_LIVES) {
		buf_printf(out, "replayed: '%s' is in front of the pane",
		    s->foreground);
	} else if (s->replay && ev->pane == PANE_NONE) {
		buf_adds(out, "not asked: replayed");
	} else {
		buf_printf(out, "the pane %s%s%s%s%s", lives[ev->pane],
		    ev->agent_ended ? ", the agent has ended" : "",
		    s->record->agent.background ? ", its session goes on in "
		    "the client's background" : "",
		    s->trouble ? ": " : "", s->trouble ? s->trouble : "");
	}
}

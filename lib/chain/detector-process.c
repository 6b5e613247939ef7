#include "chain/sources.h"
#include "os/compat.h"
#include "os/file.h"

enum { LAST_BYTES = 8 << 10 };          /* of the log */

/* sources_life() notes all ends for a pass, a watcher as they happen. */
bool
gather_process(struct sources *s, struct evidence *ev)
{
	static const char dead[] = "Pane is dead";
	const struct status *r = s->record;
	struct buf tail = BUF_INIT, lines = BUF_INIT;
	struct vt vt = { 0 };
	const char *line, *from;
	size_t len;

	ev->silent = sources_silent(s);
	ev->exit_is_report = r->exit_is_report &&
	    !state_reported(r->verdict.state);
	if (s->pass)
		ev->final = s->hasty || (!ev->reload &&
		    ev->silent >= EVIDENCE_SILENCE &&
		    (ev->pane != PANE_LIVES || ev->agent_ended));
	ev->silent = sources_quiet(s);
	ev->last[0] = '\0';
	/* A shell may have written since in a living pane. */
	if (!ev->final || (ev->pane == PANE_LIVES && r->adopted))
		return !s->blind;
	/* tmux writes it below the last line. */
	if (lseek(s->log.file.fd, 0, SEEK_SET) == -1 ||
	    file_read_open(s->log.file.fd, FILE_TAIL, &tail, LAST_BYTES) == -1)
		buf_add(&tail, s->text, s->text != NULL ? s->text_len : 0);
	buf_addc(&tail, '\n');
	vt_add_lines(&vt, buf_str(&tail), tail.len, &lines);
	for (len = lines.len; len > 0; len = (size_t)(line - lines.data)) {
		line = memrchr(lines.data, '\n', --len);
		line = line != NULL ? line + 1 : lines.data;
		len -= (size_t)(line - lines.data);
		if (text_empty(line, len) || (len >= sizeof(dead) &&
		    memcmp(line, dead, sizeof(dead) - 1) == 0))
			continue;
		from = text_skip_blanks(line, line + len);
		verdict_shown(ev->last, sizeof(ev->last), from,
		    (size_t)(line + len - from));
		break;
	}
	vt_release(&vt);
	buf_release(&lines);
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
	if (ev->lease_over) {
		verdict_why(v, "its lease is over: the fleet may have given it "
		    "to another host");
		return detector_decides(v, STATE_DEAD);
	}
	if (ev->exit_is_report && known && (ev->exit_code == 0 || ev->errors)) {
		verdict_why(v, "the agent ended%s", how);
		return detector_decides(v, ev->exit_code == 0 ?
		    STATE_COMPLETE : STATE_ERROR);
	}
	if (ev->hook.stopped[0] != '\0') {
		verdict_why(v, "stopped by %s", ev->hook.stopped);
		return detector_decides(v, ev->pane == PANE_GONE ? STATE_GONE :
		    STATE_DEAD);
	}
	if (ev->pane == PANE_GONE || ev->pane == PANE_NONE) {
		verdict_why(v, "%s, and there is no report",
		    ev->pane == PANE_GONE ? "its pane is no longer there" :
		    "it has no pane");
		verdict_set_source(v, "session");
		return detector_decides(v, STATE_GONE);
	}
	if (ev->agent_ended || ev->pane == PANE_DEAD) {
		verdict_why(v, "%s ended%s, without a report%s%s%s",
		    ev->agent_ended ? "the agent" : "the pane's process", how,
		    ev->agent_ended && ev->exit_code == 0 ?
		    " (see 'start --exit-is-report')" : "",
		    ev->last[0] != '\0' ? ": " : "", ev->last);
		return detector_decides(v, STATE_DEAD);
	}
	return false;
}

bool
detect_process(const struct evidence *ev, struct verdict *v)
{
	if (ev->pane == PANE_SILENT) {
		verdict_why(v, "the tmux server lives and does not answer");
		verdict_set_source(v, "session");
		return detector_decides(v, STATE_UNKNOWN);
	}
	if (ev->reload) {
		verdict_why(v, "the agent is being restarted in its pane");
		return detector_decides(v, STATE_WORKING);
	}
	if (ev->final && detect_end(ev, v))
		return true;
	if (ev->pane == PANE_LIVES && !ev->agent_ended &&
	    ev->silent >= ev->stalled_after) {
		verdict_why(v, "nothing was printed for %lld seconds",
		    (long long)(ev->silent / 1000));
		return detector_decides(v, STATE_STALLED);
	}
	return false;
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
		buf_printf(out, "the pane %s%s%s%s", lives[ev->pane],
		    ev->agent_ended ? ", the agent has ended" : "",
		    s->trouble ? ": " : "", s->trouble ? s->trouble : "");
	}
}

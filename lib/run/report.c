#include "run/report.h"

#include <stdio.h>
#include <string.h>

#include "base/msg.h"
#include "run/handoffstate.h"
#include "text/json.h"

static void
report_json(struct buf *out, const struct status *s, const char *project)
{
	cJSON *o = json_new_object();

	json_add_text(o, "project", project);
	json_add_text(o, "issue", s->issue);
	json_add_text(o, "run", s->run);
	json_add_text(o, "state", state_name(s->verdict.state));
	json_add_text(o, "source", verdict_source(&s->verdict));
	json_add_text(o, "why", s->verdict.why);
	if (s->verdict.message[0] != '\0')
		json_add_text(o, "message", s->verdict.message);
	json_add_time(o, "since", s->since);
	status_add_handoff(o, &s->handoff);
	json_print(out, o);
	json_free(o);
}

static void
report_text(struct buf *out, const struct status *s, const char *project,
    bool handoff)
{
	const char *folder = project != NULL ? strrchr(project, '/') : NULL;

	if (folder != NULL) {
		msg_escape(out, folder + 1, strlen(folder + 1));
		buf_addc(out, '/');
	}
	buf_printf(out, "%s ", s->issue);
	if (handoff) {
		handoff_describe(out, &s->handoff, clock_wall());
		return;
	}
	buf_printf(out, "%s: %s", state_name(s->verdict.state), s->verdict.why);
	if (s->verdict.message[0] != '\0')
		buf_printf(out, ": %s", s->verdict.message);
}

void
report_print(const struct status *s, const char *project, bool handoff,
    bool json)
{
	struct buf out = BUF_INIT;

	if (json)
		report_json(&out, s, project);
	else
		report_text(&out, s, project, handoff);
	buf_addc(&out, '\n');
	/* The reader may be gone: the watch continues, and its exit status
	 * stays. */
	fwrite(out.data, 1, out.len, stdout);
	fflush(stdout);
	clearerr(stdout);
	buf_release(&out);
}

bool
report_way_back(struct buf *out, const struct status *s, enum state state)
{
	bool gone = state == STATE_GONE ||
	    (state == STATE_UNKNOWN && proc_boot_over(s->boot));

	if (!gone || (s->agent.session == NULL && s->transcript.path == NULL))
		return false;
	buf_printf(out, "'paneward revive %s' brings it back", s->issue);
	return true;
}

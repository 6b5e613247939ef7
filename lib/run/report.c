#include "run/report.h"

#include <stdio.h>

#include "run/handoffstate.h"
#include "text/json.h"

static void
report_json(struct buf *out, const struct status *s)
{
	cJSON *o = json_new_object();

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

void
report_print(const struct status *s, bool handoff, bool json)
{
	struct buf out = BUF_INIT;

	if (json) {
		report_json(&out, s);
	} else if (handoff) {
		buf_printf(&out, "%s ", s->issue);
		handoff_describe(&out, &s->handoff);
	} else {
		buf_printf(&out, "%s %s: %s", s->issue,
		    state_name(s->verdict.state), s->verdict.why);
		if (s->verdict.message[0] != '\0')
			buf_printf(&out, ": %s", s->verdict.message);
	}
	buf_addc(&out, '\n');
	/* The reader may be gone: the watch continues, and its exit status
	 * stays. */
	fwrite(out.data, 1, out.len, stdout);
	fflush(stdout);
	clearerr(stdout);
	buf_release(&out);
}

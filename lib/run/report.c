/*
 * report.c - one line for what became known of an issue.
 */
#include <stdio.h>

#include "base/msg.h"
#include "run/handoffstate.h"
#include "run/report.h"
#include "text/json.h"

static void
report_json(struct buf *out, const struct status *s)
{
	cJSON *o = json_new_object();
	char since[CLOCK_TEXT];

	clock_format(since, s->since);
	json_add_text(o, "issue", s->issue);
	json_add_text(o, "run", s->run);
	json_add_text(o, "state", state_name(s->verdict.state));
	json_add_text(o, "source", verdict_source(&s->verdict));
	json_add_text(o, "why", s->verdict.why);
	if (s->verdict.message[0] != '\0')
		json_add_text(o, "message", s->verdict.message);
	json_add_text(o, "since", since);
	status_add_handoff(o, &s->handoff);
	json_print(out, o);
	json_free(o);
}

static void
print_plain(struct buf *out, const struct status *s)
{
	buf_printf(out, "%s %s: %s", s->issue, state_name(s->verdict.state),
	    s->verdict.why);
	if (s->verdict.message[0] != '\0')
		buf_printf(out, ": %s", s->verdict.message);
}

/* The reader may be gone: the watch continues, and its exit status stays. */
static void
report_line(struct buf *out)
{
	buf_addc(out, '\n');
	fwrite(out->data, 1, out->len, stdout);
	fflush(stdout);
	clearerr(stdout);
	buf_release(out);
}

void
report_print_state(const struct status *s, bool json)
{
	struct buf out = BUF_INIT;

	if (json)
		report_json(&out, s);
	else
		print_plain(&out, s);
	report_line(&out);
}

void
report_print_handoff(const struct status *s, bool json)
{
	struct buf out = BUF_INIT;

	if (json) {
		report_json(&out, s);
	} else {
		buf_printf(&out, "%s ", s->issue);
		handoff_describe(&out, &s->handoff);
	}
	report_line(&out);
}

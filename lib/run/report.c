#include "run/status.h"

#include "data/json.h"

void
report_print(const struct status *s, const char *project, bool handoff,
    bool json)
{
	const char *folder = project != NULL ? strrchr(project, '/') : NULL;
	const char *message = s->verdict.message[0] != '\0' ?
	    s->verdict.message : NULL;
	const char *name = s->name != NULL ? s->name : s->issue;
	struct buf out = BUF_INIT;
	struct json *o;

	if (json) {
		o = status_object(s);
		if (s->name != NULL)
			json_set_text(json_member(o, "issue"), NULL);
		json_add_text(o, "project", project);
		json_give(&out, o);
	} else {
		if (folder != NULL) {
			msg_escape(&out, folder + 1, strlen(folder + 1));
			buf_addc(&out, '/');
		}
		msg_escape(&out, name, strlen(name));
		buf_addc(&out, ' ');
		if (handoff)
			handoff_describe(&out, &s->handoff, clock_wall());
		else
			buf_printf(&out, "%s: %s%s%s",
			    state_name(s->verdict.state), s->verdict.why,
			    message ? ": " : "", message ? message : "");
	}
	buf_addc(&out, '\n');
	/* The watch continues without a reader. */
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

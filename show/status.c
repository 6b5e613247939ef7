/*
 * status.c - one line per issue, from the status directory and the system's
 * processes alone.
 */
#include "run/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/command.h"
#include "base/msg.h"
#include "chain/presence.h"
#include "run/context.h"
#include "run/handoffstate.h"
#include "text/json.h"
#include "show/commands.h"

enum { OPTION_JSON = 'j', OPTION_TMUX = OPTION_LONG };

static const struct command_option options[] = {
	{ OPTION_JSON, "json", NULL, "one JSON object per line" },
	{ OPTION_TMUX, "tmux", NULL, "one short line for a tmux status bar" },
	CONTEXT_OPTION,
	{ 0 }
};

struct show {
	struct context  context;
	struct presence presence;
	int      how;                   /* the key of an option, or 0 */
	char   **issues;
	size_t   n;
	unsigned count[STATE_COUNT];
	struct buf out;
};

/* Numbers by value, so that 9 comes before 10. */
static int
names_compare(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void
show_add(void *context, const char *name)
{
	struct show *x = context;
	char issue[ISSUE_MAX + 1];

	if (!status_named(x->context.dir.state_fd, name, issue))
		return;
	x->issues = xreallocarray(x->issues, x->n + 1, sizeof(*x->issues));
	x->issues[x->n++] = xstrdup(issue);
}

/* "3s", "12m", "5h", "9d". */
static void
show_age(struct buf *out, msec age)
{
	static const struct { msec size; char unit; } units[] = {
		{ 86400000, 'd' }, { 3600000, 'h' }, { 60000, 'm' },
		{ 1000, 's' },
	};
	size_t i = 0;

	while (i < 3 && age < units[i].size)
		i++;
	buf_printf(out, "%lld%c", (long long)(age < 0 ? 0 :
	    age / units[i].size), units[i].unit);
}

static void
show_line(struct buf *out, const struct status *s, msec unwatched, msec now)
{
	struct buf age = BUF_INIT;

	show_age(&age, now - s->since);
	buf_printf(out, "%-8s %-9s %5s  %s", s->issue,
	    state_name(s->verdict.state), buf_str(&age), s->verdict.why);
	if (s->verdict.message[0] != '\0')
		buf_printf(out, ": %s", s->verdict.message);
	if (s->handoff.state != HANDOFF_NONE) {
		buf_adds(out, "; ");
		handoff_describe(out, &s->handoff);
	}
	if (unwatched != 0) {
		buf_adds(out, "; unwatched for ");
		show_age(out, now - unwatched);
	}
	buf_addc(out, '\n');
	buf_release(&age);
}

static void
show_json(struct buf *out, const struct status *s, msec unwatched)
{
	cJSON *o = status_object(s);

	if (unwatched != 0)
		json_add_time(o, "unwatched", unwatched);
	else
		json_add_null(o, "unwatched");
	json_print(out, o);
	buf_addc(out, '\n');
	json_free(o);
}

static void
show_summary(struct buf *out, const unsigned count[STATE_COUNT])
{
	int i;

	for (i = 0; i < STATE_COUNT; i++)
		if (count[i] > 0)
			buf_printf(out, "%s%u %s", out->len ? " " : "",
			    count[i], state_name((enum state)i));
	buf_addc(out, '\n');
}

/* False after a warning: the issue has no record. */
static bool
show_issue(struct show *x, const char *issue)
{
	const char *dir = x->context.dir.path, *ended;
	struct status s;
	msec unwatched;
	int found = status_read(&s, x->context.dir.state_fd, issue);

	if (found == -1)
		warn("cannot read the status record of issue '%s' in '%s'",
		    issue, dir);
	else if (found == 0)
		warnx("nothing is known of issue '%s' in '%s'", issue, dir);
	if (found != 1)
		return false;
	unwatched = presence_unwatched(&x->presence, &s);
	ended = presence_ended(&x->presence, &s);
	/* An end that was not judged yet is unknown: the run may have left a
	 * report. */
	if (ended != NULL) {
		s.verdict = (struct verdict){ .state = STATE_UNKNOWN,
		    .source = "process" };
		verdict_why(&s.verdict, "%s; not judged yet%s", ended,
		    unwatched ? ", 'paneward sweep' does that" : "");
		s.since = unwatched ? unwatched : x->presence.wall;
	}
	x->count[s.verdict.state]++;
	if (x->how == OPTION_JSON)
		show_json(&x->out, &s, unwatched);
	else if (x->how != OPTION_TMUX)
		show_line(&x->out, &s, unwatched, x->presence.wall);
	status_release(&s);
	return true;
}

static int
status_run(const struct command *c, int argc, char **argv)
{
	struct show x = { .how = 0 };
	const char *dir = NULL;
	int key, state_fd, status = EXIT_DONE;
	size_t i;

	while ((key = command_option(c, argc, argv)) != -1) {
		if (key == CONTEXT_KEY)
			dir = optarg;
		else
			x.how = key;
	}
	x.issues = argv + optind;
	x.n = (size_t)(argc - optind);
	for (i = 0; i < x.n; i++)
		command_issue(c, x.issues[i]);
	context_open(&x.context, dir, false);
	state_fd = x.context.dir.state_fd;
	if (x.n == 0) {
		x.issues = NULL;
		if (state_fd != -1 &&
		    statusdir_names(state_fd, show_add, &x) == -1)
			fatal("cannot read the status directory");
		if (x.n > 1)
			qsort(x.issues, x.n, sizeof(*x.issues), names_compare);
	}
	presence_init(&x.presence, state_fd);
	for (i = 0; i < x.n; i++)
		if (!show_issue(&x, x.issues[i]))
			status = EXIT_NO;
	if (x.how == OPTION_TMUX)
		show_summary(&x.out, x.count);
	fputs(buf_str(&x.out), stdout);
	buf_release(&x.out);
	return status;
}

const struct command status_command = {
	.name = "status",
	.summary = "Print the state of each issue's agent",
	.arguments = "[ISSUE...]",
	.examples =
	"  paneward status\n"
	"  paneward status 42 --json\n"
	"  set -g status-right '#(cd ~/project && paneward status --tmux)'\n",
	.options = options,
	.run = status_run,
};

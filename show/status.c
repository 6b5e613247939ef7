/*
 * status.c - one line per issue, from the status directory and the system's
 * processes alone.
 */
#include "run/status.h"

#include <errno.h>
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

struct names {
	char **v;
	size_t n;
	int    state_fd;                /* where they are */
};

/* Numbers by value, so that 9 comes before 10. */
static int
names_compare(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;

	return strverscmp(x, y);
}

static void
names_add(void *context, const char *name)
{
	struct names *names = context;
	char issue[ISSUE_MAX + 1];

	if (!status_named(names->state_fd, name, issue))
		return;
	names->v = xreallocarray(names->v, names->n + 1, sizeof(*names->v));
	names->v[names->n++] = xstrdup(issue);
}

/* The issues that have a record. */
static void
find_issues(struct names *names, int state_fd)
{
	names->state_fd = state_fd;
	if (statusdir_names(state_fd, names_add, names) == -1)
		fatal("cannot read the status directory");
	if (names->n > 1)
		qsort(names->v, names->n, sizeof(*names->v), names_compare);
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

/* An end that was not judged yet is unknown: the run may have left a report. */
static void
show_doubt(struct status *s, const char *ended, msec unwatched, msec now)
{
	struct verdict *v = &s->verdict;

	*v = (struct verdict){ .state = STATE_UNKNOWN, .source = "process" };
	verdict_why(v, "%s; not judged yet%s", ended,
	    unwatched ? ", 'paneward sweep' does that" : "");
	s->since = unwatched ? unwatched : now;
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

/* 1 after a warning: the issue has no record. */
static int
show_issue(struct buf *out, const struct context *c, struct presence *x,
    const char *issue, int how, unsigned count[STATE_COUNT])
{
	const char *ended;
	struct status s;
	msec unwatched;
	int found = status_read(&s, c->dir.state_fd, issue);

	if (found == -1)
		warn("cannot read the status record of issue '%s' in '%s'",
		    issue, c->dir.path);
	else if (found == 0)
		warnx("nothing is known of issue '%s' in '%s'", issue,
		    c->dir.path);
	if (found != 1)
		return 1;
	unwatched = presence_unwatched(x, &s);
	ended = presence_ended(x, &s);
	if (ended != NULL)
		show_doubt(&s, ended, unwatched, x->wall);
	count[s.verdict.state]++;
	if (how == OPTION_JSON)
		show_json(out, &s, unwatched);
	else if (how != OPTION_TMUX)
		show_line(out, &s, unwatched, x->wall);
	status_release(&s);
	return 0;
}

static int
status_run(const struct command *c, int argc, char **argv)
{
	unsigned count[STATE_COUNT] = { 0 };
	struct names names = { 0 };
	struct buf out = BUF_INIT;
	struct context context;
	struct presence presence;
	const char *dir = NULL;
	int key, how = 0, missing = 0;
	size_t i;

	while ((key = command_option(c, argc, argv)) != -1) {
		if (key == CONTEXT_KEY)
			dir = optarg;
		else
			how = key;
	}
	for (i = (size_t)optind; i < (size_t)argc; i++)
		command_issue(c, argv[i]);
	context_open(&context, dir, false);
	if (optind < argc) {
		names.v = argv + optind;
		names.n = (size_t)(argc - optind);
	} else if (context.dir.state_fd != -1) {
		find_issues(&names, context.dir.state_fd);
	}
	presence_init(&presence, context.dir.state_fd);
	for (i = 0; i < names.n; i++)
		missing |= show_issue(&out, &context, &presence, names.v[i],
		    how, count);
	if (how == OPTION_TMUX)
		show_summary(&out, count);
	fputs(buf_str(&out), stdout);
	buf_release(&out);
	return missing ? EXIT_NO : EXIT_DONE;
}

const struct command status_command = {
	.name = "status",
	.summary = "Say what each issue's agent is doing",
	.arguments = "[ISSUE...]",
	.examples =
	"  paneward status\n"
	"  paneward status 42 --json\n"
	"  set -g status-right '#(cd ~/project && paneward status --tmux)'\n",
	.options = options,
	.run = status_run,
};

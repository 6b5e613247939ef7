/*
 * status.c - the queue as lines: one agent each, worst first.
 *
 * Without --all it comes from the status directory and the system's processes;
 * tmux is asked only for issues that nothing watches.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/columns.h"
#include "base/msg.h"
#include "os/file.h"
#include "paneward.h"
#include "project/context.h"
#include "queue/layout.h"
#include "queue/queue.h"
#include "queue/rowlines.h"
#include "show/show.h"

enum {
	OPTION_JSON = 'j', OPTION_ALL = 'a', OPTION_TMUX = OPTION_LONG,
	OPTION_FINISHED, OPTION_PACE, OPTION_FOLLOW = 'f'
};

static const struct command_option options[] = {
	{ OPTION_ALL, "all", NULL, "all projects, and every agent in a pane" },
	{ OPTION_FINISHED, "finished", NULL, "also those that are over and "
	    "were seen" },
	{ OPTION_FOLLOW, "follow", NULL, "go on with a line for each row that "
	    "changes" },
	{ OPTION_PACE, "pace", "SEC", "with --follow, between looks at "
	    "what no event reports (1)" },
	{ OPTION_JSON, "json", NULL, "one JSON object per line" },
	{ OPTION_TMUX, "tmux", NULL, "one short line for a tmux status bar" },
	CONTEXT_OPTION,
	{ 0 }
};

struct show {
	struct context context;
	struct queue  *queue;
	bool   all, finished;
	bool   named;                   /* issues were asked for */
	enum exit_status status;
	struct row **rows;              /* those that are shown */
	size_t n;
	struct buf out;
};

void
show_trouble(void *context, const char *dir, const char *issue, int error)
{
	enum exit_status *status = context;

	*status = error == 0 || file_refused(error) ? EXIT_NO :
	    EXIT_COULD_NOT;
	errno = error;
	if (dir == NULL)
		warn("cannot read which projects there are");
	else if (issue == NULL)
		warn("cannot read the status directory '%s'", dir);
	else if (error != 0)
		warn("cannot read the status record of issue '%s' in '%s'",
		    issue, dir);
	else
		warnx("nothing is known of issue '%s' in '%s'", issue, dir);
}

static void
show_summary(struct show *x)
{
	unsigned count[STATE_COUNT] = { 0 };
	struct buf *out = &x->out;
	size_t i;
	int s;

	for (i = 0; i < x->n; i++)
		count[x->rows[i]->status.verdict.state]++;
	for (s = 0; s < STATE_COUNT; s++)
		if (count[s] > 0)
			buf_printf(out, "%s%u %s", out->len ? " " : "",
			    count[s], state_name((enum state)s));
	buf_addc(out, '\n');
}

/* Words for states that a newcomer may not know. */
static void
show_legend(struct show *x)
{
	static const char *const legend[STATE_COUNT] = {
		[STATE_LIMITED] = "it waits for a usage limit to end",
		[STATE_STALLED] = "it has printed nothing for a long time",
		[STATE_DEAD]    = "its process ended without a report",
		[STATE_GONE]    = "its pane vanished without a report",
		[STATE_UNKNOWN] = "what it does could not be found out",
		[STATE_QUEUED]  = "it starts when its turn comes",
	};
	bool there[STATE_COUNT] = { false }, unwatched = false;
	size_t i;
	int s;

	for (i = 0; i < x->n; i++) {
		there[x->rows[i]->status.verdict.state] = true;
		unwatched |= x->rows[i]->unwatched != 0;
	}
	for (s = 0; s < STATE_COUNT; s++)
		if (there[s] && legend[s] != NULL)
			buf_printf(&x->out, "%s: %s\n",
			    state_name((enum state)s), legend[s]);
	if (unwatched)
		buf_adds(&x->out, "?: the last known state; no watcher and no "
		    "sweep has looked since\n");
}

static void
show_table(struct show *x)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
	unsigned width = columns_terminal(STDOUT_FILENO);
	bool color = isatty(STDOUT_FILENO) &&
	    (none == NULL || none[0] == '\0') && term != NULL &&
	    strcmp(term, "dumb") != 0;
	msec wall = clock_wall();
	struct layout l;
	size_t i;

	columns_begin();
	layout_fit(&l, x->rows, x->n, width, wall);
	for (i = 0; i < x->n; i++) {
		layout_line(&x->out, &l, x->rows[i], color, wall);
		buf_addc(&x->out, '\n');
	}
	if (isatty(STDOUT_FILENO))
		show_legend(x);
	if (x->n == 0 && !x->all && isatty(STDERR_FILENO))
		warnx("no issue is under way in '%s'; 'paneward status --all' "
		    "shows every agent", x->context.project.root);
}

/* Selects the rows that are asked for. */
static void
show_rows(struct show *x)
{
	struct row *const *rows;
	size_t n, i;

	rows = queue_rows(x->queue, &n);
	x->rows = xreallocarray(x->rows, n + 1, sizeof(*x->rows));
	for (i = x->n = 0; i < n; i++)
		if (x->finished || x->named || !row_finished(rows[i]))
			x->rows[x->n++] = rows[i];
}

/*
 * Prints all rows, and then each that has changed, or left, until the reader of
 * standard output or the other end of standard input is gone, or the output
 * fails.  Rows that change together are followed by an empty line in JSON,
 * which is also printed when nothing has changed for half a minute.
 */
static void
show_follow(struct show *x, struct loop *loop, bool json)
{
	struct rowlines *lines = rowlines_new(json, loop);
	bool changed = true;
	size_t i;

	while (true) {
		if (changed)
			show_rows(x);
		for (i = 0; changed && i < x->n; i++) {
			buf_reset(&x->out);
			row_json(&x->out, x->rows[i]);
			rowlines_row(lines, buf_str(&x->out), x->out.len);
		}
		if (changed)
			rowlines_whole(lines);
		if (!rowlines_flush(lines, clock_now()))
			break;
		loop_round(loop, CLOCK_NEVER);
		changed = queue_changed(x->queue);
	}
	rowlines_free(lines);
}

static int
status_run(const struct command *c, int argc, char **argv)
{
	struct loop loop = LOOP_INIT;
	struct show x = { .status = EXIT_DONE };
	bool json = false, follow = false, tmux = false;
	const char *dir = NULL;
	long pace = 0;                  /* seconds; 0: none was given */
	size_t i;
	int key;

	while ((key = command_option(c, argc, argv, NULL)) != -1) {
		switch (key) {
		case OPTION_ALL: x.all = true; break;
		case OPTION_FINISHED: x.finished = true; break;
		case OPTION_JSON: json = true; break;
		case OPTION_FOLLOW: follow = true; break;
		case OPTION_PACE:
			pace = command_number(c, "--pace", optarg, 1, 3600);
			break;
		case OPTION_TMUX: tmux = true; break;
		case CONTEXT_KEY: dir = optarg; break;
		}
	}
	x.named = optind < argc;
	if (x.named && x.all)
		command_usage(c, "--all goes without an issue");
	if (pace > 0 && !follow)
		command_usage(c, "--pace goes with --follow");
	if (follow && tmux)
		command_usage(c, "--follow goes without --tmux");
	for (i = (size_t)optind; i < (size_t)argc; i++)
		command_issue(c, argv[i]);
	context_open(&x.context, dir, false);
	x.queue = queue_new(&(struct queue_how){ .context = &x.context,
	    .all = x.all, .panes = x.all, .loop = follow ? &loop : NULL,
	    .pace = pace * 1000, .hosts = x.all && !(json && follow),
	    .issues = x.named ? argv + optind : NULL,
	    .nissues = (size_t)(argc - optind), .trouble = show_trouble,
	    .trouble_context = &x.status });
	queue_look(x.queue);
	/* A reader that has seen enough ends us. */
	signal(SIGPIPE, SIG_DFL);
	if (follow) {
		show_follow(&x, &loop, json);
	} else {
		show_rows(&x);
		if (tmux)
			show_summary(&x);
		else if (!json)
			show_table(&x);
		for (i = 0; json && i < x.n; i++) {
			row_json(&x.out, x.rows[i]);
			buf_addc(&x.out, '\n');
		}
		fputs(buf_str(&x.out), stdout);
	}
	buf_release(&x.out);
	free(x.rows);
	queue_end(x.queue);
	return x.status;
}

const struct command status_command = {
	.name = "status",
	.alias = "ls",
	.guess = "list",
	.summary = "Print the state of each agent, worst first",
	.arguments = "[ISSUE...]",
	.examples =
	"  paneward status --all\n"
	"  paneward status 42 --json\n"
	"  paneward status --all --follow\n"
	"  set -g status-right '#(cd ~/project && paneward status --tmux)'\n",
	.options = options,
	.run = status_run,
};

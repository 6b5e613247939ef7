/*
 * status.c - the queue as lines: one agent each, worst first.
 *
 * Without --all it comes from the status directory and the system's processes;
 * tmux is asked only for issues that nothing watches.
 */
#include "show/show.h"

struct show {
	const char *dir;
	bool   all, finished, json, follow, tmux;
	long   pace;                    /* seconds; 0: none was given */
	bool   named;                   /* issues were asked for */
	struct context context;
	struct queue  *queue;
	struct loop    loop;
	enum exit_status status;
	struct row **rows;              /* those that are shown */
	size_t n;
	struct buf out;
};

static const struct command_option options[] = {
	{ 'a', "all", NULL, "all projects, and every agent in a pane",
	    FLAG_AT(struct show, all) },
	{ 0, "finished", NULL, "also those that are over and were seen",
	    FLAG_AT(struct show, finished) },
	{ 'f', "follow", NULL, "go on with a line for each row that changes",
	    FLAG_AT(struct show, follow) },
	{ 0, "pace", "SEC", "with --follow, between looks at what no event "
	    "reports (1)", NUMBER_AT(struct show, pace, 1, 3600) },
	JSON_AT(struct show, json, "one JSON object per line"),
	{ 0, "tmux", NULL, "one short line for a tmux status bar",
	    FLAG_AT(struct show, tmux) },
	CONTEXT_OPTION_AT(struct show, dir),
	{ 0 }
};

static void
show_trouble(void *context, const char *dir, const char *issue, int error)
{
	enum exit_status *status = context;

	if (error == 0 && issue == NULL) {
		warnx("%s", dir);
		return;
	}
	*status = error == 0 || file_refused(error) ? EXIT_NO :
	    EXIT_COULD_NOT;
	errno = error;
	if (dir == NULL)
		warn("cannot read which projects there are");
	else if (issue == NULL)
		warn("cannot read '%s'", dir);
	else if (error != 0)
		warn("cannot read the status record of issue '%s' in '%s'",
		    issue, dir);
	else
		warnx("issue '%s' is unknown in '%s'", issue, dir);
}

struct queue *
show_queue(struct context *c, const char *dir, struct queue_how how,
    enum exit_status *seen)
{
	struct queue *q;

	context_open(c, dir, false);
	how.context = c;
	how.trouble = show_trouble;
	how.trouble_context = seen;
	q = queue_new(&how);
	queue_look(q);
	return q;
}

static void
show_block(struct show *x, const struct row *r, unsigned width, msec wall)
{
	struct buf text = BUF_INIT, says = BUF_INIT, tree = BUF_INIT;
	const struct status *s = &r->status;
	struct { const char *name, *text; } lines[] = {
		{ "state", NULL }, { "task", s->task }, { "doing", r->doing },
		{ "said", s->said }, { "branch", NULL },
		{ "folder", s->worktree },
	};
	size_t i;

	row_text(&text, r, wall);
	row_says(&says, r, wall);
	row_tree(&tree, r);
	lines[0].text = buf_same(&text, &says) ? NULL : buf_str(&text);
	lines[4].text = buf_str(&tree);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (lines[i].text == NULL || lines[i].text[0] == '\0')
			continue;
		buf_reset(&says);
		buf_printf(&says, "  %-8s%s", lines[i].name, lines[i].text);
		columns_add(&x->out, buf_str(&says), width);
		buf_addc(&x->out, '\n');
	}
}

/* At a terminal, words explain states that a newcomer may not know. */
static void
show_table(struct show *x)
{
	static const char *const legend[STATE_COUNT] = {
		[STATE_LIMITED] = "it waits for a usage limit to end",
		[STATE_STALLED] = "it has printed nothing for a long time",
		[STATE_DEAD]    = "its process ended without a report",
		[STATE_GONE]    = "its pane vanished without a report",
		[STATE_UNKNOWN] = "what it does could not be found out",
		[STATE_QUEUED]  = "it starts when its turn comes",
	};
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
	unsigned width = columns_terminal(STDOUT_FILENO);
	bool there[STATE_COUNT] = { false }, unwatched = false;
	bool terminal = isatty(STDOUT_FILENO), color = terminal &&
	    (none == NULL || none[0] == '\0') && term != NULL &&
	    strcmp(term, "dumb") != 0;
	msec wall = clock_wall();
	struct layout l;
	size_t i;
	int s;

	columns_begin();
	layout_fit(&l, x->rows, x->n, width, false, wall);
	for (i = 0; i < x->n; i++) {
		layout_line(&x->out, &l, x->rows[i], color, wall);
		buf_addc(&x->out, '\n');
		there[x->rows[i]->status.verdict.state] = true;
		unwatched |= x->rows[i]->unwatched != 0;
	}
	if (x->named && x->n == 1)
		show_block(x, x->rows[0], width, wall);
	for (s = 0; terminal && s < STATE_COUNT; s++)
		if (there[s] && legend[s] != NULL)
			buf_printf(&x->out, "%s: %s\n", state_names[s],
			    legend[s]);
	if (terminal && unwatched)
		buf_adds(&x->out, "?: the last known state; no watcher and no "
		    "sweep has looked since\n");
	if (x->n == 0 && !x->all && isatty(STDERR_FILENO))
		warnx("no issue is under way in '%s'; 'paneward status --all' "
		    "shows every agent", x->context.project.root);
}

static void
show_rows(struct show *x)
{
	struct row *const *rows = x->queue->rows;
	size_t n = x->queue->nrows, i;

	x->rows = xreallocarray(x->rows, n + 1, sizeof(*x->rows));
	for (i = x->n = 0; i < n; i++)
		if (x->finished || x->named || !row_finished(rows[i]))
			x->rows[x->n++] = rows[i];
}

static int
status_run(const struct command *c, int argc, char **argv)
{
	struct show x = { .status = EXIT_DONE, .loop = LOOP_INIT };
	unsigned count[STATE_COUNT] = { 0 };
	struct rowlines *lines;
	bool changed = true;
	size_t i;
	int s;

	command_option(c, argc, argv, &x);
	x.named = optind < argc;
	if (x.named && x.all)
		command_usage(c, "--all goes without an issue");
	if (x.pace > 0 && !x.follow)
		command_usage(c, "--pace goes with --follow");
	if (x.follow && x.tmux)
		command_usage(c, "--follow goes without --tmux");
	for (i = (size_t)optind; i < (size_t)argc; i++)
		command_issue(c, argv[i]);
	x.queue = show_queue(&x.context, x.dir, (struct queue_how){
	    .all = x.all, .panes = x.all, .loop = x.follow ? &x.loop : NULL,
	    .pace = x.pace * 1000, .hosts = x.all && !(x.json && x.follow),
	    .issues = x.named ? argv + optind : NULL }, &x.status);
	/* A reader that has seen enough ends us. */
	signal(SIGPIPE, SIG_DFL);
	/* Prints all rows, and then each that has changed, or left, until the
	 * reader of standard output or the other end of standard input is gone.
	 * In JSON an empty line follows rows that change together, or half a
	 * minute without a change. */
	lines = x.follow ? rowlines_new(x.json, &x.loop) : NULL;
	while (x.follow) {
		if (changed)
			show_rows(&x);
		for (i = 0; changed && i < x.n; i++) {
			buf_reset(&x.out);
			row_json(&x.out, x.rows[i]);
			rowlines_row(lines, buf_str(&x.out), x.out.len);
		}
		if (changed)
			rowlines_whole(lines);
		if (!rowlines_flush(lines, clock_now())) {
			queue_end(x.queue);
			return x.status;
		}
		loop_round(&x.loop, CLOCK_NEVER);
		changed = queue_changed(x.queue);
	}
	show_rows(&x);
	for (i = 0; x.tmux && i < x.n; i++)
		count[x.rows[i]->status.verdict.state]++;
	for (s = 0; s < STATE_COUNT; s++)
		if (count[s] > 0)
			buf_printf(&x.out, "%s%u %s", x.out.len > 0 ? " " : "",
			    count[s], state_names[s]);
	if (x.tmux)
		buf_addc(&x.out, '\n');
	else if (!x.json)
		show_table(&x);
	for (i = 0; x.json && i < x.n; i++) {
		row_json(&x.out, x.rows[i]);
		buf_addc(&x.out, '\n');
	}
	fputs(buf_str(&x.out), stdout);
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

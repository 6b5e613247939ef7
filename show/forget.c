/*
 * forget.c - takes rows from the queue; records and journal stay.
 */
#include "show/show.h"

struct forget {
	const char *dir;
	bool finished, all;
};

static const struct command_option options[] = {
	{ 0, "finished", NULL, "what is over, in this project",
	    FLAG_AT(struct forget, finished) },
	{ 'a', "all", NULL, "with --finished: in all projects",
	    FLAG_AT(struct forget, all) },
	CONTEXT_OPTION_AT(struct forget, dir),
	{ 0 }
};

/* A row is over if it would leave the list once it is seen. */
static bool
forget_over(const struct row *r)
{
	struct row once = *r;

	once.seen = SEEN_ONCE;
	return row_finished(&once);
}

static void
forget_row(struct queue *q, struct row *r)
{
	const char *done = forget_over(r) ?
	    "off the list; 'paneward status --finished' shows it" :
	    r->status.verdict.state == STATE_QUEUED ?
	    "out of the line; it will not be started" :
	    "hidden until its state changes; the key 'a' of 'paneward top' "
	    "shows it";

	if (queue_see(q, r, SEEN_FORGOTTEN) == -1)
		fatal("cannot record that '%s' is to be forgotten",
		    row_name(r));
	printf("%s: %s\n", row_name(r), done);
}

static int
forget_run(const struct command *c, int argc, char **argv)
{
	struct forget x = { .dir = NULL };
	enum exit_status seen = EXIT_DONE;
	struct context context;
	struct buf why = BUF_INIT;
	struct row *r;
	struct queue *q;
	size_t k;
	int i;

	command_option(c, argc, argv, &x);
	if (x.finished ? optind < argc : optind == argc || x.all)
		command_usage(c, "takes issues and panes, or --finished");
	q = show_queue(&context, x.dir, (struct queue_how){
	    .all = x.all || !x.finished, .panes = !x.finished }, &seen);
	for (k = 0; x.finished && k < q->nrows; k++)
		if (forget_over(q->rows[k]) && q->rows[k]->host == NULL)
			forget_row(q, q->rows[k]);
	for (i = optind; i < argc; i++) {
		buf_reset(&why);
		r = target_row(q, &context, argv[i], &why);
		if (r != NULL)
			forget_row(q, r);
		else
			warnx("%s", buf_str(&why));
		if (r == NULL && seen == EXIT_DONE)
			seen = EXIT_NO;
	}
	queue_free(q);
	return seen;
}

const struct command forget_command = {
	.name = "forget",
	.guess = "rm",
	.summary = "Take agents off the queue",
	.arguments = "[ISSUE|%PANE...]",
	.examples =
	"  paneward forget 42\n"
	"  paneward forget --finished\n",
	.options = options,
	.run = forget_run,
};

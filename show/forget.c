/*
 * forget.c - takes rows from the queue; records and journal stay.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/msg.h"
#include "paneward.h"
#include "queue/target.h"
#include "show/show.h"

enum { OPTION_ALL = 'a', OPTION_FINISHED = OPTION_LONG };

static const struct command_option options[] = {
	{ OPTION_FINISHED, "finished", NULL, "what is over, in this project" },
	{ OPTION_ALL, "all", NULL, "with --finished: in all projects" },
	CONTEXT_OPTION,
	{ 0 }
};

static void
forget_row(struct queue *q, struct row *r)
{
	if (queue_see(q, r, SEEN_FORGOTTEN) == -1)
		fatal("cannot record that '%s' is to be forgotten",
		    row_name(r));
}

/* A row is over if it would leave the list once it is seen. */
static bool
forget_over(struct row *r)
{
	enum seen seen = r->seen;
	bool over;

	r->seen = SEEN_ONCE;
	over = row_finished(r);
	r->seen = seen;
	return over;
}

static int
forget_run(const struct command *c, int argc, char **argv)
{
	bool finished = false, all = false, good = true;
	enum exit_status seen = EXIT_DONE;
	const char *dir = NULL;
	struct context context;
	struct buf why = BUF_INIT;
	struct row *const *rows, *r;
	struct queue *q;
	size_t n, k;
	int key, i;

	while ((key = command_option(c, argc, argv, NULL)) != -1) {
		switch (key) {
		case OPTION_FINISHED: finished = true; break;
		case OPTION_ALL: all = true; break;
		case CONTEXT_KEY: dir = optarg; break;
		}
	}
	if (finished ? optind < argc : optind == argc || all)
		command_usage(c, "issues and panes are to be named, or "
		    "--finished");
	context_open(&context, dir, false);
	q = queue_new(&(struct queue_how){ .context = &context,
	    .all = all || !finished, .panes = !finished,
	    .trouble = show_trouble, .trouble_context = &seen });
	queue_look(q);
	rows = queue_rows(q, &n);
	for (k = 0; finished && k < n; k++)
		if (forget_over(rows[k]) && rows[k]->host == NULL)
			forget_row(q, rows[k]);
	for (i = optind; i < argc; i++) {
		buf_reset(&why);
		r = target_row(q, &context, argv[i], &why);
		if (r == NULL) {
			warnx("%s", buf_str(&why));
			good = false;
			continue;
		}
		forget_row(q, r);
		if (!forget_over(r) && r->status.verdict.state != STATE_QUEUED)
			printf("%s: hidden until its state changes; the key "
			    "'a' of 'paneward top' shows it\n", row_name(r));
	}
	buf_release(&why);
	queue_free(q);
	context_close(&context);
	return seen != EXIT_DONE || good ? seen : EXIT_NO;
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

/*
 * attach.c - goes to the pane of an agent.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/command.h"
#include "base/exitstatus.h"
#include "base/msg.h"
#include "queue/jump.h"
#include "show/commands.h"
#include "show/pick.h"

static const struct command_option options[] = {
	{ 'c', "client", "TTY", "the terminal of the tmux client that goes" },
	CONTEXT_OPTION,
	{ 0 }
};

/* "HOST:42"; false if the word is none of that form. */
static bool
attach_abroad(const char *word, const struct jump *j, struct buf *why)
{
	const char *colon = strchr(word, ':');
	char *host;
	bool form;

	if (colon == NULL || !jump_word_valid(colon + 1))
		return false;
	host = xstrndup(word, (size_t)(colon - word));
	form = jump_host_valid(host);
	if (form && jump_abroad(j, host, colon + 1, why) == -1)
		fatalx("cannot go to '%s': %s", word, buf_str(why));
	free(host);
	return form;
}

static int
attach_near(const char *word, const char *dir, const struct jump *j,
    struct buf *why)
{
	struct context context;
	struct queue *q;
	struct row *r;
	int status = EXIT_DONE;

	context_open(&context, dir, false);
	q = queue_new(&(struct queue_how){ .context = &context, .all = true,
	    .panes = true });
	queue_look(q);
	r = pick_row(q, &context, word, why);
	if (r == NULL) {
		warnx("%s", buf_str(why));
		status = EXIT_NO;
	} else if (jump_to(j, q, r, why) == -1) {
		fatalx("cannot go to '%s': %s", word, buf_str(why));
	}
	queue_free(q);
	context_close(&context);
	return status;
}

static int
attach_run(const struct command *c, int argc, char **argv)
{
	const char *dir = NULL, *client = NULL;
	struct buf why = BUF_INIT;
	struct jump j;
	int key, status = EXIT_DONE;

	while ((key = command_option(c, argc, argv)) != -1) {
		if (key == CONTEXT_KEY)
			dir = optarg;
		else
			client = optarg;
	}
	if (argc - optind != 1)
		command_usage(c, "one issue or pane is to be named");
	if (jump_open(&j, client, &why) == -1)
		fatalx("cannot go to '%s': %s", argv[optind], buf_str(&why));
	if (!attach_abroad(argv[optind], &j, &why))
		status = attach_near(argv[optind], dir, &j, &why);
	jump_release(&j);
	buf_release(&why);
	return status;
}

const struct command attach_command = {
	.name = "attach",
	.summary = "Go to the pane of an agent",
	.arguments = "ISSUE|%PANE|HOST:ISSUE",
	.examples =
	"  paneward attach 42\n"
	"  paneward attach %7\n"
	"  paneward attach buildhost:42\n",
	.options = options,
	.run = attach_run,
};

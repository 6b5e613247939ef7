/*
 * attach.c - goes to the pane of an agent.
 */
#include "show/show.h"

struct attach {
	const char *dir, *client;
};

static int
attach_run(const struct command *c, int argc, char **argv)
{
	struct attach x = { .dir = NULL };
	const char *word, *colon;
	enum exit_status status = EXIT_COULD_NOT, seen = EXIT_NO;
	struct buf why = BUF_INIT, text = BUF_INIT;
	struct context context;
	struct queue *q;
	struct row *r;
	struct jump j;
	bool opened;
	char *host;

	command_option(c, argc, argv, &x);
	word = argv[optind];
	colon = strchr(word, ':');
	host = colon == NULL || !jump_word_valid(colon + 1) ? NULL :
	    xstrndup(word, (size_t)(colon - word));
	opened = jump_open(&j, x.client, &why) == 0;
	if (opened && host != NULL && hostname_valid(host)) {
		if (jump_abroad(&j, host, colon + 1, &why) == 0)
			status = EXIT_DONE;
	} else if (opened) {
		q = show_queue(&context, x.dir, (struct queue_how){
		    .all = true, .panes = true }, &seen);
		r = target_row(q, &context, word, &why);
		if (r == NULL)
			status = seen;
		else if (jump_to(&j, q, r, &why) == 0)
			status = EXIT_DONE;
		queue_free(q);
	}
	if (status != EXIT_DONE) {
		buf_printf(&text, "cannot go to '%s': %s", word, buf_str(&why));
		jump_tell(&j, buf_str(&text));
		warnx("%s", buf_str(&text));
	}
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
	.options = (const struct command_option[]){
		{ 'c', "client", "TTY", "the terminal of the tmux client that "
		    "goes", TEXT_AT(struct attach, client) },
		CONTEXT_OPTION_AT(struct attach, dir),
		{ 0 }
	},
	.run = attach_run,
};

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
	struct queue *q = NULL;
	struct row *r = NULL, far = { .pane = true };
	struct jump j;
	bool opened;

	command_option(c, argc, argv, &x);
	word = argv[optind];
	colon = strchr(word, ':');
	opened = jump_open(&j, x.client, &why) == 0;
	if (colon != NULL && jump_word_valid(colon + 1)) {
		far.host = xstrndup(word, (size_t)(colon - word));
		far.where = xstrdup(colon + 1);
		r = hostname_valid(far.host) ? &far : NULL;
	}
	if (opened && r == NULL) {
		q = show_queue(&context, x.dir, (struct queue_how){
		    .all = true, .panes = true }, &seen);
		r = target_row(q, &context, word, &why);
		status = r == NULL ? seen : status;
	}
	if (opened && r != NULL && jump_to(&j, q, r, &why) == 0)
		status = EXIT_DONE;
	if (q != NULL)
		queue_end(q);
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

/*
 * top.c - `paneward top` becomes paneward-top, which lies beside us
 * (top/top.c).
 */
#include "show/show.h"

struct top {
	const char *dir, *client;
	bool sidebar;
};

static const struct command_option options[] = {
	{ 'a', "all", NULL, "every agent of this user (the default)" },
	{ 'p', "project", NULL, "only those of this project" },
	{ 'c', "client", "TTY", "the tmux client that is to go to an agent, of "
	    "a popup", TEXT_AT(struct top, client) },
	{ 0, "sidebar", NULL, "two lines an agent, for a narrow pane; Enter "
	    "leaves it open", FLAG_AT(struct top, sidebar) },
	CONTEXT_OPTION_AT(struct top, dir),
	{ 0 }
};

static int
top_run(const struct command *c, int argc, char **argv)
{
	struct top x = { .dir = "", .client = "" };
	struct backends all = { .first = NULL };
	struct buf why = BUF_INIT;
	const char *what = "all";
	char *path;
	int key;

	while ((key = command_option(c, argc, argv, &x)) != -1)
		what = key == 'p' ? "project" : "all";
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		fatalx("top: this is no terminal; 'paneward status --all' "
		    "prints the same");
	/* It is seen when top has ended. */
	backends_all(&all, &why);
	if (why.len > 0)
		warnx("%s", buf_str(&why));
	path = proc_beside("paneward-top");
	execvp(path, (char *const *)(uintptr_t)WORDS("paneward-top",
	    what, x.dir, x.client, x.sidebar ? "sidebar" : ""));
	fatal("cannot run '%s'", path);
}

const struct command top_command = {
	.name = "top",
	.summary = "Show every agent, live, and go to one",
	.examples =
	"  paneward top\n"
	"  tmux bind-key a run-shell -C 'display-popup -E -w 90% -h 80% \\\n"
	"    \"paneward top --client #{client_tty}\"'\n",
	.options = options,
	.run = top_run,
};

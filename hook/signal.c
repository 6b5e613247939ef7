/*
 * signal.c - what an agent, or a trap in a script, runs to report.
 *
 * The file is renamed into place, so the name never appears without its text.
 * On a full disk the name alone is written: it reports.
 */

#include "paneward.h"
#include "project/context.h"
#include "run/sigfile.h"
#include "tmux/sockets.h"

struct signaller {
	const char *issue, *status_dir;
};

static const struct command_option options[] = {
	{ 'i', "issue", "N", "the issue, if not that of the environment",
	    TEXT_AT(struct signaller, issue) },
	CONTEXT_OPTION_AT(struct signaller, status_dir),
	{ 0 }
};

static int
signal_run(const struct command *c, int argc, char **argv)
{
	const char *own = getenv("PANEWARD_ISSUE");
	struct signaller call = { .issue = own };
	const char *told = getenv("PANEWARD_RUN"), *run = "";
	const char *name;
	struct buf text = BUF_INIT;
	struct context context;
	struct statusdir *to = &context.dir;
	enum sigfile_kind kind;
	struct status s;
	int fd;

	command_option(c, argc, argv, &call);
	argc -= optind;
	argv += optind;
	if (strcmp(argv[0], "complete") == 0)
		kind = SIGFILE_COMPLETE;
	else if (strcmp(argv[0], "error") == 0)
		kind = SIGFILE_ERROR;
	else
		command_usage(c, "'%s' is neither 'complete' nor 'error'",
		    argv[0]);
	if (call.issue == NULL)
		command_usage(c, "names no issue: PANEWARD_ISSUE is not set; "
		    "use --issue");
	command_issue(c, call.issue);
	context_open(&context, call.status_dir, true);
	/* A record of our own pane knows the run better than our
	 * environment. */
	if (status_read(&s, to->state_fd, call.issue) == 1 &&
	    tmux_here(&s.place))
		run = s.run;
	else if (own != NULL && told != NULL && strcmp(own, call.issue) == 0 &&
	    run_id_valid(told))
		run = told;
	if (run[0] != '\0')
		buf_printf(&text, "run=%s\n", run);
	if (argc == 2)
		buf_printf(&text, "%s\n", argv[1]);
	name = SIGFILE_OF(kind, call.issue);
	if (file_replace(to->fd, name, text.data, text.len, 0600) == 0)
		return EXIT_DONE;
	if (errno != ENOSPC && errno != EDQUOT)
		fatal("cannot leave the signal '%s/%s'", to->path, name);
	fd = openat(to->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
	    O_CLOEXEC, 0600);
	if (fd == -1 && errno != EEXIST)
		fatal("cannot leave the signal '%s/%s', not even an empty one",
		    to->path, name);
	warnx("left '%s/%s' without its text: the disk is full", to->path,
	    name);
	return EXIT_DONE;
}

const struct command signal_command = {
	.name = "signal",
	.summary = "Report that the work is done, or has failed",
	.arguments = "complete|error [TEXT]",
	.examples =
	"  paneward signal complete\n"
	"  paneward signal error \"the tests need a database\"\n"
	"  paneward signal complete --issue 42\n",
	.options = options,
	.run = signal_run,
};

/*
 * handoff.c - the command that hands off an issue by hand.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/argv.h"
#include "base/msg.h"
#include "handoff/attempt.h"
#include "handoff/runner.h"
#include "os/lock.h"
#include "os/proc.h"
#include "paneward.h"
#include "run/handoffstate.h"

enum { OUTPUT_MOST = 1 << 20 };          /* bytes that are shown */

enum { OPTION_DRY_RUN = 'n', OPTION_FORCE = 'f', OPTION_HANDOFF = OPTION_LONG };

static const struct command_option options[] = {
	{ OPTION_DRY_RUN, "dry-run", NULL, "run the command with it; "
	    "record nothing" },
	{ OPTION_FORCE, "force", NULL, "run the command with it" },
	{ OPTION_HANDOFF, "handoff", "COMMAND", "another command than the "
	    "configured one" },
	CONTEXT_OPTION,
	{ 0 }
};

struct by_hand {
	const char *issue, *handoff;
	char      **options;            /* for the command, NULL-ended */
	bool        dry_run;
	struct context context;
	struct status record;
	struct lock lock;
};

static void
byhand_read(struct by_hand *x)
{
	int found;

	status_release(&x->record);
	found = status_read(&x->record, x->context.dir.state_fd, x->issue);
	if (found == -1)
		fatal("cannot read the status record of issue '%s' in '%s'",
		    x->issue, x->context.dir.path);
	if (found == 0)
		fatal_no("cannot hand off issue '%s': there is no record of it "
		    "in '%s'", x->issue, x->context.dir.path);
}

/* Has the agent ended?  The record may be older than its end. */
static bool
run_is_over(const struct status *r)
{
	const struct pane_ref *p = &r->place;

	if (state_reported(r->verdict.state) || status_over(r) ||
	    p->socket == NULL)
		return true;
	return proc_boot_over(r->boot) ||
	    !proc_alive(p->pane_pid, p->pane_start);
}

/* An open hand-off may be retried: its description says when. */
static void
byhand_report(const struct by_hand *x, const struct attempt *a, bool open)
{
	const struct handoff *h = &x->record.handoff;
	struct buf text = BUF_INIT;

	if (a->interrupted)
		buf_printf(&text, "hand-off interrupted, attempt %u",
		    h->attempts);
	else if (open)
		handoff_describe(&text, h, clock_wall());
	else
		handoff_describe_end(&text, h);
	printf("%s %s\n", x->issue, buf_str(&text));
	buf_release(&text);
}

static int
byhand_run(struct by_hand *x, struct attempt *a, FILE *out)
{
	struct handoff *h = &x->record.handoff;
	bool open = false, whole;
	struct buf shown = BUF_INIT;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	struct stat st;
	int status;

	if (x->dry_run) {
		status = attempt_try(a);
		if (status == -1)
			fatal("cannot run the hand-off of issue '%s'",
			    x->issue);
	} else {
		if (runner_claim(x->issue, getpid(), &x->lock,
		    &x->context) == -1)
			fatal("cannot record the hand-off of issue '%s'",
			    x->issue);
		byhand_read(x);
		attempt_recover(a);
		open = handoff_open(h);
		memcpy(h->id, x->record.run, sizeof(h->id));
		if (attempt_run(a) == -1)
			return EXIT_COULD_NOT;
		status = a->interrupted ? -1 : h->last_exit;
	}
	/* The command's output, escaped. */
	whole = fstat(fileno(out), &st) == 0 && (st.st_size <= OUTPUT_MOST ||
	    ftruncate(fileno(out), OUTPUT_MOST) == 0);
	rewind(out);
	while (whole && (len = getline(&line, &room, out)) > 0) {
		buf_reset(&shown);
		msg_escape(&shown, line, (size_t)len - (line[len - 1] == '\n'));
		puts(buf_str(&shown));
	}
	free(line);
	buf_release(&shown);
	if (!x->dry_run)
		byhand_report(x, a, open);
	return status == 0 ? EXIT_DONE : status == HANDOFF_LATER ? EXIT_NO :
	    EXIT_HANDOFF;
}

static int
handoff_run(const struct command *c, int argc, char **argv)
{
	struct by_hand x = { .lock = LOCK_INIT };
	struct attempt a = { .context = &x.context, .record = &x.record };
	struct config *config = &x.context.config;
	const char *status_dir = NULL;
	char *const *own, **words;
	struct buf error = BUF_INIT;
	struct proc p;
	FILE *out;
	int key, got = 1;

	while ((key = command_option(c, argc, argv, NULL)) != -1) {
		switch (key) {
		case OPTION_DRY_RUN:
			x.dry_run = true;
			x.options = argv_add(x.options, "--dry-run");
			break;
		case OPTION_FORCE:
			x.options = argv_add(x.options, "--force");
			break;
		case OPTION_HANDOFF: x.handoff = optarg; break;
		case CONTEXT_KEY: status_dir = optarg; break;
		}
	}
	if (argc - optind != 1)
		command_usage(c, "takes one issue");
	x.issue = command_issue(c, argv[optind]);
	a.options = (const char *const *)x.options;
	context_open(&x.context, status_dir, false);
	if (runner_choose(config, x.handoff, false, &error) == -1)
		fatal_wrong("%s", buf_str(&error));
	byhand_read(&x);
	/* A run that start gave no hand-off gets the configured one from a
	 * person. */
	own = runner_command(config, &x.record);
	if (own != NULL && own[0] != NULL) {
		words = argv_add_all(NULL, (const char *const *)own);
		argv_free(config->handoff);
		config->handoff = words;
	}
	if (config->handoff == NULL || config->handoff[0] == NULL)
		fatal_usage("cannot hand off issue '%s': no command is "
		    "configured; see 'handoff' in the configuration", x.issue);
	if (!x.dry_run) {
		context_check(&x.context, true);
		got = status_lock(&x.lock, x.context.dir.state_fd, x.issue,
		    LOCK_ENDING);
	}
	if (got == 0)
		fatalx("cannot hand off issue '%s': process %ld%s acts on it; "
		    "end that one first", x.issue, (long)x.lock.holder,
		    proc_read(&p, x.lock.holder) == 0 && p.stopped ?
		    ", which is stopped," : "");
	if (got == -1)
		fatal("cannot lock issue '%s' in '%s'", x.issue,
		    x.context.dir.path);
	if (!x.dry_run)
		byhand_read(&x);        /* under the lock it is another one */
	if (!run_is_over(&x.record)) {
		warnx("issue '%s' is not handed off: its run is %s; end its "
		    "pane first", x.issue, state_name(x.record.verdict.state));
		return EXIT_NO;
	}
	out = tmpfile();
	if (out == NULL)
		fatal("cannot make a file for the output of the hand-off");
	a.out = fileno(out);
	fcntl(a.out, F_SETFD, FD_CLOEXEC);
	return byhand_run(&x, &a, out);
}

const struct command handoff_command = {
	.name = "handoff",
	.summary = "Run the hand-off of an issue by hand",
	.arguments = "ISSUE",
	.examples =
	"  paneward handoff 42 --dry-run\n"
	"  paneward handoff 42\n"
	"  paneward handoff 42 --force\n",
	.options = options,
	.run = handoff_run,
};

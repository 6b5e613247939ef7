/* handoff.c - the command that hands off an issue by hand. */

#include "handoff/runner.h"
#include "paneward.h"

enum { OUTPUT_MOST = 1 << 20 };

struct by_hand {
	const char *issue, *handoff, *status_dir;
	bool        dry_run, force;
	struct context context;
	struct status record;
	struct lock lock;
};

static const struct command_option options[] = {
	{ 'n', "dry-run", NULL, "run the command with it; record nothing",
	    FLAG_AT(struct by_hand, dry_run) },
	{ 'f', "force", NULL, "run the command with it",
	    FLAG_AT(struct by_hand, force) },
	{ 0, "handoff", "COMMAND", "another command than the configured one",
	    TEXT_AT(struct by_hand, handoff) },
	CONTEXT_OPTION_AT(struct by_hand, status_dir),
	{ 0 }
};

static void
byhand_read(struct by_hand *x)
{
	int found = status_read(&x->record, x->context.dir.state_fd, x->issue);

	if (found == -1)
		fatal("cannot read the status record of issue '%s' in '%s'",
		    x->issue, x->context.dir.path);
	if (found == 0)
		fatal_no("cannot hand off issue '%s': there is no record of it "
		    "in '%s'", x->issue, x->context.dir.path);
}

static int
byhand_run(struct by_hand *x, struct attempt *a)
{
	struct handoff *h = &x->record.handoff;
	bool open = false;
	struct buf text = BUF_INIT, shown = BUF_INIT;
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
	lseek(a->out, 0, SEEK_SET);
	file_read_open(a->out, 0, &text, OUTPUT_MOST);
	msg_escape_but(&shown, buf_str(&text), text.len, "\n");
	if (text.len > 0 && text.data[text.len - 1] != '\n')
		buf_addc(&shown, '\n');
	fputs(buf_str(&shown), stdout);
	buf_reset(&shown);
	/* An open hand-off may be retried: its description says when. */
	if (a->interrupted)
		buf_printf(&shown, "hand-off interrupted, attempt %u",
		    h->attempts);
	else if (open)
		handoff_describe(&shown, h, clock_wall());
	else
		handoff_describe_end(&shown, h);
	if (!x->dry_run)
		printf("%s %s\n", x->issue, buf_str(&shown));
	return status == 0 ? EXIT_DONE : status == HANDOFF_LATER ? EXIT_NO :
	    EXIT_HANDOFF;
}

static int
handoff_run(const struct command *c, int argc, char **argv)
{
	struct by_hand x = { .lock = LOCK_INIT };
	struct attempt a = { .context = &x.context, .record = &x.record };
	struct config *config = &x.context.config;
	const struct pane_ref *place;
	struct buf error = BUF_INIT;
	struct proc p;
	FILE *out;
	int got;

	command_option(c, argc, argv, &x);
	x.issue = command_issue(c, argv[optind]);
	context_open(&x.context, x.status_dir, false);
	if (runner_choose(config, x.handoff, false, &error) == -1)
		fatal_wrong("%s", buf_str(&error));
	byhand_read(&x);
	/* A run without a hand-off gets the configured one. */
	if (runner_wanted(config, &x.record))
		config->handoff = argv_add_all(NULL, (const char *const *)
		    runner_command(config, &x.record));
	if (config->handoff[0] == NULL)
		fatal_usage("cannot hand off issue '%s': no command is "
		    "configured; see 'handoff' in the configuration", x.issue);
	if (x.dry_run)
		config->handoff = argv_add(config->handoff, "--dry-run");
	if (x.force)
		config->handoff = argv_add(config->handoff, "--force");
	if (!x.dry_run) {
		context_check(&x.context, true);
		got = status_lock(&x.lock, x.context.dir.state_fd, x.issue,
		    LOCK_ENDING);
		if (got == 0)
			fatalx("cannot hand off issue '%s': process %ld%s acts "
			    "on it; end that one first", x.issue,
			    (long)x.lock.holder, proc_read(&p,
			    x.lock.holder) == 0 && p.stopped ?
			    ", which is stopped," : "");
		if (got == -1)
			fatal("cannot lock issue '%s' in '%s'", x.issue,
			    x.context.dir.path);
		byhand_read(&x);        /* it may have changed until the lock */
	}
	/* The record may be older than the agent's end. */
	place = &x.record.place;
	if (!state_reported(x.record.verdict.state) &&
	    !status_over(&x.record) && place->socket != NULL &&
	    !proc_boot_over(x.record.boot) &&
	    proc_alive(place->pane_pid, place->pane_start)) {
		warnx("issue '%1$s' is not handed off: its run is %2$s; "
		    "'paneward stop %1$s' ends it", x.issue,
		    state_name(x.record.verdict.state));
		return EXIT_NO;
	}
	out = tmpfile();
	if (out == NULL)
		fatal("cannot make a file for the output of the hand-off");
	a.out = fileno(out);
	fcntl(a.out, F_SETFD, FD_CLOEXEC);
	return byhand_run(&x, &a);
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

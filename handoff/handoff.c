/*
 * handoff.c - the hand-off: its runner, and the command by hand.
 *
 * The runner is a process of its own that keeps the issue's lock, so that what
 * became of a hand-off is written down whoever is killed beside it.
 */
#include "handoff/runner.h"
#include "run/handoffstate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/command.h"
#include "base/msg.h"
#include "handoff/attempt.h"
#include "os/lock.h"
#include "os/proc.h"
#include "os/usercommand.h"
#include "run/sigfile.h"
#include "handoff/commands.h"

/* ---- the runner ---------------------------------------------------------- */

enum { OPTION_LOCK = OPTION_LONG, OPTION_ALIVE, OPTION_AGAIN };

static const struct command_option runner_options[] = {
	{ OPTION_LOCK, "lock", "N", "the descriptor of the lock" },
	{ OPTION_ALIVE, "alive", "N", "one that is closed at the end" },
	{ OPTION_AGAIN, "again", NULL, "it could not be begun before" },
	CONTEXT_OPTION,
	{ 0 }
};

static int
run_open(struct attempt *a)
{
	struct handoff *h = &a->record->handoff;

	attempt_recover(a);
	if (!handoff_open(h))
		return status_write(a->record, a->context->dir.state_fd);
	return attempt_run(a);
}

static int
runner_run(const struct command *c, int argc, char **argv)
{
	struct context context;
	struct status record;
	struct attempt a = { .context = &context, .record = &record,
	    .out = -1 };
	struct lock lock = LOCK_INIT;
	const char *status_dir = NULL, *issue;
	int key, alive = -1;

	while ((key = command_option(c, argc, argv)) != -1) {
		if (key == OPTION_LOCK)
			lock.fd = (int)command_number(c, "--lock", optarg, 0,
			    1 << 20);
		else if (key == OPTION_ALIVE)
			alive = (int)command_number(c, "--alive", optarg, 0,
			    1 << 20);
		else if (key == OPTION_AGAIN)
			a.again = true;
		else
			status_dir = optarg;
	}
	if (argc - optind < 2 || lock.fd == -1 || alive == -1)
		command_usage(c, "is run by paneward itself");
	/* Neither is the command's. */
	fcntl(lock.fd, F_SETFD, FD_CLOEXEC);
	fcntl(alive, F_SETFD, FD_CLOEXEC);
	issue = command_issue(c, argv[optind]);
	context_open(&context, status_dir, false);
	argv_free(context.config.handoff);
	context.config.handoff = usercommand_words(
	    (const char *const *)argv + optind + 1, NULL);
	lock_mark(&lock);
	if (!lock_counts(&lock, context.dir.state_fd, issue) ||
	    status_read(&record, context.dir.state_fd, issue) != 1)
		return EXIT_COULD_NOT;
	return run_open(&a) == 0 ? EXIT_DONE : EXIT_COULD_NOT;
}

const struct command handoffrun_command = {
	.name = "handoff-run",
	.arguments = "-- ISSUE WORD...",
	.options = runner_options,
	.run = runner_run,
};

/* ---- by hand ------------------------------------------------------------- */

enum { OPTION_DRY_RUN = 'n', OPTION_FORCE = 'f', OPTION_HANDOFF = OPTION_LONG };

static const struct command_option options[] = {
	{ OPTION_DRY_RUN, "dry-run", NULL, "passed on; nothing is written "
	    "down" },
	{ OPTION_FORCE, "force", NULL, "passed on" },
	{ OPTION_HANDOFF, "handoff", "COMMAND", "another command than the "
	    "configured one" },
	CONTEXT_OPTION,
	{ 0 }
};

struct by_hand {
	const char *issue, *handoff;
	const char *options[3];         /* for the command, NULL-ended */
	bool        dry_run;
	struct context context;
	struct status record;
	struct lock lock;
};

static const char *
parse(struct by_hand *x, const struct command *c, int argc, char **argv)
{
	const char *status_dir = NULL;
	bool force = false;
	size_t n = 0;
	int key;

	while ((key = command_option(c, argc, argv)) != -1) {
		switch (key) {
		case OPTION_DRY_RUN: x->dry_run = true; break;
		case OPTION_FORCE: force = true; break;
		case OPTION_HANDOFF: x->handoff = optarg; break;
		case CONTEXT_KEY: status_dir = optarg; break;
		}
	}
	if (argc - optind != 1)
		command_usage(c, "takes one issue");
	x->issue = command_issue(c, argv[optind]);
	if (x->dry_run)
		x->options[n++] = "--dry-run";
	if (force)
		x->options[n++] = "--force";
	return status_dir;
}

static void
read_record(struct by_hand *x)
{
	int found;

	status_release(&x->record);
	found = status_read(&x->record, x->context.dir.state_fd, x->issue);
	if (found == -1)
		fatal("cannot read the status record of issue '%s' in '%s'",
		    x->issue, x->context.dir.path);
	if (found == 0)
		fatalx("cannot hand off issue '%s': there is no record of it "
		    "in '%s'", x->issue, x->context.dir.path);
}

/* Is nobody at work on it any more?  The record may be from before the end. */
static bool
is_over(const struct status *r)
{
	const struct pane_ref *p = &r->place;
	char boot[PROC_BOOT];

	if (state_ended(r->verdict.state) || state_reported(r->verdict.state) ||
	    r->ended || p->socket == NULL)
		return true;
	proc_boot(boot);
	return proc_boot_differs(boot, r->boot) ||
	    !proc_alive(p->pane_pid, p->pane_start);
}

static void
take_lock(struct by_hand *x)
{
	struct proc p;

	switch (lock_await(&x->lock, x->context.dir.state_fd, x->issue,
	    LOCK_ENDING)) {
	case 1:
		return;
	case 0:
		fatalx("cannot hand off issue '%s': process %ld%s acts on it; "
		    "end that one first", x->issue, (long)x->lock.holder,
		    proc_read(&p, x->lock.holder) == 0 && p.stopped ?
		    ", which is stopped," : "");
	default:
		fatal("cannot lock issue '%s' in '%s'", x->issue,
		    x->context.dir.path);
	}
}

/* What the command printed, line by line, as it can be shown. */
static void
show_output(int fd)
{
	struct buf text = BUF_INIT, shown = BUF_INIT;
	const char *p, *end;
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, buf_room(&text, 65536), 65536)) > 0 &&
	    text.len < 1 << 20)
		text.len += (size_t)n;
	for (p = text.data; p != NULL && p < text.data + text.len; p = end + 1) {
		end = memchr(p, '\n', (size_t)(text.data + text.len - p));
		if (end == NULL)
			end = text.data + text.len;
		buf_reset(&shown);
		msg_escape(&shown, p, (size_t)(end - p));
		puts(buf_str(&shown));
	}
	buf_release(&text);
	buf_release(&shown);
}

/* Of one that is open, also when it goes on. */
static void
tell_end(const struct by_hand *x, const struct attempt *a, bool open)
{
	const struct handoff *h = &x->record.handoff;
	struct buf text = BUF_INIT;

	if (a->interrupted)
		buf_printf(&text, "hand-off interrupted, attempt %u",
		    h->attempts);
	else if (open)
		handoff_describe(&text, h);
	else
		handoff_describe_end(&text, h);
	printf("%s %s\n", x->issue, buf_str(&text));
	buf_release(&text);
}

static int
exit_of(int status)
{
	if (status == 0)
		return EXIT_DONE;
	return status == HANDOFF_LATER ? EXIT_NO : EXIT_HANDOFF;
}

static int
try_it(struct by_hand *x, struct attempt *a)
{
	int status = attempt_try(a);

	if (status == -1)
		fatal("cannot run the hand-off of issue '%s'", x->issue);
	show_output(a->out);
	return exit_of(status);
}

static int
run_it(struct by_hand *x, struct attempt *a)
{
	struct handoff *h = &x->record.handoff;
	bool open;

	attempt_recover(a);
	open = handoff_open(h);
	memcpy(h->id, x->record.run, sizeof(h->id));
	if (attempt_run(a) == -1)
		return EXIT_COULD_NOT;
	show_output(a->out);
	tell_end(x, a, open);
	return a->interrupted ? EXIT_HANDOFF : exit_of(h->last_exit);
}

static int
handoff_run(const struct command *c, int argc, char **argv)
{
	struct by_hand x = { .lock = LOCK_INIT };
	struct attempt a = { .context = &x.context, .record = &x.record,
	    .options = x.options };
	const char *status_dir = parse(&x, c, argc, argv);
	struct buf error = BUF_INIT;
	FILE *out;

	context_open(&x.context, status_dir, false);
	if (runner_choose(&x.context.config, x.handoff, false, &error) == -1)
		fatal_usage("%s", buf_str(&error));
	if (!runner_wanted(&x.context.config))
		fatal_usage("cannot hand off issue '%s': no command is "
		    "configured; see 'handoff' in the configuration", x.issue);
	read_record(&x);
	if (!x.dry_run) {
		context_claim(&x.context);
		take_lock(&x);
		read_record(&x);
	}
	if (!is_over(&x.record)) {
		warnx("issue '%s' is not handed off: its run is %s; end its "
		    "pane first", x.issue, state_name(x.record.verdict.state));
		return EXIT_NO;
	}
	out = tmpfile();
	if (out == NULL)
		fatal("cannot make a file for the output of the hand-off");
	a.out = fileno(out);
	fcntl(a.out, F_SETFD, FD_CLOEXEC);
	return x.dry_run ? try_it(&x, &a) : run_it(&x, &a);
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

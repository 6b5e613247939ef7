/*
 * wait.c - blocks until issues have reached a state.
 *
 * Only the status records are looked at, whoever writes them.  They are put in
 * their place by renaming, which wakes us.  A slow tick looks at all of them,
 * for what the kernel may not tell, and would be enough alone.  So it makes no
 * difference whether something happened before we came, or who makes it
 * happen; and nothing is done that could disturb it.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/command.h"
#include "base/msg.h"
#include "run/context.h"
#include "run/report.h"
#include "watcher/commands.h"
#include "watcher/settle.h"

enum {
	OPTION_ANY = 'a', OPTION_UNTIL = 'u', OPTION_TIMEOUT = 't',
	OPTION_JSON = 'j',
	TICK = 30 * 1000,               /* milliseconds */
	LONGEST = 366 * 86400,          /* seconds of a timeout */
	WAIT_MOST = 1000                /* issues */
};

static const struct command_option options[] = {
	{ OPTION_ANY, "any", NULL, "one of the issues is enough" },
	{ OPTION_UNTIL, "until", "STATE,...", "what to wait for "
	    "(complete,error,dead,gone)" },
	{ OPTION_TIMEOUT, "timeout", "SEC", "then 124; 0: look once" },
	{ OPTION_JSON, "json", NULL, "one JSON object per line" },
	CONTEXT_OPTION,
	{ 0 }
};

struct awaited {
	const char *issue;              /* the argument */
	bool        marked;             /* its record is to be looked at */
	bool        told;               /* that it cannot be read, or is not
					   there */
	bool        settled;            /* for good, whatever comes */
	int         exit;               /* then */
};

struct wait {
	struct context  context;
	struct notify  *notify;
	int             dir_watch, own_watch;   /* of the status directory */
	struct awaited *issues;
	size_t          n, settled;
	unsigned        until;                  /* 1 << enum state */
	bool            any, json;
	bool            told_directory;
	msec            now, tick_at, end;
};

/* ---- what happened ------------------------------------------------------- */

/* name is that of a record, or NULL: any of them. */
static void
mark(struct wait *w, const char *name)
{
	char record[STATUS_NAME];
	size_t i;

	for (i = 0; i < w->n; i++) {
		status_name(record, w->issues[i].issue);
		if (name == NULL || strcmp(name, record) == 0)
			w->issues[i].marked = true;
	}
}

static void
told(void *context, int id, enum notify_change change, const char *name)
{
	struct wait *w = context;

	if (change == NOTIFY_LOST)
		w->tick_at = 0;
	else if (id == w->own_watch)
		mark(w, name);
}

static void
watch_directories(struct wait *w)
{
	const struct statusdir *dir = &w->context.dir;
	bool kernel = notify_fd(w->notify) != -1;

	notify_unwatch(w->notify, w->dir_watch);
	notify_unwatch(w->notify, w->own_watch);
	/* Of the status directory itself, that it is moved. */
	w->dir_watch = notify_watch_renames(w->notify, dir->fd);
	w->own_watch = notify_watch_renames(w->notify, dir->state_fd);
	if (kernel && notify_fd(w->notify) == -1)
		context_look(w->notify, ENOSPC);
}

static void
tick(struct wait *w)
{
	w->tick_at = w->now + TICK;
	if (context_renew(&w->context, &w->told_directory))
		watch_directories(w);
	mark(w, NULL);
}

/* ---- what follows -------------------------------------------------------- */

static void
settle(struct wait *w, struct awaited *a, const struct status *record,
    int status)
{
	a->settled = true;
	a->exit = status;
	w->settled++;
	if (status == EXIT_HANDOFF)
		report_print_handoff(record, w->json);
	else
		report_print_state(record, w->json);
}

static void
look(struct wait *w, struct awaited *a)
{
	struct status record;
	int found, status;

	a->marked = false;
	found = status_read(&record, w->context.dir.state_fd, a->issue);
	if (found != 1 && !a->told) {
		if (found == -1)
			warn("cannot read the status record of issue '%s' in "
			    "'%s'", a->issue, w->context.dir.path);
		else
			warnx("there is no record of issue '%s' in '%s' yet",
			    a->issue, w->context.dir.path);
		a->told = true;
	}
	status = settle_exit(&record, w->until);
	if (status != -1)
		settle(w, a, &record, status);
	status_release(&record);
}

/* Looks at what is marked.  Is there nothing left to wait for? */
static bool
turn(struct wait *w)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		if (w->issues[i].marked && !w->issues[i].settled)
			look(w, &w->issues[i]);
	return w->settled == w->n || (w->any && w->settled > 0);
}

/* ---- waiting ------------------------------------------------------------- */

static msec
deadline(const struct wait *w)
{
	msec least = w->tick_at < w->end ? w->tick_at : w->end;

	if (notify_fd(w->notify) == -1 &&
	    w->now + notify_period(w->notify) < least)
		least = w->now + notify_period(w->notify);
	return least;
}

static void
doze(struct wait *w)
{
	struct pollfd p = { .fd = notify_fd(w->notify), .events = POLLIN };
	int ready = poll(&p, 1, clock_until(deadline(w), w->now));

	if (ready == -1 && errno != EINTR)
		fatal("cannot wait");
	w->now = clock_now();
	if (ready > 0 || p.fd == -1)
		notify_read(w->notify, told, w);
	/* At the end everything is looked at once more. */
	if (w->now >= w->tick_at || w->now >= w->end)
		tick(w);
}

static int
loop(struct wait *w)
{
	int status = EXIT_DONE;
	size_t i;

	while (!turn(w)) {
		if (w->now >= w->end) {
			status = EXIT_TIMEOUT;
			break;
		}
		doze(w);
	}
	for (i = 0; i < w->n; i++)
		status = settle_both(status, w->issues[i].exit);
	return status;
}

/* ---- the command --------------------------------------------------------- */

/* An issue that is named twice is one. */
static void
add_issue(struct wait *w, const char *issue)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		if (strcmp(w->issues[i].issue, issue) == 0)
			return;
	w->issues[w->n++] = (struct awaited){ .issue = issue, .marked = true };
}

static const char *
parse(struct wait *w, const struct command *c, int argc, char **argv)
{
	const char *status_dir = NULL, *until = "complete,error,dead,gone";
	int key;

	w->end = CLOCK_NEVER;
	w->now = clock_now();
	while ((key = command_option(c, argc, argv)) != -1) {
		switch (key) {
		case OPTION_ANY: w->any = true; break;
		case OPTION_UNTIL: until = optarg; break;
		case OPTION_JSON: w->json = true; break;
		case CONTEXT_KEY: status_dir = optarg; break;
		case OPTION_TIMEOUT:
			w->end = w->now + command_number(c, "--timeout",
			    optarg, 0, LONGEST) * (msec)1000;
			break;
		}
	}
	w->until = settle_states(c, "--until", until);
	if (optind == argc)
		command_usage(c, "takes an issue");
	if (argc - optind > WAIT_MOST)
		command_usage(c, "takes at most %d issues", WAIT_MOST);
	w->issues = xcalloc((size_t)(argc - optind), sizeof(*w->issues));
	for (; optind < argc; optind++)
		add_issue(w, command_issue(c, argv[optind]));
	return status_dir;
}

static int
wait_run(const struct command *c, int argc, char **argv)
{
	struct wait w = { .dir_watch = -1, .own_watch = -1 };
	const char *status_dir = parse(&w, c, argc, argv);
	int status;

	/* It must be there to be watched; who only looks leaves no trace. */
	context_open(&w.context, status_dir, w.end > w.now);
	w.notify = context_notify();
	if (w.context.dir.state_fd != -1)
		watch_directories(&w);
	w.tick_at = w.now + TICK;
	status = loop(&w);
	notify_free(w.notify);
	context_close(&w.context);
	free(w.issues);
	return status;
}

const struct command wait_command = {
	.name = "wait",
	.summary = "Wait until issues have reached a state",
	.arguments = "ISSUE...",
	.examples =
	"  paneward wait 41 42 43 && echo 'all done'\n"
	"  paneward wait 41 42 43 --any --timeout 3600\n"
	"  paneward wait 42 --until asking,waiting,complete,error,dead,gone\n",
	.options = options,
	.run = wait_run,
};

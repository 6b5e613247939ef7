/*
 * wait.c - blocks until issues have reached a state.
 *
 * Renamed status records wake it.  A slow tick reads all, since the kernel may
 * miss some.
 */
#include "paneward.h"
#include "watcher/track.h"

/* ms; seconds of a timeout; issues */
enum { TICK = 30 * 1000, LONGEST = 366 * 86400, WAIT_MOST = 1000 };

struct awaited {
	const char *issue;
	bool        marked, warned;
	int         exit;               /* once settled; -1 */
};

struct waiting {
	const char     *status_dir, *until_states;
	long            timeout;
	bool            any, json;
	struct watch    watch;          /* of a site without tracks */
	struct site    *site;
	struct awaited *issues;
	size_t          n;
	unsigned        until;
	msec            now, tick_at, end;
};

static const struct command_option options[] = {
	{ 'a', "any", NULL, "end when one issue is settled",
	    FLAG_AT(struct waiting, any) },
	{ 'u', "until", "STATE,...", "what to wait for "
	    "(complete,error,dead,gone)",
	    TEXT_AT(struct waiting, until_states) },
	{ 't', "timeout", "SEC", "then exit 124; 0: check once",
	    NUMBER_AT(struct waiting, timeout, 0, LONGEST) },
	JSON_AT(struct waiting, json, "one JSON object per line"),
	CONTEXT_OPTION_AT(struct waiting, status_dir),
	{ 0 }
};

static void
wait_changed(void *context, int id, enum notify_change change, const char *name)
{
	struct waiting *w = context;
	size_t i;

	if (change == NOTIFY_LOST)
		w->tick_at = 0;
	for (i = 0; id == w->site->state_watch && i < w->n; i++)
		if (name == NULL || strcmp(name,
		    ISSUE_NAME(w->issues[i].issue, "json")) == 0)
			w->issues[i].marked = true;
}

static void
wait_check(struct waiting *w, struct awaited *a)
{
	const struct statusdir *dir = &w->site->context.dir;
	int found;
	const struct queued *q;
	struct queued_list l;
	struct status record;

	a->marked = false;
	if (queued_read(&l, dir->state_fd) == -1 && !file_refused(errno)) {
		if (!a->warned)
			warn("cannot read the queued issues in '%s'",
			    dir->path);
		a->warned = true;
		return;
	}
	found = status_read(&record, dir->state_fd, a->issue);
	/* Until its run comes, its record is an older one. */
	q = queued_find(&l, a->issue);
	if (q != NULL && !queued_started(q, &record))
		goto out;
	if (found != 1 && !a->warned) {
		if (found == -1)
			warn("cannot read the status record of issue '%s' in "
			    "'%s'", a->issue, dir->path);
		else
			warnx("there is no record of issue '%s' in '%s' yet",
			    a->issue, dir->path);
		a->warned = true;
	}
	a->exit = settle_exit(&record, w->until);
	if (a->exit != -1)
		report_print(&record, NULL, a->exit == EXIT_HANDOFF, w->json);
out:
	status_release(&record);
	queued_release(&l);
}

static int
wait_run(const struct command *c, int argc, char **argv)
{
	struct waiting w = { .timeout = -1, .end = CLOCK_NEVER,
	    .until_states = "complete,error,dead,gone" };
	struct context *context;
	struct notify *n;
	int status = EXIT_DONE;
	const char *issue;
	size_t i, settled;
	msec until;

	w.now = clock_now();
	command_option(c, argc, argv, &w);
	if (w.timeout != -1)
		w.end = w.now + w.timeout * (msec)1000;
	w.until = command_states(c, "--until", w.until_states);
	if (argc - optind > WAIT_MOST)
		command_usage(c, "takes at most %d issues", WAIT_MOST);
	w.issues = xcalloc((size_t)(argc - optind), sizeof(*w.issues));
	for (; optind < argc; optind++) {
		issue = command_issue(c, argv[optind]);
		for (i = 0; i < w.n; i++)
			if (strcmp(w.issues[i].issue, issue) == 0)
				break;
		if (i == w.n)
			w.issues[w.n++] = (struct awaited){ .issue = issue,
			    .marked = true, .exit = -1 };
	}
	/* A single check does not make the directory. */
	w.site = site_new(&w.watch, &w.watch.sites);
	context = &w.site->context;
	context_open(context, w.status_dir, w.end > w.now);
	w.watch.notify = n = context_notify();
	if (context->dir.state_fd != -1)
		site_watch(w.site, NOTIFY_RENAMES);
	w.tick_at = w.now + TICK;
	for (;;) {
		for (i = settled = 0; i < w.n; i++) {
			if (w.issues[i].marked && w.issues[i].exit == -1)
				wait_check(&w, &w.issues[i]);
			settled += w.issues[i].exit != -1;
		}
		if (settled == w.n || (w.any && settled > 0))
			break;
		if (w.now >= w.end) {
			status = EXIT_TIMEOUT;
			break;
		}
		until = clock_sooner(w.tick_at, w.end);
		if (n->fd == -1)
			until = clock_sooner(until, w.now + n->period);
		loop_await(n->fd, POLLIN, until);
		w.now = clock_now();
		notify_read(n, wait_changed, &w);
		/* The timeout reads everything once more. */
		if (w.now < w.tick_at && w.now < w.end)
			continue;
		w.tick_at = w.now + TICK;
		if (context_renew(context, &w.site->warned_directory))
			site_watch(w.site, NOTIFY_RENAMES);
		for (i = 0; i < w.n; i++)
			w.issues[i].marked = true;
	}
	for (i = 0; i < w.n; i++)
		status = settle_both(status, w.issues[i].exit);
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

/*
 * revive.c - brings back the runs whose pane was lost.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/command.h"
#include "base/msg.h"
#include "base/text.h"
#include "chain/detectors.h"
#include "os/compat.h"
#include "os/loop.h"
#include "os/spawn.h"
#include "project/context.h"
#include "project/registry.h"
#include "project/schedule.h"
#include "watcher/commands.h"
#include "watcher/newpane.h"
#include "watcher/revival.h"

enum {
	REVIVE_MOMENT = 3000,           /* ms in which an agent that refuses its
					   session ends, */
	REVIVE_PAUSE = 50,              /* and between two looks */
	REVIVE_LINES = 5,               /* of its log that are shown */
	OPTION_ALL = 'a', OPTION_DRY_RUN = 'n', OPTION_PROMPT = 'p',
	OPTION_NO_WATCH = OPTION_LONG, OPTION_SYSTEMD, OPTION_LAUNCHD
};

static const struct command_option options[] = {
	{ OPTION_ALL, "all", NULL, "the runs of all your projects" },
	{ OPTION_DRY_RUN, "dry-run", NULL, "print what would be done; write "
	    "nothing" },
	{ OPTION_PROMPT, "prompt", "TEXT", "what the agents are told; without "
	    "it they wait at their prompt" },
	{ OPTION_NO_WATCH, "no-watch", NULL, "start no watcher" },
	{ OPTION_SYSTEMD, "print-systemd", NULL, "print a systemd user service "
	    "that does it at login, and do nothing else" },
	{ OPTION_LAUNCHD, "print-launchd", NULL, "the same for launchd" },
	CONTEXT_OPTION,
	{ 0 }
};

struct revive {
	const char *self;               /* the path of this program */
	const char *prompt, *status_dir;
	bool   all, dry_run, watch;
	char **issues;                  /* NULL-ended; empty: all that can be */
	struct backends backends;
	enum exit_status status;
};

/* ---- one run ------------------------------------------------------------- */

static void
revive_print(const struct revive *x, const struct revival *v, const char *does)
{
	const char *root = v->context->project.root;
	struct buf text = BUF_INIT;

	if (x->all)
		msg_escape(&text, root, strlen(root));
	printf("%s%s%s: %s", buf_str(&text), x->all ? " " : "",
	    v->issue, does);
	buf_reset(&text);
	if (v->why.len > 0) {
		msg_escape(&text, v->why.data, v->why.len);
		printf(": %s\n", buf_str(&text));
	} else {
		resume_describe(&v->resume, &text);
		printf(" %s\n", buf_str(&text));
	}
	buf_release(&text);
	fflush(stdout);
}

static bool
revive_one(struct revive *x, struct revival *v)
{
	const struct status *r = &v->record;

	if (!revival_run(v)) {
		revive_print(x, v, "left alone");
		x->status = EXIT_COULD_NOT;
		return false;
	}
	printf("%s: revived in session %s, pane %s (run %s)\n", v->issue,
	    r->session_name, r->place.pane, r->run);
	fflush(stdout);
	if (x->watch && !newpane_left(v->context))
		newpane_watch(x->self, v->context, v->issue);
	return true;
}

/* A client that refuses the session ends at once.  If the agent does before
 * that time, shows what it printed last. */
static void
revive_await(struct revive *x, struct revival *v, msec until)
{
	struct spawn log = SPAWN_INIT;
	const char *line;
	bool died;
	int n = 0;

	while (!(died = revival_died(v)) && clock_now() < until &&
	    v->record.verdict.state == STATE_WORKING)
		loop_pause(REVIVE_PAUSE);
	if (!died)
		return;
	x->status = EXIT_COULD_NOT;
	loop_pause(EVIDENCE_SILENCE);   /* the log is a moment behind */
	spawn_run(&log, &(struct spawn_how){ .limit = 10000,
	    .argv = WORDS(x->self, "log", v->issue, "--status-dir",
	    v->context->dir.path) });
	buf_chomp(&log.output);
	line = buf_str(&log.output) + log.output.len;
	while (line > log.output.data && (line[-1] != '\n' ||
	    ++n < REVIVE_LINES))
		line--;
	warnx("the agent of issue '%s' has ended already%s", v->issue,
	    *line != '\0' ? "; it printed last:" : "");
	if (*line != '\0')
		fprintf(stderr, "%s\n", line);
	spawn_release(&log);
}

/* ---- one project --------------------------------------------------------- */

struct revive_names {
	int    state_fd;
	char **issues;
};

static void
revive_take_name(void *context, const char *name)
{
	struct revive_names *n = context;
	char issue[ISSUE_MAX + 1];

	if (status_named(n->state_fd, name, issue))
		n->issues = argv_add(n->issues, issue);
}

static int
revive_order(const void *a, const void *b)
{
	return text_order(*(char *const *)a, *(char *const *)b);
}

/* Those with a record, or those that were named. */
static char **
revive_issues(const struct revive *x, const struct context *c)
{
	struct revive_names n = { .state_fd = c->dir.state_fd,
	    .issues = xcalloc(1, sizeof(char *)) };

	if (x->issues[0] != NULL)
		return argv_add_all(n.issues, (const char *const *)x->issues);
	if (n.state_fd != -1 &&
	    statusdir_names(n.state_fd, revive_take_name, &n) == -1)
		fatal("cannot read the status directory '%s'", c->dir.path);
	qsort(n.issues, argv_count(n.issues), sizeof(char *), revive_order);
	return n.issues;
}

/* All are shown first. */
static void
revive_project(struct revive *x, struct context *c)
{
	char **issues = revive_issues(x, c);
	size_t i, n = argv_count(issues);
	struct revival v = { .self = x->self, .prompt = x->prompt,
	    .backends = &x->backends, .context = c,
	    .named = x->issues[0] != NULL };
	bool *wanted = xcalloc(n + 1, sizeof(*wanted));
	msec until;

	for (i = 0; i < n; i++) {
		v.issue = issues[i];
		wanted[i] = revival_plan(&v);
		if (wanted[i])
			revive_print(x, &v, x->dry_run ?
			    "would revive" : "revives");
		else if (v.named || !v.over)
			revive_print(x, &v, "left alone");
		if (!wanted[i] && v.named)
			x->status = EXIT_COULD_NOT;
	}
	for (i = 0; i < n && !x->dry_run; i++) {
		v.issue = issues[i];
		wanted[i] = wanted[i] && revive_one(x, &v);
	}
	v.named = true;
	until = clock_now() + REVIVE_MOMENT;
	for (i = 0; i < n && !x->dry_run && x->watch; i++) {
		v.issue = issues[i];
		if (wanted[i])
			revive_await(x, &v, until);
	}
	revival_release(&v);
	argv_free(issues);
	free(wanted);
}

static void
revive_all(struct revive *x)
{
	char **paths = registry_directories(), **p;
	struct context c;
	struct buf why = BUF_INIT;

	if (paths == NULL && errno != 0)
		fatal("cannot read which projects there are");
	for (p = paths; p != NULL && *p != NULL; p++) {
		buf_reset(&why);
		if (context_at(&c, *p, &why) != EXIT_DONE) {
			warnx("'%s' is left out: %s", *p, buf_str(&why));
			x->status = EXIT_COULD_NOT;
			continue;
		}
		revive_project(x, &c);
		context_close(&c);
	}
	argv_free(paths);
	buf_release(&why);
}

/* ---- the command --------------------------------------------------------- */

static void
revive_parse(struct revive *x, const struct command *c, int argc, char **argv)
{
	struct buf why = BUF_INIT;
	int key, schedule = -1;

	while ((key = command_option(c, argc, argv)) != -1) {
		switch (key) {
		case OPTION_ALL: x->all = true; break;
		case OPTION_DRY_RUN: x->dry_run = true; break;
		case OPTION_PROMPT: x->prompt = optarg; break;
		case OPTION_NO_WATCH: x->watch = false; break;
		case OPTION_SYSTEMD: schedule = SCHEDULE_REVIVE_SYSTEMD; break;
		case OPTION_LAUNCHD: schedule = SCHEDULE_REVIVE_LAUNCHD; break;
		case CONTEXT_KEY: x->status_dir = optarg; break;
		}
	}
	x->issues = argv + optind;
	for (argv = x->issues; *argv != NULL; argv++)
		command_issue(c, *argv);
	if (x->all && (x->issues[0] != NULL || x->status_dir != NULL))
		command_usage(c, "--all takes no issue and no --status-dir");
	if (x->prompt != NULL && x->prompt[0] == '\0')
		command_usage(c, "--prompt is empty");
	if (x->prompt != NULL && !newpane_prompt(x->prompt, NULL, NULL, &why))
		command_usage(c, "%s", buf_str(&why));
	if (schedule != -1) {
		schedule_print((enum schedule_kind)schedule, NULL);
		exit(EXIT_DONE);
	}
}

static int
revive_run(const struct command *c, int argc, char **argv)
{
	struct revive x = { .self = proc_program(), .watch = true };
	struct context context;

	revive_parse(&x, c, argc, argv);
	if (x.self == NULL)
		fatal("cannot find the path of this program");
	if (x.all) {
		revive_all(&x);
		return x.status;
	}
	context_open(&context, x.status_dir, false);
	context_check(&context, false);
	revive_project(&x, &context);
	return x.status;
}

const struct command revive_command = {
	.name = "revive",
	.summary = "Bring lost agents back, with the same conversation",
	.arguments = "[ISSUE...]",
	.examples =
	"  paneward revive --dry-run\n"
	"  paneward revive 42 --prompt \"The machine was restarted; go on.\"\n"
	"  paneward revive --all\n",
	.options = options,
	.run = revive_run,
};

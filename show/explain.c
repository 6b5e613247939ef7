/*
 * explain.c - asks every detector and shows what each one saw.
 *
 * It walks the same chain as the watcher, but reads everything from the
 * beginning of the run, and records nothing.  With --session, files take the
 * place of the living pane, so that a case can be replayed anywhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/command.h"
#include "base/msg.h"
#include "chain/judge.h"
#include "chain/sources.h"
#include "marker/markerwindow.h"
#include "os/file.h"
#include "project/context.h"
#include "run/paneowner.h"
#include "run/queued.h"
#include "run/report.h"
#include "run/restart.h"
#include "run/run.h"
#include "show/commands.h"
#include "show/savedcase.h"
#include "text/json.h"
#include "text/shell.h"
#include "tmux/servers.h"

enum {
	OPTION_JSON = 'j', OPTION_SAVE = OPTION_LONG, OPTION_SESSION,
	OPTION_CAPTURE, OPTION_TRANSCRIPT, OPTION_TITLE, OPTION_COMMAND,
	OPTION_BACKEND, OPTION_CHECK_ERRORS
};

static const struct command_option options[] = {
	{ OPTION_JSON, "json", NULL, "one JSON object per line" },
	{ OPTION_SAVE, "save", "DIR", "write the evidence as a case" },
	{ OPTION_SESSION, "session", "alive|dead", "replay: whether the "
	    "pane exists" },
	{ OPTION_CAPTURE, "capture", "FILE", "replay: the text of the screen" },
	{ OPTION_TRANSCRIPT, "transcript", "FILE", "replay: what the client "
	    "wrote down" },
	{ OPTION_TITLE, "title", "TEXT", "replay: the title of the pane" },
	{ OPTION_COMMAND, "command", "NAME", "replay: the program in front" },
	{ OPTION_BACKEND, "backend", "NAME", "replay: the kind of agent" },
	{ OPTION_CHECK_ERRORS, "check-errors", NULL, "replay: look for errors "
	    "too" },
	CONTEXT_OPTION,
	{ 0 }
};

struct explain {
	const char *issue, *session, *capture_file, *save;
	const char *backend;            /* the option, or NULL */
	const char *title, *foreground, *transcript; /* of a replay, or NULL */
	bool        json;
	bool        errors;             /* are errors looked for? */
	struct context  context;
	struct backends backends;
	struct status   record;         /* run empty: none is known */
	struct sources  sources;
	struct buf      capture;        /* its text */
	struct servers  servers;
	struct server_pane at;          /* the pane, if it is there, */
	enum pane_life life;            /* and what became of it */
};

/* ---- printing ------------------------------------------------------------ */

static void
print_object(cJSON *o)
{
	struct buf line = BUF_INIT;

	json_print(&line, o);
	puts(buf_str(&line));
	buf_release(&line);
	json_free(o);
}

static void
print_detector(void *context, const struct detector *d,
    const struct evidence *ev, const struct verdict *answer)
{
	struct explain *x = context;
	struct buf saw = BUF_INIT, shown = BUF_INIT;
	cJSON *o;

	d->describe(&x->sources, ev, &saw);
	msg_escape(&shown, saw.data, saw.len);
	if (x->json) {
		o = json_new_object();
		json_add_text(o, "detector", d->name);
		json_add_text(o, "answer", answer ? state_name(answer->state) :
		    "none");
		json_add_text(o, "why", buf_str(&shown));
		print_object(o);
	} else {
		printf("%-10s %-9s %s\n", d->name,
		    answer ? state_name(answer->state) : "-",
		    buf_str(&shown));
	}
	buf_release(&saw);
	buf_release(&shown);
}

/* A report stays true when its signal is gone and the screen has changed; only
 * a completion can follow an error. */
static void
prefer_record(struct explain *x, struct verdict *v)
{
	const struct status *r = &x->record;
	char since[CLOCK_TEXT];

	if (x->session != NULL || !state_reported(r->verdict.state) ||
	    v->state == STATE_COMPLETE)
		return;
	clock_format(since, r->since);
	*v = r->verdict;
	verdict_why(v, "recorded %s: %s", since, r->verdict.why);
}

static void
print_verdict(const struct explain *x, const struct verdict *v)
{
	bool none = v->state == STATE_NONE;
	struct buf back = BUF_INIT;
	cJSON *o;

	if (x->json) {
		o = json_new_object();
		json_add_text(o, "verdict", state_name(v->state));
		if (none)
			json_add_null(o, "source");
		json_add_text(o, "source", none ? NULL : verdict_source(v));
		json_add_text(o, "why", none ? NULL : v->why);
		json_add_text(o, "message", v->message[0] ? v->message : NULL);
		print_object(o);
	} else if (none) {
		printf("verdict: none (no detector could decide)\n");
	} else {
		printf("verdict: %s%s%s: %s%s%s\n", state_name(v->state),
		    v->source[0] ? ", by " : "", v->source, v->why,
		    v->message[0] ? ": " : "", v->message);
		if (report_way_back(&back, &x->record, v->state))
			printf("way out: %s\n", buf_str(&back));
	}
	buf_release(&back);
}

/* ---- the evidence -------------------------------------------------------- */

/* Without a recorded pane: the only one that belongs to the issue. */
static void
explain_pane(struct explain *x)
{
	struct paneowner_rules rules = paneowner_open(&x->context);
	struct server_pane found;

	if (paneowner_find(&x->servers, &rules, x->issue,
	    run_of_panes(&x->record), &found, 1) == 1) {
		x->at = found;
		x->life = found.pane->dead ? PANE_DEAD : PANE_LIVES;
	}
	pattern_free(rules.pattern);
}

/* The pane as tmux has it. */
static void
read_pane(struct explain *x)
{
	const struct pane_ref *p = &x->record.place;
	struct tmux_server *t;
	const struct tmux_capture *c;
	struct sources *s = &x->sources;

	if (p->socket != NULL)
		servers_add(&x->servers, p->socket);
	else
		servers_add_usual(&x->servers, x->context.config.sockets);
	servers_ask(&x->servers, false);
	x->life = run_life(&x->servers, &x->record, &x->at);
	if (p->socket == NULL)
		explain_pane(x);
	/* Without a server there is no pane to know of. */
	for (t = x->servers.server; t < x->servers.server + x->servers.n; t++)
		if (s->trouble == NULL && t->why.len > 0 &&
		    t->result != TMUX_OK && (x->life == PANE_SILENT ||
		    (x->life == PANE_NONE && t->result != TMUX_NO_SERVER)))
			s->trouble = buf_str(&t->why);
	s->blind = x->life == PANE_NONE && (x->record.run[0] == '\0' ||
	    s->trouble != NULL);
	if (x->at.pane == NULL)
		return;
	servers_want(&x->servers, &x->at);
	servers_capture(&x->servers);
	if ((c = servers_captured(&x->at)) != NULL) {
		s->text = c->text;
		s->text_len = c->len;
	}
	s->title = x->at.pane->title;
	s->foreground = x->at.pane->command;
}

/* Is there a record, a file or a pane of the issue?  A server that does not
 * answer may have one. */
static bool
explain_known(const struct explain *x)
{
	const struct statusdir *dir = &x->context.dir;
	msec oldest;

	return x->record.run[0] != '\0' || x->at.pane != NULL ||
	    x->sources.trouble != NULL ||
	    run_oldest(dir, x->issue, &oldest) ||
	    events_unread(dir->state_fd, x->issue, 0);
}

/* The files that take the pane's place. */
static void
read_replay(struct explain *x)
{
	struct sources *s = &x->sources;

	if (strcmp(x->session, "dead") == 0)
		x->life = PANE_GONE;
	else
		x->life = s->foreground != NULL ? PANE_LIVES : PANE_NONE;
	s->blind = x->life == PANE_NONE;
	s->replay = true;
	x->record.tokens = (struct token_count){ .read = 0 };
	if (x->transcript != NULL)
		s->transcript_path = xrealpath(x->transcript);
	if (x->transcript != NULL && s->transcript_path == NULL)
		fatal("cannot read the transcript '%s'", x->transcript);
	if (x->capture_file == NULL)
		return;
	if (file_read(AT_FDCWD, x->capture_file, 0, &x->capture,
	    MARKER_WINDOW_MAX) == -1)
		fatal("cannot read the capture '%s'", x->capture_file);
	s->text = buf_str(&x->capture);
	s->text_len = x->capture.len;
}

/* The kind of agent; of a replay only if the option or the record names it. */
static void
find_backend(struct explain *x)
{
	struct buf error = BUF_INIT;

	if (x->record.backend == NULL &&
	    (x->session != NULL || x->at.pane == NULL))
		return;
	if (sources_backend(&x->sources, &x->backends, x->sources.foreground,
	    x->context.config.backend, &error) == -1)
		fatal_usage("explain: %s", buf_str(&error));
}

/* ---- an issue that waits for its start ----------------------------------- */

/* There is no evidence of it yet.  False: it does not wait. */
static bool
explain_queued(const struct explain *x)
{
	int state_fd = x->context.dir.state_fd;
	struct queued_list l;
	const struct queued *q;
	struct status r;
	bool waits;

	if (queued_read(&l, state_fd) == -1)
		warn("cannot read the queued issues in '%s'",
		    x->context.dir.path);
	q = queued_find(&l, x->issue);
	waits = q != NULL && !queued_started(q, &x->record);
	if (waits) {
		queued_record(&l, q, state_fd, &r);
		print_verdict(x, &r.verdict);
		status_release(&r);
	}
	queued_release(&l);
	return waits;
}

/* ---- the command --------------------------------------------------------- */

static const char *
explain_options(struct explain *x, const struct command *c, int argc,
    char **argv)
{
	const char *status_dir = NULL;
	int key;

	while ((key = command_option(c, argc, argv)) != -1) {
		switch (key) {
		case OPTION_JSON: x->json = true; break;
		case OPTION_SAVE: x->save = optarg; break;
		case OPTION_SESSION: x->session = optarg; break;
		case OPTION_CAPTURE: x->capture_file = optarg; break;
		case OPTION_TRANSCRIPT: x->transcript = optarg; break;
		case OPTION_TITLE: x->title = optarg; break;
		case OPTION_COMMAND: x->foreground = optarg; break;
		case OPTION_BACKEND: x->backend = optarg; break;
		case OPTION_CHECK_ERRORS: x->errors = true; break;
		case CONTEXT_KEY: status_dir = optarg; break;
		}
	}
	if (argc - optind != 1)
		command_usage(c, "takes one issue");
	x->issue = command_issue(c, argv[optind]);
	if (x->session != NULL && strcmp(x->session, "alive") != 0 &&
	    strcmp(x->session, "dead") != 0)
		command_usage(c, "--session '%s' is neither 'alive' nor "
		    "'dead'", x->session);
	if (x->session == NULL && (x->capture_file != NULL || x->errors ||
	    x->title != NULL || x->transcript != NULL ||
	    x->foreground != NULL || x->backend != NULL))
		command_usage(c, "--capture, --transcript, --title, --command, "
		    "--backend and --check-errors go with --session");
	x->errors |= x->session == NULL;
	return status_dir;
}

/* Everything is read again, from the beginning of the run.  If the run began in
 * a rotated-away log, go on from the recorded scan state. */
static void
explain_record(struct explain *x)
{
	struct sources *s = &x->sources;
	struct status *r = &x->record;

	if (status_read(r, x->context.dir.state_fd, x->issue) == -1)
		warn("cannot read the status record of issue '%s'", x->issue);
	if (r->run[0] == '\0')
		status_init(r, x->issue);
	if (r->log.base == 0) {
		r->log.read = r->log.begin;
		r->log.scan = (struct marker_state){ .offset = r->log.begin };
	}
	if (state_reported(r->verdict.state))
		r->ignored_log.error = 0;
	if (x->backend != NULL) {
		free(r->backend);
		r->backend = xstrdup(x->backend);
	}
	if (sources_init(s, &x->context.dir, r) == -1)
		fatalx("cannot use the marker '%s' of the status record",
		    r->marker);
	s->pass = s->hasty = true;
	s->title = x->title;
	s->foreground = x->foreground;
}

static int
explain_run(const struct command *c, int argc, char **argv)
{
	struct explain x = { .json = false };
	struct sources *s = &x.sources;
	struct evidence ev;
	struct verdict v;
	const char *status_dir = explain_options(&x, c, argc, argv);

	context_open(&x.context, status_dir, false);
	if (x.context.dir.fd == -1)
		fatal_no("cannot explain issue '%s': there is no status "
		    "directory '%s'", x.issue, x.context.dir.path);
	explain_record(&x);
	if (x.session == NULL && explain_queued(&x))
		return EXIT_DONE;
	evidence_init(&ev, x.issue);
	ev.errors = x.errors;
	if (x.session != NULL)
		read_replay(&x);
	else
		read_pane(&x);
	if (x.session == NULL && !explain_known(&x)) {
		warnx("nothing is known of issue '%s' in '%s': no record, "
		    "signal, log or pane", x.issue, x.context.dir.path);
		return EXIT_NO;
	}
	find_backend(&x);
	if (x.session == NULL) {
		ev.stalled_after = x.context.config.stalled_after * 1000;
		reload_take(&x.record, x.context.dir.state_fd, &ev.reload);
		reload_find(&x.record, x.context.dir.state_fd, x.at.pane);
	}
	sources_life(s, &ev, x.life, x.at.pane);
	/* A shell in front has replaced the agent that is replayed, unless the
	 * process of the run is known. */
	ev.agent_ended |= s->replay && s->foreground != NULL &&
	    (x.record.run[0] == '\0' || x.record.adopted) &&
	    s->backend != NULL && s->backend->signs.n > 0 &&
	    shell_known(s->foreground);
	judge_all(s, &ev, &v, print_detector, &x);
	if (s->log_error != 0)
		warnx("cannot read the pane log of issue '%s': %s", x.issue,
		    strerror(s->log_error));
	prefer_record(&x, &v);
	print_verdict(&x, &v);
	if (x.save != NULL)
		savedcase_write(x.save, s, &ev, &v);
	return EXIT_DONE;
}

const struct command explain_command = {
	.name = "explain",
	.summary = "Ask every detector, and show what each one saw",
	.arguments = "ISSUE",
	.examples =
	"  paneward explain 42\n"
	"  paneward explain 42 --save misjudged\n"
	"  paneward explain 42 --status-dir misjudged --session alive \\\n"
	"      --capture misjudged/capture.txt --check-errors\n",
	.options = options,
	.run = explain_run,
};

/*
 * explain.c - asks every detector and shows what each one saw.
 *
 * The rows and the walk are those of the watcher; only the evidence is
 * gathered another way: from the beginning of the run, whatever a watcher has
 * read already, and nothing is changed.  With --session, files take the place
 * of the living pane, so that a case can be replayed anywhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/command.h"
#include "base/msg.h"
#include "chain/backend.h"
#include "chain/inspect.h"
#include "chain/judge.h"
#include "marker/markerwindow.h"
#include "os/file.h"
#include "os/shell.h"
#include "run/context.h"
#include "run/panelog.h"
#include "run/paneowner.h"
#include "run/restart.h"
#include "run/run.h"
#include "text/json.h"
#include "text/template.h"
#include "tmux/servers.h"
#include "show/commands.h"

enum {
	OPTION_JSON = 'j', OPTION_SAVE = OPTION_LONG, OPTION_SESSION,
	OPTION_CAPTURE, OPTION_TITLE, OPTION_COMMAND, OPTION_BACKEND,
	OPTION_CHECK_ERRORS,
	SAVED_LOG_MAX = 64 << 20
};

static const struct command_option options[] = {
	{ OPTION_JSON, "json", NULL, "one JSON object per line" },
	{ OPTION_SAVE, "save", "DIR", "write the evidence as a case" },
	{ OPTION_SESSION, "session", "alive|dead", "replay: no tmux is asked" },
	{ OPTION_CAPTURE, "capture", "FILE", "replay: the capture" },
	{ OPTION_TITLE, "title", "TEXT", "replay: the title of the pane" },
	{ OPTION_COMMAND, "command", "NAME", "replay: what runs in front" },
	{ OPTION_BACKEND, "backend", "NAME", "replay: the kind of agent" },
	{ OPTION_CHECK_ERRORS, "check-errors", NULL, "replay: look for errors "
	    "too" },
	CONTEXT_OPTION,
	{ 0 }
};

struct explain {
	const char *issue, *session, *capture_file, *save;
	const char *backend_name;       /* the option, or NULL */
	const char *title, *front;      /* the same, or what the pane has */
	const struct backend *backend;  /* NULL: not known */
	struct backends backends;
	bool        json;
	struct context context;
	struct status  record;          /* run empty: none is known */
	struct inspect in;
	struct buf     capture;         /* its text */
	bool           captured;
	struct servers servers;
	struct server_pane at;          /* the pane, if it is there, */
	enum pane_life life;            /* and what became of it */
	struct buf     trouble;         /* why tmux could not be asked */
	bool           recorded;        /* the status record decides */
};

/* ---- gathering ----------------------------------------------------------- */

static bool
gather_log(struct explain *x, struct evidence *ev)
{
	bool there = inspect_log(&x->in, ev, true);

	if (x->in.log_error != 0)
		warnx("cannot read the pane log of issue '%s': %s", x->issue,
		    strerror(x->in.log_error));
	if (state_reported(x->record.verdict.state))
		ev->log.ignored.error = 0;
	return there;
}

/* Has a shell come in the place of an agent that is replayed? */
static bool
replaced(const struct explain *x)
{
	return x->session != NULL && x->front != NULL && x->backend != NULL &&
	    x->backend->signs.n > 0 && shell_known(x->front);
}

static bool
gather_process(struct explain *x, struct evidence *ev)
{
	ev->last_look = true;
	inspect_process(&x->in, ev);
	ev->agent_ended |= replaced(x);
	return ev->pane != PANE_NONE || (x->session == NULL &&
	    x->record.run[0] != '\0' && x->trouble.len == 0);
}

static bool
explain_gather(void *context, struct evidence *ev, enum evidence_part part)
{
	struct explain *x = context;

	switch (part) {
	case EVIDENCE_SIGNAL:
		return inspect_signals(&x->in, ev);
	case EVIDENCE_HOOK:
		return inspect_events(&x->in, ev);
	case EVIDENCE_LOG:
		return gather_log(x, ev);
	case EVIDENCE_CAPTURE:
		return inspect_capture(&x->in, ev);
	case EVIDENCE_PROCESS:
		return gather_process(x, ev);
	case EVIDENCE_SCREEN:
		return inspect_screen(&x->in, ev);
	}
	return false;
}

/* ---- telling ------------------------------------------------------------- */

static void
tell_signals(struct buf *out, const struct explain *x,
    const struct evidence *ev)
{
	static const char *const found[] = {
		[SIGFILE_NONE]    = "not there",
		[SIGFILE_SIGNAL]  = "there",
		[SIGFILE_STALE]   = "there, of another run",
		[SIGFILE_REFUSED] = "no signal",
	};
	char name[SIGFILE_NAME];
	int kind;

	for (kind = 0; kind < SIGFILE_KINDS; kind++) {
		const struct sigfile *s = &ev->signal[kind];

		sigfile_name(name, (enum sigfile_kind)kind, x->issue);
		buf_printf(out, "%s%s: %s", kind ? "; " : "", name,
		    found[s->found]);
		if (s->found == SIGFILE_REFUSED)
			buf_printf(out, " (%s)", s->refusal);
	}
}

/* Lines with a marker in them, the last of which is told. */
struct place_in {
	unsigned long long offset, line;
};

/* The last line of text that holds a marker, whether it counts or not. */
static bool
find_marker(const struct marker_set *set, const char *text, size_t len,
    struct place_in *place)
{
	const char *p = text, *end = text + len, *line;
	unsigned long long n = 0;
	bool found = false;

	for (; p < end; p = line) {
		line = memchr(p, '\n', (size_t)(end - p));
		line = line != NULL ? line + 1 : end;
		n++;
		if (!marker_set_in(set, p, (size_t)(line - p)))
			continue;
		*place = (struct place_in){ (unsigned long long)(p - text), n };
		found = true;
	}
	return found;
}

static void
tell_markers(struct buf *out, const struct marker_evidence *m)
{
	buf_printf(out, "%u complete, %u error", m->hits.complete,
	    m->hits.error);
	if (m->hits.stale > 0)
		buf_printf(out, ", %u of another run", m->hits.stale);
	if (m->ignored.complete > 0 || m->ignored.error > 0)
		buf_printf(out, ", of which %u and %u are from before",
		    m->ignored.complete, m->ignored.error);
}

static void
tell_events(struct buf *out, const struct evidence *ev)
{
	const struct event_evidence *r = &ev->hook;
	char time[CLOCK_TEXT];

	if (!r->there) {
		buf_adds(out, "no hook has reported");
		return;
	}
	clock_format(time, r->time);
	buf_printf(out, "%u complete, %u error in what the agent wrote",
	    r->hits.complete, r->hits.error);
	if (r->ignored.complete > 0 || r->ignored.error > 0)
		buf_printf(out, ", of which %u and %u are from before",
		    r->ignored.complete, r->ignored.error);
	buf_printf(out, "; %u turns have ended; last %s%s%s, %s", r->turns,
	    event_type_name(r->last), r->kind[0] ? " " : "", r->kind, time);
}

static void
tell_log(struct buf *out, struct explain *x, const struct evidence *ev)
{
	char name[PANELOG_NAME];
	struct buf text = BUF_INIT;
	struct place_in place;

	panelog_name(name, x->issue);
	if (!ev->log_there) {
		buf_printf(out, "%s: %s", name, x->in.log.refused ?
		    "no file that could be read" : "not there");
		return;
	}
	buf_printf(out, "%s: %llu bytes read, ", name,
	    (unsigned long long)(x->in.log.file.ahead - x->in.log.file.base));
	tell_markers(out, &ev->log);
	if (file_read(x->context.dir.fd, name, FILE_NOFOLLOW, &text,
	    SAVED_LOG_MAX) == 0 && find_marker(&x->in.set, buf_str(&text),
	    text.len, &place))
		buf_printf(out, "; last marker text at byte %llu, line %llu",
		    place.offset, place.line);
	buf_release(&text);
}

static void
tell_capture(struct buf *out, struct explain *x, const struct evidence *ev)
{
	struct place_in place;

	if (!x->captured) {
		buf_adds(out, "no capture");
		if (x->trouble.len > 0)
			buf_printf(out, ": %s", buf_str(&x->trouble));
		return;
	}
	buf_printf(out, "%zu bytes, ", x->capture.len);
	tell_markers(out, &ev->capture);
	if (ev->log_there)
		buf_adds(out, " (errors do not count where there is a log)");
	if (find_marker(&x->in.set, x->capture.data, x->capture.len, &place))
		buf_printf(out, "; last marker text in line %llu", place.line);
}

static void
tell_process(struct buf *out, const struct explain *x,
    const struct evidence *ev)
{
	static const char *const lives[] = {
		[PANE_UNSEEN] = "was not seen",
		[PANE_LIVES]  = "lives",
		[PANE_DEAD]   = "is dead",
		[PANE_GONE]   = "is not there",
		[PANE_NONE]   = "is not known",
		[PANE_SILENT] = "is on a server that does not answer",
	};

	if (x->session != NULL && ev->pane == PANE_LIVES) {
		buf_printf(out, "replayed: '%s' is in front of the pane",
		    x->front);
	} else if (x->session != NULL && ev->pane == PANE_NONE) {
		buf_adds(out, "not asked: replayed");
	} else {
		buf_printf(out, "the pane %s", lives[ev->pane]);
		if (ev->agent_ended)
			buf_adds(out, ", the agent has ended");
		if (x->trouble.len > 0)
			buf_adds(out, ": ");
		buf_add(out, x->trouble.data, x->trouble.len);
	}
}

static void
tell_screen(struct buf *out, const struct explain *x)
{
	if (x->backend == NULL) {
		buf_adds(out, "the backend is not known");
		return;
	}
	buf_printf(out, "backend %s: ", x->backend->name);
	if (x->backend->signs.n == 0)
		buf_adds(out, "it has no signs");
	else
		screen_describe(&x->in.screen, out);
}

static void
tell_what(struct buf *out, struct explain *x, enum evidence_part part,
    const struct evidence *ev)
{
	switch (part) {
	case EVIDENCE_SIGNAL:
		tell_signals(out, x, ev);
		break;
	case EVIDENCE_HOOK:
		tell_events(out, ev);
		break;
	case EVIDENCE_LOG:
		tell_log(out, x, ev);
		break;
	case EVIDENCE_CAPTURE:
		tell_capture(out, x, ev);
		break;
	case EVIDENCE_PROCESS:
		tell_process(out, x, ev);
		break;
	case EVIDENCE_SCREEN:
		tell_screen(out, x);
		break;
	}
}

static void
print_json(const char *first, const char *first_value,
    const struct verdict *v, const char *saw)
{
	cJSON *o = json_new_object();
	struct buf line = BUF_INIT;

	json_add_text(o, first, first_value);
	if (saw != NULL) {
		json_add_text(o, "answer", v ? state_name(v->state) : "none");
		json_add_text(o, "why", saw);
	} else {
		if (v->state != STATE_NONE) {
			json_add_text(o, "source", verdict_source(v));
			json_add_text(o, "why", v->why);
		} else {
			json_add_null(o, "source");
		}
		if (v->message[0] != '\0')
			json_add_text(o, "message", v->message);
	}
	json_print(&line, o);
	puts(buf_str(&line));
	buf_release(&line);
	json_free(o);
}

static void
explain_tell(void *context, const struct detector *d,
    const struct evidence *ev, bool asked, const struct verdict *answer)
{
	struct explain *x = context;
	struct buf saw = BUF_INIT, shown = BUF_INIT;

	(void)asked;
	tell_what(&saw, x, d->needs, ev);
	msg_escape(&shown, saw.data, saw.len);
	if (x->json)
		print_json("detector", d->name, answer, buf_str(&shown));
	else
		printf("%-8s %-9s %s\n", d->name,
		    answer ? state_name(answer->state) : "-",
		    buf_str(&shown));
	buf_release(&saw);
	buf_release(&shown);
}

/*
 * What a run has reported stays true when the signal is removed and the
 * screen has moved on; only a completion can follow an error.
 */
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
	x->recorded = true;
}

static void
tell_verdict(const struct explain *x, const struct verdict *v)
{
	if (x->json) {
		print_json("verdict", state_name(v->state), v, NULL);
		return;
	}
	if (v->state == STATE_NONE) {
		printf("verdict: none; nobody could tell\n");
		return;
	}
	printf("verdict: %s, by %s: %s%s%s\n", state_name(v->state),
	    x->recorded ? "the status record" : verdict_source(v), v->why,
	    v->message[0] ? ": " : "", v->message);
}

/* ---- the evidence of the living pane ------------------------------------- */

/* Where no pane is recorded: the only one that belongs to the issue. */
static void
find_pane(struct explain *x)
{
	struct claim_rules rules = { .project = &x->context.project,
	    .dir = x->context.dir.path };
	struct server_pane found;
	struct pattern *pattern;
	char error[128];

	pattern = pattern_new(x->context.config.session_pattern, error,
	    sizeof(error));
	rules.pattern = pattern;
	if (claim_find(&x->servers, &rules, x->issue,
	    run_of_panes(&x->record), &found, 1) == 1) {
		x->at = found;
		x->life = found.pane->dead ? PANE_DEAD : PANE_LIVES;
	}
	pattern_free(pattern);
}

/* Why nothing is known of the pane.  Without a server, none is there. */
static void
find_trouble(struct explain *x)
{
	const struct tmux_server *s = x->servers.server;

	if (x->life != PANE_NONE && x->life != PANE_SILENT)
		return;
	for (; s < x->servers.server + x->servers.n; s++)
		if (x->trouble.len == 0 && s->result != TMUX_OK &&
		    (s->result != TMUX_NO_SERVER || x->life == PANE_SILENT))
			buf_add(&x->trouble, s->why.data, s->why.len);
}

static void
take_capture(struct explain *x)
{
	const struct tmux_capture *c;

	servers_want(&x->servers, &x->at);
	servers_capture(&x->servers);
	c = servers_captured(&x->at);
	if (c == NULL)
		return;
	buf_add(&x->capture, c->text, c->len);
	x->captured = true;
}

static void
look_at_pane(struct explain *x)
{
	const struct pane_ref *p = &x->record.place;

	if (p->socket != NULL)
		servers_add(&x->servers, p->socket);
	else
		servers_add_usual(&x->servers, x->context.config.sockets);
	servers_ask(&x->servers);
	x->life = run_life(&x->servers, &x->record, &x->at);
	if (p->socket == NULL)
		find_pane(x);
	find_trouble(x);
	if (x->at.pane == NULL)
		return;
	take_capture(x);
	x->title = x->at.pane->title;
	x->front = x->at.pane->command;
}

/* What kind of agent it is.  Of a replay only what is said or recorded counts. */
static void
find_backend(struct explain *x)
{
	struct buf error = BUF_INIT;
	const char *name = x->backend_name;

	if (name == NULL && (x->session == NULL ? x->at.pane != NULL :
	    x->record.backend != NULL))
		name = backend_choose(x->record.backend, x->front,
		    x->context.config.backend);
	if (name == NULL)
		return;
	x->backend = backends_get(&x->backends, name, &error);
	if (x->backend == NULL)
		fatal_usage("explain: %s", buf_str(&error));
	x->in.signs = x->backend->signs.n > 0 ? &x->backend->signs : NULL;
}

/* In the place of a living pane. */
static void
look_at_replay(struct explain *x)
{
	if (strcmp(x->session, "dead") == 0)
		x->life = PANE_GONE;
	else
		x->life = x->front != NULL ? PANE_LIVES : PANE_NONE;
	if (x->capture_file == NULL)
		return;
	if (file_read(AT_FDCWD, x->capture_file, 0, &x->capture,
	    MARKER_WINDOW_MAX) == -1)
		fatal("cannot read the capture '%s'", x->capture_file);
	x->captured = true;
}

/* ---- saving -------------------------------------------------------------- */

static void
save_file(const char *dir, const char *name, const struct buf *text)
{
	char *path = xasprintf("%s/%s", dir, name);

	if (file_replace(AT_FDCWD, path, text->data, text->len, 0600) == -1)
		fatal("cannot write '%s'", path);
	free(path);
}

/* A file of the status directory, without the bytes before the run. */
static void
copy_file(const struct explain *x, const char *name, uint64_t begin)
{
	struct buf text = BUF_INIT, run = BUF_INIT;

	if (file_read(x->context.dir.fd, name, FILE_NOFOLLOW, &text,
	    SAVED_LOG_MAX) == 0)
		buf_add(&run, text.data + (begin < text.len ? begin : 0),
		    text.len - (begin < text.len ? begin : 0));
	if (run.len > 0 || text.len > 0)
		save_file(x->save, name, &run);
	buf_release(&run);
	buf_release(&text);
}

/* An option and its value, as a shell reads them. */
static void
add_option(struct buf *line, const char *option, const char *value)
{
	if (value == NULL)
		return;
	buf_printf(line, " %s ", option);
	template_quote(line, value, strlen(value));
}

/*
 * The case as a folder: what lies in the status directory under its own name,
 * the capture, and the command that replays it.
 */
static void
save_case(struct explain *x, const struct evidence *ev)
{
	char name[SIGFILE_NAME + PANELOG_NAME];
	struct buf replay = BUF_INIT;
	bool gone = ev->pane == PANE_GONE;
	int kind;

	if (mkdir(x->save, 0700) == -1 && errno != EEXIST)
		fatal("cannot make '%s'", x->save);
	for (kind = 0; kind < SIGFILE_KINDS; kind++) {
		sigfile_name(name, (enum sigfile_kind)kind, x->issue);
		if (ev->signal[kind].found == SIGFILE_SIGNAL)
			copy_file(x, name, 0);
	}
	panelog_name(name, x->issue);
	copy_file(x, name, x->record.log.begin - x->record.log.base);
	if (x->captured)
		save_file(x->save, "capture.txt", &x->capture);
	buf_printf(&replay, "paneward explain %s --status-dir . --session %s "
	    "--check-errors%s", x->issue, gone ? "dead" : "alive",
	    x->captured ? " --capture capture.txt" : "");
	add_option(&replay, "--backend", x->backend ? x->backend->name : NULL);
	add_option(&replay, "--title", x->title);
	add_option(&replay, "--command", x->front);
	buf_addc(&replay, '\n');
	save_file(x->save, "replay.txt", &replay);
	buf_release(&replay);
}

/* ---- the command --------------------------------------------------------- */

static const char *
parse(struct explain *x, const struct command *c, int argc, char **argv,
    bool *errors)
{
	const char *status_dir = NULL;
	bool check = false;
	int key;

	while ((key = command_option(c, argc, argv)) != -1) {
		switch (key) {
		case OPTION_JSON: x->json = true; break;
		case OPTION_SAVE: x->save = optarg; break;
		case OPTION_SESSION: x->session = optarg; break;
		case OPTION_CAPTURE: x->capture_file = optarg; break;
		case OPTION_TITLE: x->title = optarg; break;
		case OPTION_COMMAND: x->front = optarg; break;
		case OPTION_BACKEND: x->backend_name = optarg; break;
		case OPTION_CHECK_ERRORS: check = true; break;
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
	if (x->session == NULL && (x->capture_file != NULL || check ||
	    x->title != NULL || x->front != NULL || x->backend_name != NULL))
		command_usage(c, "--capture, --title, --command, --backend and "
		    "--check-errors go with --session");
	*errors = x->session == NULL || check;
	return status_dir;
}

static int
explain_run(const struct command *c, int argc, char **argv)
{
	struct explain x = { .json = false };
	const struct judge_walk walk = { .gather = explain_gather,
	    .tell = explain_tell, .context = &x };
	struct evidence ev;
	struct verdict v;
	bool errors;
	const char *status_dir = parse(&x, c, argc, argv, &errors);

	context_open(&x.context, status_dir, false);
	if (x.context.dir.fd == -1)
		fatalx("cannot explain issue '%s': there is no status "
		    "directory '%s'", x.issue, x.context.dir.path);
	if (status_read(&x.record, x.context.dir.state_fd, x.issue) == -1)
		warn("cannot read the status record of issue '%s'", x.issue);
	if (x.record.run[0] == '\0')
		status_init(&x.record, x.issue);
	if (inspect_init(&x.in, &x.context.dir, &x.record) == -1)
		fatalx("cannot use the marker '%s' of the status record",
		    x.record.marker);
	if (x.session != NULL)
		look_at_replay(&x);
	else
		look_at_pane(&x);
	find_backend(&x);
	x.in.whole = true;
	x.in.title = x.title;
	x.in.front = x.front;
	x.in.pane = x.at.pane;
	x.in.life = x.life;
	x.in.capture = x.captured ? buf_str(&x.capture) : NULL;
	x.in.capture_len = x.capture.len;
	evidence_init(&ev, x.issue);
	ev.errors = errors;
	if (x.session == NULL) {
		reload_take(&x.record, x.context.dir.state_fd, &ev.reload);
		reload_find(&x.record, x.context.dir.state_fd, x.at.pane);
	}
	judge(&walk, &ev, &v);
	prefer_record(&x, &v);
	tell_verdict(&x, &v);
	if (x.save != NULL)
		save_case(&x, &ev);
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

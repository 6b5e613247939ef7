/*
 * explain.c - asks every detector and shows what each one saw.
 *
 * It walks the chain of the watcher, but reads everything from the beginning of
 * the run, and records nothing.  With --session, files replace the living pane,
 * so that a case can be replayed anywhere.  With --backend-file, any pane is
 * judged by a backend that is tried, and each of its patterns shows its match.
 */
#include "agent/dialect.h"
#include "data/shell.h"
#include "data/template.h"
#include "run/paneowner.h"
#include "run/restart.h"
#include "run/run.h"
#include "show/show.h"

struct explain {
	const char *issue, *dir;
	bool        json;
	bool        errors;             /* are errors looked for? */
	const char *save;
	const char *session, *capture, *transcript, *title, *command;
	const char *backend;            /* of a replay, or NULL */
	const char *backend_file;
	struct target_agent target;
	struct context  context;
	struct backends backends;
	struct status   record;         /* run empty: none is known */
	struct sources  sources;
	struct servers  servers;
	struct server_pane at;          /* the pane, if it is there */
	enum pane_life life;
};

#define FLAG(member) FLAG_AT(struct explain, member)
#define TEXT(member) TEXT_AT(struct explain, member)

static const struct command_option options[] = {
	{ 'j', "json", NULL, "one JSON object per line", FLAG(json) },
	{ 0, "save", "DIR", "write the evidence as a case", TEXT(save) },
	{ 0, "session", "alive|dead", "replay: whether the pane exists",
	    TEXT(session) },
	{ 0, "capture", "FILE", "replay: the text of the screen",
	    TEXT(capture) },
	{ 0, "transcript", "FILE", "replay: what the client wrote down",
	    TEXT(transcript) },
	{ 0, "title", "TEXT", "replay: the title of the pane", TEXT(title) },
	{ 0, "command", "NAME", "replay: the program in front", TEXT(command) },
	{ 0, "backend", "NAME", "replay: the kind of agent", TEXT(backend) },
	{ 0, "backend-file", "FILE", "judge any pane, or --capture, by a "
	    "backend that need not be installed, and show what each pattern "
	    "matches",
	    TEXT(backend_file) },
	{ 0, "check-errors", NULL, "replay: look for errors too",
	    FLAG(errors) },
	CONTEXT_OPTION_AT(struct explain, dir),
	{ 0 }
};

static void
print_detector(void *context, const struct detector *d,
    const struct evidence *ev, const struct verdict *answer)
{
	struct explain *x = context;
	struct buf saw = BUF_INIT, shown = BUF_INIT;
	const char *told = answer != NULL ? state_name(answer->state) :
	    x->json ? "none" : "-";
	struct json *o;

	d->describe(&x->sources, ev, &saw);
	msg_escape(&shown, saw.data, saw.len);
	if (x->json) {
		o = json_new_object();
		json_add_texts(o, "detector", d->name, "answer", told, "why",
		    buf_str(&shown));
		json_puts(o);
	} else {
		printf("%-10s %-9s %s\n", d->name, told, buf_str(&shown));
	}
}

static void
print_verdict(const struct explain *x, const struct verdict *v)
{
	bool none = v->state == STATE_NONE;
	struct buf back = BUF_INIT;
	struct json *o;

	if (x->json) {
		o = json_new_object();
		json_add_text(o, "verdict", state_name(v->state));
		if (none)
			json_add_null(o, "source");
		json_add_texts(o, "source", none ? NULL : verdict_source(v),
		    "why", none ? NULL : v->why,
		    "message", v->message[0] ? v->message : NULL);
		json_puts(o);
	} else if (none) {
		printf("verdict: none (no detector could decide)\n");
	} else {
		printf("verdict: %s%s%s: %s%s%s\n", state_name(v->state),
		    v->source[0] ? ", by " : "", v->source, v->why,
		    v->message[0] ? ": " : "", v->message);
		if (report_way_back(&back, &x->record, v->state))
			printf("way out: %s\n", buf_str(&back));
	}
}

static void
read_pane(struct explain *x)
{
	const struct pane_ref *p = &x->record.place;
	struct server_pane found[RUN_LISTED];
	struct sources *s = &x->sources;
	const struct tmux_capture *c;
	struct paneowner_rules rules;
	struct buf panes = BUF_INIT;
	struct tmux_server *t;
	size_t n;

	if (p->socket == NULL && x->target.pane != NULL) {
		s->blind = true;        /* a session without a pane */
		return;
	}
	if (p->socket != NULL)
		servers_add(&x->servers, p->socket);
	else if (servers_add_all(&x->servers, x->context.config.sockets) == -1)
		fatal("cannot look for tmux servers");
	servers_ask(&x->servers, false);
	x->life = run_life(&x->servers, &x->record, &x->at);
	/* Without a recorded pane: the only one that belongs to the issue. */
	if (p->socket == NULL) {
		rules = paneowner_open(&x->context);
		n = paneowner_find(&x->servers, &rules, x->issue,
		    run_of_panes(&x->record), found, RUN_LISTED);
		if (n == 1) {
			x->at = found[0];
			x->life = x->at.pane->dead ? PANE_DEAD : PANE_LIVES;
		} else if (run_resolve(&x->record, &x->context.dir, &x->at,
		    found, n, &panes) == RUN_MANY) {
			fatal_usage("cannot explain issue '%s': %zu panes "
			    "belong to it: %s", x->issue, n, buf_str(&panes));
		}
	}
	/* Without a server there is no pane to know of. */
	for (t = x->servers.first; t != NULL; t = t->next)
		if (s->trouble == NULL && t->why.len > 0 &&
		    t->result != TMUX_OK && (x->life == PANE_SILENT ||
		    (x->life == PANE_NONE && t->result != TMUX_NO_SERVER)))
			s->trouble = buf_str(&t->why);
	s->blind = x->life == PANE_NONE && (x->record.run[0] == '\0' ||
	    s->trouble != NULL);
	if (x->at.pane == NULL)
		return;
	servers_want(&x->at);
	servers_capture(&x->servers);
	c = listing_capture(&x->at.server->captures, x->at.pane->id);
	if (c != NULL) {
		s->text = c->text;
		s->text_len = c->len;
	}
	s->title = x->at.pane->title;
	s->foreground = x->at.pane->command;
}

/* An issue that waits for its start has no evidence yet.  False: it does not
 * wait. */
static bool
explain_queued(const struct explain *x)
{
	int state_fd = x->context.dir.state_fd;
	const struct queued *q;
	struct queued_list l;
	struct status r;

	if (queued_read(&l, state_fd) == -1) {
		if (!file_refused(errno))
			fatal("cannot read the queued issues in '%s'",
			    x->context.dir.path);
		warn("cannot read the queued issues in '%s'",
		    x->context.dir.path);
	}
	q = queued_find(&l, x->issue);
	if (q == NULL || queued_started(q, &x->record))
		return false;
	queued_record(&l, q, state_fd, &r);
	print_verdict(x, &r.verdict);
	return true;
}

/* ---- a saved case -------------------------------------------------------- */

/*
 * The evidence of a verdict as a folder, which is a case of tests/corpus: its
 * README.md describes each file.
 *
 * A file of the status directory keeps its name, so that the folder can replace
 * that.  The status record keeps only what judging needs.  The folder is new:
 * an old signal in it would be part of the case, or lost.
 */
enum { SAVED_MAX = 64 << 20 };          /* bytes of a file */

static void
savedcase_text(const char *folder, const char *name, const char *text,
    size_t len)
{
	char *path = xasprintf("%s/%s", folder, name);

	if (file_replace(AT_FDCWD, path, text, len, 0600) == -1)
		fatal("cannot write '%s'", path);
}

/* Copies a file (path NULL: of that name), from an offset on. */
static void
savedcase_file(const char *folder, const char *name, int dir, const char *path,
    uint64_t begin)
{
	struct buf text = BUF_INIT;
	size_t skip;

	if (file_read(dir, path != NULL ? path : name, FILE_NOFOLLOW, &text,
	    SAVED_MAX) == 0) {
		skip = begin < text.len ? (size_t)begin : 0;
		savedcase_text(folder, name, buf_str(&text) + skip,
		    text.len - skip);
	}
}

/* Writes the agent of the case, and the command that replays it. */
static void
savedcase_facts(const char *folder, const struct sources *s, bool gone,
    bool transcript, const struct verdict *v)
{
	const char *words[] = {
		"--backend", s->backend ? s->backend->name : NULL,
		"--title", s->title, "--command", s->foreground,
	};
	struct buf text = BUF_INIT, why = BUF_INIT;
	char *version = clientversion_in(s->transcript.version);
	struct json *o = json_new_object();
	struct spawn asked;
	size_t i;

	/* Without a version in the transcript: that of the installed client. */
	if (version == NULL && !s->replay && s->backend != NULL &&
	    clientversion_begin(&asked, s->backend))
		version = clientversion_end(&asked, &why);
	json_add_texts(o, "issue", s->record->issue, "client", words[1],
	    "version", version, "title", s->title, "command", s->foreground,
	    "session", gone ? "dead" : "alive");
	json_add_time(o, "time", clock_wall());
	json_add_text(o, "verdict", state_name(v->state));
	json_add_null(o, "expect");
	json_give(&text, o);
	buf_addc(&text, '\n');
	savedcase_text(folder, "case.json", text.data, text.len);

	buf_reset(&text);
	buf_printf(&text, "paneward explain %s --status-dir . --session %s "
	    "--check-errors%s%s", s->record->issue, gone ? "dead" : "alive",
	    s->text != NULL ? " --capture capture.txt" : "",
	    transcript ? " --transcript transcript.jsonl" : "");
	for (i = 0; i < sizeof(words) / sizeof(*words); i += 2)
		if (words[i + 1] != NULL) {
			buf_printf(&text, " %s ", words[i]);
			template_quote(&text, words[i + 1],
			    strlen(words[i + 1]));
		}
	buf_addc(&text, '\n');
	savedcase_text(folder, "replay.txt", text.data, text.len);
}

/* Ends the program if the folder cannot be written. */
static void
savedcase_write(const char *folder, const struct sources *s,
    const struct evidence *ev, const struct verdict *v)
{
	const struct status *r = s->record;
	char *path = xasprintf("%s/.paneward", folder);
	bool transcript = s->transcript_path != NULL &&
	    s->transcript_error == 0;
	enum sigfile_kind kind;
	struct status kept;
	int fd;

	if (mkdir(folder, 0700) == -1)
		fatal("cannot make '%s'", folder);
	for (kind = 0; kind < SIGFILE_KINDS; kind++)
		if (ev->signal[kind].found == SIGFILE_SIGNAL)
			savedcase_file(folder, SIGFILE_OF(kind, r->issue),
			    s->dir->fd, NULL, 0);
	savedcase_file(folder, PANELOG_OF(r->issue, ""), s->dir->fd, NULL,
	    r->log.begin - r->log.base);
	if (transcript)
		savedcase_file(folder, "transcript.jsonl", AT_FDCWD,
		    s->transcript_path, 0);
	if (s->text != NULL)
		savedcase_text(folder, "capture.txt", s->text, s->text_len);

	if (mkdir(path, 0700) == -1 ||
	    (fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1)
		fatal("cannot make '%s'", path);
	status_init(&kept, r->issue);
	memcpy(kept.run, r->run, sizeof(kept.run));
	kept.started = r->started;
	kept.fresh = r->fresh;
	kept.adopted = r->adopted;
	kept.exit_is_report = r->exit_is_report;
	kept.backend = r->backend;
	kept.marker = r->marker;
	kept.transcript.said = r->transcript.said;
	kept.transcript.past = r->transcript.past;
	kept.ignored_capture = r->ignored_capture;
	kept.ignored_events = r->ignored_events;
	if (r->log.base == 0)
		kept.ignored_log = r->ignored_log;
	if (r->run[0] != '\0' && status_write(&kept, fd) == -1)
		fatal("cannot write the status record into '%s'", path);
	savedcase_file(path, ISSUE_NAME(r->issue, "records"), s->dir->state_fd,
	    NULL, 0);
	savedcase_file(path, ISSUE_NAME(r->issue, "agent"), s->dir->state_fd,
	    NULL, 0);
	savedcase_facts(folder, s, ev->pane == PANE_GONE, transcript, v);
}

/* ---- a backend that is tried --------------------------------------------- */

enum { SHOWN_MOST = 100 };              /* code points, on one line */

/* Of a text that is known; pattern NULL matches all. */
static void
print_match(const struct explain *x, const char *name, struct pattern *pattern,
    const char *text, size_t len)
{
	struct buf line = BUF_INIT, begin = BUF_INIT, shown = BUF_INIT;
	struct json *o = json_new_object();
	bool found = pattern == NULL || pattern_match(pattern, text, len);
	size_t at = 0;

	if (pattern != NULL)
		pattern_group(pattern, NULL, &at, &len);
	json_add_texts(o, "pattern", name, "matches", found ?
	    xstrndup(text + at, len) : NULL);
	if (x->json) {
		json_puts(o);
		return;
	}
	signs_squeeze(&line, text + at, found ? len : 0);
	utf8_add_valid(&begin, line.data, line.len, SHOWN_MOST);
	msg_escape(&shown, begin.data, begin.len);
	printf(found ? "%-18s '%s'\n" : "%-18s no match\n", name,
	    buf_str(&shown));
}

/* Prints what each pattern of the backend matches, if its text is known. */
static void
print_signs(const struct explain *x)
{
	const struct sources *s = &x->sources;
	const struct signs *signs = &s->backend->signs;
	struct buf lines = BUF_INIT, why = BUF_INIT;
	const struct { const char *name; const struct buf *text; } *p,
	    places[] = { { "announces", &s->screen.announced },
	    { "title", &s->screen.title }, { "screen", &lines } };
	const struct sign *sign;
	struct tmux_still look;
	struct dialog d;
	const char *means, *rows, *colored;
	size_t i;

	screen_lines(&lines, s->text, s->text_len);
	for (sign = signs->all; sign < signs->all + signs->n; sign++) {
		p = &places[sign->place];
		if (p->text->len > 0)
			print_match(x, xasprintf("%s.%s %u", p->name,
			    sign_kinds[sign->kind].key, sign->number),
			    sign->pattern, p->text->data, p->text->len);
	}
	rows = colored = buf_str(&lines);
	if (x->at.pane != NULL &&
	    tmux_look(&x->record.place, &look, &why) == TMUX_OK) {
		rows = look.rows;
		colored = look.colored;
	}
	if (signs->empty != NULL && colored != rows)
		print_match(x, "screen.empty", signs->empty, colored,
		    strlen(colored));
	if (!dialog_read(&d, signs, rows, colored))
		return;
	for (i = 0; i < d.n; i++) {
		means = dialog_meaning(&d, i);
		print_match(x, xasprintf("choice %zu%s%s", i + 1, means ? ", " :
		    "", means ? means : ""), NULL, d.choices[i],
		    strlen(d.choices[i]));
	}
}

/* ---- the command --------------------------------------------------------- */

static void
explain_options(struct explain *x, const struct command *c, int argc,
    char **argv)
{
	static struct buf text;
	struct buf why = BUF_INIT;
	char **names;

	command_option(c, argc, argv, x);
	x->issue = command_agent(c, argv[optind]);
	if (x->session != NULL && strcmp(x->session, "alive") != 0 &&
	    strcmp(x->session, "dead") != 0)
		command_usage(c, "--session '%s' is neither 'alive' nor "
		    "'dead'", x->session);
	if (x->session == NULL && (x->capture != NULL || x->errors ||
	    x->title != NULL || x->transcript != NULL || x->command != NULL ||
	    (x->backend != NULL && x->backend_file == NULL)))
		command_usage(c, "--capture, --transcript, --title, --command, "
		    "--backend and --check-errors go with --session");
	x->errors |= x->session == NULL;
	if (x->backend_file == NULL)
		return;
	if (file_read(AT_FDCWD, x->backend_file, 0, &text, BACKEND_MAX) == -1)
		fatal("cannot read '%s'", x->backend_file);
	names = backends_give(&x->backends, x->backend_file, &text, &why);
	if (names == NULL)
		fatal_wrong("explain: %s", buf_str(&why));
	if (x->backend == NULL && names[1] != NULL)
		command_usage(c, "'%s' has several backends; name one by "
		    "--backend", x->backend_file);
	x->backend = x->backend != NULL ? x->backend : names[0];
	agentprocess_tried = x->backend;
}

/* Continues from the recorded scan if the run began in a log that was rotated
 * away.  Files of a replay take the pane's place. */
static void
explain_open(struct explain *x)
{
	struct sources *s = &x->sources;
	struct status *r = &x->record;
	struct buf text = BUF_INIT;

	target_open(&x->target, &x->context, "explain", x->issue, x->dir);
	x->issue = x->target.issue;
	if (x->target.pane != NULL)
		*r = x->target.record;
	else if (x->context.dir.fd == -1)
		fatal_no("cannot explain issue '%s': there is no status "
		    "directory '%s'", x->issue, x->context.dir.path);
	else if (status_read(r, x->context.dir.state_fd, x->issue) == -1)
		warn("cannot read the status record of issue '%s'", x->issue);
	if (r->log.base == 0) {
		r->log.read = r->log.begin;
		r->log.scan = (struct marker_state){ .offset = r->log.begin };
	}
	if (state_reported(r->verdict.state))
		r->ignored_log.error = 0;
	if (x->backend != NULL)
		r->backend = xstrdup(x->backend);
	if (sources_init(s, &x->context.dir, r) == -1)
		fatalx("cannot use the marker '%s' of the status record",
		    r->marker);
	s->pass = s->hasty = true;
	s->title = x->title;
	s->foreground = x->command;
	if (x->session == NULL)
		return;
	x->life = strcmp(x->session, "dead") == 0 ? PANE_GONE :
	    x->command != NULL ? PANE_LIVES : PANE_NONE;
	s->blind = x->life == PANE_NONE;
	s->replay = true;
	r->tokens = (struct token_count){ .read = 0 };
	if (x->transcript != NULL &&
	    (s->transcript_path = xrealpath(x->transcript)) == NULL)
		fatal("cannot read the transcript '%s'", x->transcript);
	if (x->capture != NULL) {
		if (file_read(AT_FDCWD, x->capture, 0, &text,
		    MARKER_WINDOW_MAX) == -1)
			fatal("cannot read the capture '%s'", x->capture);
		s->text_len = text.len;
		s->text = buf_steal(&text);
	}
}

static int
explain_run(const struct command *c, int argc, char **argv)
{
	struct explain x = { .json = false };
	const struct statusdir *dir = &x.context.dir;
	struct sources *s = &x.sources;
	struct evidence ev;
	struct verdict v;
	struct buf error = BUF_INIT;
	msec oldest;

	explain_options(&x, c, argc, argv);
	explain_open(&x);
	if (x.session == NULL && explain_queued(&x))
		return EXIT_DONE;
	evidence_init(&ev, x.issue);
	ev.errors = x.errors;
	if (x.session == NULL) {
		read_pane(&x);
		ev.stalled_after = x.context.config.stalled_after * 1000;
		reload_take(&x.record, dir->state_fd, &ev.reload);
		reload_find(&x.record, dir->state_fd, x.at.pane);
	}
	/* A server that does not answer may have a pane of the issue. */
	if (x.session == NULL && x.record.run[0] == '\0' &&
	    x.at.pane == NULL && x.target.pane == NULL && s->trouble == NULL &&
	    !run_oldest(dir, x.issue, &oldest) &&
	    !events_unread(dir->state_fd, x.issue, 0)) {
		warnx("issue '%s' is unknown in '%s': it has no record, "
		    "signal, log or pane", x.issue, dir->path);
		return EXIT_NO;
	}
	/* In a replay the option or the record names the kind of agent, which may
	 * have no file of its own. */
	backends_all(&x.backends, &error);
	buf_reset(&error);
	if (x.target.pane != NULL)
		backends_stranger(&x.backends, x.record.backend);
	if ((x.record.backend != NULL ||
	    (x.session == NULL && x.at.pane != NULL)) &&
	    sources_backend(s, &x.backends, s->foreground,
	    x.context.config.backend, &error) == -1) {
		if (x.backend != NULL)
			fatal_usage("explain: %s", buf_str(&error));
		warnx("issue '%s': %s; its screen is not judged",
		    x.issue, buf_str(&error));
	}
	sources_life(s, &ev, x.life, x.at.pane);
	/* A shell in front has replaced the agent of a replay, unless the run's
	 * process is known. */
	ev.agent_ended |= s->replay && s->foreground != NULL &&
	    (x.record.run[0] == '\0' || x.record.adopted) &&
	    s->backend != NULL && s->backend->signs.n > 0 &&
	    shell_known(s->foreground);
	s->each = print_detector;
	s->each_context = &x;
	judge(s, &ev, &v);
	if (s->blind && x.session == NULL && x.target.pane != NULL)
		verdict_set_source(&v, "client");
	if (s->log_error != 0)
		warnx("cannot read the pane log of issue '%s': %s", x.issue,
		    strerror(s->log_error));
	/* A report outlives its signal and its screen; only a completion can
	 * follow an error. */
	if (x.session == NULL && state_reported(x.record.verdict.state) &&
	    v.state != STATE_COMPLETE) {
		v = x.record.verdict;
		verdict_why(&v, "recorded %s: %s",
		    CLOCK_WORDS(x.record.since), x.record.verdict.why);
	}
	print_verdict(&x, &v);
	if (x.backend_file != NULL)
		print_signs(&x);
	if (x.save != NULL)
		savedcase_write(x.save, s, &ev, &v);
	return EXIT_DONE;
}

const struct command explain_command = {
	.name = "explain",
	.summary = "Ask every detector, and show what each one saw",
	.arguments = "ISSUE|%PANE",
	.examples =
	"  paneward explain 42\n"
	"  paneward explain %7\n"
	"  paneward explain %7 --backend-file my-agent.json\n"
	"  paneward explain 42 --save misjudged\n"
	"  paneward explain 42 --status-dir misjudged --session alive \\\n"
	"      --capture misjudged/capture.txt --check-errors\n",
	.options = options,
	.run = explain_run,
};

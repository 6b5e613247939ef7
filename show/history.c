/*
 * history.c - what happened, from the journal: lines, JSON, or a page.
 *
 * The page needs no other file.  Each local day, the latest first, has a chart
 * of its runs and a table of its events.  The scale of a day fits its events,
 * so that quiet hours before and behind them take no room.
 */
#include <inttypes.h>

#include "base/since.h"
#include "data/html.h"
#include "os/compat.h"
#include "show/show.h"

enum {
	PAGE_EVENTS = 10000,            /* on a page, or up to twice as many */
	FLEET_LIMIT = 3600000,          /* ms for the events of a fleet */
	RECENT = 32,                    /* events that may be written again */
	SHORTEST = 60 * 1000            /* ms on the scale of a day, at least */
};

/* The journal of a status directory, or the events of the fleet. */
struct source {
	struct statusdir dir;
	struct spawn fleet;             /* paneward-fleet; pid 0: a journal */
	const char *prefix;             /* of each issue: "app/", or "" */
	struct journal_reader reader;
	bool   more;                    /* the reader has an event */
};

struct history {
	struct context context;
	struct source *sources;
	size_t   nsources;
	const char *issue;              /* NULL: all */
	struct target_agent target;
	char    *host;                  /* of the fleet; NULL: this one */
	const char *file;               /* of the page; NULL: none */
	const char *dir, *when;         /* the options, or NULL */
	bool     all, json;
	int      status;
	bool     found;                 /* an event of the issue */
	uint64_t recent[RECENT];        /* ids of the last events, hashed */
	size_t   turn;                  /* the next of them */
	unsigned width;                 /* of a line, in columns */
	char     day[64];               /* of the last one */

	msec     since, now;            /* 0: since the beginning */
	/* For a page: */
	struct journal_event *events;
	size_t   n;
	uint64_t left_out;              /* earlier ones, not among them */
	struct timeline timeline;
};

static const struct command_option options[] = {
	{ 0, "all", NULL, "of all projects", FLAG_AT(struct history, all) },
	{ 0, "since", "WHEN", "only since then: 2h, 3d, 14:02, 2026-11-20, "
	    "'2026-11-20 14:02'", TEXT_AT(struct history, when) },
	JSON_AT(struct history, json, "the lines of the journal"),
	{ 0, "html", "FILE", "write a page with a timeline of all runs; -: to "
	    "standard output", TEXT_AT(struct history, file) },
	CONTEXT_OPTION_AT(struct history, dir),
	{ 0 }
};

static void
history_line(struct history *h, const struct journal_event *e)
{
	const struct tm *tm = html_local(e->time);
	struct buf line = BUF_INIT, shown = BUF_INIT;
	char day[sizeof(h->day)], at[16];

	strftime(day, sizeof(day), "%A, %d %B %Y", tm);
	strftime(at, sizeof(at), "%H:%M:%S", tm);
	if (strcmp(day, h->day) != 0)
		printf("%s%s\n", h->day[0] != '\0' ? "\n" : "", day);
	memcpy(h->day, day, sizeof(day));
	buf_printf(&line, "%s  %-8s  %-8s  ", at, e->subject,
	    eventwords_what(e));
	eventwords_add(&line, e);
	msg_escape(&shown, line.data, line.len);
	buf_reset(&line);
	if (h->width != COLUMNS_ALL)
		columns_add(&line, buf_str(&shown), h->width);
	puts(buf_str(h->width != COLUMNS_ALL ? &line : &shown));
	buf_release(&line);
	buf_release(&shown);
}

/* ---- the page ------------------------------------------------------------ */

/* A local day, and its shown events by time. */
struct day {
	msec   from, to;
	size_t first, end;
	struct html_scale scale;
};

static void
add_why(struct buf *out, const struct journal_event *e)
{
	struct buf words = BUF_INIT;

	eventwords_add(&words, e);
	html_add(out, buf_str(&words));
	buf_release(&words);
}

/* With the date, if that is another day. */
static void
add_time(struct buf *out, const struct day *d, msec wall)
{
	if (wall < d->from || wall >= d->to)
		html_time(out, "%d %b ", wall);
	html_time(out, "%H:%M:%S", wall);
}

static void
add_row(struct buf *out, const struct history *h, const struct day *d,
    const struct timeline_run *r)
{
	const struct journal_event *e;
	const struct span *s;
	struct html_bar bar;
	bool begun = false;

	for (s = r->spans; s < r->spans + r->n; s++) {
		/* A state that lasted no time is shown, too. */
		if (s->from > d->scale.to || (s->from < d->scale.from &&
		    s->to <= d->scale.from))
			continue;
		if (!begun)
			html_row_begin(out, r->issue, xasprintf("%s, run %s",
			    r->issue, r->run));
		begun = true;
		e = &h->events[s->event];
		bar = (struct html_bar){ state_name(s->state),
		    state_name(s->state), e->time >= h->since ?
		    xasprintf("#e%zu", s->event) : NULL, s->from, s->to };
		html_bar_begin(out, &d->scale, &bar);
		buf_printf(out, "<em><strong>%s</strong> ", bar.kind);
		html_add(out, r->issue);
		buf_adds(out, ", ");
		add_time(out, d, s->from);
		buf_adds(out, " to ");
		if (r->open && s == &r->spans[r->n - 1])
			buf_adds(out, "now");
		else
			add_time(out, d, s->to);
		buf_adds(out, ", ");
		clock_span(out, s->to - s->from);
		buf_adds(out, "</em>");
		add_why(out, e);
		html_bar_end(out, &bar);
	}
	if (begun)
		html_row_end(out);
}

/* The local midnight so many days after the one before a time. */
static msec
midnight(msec wall, int days)
{
	struct tm tm = *html_local(wall);

	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_mday += days;
	tm.tm_isdst = -1;
	return (msec)mktime(&tm) * 1000;
}

/* The day of a time, whose events end at this place. */
static struct day
find_day(const struct history *h, const struct journal_event **events,
    msec wall, size_t end)
{
	struct day d = { .from = midnight(wall, 0), .to = midnight(wall, 1),
	    .first = end, .end = end };
	struct html_scale *c = &d.scale;

	while (d.first > 0 && events[d.first - 1]->time >= d.from)
		d.first--;
	*c = (struct html_scale){ d.from, h->now };
	if (d.first < d.end)
		*c = (struct html_scale){ events[d.first]->time,
		    events[d.end - 1]->time };
	if (h->since > d.from)
		c->from = h->since;
	if (h->timeline.open && h->now >= d.from && h->now < d.to &&
	    c->to < h->now)
		c->to = h->now;
	if (c->to - c->from < SHORTEST)
		c->to = c->from + SHORTEST;
	return d;
}

/* Returns the place of its first event. */
static size_t
add_day(struct buf *out, const struct history *h,
    const struct journal_event **events, msec wall, size_t end)
{
	struct day d = find_day(h, events, wall, end);
	const struct journal_event *e;
	const char *what;
	size_t i;

	buf_adds(out, "<section>\n<h2>");
	html_time(out, "%A, %d %B %Y", d.from);
	buf_adds(out, "</h2>\n");
	html_chart_begin(out, &d.scale);
	for (i = 0; i < h->timeline.n; i++)
		add_row(out, h, &d, &h->timeline.runs[i]);
	html_chart_end(out);
	if (d.first < d.end)
		buf_adds(out, "<table class=\"lines\">\n"
		    "<tr><th>time<th>issue<th>what<th>why\n");
	for (i = d.first; i < d.end; i++) {
		e = events[i];
		what = eventwords_what(e);
		buf_printf(out, "<tr id=\"e%zu\"><td class=\"at\">",
		    (size_t)(e - h->events));
		html_time(out, "%H:%M:%S", e->time);
		buf_adds(out, "<td class=\"name\">");
		html_add(out, e->subject);
		buf_printf(out, "<td><span class=\"chip %s\">%s</span><td>",
		    e->type == JOURNAL_STATE ? what : "other", what);
		add_why(out, e);
		buf_addc(out, '\n');
	}
	if (d.first < d.end)
		buf_adds(out, "</table>\n");
	buf_adds(out, "</section>\n");
	return d.first;
}

static void
history_page(struct buf *out, const struct history *h)
{
	const char *pane = h->target.pane, *of = pane ? pane : h->issue;
	const struct journal_event **events = xreallocarray(NULL, h->n + 1,
	    sizeof(*events));
	const struct timeline_run *r = h->timeline.runs;
	bool seen[STATE_COUNT] = { false };
	size_t i, k, end = 0, runs = 0;
	struct buf why = BUF_INIT;

	/* By time; few are out of order, and those of one moment stay in it. */
	for (i = 0; i < h->n; i++) {
		if (h->events[i].time < h->since)
			continue;
		for (k = end++; k > 0 && events[k - 1]->time >
		    h->events[i].time; k--)
			events[k] = events[k - 1];
		events[k] = &h->events[i];
	}
	for (i = 0; i < h->timeline.n; i++, r++) {
		runs += r->spans[r->n - 1].to >= h->since;
		for (k = 0; k < r->n; k++)
			seen[r->spans[k].state] |= r->spans[k].to >= h->since;
	}
	if (html_begin(out, xasprintf("paneward history%s%s", of ? " of " : "",
	    of ? of : ""), &why) == -1)
		fatalx("%s", buf_str(&why));
	buf_adds(out, "<p>");
	html_add(out, h->all ? "All projects" : pane != NULL ?
	    h->context.dir.path : h->context.project.root);
	if (h->since != 0) {
		buf_adds(out, ", since ");
		html_time(out, "%Y-%m-%d %H:%M", h->since);
	}
	buf_printf(out, ": %zu event%s, %zu run%s. Made ", end,
	    end == 1 ? "" : "s", runs, runs == 1 ? "" : "s");
	html_time(out, "%Y-%m-%d %H:%M %Z", h->now);
	buf_adds(out, "; times are local.</p>\n");
	if (h->left_out > 0)
		buf_printf(out, "<p>%" PRIu64 " earlier events are left out; "
		    "name an issue or a time to see more of it.</p>\n",
		    h->left_out);
	buf_adds(out, "<div class=\"legend\">");
	for (i = 0; i < STATE_COUNT; i++)
		if (seen[i])
			buf_printf(out, "<span class=\"chip %s\">%s</span> ",
			    state_names[i], state_names[i]);
	buf_adds(out, "</div>\n");
	/* Today, if a run stands although nothing happened, and each day with
	 * an event. */
	if (h->timeline.open && (end == 0 ||
	    events[end - 1]->time < midnight(h->now, 0)))
		add_day(out, h, events, h->now, end);
	while (end > 0)
		end = add_day(out, h, events, events[end - 1]->time, end);
	html_end(out);
}

/* Writes the page; spans of runs that still stand go on until now. */
static void
make_page(struct history *h)
{
	struct buf text = BUF_INIT;
	const struct source *source = h->sources;
	struct presence presence;
	struct journal_event *e;
	struct status s;
	struct stat st;
	char **issue;
	size_t i;
	int got;

	for (i = 0; i < h->n; i++)
		timeline_add(&h->timeline, &h->events[i], i);
	presence_init(&presence);
	for (; source < h->sources + h->nsources; source++) {
		if (source->dir.state_fd == -1)
			continue;
		presence_enter(&presence, source->dir.state_fd);
		issue = status_issues(source->dir.state_fd);
		if (issue == NULL)
			fatal("cannot read '%s'", source->dir.path);
		for (; *issue != NULL; issue++) {
			if (h->issue != NULL && strcmp(*issue, h->issue) != 0)
				continue;
			got = status_read(&s, source->dir.state_fd, *issue);
			if (got == -1) {
				warn("cannot read the status record of issue "
				    "'%s'", *issue);
				h->status = EXIT_COULD_NOT;
			}
			if (got != 1 || status_over(&s) ||
			    presence_ended(&presence, &s) != NULL ||
			    timeline_stand(&h->timeline, &s, h->now))
				continue;
			/* It stands longer than what is kept of the journal. */
			e = ARRAY_ADD(h->events, h->n);
			*e = (struct journal_event){ .type = JOURNAL_STATE,
			    .time = s.since, .exit = -1,
			    .subject = xasprintf("%s%s", source->prefix,
			    h->target.pane ? h->target.pane : s.issue),
			    .state = xstrdup(state_name(s.verdict.state)),
			    .why = xstrdup(s.verdict.why),
			    .message = xstrdup(s.verdict.message) };
			memcpy(e->run, s.run, sizeof(e->run));
			timeline_add(&h->timeline, e, h->n - 1);
			timeline_stand(&h->timeline, &s, h->now);
		}
	}
	history_page(&text, h);
	if (strcmp(h->file, "-") == 0)
		fwrite(text.data, 1, text.len, stdout);
	else if (lstat(h->file, &st) == 0 && !S_ISREG(st.st_mode) &&
	    !S_ISLNK(st.st_mode))
		fatalx("cannot write the page '%s': it is not a regular file; "
		    "'-' is standard output", h->file);
	else if (file_replace(AT_FDCWD, h->file, text.data, text.len, 0666) ==
	    -1)
		fatal("cannot write the page '%s'", h->file);
}

/* ---- the events ---------------------------------------------------------- */

/* An event from the fleet is of "desk:app/42". */
static void
take_event(struct history *h, struct source *s)
{
	static const char usual[] = "/.worktrees/.status";
	struct journal_event *e = &s->reader.event;
	const char *from = e->source != NULL ? e->source : "";
	bool far = s->fleet.pid != 0;
	size_t i, len = strlen(from);
	uint64_t hash;
	char *issue;

	/* Skips this host's own events in the fleet: its journals have them. */
	if (far && (e->host == NULL || (h->host == NULL &&
	    strcmp(e->host, h->context.config.fleet->host) == 0)))
		return;
	if (h->issue != NULL && strcmp(e->subject, h->issue) != 0)
		return;
	h->found = true;
	if (h->file == NULL && e->time < h->since)
		return;
	if (h->json) {
		/* The line is printed anew, since it may hold controls. */
		json_puts(json_parse(s->reader.line, s->reader.len, false,
		    NULL));
		return;
	}
	/* A writer that crashed may write an event again, with the same id. */
	if (e->type == JOURNAL_STATE) {
		hash = text_hash(e->id, strlen(e->id));
		for (i = 0; i < RECENT; i++)
			if (h->recent[i] == hash)
				return;
		h->recent[h->turn++ % RECENT] = hash;
	}
	if (len >= sizeof(usual) && strcmp(from + len - sizeof(usual) + 1,
	    usual) == 0)
		len -= sizeof(usual) - 1;
	for (i = len; i > 0 && from[i - 1] != '/'; i--)
		continue;
	issue = far ? xasprintf("%s:%.*s/%s", e->host, (int)(len - i), from + i,
	    e->subject) : xasprintf("%s%s", s->prefix, h->target.pane != NULL ?
	    h->target.pane : e->subject);
	free(e->subject);
	e->subject = issue;
	if (h->file == NULL) {
		history_line(h, e);
		return;
	}
	if (h->n == (size_t)2 * PAGE_EVENTS) {
		for (i = 0; i < PAGE_EVENTS; i++) {
			h->left_out += h->events[i].time >= h->since;
			journal_event_release(&h->events[i]);
		}
		h->n -= PAGE_EVENTS;
		memcpy(h->events, h->events + PAGE_EVENTS,
		    h->n * sizeof(*h->events));
	}
	*ARRAY_ADD(h->events, h->n) = *e;
	*e = (struct journal_event){ .exit = -1 };
}

static void
source_next(struct history *h, struct source *s, int got)
{
	if (got == 0)
		got = journal_next(&s->reader);
	if (got != 1 && s->fleet.pid != 0) {
		spawn_finish(&s->fleet);
		if (s->fleet.status != 0) {
			warnx("cannot read the events of the fleet: %.*s",
			    (int)strcspn(buf_str(&s->fleet.errors), "\n"),
			    buf_str(&s->fleet.errors));
			h->status = EXIT_COULD_NOT;
		}
	} else if (got == -1) {
		warn("cannot read the journal in '%s'", s->dir.path);
		h->status = EXIT_COULD_NOT;
	}
	s->more = got == 1;
}

/* Takes the directory over. */
static void
source_add(struct history *h, const struct statusdir *d, const char *prefix)
{
	struct source *s = ARRAY_ADD(h->sources, h->nsources);

	*s = (struct source){ .dir = *d, .prefix = prefix,
	    .fleet = SPAWN_INIT };
	source_next(h, s, journal_open(&s->reader, d->state_fd));
}

/* A directory that is refused is none of ours any more. */
static void
add_projects(struct history *h)
{
	char **paths = registry_directories(true), **p, *root;
	struct buf refused = BUF_INIT;
	struct statusdir d;

	if (paths == NULL && errno != 0)
		fatal("cannot read which projects there are");
	for (p = paths; p != NULL && *p != NULL; p++) {
		if (statusdir_open(&d, xstrdup(*p), false, &refused) == -1) {
			if (errno != 0) {
				warn("cannot read the status directory '%s'",
				    *p);
				h->status = EXIT_COULD_NOT;
			}
		} else if (d.state_fd != -1) {
			root = statusdir_project(&d);
			if (root == NULL)
				fatal("cannot read the status directory '%s'",
				    *p);
			source_add(h, &d, xasprintf("%s/",
			    strrchr(root, '/') + 1));
		}
	}
}

static void
add_fleet(struct history *h)
{
	char **argv = argv_add_all(NULL,
	    WORDS(proc_beside("paneward-fleet"), "history"));
	struct source *s;
	int pipe[2];

	if (h->host != NULL)
		argv = argv_own(argv, xasprintf("--host=%s", h->host));
	if (h->issue != NULL)
		argv = argv_own(argv, xasprintf("--issue=%s", h->issue));
	if (h->when != NULL)
		argv = argv_own(argv, xasprintf("--since=%s", h->when));
	if (pipe2(pipe, O_CLOEXEC) == -1)
		fatal("cannot make a pipe");
	s = ARRAY_ADD(h->sources, h->nsources);
	*s = (struct source){ .dir = STATUSDIR_INIT, .fleet = SPAWN_INIT };
	if (spawn_begin(&s->fleet, &(struct spawn_how){
	    .argv = (const char *const *)argv, .to = pipe[1],
	    .limit = FLEET_LIMIT, .stays = true }) == -1)
		fatal("cannot run '%s'", argv[0]);
	close(pipe[1]);
	s->reader = (struct journal_reader){ .fd = pipe[0], .stream = true };
	source_next(h, s, 0);
}

/* ---- the command --------------------------------------------------------- */

static int
history_run(const struct command *c, int argc, char **argv)
{
	struct history h = { .now = clock_wall() };
	const char *word, *colon;
	struct source *s;
	size_t i;

	command_option(c, argc, argv, &h);
	if (h.when != NULL && !since_parse(h.when, h.now, &h.since))
		command_usage(c, "--since '%s' is not " SINCE_FORMS, h.when);
	if (h.json && h.file != NULL)
		command_usage(c, "--json and --html exclude each other");
	if (h.all && h.dir != NULL)
		command_usage(c, "--all and --status-dir exclude each other");
	/* An issue, of this host or another one. */
	word = argv[optind];
	colon = word != NULL && !command_pane(word) ? strchr(word, ':') : NULL;
	if (colon != NULL) {
		h.host = xstrndup(word, (size_t)(colon - word));
		if (!fleet_name_valid(h.host))
			command_usage(c, "'%s' is no name of a host", h.host);
		h.issue = command_issue(c, colon + 1);
	} else if (word != NULL) {
		h.issue = command_agent(c, word);
	}
	if (h.host != NULL && (h.all || h.dir != NULL))
		command_usage(c, "HOST:ISSUE goes without --all and "
		    "--status-dir");

	/* A reader that has seen enough ends us. */
	signal(SIGPIPE, SIG_DFL);
	columns_begin();
	h.width = columns_terminal(STDOUT_FILENO);
	target_open(&h.target, &h.context, "show the history of", h.issue,
	    h.dir);
	h.issue = h.target.issue;
	h.all &= h.target.pane == NULL; /* it has one journal, on this host */
	if (h.host != NULL && h.context.config.fleet == NULL)
		fatal_usage("no fleet is configured: set 'fleet' in your "
		    "config.json (see paneward-fleet(1))");
	if (h.host != NULL || (h.all && h.context.config.fleet != NULL))
		add_fleet(&h);
	if (h.all)
		add_projects(&h);
	else if (h.host == NULL && h.context.dir.state_fd != -1)
		source_add(&h, &h.context.dir, "");
	/* The journals are merged by the time of their next events. */
	do {
		for (s = NULL, i = 0; i < h.nsources; i++)
			if (h.sources[i].more && (s == NULL ||
			    h.sources[i].reader.event.time <
			    s->reader.event.time))
				s = &h.sources[i];
		if (s != NULL) {
			take_event(&h, s);
			source_next(&h, s, 0);
		}
	} while (s != NULL);
	if (h.issue != NULL && !h.found && h.status == EXIT_DONE) {
		if (h.target.pane != NULL)
			warnx("nothing was recorded of '%s': 'paneward watch "
			    "--everywhere' does that", h.target.pane);
		else
			warnx("no journal has anything of issue '%s'", h.issue);
		return EXIT_NO;
	}
	if (h.file != NULL)
		make_page(&h);
	return h.status;
}

const struct command history_command = {
	.name = "history",
	.summary = "Print what happened, from the journal",
	.arguments = "[ISSUE|%PANE|HOST:ISSUE]",
	.examples =
	"  paneward history --since 2h\n"
	"  paneward history 42\n"
	"  paneward history %7\n"
	"  paneward history desk:42\n"
	"  paneward history --all --since 2h\n"
	"  paneward history --since 1w --html history.html\n",
	.options = options,
	.run = history_run,
};

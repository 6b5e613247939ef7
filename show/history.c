/*
 * history.c - what happened, from the journal: lines, JSON, or a page.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/command.h"
#include "base/msg.h"
#include "base/text.h"
#include "chain/presence.h"
#include "os/file.h"
#include "run/context.h"
#include "run/journal.h"
#include "show/commands.h"
#include "show/eventwords.h"
#include "show/historypage.h"
#include "show/since.h"
#include "text/json.h"

enum {
	OPTION_JSON = 'j',
	OPTION_SINCE = OPTION_LONG,
	OPTION_HTML,

	PAGE_EVENTS = 10000,            /* on a page, or up to twice as many */
	RECENT = 32                     /* events that may be written again */
};

static const struct command_option options[] = {
	{ OPTION_SINCE, "since", "WHEN", "only since then: 2h, 3d, 14:02, "
	    "2026-11-20, '2026-11-20 14:02'" },
	{ OPTION_JSON, "json", NULL, "the lines of the journal" },
	{ OPTION_HTML, "html", "FILE", "write a page with a timeline of all "
	    "runs; -: to standard output" },
	CONTEXT_OPTION,
	{ 0 }
};

struct history {
	struct context context;
	const char *issue;              /* NULL: all */
	const char *page;               /* the file; NULL: no page */
	bool     json;
	msec     since, now;
	bool     found;                 /* an event of the issue */
	uint64_t recent[RECENT];        /* ids of the last events, hashed */
	size_t   turn;                  /* the next of them */
	char     day[64];               /* of the last line */

	/* For the page. */
	struct journal_event *events;
	size_t   n;
	uint64_t left_out;
};

/* ---- lines --------------------------------------------------------------- */

static void
history_line(struct history *h, const struct journal_event *e)
{
	time_t seconds = (time_t)(e->time / 1000);
	struct tm tm = { .tm_mday = 1 };
	struct buf words = BUF_INIT, line = BUF_INIT;
	char day[sizeof(h->day)], at[16];

	localtime_r(&seconds, &tm);
	strftime(day, sizeof(day), "%A, %d %B %Y", &tm);
	strftime(at, sizeof(at), "%H:%M:%S", &tm);
	if (strcmp(day, h->day) != 0)
		printf("%s%s\n", h->day[0] != '\0' ? "\n" : "", day);
	memcpy(h->day, day, sizeof(day));
	eventwords_add(&words, e);
	buf_printf(&line, "%s  %-8s  %-8s  %s", at, e->subject,
	    eventwords_what(e), buf_str(&words));
	buf_reset(&words);
	msg_escape(&words, line.data, line.len);
	puts(buf_str(&words));
	buf_release(&words);
	buf_release(&line);
}

/* The line is printed anew, since it may hold controls. */
static void
history_json(const char *line, size_t len)
{
	cJSON *o = json_parse(line, len, false, NULL);
	struct buf out = BUF_INIT;

	json_print(&out, o);
	puts(buf_str(&out));
	buf_release(&out);
	json_free(o);
}

/* ---- the page ------------------------------------------------------------ */

/* Takes the event over. */
static void
keep_event(struct history *h, struct journal_event *e)
{
	size_t i;

	if (h->n == (size_t)2 * PAGE_EVENTS) {
		for (i = 0; i < PAGE_EVENTS; i++) {
			h->left_out += h->events[i].time >= h->since;
			journal_event_release(&h->events[i]);
		}
		h->n -= PAGE_EVENTS;
		memcpy(h->events, h->events + PAGE_EVENTS,
		    h->n * sizeof(*h->events));
	}
	h->events = xreallocarray(h->events, h->n + 1, sizeof(*h->events));
	h->events[h->n++] = *e;
	*e = (struct journal_event){ .exit = -1 };
}

/* A run may stand longer than what is kept of the journal. */
static void
keep_record(struct history *h, const struct status *s)
{
	struct journal_event e = { .type = JOURNAL_STATE, .time = s->since,
	    .exit = -1 };

	e.subject = xstrdup(s->issue);
	e.state = xstrdup(state_name(s->verdict.state));
	e.why = xstrdup(s->verdict.why);
	e.message = xstrdup(s->verdict.message);
	memcpy(e.run, s->run, sizeof(e.run));
	h->events = xreallocarray(h->events, h->n + 1, sizeof(*h->events));
	h->events[h->n++] = e;
}

struct standing {
	struct history *history;
	struct presence presence;
	struct timeline timeline;
};

/* Looks at one file of .paneward. */
static void
stand_record(void *context, const char *name)
{
	struct standing *x = context;
	struct history *h = x->history;
	char issue[ISSUE_MAX + 1];
	struct status s;

	if (!status_named(x->presence.state_fd, name, issue) ||
	    (h->issue != NULL && strcmp(issue, h->issue) != 0) ||
	    status_read(&s, x->presence.state_fd, issue) != 1)
		return;
	if (!status_over(&s) && presence_ended(&x->presence, &s) == NULL &&
	    !timeline_stand(&x->timeline, &s, h->now)) {
		keep_record(h, &s);
		timeline_add(&x->timeline, &h->events[h->n - 1], h->n - 1);
		timeline_stand(&x->timeline, &s, h->now);
	}
	status_release(&s);
}

static void
write_page(const char *file, const struct buf *page)
{
	struct stat st;

	if (strcmp(file, "-") == 0) {
		fwrite(page->data, 1, page->len, stdout);
		return;
	}
	if (lstat(file, &st) == 0 && !S_ISREG(st.st_mode) &&
	    !S_ISLNK(st.st_mode))
		fatalx("cannot write the page '%s': it is not a regular file; "
		    "'-' is standard output", file);
	if (file_replace(AT_FDCWD, file, page->data, page->len, 0666) == -1)
		fatal("cannot write the page '%s'", file);
}

static void
make_page(struct history *h)
{
	int state_fd = h->context.dir.state_fd;
	struct standing x = { .history = h };
	struct buf page = BUF_INIT, why = BUF_INIT;
	size_t i;

	for (i = 0; i < h->n; i++)
		timeline_add(&x.timeline, &h->events[i], i);
	presence_init(&x.presence, state_fd);
	if (state_fd != -1 &&
	    statusdir_names(state_fd, stand_record, &x) == -1)
		fatal("cannot read the status directory");
	if (historypage_add(&page, &(struct historypage){
	    .from = h->context.project.root, .issue = h->issue,
	    .since = h->since, .now = h->now, .events = h->events,
	    .n = h->n, .left_out = h->left_out, .timeline = &x.timeline },
	    &why) == -1)
		fatalx("%s", buf_str(&why));
	write_page(h->page, &page);
	timeline_release(&x.timeline);
	buf_release(&page);
}

/* ---- the events ---------------------------------------------------------- */

/* A crash may make its writer write an event again, with the same id. */
static bool
seen_before(struct history *h, const char *id)
{
	uint64_t hash = text_hash(id, strlen(id));
	size_t i;

	for (i = 0; i < RECENT; i++)
		if (h->recent[i] == hash)
			return true;
	h->recent[h->turn++ % RECENT] = hash;
	return false;
}

static void
take_event(void *context, struct journal_event *e, const char *line,
    size_t len)
{
	struct history *h = context;

	if (h->issue != NULL && strcmp(e->subject, h->issue) != 0)
		return;
	h->found = true;
	if (h->page == NULL && e->time < h->since)
		return;
	if (h->json)
		history_json(line, len);
	else if (e->type == JOURNAL_STATE && seen_before(h, e->id))
		return;
	else if (h->page != NULL)
		keep_event(h, e);
	else
		history_line(h, e);
}

/* ---- the command --------------------------------------------------------- */

static const char *
read_options(const struct command *c, struct history *h, int argc, char **argv)
{
	const char *dir = NULL;
	int key;

	while ((key = command_option(c, argc, argv)) != -1)
		switch (key) {
		case OPTION_JSON: h->json = true; break;
		case OPTION_HTML: h->page = optarg; break;
		case CONTEXT_KEY: dir = optarg; break;
		default:
			if (!since_parse(optarg, h->now, &h->since))
				command_usage(c, "--since '%s' is not "
				    SINCE_FORMS, optarg);
		}
	if (argc - optind > 1)
		command_usage(c, "more than one issue");
	if (h->json && h->page != NULL)
		command_usage(c, "--json and --html exclude each other");
	if (optind < argc)
		h->issue = command_issue(c, argv[optind]);
	return dir;
}

static int
history_run(const struct command *c, int argc, char **argv)
{
	struct history h = { .now = clock_wall() };
	const char *dir = read_options(c, &h, argc, argv);
	struct statusdir *d = &h.context.dir;

	context_open(&h.context, dir, false);
	if (d->state_fd != -1 &&
	    journal_read(d->state_fd, take_event, &h) == -1)
		fatal("cannot read the journal in '%s'", d->path);
	if (h.issue != NULL && !h.found) {
		warnx("the journal in '%s' has nothing of issue '%s'", d->path,
		    h.issue);
		return EXIT_NO;
	}
	if (h.page != NULL)
		make_page(&h);
	return EXIT_DONE;
}

const struct command history_command = {
	.name = "history",
	.summary = "Print what happened, from the journal",
	.arguments = "[ISSUE]",
	.examples =
	"  paneward history --since 2h\n"
	"  paneward history 42\n"
	"  paneward history --html history.html && open history.html\n",
	.options = options,
	.run = history_run,
};

/*
 * history.c - the stream's events as journal lines with their host, for
 * `paneward history`.
 *
 * Hosts that were away send late, so lines are sorted by time; too many are
 * printed by halves.
 */
#include "base/since.h"
#include "fleet/wire/wire.h"

enum { SORTED = 64 << 20 };

struct farevent {
	msec     time;
	uint64_t sequence;
	char    *line;
};

struct farhistory {
	const char *host, *issue, *from;        /* NULL: all */
	msec   since;
	struct farevent *events;
	size_t n, size;                 /* size: bytes */
	unsigned skipped;
};

static const struct command_option options[] = {
	{ 'H', "host", "NAME", "only of this host",
	    TEXT_AT(struct farhistory, host) },
	{ 'i', "issue", "ISSUE", "only of this issue",
	    TEXT_AT(struct farhistory, issue) },
	{ 0, "since", "WHEN", "only since then: 2h, 3d, 14:02, "
	    "2026-11-20, '2026-11-20 14:02'",
	    TEXT_AT(struct farhistory, from) },
	{ 0 }
};

static int
farevent_compare(const void *a, const void *b)
{
	const struct farevent *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static void
farhistory_print(struct farhistory *h, size_t n)
{
	size_t i;

	if (h->n > 0)
		qsort(h->events, h->n, sizeof(*h->events), farevent_compare);
	for (i = 0; i < n; i++) {
		puts(h->events[i].line);
		h->size -= strlen(h->events[i].line);
		free(h->events[i].line);
	}
	h->n -= n;
	if (h->n > 0)
		memmove(h->events, h->events + n, h->n * sizeof(*h->events));
}

/* The host is the subject's, which alone may write it. */
static void
farhistory_take(void *context, const struct link_message *m)
{
	struct farhistory *h = context;
	const char *from = m->subject + strlen(stores[STORE_EVENTS].prefix);
	size_t len = strcspn(from, ".");
	struct buf line = BUF_INIT;
	struct outbox_event e;
	bool wanted;
	char *host;
	struct json *o;

	if (!outbox_event_parse(&e, m->data, m->len)) {
		h->skipped++;
		return;
	}
	wanted = e.time >= h->since &&
	    (h->issue == NULL || strcmp(e.subject, h->issue) == 0);
	outbox_event_release(&e);
	if (!wanted)
		return;
	o = json_parse(m->data, m->len, false, NULL);
	host = xstrndup(from, len);
	json_drop(o, "host");
	json_add_text(o, "host", host);
	json_give(&line, o);
	free(host);
	h->size += line.len;
	*ARRAY_ADD(h->events, h->n) = (struct farevent){ .time = e.time,
	    .sequence = m->sequence, .line = buf_steal(&line) };
	if (h->size > SORTED)
		farhistory_print(h, (h->n + 1) / 2);
}

static int
farhistory_run(const struct command *c, int argc, char **argv)
{
	struct farhistory h = { .n = 0 };
	struct buf keys = BUF_INIT, why = BUF_INIT;
	struct store_look look;
	struct link *l;

	command_option(c, argc, argv, &h);
	if (h.issue != NULL)
		command_issue(c, h.issue);
	if (h.from != NULL && !since_parse(h.from, clock_wall(), &h.since))
		command_usage(c, "--since '%s' is not " SINCE_FORMS, h.from);
	if (h.host != NULL && !fleet_name_valid(h.host))
		command_usage(c, "--host '%s' is no name of a host", h.host);
	l = fleet_open(NULL, false);
	buf_printf(&keys, "%s.*.", h.host != NULL ? h.host : "*");
	if (h.issue != NULL)
		store_token(&keys, h.issue);
	else
		buf_adds(&keys, "*");
	if (store_open(l, STORE_EVENTS, &look, &why) == -1 ||
	    link_each(l, STORE_EVENTS, buf_str(&keys), LINK_ALL, h.since,
	    farhistory_take, &h, &why) == -1)
		fatalx("cannot read the events: %s", buf_str(&why));
	farhistory_print(&h, h.n);
	if (h.skipped > 0)
		warnx("skipped %u messages that are no events", h.skipped);
	link_close(l);
	return EXIT_DONE;
}

const struct command fleet_history_command = {
	.name = "history",
	.summary = "Print the events of all hosts, as lines of a journal",
	.examples =
	"  paneward-fleet history --since 2h\n"
	"  paneward-fleet history --host desk --issue 42\n",
	.options = options,
	.run = farhistory_run,
};

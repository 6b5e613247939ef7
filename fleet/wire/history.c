/*
 * history.c - the events of the fleet's stream, as lines of a journal that name
 * their host: what `paneward history` reads.
 *
 * A host that was away sends late, so the lines are sorted by their time; if
 * they are too many for that, each half of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "base/since.h"
#include "data/json.h"
#include "fleet/commands.h"
#include "fleet/wire/open.h"
#include "fleet/wire/outbox.h"
#include "fleet/wire/store.h"

enum {
	OPTION_HOST = 'H', OPTION_ISSUE = 'i', OPTION_SINCE = OPTION_LONG,
	SORTED = 64 << 20               /* bytes of lines, at most */
};

static const struct command_option options[] = {
	{ OPTION_HOST, "host", "NAME", "only of this host" },
	{ OPTION_ISSUE, "issue", "ISSUE", "only of this issue" },
	{ OPTION_SINCE, "since", "WHEN", "only since then: 2h, 3d, 14:02, "
	    "2026-11-20, '2026-11-20 14:02'" },
	{ 0 }
};

struct farevent {
	msec     time;
	uint64_t sequence;
	char    *line;
	size_t   len;
};

struct farhistory {
	const char *host, *issue;       /* NULL: all */
	msec   since;
	struct farevent *events;
	size_t n, size;                 /* size: bytes of all lines */
	unsigned skipped;
};

static int
farevent_compare(const void *a, const void *b)
{
	const struct farevent *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* Prints the first n by their time. */
static void
farhistory_print(struct farhistory *h, size_t n)
{
	size_t i;

	if (h->n > 0)
		qsort(h->events, h->n, sizeof(*h->events), farevent_compare);
	for (i = 0; i < n; i++) {
		puts(h->events[i].line);
		h->size -= h->events[i].len;
		free(h->events[i].line);
	}
	h->n -= n;
	if (h->n > 0)
		memmove(h->events, h->events + n, h->n * sizeof(*h->events));
}

/* Adds the line, with the host that may write it.  The subject is
 * "paneward.HOST.PROJECT.ISSUE"; orders have a project "_order", which is that
 * of no directory. */
static void
farhistory_take(void *context, const struct link_message *m)
{
	struct farhistory *h = context;
	const char *from = m->subject + strlen(store_prefix(STORE_EVENTS));
	size_t len = strcspn(from, ".");
	struct buf line = BUF_INIT;
	struct outbox_event e;
	bool wanted;
	char *host;
	cJSON *o;

	if (strncmp(from + len, "._order.", 8) == 0)
		return;
	if (!outbox_event_parse(&e, m->data, m->len)) {
		h->skipped++;
		return;
	}
	wanted = e.time >= h->since &&
	    (h->issue == NULL || strcmp(e.subject, h->issue) == 0);
	outbox_event_release(&e);
	o = wanted ? json_parse(m->data, m->len, false, NULL) : NULL;
	if (!cJSON_IsObject(o)) {
		json_free(o);
		return;
	}
	host = xstrndup(from, len);
	json_drop(o, "host");
	json_add_text(o, "host", host);
	json_print(&line, o);
	json_free(o);
	free(host);
	h->size += line.len;
	*ARRAY_ADD(h->events, h->n) = (struct farevent){ e.time, m->sequence,
	    NULL, line.len };
	h->events[h->n - 1].line = buf_steal(&line);
	if (h->size > SORTED)
		farhistory_print(h, (h->n + 1) / 2);
}

static int
farhistory_run(const struct command *c, int argc, char **argv)
{
	struct farhistory h = { .n = 0 };
	struct buf subject = BUF_INIT, why = BUF_INIT;
	struct context context;
	struct link *l;
	int key;

	while ((key = command_option(c, argc, argv, NULL)) != -1)
		switch (key) {
		case OPTION_HOST: h.host = optarg; break;
		case OPTION_ISSUE: h.issue = command_issue(c, optarg); break;
		default:
			if (!since_parse(optarg, clock_wall(), &h.since))
				command_usage(c, "--since '%s' is not "
				    SINCE_FORMS, optarg);
		}
	if (h.host != NULL && !fleet_name_valid(h.host))
		command_usage(c, "--host '%s' is no name of a host", h.host);
	if (optind < argc)
		command_usage(c, "takes no argument");
	l = fleet_open(&context, NULL, false);
	buf_printf(&subject, "%s%s.*.", store_prefix(STORE_EVENTS),
	    h.host != NULL ? h.host : "*");
	if (h.issue != NULL)
		store_token(&subject, h.issue);
	else
		buf_adds(&subject, "*");
	if (store_open(l, STORE_EVENTS, NULL, &why) == -1 ||
	    link_each_since(l, store_stream(STORE_EVENTS), buf_str(&subject),
	    h.since, farhistory_take, &h, &why) == -1)
		fatalx("cannot read the events: %s", buf_str(&why));
	farhistory_print(&h, h.n);
	if (h.skipped > 0)
		warnx("skipped %u messages that are no events", h.skipped);
	free(h.events);
	buf_release(&subject);
	link_close(l);
	context_close(&context);
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

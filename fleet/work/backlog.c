/*
 * backlog.c - shows the fleet's backlog.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "fleet/commands.h"
#include "fleet/wire/open.h"
#include "fleet/work/order.h"

enum {
	BACKLOG_STATE = 15,             /* characters of a column */
	BACKLOG_HOST = 16,
	BACKLOG_TITLE = 60,             /* bytes of a prompt */
	BACKLOG_MOST = 500              /* and of other texts */
};

/* ---- reading -------------------------------------------------------------- */

struct backlog {
	struct order *v;
	size_t n;
	char **leases;                  /* keys of those that hold, sorted */
};

static void
backlog_take(void *context, const struct link_message *m)
{
	struct backlog *b = context;
	struct order o;

	if (m->gone || !order_parse(&o, m->data, m->len))
		return;
	o.revision = m->sequence;
	o.time = m->time;
	*ARRAY_ADD(b->v, b->n) = o;
}

static void
backlog_lease(void *context, const struct link_message *m)
{
	struct backlog *b = context;

	if (!m->gone)
		b->leases = argv_add(b->leases, m->subject +
		    strlen(store_prefix(STORE_LEASES)));
}

static int
backlog_order(const void *a, const void *b)
{
	uint64_t x = order_number(a), y = order_number(b);

	return x < y ? -1 : x > y;
}

static void
backlog_each(struct backlog *b, struct link *l, enum store which,
    link_take *take)
{
	struct buf why = BUF_INIT;

	if (store_open(l, which, NULL, &why) == -1 ||
	    store_each(l, which, take, b, &why) == -1)
		fatalx("cannot read the backlog: %s", buf_str(&why));
	buf_release(&why);
}

/* ---- showing -------------------------------------------------------------- */

/* Its state in a word, and the host that has it, or NULL. */
static const char *
backlog_state(const struct backlog *b, const struct order *o,
    const char **host)
{
	const char *handing = order_part(o, "handoff", "state");
	struct buf key = BUF_INIT;
	bool leased;

	*host = order_part(o, handing != NULL ? "handoff" : "work", "host");
	if (order_over(o))
		return order_text(o, "state");
	if (handing != NULL)
		return strcmp(handing, "begun") == 0 ? "handing-off" :
		    "hand-off-failed";
	if (*host == NULL)
		return json_member(o->json, "failed") != NULL ? "failed" :
		    "waiting";
	order_key(&key, order_text(o, "repository"), o->issue);
	leased = argv_has_sorted(b->leases, buf_str(&key));
	buf_release(&key);
	return leased ? "working" : "lost";
}

/* A column of so many characters: the first line of a text that another host
 * has written, and at most so many bytes of it. */
static void
backlog_column(struct buf *line, const char *text, int width, size_t most)
{
	struct buf shown = BUF_INIT;
	size_t len = strcspn(text, "\n");

	msg_escape(&shown, text, len < most ? len : most);
	buf_printf(line, " %-*s", width, buf_str(&shown));
	buf_release(&shown);
}

static void
backlog_line(const struct backlog *b, const struct order *o)
{
	const char *host, *state = backlog_state(b, o, &host);
	const char *text = order_text(o, "prompt");
	const cJSON *failed = strcmp(state, "failed") == 0 ?
	    json_member(o->json, "failed") : NULL;
	struct buf line = BUF_INIT;
	char since[CLOCK_TEXT];

	if (failed != NULL)
		text = json_text(cJSON_GetArrayItem(failed,
		    cJSON_GetArraySize(failed) - 1), "why");
	clock_format(since, o->time);
	buf_printf(&line, "%-12s", o->issue);
	backlog_column(&line, state, BACKLOG_STATE, BACKLOG_MOST);
	backlog_column(&line, host != NULL ? host : "-", BACKLOG_HOST,
	    BACKLOG_MOST);
	buf_printf(&line, " since %.16s ", since);
	backlog_column(&line, order_text(o, "repository"), 0, BACKLOG_MOST);
	if (text != NULL) {
		buf_addc(&line, ' ');
		backlog_column(&line, text, 0, BACKLOG_TITLE);
	}
	puts(buf_str(&line));
	buf_release(&line);
}

static void
backlog_json(const struct backlog *b, const struct order *o)
{
	const char *host, *state = backlog_state(b, o, &host);
	cJSON *out = json_copy(o->json);

	json_drop(out, "state");
	json_add_text(out, "state", state);
	json_puts(out);
}

static int
backlog_run(const struct command *c, int argc, char **argv)
{
	struct context context;
	struct backlog b = { 0 };
	struct link *l;
	bool json = false;
	size_t i;

	while (command_option(c, argc, argv, NULL) != -1)
		json = true;
	if (optind < argc)
		command_usage(c, "takes no argument");
	l = fleet_open(&context, NULL, false);
	backlog_each(&b, l, STORE_BACKLOG, backlog_take);
	backlog_each(&b, l, STORE_LEASES, backlog_lease);
	argv_sort(b.leases);
	if (b.n > 0)
		qsort(b.v, b.n, sizeof(*b.v), backlog_order);
	for (i = 0; i < b.n; i++) {
		if (json)
			backlog_json(&b, &b.v[i]);
		else
			backlog_line(&b, &b.v[i]);
	}
	return fleet_close(&context, l, true);
}

const struct command fleet_backlog_command = {
	.name = "backlog",
	.summary = "Show what waits, what is worked on and where, what is done",
	.options = (const struct command_option[]){
		{ 'j', "json", NULL, "one object of JSON a line" },
		{ 0 } },
	.run = backlog_run,
};

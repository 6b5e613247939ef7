/*
 * follow.c - the rows of the fleet's other hosts, as lines.
 *
 * Rows come from the server as they change.  Which hosts are there is asked each
 * STORE_BEAT, in one question: getting the beats of all hosts on all hosts would
 * cost hosts squared.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/command.h"
#include "base/msg.h"
#include "fleet/commands.h"
#include "fleet/farrows.h"
#include "fleet/open.h"
#include "fleet/store.h"
#include "os/compat.h"
#include "queue/rowlines.h"

enum {
	OPTION_HOST = 'H', OPTION_JSON = 'j',
	FOLLOW_AGAIN = 1000,            /* ms to the next try */
	FOLLOW_DAY = 86400000
};

static const struct command_option options[] = {
	{ OPTION_HOST, "host", "NAME", "only this host; may be given again" },
	{ OPTION_JSON, "json", NULL, "one JSON object per line" },
	{ 0 }
};

struct farfollow {
	struct context context;
	struct link *link;
	struct farrows *rows;
	struct rowlines *lines;
	struct loop loop;
	struct loop_wait told;          /* something, by the server */
	char   **only;                  /* hosts; NULL: all */
	int      tag;                   /* of the rows that are followed */
	bool     following;
	bool     up;                    /* at the last look, */
	unsigned connects;              /* and how often it was */
	msec     made;                  /* the bucket of rows */
	bool     unknown;               /* a host whose beat was not read */
	msec     now, ask;              /* and when the server is asked again */
	struct row problem;             /* of the server, if it has one */
	bool     ready;                 /* for the first batch to end */
};

/* ---- hosts --------------------------------------------------------------- */

static void
farfollow_host(void *context, const struct link_message *m)
{
	struct farfollow *x = context;

	farrows_clock(x->rows, m->time, x->now);
	farrows_host(x->rows, m, clock_wall());
}

static void
farfollow_there(void *context, const char *name)
{
	struct farfollow *x = context;

	x->unknown |= !farrows_there(x->rows, name, clock_wall());
}

static int
farfollow_ask(struct farfollow *x, struct buf *why)
{
	msec made;

	if (store_open(x->link, STORE_HOSTS, &made, why) == -1)
		return -1;
	farrows_ask(x->rows);
	x->unknown = false;
	if (store_keys(x->link, STORE_HOSTS, farfollow_there, x, why) == -1)
		return -1;
	if (x->unknown && store_each(x->link, STORE_HOSTS, farfollow_host, x,
	    why) == -1)
		return -1;
	farrows_asked(x->rows, made, clock_wall(), x->now);
	return 0;
}

/* ---- rows ---------------------------------------------------------------- */

/* One host's alone, if one is asked for. */
static int
farfollow_begin(struct farfollow *x, struct buf *why)
{
	bool one = x->only != NULL && x->only[1] == NULL;
	struct buf subject = BUF_INIT;
	uint64_t messages;
	msec time;
	int ret;

	link_unfollow(x->link, x->tag);
	buf_printf(&subject, "%s%s%s", store_prefix(STORE_ROWS),
	    one ? x->only[0] : "", one ? ".>" : ">");
	ret = link_follow(x->link, ++x->tag, store_stream(STORE_ROWS),
	    buf_str(&subject), LINK_LAST, why);
	buf_release(&subject);
	if (ret == -1 ||
	    link_began(x->link, x->tag, &messages, &time, why) == -1)
		return -1;
	farrows_clock(x->rows, time, x->now);
	farrows_begin(x->rows, messages);
	return 0;
}

/* After a connection, or if the bucket is another one, all rows come again.
 * Hosts are judged by the server's clock, which that tells. */
static int
farfollow_look(struct farfollow *x, struct buf *why)
{
	unsigned connects = link_connects(x->link);
	msec made;

	if (store_open(x->link, STORE_ROWS, &made, why) == -1)
		return -1;
	if (!x->following || connects != x->connects || made != x->made) {
		x->following = farfollow_begin(x, why) == 0;
		x->connects = connects;
		x->made = made;
	}
	return x->following ? farfollow_ask(x, why) : -1;
}

static void
farfollow_read(struct farfollow *x)
{
	struct link_message *m;
	const char *host;

	while ((m = link_next(x->link)) != NULL) {
		host = m->tag == x->tag ?
		    farrows_take(x->rows, m, clock_wall(), x->now) : NULL;
		if (host != NULL)
			warnx("host '%s' sends what is no row; it is skipped",
			    host);
		link_message_free(m);
	}
}

/* ---- the server ---------------------------------------------------------- */

/* What is shown was true when the trouble began.  A short one is no matter: it
 * would change each row twice. */
static void
farfollow_trouble(struct farfollow *x, const char *why)
{
	struct row *r = &x->problem;
	struct buf text = BUF_INIT;

	if (r->problem == NULL)
		r->status.since = clock_wall();
	buf_printf(&text, "the fleet's server %s: ",
	    x->context.config.fleet->servers[0]);
	msg_escape(&text, why, strlen(why));
	free(r->problem);
	r->problem = buf_steal(&text);
	row_rate(r);
	rowlines_row(x->lines, r, 0);
	x->ready = true;
	if (clock_wall() - r->status.since > STORE_GONE)
		farrows_away(x->rows, r->status.since);
}

static void
farfollow_fine(struct farfollow *x)
{
	struct buf key = BUF_INIT;

	if (x->problem.problem == NULL)
		return;
	row_key(&key, &x->problem);
	rowlines_left(x->lines, buf_str(&key));
	buf_release(&key);
	free(x->problem.problem);
	x->problem.problem = NULL;
	farrows_away(x->rows, 0);
}

static void
farfollow_check(struct farfollow *x)
{
	struct buf why = BUF_INIT;

	x->ask = x->now + STORE_BEAT;
	if (!link_up(x->link)) {
		link_why(x->link, NATS_CONNECTION_DISCONNECTED, &why);
		farfollow_trouble(x, buf_str(&why));
	} else if (farfollow_look(x, &why) == -1) {
		farfollow_trouble(x, buf_str(&why));
		x->ask = x->now + FOLLOW_AGAIN;
	} else {
		farfollow_fine(x);
	}
	x->up = link_up(x->link);
	buf_release(&why);
}

/* ---- the loop ------------------------------------------------------------ */

static void
farfollow_row(void *context, const struct row *r)
{
	struct farfollow *x = context;

	rowlines_row(x->lines, r, 0);
}

static void
farfollow_left(void *context, const char *key)
{
	struct farfollow *x = context;

	rowlines_left(x->lines, key);
}

static void
farfollow_open(struct farfollow *x, bool json)
{
	const struct fleetrules *rules;

	x->link = fleet_open(&x->context, NULL, true);
	rules = x->context.config.fleet;
	x->rows = farrows_new(&(struct farrows_how){ .own = rules->host,
	    .only = x->only, .keep = rules->keep_days * FOLLOW_DAY });
	x->lines = rowlines_new(json, &x->loop);
	x->told = LOOP_WAIT(link_fd(x->link), NULL, NULL);
	loop_add(&x->loop, &x->told);
	x->problem.host = xstrdup("fleet");
	x->problem.key = xstrdup("server");
	status_init(&x->problem.status, "");
	x->now = clock_now();
}

static int
follow_run(const struct command *c, int argc, char **argv)
{
	struct farfollow x = { .tag = 0 };
	struct farrows_out out = { farfollow_row, farfollow_left, &x };
	bool json = false, reader = true;
	int key;

	while ((key = command_option(c, argc, argv)) != -1)
		if (key == OPTION_JSON)
			json = true;
		else if (fleet_name_valid(optarg))
			x.only = argv_add(x.only, optarg);
		else
			command_usage(c, "--host '%s' is no name of a host",
			    optarg);
	if (optind < argc)
		command_usage(c, "takes no argument");
	farfollow_open(&x, json);
	while (reader) {
		if (x.now >= x.ask || link_up(x.link) != x.up ||
		    link_connects(x.link) != x.connects)
			farfollow_check(&x);
		farfollow_read(&x);
		x.ready |= farrows_whole(x.rows);
		farrows_tell(x.rows, clock_wall(), &out);
		reader = x.ready ? rowlines_flush(x.lines, x.now) :
		    rowlines_read(x.lines);
		if (reader)
			loop_round(&x.loop, x.ask);
		x.now = clock_now();
	}
	rowlines_free(x.lines);
	farrows_free(x.rows);
	row_release(&x.problem);
	link_close(x.link);
	context_close(&x.context);
	argv_free(x.only);
	return EXIT_DONE;
}

const struct command fleet_follow_command = {
	.name = "follow",
	.summary = "Print the agents of the fleet's other hosts, and each change",
	.examples =
	"  paneward-fleet follow\n"
	"  paneward-fleet follow --host desk --json\n",
	.options = options,
	.run = follow_run,
};

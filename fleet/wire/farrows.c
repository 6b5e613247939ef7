#include "fleet/wire/farrows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "base/text.h"
#include "data/json.h"
#include "fleet/wire/store.h"
#include "queue/lines.h"

enum {
	TOKEN_MOST = 64,                /* bytes of a row's token */
	ROW_MOST = 128 << 10,           /* of a row; feeds refuse twice that */
	ROWS = 4 << 20,                 /* of a host's rows */
	VERSION_MOST = 32,
	DAY = 86400000,                 /* ms */
	AGAIN = 1000                    /* ms until a look that failed is made
					   again */
};

struct farhost {
	char   name[FLEET_HOST_MAX + 1];
	struct lines rows;              /* by token, without what is added
					   here; the note is the row's key as
					   JSON has it */
	msec   heard;                   /* the last sign of it, wall; 0 */
	bool   met;                     /* it was there while we looked */
	bool   there;                   /* it was heard within STORE_GONE
					   before the last question, or since */
	bool   known;                   /* what it says of itself */
	char  *version;                 /* as a member of JSON, behind a comma;
					   NULL: as ours */
	bool   warned;
};

struct farrows {
	struct link *link;
	const struct fleetrules *rules;
	char *const *only;
	struct farhost **hosts;
	size_t   n;
	msec     ask;                   /* when the server is asked next */
	bool     up;                    /* the link, at the last look */
	unsigned connects;              /* its connections until then */
	char    *trouble;               /* of the server; NULL: none */
	msec     since;                 /* wall time of its begin */
	msec     away;                  /* since, once STORE_GONE is over; 0 */
	int      tag;                   /* of the rows that are followed */
	bool     following;
	msec     made;                  /* the begin of their bucket */
	uint64_t expected;              /* messages of it that are to come */
	bool     whole;                 /* all have come once */
	bool     ready;                 /* there was trouble before that */
	bool     judged;                /* the hosts were asked for once */
	bool     unknown;               /* a host whose beat was not read */
	bool     changed;
	msec     wall, now;             /* of this turn */
	msec     server, at;            /* the server's clock, by ours */
};

struct farrows *
farrows_new(struct link *link, char *const *only)
{
	struct farrows *x = xcalloc(1, sizeof(*x));

	x->link = link;
	x->rules = link_rules(link);
	x->only = only;
	return x;
}

void
farrows_free(struct farrows *x)
{
	struct farhost *h;

	while (x->n > 0) {
		h = x->hosts[--x->n];
		lines_release(&h->rows);
		free(h->version);
		free(h);
	}
	free(x->hosts);
	free(x->trouble);
	free(x);
}

/* By the server's clock it is so late now. */
static void
farrows_clock(struct farrows *x, msec server)
{
	if (x->server != 0 && server <= x->server + (x->now - x->at))
		return;
	x->server = server;
	x->at = x->now;
}

/* A time of the server by the clock on our wall. */
static msec
farrows_wall(const struct farrows *x, msec time)
{
	msec ago = x->server + (x->now - x->at) - time;

	return x->wall - (ago > 0 ? ago : 0);
}

/* ---- a host -------------------------------------------------------------- */

/* NULL: a name that is not wanted. */
static struct farhost *
farhost_of(struct farrows *x, const char *name)
{
	struct farhost *h;
	size_t i;

	for (i = 0; i < x->n; i++)
		if (strcmp(x->hosts[i]->name, name) == 0)
			return x->hosts[i];
	if (!fleet_name_valid(name) || strcmp(name, x->rules->host) == 0 ||
	    (x->only != NULL && !argv_has(x->only, name)))
		return NULL;
	h = xcalloc(1, sizeof(*h));
	snprintf(h->name, sizeof(h->name), "%s", name);
	h->there = !x->judged;
	*ARRAY_ADD(x->hosts, x->n) = h;
	return h;
}

/* A sign of life. */
static void
farhost_hear(struct farhost *h, msec wall)
{
	h->met = h->there = true;
	if (wall > h->heard)
		h->heard = wall;
}

/* Reads a host's beat.  A message of this bucket is no older than
 * STORE_GONE. */
static void
farhost_take(void *context, const struct link_message *m)
{
	static const char plain[] = "0123456789.abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ+-_~";
	struct farrows *x = context;
	struct farhost *h = farhost_of(x, m->subject +
	    strlen(store_prefix(STORE_HOSTS)));
	const char *version;
	size_t n;
	cJSON *o;

	farrows_clock(x, m->time);
	if (h == NULL)
		return;
	h->known = true;
	if (m->gone)
		return;
	o = json_parse(m->data, m->len, false, NULL);
	version = json_text(o, "version");
	free(h->version);
	h->version = NULL;
	if (version != NULL && strcmp(version, VERSION) != 0) {
		n = strspn(version, plain);
		h->version = xasprintf(",\"version\":\"%.*s\"",
		    n < VERSION_MOST ? (int)n : VERSION_MOST, version);
	}
	json_free(o);
	farhost_hear(h, x->wall - STORE_GONE + 1);
}

static void
farhost_there(void *context, const char *name)
{
	struct farrows *x = context;
	struct farhost *h = farhost_of(x, name);

	if (h == NULL)
		return;
	farhost_hear(h, x->wall - STORE_GONE + 1);
	x->unknown |= !h->known;
}

/* A host that is missing is not there, unless the bucket was made a moment ago:
 * then it may not have written yet. */
static int
farrows_ask(struct farrows *x, struct buf *why)
{
	struct farhost *h;
	msec made;
	size_t i;

	if (store_open(x->link, STORE_HOSTS, &made, why) == -1)
		return -1;
	x->changed = true;
	x->unknown = false;
	if (store_keys(x->link, STORE_HOSTS, farhost_there, x, why) == -1 ||
	    (x->unknown && store_each(x->link, STORE_HOSTS, farhost_take,
	    x, why) == -1))
		return -1;
	if (farrows_wall(x, made) > x->wall - STORE_GONE)
		return 0;
	for (i = 0; i < x->n; i++) {
		h = x->hosts[i];
		h->there = h->heard > x->wall - STORE_GONE;
		/* Another version may come back. */
		h->known &= h->there;
	}
	x->judged = true;
	return 0;
}

/* ---- rows ---------------------------------------------------------------- */

const char *
farrows_token(const char *subject, char host[FLEET_HOST_MAX + 1])
{
	const char *prefix = store_prefix(STORE_ROWS);
	size_t len = strlen(prefix), n;

	if (strncmp(subject, prefix, len) != 0)
		return NULL;
	n = strcspn(subject + len, ".");
	if (n > FLEET_HOST_MAX || subject[len + n] == '\0')
		return NULL;
	memcpy(host, subject + len, n);
	host[n] = '\0';
	return fleet_name_valid(host) ? subject + len + n + 1 : NULL;
}

/* After a connection, or if the bucket is another one, all rows come again: one
 * host's alone, if one is asked for. */
static int
farrows_follow(struct farrows *x, struct buf *why)
{
	char *const *only = x->only;
	bool one = only != NULL && only[1] == NULL;
	char *subjects;
	msec made, time;
	size_t i;

	if (store_open(x->link, STORE_ROWS, &made, why) == -1)
		return -1;
	if (x->following && made == x->made)
		return 0;
	link_unfollow(x->link, x->tag);
	subjects = xasprintf("%s%s%s", store_prefix(STORE_ROWS),
	    one ? only[0] : "", one ? ".>" : ">");
	x->following = link_follow(x->link, ++x->tag,
	    store_stream(STORE_ROWS), subjects, LINK_LAST, why) == 0 &&
	    link_began(x->link, x->tag, &x->expected, &time, why) == 0;
	free(subjects);
	if (!x->following)
		return -1;
	farrows_clock(x, time);
	for (i = 0; i < x->n; i++)
		x->hosts[i]->rows.round++;
	x->made = made;
	return 0;
}

/* NULL: the server is well. */
static void
farrows_trouble(struct farrows *x, const char *why)
{
	struct buf text = BUF_INIT;

	if (x->trouble == NULL && why == NULL)
		return;
	if (x->trouble == NULL)
		x->since = x->wall;
	free(x->trouble);
	x->trouble = NULL;
	if (why != NULL) {
		buf_printf(&text, "the fleet's server %s: ",
		    x->rules->servers[0]);
		msg_escape(&text, why, strlen(why));
		x->trouble = buf_steal(&text);
	}
	/* The rows shown were true when the trouble began.  A short trouble is
	 * ignored: it would change each row twice. */
	x->away = why != NULL && x->wall - x->since > STORE_GONE ? x->since :
	    0;
	x->ready = x->changed = true;
}

/* False: it is no row.  A row of the host itself is made here. */
static bool
farrow_take(struct farhost *h, const char *token,
    const struct link_message *m)
{
	struct buf text = BUF_INIT, key = BUF_INIT;
	struct line *l;
	struct row r;
	cJSON *o;
	bool good;

	if (m->gone) {
		lines_drop(&h->rows, lines_find(&h->rows, token, 0));
		return true;
	}
	o = json_parse(m->data, m->len, false, NULL);
	good = row_take(&r, o) && r.problem == NULL &&
	    lines_key(&key, m->data, m->len);
	if (good) {
		json_drop(o, "key");
		json_drop(o, "host");
		json_drop(o, "version");
		if (r.unwatched == 0)
			json_drop(o, "unwatched");
		json_print(&text, o);
		good = text.len + key.len <= ROW_MOST &&
		    h->rows.bytes + text.len <= ROWS;
	}
	if (good) {
		l = lines_set(&h->rows, token, buf_str(&text), text.len, 0);
		free(l->note);
		l->note = buf_steal(&key);
	}
	buf_release(&key);
	buf_release(&text);
	row_release(&r);
	json_free(o);
	return good;
}

/* A host whose messages are no rows is named once. */
static void
farrows_take(struct farrows *x, const struct link_message *m)
{
	bool fresh = x->expected == 0, taken = false;
	char name[FLEET_HOST_MAX + 1];
	const char *token = farrows_token(m->subject, name);
	struct farhost *h = token != NULL ? farhost_of(x, name) : NULL;
	struct line *l;
	msec time;

	farrows_clock(x, m->time);
	x->expected -= x->expected > 0;
	if (h == NULL)
		return;
	if (strlen(token) <= TOKEN_MOST) {
		taken = farrow_take(h, token, m);
		l = lines_find(&h->rows, token, 0);
		if (l != NULL)
			l->round = h->rows.round;
	}
	time = farrows_wall(x, m->time);
	if (fresh || time > x->wall - STORE_GONE)
		farhost_hear(h, time);
	else if (time > h->heard)
		h->heard = time;
	if (!taken && !h->warned)
		warnx("host '%s' sends what is no row; it is skipped",
		    h->name);
	h->warned |= !taken;
}

/* ---- all of them --------------------------------------------------------- */

/* Prints the row's line with our members, which farrow_take() has dropped. */
static void
farrow_line(struct buf *out, const struct farhost *h, const struct line *l,
    msec since)
{
	static const char own[] = "\"unwatched\":\"";
	char time[CLOCK_TEXT];

	buf_reset(out);
	buf_add(out, l->text, l->len - 1);
	clock_format(time, since);
	if (text_find(l->text, l->text + l->len, own, sizeof(own) - 1) != NULL)
		since = -1;
	if (since > 0)
		buf_printf(out, ",%s%s\"", own, time);
	else if (since == 0)
		buf_adds(out, ",\"unwatched\":null");
	buf_printf(out, ",\"key\":\"%s:%s\",\"host\":\"%s\"%s}", h->name,
	    l->note, h->name, h->version != NULL ? h->version : "");
}

/* A row without an agent. */
static void
farrows_problem(struct rowlines *lines, struct row *r, msec since)
{
	struct buf line = BUF_INIT;

	status_init(&r->status, "");
	r->status.since = since;
	row_rate(r);
	row_json(&line, r);
	rowlines_row(lines, buf_str(&line), line.len);
	buf_release(&line);
}

static void
farrows_print(struct farrows *x, struct rowlines *lines)
{
	static char fleet[] = "fleet", key[] = "server";
	struct buf line = BUF_INIT, text = BUF_INIT;
	struct farhost *h;
	size_t i, k;

	x->changed = false;
	if (x->trouble != NULL)
		farrows_problem(lines, &(struct row){ .host = fleet,
		    .key = key, .problem = x->trouble }, x->since);
	for (i = 0; i < x->n && x->whole; i++) {
		h = x->hosts[i];
		/* A row that did not come again is gone. */
		while (x->expected == 0 && lines_old(&h->rows) != NULL)
			lines_drop(&h->rows, lines_old(&h->rows));
		if (!h->there && x->wall - h->heard > x->rules->keep_days * DAY)
			continue;
		for (k = 0; k < h->rows.n; k++) {
			farrow_line(&line, h, &h->rows.line[k],
			    h->there ? x->away : h->heard);
			rowlines_row(lines, buf_str(&line), line.len);
		}
		if (h->there || h->rows.n == 0)
			continue;
		buf_reset(&text);
		buf_adds(&text, h->met ? "not heard of since " :
		    "not heard of; its newest row is of ");
		clock_local(&text, h->heard, x->wall);
		buf_str(&text);         /* ends it */
		farrows_problem(lines, &(struct row){ .host = h->name,
		    .problem = text.data }, h->heard);
	}
	rowlines_whole(lines);
	buf_release(&line);
	buf_release(&text);
}

/* ---- the loop ------------------------------------------------------------ */

void
farrows_turn(struct farrows *x, struct rowlines *lines, msec wall, msec now)
{
	struct link *l = x->link;
	bool up = link_up(l);
	unsigned connects = link_connects(l);
	struct link_message *m;
	struct buf why = BUF_INIT;

	x->wall = wall;
	x->now = now;
	x->following &= connects == x->connects;
	if (now >= x->ask || up != x->up || connects != x->connects) {
		x->ask = now + STORE_BEAT;
		x->up = up;
		x->connects = connects;
		if (!up)
			link_why(l, NATS_CONNECTION_DISCONNECTED, &why);
		/* The server's clock, which the first tells, judges hosts. */
		else if (farrows_follow(x, &why) == -1 ||
		    farrows_ask(x, &why) == -1)
			x->ask = now + AGAIN;
		else
			buf_reset(&why);
		farrows_trouble(x, why.len > 0 ? buf_str(&why) : NULL);
		buf_release(&why);
	}
	while ((m = link_next(l)) != NULL) {
		if (m->tag == x->tag)
			farrows_take(x, m);
		x->changed = true;
		link_message_free(m);
	}
	x->whole |= x->following && x->expected == 0;
	if (x->changed && (x->whole || x->ready))
		farrows_print(x, lines);
}

msec
farrows_due(const struct farrows *x)
{
	return x->ask;
}

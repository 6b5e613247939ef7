#include "fleet/wire/wire.h"

enum {
	TOKEN_MOST = 64,                /* bytes */
	ROW_MOST = 128 << 10,           /* feeds refuse twice that */
	ROWS = 4 << 20,                 /* bytes of a host */
	VERSION_MOST = 32,
	DAY = 86400000,                 /* ms */
	AGAIN = 1000                    /* ms after a failure */
};

struct farhost {
	char   name[FLEET_HOST_MAX + 1];
	struct lines rows;              /* by token, without our members; the
					   note is the row's key in JSON */
	msec   heard;                   /* last sign, wall; or 0 */
	bool   met, there;              /* ever; within STORE_GONE before the
					   last question, or since */
	bool   known, warned;
	char  *version;                 /* JSON behind a comma; NULL: ours */
};

struct farrows {
	struct link *link;
	char *const *only;
	struct farhost **hosts;
	size_t   n;
	msec     ask;                   /* next question to the server */
	unsigned connects;
	char    *trouble;
	msec     since, away;           /* away: 0 until STORE_GONE is over */
	msec     made;                  /* of the bucket of rows */
	uint64_t expected;              /* messages still to come */
	bool     up, following, changed;
	bool     whole, ready;          /* all have come once; trouble before
					   that */
	bool     judged, unknown;       /* hosts were listed; one is unknown */
	msec     wall, now, server, at; /* of this turn; the server's clock, by
					   ours */
};

struct farrows *
farrows_new(struct link *link, char *const *only)
{
	struct farrows *x = xcalloc(1, sizeof(*x));

	x->link = link;
	x->only = only;
	return x;
}

static void
farrows_clock(struct farrows *x, msec server)
{
	if (x->server != 0 && server <= x->server + (x->now - x->at))
		return;
	x->server = server;
	x->at = x->now;
}

static msec
farrows_wall(const struct farrows *x, msec time)
{
	msec ago = x->server + (x->now - x->at) - time;

	return x->wall - (ago > 0 ? ago : 0);
}

static struct farhost *
farhost_of(struct farrows *x, const char *name)
{
	struct farhost *h;
	size_t i;

	for (i = 0; i < x->n; i++)
		if (strcmp(x->hosts[i]->name, name) == 0)
			return x->hosts[i];
	if (!fleet_name_valid(name) || (x->only != NULL && !argv_has(x->only,
	    name)) || strcmp(name, x->link->rules->host) == 0)
		return NULL;
	h = xcalloc(1, sizeof(*h));
	snprintf(h->name, sizeof(h->name), "%s", name);
	h->there = !x->judged;
	*ARRAY_ADD(x->hosts, x->n) = h;
	return h;
}

static void
farhost_hear(struct farhost *h, msec wall)
{
	h->met = h->there = true;
	if (wall > h->heard)
		h->heard = wall;
}

static void
farhost_take(void *context, const struct link_message *m)
{
	static const char plain[] = "0123456789.abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ+-_~";
	struct farrows *x = context;
	struct farhost *h = farhost_of(x, m->subject +
	    strlen(stores[STORE_HOSTS].prefix));
	const char *version;
	size_t n;
	struct json *o;

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

/* A missing host is gone, unless it had no time yet to write into a new
 * bucket. */
static int
farrows_ask(struct farrows *x, struct buf *why)
{
	struct store_look look;
	struct farhost *h;
	size_t i;

	if (store_open(x->link, STORE_HOSTS, &look, why) == -1)
		return -1;
	x->changed = true;
	x->unknown = false;
	if (store_keys(x->link, STORE_HOSTS, farhost_there, x, why) == -1 ||
	    (x->unknown && store_each(x->link, STORE_HOSTS, ">", farhost_take,
	    x, why) == -1))
		return -1;
	if (farrows_wall(x, look.made) > x->wall - STORE_GONE)
		return 0;
	for (i = 0; i < x->n; i++) {
		h = x->hosts[i];
		h->there = h->heard > x->wall - STORE_GONE;
		/* The host may come back with another version. */
		h->known &= h->there;
	}
	x->judged = true;
	return 0;
}

const char *
farrows_token(const char *subject, char host[FLEET_HOST_MAX + 1])
{
	const char *prefix = stores[STORE_ROWS].prefix;
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

/* All rows come again after a connection, and of a new bucket. */
static int
farrows_follow(struct farrows *x, struct buf *why)
{
	char *const *only = x->only, *keys;
	struct store_look look;
	msec time;
	size_t i;

	if (store_open(x->link, STORE_ROWS, &look, why) == -1)
		return -1;
	if (x->following && look.made == x->made)
		return 0;
	keys = only != NULL && only[1] == NULL ?
	    xasprintf("%s.>", only[0]) : xstrdup(">");
	x->following = link_follow(x->link, STORE_ROWS, keys, LINK_LAST,
	    why) == 0 && link_began(x->link, &x->expected, &time, why) == 0;
	free(keys);
	if (!x->following)
		return -1;
	farrows_clock(x, time);
	for (i = 0; i < x->n; i++)
		x->hosts[i]->rows.round++;
	x->made = look.made;
	return 0;
}

static void
farrows_take(void *context, const struct link_message *m)
{
	struct farrows *x = context;
	char name[FLEET_HOST_MAX + 1];
	const char *token = farrows_token(m->subject, name);
	struct farhost *h = token != NULL ? farhost_of(x, name) : NULL;
	bool fresh = x->expected == 0, good;
	struct buf text = BUF_INIT, key = BUF_INIT;
	struct row r = { .host = NULL };
	struct line *l;
	struct json *o;
	msec time;

	x->changed = true;
	farrows_clock(x, m->time);
	x->expected -= x->expected > 0;
	if (h == NULL)
		return;
	o = json_parse(m->data, m->len, false, NULL);
	good = strlen(token) <= TOKEN_MOST && (m->gone || (row_take(&r, o) &&
	    r.problem == NULL && lines_key(&key, m->data, m->len)));
	/* A row of the host itself, and these members, are made here. */
	if (good && !m->gone) {
		json_drop(o, "key");
		json_drop(o, "host");
		json_drop(o, "version");
		if (r.unwatched == 0)
			json_drop(o, "unwatched");
		json_print(&text, o);
		good = text.len + key.len <= ROW_MOST &&
		    h->rows.bytes + text.len <= ROWS;
	}
	l = lines_find(&h->rows, token, 0);
	if (good && m->gone) {
		lines_drop(&h->rows, l);
	} else if (good) {
		l = lines_set(&h->rows, token, buf_str(&text), text.len, 0);
		free(l->note);
		l->note = buf_steal(&key);
	} else if (l != NULL) {
		l->round = h->rows.round;
	}
	time = farrows_wall(x, m->time);
	if (fresh || time > x->wall - STORE_GONE)
		farhost_hear(h, time);
	else if (time > h->heard)
		h->heard = time;
	if (!good && !h->warned)
		warnx("host '%s' sends a line that is no row; skipping it",
		    h->name);
	h->warned |= !good;
	buf_release(&key);
	buf_release(&text);
	row_release(&r);
	json_free(o);
}

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
	static const char own[] = "\"unwatched\":\"";
	static char fleet[] = "fleet", key[] = "server";
	msec keep = x->link->rules->keep_days * DAY, since;
	struct buf line = BUF_INIT, text = BUF_INIT;
	char time[CLOCK_TEXT];
	struct farhost *h;
	struct line *l;
	size_t i;
	bool says;                      /* the host itself */

	x->changed = false;
	if (x->trouble != NULL)
		farrows_problem(lines, &(struct row){ .host = fleet,
		    .key = key, .problem = x->trouble }, x->since);
	for (i = 0; i < x->n && x->whole; i++) {
		h = x->hosts[i];
		while (x->expected == 0 && (l = lines_old(&h->rows)) != NULL)
			lines_drop(&h->rows, l);
		if (!h->there && x->wall - h->heard > keep)
			continue;
		since = h->there ? x->away : h->heard;
		clock_format(time, since);
		/* The members that farrows_take() dropped follow. */
		for (l = h->rows.line; l < h->rows.line + h->rows.n; l++) {
			buf_reset(&line);
			buf_add(&line, l->text, l->len - 1);
			says = text_find(l->text, l->text + l->len, own,
			    sizeof(own) - 1) != NULL;
			if (!says && since == 0)
				buf_adds(&line, ",\"unwatched\":null");
			else if (!says)
				buf_printf(&line, ",%s%s\"", own, time);
			buf_printf(&line, ",\"key\":\"%s:%s\",\"host\":"
			    "\"%s\"%s}", h->name, l->note, h->name,
			    h->version != NULL ? h->version : "");
			rowlines_row(lines, buf_str(&line), line.len);
		}
		if (h->there || h->rows.n == 0)
			continue;
		buf_reset(&text);
		buf_adds(&text, h->met ? "not heard of since " :
		    "not heard of; its newest row is of ");
		clock_local(&text, h->heard, x->wall);
		buf_str(&text);
		farrows_problem(lines, &(struct row){ .host = h->name,
		    .problem = text.data }, h->heard);
	}
	rowlines_whole(lines);
	buf_release(&line);
	buf_release(&text);
}

void
farrows_turn(struct farrows *x, struct rowlines *lines, msec wall, msec now)
{
	struct link *l = x->link;
	bool up = link_up(l);
	unsigned connects = l->connects;
	struct buf why = BUF_INIT, text = BUF_INIT;

	x->wall = wall;
	x->now = now;
	x->following &= connects == x->connects;
	if (now >= x->ask || up != x->up || connects != x->connects) {
		x->ask = now + STORE_BEAT;
		x->up = up;
		x->connects = connects;
		if (!up)
			link_why(l, NATS_CONNECTION_DISCONNECTED, &why);
		/* farrows_ask() needs farrows_follow()'s clock. */
		else if (farrows_follow(x, &why) == -1 ||
		    farrows_ask(x, &why) == -1)
			x->ask = now + AGAIN;
		x->ready |= why.len > 0 || x->trouble != NULL;
		x->changed |= why.len > 0 || x->trouble != NULL;
		if (x->trouble == NULL)
			x->since = wall;
		free(x->trouble);
		x->trouble = NULL;
		if (why.len > 0) {
			buf_printf(&text, "the fleet's server %s: ",
			    x->link->rules->servers[0]);
			msg_escape(&text, buf_str(&why), why.len);
			x->trouble = buf_steal(&text);
		}
		/* A short trouble would change each row twice. */
		x->away = why.len > 0 && wall - x->since > STORE_GONE ?
		    x->since : 0;
		buf_release(&why);
	}
	link_read(l, farrows_take, x);
	x->whole |= x->following && x->expected == 0;
	if (x->changed && (x->whole || x->ready))
		farrows_print(x, lines);
}

struct follow {
	char **only;
	bool   json;
};

static int
follow_run(const struct command *c, int argc, char **argv)
{
	struct follow f = { .only = NULL };
	struct loop loop = LOOP_INIT;
	struct rowlines *lines;
	struct loop_wait news;
	struct farrows *rows;
	struct link *link;
	char **name;

	command_option(c, argc, argv, &f);
	for (name = f.only; name != NULL && *name != NULL; name++)
		if (!fleet_name_valid(*name))
			command_usage(c, "--host '%s' is no name of a host",
			    *name);
	link = fleet_open(NULL, true);
	rows = farrows_new(link, f.only);
	lines = rowlines_new(f.json, &loop);
	news = LOOP_WAIT(link->inbox.pipe[0], NULL, NULL);
	loop_add(&loop, &news);
	do {
		loop_round(&loop, rows->ask);
		farrows_turn(rows, lines, clock_wall(), clock_now());
	} while (rowlines_flush(lines, clock_now()));
	link_close(link);
	return EXIT_DONE;
}

const struct command fleet_follow_command = {
	.name = "follow",
	.summary = "Print the agents of the fleet's other hosts, and each change",
	.examples =
	"  paneward-fleet follow\n"
	"  paneward-fleet follow --host desk --json\n",
	.options = (const struct command_option[]){
		{ 'H', "host", "NAME", "only this host; may be given again",
		    LIST_AT(struct follow, only) },
		JSON_AT(struct follow, json, "one JSON object per line"),
		{ 0 }
	},
	.run = follow_run,
};

#include "queue/queue.h"

enum {
	ONCE = 2000,                    /* ms for an awaited answer */
	ANSWER = 10000,                 /* ms for any other */
	ROWS_MOST = 16 << 20,           /* bytes */
	FLEET_MOST = 64 << 20
};

/* row_key() adds the host to the key again. */
static bool
host_take(void *context, struct line *l)
{
	struct host *h = context;
	struct row *r = l->row != NULL ? l->row : xcalloc(1, sizeof(*r));
	size_t len;

	row_release(r);
	l->row = r;
	if (!row_parse(r, l->text, l->len) ||
	    (h->name == NULL && r->host == NULL))
		return false;
	h->feed.lines.bytes += sizeof(*r);
	l->size += sizeof(*r);
	if (h->name != NULL) {
		free(r->host);
		r->host = xstrdup(h->name);
		return true;
	}
	len = strlen(r->host);
	if (strncmp(r->key, r->host, len) == 0 && r->key[len] == ':')
		memmove(r->key, r->key + len + 1, strlen(r->key + len));
	return true;
}

void
hosts_begin(struct queue *x, char *const *names)
{
	size_t i, n = argv_count(names);
	struct host *h;

	x->nhosts = n + (x->fleet != NULL);
	x->hosts = xcalloc(x->nhosts, sizeof(*x->hosts));
	for (i = 0; i < x->nhosts; i++) {
		h = &x->hosts[i];
		*h = i < n ? (struct host){ .name = names[i], .argv = { "ssh",
		    "-T", "-o", "BatchMode=yes", names[i], "paneward",
		    "status", "--all", "--json", "--follow" } } :
		    (struct host){ .argv = { x->fleet, "follow", "--json" } };
		h->feed = (struct rowfeed){ .argv = h->argv, .answer = ANSWER,
		    .most = i < n ? ROWS_MOST : FLEET_MOST,
		    .take = host_take, .context = h };
		status_init(&h->problem.status, "");
		h->problem.host = xstrdup(i < n ? names[i] : "fleet");
		rowfeed_begin(&h->feed, x->how.loop != NULL ? x->how.loop :
		    &x->own);
	}
}

void
hosts_end(struct queue *x)
{
	for (; x->nhosts > 0; x->nhosts--) {
		rowfeed_end(&x->hosts[x->nhosts - 1].feed);
		row_release(&x->hosts[x->nhosts - 1].problem);
	}
	free(x->hosts);
	x->hosts = NULL;
}

void
hosts_wait(struct queue *x)
{
	msec end = (x->nhosts > 0 ? x->hosts[0].feed.begun : 0) + ONCE;
	struct rowfeed *f;
	size_t i;

	for (i = 0; i < x->nhosts; i++) {
		f = &x->hosts[i].feed;
		while (!f->whole && f->why.len == 0 && clock_now() < end)
			loop_round(f->loop, end);
		if (!f->whole && f->why.len == 0)
			rowfeed_fail(f, "it did not answer within two seconds",
			    clock_now());
	}
}

static bool
hosts_reach(const struct queue *x, const char *name)
{
	const struct host *h = x->hosts, *end = h + x->nhosts;
	const char *at;

	for (; h < end; h++) {
		at = h->name != NULL ? strrchr(h->name, '@') : NULL;
		if (h->name != NULL && h->feed.whole &&
		    strcmp(at != NULL ? at + 1 : h->name, name) == 0)
			break;
	}
	return h < end;
}

void
hosts_rows(struct queue *x)
{
	const struct lines *lines;
	struct buf *why;
	struct host *h;
	struct row *r;
	size_t i, k;

	for (i = 0; i < x->nhosts; i++) {
		h = &x->hosts[i];
		lines = &h->feed.lines;
		why = &h->feed.why;
		r = &h->problem;
		free(r->problem);
		r->problem = why->len == 0 ? NULL :
		    h->name == NULL && access(h->argv[0], X_OK) == -1 ?
		    xasprintf("there is no %s, which is built where libnats "
		    "is: see paneward-fleet(1)", h->argv[0]) :
		    xstrdup(buf_str(why));
		r->status.since = h->feed.since;
		row_rate(r);
		if (r->problem != NULL)
			queue_row(x, r);
		for (k = 0; h->feed.whole && k < lines->n; k++)
			if (h->name != NULL ||
			    !hosts_reach(x, lines->line[k].row->host))
				queue_row(x, lines->line[k].row);
	}
}

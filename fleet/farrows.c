#include "fleet/farrows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "fleet/store.h"

enum {
	TOKEN_MOST = 64,                     /* bytes of a row's token, at most */
	ROWS = 4 << 20,                 /* of a host's rows */
	VERSION_MOST = 32
};

struct farrow {
	struct row row;
	char   token[TOKEN_MOST + 1];         /* in its subject */
	msec   unwatched;               /* as its host says */
	size_t size;
	unsigned round;                 /* in which it came */
	bool   changed, told, gone;
};

struct farhost {
	char   name[FLEET_HOST_MAX + 1];
	struct farrow **rows;
	size_t n, size;                 /* bytes of all rows */
	msec   heard;                   /* the last sign of it, wall; 0 */
	bool   met;                     /* it was there while we looked */
	bool   there;                   /* by the last question, or a sign
					   since then */
	bool   named;                   /* in the answer to the question */
	bool   hidden;                  /* not heard of for too long */
	bool   known;                   /* what it says of itself */
	char  *version;                 /* NULL: as ours */
	struct row lost;                /* its own row */
	bool   changed, told;           /* that */
	bool   warned;
};

struct farrows {
	struct farrows_how how;
	struct farhost **hosts;
	size_t   n;
	uint64_t expected;              /* messages of this round */
	unsigned round;
	bool     swept;                 /* what did not come again is gone */
	bool     complete;              /* all have come once */
	bool     judged;                /* the hosts were asked for once */
	msec     server, at;            /* its clock, by ours */
	msec     away;
};

struct farrows *
farrows_new(const struct farrows_how *how)
{
	struct farrows *x = xcalloc(1, sizeof(*x));

	x->how = *how;
	return x;
}

static void
farrow_free(struct farrow *f)
{
	row_release(&f->row);
	free(f);
}

void
farrows_free(struct farrows *x)
{
	struct farhost *h;

	while (x->n > 0) {
		h = x->hosts[--x->n];
		while (h->n > 0)
			farrow_free(h->rows[--h->n]);
		row_release(&h->lost);
		free(h->rows);
		free(h->version);
		free(h);
	}
	free(x->hosts);
	free(x);
}

void
farrows_clock(struct farrows *x, msec server, msec now)
{
	if (x->server != 0 && server <= x->server + (now - x->at))
		return;
	x->server = server;
	x->at = now;
}

/* A time of the server by the clock on our wall. */
static msec
farrows_wall(const struct farrows *x, msec time, msec wall, msec now)
{
	msec ago = x->server + (now - x->at) - time;

	return wall - (ago > 0 ? ago : 0);
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
	if (!fleet_name_valid(name) || strcmp(name, x->how.own) == 0 ||
	    (x->how.only != NULL && !argv_has(x->how.only, name)))
		return NULL;
	h = xcalloc(1, sizeof(*h));
	snprintf(h->name, sizeof(h->name), "%s", name);
	status_init(&h->lost.status, "");
	h->there = !x->judged;
	x->hosts = xreallocarray(x->hosts, x->n + 1, sizeof(*x->hosts));
	x->hosts[x->n++] = h;
	return h;
}

static void
farhost_touch(struct farhost *h)
{
	size_t i;

	h->changed = true;
	for (i = 0; i < h->n; i++)
		h->rows[i]->changed = true;
}

/* A sign of life. */
static void
farhost_hear(struct farhost *h, msec wall)
{
	if (!h->there)
		farhost_touch(h);
	h->met = h->there = true;
	if (wall > h->heard)
		h->heard = wall;
}

/* ---- rows ---------------------------------------------------------------- */

void
farrows_begin(struct farrows *x, uint64_t messages)
{
	x->round++;
	x->expected = messages;
	x->swept = false;
}

static struct farrow **
farrow_place(struct farhost *h, const char *token)
{
	size_t i = 0;

	while (i < h->n && strcmp(h->rows[i]->token, token) != 0)
		i++;
	return i < h->n ? &h->rows[i] : NULL;
}

/* Takes over the row.  Another one of the same place leaves. */
static void
farrow_set(struct farhost *h, const char *token, struct row *r, size_t len)
{
	struct farrow **place = farrow_place(h, token);
	struct farrow *f;

	if (place != NULL && (*place)->row.key != NULL &&
	    strcmp((*place)->row.key, r->key) != 0) {
		(*place)->gone = true;
		(*place)->token[0] = '\0';
		place = NULL;
	}
	f = place != NULL ? *place : xcalloc(1, sizeof(*f));
	if (place == NULL) {
		status_init(&f->row.status, "");
		snprintf(f->token, sizeof(f->token), "%s", token);
		h->rows = xreallocarray(h->rows, h->n + 1, sizeof(*h->rows));
		h->rows[h->n++] = f;
		h->changed = true;
	}
	h->size += len - f->size;
	f->size = len;
	row_release(&f->row);
	f->row = *r;
	free(f->row.host);
	f->row.host = xstrdup(h->name);
	f->unwatched = r->unwatched;
	f->changed = true;
	f->gone = false;
}

static bool
farrow_read(struct farhost *h, const char *token,
    const struct link_message *m)
{
	struct farrow **place = farrow_place(h, token);
	struct row r;

	if (m->gone) {
		if (place != NULL)
			(*place)->gone = true;
		return true;
	}
	if (h->size + m->len > ROWS ||
	    row_parse(&r, m->data, m->len) != ROW_THERE)
		return false;
	/* A row of the host itself is made here. */
	if (r.problem != NULL) {
		row_release(&r);
		return false;
	}
	farrow_set(h, token, &r, m->len);
	return true;
}

/* The parts of "$KV.PANEWARD_ROWS.HOST.TOKEN"; false: another subject. */
static bool
farrows_split(const char *subject, enum store which,
    char host[FLEET_HOST_MAX + 1], const char **rest)
{
	const char *prefix = store_prefix(which);
	size_t len = strlen(prefix), n;

	if (strncmp(subject, prefix, len) != 0)
		return false;
	n = strcspn(subject + len, ".");
	if (n > FLEET_HOST_MAX)
		return false;
	memcpy(host, subject + len, n);
	host[n] = '\0';
	*rest = subject + len + n;
	return true;
}

bool
farrows_whole(const struct farrows *x)
{
	return x->round > 0 && x->expected == 0;
}

/* The host whose message it is, which was taken or not; NULL: none of ours. */
static struct farhost *
farrows_read(struct farrows *x, const struct link_message *m, bool *taken)
{
	char name[FLEET_HOST_MAX + 1];
	struct farrow **place;
	struct farhost *h;
	const char *rest;

	*taken = false;
	if (!farrows_split(m->subject, STORE_ROWS, name, &rest))
		return NULL;
	h = farhost_of(x, name);
	if (h == NULL || rest[0] != '.' || strlen(rest + 1) > TOKEN_MOST)
		return h;
	*taken = farrow_read(h, rest + 1, m);
	place = farrow_place(h, rest + 1);
	if (place != NULL)
		(*place)->round = x->round;
	return h;
}

const char *
farrows_take(struct farrows *x, const struct link_message *m, msec wall,
    msec now)
{
	bool fresh = farrows_whole(x), taken, warn;
	struct farhost *h;
	msec time;

	farrows_clock(x, m->time, now);
	h = farrows_read(x, m, &taken);
	x->expected -= x->expected > 0;
	if (h == NULL)
		return NULL;
	time = farrows_wall(x, m->time, wall, now);
	if (fresh || time > wall - STORE_GONE)
		farhost_hear(h, time);
	else if (time > h->heard)
		h->heard = time;
	warn = !taken && !h->warned;
	h->warned |= warn;
	return warn ? h->name : NULL;
}

/* ---- hosts --------------------------------------------------------------- */

static void
farhost_set_version(struct farhost *h, const char *version)
{
	char *other = NULL;
	struct buf shown = BUF_INIT;

	if (version != NULL && strcmp(version, VERSION) != 0) {
		msg_escape(&shown, version, strnlen(version, VERSION_MOST));
		other = buf_steal(&shown);
	}
	if ((other == NULL) != (h->version == NULL) ||
	    (other != NULL && strcmp(other, h->version) != 0))
		farhost_touch(h);
	free(h->version);
	h->version = other;
}

void
farrows_host(struct farrows *x, const struct link_message *m, msec wall)
{
	char name[FLEET_HOST_MAX + 1];
	struct farhost *h;
	const char *rest;
	cJSON *o;

	if (!farrows_split(m->subject, STORE_HOSTS, name, &rest) ||
	    rest[0] != '\0')
		return;
	h = farhost_of(x, name);
	if (h == NULL)
		return;
	h->known = true;
	if (m->gone)
		return;
	o = json_parse(m->data, m->len, false, NULL);
	farhost_set_version(h, json_text(o, "version"));
	json_free(o);
	farhost_hear(h, wall - STORE_GONE);
}

void
farrows_ask(struct farrows *x)
{
	size_t i;

	for (i = 0; i < x->n; i++)
		x->hosts[i]->named = false;
}

bool
farrows_there(struct farrows *x, const char *name, msec wall)
{
	struct farhost *h = farhost_of(x, name);

	if (h == NULL)
		return true;
	h->named = true;
	/* It was written within this time. */
	farhost_hear(h, wall - STORE_GONE);
	return h->known;
}

/* One that has sent a row since it was asked for is there as well. */
static void
farhost_judge(const struct farrows *x, struct farhost *h, msec wall)
{
	bool there = h->named || h->heard > wall - STORE_GONE;
	bool hidden = !there && wall - h->heard > x->how.keep;

	if (there != h->there || hidden != h->hidden)
		farhost_touch(h);
	/* Of a day that is over, the date is told. */
	h->changed |= !there;
	h->there = there;
	h->hidden = hidden;
	/* Another version may come back. */
	h->known &= there;
}

void
farrows_asked(struct farrows *x, msec made, msec wall, msec now)
{
	size_t i;

	if (farrows_wall(x, made, wall, now) > wall - STORE_GONE)
		return;
	for (i = 0; i < x->n; i++)
		farhost_judge(x, x->hosts[i], wall);
	x->judged = true;
}

void
farrows_away(struct farrows *x, msec since)
{
	size_t i;

	for (i = 0; i < x->n && since != x->away; i++)
		farhost_touch(x->hosts[i]);
	x->away = since;
}

/* ---- what has changed ---------------------------------------------------- */

static void
tell_left(const struct farrows_out *out, const struct row *r)
{
	struct buf key = BUF_INIT;

	row_key(&key, r);
	out->left(out->context, buf_str(&key));
	buf_release(&key);
}

static void
farrow_tell(const struct farrows *x, const struct farhost *h,
    struct farrow *f, const struct farrows_out *out)
{
	msec since = h->there ? x->away : h->heard;

	if (h->hidden) {
		if (f->told)
			tell_left(out, &f->row);
		f->told = false;
		return;
	}
	f->row.unwatched = f->unwatched != 0 ? f->unwatched : since;
	f->row.version = h->version;
	out->row(out->context, &f->row);
	f->row.version = NULL;
	f->told = true;
}

static void
farhost_tell_rows(const struct farrows *x, struct farhost *h,
    const struct farrows_out *out)
{
	struct farrow *f;
	size_t i, n = 0;

	for (i = 0; i < h->n; i++) {
		f = h->rows[i];
		if (f->gone) {
			if (f->told)
				tell_left(out, &f->row);
			h->size -= f->size;
			farrow_free(f);
			continue;
		}
		if (f->changed)
			farrow_tell(x, h, f, out);
		f->changed = false;
		h->rows[n++] = f;
	}
	h->n = n;
}

static void
farhost_tell_lost(struct farhost *h, msec wall, const struct farrows_out *out)
{
	bool lost = !h->there && !h->hidden && h->n > 0;
	struct row *r = &h->lost;
	struct buf text = BUF_INIT;

	if (lost && (h->changed || !h->told)) {
		buf_adds(&text, h->met ? "not heard of since " :
		    "not heard of; its newest row is of ");
		clock_local(&text, h->heard, wall);
		free(r->problem);
		r->problem = buf_steal(&text);
		r->host = h->name;
		r->version = h->version;
		r->status.since = h->heard;
		row_rate(r);
		out->row(out->context, r);
	} else if (!lost && h->told) {
		r->host = h->name;
		tell_left(out, r);
	}
	r->host = r->version = NULL;
	h->told = lost;
	h->changed = false;
}

void
farrows_tell(struct farrows *x, msec wall, const struct farrows_out *out)
{
	bool sweep = farrows_whole(x) && !x->swept;
	size_t i, k;

	/* A row that did not come again is gone. */
	for (i = 0; sweep && i < x->n; i++)
		for (k = 0; k < x->hosts[i]->n; k++)
			x->hosts[i]->rows[k]->gone |=
			    x->hosts[i]->rows[k]->round != x->round;
	x->swept |= sweep;
	x->complete |= sweep;
	for (i = 0; i < x->n && x->complete; i++) {
		farhost_tell_rows(x, x->hosts[i], out);
		farhost_tell_lost(x->hosts[i], wall, out);
	}
}

#include "fleet/desk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "base/text.h"
#include "fleet/open.h"
#include "fleet/store.h"
#include "os/compat.h"
#include "os/file.h"
#include "os/spawn.h"
#include "queue/row.h"

enum {
	JOIN = 2000,                    /* ms that a row must stand */
	AGAIN = 30000,                  /* until a notice is tried again, */
	LEFT = 60000,                   /* and until another host's is taken
					   over */
	LIMIT = 120000                  /* of `paneward notify` */
};

/* An agent elsewhere that needs a person. */
struct need {
	struct need *next;
	char    *subject;               /* of its row */
	char    *line;                  /* the row */
	size_t   len;
	char    *key;                   /* HOST.HASH, in the bucket */
	uint64_t revision;              /* of the key when it was seen last */
	msec     due;                   /* CLOCK_NEVER: nothing is to do */
};

struct desk {
	const char  *program;
	struct link *link;
	bool         here;
	struct need *needs;
	struct need *telling;           /* by spawn; NULL: none */
	bool         dropped;           /* that one is needed no more */
	struct spawn spawn;
	struct loop *loop;
};

struct desk *
desk_new(const char *program, struct link *link, struct loop *loop)
{
	struct desk *d = xcalloc(1, sizeof(*d));

	*d = (struct desk){ .program = program, .link = link,
	    .spawn = SPAWN_INIT, .loop = loop };
	return d;
}

static void
need_free(struct need *n)
{
	free(n->subject);
	free(n->line);
	free(n->key);
	free(n);
}

/* What is told right now is still finished. */
static void
desk_drop(struct desk *d, const char *subject)
{
	struct need **at = &d->needs, *n;

	while ((n = *at) != NULL) {
		if (subject != NULL && strcmp(n->subject, subject) != 0) {
			at = &n->next;
			continue;
		}
		*at = n->next;
		if (n == d->telling)
			d->dropped = true;
		else
			need_free(n);
	}
}

void
desk_free(struct desk *d)
{
	desk_drop(d, NULL);
	if (d->telling != NULL)
		need_free(d->telling);
	spawn_release(&d->spawn);
	free(d);
}

int
desk_set(struct desk *d, bool here, struct buf *why)
{
	char *subjects;
	int ret;

	if (d->here == here)
		return 0;
	if (!here) {
		link_unfollow(d->link, DESK_TAG);
		desk_drop(d, NULL);
		d->here = false;
		return 0;
	}
	subjects = xasprintf("%s>", store_prefix(STORE_ROWS));
	ret = link_follow(d->link, DESK_TAG, store_stream(STORE_ROWS),
	    subjects, LINK_LAST, why);
	free(subjects);
	d->here = ret == 0;
	return ret;
}

/* ---- rows ---------------------------------------------------------------- */

/* The host of a row's subject; NULL: it is ours, or no row's. */
static char *
host_of(const struct desk *d, const char *subject)
{
	const char *prefix = store_prefix(STORE_ROWS), *dot;
	size_t len = strlen(prefix);
	char *host;

	if (strncmp(subject, prefix, len) != 0)
		return NULL;
	dot = strchr(subject + len, '.');
	if (dot == NULL)
		return NULL;
	host = xstrndup(subject + len, (size_t)(dot - subject) - len);
	if (fleet_name_valid(host) &&
	    strcmp(host, link_rules(d->link)->host) != 0)
		return host;
	free(host);
	return NULL;
}

/* The key of the row's episode: another one, another notice. */
static char *
episode_key(const char *host, const char *subject, const struct row *r)
{
	char episode[SEEN_EPISODE], *text, *key;

	seen_episode(episode, &r->status);
	text = xasprintf("%s %s", subject, episode);
	key = xasprintf("%s.%016" PRIx64, host,
	    (uint64_t)text_hash(text, strlen(text)));
	free(text);
	return key;
}

void
desk_take(struct desk *d, const struct link_message *m, msec now)
{
	char *host = host_of(d, m->subject), *key;
	struct buf line = BUF_INIT;
	struct need *n = d->needs;
	struct row r;

	if (host == NULL)
		return;
	if (m->gone || !row_parse(&r, m->data, m->len)) {
		desk_drop(d, m->subject);
		free(host);
		return;
	}
	key = episode_key(host, m->subject, &r);
	while (n != NULL && strcmp(n->subject, m->subject) != 0)
		n = n->next;
	if (!row_needs(&r) || row_finished(&r)) {
		desk_drop(d, m->subject);
	} else if (n == NULL || strcmp(n->key, key) != 0) {
		desk_drop(d, m->subject);
		buf_add(&line, m->data, m->len);
		n = xcalloc(1, sizeof(*n));
		*n = (struct need){ .next = d->needs,
		    .subject = xstrdup(m->subject), .line = buf_steal(&line),
		    .len = m->len, .key = key, .due = now + JOIN };
		d->needs = n;
		key = NULL;
	}
	/* Else the episode goes on: what is known of its key stays. */
	row_release(&r);
	free(key);
	free(host);
}

/* ---- whose notice is it? ------------------------------------------------- */

/* 1: a person is at that host, and is told there; 0: none is; -1 after saying
 * why. */
static int
desk_there(struct desk *d, const char *host, struct buf *why)
{
	struct buf value = BUF_INIT;
	uint64_t revision;
	msec time;
	int ret = store_get(d->link, STORE_HOSTS, host, &value, &revision,
	    &time, why);
	cJSON *o = ret == 1 ? json_parse(buf_str(&value), value.len, false,
	    NULL) : NULL;
	int64_t used = json_number(o, "desk", -1);

	json_free(o);
	buf_release(&value);
	return ret == -1 ? -1 : used >= 0 && used < DESK_USED;
}

/* What a key says; empty if there is none. */
struct told {
	bool     there, sent;
	uint64_t revision;
};

static int
told_read(struct desk *d, const struct need *n, struct told *t,
    struct buf *why)
{
	struct buf value = BUF_INIT;
	msec time;
	cJSON *o;
	int ret = store_get(d->link, STORE_NOTICES, n->key, &value,
	    &t->revision, &time, why);

	t->there = ret == 1;
	o = t->there ? json_parse(buf_str(&value), value.len, false, NULL) :
	    NULL;
	t->sent = json_bool(o, "sent", false);
	json_free(o);
	buf_release(&value);
	return ret == -1 ? -1 : 0;
}

static enum store_end
told_write(struct desk *d, struct need *n, bool sent, struct buf *why)
{
	cJSON *o = json_new_object();
	struct buf value = BUF_INIT;
	enum store_end end;

	json_add_text(o, "host", link_rules(d->link)->host);
	json_add_bool(o, "sent", sent);
	json_print(&value, o);
	json_free(o);
	end = store_put(d->link, STORE_NOTICES, n->key, &value, &n->revision,
	    why);
	buf_release(&value);
	return end;
}

/* 1: it is ours to tell; 0: it is not, or not yet; -1 after saying why. */
static int
need_claim(struct desk *d, struct need *n, msec now, struct buf *why)
{
	struct told t;
	enum store_end end;

	if (told_read(d, n, &t, why) == -1)
		return -1;
	n->due = t.sent ? CLOCK_NEVER : now + LEFT;
	if (t.sent || (t.there && t.revision != n->revision)) {
		/* That host may still be at it. */
		n->revision = t.revision;
		return 0;
	}
	n->revision = t.revision;
	end = told_write(d, n, false, why);
	return end == STORE_FAILED ? -1 : end == STORE_DONE;
}

/* ---- telling ------------------------------------------------------------- */

static void
need_tell(struct desk *d, struct need *n, const char *host, msec now)
{
	const char *const argv[] = { d->program, "notify", "--row", host,
	    NULL };
	int in = fleet_input(n->line, n->len);

	n->due = now + AGAIN;
	if (in != -1 && spawn_begin(&d->spawn, &(struct spawn_how){
	    .argv = argv, .in = in, .limit = LIMIT }) == 0)
		d->telling = n;
	else
		spawn_release(&d->spawn);
	spawn_follow(&d->spawn, d->loop, NULL, NULL);
	file_close(in);
}

/* It has ended: 0 is that a way has sent it, or that none is to. */
static int
desk_told(struct desk *d, msec now, struct buf *why)
{
	struct need *n = d->telling;
	bool sent = d->spawn.status == 0;
	enum store_end end = STORE_DONE;

	if (!sent)
		warnx("the notice of another host's agent was not sent; "
		    "trying again while it needs a person");
	if (sent)
		end = told_write(d, n, true, why);
	n->due = sent ? CLOCK_NEVER : now + AGAIN;
	spawn_release(&d->spawn);
	d->spawn = (struct spawn)SPAWN_INIT;
	d->telling = NULL;
	if (d->dropped)
		need_free(n);
	d->dropped = false;
	return end == STORE_FAILED ? -1 : 0;
}

static int
need_turn(struct desk *d, struct need *n, msec now, struct buf *why)
{
	char *host = host_of(d, n->subject);
	int there = desk_there(d, host, why), ours = 0;

	n->due = now + AGAIN;
	if (there == 0)
		ours = need_claim(d, n, now, why);
	if (ours == 1)
		need_tell(d, n, host, now);
	free(host);
	return there == -1 || ours == -1 ? -1 : 0;
}

/* ---- the loop ------------------------------------------------------------ */

static struct need *
desk_next(const struct desk *d)
{
	struct need *n, *first = NULL;

	for (n = d->needs; n != NULL; n = n->next)
		if (n != d->telling && n->due != CLOCK_NEVER &&
		    (first == NULL || n->due < first->due))
			first = n;
	return first;
}

msec
desk_due(const struct desk *d)
{
	const struct need *n = desk_next(d);

	return d->spawn.pid == 0 && n != NULL ? n->due : CLOCK_NEVER;
}

int
desk_turn(struct desk *d, msec now, struct buf *why)
{
	struct need *n;

	if (d->telling != NULL)
		return d->spawn.pid != 0 ? 0 : desk_told(d, now, why);
	n = desk_next(d);
	return n == NULL || n->due > now ? 0 : need_turn(d, n, now, why);
}

#include "fleet/wire/desk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "base/text.h"
#include "fleet/wire/farrows.h"
#include "fleet/wire/open.h"
#include "fleet/wire/store.h"
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
	char     host[FLEET_HOST_MAX + 1];
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

	if (d->here == here)
		return 0;
	d->here = false;
	if (!here) {
		link_unfollow(d->link, DESK_TAG);
		desk_drop(d, NULL);
		return 0;
	}
	subjects = xasprintf("%s>", store_prefix(STORE_ROWS));
	d->here = link_follow(d->link, DESK_TAG, store_stream(STORE_ROWS),
	    subjects, LINK_LAST, why) == 0;
	free(subjects);
	return d->here ? 0 : -1;
}

void
desk_take(struct desk *d, const struct link_message *m, msec now)
{
	char host[FLEET_HOST_MAX + 1], episode[SEEN_EPISODE];
	struct need *n = d->needs;
	struct buf line = BUF_INIT, text = BUF_INIT;
	char *key;
	struct row r;

	if (farrows_token(m->subject, host) == NULL ||
	    strcmp(host, link_rules(d->link)->host) == 0)
		return;
	if (m->gone || !row_parse(&r, m->data, m->len)) {
		desk_drop(d, m->subject);
		return;
	}
	/* Another episode, another notice. */
	seen_episode(episode, &r.status);
	buf_printf(&text, "%s %s", m->subject, episode);
	key = xasprintf("%s.%016" PRIx64, host,
	    text_hash(buf_str(&text), text.len));
	buf_release(&text);
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
		memcpy(n->host, host, sizeof(host));
		d->needs = n;
		key = NULL;
	}
	/* Else the episode goes on: what is known of its key stays. */
	row_release(&r);
	free(key);
}

/* ---- telling ------------------------------------------------------------- */

/* Reads the object of a key: 1; 0: there is none, *o is NULL; -1 after saying
 * why. */
static int
desk_get(struct desk *d, enum store which, const char *key, cJSON **o,
    uint64_t *revision, struct buf *why)
{
	struct buf value = BUF_INIT;
	msec time;
	int ret = store_get(d->link, which, key, &value, revision, &time, why);

	*o = ret == 1 ? json_parse(buf_str(&value), value.len, false, NULL) :
	    NULL;
	buf_release(&value);
	return ret;
}

static enum store_end
desk_put(struct desk *d, struct need *n, bool sent, struct buf *why)
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

/* 1: this host sends the notice; 0: not, or not yet, since a person is at that
 * host, or another host sends it; -1 after saying why. */
static int
need_claim(struct desk *d, struct need *n, msec now, struct buf *why)
{
	uint64_t revision;
	enum store_end end;
	int64_t used;
	bool sent, other;
	cJSON *o;
	int got = desk_get(d, STORE_HOSTS, n->host, &o, &revision, why);

	used = json_number(o, "desk", -1);
	json_free(o);
	n->due = now + AGAIN;
	if (got == -1 || (used >= 0 && used < DESK_USED))
		return got == -1 ? -1 : 0;
	got = desk_get(d, STORE_NOTICES, n->key, &o, &revision, why);
	sent = json_bool(o, "sent", false);
	json_free(o);
	if (got == -1)
		return -1;
	n->due = sent ? CLOCK_NEVER : now + LEFT;
	/* Another host may still be sending it. */
	other = got == 1 && revision != n->revision;
	n->revision = revision;
	if (sent || other)
		return 0;
	end = desk_put(d, n, false, why);
	return end == STORE_FAILED ? -1 : end == STORE_DONE;
}

/* Exit status 0: a way has sent the notice, or no way has to. */
static int
desk_told(struct desk *d, msec now, struct buf *why)
{
	struct need *n = d->telling;
	bool sent = d->spawn.status == 0;
	enum store_end end = STORE_DONE;

	if (!sent)
		warnx("the notice of another host's agent was not sent; "
		    "trying again while it needs a person");
	else
		end = desk_put(d, n, true, why);
	n->due = sent ? CLOCK_NEVER : now + AGAIN;
	spawn_release(&d->spawn);
	d->telling = NULL;
	if (d->dropped)
		need_free(n);
	d->dropped = false;
	return end == STORE_FAILED ? -1 : 0;
}

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
	struct need *n = desk_next(d);
	const char *argv[] = { d->program, "notify", "--row", NULL, NULL };
	int in, ours;

	if (d->telling != NULL)
		return d->spawn.pid != 0 ? 0 : desk_told(d, now, why);
	if (n == NULL || n->due > now)
		return 0;
	ours = need_claim(d, n, now, why);
	if (ours != 1)
		return ours;
	n->due = now + AGAIN;
	argv[3] = n->host;
	in = fleet_input(n->line, n->len);
	if (in != -1 && spawn_begin(&d->spawn, &(struct spawn_how){
	    .argv = argv, .in = in, .limit = LIMIT }) == 0)
		d->telling = n;
	else
		spawn_release(&d->spawn);
	spawn_follow(&d->spawn, d->loop, NULL, NULL);
	file_close(in);
	return 0;
}

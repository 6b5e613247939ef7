#include "fleet/wire/wire.h"

enum {
	JOIN = 2000,                    /* ms that a row must stand */
	AGAIN = 30000,                  /* until a notice is retried */
	LEFT = 60000,                   /* until another host's is taken over */
	LIMIT = 120000                  /* of `paneward notify` */
};

struct need {
	struct need *next;
	char     host[FLEET_HOST_MAX + 1];
	char    *subject, *line;
	char    *key;                   /* HOST.HASH */
	uint64_t revision;
	msec     due;                   /* CLOCK_NEVER: sent */
};

static void
need_free(struct need *n)
{
	free(n->subject);
	free(n->line);
	free(n->key);
	free(n);
}

/* A notice that is being sent is still finished. */
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

int
desk_set(struct desk *d, bool here, struct buf *why)
{
	if (d->here == here)
		return 0;
	d->here = here && link_follow(d->link, STORE_ROWS, ">", LINK_LAST,
	    why) == 0;
	if (!here) {
		link_unfollow(d->link);
		desk_drop(d, NULL);
	}
	return d->here == here ? 0 : -1;
}

void
desk_take(void *desk, const struct link_message *m)
{
	char host[FLEET_HOST_MAX + 1], episode[SEEN_EPISODE], *key;
	struct desk *d = desk;
	struct need *n = d->needs;
	struct buf text = BUF_INIT;
	struct row r;

	if (farrows_token(m->subject, host) == NULL ||
	    strcmp(host, d->link->rules->host) == 0)
		return;
	if (m->gone || !row_parse(&r, m->data, m->len)) {
		desk_drop(d, m->subject);
		return;
	}
	seen_episode(episode, &r.status);
	buf_printf(&text, "%s %s", m->subject, episode);
	key = xasprintf("%s.%016llx", host, (unsigned long long)
	    text_hash(buf_str(&text), text.len));
	buf_release(&text);
	while (n != NULL && strcmp(n->subject, m->subject) != 0)
		n = n->next;
	if (!row_needs(&r) || row_finished(&r)) {
		desk_drop(d, m->subject);
	} else if (n == NULL || strcmp(n->key, key) != 0) {
		desk_drop(d, m->subject);
		n = xcalloc(1, sizeof(*n));
		*n = (struct need){ .next = d->needs,
		    .subject = xstrdup(m->subject), .line = xstrdup(m->data),
		    .key = key, .due = clock_now() + JOIN };
		memcpy(n->host, host, sizeof(host));
		d->needs = n;
		key = NULL;
	}
	row_release(&r);
	free(key);
}

static enum store_end
desk_put(struct desk *d, struct need *n, bool sent, struct buf *why)
{
	struct json *o = json_new_object();
	struct buf value = BUF_INIT;
	enum store_end end;

	json_add_text(o, "host", d->link->rules->host);
	json_add_bool(o, "sent", sent);
	json_give(&value, o);
	end = store_put(d->link, STORE_NOTICES, n->key, &value, &n->revision,
	    why);
	buf_release(&value);
	return end;
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
	struct need *n = d->telling;
	uint64_t revision;
	enum store_end end;
	int64_t used;
	bool sent, other;
	struct json *o;
	int got, in;

	if (n != NULL && d->spawn.pid != 0)
		return 0;
	if (n != NULL) {
		/* Status 0: a way has sent it, or no way has to. */
		got = d->spawn.status != 0 || desk_put(d, n, true, why) !=
		    STORE_FAILED ? 0 : -1;
		n->due = d->spawn.status == 0 ? CLOCK_NEVER : now + AGAIN;
		if (d->spawn.status != 0)
			warnx("the notice of another host's agent was not "
			    "sent; trying again while it needs a person");
		spawn_release(&d->spawn);
		d->telling = NULL;
		if (d->dropped)
			need_free(n);
		d->dropped = false;
		return got;
	}
	n = desk_next(d);
	if (n == NULL || n->due > now)
		return 0;

	got = store_get(d->link, STORE_HOSTS, n->host, &o, &revision, NULL,
	    why);
	used = json_number(o, "desk", -1);
	json_free(o);
	n->due = now + AGAIN;
	if (got == -1)
		return -1;
	if (used >= 0 && used < DESK_USED)
		return 0;
	got = store_get(d->link, STORE_NOTICES, n->key, &o, &revision, NULL,
	    why);
	sent = json_true(o, "sent");
	json_free(o);
	if (got == -1)
		return -1;
	n->due = sent ? CLOCK_NEVER : now + LEFT;
	/* A new revision: another host may still be sending it. */
	other = got == 1 && revision != n->revision;
	n->revision = revision;
	if (sent || other)
		return 0;
	end = desk_put(d, n, false, why);
	if (end != STORE_DONE)
		return end == STORE_FAILED ? -1 : 0;

	n->due = now + AGAIN;
	in = fleet_input(n->line);
	if (in != -1 && spawn_begin(&d->spawn, &(struct spawn_how){
	    .argv = WORDS(d->program, "notify", "--row", n->host), .in = in,
	    .limit = LIMIT }) == 0)
		d->telling = n;
	spawn_follow(&d->spawn, d->loop, NULL, NULL);
	file_close(in);
	return 0;
}

/*
 * fakestore.h - the fleet's server without a server: keys of its buckets with
 * revisions, whose calls can be lost, and before which another host can act.
 * Its clock is fake_now.
 */
#ifndef PANEWARD_FAKESTORE_H
#define PANEWARD_FAKESTORE_H

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fleet/wire/wire.h"
#include "tap.h"
#include "unit/fixture.h"

enum { FAKE_KEYS = 16 };

struct fake_key {
	char     name[96];              /* "": free */
	char     value[4000];
	uint64_t revision;
	msec     time;
	bool     gone;
};

static struct fake_bucket {
	struct fake_key keys[FAKE_KEYS];
	uint64_t last;
	msec     made, newest, lasts;
} fake_buckets[STORES];

static msec fake_now;
static struct fleetrules fake_rules;
static struct context fake_context;
struct link fake_link = { .rules = &fake_rules, .context = &fake_context };

/* The server does not answer the call with that number: not at all, or after
 * it has done it. */
static unsigned fake_calls, fake_fails, fake_loses;
/* Runs before the call with that number. */
static unsigned fake_at;
static void (*fake_act)(void);

static inline void
fake_wipe(enum store which)
{
	fake_buckets[which] = (struct fake_bucket){ .made = fake_now,
	    .lasts = fake_buckets[which].lasts };
}

/* All are older than a lease, and empty. */
static inline void
fake_begin(const char *host)
{
	fake_now = 1000000;
	fake_calls = fake_fails = fake_loses = fake_at = 0;
	fake_rules.host = (char *)(uintptr_t)host;
	fake_buckets[STORE_LEASES].lasts = 60000;
	fake_wipe(STORE_HOSTS);
	fake_wipe(STORE_BACKLOG);
	fake_wipe(STORE_LEASES);
	fake_now += 3600000;
}

/* The key, which may have been deleted; NULL: there is none any more. */
static inline struct fake_key *
fake_find(enum store which, const char *key)
{
	struct fake_bucket *b = &fake_buckets[which];
	struct fake_key *k;

	for (k = b->keys; k < b->keys + FAKE_KEYS; k++)
		if (strcmp(k->name, key) == 0) {
			if (b->lasts == 0 || fake_now - k->time <= b->lasts)
				return k;
			k->name[0] = '\0';
		}
	return NULL;
}

/* NULL deletes it. */
static inline uint64_t
fake_put(enum store which, const char *key, const char *value)
{
	struct fake_bucket *b = &fake_buckets[which];
	struct fake_key *k = fake_find(which, key);

	if (k == NULL)
		for (k = b->keys; k->name[0] != '\0'; k++)
			continue;
	snprintf(k->name, sizeof(k->name), "%s", key);
	snprintf(k->value, sizeof(k->value), "%s", value ? value : "");
	k->revision = ++b->last;
	k->time = b->newest = fake_now;
	k->gone = value == NULL;
	return k->revision;
}

/* What the key has; NULL: nothing. */
static inline const char *
fake_value(enum store which, const char *key)
{
	struct fake_key *k = fake_find(which, key);

	return k != NULL && !k->gone ? k->value : NULL;
}

/* The order of REPOSITORY.ISSUE has these members; '\'' stands for '"'. */
static inline void
fake_order(const char *key, const char *members)
{
	const char *issue = strchr(key, '.') + 1;
	char *text = xasprintf("{'issue':'%s','repository':'%.*s'%s}", issue,
	    (int)(issue - key - 1), key, members);

	fake_put(STORE_BACKLOG, key, quoted(text));
	free(text);
}

static inline bool
fake_order_has(const char *key, const char *text)
{
	const char *order = fake_value(STORE_BACKLOG, key);

	return order != NULL && strstr(order, quoted(text)) != NULL;
}

static inline bool
fake_answers(struct buf *why)
{
	if (++fake_calls == fake_at)
		fake_act();
	if (fake_calls == fake_fails && why != NULL)
		buf_adds(why, "no answer");
	return fake_calls != fake_fails;
}

/* ---- what store.h and link.h promise ------------------------------------- */

const struct store_kind stores[STORES] = {
	[STORE_HOSTS] = { .prefix = "$KV.PANEWARD_HOSTS." },
	[STORE_ROWS] = { .prefix = "$KV.PANEWARD_ROWS." },
	[STORE_BACKLOG] = { .prefix = "$KV.PANEWARD_BACKLOG." },
	[STORE_LEASES] = { .prefix = "$KV.PANEWARD_LEASES." },
};

enum store_end
store_put(struct link *l, enum store which, const char *key,
    const struct buf *value, uint64_t *revision, struct buf *why)
{
	const struct fake_key *k;
	char text[sizeof(k->value)];
	uint64_t new;

	(void)l;
	if (!fake_answers(why))
		return STORE_FAILED;
	k = fake_find(which, key);
	if (*revision != STORE_ANY && *revision != (k ? k->revision : 0))
		return STORE_TAKEN;
	if (value != NULL)
		snprintf(text, sizeof(text), "%.*s", (int)value->len,
		    value->data);
	new = fake_put(which, key, value ? text : NULL);
	if (fake_calls == fake_loses) {
		if (why != NULL)
			buf_adds(why, "no answer");
		return STORE_FAILED;
	}
	*revision = new;
	return STORE_DONE;
}

int
store_get(struct link *l, enum store which, const char *key,
    struct json **value, uint64_t *revision, msec *time, struct buf *why)
{
	struct fake_key *k;

	(void)l;
	*revision = 0;
	if (value != NULL)
		*value = NULL;
	if (!fake_answers(why))
		return -1;
	k = fake_find(which, key);
	if (k == NULL)
		return 0;
	*revision = k->revision;
	if (time != NULL)
		*time = k->time;
	if (value != NULL && !k->gone)
		*value = json_parse(k->value, strlen(k->value), false, NULL);
	return !k->gone;
}

int
store_look(struct link *l, enum store which, struct store_look *look,
    struct buf *why)
{
	const struct fake_bucket *b = &fake_buckets[which];

	(void)l;
	if (!fake_answers(why))
		return -1;
	*look = (struct store_look){ .made = b->made, .newest = b->newest,
	    .lasts = b->lasts };
	return 1;
}

void
store_token(struct buf *out, const char *text)
{
	buf_adds(out, text);
}

#endif

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

enum { FAKE_KEYS = 16 };

struct fake_key {
	char    *name;                  /* NULL: free */
	struct buf value;
	uint64_t revision;
	msec     time;
	bool     gone;
};

struct fake_bucket {
	struct fake_key keys[FAKE_KEYS];
	uint64_t last;
	msec     made, newest, lasts;
};

static struct fake_bucket fake_buckets[STORES];
static msec fake_now;
static struct fleetrules fake_rules;
struct link fake_link = { .rules = &fake_rules };

/* The server does not answer the call with that number: not at all, or after
 * it has done it. */
static unsigned fake_calls, fake_fails, fake_loses;
/* Runs before the call with that number. */
static unsigned fake_at;
static void (*fake_act)(void);

static inline void
fake_wipe(enum store which)
{
	struct fake_bucket *b = &fake_buckets[which];
	size_t i;

	for (i = 0; i < FAKE_KEYS; i++) {
		free(b->keys[i].name);
		buf_release(&b->keys[i].value);
	}
	*b = (struct fake_bucket){ .made = fake_now, .lasts = b->lasts };
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

static inline struct fake_key *
fake_find(enum store which, const char *key)
{
	struct fake_bucket *b = &fake_buckets[which];
	size_t i;

	for (i = 0; i < FAKE_KEYS; i++) {
		struct fake_key *k = &b->keys[i];

		if (k->name == NULL || strcmp(k->name, key) != 0)
			continue;
		if (b->lasts == 0 || fake_now - k->time <= b->lasts)
			return k;
		free(k->name);
		buf_release(&k->value);
		*k = (struct fake_key){ .name = NULL };
	}
	return NULL;
}

static inline enum store_end
fake_write(enum store which, const char *key, const char *value,
    uint64_t expected, bool gone, uint64_t *revision)
{
	struct fake_bucket *b = &fake_buckets[which];
	struct fake_key *k = fake_find(which, key);

	if (expected != STORE_ANY &&
	    expected != (k != NULL ? k->revision : 0))
		return STORE_TAKEN;
	if (k == NULL) {
		for (k = b->keys; k->name != NULL; k++)
			continue;
		k->name = xstrdup(key);
	}
	buf_reset(&k->value);
	buf_adds(&k->value, value);
	k->revision = *revision = ++b->last;
	k->time = b->newest = fake_now;
	k->gone = gone;
	return STORE_DONE;
}

/* What the key has; NULL: nothing. */
static inline const char *
fake_value(enum store which, const char *key)
{
	struct fake_key *k = fake_find(which, key);

	return k != NULL && !k->gone ? buf_str(&k->value) : NULL;
}

static inline bool
fake_answers(struct buf *why)
{
	fake_calls++;
	if (fake_calls == fake_at)
		fake_act();
	if (fake_calls != fake_fails)
		return true;
	if (why != NULL)
		buf_adds(why, "no answer");
	return false;
}

static inline enum store_end
fake_ended(enum store_end end, struct buf *why)
{
	if (fake_calls != fake_loses)
		return end;
	if (why != NULL)
		buf_adds(why, "no answer");
	return STORE_FAILED;
}

/* ---- what store.h and link.h promise --------------------------------------- */

const struct store_kind stores[STORES] = {
	[STORE_BACKLOG] = { .prefix = "$KV.PANEWARD_BACKLOG." },
	[STORE_LEASES] = { .prefix = "$KV.PANEWARD_LEASES." },
};

enum store_end
store_put(struct link *l, enum store which, const char *key,
    const struct buf *value, uint64_t *revision, struct buf *why)
{
	struct buf text = BUF_INIT;
	uint64_t new = *revision;
	enum store_end end;

	(void)l;
	if (!fake_answers(why))
		return STORE_FAILED;
	if (value != NULL)
		buf_add(&text, value->data, value->len);
	end = fake_ended(fake_write(which, key, buf_str(&text), *revision,
	    value == NULL, &new), why);
	if (end == STORE_DONE)
		*revision = new;
	buf_release(&text);
	return end;
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
	if (k->gone)
		return 0;
	if (value != NULL)
		*value = json_parse(k->value.data, k->value.len, false, NULL);
	return 1;
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

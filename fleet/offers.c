#include "fleet/offers.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* When it was to be tried again; 0: it was not there. */
static msec
offers_drop(struct offers *l, const char *key)
{
	msec later;
	size_t i;

	for (i = 0; i < l->n && strcmp(l->v[i].key, key) != 0; i++)
		continue;
	if (i == l->n)
		return 0;
	later = l->v[i].later;
	free(l->v[i].key);
	free(l->v[i].repository);
	free(l->v[i].host);
	l->n--;
	memmove(l->v + i, l->v + i + 1, (l->n - i) * sizeof(*l->v));
	return later;
}

/* One that a host has is not tried sooner since that host has changed it. */
static void
offers_add(struct offers *l, const char *key, const struct order *o,
    msec later)
{
	const char *host = order_part(o, "work", "host");
	uint64_t number = order_number(o);
	size_t i = l->n;

	l->v = xreallocarray(l->v, l->n + 1, sizeof(*l->v));
	while (i > 0 && l->v[i - 1].number > number)
		i--;
	memmove(l->v + i + 1, l->v + i, (l->n - i) * sizeof(*l->v));
	l->n++;
	l->v[i] = (struct offer){ .key = xstrdup(key), .number = number,
	    .repository = xstrdup(order_text(o, "repository")),
	    .host = host != NULL ? xstrdup(host) : NULL,
	    .later = host != NULL ? later : 0 };
}

void
offers_take(struct offers *l, const struct link_message *m,
    const struct fleetrules *rules)
{
	const char *prefix = store_prefix(STORE_BACKLOG), *key;
	struct order o = { 0 };
	msec later;

	if (strncmp(m->subject, prefix, strlen(prefix)) != 0)
		return;
	key = m->subject + strlen(prefix);
	later = offers_drop(l, key);
	if (m->gone || !order_parse(&o, m->data, m->len))
		return;
	o.revision = m->sequence;
	o.time = m->time;
	if (!order_over(&o) && !order_handing(&o) &&
	    !order_failed(&o, rules->host) && order_fits(&o, rules->labels))
		offers_add(l, key, &o, later);
	order_release(&o);
}

void
offers_release(struct offers *l)
{
	while (l->n > 0)
		offers_drop(l, l->v[l->n - 1].key);
	free(l->v);
	l->v = NULL;
}

#include "tmux/inquiry.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
	INQUIRY_ANSWER = 1000,          /* ms for an answer */
	INQUIRY_LATER = 10000,          /* ms after it did not come, */
	INQUIRY_SELDOM = 60000          /* twice */
};

struct inquiry *
inquiries_find(const struct inquiries *q, const char *socket)
{
	size_t i;

	for (i = 0; i < q->n; i++)
		if (strcmp(q->all[i]->socket, socket) == 0)
			return q->all[i];
	return NULL;
}

struct inquiry *
inquiries_add(struct inquiries *q, const char *socket, size_t size)
{
	struct inquiry *i = xcalloc(1, size);

	i->socket = xstrdup(socket);
	i->query = (struct tmux_query)TMUX_QUERY_INIT;
	i->query.limit = INQUIRY_ANSWER;
	q->all = xreallocarray(q->all, q->n + 1, sizeof(*q->all));
	return q->all[q->n++] = i;
}

void
inquiry_free(struct inquiry *i)
{
	tmux_query_release(&i->query);
	free(i->socket);
	free(i);
}

void
inquiries_release(struct inquiries *q, void (*release)(struct inquiry *))
{
	while (q->n > 0) {
		release(q->all[--q->n]);
		inquiry_free(q->all[q->n]);
	}
	free(q->all);
}

void
inquiry_missed(struct inquiry *i, msec now)
{
	i->misses++;
	i->due = now + (i->misses == 1 ? INQUIRY_LATER : INQUIRY_SELDOM);
}

void
inquiry_begun(struct inquiry *i, bool begun, msec now)
{
	i->running = begun;
	if (!begun)
		inquiry_missed(i, now);
}

size_t
inquiries_poll(const struct inquiries *q, struct pollfd *fds, size_t most)
{
	size_t i, n = 0;

	for (i = 0; i < q->n && n + 2 <= most; i++)
		if (q->all[i]->running)
			n += spawn_poll(&q->all[i]->query.spawn, fds + n);
	return n;
}

/* When is a call that runs to be looked at?  CLOCK_NEVER: none runs. */
static msec
inquiries_deadline(const struct inquiries *q, msec now)
{
	msec due = CLOCK_NEVER;
	size_t i;

	for (i = 0; i < q->n; i++)
		if (q->all[i]->running)
			due = clock_sooner(due, spawn_deadline(
			    &q->all[i]->query.spawn, now));
	return due;
}

msec
inquiries_due(const struct inquiries *q, msec now)
{
	msec due = inquiries_deadline(q, now);
	size_t i;

	for (i = 0; i < q->n; i++)
		if (!q->all[i]->running)
			due = clock_sooner(due, q->all[i]->due);
	return due;
}

void
inquiries_read(struct inquiries *q, msec now)
{
	size_t i;

	for (i = 0; i < q->n; i++)
		if (q->all[i]->running &&
		    spawn_step(&q->all[i]->query.spawn, now)) {
			q->all[i]->running = false;
			q->answered(q->context, q->all[i], now);
		}
}

void
inquiries_ask(struct inquiries *q, msec now)
{
	size_t i;

	for (i = 0; i < q->n; i++)
		if (!q->all[i]->running && q->all[i]->due <= now)
			q->ask(q->context, q->all[i], now);
}

/* A call that has closed its output has not ended yet. */
bool
inquiries_wait(struct inquiries *q, msec end)
{
	struct pollfd fds[64];
	msec now = clock_now(), due = inquiries_deadline(q, now);

	if (due == CLOCK_NEVER || now >= end)
		return false;
	poll(fds, (nfds_t)inquiries_poll(q, fds, 64),
	    clock_until(clock_sooner(due, end), now));
	inquiries_read(q, clock_now());
	return true;
}

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

static void
inquiry_due(void *context, msec now)
{
	struct inquiry *i = context;

	i->all->ask(i->all->context, i, now);
}

static void
inquiry_read(void *context, msec now)
{
	struct inquiry *i = context;

	if (i->query.spawn.pid != 0)
		return;
	i->running = false;
	i->all->answered(i->all->context, i, now);
	inquiry_at(i, i->due);
}

void
inquiry_at(struct inquiry *i, msec due)
{
	i->due = due;
	i->wait.at = i->running ? CLOCK_NEVER : due;
}

struct inquiry *
inquiries_add(struct inquiries *q, const char *socket, size_t size)
{
	struct inquiry *i = xcalloc(1, size);

	i->socket = xstrdup(socket);
	i->query = (struct tmux_query)TMUX_QUERY_INIT;
	i->query.limit = INQUIRY_ANSWER;
	i->all = q;
	i->wait = LOOP_WAIT(-1, inquiry_due, i);
	i->wait.at = i->due;
	if (q->loop != NULL)
		loop_add(q->loop, &i->wait);
	q->all = xreallocarray(q->all, q->n + 1, sizeof(*q->all));
	return q->all[q->n++] = i;
}

void
inquiry_free(struct inquiry *i)
{
	loop_drop(&i->wait);
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
	inquiry_at(i, now + (i->misses == 1 ? INQUIRY_LATER : INQUIRY_SELDOM));
}

void
inquiry_begun(struct inquiry *i, bool begun, msec now)
{
	i->running = begun;
	inquiry_at(i, i->due);
	if (begun)
		spawn_follow(&i->query.spawn, i->all->loop, inquiry_read, i);
	else
		inquiry_missed(i, now);
}

void
inquiries_follow(struct inquiries *q, struct loop *loop)
{
	struct inquiry *i;
	size_t k;

	q->loop = loop;
	for (k = 0; k < q->n; k++) {
		i = q->all[k];
		loop_add(loop, &i->wait);
		if (i->running)
			spawn_follow(&i->query.spawn, loop, inquiry_read, i);
	}
}

void
inquiries_ask(struct inquiries *q, msec now)
{
	size_t i;

	for (i = 0; i < q->n; i++)
		if (!q->all[i]->running && q->all[i]->due <= now)
			inquiry_due(q->all[i], now);
}

bool
inquiries_wait(struct inquiries *q, msec end)
{
	struct loop own = LOOP_INIT, *before = q->loop;
	bool any = false;
	size_t i;

	q->loop = &own;
	for (i = 0; i < q->n; i++)
		if (q->all[i]->running) {
			spawn_follow(&q->all[i]->query.spawn, &own,
			    inquiry_read, q->all[i]);
			any = true;
		}
	any = any && clock_now() < end;
	if (any)
		loop_round(&own, end);
	q->loop = before;
	for (i = 0; i < q->n; i++)
		if (q->all[i]->running)
			spawn_follow(&q->all[i]->query.spawn, before,
			    inquiry_read, q->all[i]);
	loop_release(&own);
	return any;
}

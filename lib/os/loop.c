#include "os/loop.h"

void
loop_release(struct loop *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->waits[i] != NULL)
			l->waits[i]->loop = NULL;
	free(l->waits);
	free(l->fds);
	*l = (struct loop)LOOP_INIT;
}

void
loop_add(struct loop *l, struct loop_wait *w)
{
	loop_drop(w);
	if (l->n == l->room) {
		l->room = 2 * l->room + 16;
		l->waits = xreallocarray(l->waits, l->room, sizeof(*l->waits));
		l->fds = xreallocarray(l->fds, l->room, sizeof(*l->fds));
	}
	w->loop = l;
	w->ready = 0;
	l->waits[l->n++] = w;
}

void
loop_drop(struct loop_wait *w)
{
	size_t i = 0;

	if (w->loop == NULL)
		return;
	while (w->loop->waits[i] != w)
		i++;
	w->loop->waits[i] = NULL;
	w->loop = NULL;
}

int
loop_round(struct loop *l, msec until)
{
	struct loop_wait *w;
	size_t i, n = 0, k = 0;
	nfds_t nfds = 0;
	int got;

	for (i = 0; i < l->n; i++) {
		if ((w = l->waits[i]) == NULL)
			continue;
		l->waits[n++] = w;
		until = clock_sooner(until, w->at);
		if (w->fd != -1)
			l->fds[nfds++] = (struct pollfd){ .fd = w->fd,
			    .events = w->events };
	}
	l->n = n;
	got = poll(l->fds, nfds, clock_until(until, clock_now()));
	if (got == -1 && errno != EINTR)
		return -1;
	l->now = clock_now();
	for (i = 0; i < n; i++)
		if (l->waits[i]->fd != -1)
			l->waits[i]->ready = got > 0 ? l->fds[k++].revents : 0;
	for (i = 0; i < n && got > 0; i++)
		if ((w = l->waits[i]) != NULL && w->ready != 0) {
			if (w->fn != NULL)
				w->fn(w->context, l->now);
			if (l->waits[i] == w)
				w->ready = 0;
		}
	for (i = 0; i < n; i++)
		if ((w = l->waits[i]) != NULL && w->at <= l->now &&
		    w->fn != NULL)
			w->fn(w->context, l->now);
	return 0;
}

bool
loop_await(int fd, short events, msec until)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, clock_until(until, clock_now())) == 1;
}

int
loop_await_any(const int *fds, size_t n, msec until)
{
	struct pollfd p[LOOP_ANY];
	int i;

	for (i = 0; (size_t)i < n; i++)
		p[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	if (poll(p, (nfds_t)n, clock_until(until, clock_now())) < 1)
		return -1;
	for (i = 0; p[i].revents == 0; i++)
		continue;
	return i;
}


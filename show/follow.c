#include "show/follow.h"

#include <signal.h>

#include "queue/rowlines.h"

enum { POLLED = 128 };

static void
follow_rows(const struct follow_how *how, struct rowlines *lines)
{
	struct row *const *rows;
	size_t n, i, shown = 0;

	rows = queue_rows(how->queue, &n);
	for (i = 0; i < n; i++)
		if (how->finished || !row_finished(rows[i]))
			rowlines_row(lines, rows[i], shown++);
	rowlines_left_others(lines);
}

/* Waits for something to do.  False: one of our ends is closed. */
static bool
follow_wait(struct queue *q, const struct rowlines *lines, msec *now)
{
	struct pollfd p[ROWLINES_POLLED + POLLED];
	size_t n = queue_poll(q, p + ROWLINES_POLLED, POLLED);
	bool open = rowlines_wait(lines, p, n, queue_due(q, *now), *now);

	*now = clock_now();
	return open;
}

void
follow_queue(const struct follow_how *how)
{
	struct rowlines *lines = rowlines_new(how->json);
	msec now = clock_now();

	/* A reader that has seen enough ends us. */
	signal(SIGPIPE, SIG_DFL);
	follow_rows(how, lines);
	while (rowlines_flush(lines, now) &&
	    follow_wait(how->queue, lines, &now))
		if (queue_turn(how->queue, now))
			follow_rows(how, lines);
	rowlines_free(lines);
}

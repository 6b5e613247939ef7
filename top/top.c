/*
 * top.c - paneward-top: the queue, live, on the whole screen of a terminal.
 *
 * `paneward top` checks its options and then becomes this program, which is
 * linked with ncurses: that would cost each hook a part of a millisecond.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "os/proc.h"
#include "os/trap.h"
#include "top/canvas.h"
#include "top/live.h"

enum { SECOND = 1000, POLLED = 64 };

static void
top_choose(struct live *t)
{
	struct row *const *rows;
	size_t n;

	t->wall = clock_wall();
	rows = queue_rows(t->queue, &n);
	choice_update(&t->choice, rows, n, t->wall);
}

/* A key that was typed ahead is about what the one before it leaves. */
static bool
top_keys(struct live *t)
{
	unsigned line = 0;
	bool any = false;
	long key;

	while (!t->over && (key = canvas_typed(&line)) != TYPED_NOTHING) {
		keys_do(t, key, line);
		top_choose(t);
		any = true;
	}
	return any;
}

/* Waits for something, until the next second.  False: the terminal is gone. */
static bool
top_wait(struct live *t, int trap)
{
	struct pollfd p[2 + POLLED] = { { .fd = STDIN_FILENO,
	    .events = POLLIN }, { .fd = trap, .events = POLLIN } };
	size_t n = queue_poll(t->queue, p + 2, POLLED);
	msec due = clock_sooner(queue_due(t->queue, t->now), t->tick);
	const struct reply *r;
	int signo;

	for (r = t->given; r != NULL && n + 2 <= POLLED; r = r->next) {
		if (r->spawn.pid == 0)
			continue;
		n += spawn_poll(&r->spawn, p + 2 + n);
		due = clock_sooner(due, spawn_deadline(&r->spawn, t->now));
	}

	if (t->segment != NULL) {
		n += segment_poll(t->segment, p + 2 + n, POLLED - n);
		due = clock_sooner(due, segment_due(t->segment, t->now));
	}

	if (poll(p, (nfds_t)(2 + n), clock_until(due, t->now)) == -1 &&
	    errno != EINTR)
		return false;
	signo = trap_read();
	if (signo != 0) {
		/* Ends by the signal, as if it had not been trapped. */
		canvas_close();
		if (t->segment != NULL)
			segment_free(t->segment);
		trap_close();
		raise(signo);
		exit(128 + signo);
	}
	t->now = clock_now();
	return (p[0].revents & (POLLHUP | POLLERR | POLLNVAL)) == 0;
}

static void
top_loop(struct live *t)
{
	int trap = trap_open();
	struct row *const *rows;
	bool changed;
	size_t n;

	if (trap == -1)
		fatal("cannot wait for signals");
	/* Ctrl-\ sends it, and the terminal would keep our settings. */
	signal(SIGQUIT, SIG_IGN);
	do {
		top_choose(t);
		rows = queue_rows(t->queue, &n);
		if (t->segment != NULL)
			segment_set(t->segment, rows, n, t->now);
		queue_show(t->queue, t->screen ? choice_row(&t->choice) : NULL);
		view_draw(t);
		t->tick = t->now + SECOND;
		do {
			if (!top_wait(t, trap))
				return;
			/* The keys are about the rows as they were drawn. */
			changed = top_keys(t);
			changed = reply_turn(t) || changed;
			changed = queue_turn(t->queue, t->now) || changed;
			if (t->segment != NULL)
				segment_turn(t->segment, t->now);
		} while (!changed && t->now < t->tick);
	} while (!t->over);
}

int
main(int argc, char **argv)
{
	struct live t = { .now = clock_now() };
	struct buf why = BUF_INIT;
	bool all;

	if (argc != 4)
		fatal_usage("paneward-top is run by 'paneward top'");
	t.client = argv[3][0] != '\0' ? argv[3] : NULL;
	t.program = proc_beside("paneward");
	if (t.program == NULL)
		fatal("cannot find paneward");
	context_open(&t.context, argv[2][0] != '\0' ? argv[2] : NULL, false);
	if (canvas_open(&why) == -1)
		fatalx("top: %s; 'paneward status --all' prints the same",
		    buf_str(&why));
	atexit(canvas_close);
	all = strcmp(argv[1], "all") == 0;
	t.queue = queue_new(&(struct queue_how){ .context = &t.context,
	    .all = all, .panes = true, .hosts = all, .live = true });
	queue_look(t.queue);
	if (all)
		t.segment = segment_new(t.context.config.sockets);
	top_loop(&t);
	canvas_close();
	if (t.segment != NULL)
		segment_free(t.segment);
	queue_free(t.queue);
	choice_release(&t.choice);
	buf_release(&t.message);
	return EXIT_DONE;
}

/*
 * top.c - paneward-top: the queue, live, on the whole screen of a terminal.
 *
 * `paneward top` checks its options and becomes this program: linking ncurses
 * would cost each hook a part of a millisecond.
 */
#include "top/live.h"

#include <signal.h>

#include "os/newer.h"
#include "os/trap.h"

enum { SECOND = 1000 };

static void
top_choose(struct live *t)
{
	t->wall = clock_wall();
	habits_read(&t->choice.habits);
	choice_update(&t->choice, t->queue->rows, t->queue->nrows, t->wall);
}

/* Keys are about the rows as drawn: they come first in a round.  A key typed
 * ahead is about what the one before it leaves. */
static void
top_typed(void *context, msec now)
{
	struct live *t = context;
	unsigned line = 0;
	long key;

	t->now = now;
	t->gone |= (t->typed.ready & (POLLHUP | POLLERR | POLLNVAL)) != 0;
	while (!t->gone && !t->over &&
	    (key = canvas_typed(&line)) != TYPED_NOTHING) {
		keys_do(t, key, line);
		if (t->reply == NULL)
			top_choose(t);
		t->changed = true;
	}
}

int
main(int argc, char **argv)
{
	struct live t = { .now = clock_now(), .loop = LOOP_INIT };
	struct buf why = BUF_INIT;
	struct newer newer;
	const char *what;
	int signo = 0;
	msec tick;
	bool all, again = false;

	if (argc != 5)
		fatal_usage("paneward-top is run by 'paneward top'");
	t.client = argv[3][0] != '\0' ? argv[3] : NULL;
	t.sidebar = argv[4][0] != '\0';
	t.program = proc_beside("paneward");
	context_open(&t.context, argv[2][0] != '\0' ? argv[2] : NULL, false);
	if (canvas_open(&why) == -1)
		fatalx("top: %s; 'paneward status --all' prints the same",
		    buf_str(&why));
	atexit(canvas_close);
	t.typed = LOOP_WAIT(STDIN_FILENO, top_typed, &t);
	t.trap = LOOP_WAIT(trap_open(), NULL, NULL);
	if (t.trap.fd == -1)
		fatal("cannot wait for signals");
	loop_add(&t.loop, &t.typed);
	loop_add(&t.loop, &t.trap);
	newer_open(&newer, "paneward", &t.loop);
	newer.quiet = true;
	all = strcmp(argv[1], "all") == 0;
	t.queue = queue_new(&(struct queue_how){ .context = &t.context,
	    .all = all, .panes = true, .hosts = all, .loop = &t.loop });
	queue_look(t.queue);
	if (all)
		t.segment = segment_new(&t.queue->servers);
	/* Ctrl-\ would leave the terminal with our settings. */
	signal(SIGQUIT, SIG_IGN);
	while (!t.over && !t.gone && !again) {
		top_choose(&t);
		if (t.segment != NULL)
			segment_set(t.segment, t.queue->rows, t.queue->nrows);
		queue_show(t.queue, t.screen ? choice_row(&t.choice) : NULL);
		view_draw(&t);
		tick = t.now + SECOND;
		t.changed = false;
		while (!t.changed && !t.gone && t.now < tick) {
			t.gone = loop_round(&t.loop, tick) == -1 || t.gone;
			signo = trap_read();
			t.gone |= signo != 0;
			t.changed |= reply_turn(&t);
			if (queue_changed(t.queue)) {
				top_choose(&t);
				t.changed = true;
			}
			/* Another size of the terminal comes as a key, too. */
			top_typed(&t, t.loop.now);
		}
		/* What was typed would be lost. */
		again = newer_look(&newer, t.now) && t.reply == NULL &&
		    t.replies == NULL && !t.typing && t.help == 0 &&
		    t.choice.filter.len == 0;
	}
	canvas_close();
	if (t.segment != NULL)
		segment_free(t.segment);
	queue_end(t.queue);
	trap_close();
	if (again && signo == 0 && !t.over && !t.gone) {
		what = all ? "--all" : "--project";
		newer_become(&newer, WORDS("top", what, t.sidebar ?
		    "--sidebar" : what, "--client", argv[3], argv[2][0] !=
		    '\0' ? "--status-dir" : NULL, argv[2]));
		return EXIT_COULD_NOT;
	}
	if (signo == 0)
		return EXIT_DONE;
	raise(signo);                   /* ends by the signal itself */
	return 128 + signo;
}

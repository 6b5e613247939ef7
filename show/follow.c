#include "show/follow.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/columns.h"
#include "os/compat.h"
#include "queue/layout.h"

enum {
	BEAT = 30000,                   /* ms between lines in JSON, at most */
	POLLED = 128
};

/* A row that was printed. */
struct told {
	char *key, *name;
	char *line;                     /* without the time */
	bool  there;                    /* in the queue of now */
};

struct follow {
	const struct follow_how *how;
	struct told *told;
	size_t ntold;
	struct buf key, line;           /* of the row at hand */
	msec now, beat;
	bool said;                      /* something, in this batch */
};

/* ---- a line -------------------------------------------------------------- */

/* The age would change each second: the line begins with the time instead. */
static void
follow_text(struct buf *out, const struct row *r)
{
	struct layout l = { .width = { [CELL_NAME] = 16, [CELL_STATE] = 8,
	    [CELL_AGENT] = 8, [CELL_PROJECT] = 12, [CELL_TEXT] = COLUMNS_ALL } };

	if (r->host != NULL)
		l.width[CELL_HOST] = 12;
	layout_line(out, &l, r, false, clock_wall());
	buf_addc(out, '\n');
}

static void
follow_time(void)
{
	time_t now = (time_t)(clock_wall() / 1000);
	struct tm tm;
	char text[16];

	localtime_r(&now, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	printf("%s  ", text);
}

static void
follow_say(struct follow *x, const char *line)
{
	if (!x->how->json)
		follow_time();
	fputs(line, stdout);
	x->said = true;
}

/* ---- the rows ------------------------------------------------------------ */

/* The place where the row was last time is likely its place again. */
static struct told *
follow_find(struct follow *x, const char *key, size_t likely)
{
	size_t i;

	if (likely < x->ntold && strcmp(x->told[likely].key, key) == 0)
		return &x->told[likely];
	for (i = 0; i < x->ntold; i++)
		if (strcmp(x->told[i].key, key) == 0)
			return &x->told[i];
	x->told = xreallocarray(x->told, x->ntold + 1, sizeof(*x->told));
	x->told[x->ntold] = (struct told){ .key = xstrdup(key) };
	return &x->told[x->ntold++];
}

static void
follow_row(struct follow *x, const struct row *r, size_t likely)
{
	struct told *t;

	buf_reset(&x->key);
	buf_reset(&x->line);
	row_key(&x->key, r);
	(x->how->json ? row_json : follow_text)(&x->line, r);
	t = follow_find(x, buf_str(&x->key), likely);
	t->there = true;
	if (t->line != NULL && strcmp(t->line, buf_str(&x->line)) == 0)
		return;
	follow_say(x, buf_str(&x->line));
	free(t->line);
	free(t->name);
	t->line = buf_steal(&x->line);
	t->name = xstrdup(row_name(r));
}

static void
follow_left(struct follow *x, const struct told *t)
{
	buf_reset(&x->line);
	if (x->how->json) {
		row_json_gone(&x->line, t->key);
	} else {
		columns_pad(&x->line, t->name, 16);
		buf_adds(&x->line, "  left the list\n");
	}
	follow_say(x, buf_str(&x->line));
}

static void
told_free(struct told *t)
{
	free(t->key);
	free(t->name);
	free(t->line);
}

/* Those that are not there any more. */
static void
follow_drop(struct follow *x)
{
	size_t i, n = 0;

	for (i = 0; i < x->ntold; i++) {
		if (x->told[i].there) {
			x->told[n] = x->told[i];
			x->told[n++].there = false;
		} else {
			follow_left(x, &x->told[i]);
			told_free(&x->told[i]);
		}
	}
	x->ntold = n;
}

static void
follow_rows(struct follow *x)
{
	struct row *const *rows;
	size_t n, i, shown = 0;

	rows = queue_rows(x->how->queue, &n);
	for (i = 0; i < n; i++)
		if (x->how->finished || !row_finished(rows[i]))
			follow_row(x, rows[i], shown++);
	follow_drop(x);
}

/* ---- the loop ------------------------------------------------------------ */

static bool
follow_flush(struct follow *x)
{
	if (x->how->json && (x->said || x->now >= x->beat)) {
		putchar('\n');
		x->beat = x->now + BEAT;
	}
	x->said = false;
	return fflush(stdout) == 0;
}

/* Waits for something to do.  False: one of our ends is closed. */
static bool
follow_wait(struct follow *x)
{
	struct pollfd p[2 + POLLED] = {
		{ .fd = STDIN_FILENO, .events = POLLRDHUP },
		{ .fd = STDOUT_FILENO, .events = POLLRDHUP },
	};
	size_t n = queue_poll(x->how->queue, p + 2, POLLED);
	msec due = queue_due(x->how->queue, x->now);

	if (x->how->json)
		due = clock_sooner(due, x->beat);
	poll(p, (nfds_t)(2 + n), clock_until(due, x->now));
	x->now = clock_now();
	return ((p[0].revents | p[1].revents) &
	    (POLLHUP | POLLERR | POLLRDHUP)) == 0;
}

void
follow_queue(const struct follow_how *how)
{
	struct follow x = { .how = how, .now = clock_now() };

	/* A reader that has seen enough ends us. */
	signal(SIGPIPE, SIG_DFL);
	columns_begin();
	follow_rows(&x);
	while (follow_flush(&x) && follow_wait(&x))
		if (queue_turn(how->queue, x.now))
			follow_rows(&x);
	while (x.ntold > 0)
		told_free(&x.told[--x.ntold]);
	free(x.told);
	buf_release(&x.key);
	buf_release(&x.line);
}

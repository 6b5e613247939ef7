#include "queue/rowlines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/columns.h"
#include "os/compat.h"
#include "queue/layout.h"

enum { BEAT = 30000 };                  /* ms between lines in JSON, at most */

/* A row that was printed. */
struct told {
	char *key, *name;
	char *line;                     /* without the time */
	bool  there;                    /* in the queue of now */
};

struct rowlines {
	bool   json;
	struct told *told;
	size_t ntold, room;
	struct buf key, line;           /* of the row at hand */
	msec   beat;                    /* CLOCK_NEVER: no batch has ended */
	bool   said;                    /* something, in this batch */
	bool   over;
	struct loop_wait ends[2];       /* of standard input and output */
};

/* A write fails if the system does not report a closed end. */
static void
rowlines_gone(void *context, msec now)
{
	struct rowlines *x = context;

	(void)now;
	x->over = x->over || x->ends[0].ready != 0 || x->ends[1].ready != 0;
}

struct rowlines *
rowlines_new(bool json, struct loop *loop)
{
	struct rowlines *x = xcalloc(1, sizeof(*x));
	int fd;

	x->json = json;
	x->beat = CLOCK_NEVER;
	for (fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++) {
		x->ends[fd] = LOOP_WAIT(fd, rowlines_gone, x);
		x->ends[fd].events = POLLRDHUP;
		loop_add(loop, &x->ends[fd]);
	}
	columns_begin();
	return x;
}

static void
told_free(struct told *t)
{
	free(t->key);
	free(t->name);
	free(t->line);
}

void
rowlines_free(struct rowlines *x)
{
	while (x->ntold > 0)
		told_free(&x->told[--x->ntold]);
	free(x->told);
	loop_drop(&x->ends[0]);
	loop_drop(&x->ends[1]);
	buf_release(&x->key);
	buf_release(&x->line);
	free(x);
}

/* ---- a line -------------------------------------------------------------- */

/* The age would change each second: the line begins with the time instead. */
static void
rowlines_text(struct buf *out, const struct row *r)
{
	struct layout l = { .width = { [CELL_NAME] = 16, [CELL_STATE] = 8,
	    [CELL_AGENT] = 8, [CELL_PROJECT] = 12, [CELL_TEXT] = COLUMNS_ALL } };

	if (r->host != NULL)
		l.width[CELL_HOST] = 12;
	layout_line(out, &l, r, false, clock_wall());
	buf_addc(out, '\n');
}

static void
rowlines_time(void)
{
	time_t now = (time_t)(clock_wall() / 1000);
	struct tm tm;
	char text[16];

	localtime_r(&now, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	printf("%s  ", text);
}

static void
rowlines_say(struct rowlines *x, const char *line)
{
	if (!x->json)
		rowlines_time();
	fputs(line, stdout);
	x->said = true;
}

/* ---- the rows ------------------------------------------------------------ */

/* The place where the row was last time is likely its place again. */
static size_t
rowlines_find(const struct rowlines *x, const char *key, size_t likely)
{
	size_t i = 0;

	if (likely < x->ntold && strcmp(x->told[likely].key, key) == 0)
		return likely;
	while (i < x->ntold && strcmp(x->told[i].key, key) != 0)
		i++;
	return i;
}

static struct told *
rowlines_new_told(struct rowlines *x, const char *key)
{
	if (x->ntold == x->room) {
		x->room = 2 * x->room + 16;
		x->told = xreallocarray(x->told, x->room, sizeof(*x->told));
	}
	x->told[x->ntold] = (struct told){ .key = xstrdup(key) };
	return &x->told[x->ntold++];
}

void
rowlines_row(struct rowlines *x, const struct row *r, size_t likely)
{
	struct told *t;
	size_t i;

	buf_reset(&x->key);
	buf_reset(&x->line);
	row_key(&x->key, r);
	(x->json ? row_json : rowlines_text)(&x->line, r);
	i = rowlines_find(x, buf_str(&x->key), likely);
	t = i < x->ntold ? &x->told[i] :
	    rowlines_new_told(x, buf_str(&x->key));
	t->there = true;
	if (t->line != NULL && strcmp(t->line, buf_str(&x->line)) == 0)
		return;
	rowlines_say(x, buf_str(&x->line));
	free(t->line);
	free(t->name);
	t->line = buf_steal(&x->line);
	t->name = xstrdup(row_name(r));
}

static void
rowlines_say_left(struct rowlines *x, const struct told *t)
{
	buf_reset(&x->line);
	if (x->json) {
		row_json_gone(&x->line, t->key);
	} else {
		columns_pad(&x->line, t->name, 16);
		buf_adds(&x->line, "  left the list\n");
	}
	rowlines_say(x, buf_str(&x->line));
}

void
rowlines_left(struct rowlines *x, const char *key)
{
	size_t i = rowlines_find(x, key, 0);

	if (i == x->ntold)
		return;
	rowlines_say_left(x, &x->told[i]);
	told_free(&x->told[i]);
	x->told[i] = x->told[--x->ntold];
}

void
rowlines_left_others(struct rowlines *x)
{
	size_t i, n = 0;

	for (i = 0; i < x->ntold; i++) {
		if (x->told[i].there) {
			x->told[n] = x->told[i];
			x->told[n++].there = false;
		} else {
			rowlines_say_left(x, &x->told[i]);
			told_free(&x->told[i]);
		}
	}
	x->ntold = n;
}

/* ---- batches ------------------------------------------------------------- */

bool
rowlines_flush(struct rowlines *x, msec now)
{
	if (x->json && (x->said || x->beat == CLOCK_NEVER ||
	    now >= x->beat)) {
		putchar('\n');
		x->ends[0].at = x->beat = now + BEAT;
	}
	x->said = false;
	return fflush(stdout) == 0 && !ferror(stdout) && !x->over;
}

bool
rowlines_read(const struct rowlines *x)
{
	return !x->over;
}

#include "queue/lines.h"

#include "base/columns.h"
#include "os/compat.h"

enum { BEAT = 30000 };                  /* ms between lines of JSON */

struct rowlines {
	bool   json, whole, said, over; /* said: in this batch */
	struct lines told;              /* note: the text for people */
	size_t given;
	struct buf key, text;
	msec   beat;
	struct loop_wait ends[2];
};

/* On other systems a write fails. */
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
	x->told.round = 1;
	for (fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++) {
		x->ends[fd] = LOOP_WAIT(fd, rowlines_gone, x);
		x->ends[fd].events = POLLRDHUP;
		loop_add(loop, &x->ends[fd]);
	}
	columns_begin();
	return x;
}

/* The time, since an age would change each second. */
static void
rowlines_print(struct rowlines *x, const char *text)
{
	time_t now = (time_t)(clock_wall() / 1000);
	char at[16];
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(at, sizeof(at), "%H:%M:%S", &tm);
	printf("%s  %s\n", at, text);
	x->said = true;
}

void
rowlines_row(struct rowlines *x, const char *line, size_t len)
{
	struct layout layout = { .width = { [CELL_NAME] = 16,
	    [CELL_STATE] = 8, [CELL_AGENT] = 8, [CELL_PROJECT] = 12,
	    [CELL_TEXT] = COLUMNS_ALL } };
	struct line *l;
	struct row r;

	if (!lines_key(&x->key, line, len))
		return;
	l = lines_set(&x->told, buf_str(&x->key), line, len, x->given++);
	if (!l->news)
		return;
	if (x->json) {
		printf("%s\n", l->text);
		x->said = true;
	} else if (row_parse(&r, line, len)) {
		layout.width[CELL_HOST] = r.host != NULL ? 12 : 0;
		/* A later row is not known: a long name stands out. */
		if (columns_of(row_name(&r)) > layout.width[CELL_NAME])
			layout.width[CELL_NAME] = columns_of(row_name(&r));
		buf_reset(&x->text);
		layout_line(&x->text, &layout, &r, false, clock_wall());
		if (l->note == NULL || strcmp(l->note, buf_str(&x->text)) != 0)
			rowlines_print(x, buf_str(&x->text));
		free(l->note);
		l->note = xstrdup(buf_str(&x->text));
		row_release(&r);
	}
}

void
rowlines_whole(struct rowlines *x)
{
	struct line *l;
	struct row r;

	while ((l = lines_old(&x->told)) != NULL) {
		if (x->json) {
			printf("{\"key\":\"%s\",\"gone\":true}\n", l->key);
			x->said = true;
		} else if (row_parse(&r, l->text, l->len)) {
			buf_reset(&x->text);
			columns_pad(&x->text, row_name(&r), 16);
			buf_adds(&x->text, "  left the list");
			rowlines_print(x, buf_str(&x->text));
			row_release(&r);
		}
		lines_drop(&x->told, l);
	}
	x->told.round++;
	x->given = 0;
	x->whole = true;
}

bool
rowlines_flush(struct rowlines *x, msec now)
{
	if (x->json && x->whole && (x->said || now >= x->beat)) {
		putchar('\n');
		x->ends[0].at = x->beat = now + BEAT;
	}
	x->said = false;
	return fflush(stdout) == 0 && !ferror(stdout) && !x->over;
}

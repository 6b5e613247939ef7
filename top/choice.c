#include "top/live.h"

bool
choice_matches(const char *filter, const struct row *r, msec wall)
{
	static const enum cell cells[] = { CELL_HOST, CELL_NAME, CELL_STATE,
	    CELL_AGENT, CELL_PROJECT, CELL_TEXT };
	struct buf all = BUF_INIT, word = BUF_INIT;
	bool matches = true;
	size_t i, len;

	for (i = 0; *filter != '\0' && i < sizeof(cells) / sizeof(cells[0]);
	    i++) {
		layout_cell(&all, r, cells[i], COLUMNS_ALL, wall);
		buf_addc(&all, '\n');
	}
	for (; *filter != '\0' && matches; filter += len) {
		filter += strspn(filter, " ");
		len = strcspn(filter, " ");
		buf_reset(&word);
		buf_add(&word, filter, len);
		matches = strcasestr(buf_str(&all), buf_str(&word)) != NULL;
	}
	buf_release(&all);
	buf_release(&word);
	return matches;
}

void
choice_update(struct choice *c, struct row *const *rows, size_t n, msec wall)
{
	struct buf agent = BUF_INIT;
	size_t i;

	c->n = c->hidden = 0;
	c->rows = xreallocarray(c->rows, n + 1, sizeof(*c->rows));
	for (i = 0; i < n; i++) {
		if (row_finished(rows[i]) && !c->finished)
			c->hidden++;
		else if (choice_matches(buf_str(&c->filter), rows[i], wall))
			c->rows[c->n++] = rows[i];
	}
	for (i = 0; i < c->n; i++) {
		buf_reset(&agent);
		row_key(&agent, c->rows[i]);
		if (buf_same(&agent, &c->agent))
			c->at = i;
	}
	buf_release(&agent);
	choice_move(c, 0);
}

struct row *
choice_row(const struct choice *c)
{
	return c->n > 0 ? c->rows[c->at] : NULL;
}

void
choice_move(struct choice *c, long by)
{
	long at = (long)c->at + by, last = (long)c->n - 1;

	if (at > last)
		at = last;
	c->at = at < 0 ? 0 : (size_t)at;
	if (c->n == 0)
		return;
	buf_reset(&c->agent);
	row_key(&c->agent, c->rows[c->at]);
}

void
choice_scroll(struct choice *c, size_t lines)
{
	if (c->n <= lines)
		c->first = 0;
	else if (c->first > c->n - lines)
		c->first = c->n - lines;
	if (c->at < c->first)
		c->first = c->at;
	if (lines > 0 && c->at >= c->first + lines)
		c->first = c->at + 1 - lines;
}

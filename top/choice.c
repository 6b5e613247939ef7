#include "top/live.h"

bool
choice_matches(const char *filter, const struct row *r, msec wall)
{
	static const enum cell cells[] = { CELL_HOST, CELL_NAME, CELL_STATE,
	    CELL_AGENT, CELL_PROJECT, CELL_TASK, CELL_TEXT };
	struct buf all = BUF_INIT, word = BUF_INIT;
	bool matches = true;
	size_t i, len;

	for (i = 0; *filter != '\0' && i < sizeof(cells) / sizeof(cells[0]);
	    i++) {
		layout_cell(&all, r, cells[i], wall);
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

/* Of one project on one host? */
static bool
choice_together(const struct row *a, const struct row *b)
{
	return strcmp(a->host != NULL ? a->host : "",
	    b->host != NULL ? b->host : "") == 0 &&
	    strcmp(a->project != NULL ? a->project : "",
	    b->project != NULL ? b->project : "") == 0;
}

/* No key of a row begins with a line feed. */
static const char *
choice_key(const struct item *i, struct buf *key)
{
	const struct row *r = i->row;

	buf_reset(key);
	if (i->agents == 0)
		row_key(key, r);
	else
		buf_printf(key, "\n%s:%s", r->host != NULL ? r->host : "",
		    r->project != NULL ? r->project : "");
	return buf_str(key);
}

static struct item *
choice_add(struct choice *c, struct row *r, size_t agents)
{
	struct item *i = &c->items[c->n++];

	*i = (struct item){ .row = r, .agents = agents, .line = i->line };
	i[1].line = i->line + (agents == 0 && c->sidebar ? 2 : 1);
	return i;
}

/* A group stands where its worst row would. */
static void
choice_group(struct choice *c)
{
	struct row **begin = c->rows + c->pinned, **first = begin, **r;
	struct row **end = c->rows + c->nrows;
	struct buf key = BUF_INIT;
	struct item *header;

	for (; first < end; first++) {
		for (r = begin; !choice_together(*r, *first); r++)
			continue;
		if (r < first)
			continue;
		header = choice_add(c, *first, 1);
		/* A filter finds the rows of a folded group, too. */
		header->folded = c->filter.len == 0 &&
		    argv_has(c->habits.folded, choice_key(header, &key));
		for (header->agents = 0; r < end; r++) {
			if (!choice_together(*r, *first))
				continue;
			header->agents++;
			header->count[(*r)->rank]++;
			if (!header->folded)
				choice_add(c, *r, 0);
		}
	}
	buf_release(&key);
}

/* Takes the rows that are shown, pinned ones first. */
static void
choice_take(struct choice *c, struct row *const *rows, size_t n, msec wall)
{
	struct buf key = BUF_INIT;
	bool pinned;
	size_t i;

	c->nrows = c->pinned = c->hidden = c->busy = 0;
	for (i = 0; i < n; i++) {
		pinned = c->habits.pinned != NULL && argv_has(c->habits.pinned,
		    choice_key(&(struct item){ .row = rows[i] }, &key));
		if (row_finished(rows[i]) && !c->finished) {
			c->hidden++;
		} else if (rows[i]->rank == ROW_WORKING && c->habits.calm &&
		    !pinned) {
			c->busy++;
		} else if (choice_matches(buf_str(&c->filter), rows[i],
		    wall)) {
			if (pinned)
				memmove(c->rows + c->pinned + 1, c->rows +
				    c->pinned, (c->nrows - c->pinned) *
				    sizeof(*c->rows));
			c->rows[pinned ? c->pinned++ : c->nrows] = rows[i];
			c->nrows++;
		}
	}
	buf_release(&key);
}

void
choice_update(struct choice *c, struct row *const *rows, size_t n, msec wall)
{
	struct buf key = BUF_INIT;
	size_t i;

	c->rows = xreallocarray(c->rows, n + 1, sizeof(*c->rows));
	c->items = xreallocarray(c->items, 2 * n + 1, sizeof(*c->items));
	choice_take(c, rows, n, wall);
	c->n = c->items[0].line = 0;
	for (i = 0; i < (c->habits.grouped ? c->pinned : c->nrows); i++)
		choice_add(c, c->rows[i], 0);
	if (c->habits.grouped)
		choice_group(c);
	for (i = 0; i < c->n; i++) {
		choice_key(&c->items[i], &key);
		if (buf_same(&key, &c->agent))
			break;
	}
	buf_release(&key);
	c->at = i < c->n ? i : c->at;
	choice_move(c, 0);
	/* Rather a row than its group. */
	if (i == c->n && choice_row(c) == NULL && c->at + 1 < c->n)
		choice_move(c, c->items[c->at].folded ? 0 : 1);
}

struct row *
choice_row(const struct choice *c)
{
	return c->n > 0 && c->items[c->at].agents == 0 ?
	    c->items[c->at].row : NULL;
}

void
choice_move(struct choice *c, long by)
{
	long at = (long)c->at + by, last = (long)c->n - 1;

	if (at > last)
		at = last;
	c->at = at < 0 ? 0 : (size_t)at;
	if (c->n > 0)
		choice_key(&c->items[c->at], &c->agent);
}

bool
choice_fold(struct choice *c, enum choice_way way)
{
	struct item *i = &c->items[c->at];

	if (way == CHOICE_IN && c->habits.grouped && c->at >= c->pinned &&
	    choice_row(c) != NULL)
		while (c->items[c->at].agents == 0)
			choice_move(c, -1);
	else if (c->n == 0 || i->agents == 0)
		return false;
	else if (way == CHOICE_OUT && !i->folded)
		choice_move(c, 1);
	else if (way != CHOICE_IN || !i->folded)
		habits_turn(&c->habits, &c->habits.folded, buf_str(&c->agent));
	return true;
}

void
choice_scroll(struct choice *c, size_t lines)
{
	const struct item *i = c->items, *at = i + c->at, *end = i + c->n;

	if (c->n == 0 || end->line <= lines)
		c->first = 0;
	if (c->n == 0)
		return;
	if (c->first > c->at)
		c->first = c->at;
	while (c->first < c->at && at[1].line - i[c->first].line > lines)
		c->first++;
	while (c->first > 0 && end->line - i[c->first - 1].line <= lines)
		c->first--;
}

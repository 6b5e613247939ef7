#include "top/live.h"

/* Is each word of the filter in what the row says, in any case of ASCII? */
static bool
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

bool
choice_head(const struct row *r)
{
	return r->key != NULL && r->key[0] == '\n';
}

static const char *
choice_project(const struct row *r)
{
	return r->project != NULL ? r->project : "";
}

/* A group stands where its worst row would.  Its head is a row without an
 * agent: "- shop", or folded "+ shop", and "1 asking  2 working". */
static void
choice_group(struct choice *c, struct row **rows, size_t n)
{
	unsigned count[ROW_RANKS];
	struct buf text = BUF_INIT;
	struct row *head, *first;
	bool folded;
	size_t i, k;

	for (i = 0; i < n; i++) {
		if (rows[i] == NULL)
			continue;
		first = rows[i];
		head = &c->heads[c->nheads++];
		*head = (struct row){ .rank = ROW_UNKNOWN, .project =
		    xstrdup(choice_project(first)), .key = xasprintf("\n%s",
		    choice_project(first)) };
		/* A filter finds what is folded, too. */
		folded = c->filter.len == 0 &&
		    argv_has(c->habits.folded, head->key);
		head->where = xasprintf("%c %s", folded ? '+' : '-',
		    first->project != NULL ? row_project(first) : "no project");
		c->rows[c->n++] = head;
		memset(count, 0, sizeof(count));
		for (k = i; k < n; k++) {
			if (rows[k] == NULL || strcmp(choice_project(rows[k]),
			    choice_project(first)) != 0)
				continue;
			count[rows[k]->rank]++;
			if (!folded)
				c->rows[c->n++] = rows[k];
			rows[k] = NULL;
		}
		for (k = 0; k < ROW_RANKS; k++)
			if (count[k] > 0)
				buf_printf(&text, "%s%u %s", text.len > 0 ?
				    "  " : "", count[k], row_styles[k].word);
		head->problem = buf_steal(&text);
	}
}

void
choice_update(struct choice *c, struct row *const *rows, size_t n, msec wall)
{
	struct row **others = xreallocarray(NULL, n + 1, sizeof(*others));
	struct buf agent = BUF_INIT;
	size_t i, m = 0;
	bool pinned;

	while (c->nheads > 0)
		row_release(&c->heads[--c->nheads]);
	c->heads = xreallocarray(c->heads, n + 1, sizeof(*c->heads));
	c->rows = xreallocarray(c->rows, 2 * n + 1, sizeof(*c->rows));
	c->n = c->hidden = c->busy = 0;
	for (i = 0; i < n; i++) {
		buf_reset(&agent);
		row_key(&agent, rows[i]);
		pinned = argv_has(c->habits.pinned, buf_str(&agent));
		if (row_finished(rows[i]) && !c->finished)
			c->hidden++;
		else if (c->habits.calm && !pinned &&
		    rows[i]->rank == ROW_WORKING)
			c->busy++;
		else if (!choice_matches(buf_str(&c->filter), rows[i], wall))
			continue;
		else if (pinned)
			c->rows[c->n++] = rows[i];
		else
			others[m++] = rows[i];
	}
	c->found = c->n + m;
	c->pinned = c->n;
	if (c->habits.grouped)
		choice_group(c, others, m);
	for (i = 0; i < m && !c->habits.grouped; i++)
		c->rows[c->n++] = others[i];
	free(others);
	for (i = 0; i < c->n; i++) {
		buf_reset(&agent);
		row_key(&agent, c->rows[i]);
		if (buf_same(&agent, &c->agent))
			break;
	}
	buf_release(&agent);
	c->at = i < c->n ? i : c->at;
	choice_move(c, 0);
	/* In its place stands rather a row than a group. */
	if (i == c->n && i > 0 && choice_head(c->rows[c->at]))
		choice_move(c, c->rows[c->at]->where[0] == '-');
}

bool
choice_fold(struct choice *c, const char *marks)
{
	bool head = c->n > 0 && choice_head(c->rows[c->at]);

	if (head && strchr(marks, c->rows[c->at]->where[0]) != NULL)
		habits_turn(&c->habits, &c->habits.folded, buf_str(&c->agent));
	else if (head)
		choice_move(c, *marks == '+');
	else if (*marks == '-' && c->at >= c->pinned && c->nheads > 0)
		while (!choice_head(c->rows[c->at]))
			choice_move(c, -1);
	return head;
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

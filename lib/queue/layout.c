#include "queue/row.h"

#include "base/columns.h"

/* columns that TASK needs: a terminal of 140, less the margin of top */
enum { WIDE = 136 };

static const char layout_gap[] = "  ";

const struct layout_column layout_columns[CELLS] = {
	[CELL_HOST]    = { "HOST",    12, 8 },
	[CELL_NAME]    = { "NAME",    24, 0 },
	[CELL_STATE]   = { "STATE",   9,  0 },
	[CELL_AGE]     = { "FOR",     4,  0 },
	[CELL_AGENT]   = { "AGENT",   8,  24 },
	[CELL_PROJECT] = { "PROJECT", 16, 28 },
	[CELL_PANE]    = { "PANE",    5,  30 },
	[CELL_TOKENS]  = { "TOKENS",  19, 60 },
	[CELL_TASK]    = { "TASK",    60, 30 },
	[CELL_TEXT]    = { "WHAT",    COLUMNS_ALL, 0 },
};

/* printf() would be a twentieth of status. */
static void
layout_age(struct buf *out, msec age)
{
	static const struct { msec size; char unit; } units[] = {
		{ 86400000, 'd' }, { 3600000, 'h' }, { 60000, 'm' },
		{ 1000, 's' },
	};
	char text[24], *p = text + sizeof(text);
	size_t i = 0;

	while (i < 3 && age < units[i].size)
		i++;
	age = age < 0 ? 0 : age / units[i].size;
	*--p = units[i].unit;
	do
		*--p = (char)('0' + age % 10);
	while ((age /= 10) > 0);
	buf_add(out, p, (size_t)(text + sizeof(text) - p));
}

void
layout_cell(struct buf *out, const struct row *r, enum cell c, msec wall)
{
	const struct status *s = &r->status;
	enum state state = s->verdict.state;

	switch (c) {
	case CELL_HOST: buf_adds(out, r->host ? r->host : ""); break;
	case CELL_NAME: buf_adds(out, row_name(r)); break;
	case CELL_STATE:
		buf_adds(out, r->problem != NULL ? "-" : state_name(state));
		/* An unwatched run's state was true then. */
		if (r->unwatched != 0 && state != STATE_UNKNOWN)
			buf_addc(out, '?');
		break;
	case CELL_AGE:
		if (r->problem == NULL && s->since > 0)
			layout_age(out, wall - s->since);
		break;
	case CELL_AGENT: buf_adds(out, s->backend ? s->backend : ""); break;
	case CELL_PROJECT: buf_adds(out, row_project(r)); break;
	case CELL_PANE: buf_adds(out, s->place.pane); break;
	case CELL_TOKENS: tokens_describe(out, "", &s->tokens.sum); break;
	case CELL_TASK: buf_adds(out, s->task ? s->task : ""); break;
	case CELL_TEXT: row_says(out, r, wall); break;
	case CELLS: break;
	}
}

void
layout_fit(struct layout *l, struct row *const *rows, size_t n,
    unsigned width, bool titled, msec wall)
{
	struct buf text = BUF_INIT;
	unsigned used = 0, most, columns, least;
	const unsigned gap = sizeof(layout_gap) - 1;
	bool differ;
	size_t i;
	int c;

	for (c = 0; c < CELL_TEXT; c++) {
		most = layout_columns[c].most;
		/* Wider than at 80 columns in proportion; a state, an age and a
		 * kind are never cut. */
		most = width == COLUMNS_ALL ? COLUMNS_ALL :
		    most > 9 ? most * (width + 16) / 96 : most;
		/* WHAT keeps the larger part. */
		if (c == CELL_TASK && used < width &&
		    most > (width - used) * 2 / 5)
			most = (width - used) * 2 / 5;
		l->width[c] = 0;
		differ = c != CELL_PROJECT;
		if (c == CELL_TASK && (width < WIDE || width == COLUMNS_ALL))
			continue;
		for (i = 0; i < n; i++) {
			buf_reset(&text);
			layout_cell(&text, rows[i], (enum cell)c, wall);
			columns = columns_of(buf_str(&text));
			if (columns > l->width[c])
				l->width[c] = columns < most ? columns : most;
			differ = differ || strcmp(row_project(rows[i]),
			    row_project(rows[0])) != 0;
		}
		least = (unsigned)strlen(layout_columns[c].title);
		if (!differ)
			l->width[c] = 0;
		else if (titled && l->width[c] > 0 && l->width[c] < least)
			l->width[c] = least;
		used += l->width[c] > 0 ? l->width[c] + gap : 0;
	}
	buf_release(&text);
	while (c-- > 0)
		if (layout_columns[c].text > 0 && l->width[c] > 0 &&
		    used + layout_columns[c].text > width) {
			used -= l->width[c] + gap;
			l->width[c] = 0;
		}
	l->width[CELL_TEXT] = width == COLUMNS_ALL ? COLUMNS_ALL :
	    width > used ? width - used : 0;
}

void
layout_line(struct buf *out, const struct layout *l, const struct row *r,
    bool color, msec wall)
{
	struct row_style s = row_styles[r->rank];
	struct buf text = BUF_INIT;
	bool styled;
	int c;

	for (c = 0; c < CELLS; c++) {
		if (l->width[c] == 0)
			continue;
		buf_reset(&text);
		layout_cell(&text, r, (enum cell)c, wall);
		styled = color && (c == CELL_STATE || r->rank == ROW_SEEN);
		if (styled) {
			buf_printf(out, "\33[%d", s.bold ? 1 : s.dim ? 2 : 0);
			if (s.color > 0)
				buf_printf(out, ";3%d", s.color);
			buf_addc(out, 'm');
		}
		if (c < CELL_TEXT)
			columns_pad(out, buf_str(&text), l->width[c]);
		else
			columns_add(out, buf_str(&text), l->width[c]);
		if (styled)
			buf_adds(out, "\33[m");
		if (c < CELL_TEXT)
			buf_adds(out, layout_gap);
	}
	buf_release(&text);
}

#include "top/live.h"

#include <time.h>

enum {
	MARGIN = 3,
	CLOCK = 7,
	HELP_KEY = 12,          /* of the name of a key */
	TITLES_FROM = 8,        /* lines that titles need, */
	DETAIL_FROM = 14,       /* and the text of the chosen row */
	DETAIL = 4,             /* lines of that, with its head */
	BESIDE_FROM = 120,      /* columns that a pane's screen needs beside
				   the list, */
	HINTS_FROM = 100,       /* and all hints, */
	HINT_FROM = 50          /* and more than one */
};

struct part {
	unsigned line, column, lines, columns;
};

struct view {
	struct live *live;
	struct part whole, list;
	struct part detail, screen;     /* of the chosen row, or empty */
	bool beside;
};

static const struct paint plain, bold = { .bold = true }, dim = { .dim = true };

/* Returns the column behind it. */
static unsigned
view_text(const struct part *p, unsigned line, unsigned column,
    const char *text, struct paint look)
{
	unsigned end = p->column + p->columns, width = columns_of(text);

	if (column >= end)
		return end;
	if (width > end - column)
		width = end - column;
	canvas_put(line, column, width, text, look);
	return column + width;
}

static void
view_rule(const struct part *p, const char *title)
{
	struct buf line = BUF_INIT;

	canvas_rule(p->line, p->column, p->columns, false);
	buf_printf(&line, " %s ", title);
	view_text(p, p->line, p->column + 2, buf_str(&line), bold);
	buf_release(&line);
}

/* The end of a text that fits, of at most eight bytes a column. */
static const char *
view_tail(const char *text, unsigned width)
{
	size_t len = strlen(text), most = 8 * (size_t)width;

	text += len > most ? len - most : 0;
	while (((unsigned char)*text & 0xc0) == 0x80 ||
	    columns_of(text) > width)
		text++;
	return text;
}

/* Draws the first or the last lines that fit, each with its line feed; ends them
 * in the text.  Returns the next line. */
static unsigned
view_put(const struct part *p, unsigned from, struct buf *text, bool last)
{
	const char *end = text->data + text->len, *line;
	const char *next = last ? end : text->data;
	unsigned i = 0;
	size_t len;

	for (; next > text->data; next--)
		if (next[-1] == '\n' && i++ == p->lines - from)
			break;
	while (from < p->lines && text_line(&next, end, &line, &len)) {
		text->data[line + len - text->data] = '\0';
		canvas_put(p->line + from++, p->column + 1, p->columns - 2,
		    line, plain);
	}
	return from;
}

/* Breaks lines between words, or in one that is longer.  Of the first lines it
 * cuts the last one, of the last ones it marks the first. */
static unsigned
view_wrap(const struct part *p, unsigned from, const char *text, bool last)
{
	struct buf part = BUF_INIT, lines = BUF_INIT;
	unsigned line = from;
	size_t fits, len, next;

	for (; *text != '\0'; line++) {
		buf_reset(&part);
		for (fits = len = 0; text[len] != '\0'; len = next) {
			next = len + 1;
			while (((unsigned char)text[next] & 0xc0) == 0x80)
				next++;
			buf_add(&part, text + len, next - len);
			if (columns_of(buf_str(&part)) > p->columns - 2)
				break;
			if (text[next] == ' ' || text[next] == '\0')
				fits = next;
		}
		if (!last && line + 1 == p->lines)
			fits = strlen(text);
		else if (fits == 0)
			fits = len;
		buf_printf(&lines, "%.*s\n", (int)fits, text);
		text += fits;
		text += strspn(text, " ");
	}
	if (last && from < p->lines && line > p->lines)
		canvas_put(p->line + from, p->column, 1, columns_utf8() ?
		    "\xe2\x80\xa6" : "~", dim);
	from = view_put(p, from, &lines, last);
	buf_release(&part);
	buf_release(&lines);
	return from;
}

/* The end of the last words of an agent at its prompt, if known. */
static unsigned
view_said(const struct part *p, unsigned from, const struct row *r)
{
	const char *said = r->status.last_message;
	enum state state = r->status.verdict.state;

	return said != NULL && (state == STATE_WAITING ||
	    state == STATE_COMPLETE) ? view_wrap(p, from, said, true) : from;
}

/* The counts that fit before the time. */
static void
view_head(const struct view *v)
{
	unsigned count[ROW_RANKS] = { 0 }, end = v->whole.columns - CLOCK;
	time_t now = (time_t)(v->live->wall / 1000);
	unsigned column = 1;
	const struct queue *q = v->live->queue;
	struct row_style s;
	struct buf text = BUF_INIT;
	struct tm local;
	char clock[8];
	size_t i;
	int rank;

	if (v->whole.columns >= 50)
		column = 2 + view_text(&v->whole, 0, column, "paneward", bold);
	for (i = 0; i < q->nrows; i++)
		count[q->rows[i]->rank] += !row_finished(q->rows[i]);
	for (rank = 0; rank < ROW_RANKS; rank++) {
		if (count[rank] == 0)
			continue;
		s = row_styles[rank];
		buf_reset(&text);
		buf_printf(&text, "%u %s", count[rank], s.word);
		if (column + text.len > end)
			break;
		column = 2 + view_text(&v->whole, 0, column, buf_str(&text),
		    (struct paint){ s.color, s.bold, s.dim, false });
	}
	buf_release(&text);
	localtime_r(&now, &local);
	strftime(clock, sizeof(clock), " %H:%M ", &local);
	canvas_put(0, end, CLOCK, clock, plain);
}

/* A message needs the room of the hints. */
static void
view_hints(const struct view *v, struct buf *out)
{
	struct live *t = v->live;
	bool wide = v->whole.columns >= HINTS_FROM;
	bool narrow = v->whole.columns < HINT_FROM;
	const char *key = keys_hint(t);

	if (t->help > 0)
		buf_adds(out, "any key goes on");
	else if (t->reply != NULL)
		buf_adds(out, narrow ? "" : t->reply->dialog[0] == '\0' ?
		    "Enter sends  Esc" : "y n NUMBER TEXT  Enter  Esc");
	else if (t->message.len == 0)
		buf_printf(out, "%s%s%s", wide ? "Enter go  " : "", key, wide ?
		    "Space screen  / filter  ? help  q quit" :
		    narrow && *key != '\0' ? "" : "? help");
}

/* Returns the column of the cursor, or 0. */
static unsigned
view_foot(const struct view *v)
{
	struct live *t = v->live;
	const struct queue *q = t->queue;
	const struct reply *r = t->reply;
	unsigned line = v->whole.lines - 1, width, end;
	struct part left = v->whole;
	size_t i, needs = 0;
	struct buf text = BUF_INIT, hints = BUF_INIT, names = BUF_INIT;

	view_hints(v, &hints);
	width = columns_of(buf_str(&hints)) + 1;
	left.columns -= width + 2;
	if (r != NULL) {
		if (v->whole.columns < HINT_FROM)
			buf_adds(&text, "> ");
		else
			buf_printf(&text, "%s %s: ", r->dialog[0] != '\0' ?
			    "answer" : "send", r->name);
		end = columns_of(buf_str(&text)) + 2;
		buf_adds(&text, view_tail(buf_str(&t->reply->typed),
		    left.columns > end ? left.columns - end : 0));
	} else if (t->typing) {
		buf_printf(&text, "/%s", buf_str(&t->choice.filter));
	} else if (t->message.len > 0) {
		buf_adds(&text, buf_str(&t->message));
	}
	for (r = t->replies; r != NULL && text.len == 0; r = r->next)
		if (r->given)
			buf_printf(&text, "%s %s ... ", r->dialog[0] != '\0' ?
			    "answering" : "sending to", r->name);
	if (text.len == 0 && t->choice.filter.len > 0)
		buf_printf(&text, "/%s: %zu found, Esc shows all",
		    buf_str(&t->choice.filter), t->choice.found);
	for (i = 0; i < q->nrows; i++)
		if (row_needs(q->rows[i]))
			buf_printf(&names, "%s %s", needs++ > 0 ? "," : "",
			    row_name(q->rows[i]));
	if (text.len == 0)              /* "2 agents need you: api:1.0, 42" */
		buf_printf(&text, needs == 0 ? "no agent needs you" :
		    "%zu agent%s you:%s", needs, needs == 1 ? " needs" :
		    "s need", buf_str(&names));
	buf_release(&names);
	end = view_text(&left, line, 1, buf_str(&text), bold);
	canvas_put(line, v->whole.columns - width, width, buf_str(&hints), dim);
	buf_release(&text);
	buf_release(&hints);
	return t->reply != NULL || t->typing ? end : 0;
}

/* The sidebar has WHAT below the rest.  The head of a group stands out. */
static void
view_row(const struct view *v, const struct layout *l, size_t at)
{
	const struct choice *choice = &v->live->choice;
	const struct row *r = choice->rows[at];
	const struct part *p = &v->list;
	struct row_style s = row_styles[r->rank];
	const char *mark = columns_utf8() ? "\xe2\x96\xb8" : ">";
	bool chosen = at == choice->at, side = v->live->sidebar, state;
	bool head = choice_head(r);
	const char *pinned = at < choice->pinned ? "*" : " ";
	struct paint look = { .reverse = chosen };
	unsigned line = p->line + (unsigned)(at - choice->first) * (1 + side);
	unsigned column = p->column + (head ? 1 : MARGIN);
	struct buf text = BUF_INIT;
	int c;

	canvas_put(line + side, p->column, p->columns, pinned, look);
	canvas_put(line, p->column + !side, p->columns - !side,
	    chosen && !head ? mark : "", look);
	look = (struct paint){ chosen ? 0 : s.color, s.bold, s.dim, chosen };
	if (side && !head)
		canvas_put(line, column - 2, 1, s.mark[columns_utf8()], look);
	if (head && !side) {
		buf_printf(&text, "%s  %s", row_name(r), r->problem);
		look = (struct paint){ .bold = true, .reverse = chosen };
		canvas_put(line, column, p->columns - 1, buf_str(&text), look);
	}
	for (c = 0; c < CELLS && (side || !head); c++) {
		if (l->width[c] == 0)
			continue;
		buf_reset(&text);
		layout_cell(&text, r, (enum cell)c, v->live->wall);
		state = c == CELL_STATE;
		if (side && c == CELL_TEXT) {
			line++;
			column = p->column + MARGIN;
		}
		canvas_put(line, column, l->width[c], buf_str(&text),
		    (struct paint){ .color = state && !chosen ? s.color : 0,
		    .bold = head || (s.bold && (state || c == CELL_NAME)),
		    .dim = s.dim && !chosen, .reverse = chosen });
		column += l->width[c] + 2;
	}
	buf_release(&text);
}

/* "1 more is over or forgotten; a shows it; 3 work; i shows them" */
static void
view_hidden(const struct choice *c, struct buf *out)
{
	const char *are = c->hidden == 1 ? "is" : "are";

	if (c->hidden > 0)
		buf_printf(out, "%zu more %s over or forgotten; a shows %s",
		    c->hidden, are, c->hidden == 1 ? "it" : "them");
	if (c->busy > 0)
		buf_printf(out, "%s%zu work%s; i shows %s", out->len > 0 ?
		    "; " : "", c->busy, c->busy == 1 ? "s" : "",
		    c->busy == 1 ? "it" : "them");
}

static void
view_list(const struct view *v)
{
	struct choice *c = &v->live->choice;
	const struct part *p = &v->list;
	struct buf text = BUF_INIT;
	bool titled = v->whole.lines >= TITLES_FROM && !v->live->sidebar;
	unsigned width, column = p->column + MARGIN;
	struct layout l;
	size_t i;
	int k;

	if (c->n == 0) {
		if (c->filter.len > 0) {
			buf_adds(&text, "no agent holds that");
		} else if (c->hidden + c->busy > 0) {
			view_hidden(c, &text);
		} else {
			buf_adds(&text, "No agent is running.");
			view_wrap(p, 2, "Start one in any tmux pane, as you "
			    "always do: it is found by itself, within a "
			    "second.  Or let paneward start it on an issue: "
			    "paneward start 42 --prompt 'what to do'", false);
		}
		view_wrap(p, 0, buf_str(&text), false);
		buf_release(&text);
		return;
	}
	layout_fit(&l, c->rows, c->n, p->columns - MARGIN - 1, titled,
	    v->live->wall);
	if (v->live->sidebar)
		l = (struct layout){ { [CELL_NAME] = p->columns - MARGIN - 7,
		    [CELL_AGE] = 4, [CELL_TEXT] = p->columns - MARGIN - 1 } };
	for (k = 0; titled && k < CELLS; k++) {
		if (l.width[k] == 0)
			continue;
		canvas_put(p->line - 1, column, l.width[k],
		    layout_columns[k].title, dim);
		column += l.width[k] + 2;
	}
	choice_scroll(c, v->live->list_rows);
	for (i = 0; i < v->live->list_rows && c->first + i < c->n; i++)
		view_row(v, &l, c->first + i);
	if (c->n > p->lines && titled) {
		buf_printf(&text, " %zu to %zu of %zu ", c->first + 1,
		    c->first + p->lines, c->n);
		width = columns_of(buf_str(&text));
		canvas_put(p->line - 1, p->column + p->columns - width, width,
		    buf_str(&text), dim);
	} else if (i < v->live->list_rows) {
		view_hidden(c, &text);
		view_text(p, p->line + (unsigned)i * (1 + v->live->sidebar),
		    p->column + MARGIN, buf_str(&text), dim);
	}
	buf_release(&text);
}

/* "api:1.0  claude  /home/me/api" */
static void
view_name(const struct row *r, struct buf *out)
{
	buf_adds(out, row_name(r));
	if (r->where != NULL && strcmp(r->where, row_name(r)) != 0)
		buf_printf(out, "  %s", r->where);
	if (r->status.backend != NULL)
		buf_printf(out, "  %s", r->status.backend);
	if (r->project != NULL)
		buf_printf(out, "  %s", r->project);
}

/* Its task, last prompt and changes, in up to three lines.  Returns how
 * many. */
static unsigned
view_lines(const struct part *p, const struct row *r)
{
	const struct status *s = &r->status;
	const char *lines[] = { s->task, s->prompt, NULL };
	struct buf tree = BUF_INIT;
	unsigned n = 0, i;

	row_tree(&tree, r);
	lines[2] = buf_str(&tree);
	for (i = 0; i < 3 && n + 2 < p->lines; i++)
		if (lines[i] != NULL && lines[i][0] != '\0')
			canvas_put(p->line + ++n, p->column + 1,
			    p->columns - 2, lines[i], i == 0 ? bold : dim);
	buf_release(&tree);
	return n;
}

/* Its last words and last screen lines, without runs of empty ones. */
static void
view_screen(const struct view *v, const struct row *r)
{
	const struct buf *screen = &v->live->queue->screen;
	const char *next = screen->data, *end, *line;
	struct part p = v->screen;
	struct buf text = BUF_INIT;
	unsigned head, after;
	bool empty = true;
	size_t len;

	if (v->beside)
		canvas_rule(p.line, p.column - 1, p.lines, true);
	view_name(r, &text);
	view_rule(&p, v->beside ? row_name(r) : buf_str(&text));
	head = 1 + view_lines(&p, r);
	p.lines = head + (p.lines - head) / 2;
	after = view_said(&p, head, r);
	head = after + (after > head);
	p = v->screen;
	if (screen->len == 0)
		view_wrap(&p, head, r->alive ? "not captured yet" :
		    "its pane is gone", false);
	buf_reset(&text);
	for (end = next + screen->len; text_line(&next, end, &line, &len);) {
		while (len > 0 && line[len - 1] == ' ')
			len--;
		if (len > 0 || !empty)
			buf_printf(&text, "%.*s\n", (int)len, line);
		empty = len == 0;
	}
	text.len -= empty && text.len > 0;
	view_put(&p, head, &text, true);
	buf_release(&text);
}

/* Takes lines from the end of a part. */
static struct part
view_below(struct part *p, unsigned lines)
{
	struct part below = *p;

	p->lines -= lines;
	below.line += p->lines;
	below.lines = lines;
	return below;
}

void
view_draw(struct live *t)
{
	struct view v = { .live = t };
	struct part *list = &v.list, *screen = &v.screen, *whole = &v.whole;
	const char *key, *what;
	struct buf text = BUF_INIT;
	const struct row *r = choice_row(&t->choice);
	unsigned i;

	canvas_clear(&whole->lines, &whole->columns);
	if (whole->columns < VIEW_COLUMNS || whole->lines < VIEW_LINES) {
		canvas_put(0, 0, whole->columns, "too small (20x5)", plain);
		canvas_flush(0, 0);
		return;
	}
	*list = *whole;
	list->line = t->help == 0 && whole->lines >= TITLES_FROM &&
	    !t->sidebar ? 2 : 1;
	list->lines -= list->line + 1;
	v.beside = t->help == 0 && t->screen && whole->columns >= BESIDE_FROM;
	if (v.beside) {
		*screen = *whole;
		screen->line = 1;
		screen->lines -= 2;
		list->columns /= 2;
		screen->column = list->columns + 1;
		screen->columns -= screen->column;
	} else if (t->help == 0 && t->screen) {
		*screen = view_below(list, list->lines - list->lines / 3);
	}
	if (t->help == 0 && (v.beside || !t->screen) &&
	    whole->lines >= DETAIL_FROM)
		v.detail = view_below(list, DETAIL);
	t->list_line = list->line;
	t->list_rows = list->lines / (t->help == 0 && t->sidebar ? 2 : 1);
	for (i = 0; t->help > 0 && i < list->lines &&
	    keys_help(t->help - 1 + i, &key, &what); i++) {
		view_text(list, list->line + i, MARGIN, key, bold);
		view_text(list, list->line + i, MARGIN + HELP_KEY, what, plain);
	}
	if (t->help == 0) {
		view_head(&v);
		view_list(&v);
	}
	if (r != NULL && v.detail.lines > 0) {
		view_name(r, &text);
		view_rule(&v.detail, buf_str(&text));
		buf_reset(&text);
		/* The last line may be too short for these. */
		if (t->message.len > 0)
			buf_adds(&text, buf_str(&t->message));
		else if (t->reply != NULL && t->reply->typed.len > 0)
			buf_adds(&text, buf_str(&t->reply->typed));
		else if (r->status.verdict.state != STATE_WAITING ||
		    view_said(&v.detail, 1, r) == 1)
			row_text(&text, r, t->wall);
		view_wrap(&v.detail, 1, buf_str(&text), false);
		buf_release(&text);
	}
	if (r != NULL && screen->lines > 0)
		view_screen(&v, r);
	canvas_flush(whole->lines - 1, view_foot(&v));
}

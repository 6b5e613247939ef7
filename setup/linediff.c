#include "setup/linediff.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"

enum {
	AROUND = 3,                     /* lines shown beside a change */
	MOST = 4 << 20                  /* pairs of lines that are compared */
};

struct line {
	const char *text;
	size_t      len;                /* with its line feed */
};

struct lines {
	struct line *v;
	size_t       n;
};

/* What happens to a line, in order. */
struct step {
	char   kind;                    /* ' ', '-', '+' */
	size_t before, after;           /* lines that come first */
	const struct line *line;
};

struct steps {
	struct step *v;
	size_t       n;
};

static void
split(struct lines *l, const struct buf *text)
{
	const char *p = text ? text->data : NULL, *feed;
	size_t left = text ? text->len : 0, len;

	for (; left > 0; p += len, left -= len) {
		feed = memchr(p, '\n', left);
		len = feed ? (size_t)(feed - p) + 1 : left;
		l->v = xreallocarray(l->v, l->n + 1, sizeof(*l->v));
		l->v[l->n++] = (struct line){ p, len };
	}
}

static bool
same(const struct line *a, const struct line *b)
{
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

static void
add_step(struct steps *s, char kind, size_t *before, size_t *after,
    const struct line *line)
{
	s->v[s->n++] = (struct step){ kind, *before, *after, line };
	*before += kind != '+';
	*after += kind != '-';
}

/*
 * How many lines of a[i..] and b[j..] are the same at most, for all i and j:
 * the table of the longest common subsequence.  NULL if it would be too large.
 */
static uint32_t *
common_table(const struct line *a, size_t n, const struct line *b, size_t m)
{
	uint32_t *table, down, right;
	size_t i, j;

	if ((n + 1) > MOST / (m + 1))
		return NULL;
	table = xcalloc((n + 1) * (m + 1), sizeof(*table));
	for (i = n; i-- > 0;) {
		for (j = m; j-- > 0;) {
			down = table[(i + 1) * (m + 1) + j];
			right = table[i * (m + 1) + j + 1];
			table[i * (m + 1) + j] = same(&a[i], &b[j]) ?
			    table[(i + 1) * (m + 1) + j + 1] + 1 :
			    down > right ? down : right;
		}
	}
	return table;
}

static void
find_steps(struct steps *s, const struct lines *a, const struct lines *b)
{
	size_t head = 0, tail = 0, i = 0, j = 0, n, m;
	uint32_t *table;

	s->v = xcalloc(a->n + b->n + 1, sizeof(*s->v));
	while (head < a->n && head < b->n && same(&a->v[head], &b->v[head]))
		head++;
	while (tail < a->n - head && tail < b->n - head &&
	    same(&a->v[a->n - 1 - tail], &b->v[b->n - 1 - tail]))
		tail++;
	n = a->n - tail;
	m = b->n - tail;
	table = common_table(a->v + head, n - head, b->v + head, m - head);
	while (i < a->n || j < b->n) {
		const uint32_t *at = table == NULL || i < head || i >= n ||
		    j < head || j >= m ? NULL :
		    &table[(i - head) * (m - head + 1) + (j - head)];

		if (i < a->n && j < b->n && (i < head || (i >= n && j >= m) ||
		    (at != NULL && same(&a->v[i], &b->v[j]))))
			add_step(s, ' ', &i, &j, &a->v[i]);
		else if (i < n && (j >= m || at == NULL ||
		    at[m - head + 1] >= at[1]))
			add_step(s, '-', &i, &j, &a->v[i]);
		else
			add_step(s, '+', &i, &j, &b->v[j]);
	}
	free(table);
}

static void
print_line(struct buf *out, const struct step *s)
{
	const char *p = s->line->text, *tab;
	size_t left = s->line->len, len;
	bool ended = p[left - 1] == '\n';

	buf_addc(out, s->kind);
	for (left -= ended; left > 0; p += len, left -= len) {
		tab = memchr(p, '\t', left);
		len = tab == NULL ? left : tab == p ? 1 : (size_t)(tab - p);
		if (tab == p)
			buf_addc(out, '\t');
		else
			msg_escape(out, p, len);
	}
	buf_adds(out, ended ? "\n" : "\n\\ No newline at end of file\n");
}

static void
print_range(struct buf *out, char sign, size_t from, size_t count)
{
	buf_printf(out, " %c%zu,%zu", sign, count > 0 ? from + 1 : from, count);
}

/* One part of the difference: the steps from first up to last. */
static void
print_hunk(struct buf *out, const struct steps *s, size_t first, size_t last)
{
	size_t i, before = 0, after = 0;

	for (i = first; i < last; i++) {
		before += s->v[i].kind != '+';
		after += s->v[i].kind != '-';
	}
	buf_adds(out, "@@");
	print_range(out, '-', s->v[first].before, before);
	print_range(out, '+', s->v[first].after, after);
	buf_adds(out, " @@\n");
	for (i = first; i < last; i++)
		print_line(out, &s->v[i]);
}

/* The next step that changes something, from i on. */
static size_t
next_change(const struct steps *s, size_t i)
{
	while (i < s->n && s->v[i].kind == ' ')
		i++;
	return i;
}

static void
print_hunks(struct buf *out, const struct steps *s)
{
	size_t i = next_change(s, 0), first, last;

	while (i < s->n) {
		first = i > AROUND ? i - AROUND : 0;
		for (last = i; i < s->n && i <= last + 2 * AROUND;
		    i = next_change(s, i + 1))
			last = i;
		print_hunk(out, s, first, last + 1 + AROUND < s->n ?
		    last + 1 + AROUND : s->n);
	}
}

static void
print_name(struct buf *out, const char *mark, const char *name)
{
	buf_printf(out, "%s ", mark);
	msg_escape(out, name, strlen(name));
	buf_addc(out, '\n');
}

void
linediff(struct buf *out, const char *name, const struct buf *before,
    const struct buf *after)
{
	struct lines a = { NULL, 0 }, b = { NULL, 0 };
	struct steps s = { NULL, 0 };

	split(&a, before);
	split(&b, after);
	find_steps(&s, &a, &b);
	if (next_change(&s, 0) < s.n) {
		print_name(out, "---", before ? name : "/dev/null");
		print_name(out, "+++", after ? name : "/dev/null");
		print_hunks(out, &s);
	}
	free(s.v);
	free(a.v);
	free(b.v);
}

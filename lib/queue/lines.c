#include "queue/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

bool
lines_key(struct buf *key, const char *line, size_t len)
{
	static const char name[] = "\"key\":\"";
	const char *end = line + len, *at = line, *from = NULL;

	while ((at = text_find(at, end, name, sizeof(name) - 1)) != NULL)
		from = at += sizeof(name) - 1;
	for (at = from; at != NULL && at < end && *at != '"'; at++)
		at += *at == '\\';
	buf_reset(key);
	if (at == NULL || at >= end)
		return false;
	buf_add(key, from, (size_t)(at - from));
	return true;
}

struct line *
lines_find(const struct lines *x, const char *key, size_t likely)
{
	size_t i = 0;

	if (likely < x->n && strcmp(x->line[likely].key, key) == 0)
		return &x->line[likely];
	while (i < x->n && strcmp(x->line[i].key, key) != 0)
		i++;
	return i < x->n ? &x->line[i] : NULL;
}

struct line *
lines_set(struct lines *x, const char *key, const char *text, size_t len,
    size_t likely)
{
	struct line *l = lines_find(x, key, likely);

	if (l == NULL) {
		l = ARRAY_ADD(x->line, x->n);
		*l = (struct line){ .key = xstrdup(key) };
	}
	l->round = x->round;
	l->news = l->text == NULL || l->len != len ||
	    memcmp(l->text, text, len) != 0;
	if (!l->news)
		return l;
	free(l->text);
	l->text = xstrndup(text, len);
	l->len = len;
	x->bytes -= l->size;
	l->size = len + strlen(key) + sizeof(*l);
	x->bytes += l->size;
	return l;
}

struct line *
lines_old(const struct lines *x)
{
	size_t i = 0;

	while (i < x->n && x->line[i].round == x->round)
		i++;
	return i < x->n ? &x->line[i] : NULL;
}

void
lines_drop(struct lines *x, struct line *l)
{
	if (l == NULL)
		return;
	if (l->row != NULL)
		row_release(l->row);
	x->bytes -= l->size;
	free(l->row);
	free(l->key);
	free(l->text);
	free(l->note);
	memmove(l, l + 1, (size_t)(&x->line[--x->n] - l) * sizeof(*l));
}

void
lines_release(struct lines *x)
{
	while (x->n > 0)
		lines_drop(x, &x->line[x->n - 1]);
	free(x->line);
	*x = (struct lines){ .round = x->round };
}

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool
text_blank(char c)
{
	return c == ' ' || c == '\t';
}

const char *
text_skip_blanks(const char *p, const char *end)
{
	while (p < end && text_blank(*p))
		p++;
	return p;
}

bool
text_line(const char **rest, const char *end, const char **line, size_t *len)
{
	const char *p = *rest, *lf;

	if (p >= end)
		return false;
	lf = memchr(p, '\n', (size_t)(end - p));
	*line = p;
	*len = (size_t)((lf != NULL ? lf : end) - p);
	*rest = lf != NULL ? lf + 1 : end;
	return true;
}

bool
text_empty(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)text[i] > ' ')
			return false;
	return true;
}

bool
text_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	    (c >= 'a' && c <= 'z');
}

bool
text_only(const char *text, const char *others)
{
	while (text_alnum(*text) || (*text != '\0' &&
	    strchr(others, *text) != NULL))
		text++;
	return *text == '\0';
}

bool
hostname_valid(const char *name)
{
	return name[0] != '\0' && name[0] != '-' &&
	    text_only(name, "._@-") && strlen(name) <= HOSTNAME_MAX;
}

/* strspn() takes twice as long. */
static size_t
text_digits(const char *p)
{
	size_t n = 0;

	while (p[n] >= '0' && p[n] <= '9')
		n++;
	return n;
}

int
text_order(const char *a, const char *b)
{
	const char *x = a, *y = b;
	size_t m, n;
	int order = 0;

	while (order == 0 && *x != '\0' && *y != '\0') {
		m = n = 1;
		if (text_digits(x) > 0 && text_digits(y) > 0) {
			while (*x == '0')
				x++;
			while (*y == '0')
				y++;
			m = text_digits(x);
			n = text_digits(y);
		}
		order = m != n ? (m < n ? -1 : 1) : memcmp(x, y, m);
		x += m;
		y += n;
	}
	if (order == 0)
		order = (*x != '\0') - (*y != '\0');
	return order != 0 ? order : strcmp(a, b);
}

int
text_key_order(const void *a, const void *b)
{
	const struct text_key *x = a, *y = b;
	int order = x->len != y->len ? (x->len < y->len ? -1 : 1) :
	    memcmp(x->text, y->text, x->len);

	return order != 0 ? order : x->place < y->place ? -1 : 1;
}

const struct text_key *
text_twice(struct text_key *keys, size_t n)
{
	size_t i, earlier;

	/* Hostile texts have a hundred thousand. */
	if (n > TEXT_FEW)
		qsort(keys, n, sizeof(*keys), text_key_order);
	for (i = 1; i < n; i++)
		for (earlier = n > TEXT_FEW ? i - 1 : 0; earlier < i; earlier++)
			if (keys[earlier].len == keys[i].len &&
			    memcmp(keys[earlier].text, keys[i].text,
			    keys[i].len) == 0)
				return &keys[i];
	return NULL;
}

int
text_refuse(struct text_error *error, unsigned line, const char *format, ...)
{
	va_list ap;

	error->line = line;
	va_start(ap, format);
	vsnprintf(error->reason, sizeof(error->reason), format, ap);
	va_end(ap);
	return -1;
}

uint64_t
text_hash(const char *text, size_t len)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	while (len-- > 0)
		hash = (hash ^ (unsigned char)*text++) * 1099511628211u;
	return hash;
}

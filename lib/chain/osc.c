#include "chain/osc.h"

#include <string.h>

#define ESC '\033'
#define BEL '\a'

/* One sequence. */
struct osc {
	unsigned    number;
	const char *text;
	size_t      len;
};

/* Reads the sequence that begins there. */
static bool
osc_read(struct osc *o, const char *p, const char *end)
{
	enum { DIGITS = 5 };
	const char *first;

	if (end - p < 2 || p[0] != ESC || p[1] != ']')
		return false;
	first = p += 2;
	for (o->number = 0; p < end && *p >= '0' && *p <= '9'; p++)
		o->number = o->number * 10 + (unsigned)(*p - '0');
	if (p == first || p - first > DIGITS || p == end || *p != ';')
		return false;
	for (o->text = ++p; p < end && (unsigned char)*p >= ' '; p++)
		continue;
	o->len = (size_t)(p - o->text);
	return (p < end && *p == BEL) ||
	    (end - p >= 2 && p[0] == ESC && p[1] == '\\');
}

/* The sequence before a place, the last one first; false: there is none. */
static bool
osc_before(struct osc *o, const char *bytes, const char **place,
    const char *end)
{
	const char *p;

	for (p = *place; p-- > bytes; )
		if (*p == ESC && osc_read(o, p, end)) {
			*place = p;
			return true;
		}
	return false;
}

bool
osc_title(const char *bytes, size_t len, struct buf *title)
{
	const char *end = bytes + len, *place = end;
	struct osc o;

	while (osc_before(&o, bytes, &place, end))
		if (o.number == 0 || o.number == 2) {
			buf_add(title, o.text, o.len);
			return true;
		}
	return false;
}

/* The value of a field of "name=value:name=value". */
static bool
osc_field(const struct osc *o, const char *name, const char **value,
    size_t *size)
{
	const char *p = o->text, *end = o->text + o->len, *stop;
	size_t len = strlen(name);

	for (; p < end; p = stop + 1) {
		stop = memchr(p, ':', (size_t)(end - p));
		if (stop == NULL)
			stop = end;
		if ((size_t)(stop - p) <= len || p[len] != '=' ||
		    memcmp(p, name, len) != 0)
			continue;
		*value = p + len + 1;
		*size = (size_t)(stop - *value);
		return true;
	}
	return false;
}

bool
osc_state(const char *bytes, size_t len, unsigned number, const char *app,
    struct buf *state)
{
	const char *end = bytes + len, *place = end, *value;
	struct osc o;
	size_t size;

	while (osc_before(&o, bytes, &place, end)) {
		if (o.number != number || (app != NULL &&
		    (!osc_field(&o, "app", &value, &size) ||
		    size != strlen(app) || memcmp(value, app, size) != 0)))
			continue;
		if (!osc_field(&o, "state", &value, &size))
			continue;
		buf_add(state, value, size);
		return true;
	}
	return false;
}

#include "data/template.h"

struct placeholder {
	size_t      slashes;            /* 0 to 2 */
	size_t      size;               /* with its slashes */
	const char *name;               /* not NUL-ended */
	size_t      len;
	bool        quoted;             /* |sh */
};

static size_t
name_span(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && (text[i] == '_' || (text_alnum(text[i]) &&
	    (i > 0 || text[i] > '9'))))
		i++;
	return i;
}

bool
template_name_valid(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && name_span(name, len) == len;
}

static bool
placeholder_read(struct placeholder *p, const char *text, size_t len)
{
	size_t at = 0;
	char end;

	while (at < 2 && at < len && text[at] == '\\')
		at++;
	p->slashes = at;
	if (len - at < 2 || text[at] != text[at + 1] ||
	    (text[at] != '<' && text[at] != '{'))
		return false;
	end = text[at] == '<' ? '>' : '}';
	at += 2;
	p->name = text + at;
	p->len = name_span(p->name, len - at);
	if (p->len == 0)
		return false;
	at += p->len;
	p->quoted = len - at >= 3 && memcmp(text + at, "|sh", 3) == 0;
	at += p->quoted ? 3 : 0;
	p->size = at + 2;
	return len >= p->size && text[at] == end && text[at + 1] == end;
}

void
template_quote(struct buf *out, const char *text, size_t len)
{
	buf_addc(out, '\'');
	for (; len > 0; text++, len--)
		if (*text == '\'')
			buf_adds(out, "'\\''");
		else
			buf_addc(out, *text);
	buf_addc(out, '\'');
}

static int
unknowns_by_place(const void *a, const void *b)
{
	const struct text_key *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

/* Sorts twice: hostile texts have a million names. */
static void
add_unknowns(struct buf *out, struct text_key *all, size_t count)
{
	size_t i, n = 0;

	if (count == 0)
		return;
	qsort(all, count, sizeof(*all), text_key_order);
	for (i = 0; i < count; i++)
		if (n == 0 || all[n - 1].len != all[i].len ||
		    memcmp(all[n - 1].text, all[i].text, all[i].len) != 0)
			all[n++] = all[i];
	qsort(all, n, sizeof(*all), unknowns_by_place);
	for (i = 0; i < n; i++) {
		buf_add(out, all[i].text, all[i].len);
		buf_addc(out, '\0');
	}
}

int
template_expand(struct buf *out, const char *text, size_t len,
    const struct template_value *values, size_t count, struct buf *unknown)
{
	struct text_key *unknowns = NULL;
	size_t at = 0, done = 0, start = out->len, nunknowns = 0, i;
	const struct template_value *value;
	struct placeholder p;

	while (at < len && out->len - start <= TEMPLATE_OUT_MAX) {
		if (!placeholder_read(&p, text + at, len - at)) {
			at++;
			continue;
		}
		buf_add(out, text + done, at - done);
		for (i = 0; i < count; i++)
			if (strncmp(values[i].name, p.name, p.len) == 0 &&
			    values[i].name[p.len] == '\0')
				break;
		value = i < count ? &values[i] : NULL;
		if (value == NULL && unknown != NULL && p.slashes != 1)
			*ARRAY_ADD(unknowns, nunknowns) = (struct text_key){
			    p.name, p.len, at };
		if (p.slashes == 2)
			buf_addc(out, '\\');
		if (p.slashes == 1)
			buf_add(out, text + at + 1, p.size - 1);
		else if (value == NULL)
			buf_add(out, text + at + p.slashes, p.size - p.slashes);
		else if (p.quoted)
			template_quote(out, value->value, value->len);
		else
			buf_add(out, value->value, value->len);
		at += p.size;
		done = at;
	}
	buf_add(out, text + done, at - done);
	if (unknown != NULL)
		add_unknowns(unknown, unknowns, nunknowns);
	free(unknowns);
	if (out->len - start <= TEMPLATE_OUT_MAX)
		return 0;
	errno = EFBIG;
	return -1;
}

#include "text/template.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* <<name>>, as it stands in the text. */
struct placeholder {
	size_t      slashes;            /* 0 to 2 backslashes before it */
	size_t      size;               /* of all, backslashes included */
	const char *name;               /* in the text: not NUL-ended */
	size_t      len;
	bool        quoted;             /* |sh */
};

/* A name with a value, or one without that has been met. */
struct name {
	const char *name;               /* NULL: the slot is free */
	size_t      len;
	uint64_t    hash;
	const struct template_value *value;     /* NULL: unknown */
};

/* Never more than half of the slots are in use. */
struct names {
	struct name *slots;
	size_t       used, size;        /* size is a power of two, or 0 */
};

/* FNV-1a. */
static uint64_t
name_hash(const char *name, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325;
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3;
	return hash;
}

/* The slot of a name: the one that has it, or the free one that will. */
static struct name *
names_slot(const struct names *n, const char *name, size_t len, uint64_t hash)
{
	size_t i = (size_t)hash & (n->size - 1);
	struct name *s;

	for (;; i = (i + 1) & (n->size - 1)) {
		s = &n->slots[i];
		if (s->name == NULL)
			return s;
		if (s->hash == hash && s->len == len &&
		    memcmp(s->name, name, len) == 0)
			return s;
	}
}

static void
names_grow(struct names *n)
{
	struct names larger = { NULL, n->used, n->size ? n->size * 2 : 64 };
	const struct name *s;
	size_t i;

	larger.slots = xcalloc(larger.size, sizeof(*larger.slots));
	for (i = 0; i < n->size; i++) {
		s = &n->slots[i];
		if (s->name != NULL)
			*names_slot(&larger, s->name, s->len, s->hash) = *s;
	}
	free(n->slots);
	*n = larger;
}

/* Finds a name, or adds it with this value; *added tells which. */
static const struct name *
names_add(struct names *n, const char *name, size_t len,
    const struct template_value *value, bool *added)
{
	uint64_t hash = name_hash(name, len);
	struct name *s;

	if (n->used >= n->size / 2)
		names_grow(n);
	s = names_slot(n, name, len, hash);
	*added = s->name == NULL;
	if (*added) {
		*s = (struct name){ name, len, hash, value };
		n->used++;
	}
	return s;
}

/* How many bytes at text can be a name?  The same in every locale. */
static size_t
name_span(const char *text, size_t len)
{
	size_t i;
	char c;

	for (i = 0; i < len; i++) {
		c = text[i];
		if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		    c == '_' || (i > 0 && c >= '0' && c <= '9')))
			break;
	}
	return i;
}

bool
template_name_valid(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && name_span(name, len) == len;
}

/* Does a placeholder, with the backslashes before it, begin right here? */
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
	if (p->quoted)
		at += 3;
	if (len - at < 2 || text[at] != end || text[at + 1] != end)
		return false;
	p->size = at + 2;
	return true;
}

void
template_quote(struct buf *out, const char *text, size_t len)
{
	const char *quote;
	size_t size;

	buf_addc(out, '\'');
	while (len > 0) {
		quote = memchr(text, '\'', len);
		size = quote != NULL ? (size_t)(quote - text) : len;
		buf_add(out, text, size);
		if (quote != NULL) {
			buf_adds(out, "'\\''");
			size++;
		}
		text += size;
		len -= size;
	}
	buf_addc(out, '\'');
}

/* Adds what a placeholder gives; text is where it begins. */
static void
placeholder_expand(const struct placeholder *p, const char *text,
    struct buf *out, struct names *names, struct buf *unknown)
{
	const struct name *n;
	bool added;

	if (p->slashes == 1) {
		buf_add(out, text + 1, p->size - 1);
		return;
	}
	if (p->slashes == 2)
		buf_addc(out, '\\');
	n = names_add(names, p->name, p->len, NULL, &added);
	if (added && unknown != NULL) {
		buf_add(unknown, p->name, p->len);
		buf_addc(unknown, '\0');
	}
	if (n->value == NULL)
		buf_add(out, text + p->slashes, p->size - p->slashes);
	else if (p->quoted)
		template_quote(out, n->value->value, n->value->len);
	else
		buf_add(out, n->value->value, n->value->len);
}

int
template_expand(struct buf *out, const char *text, size_t len,
    const struct template_value *values, size_t count, struct buf *unknown)
{
	struct names names = { NULL, 0, 0 };
	size_t i, at = 0, done = 0, start = out->len;
	struct placeholder p;
	bool added;
	int ret = 0;

	for (i = 0; i < count; i++)
		names_add(&names, values[i].name, strlen(values[i].name),
		    &values[i], &added);
	while (at < len && ret == 0) {
		if (!placeholder_read(&p, text + at, len - at)) {
			at++;
			continue;
		}
		buf_add(out, text + done, at - done);
		placeholder_expand(&p, text + at, out, &names, unknown);
		at += p.size;
		done = at;
		if (out->len - start > TEMPLATE_OUT_MAX)
			ret = -1;
	}
	buf_add(out, text + done, at - done);
	if (out->len - start > TEMPLATE_OUT_MAX)
		ret = -1;
	free(names.slots);
	if (ret == -1)
		errno = EFBIG;
	return ret;
}

#include "base/buf.h"

#include "base/alloc.h"

char *
buf_room(struct buf *b, size_t size)
{
	size_t cap = b->cap ? b->cap : 64;

	while (cap - b->len < size + 1)
		cap *= 2;
	if (cap != b->cap) {
		b->data = xreallocarray(b->data, cap, 1);
		b->cap = cap;
	}
	return b->data + b->len;
}

void
buf_add(struct buf *b, const void *p, size_t size)
{
	if (size == 0)
		return;
	memcpy(buf_room(b, size), p, size);
	b->len += size;
}

void
buf_set(struct buf *b, const void *p, size_t size)
{
	b->len = 0;
	buf_add(b, p, size);
}

void
buf_addc(struct buf *b, char c)
{
	*buf_room(b, 1) = c;
	b->len++;
}

void
buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void
buf_vprintf(struct buf *b, const char *format, va_list ap)
{
	size_t room = b->cap - b->len;
	va_list again;
	int len;

	va_copy(again, ap);
	len = vsnprintf(room > 0 ? b->data + b->len : NULL, room, format, ap);
	if (len > 0 && (size_t)len >= room)
		vsnprintf(buf_room(b, (size_t)len), (size_t)len + 1, format,
		    again);
	b->len += len > 0 ? (size_t)len : 0;
	va_end(again);
}

void
buf_printf(struct buf *b, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	buf_vprintf(b, format, ap);
	va_end(ap);
}

char *
xasprintf(const char *format, ...)
{
	struct buf text = BUF_INIT;
	va_list ap;

	buf_room(&text, 127);
	va_start(ap, format);
	buf_vprintf(&text, format, ap);
	va_end(ap);
	return buf_steal(&text);
}

void
buf_chomp(struct buf *b)
{
	while (b->len > 0 && b->data[b->len - 1] == '\n')
		b->len--;
}

const char *
buf_last_line(struct buf *b)
{
	const char *last;

	buf_chomp(b);
	last = strrchr(buf_str(b), '\n');
	return last != NULL ? last + 1 : b->data;
}

const char *
buf_str(struct buf *b)
{
	*buf_room(b, 0) = '\0';
	return b->data;
}

char *
buf_steal(struct buf *b)
{
	char *s;

	buf_str(b);
	s = b->data;
	*b = (struct buf)BUF_INIT;
	return s;
}

bool
buf_same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len &&
	    (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

void
buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf)BUF_INIT;
}

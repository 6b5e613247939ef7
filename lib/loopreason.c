#include "loopreason.h"

#include <string.h>

#include "utf8.h"

static const char hashes[] = "###";

enum { HASHES = sizeof(hashes) - 1 };

/* What may stand between the hashes of a marker. */
static const char *const words[] = { "TASK_COMPLETE_", "COMPLETE_TASK_",
    "TASK_ERROR_", "ERROR_TASK_" };
static const char id[] = "abcdefghijklmnopqrstuvwxyz"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:";

static size_t
id_len(const char *p, const char *end)
{
	const char *from = p;

	while (p < end && *p != '\0' && strchr(id, *p) != NULL)
		p++;
	return (size_t)(p - from);
}

/* Does one begin here, at its hashes? */
static bool
marker_at(const char *p, const char *end)
{
	size_t i, len, size;

	p += HASHES;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		len = strlen(words[i]);
		if ((size_t)(end - p) < len || memcmp(p, words[i], len) != 0)
			continue;
		size = id_len(p + len, end);
		p += len + size;
		return size > 0 && end - p >= HASHES &&
		    memcmp(p, hashes, HASHES) == 0;
	}
	return false;
}

bool
loopreason_marker(const char *text, size_t len)
{
	const char *p = text, *end = text + len;

	for (; len > 0 && (p = memmem(p, (size_t)(end - p), hashes,
	    HASHES)) != NULL; p++)
		if (marker_at(p, end))
			return true;
	return false;
}

/* Control characters are dropped, of CR LF the CR; tabs and lines stay. */
static void
add_printable(struct buf *out, const char *text, size_t len)
{
	unsigned long c;
	size_t size;

	for (; len > 0; text += size, len -= size) {
		size = utf8_decode(text, len, &c);
		if (size == 0)
			size = 1;
		else if (c != '\n' && c != '\t' &&
		    (c < 0x20 || (c >= 0x7f && c < 0xa0)))
			continue;
		buf_add(out, text, size);
	}
}

/*
 * A blank behind the hashes is enough, also where the rest of the marker stands
 * on the next line, and it makes no other one.
 */
static void
add_harmless(struct buf *out, const char *text, size_t len)
{
	const char *p = text, *end = text + len, *from = text;

	while (len > 0 && (p = memmem(p, (size_t)(end - p), hashes,
	    HASHES)) != NULL) {
		if (p + HASHES < end && memchr("TCE", p[HASHES], 3) != NULL) {
			buf_add(out, from, (size_t)(p + HASHES - from));
			buf_addc(out, ' ');
			from = p + HASHES;
		}
		p++;
	}
	if (len > 0)
		buf_add(out, from, (size_t)(end - from));
}

void
loopreason_add(struct buf *out, const char *text, size_t len)
{
	struct buf printable = BUF_INIT;
	const char *end, *p;

	if (len == 0)
		return;                 /* text may be NULL */
	end = text + len;
	if (len > LOOPREASON_MAX) {
		p = memchr(end - LOOPREASON_MAX, '\n', LOOPREASON_MAX);
		text = p != NULL ? p + 1 : end - LOOPREASON_MAX;
		buf_adds(out, "(What is older has been left out.)\n");
	}
	add_printable(&printable, text, (size_t)(end - text));
	add_harmless(out, buf_str(&printable), printable.len);
	buf_release(&printable);
}

void
loopreason_break(struct buf *text, const char *marker)
{
	const char *p = buf_str(text), *from = p, *end = p + text->len;
	size_t len = strlen(marker), first = utf8_decode(marker, len, NULL);
	struct buf out = BUF_INIT;

	if (first == 0)
		first = 1;
	while ((p = memmem(p, (size_t)(end - p), marker, len)) != NULL) {
		p += first;
		buf_add(&out, from, (size_t)(p - from));
		buf_addc(&out, ' ');
		from = p;
	}
	buf_add(&out, from, (size_t)(end - from));
	buf_release(text);
	*text = out;
}

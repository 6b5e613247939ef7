#include "marker/defang.h"

#include <string.h>

#include "base/utf8.h"

static const char hashes[] = "###";

enum { HASHES = sizeof(hashes) - 1 };

/* What may stand between the hashes of a marker. */
static const char *const words[] = { "TASK_COMPLETE_", "COMPLETE_TASK_",
    "TASK_ERROR_", "ERROR_TASK_" };
static const char id[] = "abcdefghijklmnopqrstuvwxyz"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:";

static const char *
defang_find(const char *p, const char *end, const char *what, size_t len)
{
	return memmem(p, (size_t)(end - p), what, len);
}

/* ---- finding ------------------------------------------------------------- */

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
defang_clean(const char *text, size_t len, const char *marker)
{
	const char *p = text, *end;

	if (len == 0)
		return true;            /* text may be NULL */
	end = text + len;
	for (; (p = defang_find(p, end, hashes, HASHES)) != NULL; p++)
		if (marker_at(p, end))
			return false;
	return marker == NULL ||
	    defang_find(text, end, marker, strlen(marker)) == NULL;
}

/* ---- breaking up --------------------------------------------------------- */

/* Where we are in a text. */
struct walk {
	struct buf *out;
	enum defang_how how;
	const char *end;
	const char *from;               /* what has not been added yet */
	const char *p;                  /* JSON is understood up to here */
	bool        inside;             /* in one of its strings */
};

static void
defang_escape(struct buf *out, unsigned long c, enum defang_how how)
{
	if (how == DEFANG_TEXT)
		buf_printf(out, c < 0x100 ? "\\x%02lx" : "\\u%04lx", c);
	else if (c <= 0xffff)
		buf_printf(out, "\\u%04lx", c);
	else
		buf_printf(out, "\\u%04lx\\u%04lx",
		    0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
}

/* Adds everything up to the character at p, and that in its changed form. */
static void
break_at(struct walk *w, const char *p)
{
	unsigned long c;
	size_t size = utf8_decode(p, (size_t)(w->end - p), &c);

	if (size == 0) {
		size = 1;
		c = (unsigned char)*p;
	}
	buf_add(w->out, w->from, (size_t)(p - w->from));
	if (w->how == DEFANG_BLANK) {
		buf_add(w->out, p, size);
		buf_addc(w->out, ' ');
	} else {
		defang_escape(w->out, c, w->how);
	}
	w->from = p + size;
}

/* The first character from p on, before until, that has a changed form; or
 * NULL.  In JSON that is one inside a string and outside its escapes. */
static const char *
breakable(struct walk *w, const char *p, const char *until)
{
	if (w->how != DEFANG_JSON)
		return p;
	while (w->p < until) {
		if (*w->p == '"')
			w->inside = !w->inside;
		else if (w->inside && *w->p == '\\')
			w->p += w->p + 1 < w->end && w->p[1] == 'u' ? 5 : 1;
		else if (w->inside && w->p >= p)
			return w->p;
		w->p++;
	}
	return NULL;
}

/* Changing the last hash is enough, even if the rest of the marker is on the
 * next line, and makes no other marker. */
static void
break_standard(struct walk *w)
{
	const char *p = w->from;

	while ((p = defang_find(p, w->end, hashes, HASHES)) != NULL) {
		if (p + HASHES < w->end && memchr("TCE", p[HASHES], 3) != NULL)
			break_at(w, p + HASHES - 1);
		p++;
	}
}

static void
break_own(struct walk *w, const char *marker)
{
	size_t len = strlen(marker);
	const char *p = w->from, *place;

	while (len > 0 && (p = defang_find(p, w->end, marker, len)) != NULL) {
		place = breakable(w, p, p + len);
		if (place != NULL) {
			break_at(w, place);
			p = place;
		}
		p++;
	}
}

void
defang_add(struct buf *out, const char *text, size_t len,
    const char *marker, enum defang_how how)
{
	struct buf first = BUF_INIT;
	struct walk w = { .out = marker != NULL ? &first : out, .how = how };

	if (len == 0)
		return;                 /* text may be NULL */
	w.end = text + len;
	w.from = text;
	break_standard(&w);
	buf_add(w.out, w.from, (size_t)(w.end - w.from));
	if (marker != NULL) {
		w.out = out;
		w.from = w.p = buf_str(&first);
		w.end = w.from + first.len;
		break_own(&w, marker);
		buf_add(out, w.from, (size_t)(w.end - w.from));
	}
	buf_release(&first);
}

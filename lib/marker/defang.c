#include "marker/defang.h"

#include "marker/marker.h"

bool
defang_clean(const char *text, size_t len, const char *marker)
{
	if (len == 0)
		return true;            /* text may be NULL */
	return !marker_set_in(NULL, text, len) && (marker == NULL ||
	    text_find(text, text + len, marker, strlen(marker)) == NULL);
}

struct walk {
	struct buf *out;
	enum defang_how how;
	const char *from, *end;         /* not added yet */
};

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
	w->from = p + size;
	if (w->how == DEFANG_BLANK) {
		buf_add(w->out, p, size);
		buf_addc(w->out, ' ');
	} else if (w->how == DEFANG_TEXT && c < 0x100) {
		buf_printf(w->out, "\\x%02lx", c);
	} else if (w->how == DEFANG_TEXT || c <= 0xffff) {
		buf_printf(w->out, "\\u%04lx", c);
	} else {
		buf_printf(w->out, "\\u%04lx\\u%04lx",
		    0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
	}
}

void
defang_add(struct buf *out, const char *text, size_t len,
    const char *marker, enum defang_how how)
{
	struct buf first = BUF_INIT;
	struct walk w = { .out = marker != NULL ? &first : out, .how = how };
	const char *p, *place, *q;
	bool inside = false;
	size_t size;

	if (len == 0)
		return;                 /* text may be NULL */
	w.end = text + len;
	w.from = text;
	/* The last hash is enough, even at the end of a line. */
	for (p = text; (p = text_find(p, w.end, "###", 3)) != NULL; p++)
		if (p + 3 < w.end && memchr("TCE", p[3], 3) != NULL)
			break_at(&w, p + 2);
	buf_add(w.out, w.from, (size_t)(w.end - w.from));
	if (marker != NULL) {
		w.out = out;
		w.from = q = buf_str(&first);
		w.end = w.from + first.len;
		size = strlen(marker);
		for (p = w.from; size > 0 &&
		    (p = text_find(p, w.end, marker, size)) != NULL; p++) {
			/* JSON changes inside a string, outside escapes. */
			place = how == DEFANG_JSON ? NULL : p;
			for (; place == NULL && q < p + size; q++)
				if (*q == '"')
					inside = !inside;
				else if (inside && *q == '\\')
					q += q + 1 < w.end && q[1] == 'u' ? 5 :
					    1;
				else if (inside && q >= p)
					place = q;
			if (place != NULL) {
				break_at(&w, place);
				p = place;
			}
		}
		buf_add(out, w.from, (size_t)(w.end - w.from));
	}
	buf_release(&first);
}

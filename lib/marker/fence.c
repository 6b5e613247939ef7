#include "marker/marker.h"

enum { FENCE_MIN = 3 };

size_t
fence_skipped(const char *text, size_t len)
{
	if (len > 0 && (text_blank(*text) || *text == '>'))
		return 1;
	if (len >= 3 && (memcmp(text, "\xe2\x94\x82", 3) == 0 ||
	    memcmp(text, "\xe2\x94\x83", 3) == 0))
		return 3;
	return 0;
}

static enum fence_place
advance(struct fence_line *l, char c, bool skipped)
{
	bool digit = c >= '0' && c <= '9';

	switch (l->place) {
	case FENCE_BEFORE:
		if (skipped)
			return FENCE_BEFORE;
		if (c == '-' || c == '*' || c == '+')
			return FENCE_LISTED;
		if (digit)
			return FENCE_NUMBER;
		if (c != '`' && c != '~')
			return FENCE_NONE;
		l->mark = c;
		l->len = 1;
		return FENCE_RUN;
	case FENCE_NUMBER:
		if (c == '.' || c == ')')
			return FENCE_LISTED;
		return digit ? FENCE_NUMBER : FENCE_NONE;
	case FENCE_LISTED:
		l->listed = true;
		return text_blank(c) ? FENCE_BEFORE : FENCE_NONE;
	case FENCE_RUN:
		if (c == l->mark) {
			l->len++;
			return FENCE_RUN;
		}
		if (l->len < FENCE_MIN)
			return FENCE_NONE;
		/* fallthrough */
	case FENCE_BEHIND:
		l->words |= !skipped;
		l->ticks |= c == '`';
		return FENCE_BEHIND;
	default:
		return FENCE_NONE;
	}
}

void
fence_line_add(struct fence_line *l, const char *text, size_t len)
{
	size_t i, size;

	for (i = 0; i < len && l->place != FENCE_NONE; i += size) {
		size = fence_skipped(text + i, len - i);
		l->place = advance(l, text[i], size > 0);
		size += size == 0;
	}
}

static bool
fence_whole(const struct fence_line *l)
{
	return l->len >= FENCE_MIN &&
	    (l->place == FENCE_RUN || l->place == FENCE_BEHIND);
}

bool
fence_opens(const struct fence_line *l)
{
	return fence_whole(l) && !(l->mark == '`' && l->ticks);
}

bool
fence_closes(const struct fence *f, const struct fence_line *l)
{
	return fence_whole(l) && l->mark == f->mark && l->len >= f->len &&
	    !l->listed && !l->words;
}

bool
fence_pass(struct fence *f, const struct fence_line *l)
{
	bool open = f->mark != 0;

	if (!(open ? fence_closes(f, l) : fence_opens(l)))
		return false;
	*f = open ? (struct fence){ 0, 0 } : (struct fence){ l->mark, l->len };
	return true;
}

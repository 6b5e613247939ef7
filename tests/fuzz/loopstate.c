/*
 * For any text: as the state of a loop, a changed value is read back, and all
 * others stay.  As a channel it gives no more than it has, and the text that an
 * agent gets has neither a finished marker nor a control byte.
 */
#include "fuzz/fuzz.h"
#include "loop/loop.h"
#include "marker/defang.h"

static bool
parse(struct loopstate *s, const void *text, size_t len)
{
	struct buf why = BUF_INIT;
	bool good;

	*s = (struct loopstate)LOOPSTATE_INIT;
	buf_add(&s->text, text, len);
	good = loopstate_parse(s, &why) == 0;
	assert(good == (why.len == 0));
	buf_release(&why);
	return good;
}

static bool
is_value(const struct loopstate *s, int key, const char *text, size_t len)
{
	const struct buf *value = &s->values[key].text;

	return value->len == len &&
	    (len == 0 || memcmp(value->data, text, len) == 0);
}

/* All but one value are the same, and so is what is below. */
static void
check_rest(const struct loopstate *a, const struct loopstate *b, int but)
{
	size_t below = a->text.len - a->end;
	int i;

	for (i = 0; i < LOOPSTATE_KEYS; i++) {
		if (i == but)
			continue;
		assert((a->values[i].from > 0) == (b->values[i].from > 0));
		assert(is_value(b, i, a->values[i].text.data,
		    a->values[i].text.len));
	}
	assert(b->text.len - b->end == below);
	assert(memcmp(a->text.data + a->end, b->text.data + b->end,
	    below) == 0);
}

static void
check_changes(const struct loopstate *was, const char *text)
{
	struct loopstate s;
	int key;

	for (key = 0; key < LOOPSTATE_KEYS; key++) {
		parse(&s, was->text.data, was->text.len);
		loopstate_set_number(&s, key, INT64_MAX);
		assert(is_value(&s, key, "9223372036854775807", 19));
		check_rest(was, &s, key);
		loopstate_set(&s, key, "stopped");
		assert(is_value(&s, key, "stopped", 7));
		loopstate_set_text(&s, key, text);
		assert(is_value(&s, key, text, strlen(text)));
		check_rest(was, &s, key);
		loopstate_set(&s, key, NULL);
		assert(s.values[key].from == 0 && s.end > 0);
		check_rest(was, &s, key);
		loopstate_release(&s);
	}
}

/* Removes the bytes that a prompt cannot have. */
static char *
prompt_of(const char *text, size_t len)
{
	char *copy = xmalloc(len + 1);
	size_t i, n = 0;

	for (i = 0; i < len; i++)
		if (text[i] == '\n' || text[i] == '\t' ||
		    (unsigned char)text[i] >= ' ')
			copy[n++] = text[i];
	copy[n] = '\0';
	return copy;
}

static void
check_state(const char *text, size_t len)
{
	struct loopstate s;
	struct buf why = BUF_INIT;
	char *prompt = prompt_of(text, len);

	if (parse(&s, text, len)) {
		check_changes(&s, prompt);
		if (loopstate_numbers(&s, &why) == 0)
			assert(s.number[LOOPSTATE_MAX_TURNS] >= 0 &&
			    s.number[LOOPSTATE_ITERATION] >= 0 &&
			    s.number[LOOPSTATE_DURATION] >= 0 &&
			    s.number[LOOPSTATE_STARTED] >= -1);
	}
	loopstate_release(&s);
	buf_release(&why);
	free(prompt);
}

static void
check_reason(const char *text, size_t len)
{
	struct buf reason = BUF_INIT;
	size_t i;

	loopreason_add(&reason, text, len);
	assert(defang_clean(buf_str(&reason), reason.len, NULL));
	for (i = 0; i < reason.len; i++)
		assert((unsigned char)reason.data[i] >= ' ' ||
		    reason.data[i] == '\n' || reason.data[i] == '\t');
	buf_release(&reason);
}

static void
check_channel(const char *text, size_t len)
{
	static const int64_t noon = 20260301120000;
	struct channel all = { .stop_from = 0 };
	struct channel some = { .stop_from = noon, .since = noon }, none = some;

	channel_look(&all, "2026-03-01", text, len, true);
	channel_look(&some, "2026-03-01", text, len, true);
	channel_look(&none, "2026-03-01", text, len, false);
	assert(some.last == all.last && none.last == all.last);
	assert(all.news.len == len && some.news.len <= len);
	assert(none.news.len == 0 && none.stop == some.stop);
	assert(all.stop || (!some.stop && !all.last));
	check_reason(buf_str(&some.news), some.news.len);
	buf_release(&all.news);
	buf_release(&some.news);
}

static void
check(const char *bytes, size_t len)
{
	struct buf text = BUF_INIT;

	buf_add(&text, bytes, len);
	check_state(buf_str(&text), len);
	check_channel(buf_str(&text), len);
	check_reason(buf_str(&text), len);
	buf_release(&text);
}

/*
 * What must hold of anything that a pane prints and shows: it is working,
 * asking, waiting or limited, or nothing is said; what is said is text of bounded size;
 * and a title is found wherever the stream is cut.
 */
#include "base/utf8.h"
#include "chain/sources.h"
#include "fuzz/fuzz.h"

static const char text[] =
    "{ \"announces\": { \"osc\": 7501, \"busy\": [\"w\"], \"ready\": [\"i\"] },"
    "\"title\": { \"busy\": [\"^[\\\\x{2800}-\\\\x{28FF}] \"], "
    "\"ready\": [\"^\\\\S\"] },"
    "\"screen\": { \"asking\": [\"(?s)\\\\?(?<asked>.*)\"], "
    "\"limited\": [\"(?s)limit(?:.*?in (?<reset>.*))?\"], "
    "\"busy\": [\"esc\"], \"ready\": [\"(?m)^>\"] } }";

static struct signs signs;

static void
read_signs(void)
{
	static const struct strict_row rows[] = {
		{ "announces", signs_take, .least = SIGN_ANNOUNCED },
		{ "title",     signs_take, .least = SIGN_TITLE },
		{ "screen",    signs_take, .least = SIGN_SCREEN },
		{ .key = NULL }
	};
	struct buf file = BUF_INIT, error = BUF_INIT;

	buf_adds(&file, text);
	assert(strict_file(&(struct strict){ .from = "f", .error = &error },
	    &file, rows, &signs) == 0);
	buf_release(&file);
	buf_release(&error);
}

static void
check_screen(const struct screen *s)
{
	struct screen_evidence e;
	struct buf out = BUF_INIT;
	size_t i, len, step;

	if (screen_tell(s, &e, false, 1000000))
		assert(e.state == STATE_WORKING || state_waits(e.state) ||
		    e.state == STATE_LIMITED);
	else
		assert(e.state == STATE_NONE);
	len = strnlen(e.what, sizeof(e.what));
	assert(len < sizeof(e.what) && (len > 0) == (e.state != STATE_NONE));
	for (i = 0; i < len; i += step) {
		step = utf8_decode(e.what + i, len - i, NULL);
		assert(step > 0 && (unsigned char)e.what[i] >= ' ');
	}
	screen_describe(s, &out);
	assert(out.len > 0);
	buf_release(&out);
}

/* What is short enough is found by pieces that overlap. */
static void
check_pieces(const struct screen *whole, const char *bytes, size_t len)
{
	struct screen s;
	size_t at, from;

	s = (struct screen){ .signs = &signs };
	for (at = 1; at <= len; at++) {
		from = at > SCREEN_OVERLAP ? at - SCREEN_OVERLAP : 0;
		screen_print(&s, bytes + from, at - from);
	}
	if (len <= SCREEN_OVERLAP) {
		assert(s.title.len == whole->title.len);
		assert(s.announced.len == whole->announced.len);
		assert(s.stated.sign == whole->stated.sign);
	}
	screen_release(&s);
}

static void
check(const char *bytes, size_t len)
{
	struct screen s;

	if (signs.n == 0)
		read_signs();
	s = (struct screen){ .signs = &signs };
	screen_capture(&s, bytes, len, 1000);
	check_screen(&s);
	screen_print(&s, bytes, len);
	check_screen(&s);
	screen_capture(&s, bytes, len, 2000);
	check_screen(&s);
	if (len <= 2 * SCREEN_OVERLAP)
		check_pieces(&s, bytes, len);
	screen_release(&s);
}

#include "base/columns.h"

#include <stdlib.h>

#include "tap.h"

static const char *
shown(const char *text, unsigned most)
{
	static struct buf out;

	buf_reset(&out);
	columns_add(&out, text, most);
	return buf_str(&out);
}

TEST(what_fits_is_whole) {
	is_text(shown("abc", 3), "abc");
	is_text(shown("abc", COLUMNS_ALL), "abc");
	is_text(shown("", 3), "");
	is_text(shown("abc", 0), "");
}

TEST(what_does_not_fit_ends_with_an_ellipsis) {
	is_text(shown("abcd", 3), "ab\u2026");
	is_text(shown("\u6f22\u5b57\u6f22", 5), "\u6f22\u5b57\u2026");
	is_text(shown("\u6f22\u5b57\u6f22", 4), "\u6f22\u2026");
	is_text(shown("abcd", 1), "\u2026");
}

TEST(what_no_terminal_shows_alike_is_simpler) {
	is_text(shown("a\u26a0\ufe0fb", 9), "a\u26a0b");
	is_text(shown("\U0001f44d\U0001f3fd", 9), "\U0001f44d");
	is_text(shown("a\u200bb\u202ec", 9), "abc");
	is_text(shown("a\tb\nc", 9), "a b c");
	is_text(shown("a\33[31mb", 9), "a[31mb");
	is_text(shown("a\xff" "b", 9), "a?b");
}

TEST(a_cell_has_its_width) {
	struct buf out = BUF_INIT;

	columns_pad(&out, "\u6f22", 4);
	is_text(buf_str(&out), "\u6f22  ");
	buf_reset(&out);
	columns_pad(&out, "\u6f22\u5b57", 4);
	is_text(buf_str(&out), "\u6f22\u5b57");
	buf_release(&out);
}

BEFORE_TESTS {
	setenv("LC_ALL", "C.UTF-8", 1);
	columns_begin();
}

#include "base/columns.h"

#include <stdlib.h>

#include "tap.h"

TEST(a_text_is_cut_and_simplified_to_its_columns) {
	static const struct {
		const char *text;
		unsigned most;
		const char *shown;
	} rows[] = {
		{ "abc", 3, "abc" }, { "abc", COLUMNS_ALL, "abc" },
		{ "abc", 0, "" },
		/* What does not fit ends with an ellipsis. */
		{ "abcd", 3, "ab\u2026" }, { "abcd", 1, "\u2026" },
		{ "\u6f22\u5b57\u6f22", 5, "\u6f22\u5b57\u2026" },
		{ "\u6f22\u5b57\u6f22", 4, "\u6f22\u2026" },
		/* What no terminal shows alike is simpler. */
		{ "a\u26a0\ufe0fb", 9, "a\u26a0b" },
		{ "\U0001f44d\U0001f3fd", 9, "\U0001f44d" },
		{ "a\u200bb\u202ec", 9, "abc" }, { "a\tb\nc", 9, "a b c" },
		{ "a\33[31mb", 9, "a[31mb" }, { "a\xff" "b", 9, "a?b" },
	};
	static struct buf out;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s in %u", rows[i].text, rows[i].most);
		buf_reset(&out);
		columns_add(&out, rows[i].text, rows[i].most);
		is_text(buf_str(&out), rows[i].shown);
	}
}

TEST(a_cell_has_its_width) {
	static struct buf out;

	columns_pad(&out, "\u6f22", 4);
	columns_pad(&out, "\u6f22\u5b57", 4);
	is_text(buf_str(&out), "\u6f22  \u6f22\u5b57");
}

BEFORE_TESTS {
	setenv("LC_ALL", "C.UTF-8", 1);
	columns_begin();
}

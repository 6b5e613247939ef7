/*
 * tests/unit/queue/rowlines.c has lines that are news, and that have left.
 */
#include "queue/lines.h"

#include "tap.h"
#include "unit/fixture.h"

static struct lines lines;

static void
set(const char *key, const char *text)
{
	lines_set(&lines, key, text, strlen(text), 0);
}

TEST(a_key_is_found_as_text) {
	static const struct { const char *line, *key; } cases[] = {
		{ "{\"key\":\"/d/7\",\"issue\":\"7\"}", "/d/7" },
		{ "{\"key\":\"a\\\"b\\\\\",\"gone\":true}", "a\\\"b\\\\" },
		{ "{\"why\":\"\\\"key\\\":\\\"x\\\"\",\"key\":\"k\"}", "k" },
		{ "{\"key\":\"theirs\",\"key\":\"ours\"}", "ours" },
		{ "{\"key\":\"\"}", "" },
		{ "{\"key\":\"never ends}", NULL },
		{ "{\"key\":\"never ends\\\"", NULL },
		{ "{\"key\":7}", NULL }, { "Welcome", NULL }, { "", NULL },
	};
	struct buf key = BUF_INIT;
	size_t i;

	for (i = 0; i < COUNT(cases); i++)
		is_text(lines_key(&key, cases[i].line, strlen(cases[i].line)) ?
		    buf_str(&key) : NULL, cases[i].key);
	buf_release(&key);
}

TEST(all_bytes_are_counted) {
	size_t empty;

	set("a", "");
	empty = lines.bytes;
	set("a", "12345");
	is_number(lines.bytes, empty + 5);
	set("b", "");
	is_number(lines.bytes, 2 * empty + 5);
	lines_drop(&lines, lines_find(&lines, "a", 0));
	is_number(lines.bytes, empty);
	lines_drop(&lines, NULL);
	lines_drop(&lines, lines_find(&lines, "b", 0));
	is_number(lines.bytes, 0);
	lines_release(&lines);
}

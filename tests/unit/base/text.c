#include "base/text.h"

#include "tap.h"

static void
a_blank_is_a_space_or_a_tab(void)
{
	ok(text_blank(' ') && text_blank('\t'));
	ok(!text_blank('\n') && !text_blank('\0') && !text_blank('x'));
}

static void
blanks_are_skipped_up_to_the_end(void)
{
	static const char text[] = " \t x";

	is_text(text_skip_blanks(text, text + 4), "x");
	ok(text_skip_blanks(text, text + 2) == text + 2);
	ok(text_skip_blanks(text + 3, text + 4) == text + 3);
}

static void
spaces_and_controls_are_empty(void)
{
	ok(text_empty("", 0) && text_empty(NULL, 0));
	ok(text_empty(" \r\n\t\0", 5));
	ok(!text_empty(" . ", 3) && !text_empty("\xc3\xa9", 2));
}

/* Each text is before all that stand behind it. */
static void
numbers_are_in_order_by_their_value(void)
{
	static const char *const texts[] = {
		"", "0", "00", "07", "7", "9", "10", "10-a", "11", "A9", "a",
		"a-1", "a0", "a00", "a2b10", "a2b010c", "a10", "a99999999999999999998",
		"a99999999999999999999", "b", "\xc3\xa9"
	};
	const int n = sizeof(texts) / sizeof(texts[0]);
	int i, j, order;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++) {
			order = text_order(texts[i], texts[j]);
			ok((order > 0) - (order < 0) == (i > j) - (i < j));
		}
}

static void
a_hash_is_that_of_fnv_1a(void)
{
	ok(text_hash("", 0) == UINT64_C(0xcbf29ce484222325));
	ok(text_hash("foobar", 6) == UINT64_C(0x85944171f73967e8));
}

int
main(void)
{
	TEST(a_blank_is_a_space_or_a_tab);
	TEST(blanks_are_skipped_up_to_the_end);
	TEST(spaces_and_controls_are_empty);
	TEST(numbers_are_in_order_by_their_value);
	TEST(a_hash_is_that_of_fnv_1a);
	return tap_done();
}

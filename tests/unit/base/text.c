#include "base/text.h"

#include "unit/children.h"

TEST(spaces_and_controls_are_empty) {
	ok(text_empty(NULL, 0) && text_empty(" \r\n\t\0", 5));
	ok(!text_empty(" . ", 3) && !text_empty("\xc3\xa9", 2));
}

/* Each text is before all that stand behind it. */
TEST(numbers_are_in_order_by_their_value) {
	static const char *const texts[] = {
		"", "0", "00", "07", "7", "9", "10", "10-a", "11", "A9", "a",
		"a-1", "a0", "a00", "a2b10", "a2b010c", "a10",
		"a99999999999999999998", "a99999999999999999999", "b",
		"\xc3\xa9"
	};
	const int n = sizeof(texts) / sizeof(texts[0]);
	int i, j, order;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++) {
			ROW("%s, %s", texts[i], texts[j]);
			order = text_order(texts[i], texts[j]);
			ok((order > 0) - (order < 0) == (i > j) - (i < j));
		}
}

TEST(a_hash_is_that_of_fnv_1a) {
	ok(text_hash("foobar", 6) == UINT64_C(0x85944171f73967e8));
}

/* None is what ssh or a shell could obey. */
TEST(names_and_users_are_hosts) {
	char large[HOSTNAME_MAX + 2];

	says(true, hostname_valid, WORDS("box", "me@build-7.example.org",
	    "127.0.0.1", "under_score"));
	says(false, hostname_valid, WORDS("", "-oProxyCommand=x", "a b", "a;b",
	    "$(x)", "a/b", "a:22", "a\nb", "`x`", "\xc3\xa9", "a#b", "'a'"));
	memset(large, 'a', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	ok(!hostname_valid(large) && hostname_valid(large + 1));
}

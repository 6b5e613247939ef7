#include "base/argv.h"

#include "base/alloc.h"
#include "tap.h"

TEST(words_are_counted_up_to_the_null) {
	char a[] = "a", *words[] = { a, a + 1, a, NULL, a, NULL };

	ok(argv_count(words) == 3 && argv_count(words + 2) == 1);
	ok(argv_count(words + 3) == 0 && argv_count(NULL) == 0);
}

/* That nothing is left, only the sanitizers see. */
TEST(lists_are_appended_to_each_other_and_freed_with_their_words) {
	char **words = argv_add_all(argv_add(NULL, "a"), WORDS("b", ""));

	words = argv_add_all(words, NULL);
	is_number(argv_count(words), 3);
	is_text(words[0], "a");
	is_text(words[1], "b");
	is_text(words[2], "");
	ok(argv_has(words, "b") && !argv_has(words, "c"));
	ok(!argv_has(NULL, "a"));
	argv_free(words);
	argv_free(xcalloc(1, sizeof(*words)));
	argv_free(NULL);
}

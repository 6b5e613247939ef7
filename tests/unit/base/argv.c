#include "base/argv.h"

#include "base/alloc.h"
#include "tap.h"

TEST(words_are_counted_up_to_the_null) {
	char a[] = "a", empty[] = "";
	char *none[] = { NULL }, *words[] = { a, empty, a, NULL, a, NULL };

	is_number(argv_count(none), 0);
	is_number(argv_count(words), 3);
	is_number(argv_count(words + 2), 1);
}

TEST(no_list_is_an_empty_one) {
	is_number(argv_count(NULL), 0);
	argv_free(NULL);
}

/* That nothing is left, only the sanitizers see. */
TEST(a_list_is_freed_with_its_words) {
	char **words = xcalloc(3, sizeof(*words));

	argv_free(xcalloc(1, sizeof(*words)));
	words[0] = xstrdup("a");
	words[1] = xstrdup("");
	is_number(argv_count(words), 2);
	argv_free(words);
}

TEST(lists_are_appended_to_each_other) {
	const char *const more[] = { "b", "", NULL };
	char **words = argv_add_all(argv_add(NULL, "a"), more);

	words = argv_add_all(words, NULL);
	is_number(argv_count(words), 3);
	is_text(words[0], "a");
	is_text(words[1], "b");
	is_text(words[2], "");
	argv_free(words);
}

TEST(a_word_is_found_in_a_list) {
	char a[] = "a", b[] = "b";
	char *words[] = { a, b, NULL };

	ok(argv_has(words, "b") && !argv_has(words, "c"));
	ok(!argv_has(NULL, "a"));
}

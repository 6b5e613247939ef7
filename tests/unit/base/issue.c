#include "base/issue.h"

#include "unit/children.h"

TEST(an_id_is_only_letters_digits_and_dashes) {
	says(true, issue_valid, WORDS("7", "07", "a", "Z", "42-fix_it", "A-",
	    "0_", "x--y"));
	says(false, issue_valid, WORDS("", "-7", "_7", ".", "..", "a/b",
	    "../7", "a.b", "a b", " 7", "7 ", "7\n", "a;b", "$7", "%7", "#7",
	    "a'b", "a*", "\xc3\xa9", "a\xff", "a\033", "a:b", "=7"));
}

/* Every byte but those named, also behind a good beginning. */
TEST(no_other_byte_is_allowed) {
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789_-";
	char id[3] = "a";
	int byte;

	for (byte = 0; byte < 256; byte++) {
		id[1] = (char)byte;
		ROW("byte %d", byte);
		ok(issue_valid_n(id, 2) ==
		    (byte != 0 && strchr(allowed, byte) != NULL));
	}
}

TEST(an_id_has_1_to_64_characters) {
	char id[ISSUE_MAX + 2];

	memset(id, 'x', sizeof(id));
	ok(!issue_valid_n(id, 0) && issue_valid_n(id, ISSUE_MAX));
	ok(!issue_valid_n(id, ISSUE_MAX + 1));
	id[ISSUE_MAX] = '\0';
	ok(issue_valid(id));
	id[ISSUE_MAX] = 'x';
	id[ISSUE_MAX + 1] = '\0';
	ok(!issue_valid(id));
}

TEST(a_run_id_is_a_random_uuid) {
	char id[RUN_ID_LEN + 1], other[RUN_ID_LEN + 1];
	int i;

	for (i = 0; i < 100; i++) {
		ok(run_id_make(id) == 0 && run_id_make(other) == 0);
		ok(strlen(id) == RUN_ID_LEN && run_id_valid(id));
		ok(id[14] == '4' && strchr("89ab", id[19]) != NULL);
		ok(strcmp(id, other) != 0);
	}
	says(true, run_id_valid, WORDS("0123abcd-1111-4222-8333-444444444444"));
	says(false, run_id_valid, WORDS("", "0",
	    "0123abcd-1111-4222-8333-44444444444",
	    "0123abcd-1111-4222-8333-4444444444444",
	    "0123ABCD-1111-4222-8333-444444444444",
	    "0123abcd11111-4222-8333-444444444444",
	    "0123abcd-1111-4222-8333-44444444444g",
	    " 123abcd-1111-4222-8333-444444444444",
	    "------------------------------------",
	    "0123abcd-1111-4222-8333-444444444444\n"));
}

#include "base/issue.h"

#include "unit/children.h"

TEST(an_id_is_only_letters_and_digits_with_dashes_behind) {
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789";
	int byte;

	for (byte = 0; byte < 256; byte++) {
		bool letter = byte != 0 && strchr(letters, byte) != NULL;

		ROW("byte %d", byte);
		ok(issue_valid_n((char[]){ (char)byte, 'a' }, 2) == letter);
		ok(issue_valid_n((char[]){ 'a', (char)byte }, 2) ==
		    (letter || byte == '_' || byte == '-'));
	}
}

TEST(an_id_has_1_to_64_characters) {
	char id[ISSUE_MAX + 2];

	memset(id, 'x', sizeof(id));
	ok(!issue_valid("") && issue_valid_n(id, ISSUE_MAX));
	id[ISSUE_MAX + 1] = '\0';
	ok(!issue_valid(id) && issue_valid(id + 1));
}

TEST(a_run_id_is_a_random_uuid) {
	char id[RUN_ID_LEN + 1], other[RUN_ID_LEN + 1] = "";
	int i;

	for (i = 0; i < 100; i++) {
		ok(run_id_make(id) == 0 && run_id_valid(id));
		ok(id[14] == '4' && strchr("89ab", id[19]) != NULL);
		ok(strcmp(id, other) != 0);
		memcpy(other, id, sizeof(id));
	}
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

#include "data/datafile.h"

#include "tap.h"

static struct buf text;

static void
write_signed(const char *words)
{
	buf_reset(&text);
	buf_adds(&text, words);
	ok(ownfile_origin(&text) == OWNFILE_FOREIGN);
	ownfile_sign(&text);
	ok(ownfile_origin(&text) == OWNFILE_OURS);
}

/* Any byte of it, also one behind it. */
TEST(every_change_of_it_is_seen) {
	size_t i;

	write_signed("# Skill\nwords\n");
	for (i = 0; i < text.len; i++) {
		text.data[i] ^= 1;
		ok(ownfile_origin(&text) != OWNFILE_OURS);
		text.data[i] ^= 1;
	}
	ok(ownfile_origin(&text) == OWNFILE_OURS);
	buf_addc(&text, '\0');
	ok(ownfile_origin(&text) == OWNFILE_CHANGED);
}

TEST(what_was_changed_and_signed_again_counts_as_changed) {
	write_signed("");
	buf_adds(&text, "more\n");
	ownfile_sign(&text);
	ok(ownfile_origin(&text) == OWNFILE_CHANGED);
}

AFTER_TESTS {
	buf_release(&text);
}

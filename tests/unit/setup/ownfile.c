#include "setup/skill.h"

#include <string.h>

#include "tap.h"

static struct buf text;

static void
write_text(const char *words)
{
	buf_reset(&text);
	buf_adds(&text, words);
}

static void
what_was_signed_is_known_again(void)
{
	write_text("# Skill\nwords\n");
	ok(skill_origin(&text) == SKILL_FOREIGN);
	skill_sign(&text);
	ok(skill_origin(&text) == SKILL_OURS);
	buf_release(&text);
	ok(skill_origin(&text) == SKILL_FOREIGN);
	skill_sign(&text);
	ok(skill_origin(&text) == SKILL_OURS);
}

/* Any byte of it, also one behind it. */
static void
every_change_of_it_is_seen(void)
{
	size_t i;
	bool seen = true;

	write_text("# Skill\nwords\n");
	skill_sign(&text);
	for (i = 0; i < text.len; i++) {
		text.data[i] ^= 1;
		seen = seen && skill_origin(&text) != SKILL_OURS;
		text.data[i] ^= 1;
	}
	ok(seen);
	ok(skill_origin(&text) == SKILL_OURS);
	buf_addc(&text, '\0');
	ok(skill_origin(&text) == SKILL_CHANGED);
}

static void
what_was_changed_and_signed_again_counts_as_changed(void)
{
	write_text("# Skill\n");
	skill_sign(&text);
	buf_adds(&text, "more\n");
	skill_sign(&text);
	ok(skill_origin(&text) == SKILL_CHANGED);
}

int
main(void)
{
	TEST(what_was_signed_is_known_again);
	TEST(every_change_of_it_is_seen);
	TEST(what_was_changed_and_signed_again_counts_as_changed);
	buf_release(&text);
	return tap_done();
}

#include "run/status.h"

#include "tap.h"
#include "unit/fixture.h"

static const char *
source(const char *word)
{
	static struct verdict v;

	verdict_set_source(&v, "log");
	verdict_set_source(&v, word);
	return verdict_source(&v);
}

TEST(a_source_is_one_word_of_small_letters) {
	ROWS(source, "abcdefghijklmno => abcdefghijklmno", " => none",
	    "none => none", "Log => none", "the log => none", "log\n => none",
	    "abcdefghijklmnop => none");
	is_text(source("record"), "hook");      /* of an older version */
}

TEST(texts_hold_no_control_bytes_and_can_be_added_to) {
	struct verdict v = { 0 };

	verdict_why(&v, "a%s", "\033[31m\n\t\x7f");
	is_text(v.why, "a\\x1b[31m\\x0a\\x09\\x7f");
	verdict_message(&v, "a\0b\xff", 4);
	is_text(v.message, "a\\x00b\\xff");
	verdict_add_why(&v, "\r");
	verdict_add_why(&v, ", two");
	verdict_add_why(&v, "");
	is_text(v.why, "a\\x1b[31m\\x0a\\x09\\x7f\\x0d, two");
	verdict_why(&v, "%d", 3);
	is_text(v.why, "3");
	verdict_message(&v, NULL, 0);
	is_text(v.message, "");
}

/* What is shown may be shown in a pane that is watched. */
TEST(no_text_holds_a_marker) {
	struct verdict v = { 0 };

	verdict_message(&v, "###TASK_COMPLETE_7###", 21);
	is_text(v.message, "\uff03\uff03\uff03TASK_COMPLETE_7"
	    "\uff03\uff03\uff03");
	verdict_why(&v, "%s", "#### ## #");
	is_text(v.why, "\uff03\uff03\uff03# ## #");
	verdict_why(&v, "%s", "says ##");
	verdict_add_why(&v, "#TASK_COMPLETE_7###");
	ok(strstr(v.why, "TASK_COMPLETE_7###") == NULL);
}

/* Is there room for no other one of the four bytes, behind so many others? */
static bool
full(const char *text, size_t shift, size_t size)
{
	size_t len = strlen(text);

	return len < size && len > size - 5 && (len - shift) % 4 == 0;
}

TEST(long_texts_are_cut_between_characters) {
	char text[5000];
	struct verdict v;
	size_t shift, i;

	for (shift = 0; shift < 4; shift++) {
		v = (struct verdict){ 0 };
		memset(text, 'x', shift);
		for (i = shift; i + 4 < sizeof(text); i += 4)
			memcpy(text + i, "\xf0\x9f\x98\x80", 4);
		text[i] = '\0';
		verdict_why(&v, "%s", text);
		ok(full(v.why, shift, VERDICT_WHY));
		verdict_message(&v, text, i);
		ok(shift > 0 || strlen(v.message) == VERDICT_MESSAGE - 1);
		ok(full(v.message, shift, VERDICT_MESSAGE));
		verdict_add_why(&v, text);
		ok(strlen(v.why) < VERDICT_WHY);
	}
}

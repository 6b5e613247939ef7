#include "tap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "data/template.h"

static const struct template_value values[] = {
	{ "issue", "42", 2 },
	{ "dir", "/a b/c", 6 },
	{ "empty", "", 0 },
	{ "quote", "it's", 4 },
	{ "nul", "a\0b", 3 },
	{ "again", "<<issue>>\\", 10 },
	{ "open", "<<", 2 },
	{ "close", ">>", 2 },
	{ "dir", "never", 5 },
};

enum { VALUES = sizeof(values) / sizeof(values[0]) };

/* The text in memory of exactly its size, so that a sanitizer sees the end. */
static int
expand(struct buf *out, const char *text, size_t len, struct buf *unknown)
{
	char *copy = xmalloc(len);
	int ret;

	memcpy(copy, text, len);
	ret = template_expand(out, copy, len, values, VALUES, unknown);
	free(copy);
	return ret;
}

/* text becomes want, and the names in told (each followed by a comma) are
 * unknown. */
static void
becomes(const char *text, const char *want, const char *told)
{
	struct buf out = BUF_INIT, unknown = BUF_INIT;
	size_t i;

	is_number(expand(&out, text, strlen(text), &unknown), 0);
	for (i = 0; i < unknown.len; i++)
		if (unknown.data[i] == '\0')
			unknown.data[i] = ',';
	is_text(buf_str(&out), want);
	is_text(buf_str(&unknown), told);
	buf_release(&out);
	buf_release(&unknown);
}

TEST(both_spellings_give_the_value) {
	becomes("<<issue>> and {{issue}}", "42 and 42", "");
	becomes("<<issue>><<issue>>{{issue}}", "424242", "");
	becomes("", "", "");
}

TEST(the_first_value_of_a_name_is_taken) {
	becomes("<<dir>>", "/a b/c", "");
}

TEST(a_value_is_not_looked_at_again) {
	becomes("<<again>><<issue>>", "<<issue>>\\42", "");
	becomes("<<open>>issue<<close>>", "<<issue>>", "");
}

TEST(an_unknown_name_stays_and_is_told_once_in_order) {
	becomes("<<b>> {{a}} <<b|sh>> <<issue>> {{Issue}}",
	    "<<b>> {{a}} <<b|sh>> 42 {{Issue}}", "b,a,Issue,");
}

TEST(unknown_names_need_not_be_asked_for) {
	struct buf out = BUF_INIT;

	is_number(expand(&out, "<<b>>", 5, NULL), 0);
	is_text(buf_str(&out), "<<b>>");
	buf_release(&out);
}

TEST(a_quoted_value_is_one_word_of_a_shell) {
	becomes("<<dir|sh>>/<<issue|sh>>", "'/a b/c'/'42'", "");
	becomes("{{quote|sh}}", "'it'\\''s'", "");
	becomes("<<empty|sh>><<empty>>", "''", "");
}

TEST(what_is_not_well_formed_is_text) {
	static const char *const same[] = {
		"<", "<<", "<<i", "<<issue", "<<issue>", "<<issue}}",
		"{{issue>>", "<{issue>>", "<<>>", "<< issue>>", "<<issue >>",
		"<<1a>>", "<<a-b>>", "<<a.b>>", "<<\xc3\xa9>>", "<<issue|>>",
		"<<issue|s>>", "<<issue|sh", "<<issue|sh>", "<<issue|sh >>",
		"<<issue|SH>>", "<<issue|sh|sh>>", "{{issue|e}}", "{{{issue}",
	};
	size_t i;

	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		becomes(same[i], same[i], "");
}

TEST(what_stands_around_a_placeholder_stays) {
	becomes("<<<issue>>>", "<42>", "");
	becomes("{{{issue}}}", "{42}", "");
	becomes("<<{{issue}}>>", "<<42>>", "");
	becomes("<<out<<issue>>er>>", "<<out42er>>", "");
	becomes("$<<issue>>", "$42", "");
}

TEST(one_backslash_keeps_a_placeholder) {
	becomes("\\<<issue>> \\{{nobody}} \\<<issue|sh>>",
	    "<<issue>> {{nobody}} <<issue|sh>>", "");
}

TEST(two_backslashes_are_one_and_the_value) {
	becomes("\\\\<<issue>>", "\\42", "");
	becomes("\\\\<<nobody>>", "\\<<nobody>>", "nobody,");
	becomes("\\\\<<issue|sh>>", "\\'42'", "");
}

TEST(any_other_backslash_is_text) {
	becomes("\\", "\\", "");
	becomes("a\\b \\< \\<<", "a\\b \\< \\<<", "");
	becomes("\\\\\\<<issue>>", "\\\\42", "");
	becomes("\\\\\\\\<<issue>>", "\\\\\\42", "");
	becomes("\\<<issue >>", "\\<<issue >>", "");
}

TEST(any_bytes_are_kept_in_text_and_value) {
	struct buf out = BUF_INIT;

	is_number(expand(&out, "\0\xff<<nul>>\r\n\0", 12, NULL), 0);
	is_number(out.len, 8);
	ok(memcmp(out.data, "\0\xff" "a\0b\r\n", 8) == 0);
	buf_release(&out);
}

TEST(the_expansion_is_added_to_what_was_there) {
	struct buf out = BUF_INIT, unknown = BUF_INIT;

	buf_adds(&out, "before ");
	buf_add(&unknown, "x", 2);
	is_number(expand(&out, "<<issue>><<x>>", 14, &unknown), 0);
	is_text(buf_str(&out), "before 42<<x>>");
	is_number(unknown.len, 4);
	buf_release(&out);
	buf_release(&unknown);
}

/* The n-th of many names: aaaa, baaa, ... */
static void
add_name(struct buf *text, unsigned n)
{
	int i;

	buf_adds(text, "<<");
	for (i = 0; i < 4; i++, n /= 26)
		buf_addc(text, (char)('a' + n % 26));
	buf_adds(text, ">>");
}

/* With a list in the place of the table this would take minutes. */
TEST(many_unknown_names_are_each_told_once) {
	enum { MANY = 200000 };
	struct buf text = BUF_INIT, out = BUF_INIT, unknown = BUF_INIT;
	unsigned n;

	for (n = 0; n < 2 * MANY; n++)
		add_name(&text, n % MANY);
	is_number(expand(&out, text.data, text.len, &unknown), 0);
	is_number(out.len, text.len);
	ok(memcmp(out.data, text.data, text.len) == 0);
	is_number(unknown.len, MANY * 5);
	buf_release(&text);
	buf_release(&out);
	buf_release(&unknown);
}

TEST(an_expansion_without_measure_is_refused) {
	struct template_value large = { "x", NULL, 1 << 20 };
	struct buf text = BUF_INIT, out = BUF_INIT;
	char *value = xcalloc(1, large.len);
	int i;

	large.value = value;
	for (i = 0; i < 1000; i++)
		buf_adds(&text, "<<x>>");
	errno = 0;
	is_number(template_expand(&out, text.data, text.len, &large, 1, NULL),
	    -1);
	is_number(errno, EFBIG);
	ok(out.len <= TEMPLATE_OUT_MAX + large.len);
	free(value);
	buf_release(&text);
	buf_release(&out);
}

TEST(names_are_letters_digits_and_underscores) {
	ok(template_name_valid("a"));
	ok(template_name_valid("_1X"));
	ok(!template_name_valid(""));
	ok(!template_name_valid("1a"));
	ok(!template_name_valid("a b"));
	ok(!template_name_valid("a\n"));
	ok(!template_name_valid("\xc3\xa9"));
}

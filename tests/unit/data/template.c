#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "data/template.h"
#include "unit/fixture.h"

/* tests/cases/templates.t has what can be an argument, render.t too much. */
static const struct template_value values[] = {
	{ "issue", "42", 2 },
	{ "dir", "/a b/c", 6 },
	{ "empty", "", 0 },
	{ "quote", "it's", 4 },
	{ "nul", "a\0b", 3 },
	{ "dir", "never", 5 },
};

/* The text in memory of exactly its size, so that a sanitizer sees the end. */
static int
expand(struct buf *out, const char *text, size_t len, struct buf *unknown)
{
	char *copy = xmalloc(len);
	int ret;

	memcpy(copy, text, len);
	ret = template_expand(out, copy, len, values, COUNT(values), unknown);
	free(copy);
	return ret;
}

/* text becomes want; told has the unknown names, a ',' behind each. */
static void
becomes(const char *text, const char *want, const char *told)
{
	struct buf out = BUF_INIT, unknown = BUF_INIT;
	size_t i;

	ROW("%s", text);
	is_number(expand(&out, text, strlen(text), &unknown), 0);
	for (i = 0; i < unknown.len; i++)
		if (unknown.data[i] == '\0')
			unknown.data[i] = ',';
	is_text(buf_str(&out), want);
	is_text(buf_str(&unknown), told);
	buf_release(&out);
	buf_release(&unknown);
}

TEST(a_quoted_value_is_one_word_of_a_shell) {
	becomes("<<dir|sh>>/<<issue|sh>>", "'/a b/c'/'42'", "");
	becomes("{{quote|sh}}", "'it'\\''s'", "");
	becomes("<<empty|sh>><<empty>>", "''", "");
	becomes("\\<<issue|sh>> \\\\<<issue|sh>>", "<<issue|sh>> \\'42'", "");
}

/* tests/vectors/templates has what no "|sh" is in. */
TEST(what_is_not_well_formed_is_text) {
	static const char *const same[] = {
		"<", "<<issue>", "<<issue|>>", "<<issue|s>>", "<<issue|sh",
		"<<issue|sh>", "<<issue|sh >>", "<<issue|SH>>",
		"<<issue|sh|sh>>", "{{issue|e}}", "\\", "\\<<issue >>",
	};
	size_t i;

	for (i = 0; i < COUNT(same); i++)
		becomes(same[i], same[i], "");
}

TEST(any_bytes_are_kept_and_added_to_what_was_there) {
	struct buf out = BUF_INIT, unknown = BUF_INIT;

	buf_adds(&out, "x");
	buf_add(&unknown, "x", 2);
	is_number(expand(&out, "\0\xff<<nul>>\r\n\0<<x>>", 17, &unknown), 0);
	ok(out.len == 14 &&
	    memcmp(out.data, "x\0\xff" "a\0b\r\n\0<<x>>", 14) == 0);
	is_number(unknown.len, 4);
	buf_release(&out);
	buf_release(&unknown);
}

/* With a list in the place of the table this would take minutes. */
TEST(many_unknown_names_are_each_told_once) {
	enum { MANY = 200000 };
	struct buf text = BUF_INIT, out = BUF_INIT, unknown = BUF_INIT;
	int n;

	for (n = 0; n < 2 * MANY; n++)
		buf_printf(&text, "<<x%06d>>", n % MANY);
	is_number(expand(&out, text.data, text.len, &unknown), 0);
	ok(buf_same(&out, &text) && unknown.len == MANY * 8);
	buf_release(&text);
	buf_release(&out);
	buf_release(&unknown);
}


/*
 * What must hold of any template: a text without placeholders is its own
 * expansion, nothing outside of the text is read, and the size of the output
 * is bounded by that of the text.
 */
#include "data/template.h"
#include "fuzz/fuzz.h"

static const struct template_value values[] = {
	{ "a", "<<a>>\\", 6 },
	{ "signal_dir", "it's /x y/$(id)", 15 },
	{ "empty", "", 0 },
	{ "n", "\0\xff\n", 3 },
};

enum {
	VALUES = sizeof(values) / sizeof(values[0]),
	GROWTH = 2      /* no value is twice as long as its placeholder */
};

static bool
contains(const char *text, size_t len, const char *what)
{
	return memmem(text, len, what, strlen(what)) != NULL;
}

static void
check_expand(const char *text, size_t len)
{
	struct buf out = BUF_INIT, unknown = BUF_INIT;
	const char *name, *end;

	assert(template_expand(&out, text, len, values, VALUES,
	    &unknown) == 0);
	assert(out.len <= len * GROWTH);
	if (!contains(text, len, "<<") && !contains(text, len, "{{")) {
		assert(out.len == len && unknown.len == 0);
		assert(memcmp(buf_str(&out), text, len) == 0);
	}
	end = buf_str(&unknown) + unknown.len;
	for (name = unknown.data; name < end; name += strlen(name) + 1) {
		assert(template_name_valid(name));
		assert(contains(text, len, name));
	}
	assert(name == end);
	buf_release(&out);
	buf_release(&unknown);
}

/* Without known names and escapes nothing changes. */
static void
check_unchanged(const char *text, size_t len)
{
	struct buf out = BUF_INIT;

	assert(template_expand(&out, text, len, NULL, 0, NULL) == 0);
	assert(out.len <= len);
	if (memchr(text, '\\', len) == NULL) {
		assert(out.len == len);
		assert(memcmp(buf_str(&out), text, len) == 0);
	}
	buf_release(&out);
}

/* A shell reads the quoted text back as it was. */
static void
check_quote(const char *text, size_t len)
{
	struct buf word = BUF_INIT, back = BUF_INIT;
	bool open = false;
	size_t i;

	template_quote(&word, text, len);
	for (i = 0; i < word.len; i++) {
		if (word.data[i] == '\'')
			open = !open;
		else if (open)
			buf_addc(&back, word.data[i]);
		else {
			assert(word.data[i] == '\\' && i + 1 < word.len);
			buf_addc(&back, word.data[++i]);
		}
	}
	assert(!open);
	assert(back.len == len && memcmp(buf_str(&back), text, len) == 0);
	buf_release(&word);
	buf_release(&back);
}

static void
check(const char *text, size_t len)
{
	check_expand(text, len);
	check_unchanged(text, len);
	check_quote(text, len);
}

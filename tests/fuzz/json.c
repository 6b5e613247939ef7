/*
 * What must hold of any text: comments only make more texts acceptable, what
 * is refused has a line of the text and a reason, every value of what is accepted
 * has a span, and what is printed is accepted and printed the same.
 */
#include "data/json.h"
#include "fuzz/fuzz.h"

static unsigned
count_lines(const char *text, size_t len)
{
	unsigned lines = 1;

	while (len > 0)
		lines += text[--len] == '\n';
	return lines;
}

static struct json *
parse(const char *text, size_t len, bool comments)
{
	struct text_error error = { 0, "" };
	struct json *value = json_parse(text, len, comments, &error);

	if (value == NULL) {
		assert(error.line >= 1);
		assert(error.line <= count_lines(text, len));
		assert(error.reason[0] != '\0');
	} else {
		assert(error.line == 0);
	}
	return value;
}

static void
check_print(const struct json *value)
{
	struct buf once = BUF_INIT, twice = BUF_INIT;
	struct json *again;

	json_print(&once, value);
	assert(memchr(once.data, '\n', once.len) == NULL);
	again = parse(once.data, once.len, false);
	assert(again != NULL);
	json_print(&twice, again);
	assert(strcmp(buf_str(&once), buf_str(&twice)) == 0);
	json_free(again);
	buf_release(&once);
	buf_release(&twice);
}

/* Values begin one behind the other, and inside what holds them. */
static void
check_places(const struct json *v, const char *text, size_t len)
{
	const struct json *child;
	size_t from = v->open;

	assert(v->from <= v->open && v->open < v->to && v->to <= len);
	assert(v->line >= 1 && v->line <= count_lines(text, len));
	json_each(child, v) {
		assert(child->parent == v && child->from > from);
		assert(child->to < v->to && v->line <= child->line);
		from = child->open;
		check_places(child, text, len);
	}
}

static void
check(const char *text, size_t len)
{
	struct json *strict = parse(text, len, false);
	struct json *value = parse(text, len, true);

	assert(strict == NULL || value != NULL);
	if (value != NULL) {
		check_print(value);
		check_places(value, text, len);
	}
	json_free(strict);
	json_free(value);
}

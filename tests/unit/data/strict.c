/*
 * unit/project/config.c has the keys, types and ranges of a real file.
 */
#include "data/strict.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/argv.h"
#include "tap.h"
#include "unit/fixture.h"

struct outer {
	char   *text, *filled;
	char  **list;
	bool    flag;
	int64_t number;
	int64_t in;
	unsigned others;
};

static struct outer o;

static int
take_other(struct strict *s, void *field, const struct json *value)
{
	++*(unsigned *)field;
	return json_is(value, JSON_NULL) ? 0 :
	    strict_refuse(s, value, " is not %s", "null");
}

static const struct strict_row any_rows[] = { { "*", take_other }, { NULL } };
static const struct strict_row inner_rows[] = {
	{ "count", strict_number, .least = -2, .most = 2 }, { NULL }
};

static bool
lower(const char *text)
{
	return text[0] >= 'a' && text[0] <= 'z';
}

#define AT(name) .at = offsetof(struct outer, name)

static const struct strict_row rows[] = {
	{ "text",   strict_text,   AT(text) },
	{ "filled", strict_filled, AT(filled) },
	{ "list",   strict_texts,  AT(list) },
	{ "lower",  strict_texts,  AT(list), .valid = lower,
	    .those = "words in lower case" },
	{ "flag",   strict_flag,   AT(flag) },
	{ "number", strict_number, AT(number), .most = INT64_C(1) << 40 },
	{ "in",     strict_object, AT(in), .rows = inner_rows },
	{ "any",    strict_object, AT(others), .rows = any_rows },
	{ "note",   strict_ignored },
	{ NULL }
};

static void
forget(void)
{
	free(o.text);
	free(o.filled);
	argv_free(o.list);
	o = (struct outer){ .text = NULL };
}

/* What a file with this text, in which '\'' stands for '"', is refused for
 * behind its name and "line "; "" if it is not. */
static const char *
wrong(const char *text)
{
	static struct buf error = BUF_INIT;
	struct strict s = { .from = "/f", .error = &error };
	struct buf file = BUF_INIT;
	int ret;

	forget();
	buf_reset(&error);
	buf_adds(&file, quoted(text));
	ret = strict_file(&s, &file, rows, &o);
	ok((ret == -1) == (error.len > 0));
	buf_release(&file);
	return replaced(buf_str(&error), "'/f' line ", "");
}

TEST(each_kind_of_value_sets_its_field) {
	is_text(wrong("// all\n{ 'text': '', 'filled': 'x', 'list': ['a', ''], "
	    "'flag': true, 'number': 1099511627776, 'in': { 'count': -2 }, "
	    "'any': { 'x': null, 'y': null }, 'note': '' }"), "");
	is_text(o.text, "");
	is_text(o.filled, "x");
	is_text(joined(o.list), "a||");
	ok(o.flag && o.number == INT64_C(1) << 40);
	ok(o.in == -2 && o.others == 2);
}

TEST(another_kind_or_key_is_refused_with_line_and_key) {
	ROWS(wrong, "{\n'text': 1} => 2: 'text' is not a text",
	    "{'filled': ''} => 1: 'filled' is empty",
	    "{'filled': []} => 1: 'filled' is not a text",
	    "{'list': 'a'} => 1: 'list' is not a list of texts",
	    "{'list': ['a', 1]} => 1: 'list' is not a list of texts",
	    "{'lower': ['a', 'B']} => 1: 'lower' is not a list of words in "
	    "lower case",
	    "{'in': {'count': -3}} => 1: 'in.count' is not a whole number from "
	    "-2 to 2", "{'flag': 1} => 1: 'flag' is not true or false",
	    "{'in': [1]} => 1: 'in' is not an object",
	    "{'note': null} => 1: 'note' is not a text",
	    "{'any': {\n'x': null,\n'y': 0}} => 3: 'any.y' is not null",
	    "{'in': {'cuont': 1}} => 1: unknown key 'in.cuont' (did you mean "
	    "'count'?)");
	is_text(wrong("{'in': {'count': 1e0}}"), "");
}

TEST(a_value_that_is_no_files_has_no_line) {
	struct buf error = BUF_INIT;
	struct strict s = { .from = "VARIABLE", .error = &error,
	    .keys = { "x" }, .depth = 1 };
	struct json *value = json_parse("{\"count\": 9}", 12, false, NULL);

	ok(strict_read(&s, inner_rows, &o.in, value) == -1);
	is_text(buf_str(&error),
	    "VARIABLE: 'x.count' is not a whole number from -2 to 2");
	json_free(value);
	buf_release(&error);
}

AFTER_TESTS {
	forget();
}

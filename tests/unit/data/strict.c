#include "data/strict.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/argv.h"
#include "tap.h"

struct inner {
	int64_t count;
};

struct outer {
	char   *text, *filled;
	char  **list;
	bool    flag, mine;
	int64_t number;
	struct inner in;
	unsigned others;
};

static struct outer o;

static int
take_other(struct strict *s, void *field, const struct json *value)
{
	++*(unsigned *)field;
	return json_is(value, JSON_NULL) ? 0 : strict_refuse(s, value, " is not %s",
	    "null");
}

static const struct strict_row any_rows[] = {
	{ "*", take_other, .at = 0 },
	{ .key = NULL }
};

static const struct strict_row inner_rows[] = {
	{ "count", strict_number, .at = offsetof(struct inner, count),
	    .least = -2, .most = 2 },
	{ .key = NULL }
};

static bool
lower(const char *text)
{
	return text[0] >= 'a' && text[0] <= 'z';
}

static const struct strict_row rows[] = {
	{ "text",   strict_text,   .at = offsetof(struct outer, text) },
	{ "filled", strict_filled, .at = offsetof(struct outer, filled) },
	{ "list",   strict_texts,  .at = offsetof(struct outer, list) },
	{ "lower",  strict_texts,  .at = offsetof(struct outer, list),
	    .valid = lower, .those = "words in lower case" },
	{ "mine",   strict_flag,   .at = offsetof(struct outer, mine),
	    .personal = true },
	{ "flag",   strict_flag,   .at = offsetof(struct outer, flag) },
	{ "number", strict_number, .at = offsetof(struct outer, number),
	    .least = 0, .most = INT64_C(1) << 40 },
	{ "in",     strict_object, .at = offsetof(struct outer, in),
	    .rows = inner_rows },
	{ "any",    strict_object, .at = offsetof(struct outer, others),
	    .rows = any_rows },
	{ "note",   strict_ignored, .at = 0 },
	{ .key = NULL }
};

static void
forget(void)
{
	free(o.text);
	free(o.filled);
	argv_free(o.list);
	o = (struct outer){ .text = NULL };
}

/* What a file with this text is refused for; "" if it is not. */
static const char *
wrong_in(const char *text, bool shared)
{
	static struct buf error = BUF_INIT;
	struct buf file = BUF_INIT;
	int ret;

	forget();
	buf_reset(&error);
	buf_adds(&file, text);
	ret = strict_file(&(struct strict){ .from = "/f", .error = &error,
	    .shared = shared }, &file, rows, &o);
	ok((ret == -1) == (error.len > 0));
	buf_release(&file);
	return buf_str(&error);
}

static const char *
wrong(const char *text)
{
	return wrong_in(text, false);
}

TEST(each_kind_of_value_sets_its_field) {
	is_text(wrong("// all\n{ \"text\": \"\", \"filled\": \"x\", \"list\": "
	    "[\"a\", \"\"], \"flag\": true, \"number\": 1099511627776, "
	    "\"in\": { \"count\": -2 }, \"any\": { \"x\": null, \"y\": null }, "
	    "\"note\": \"\" }"), "");
	is_text(o.text, "");
	is_text(o.filled, "x");
	is_text(o.list[0], "a");
	is_text(o.list[1], "");
	ok(o.list[2] == NULL && o.flag);
	is_number(o.number, INT64_C(1) << 40);
	is_number(o.in.count, -2);
	is_number(o.others, 2);
}

TEST(each_text_of_a_list_has_to_be_valid) {
	is_text(wrong("{\"lower\": [\"a\", \"b\"]}"), "");
	is_text(o.list[1], "b");
	is_text(wrong("{\"lower\": []}"), "");
	is_text(wrong("{\"lower\": [\"a\", \"B\"]}"),
	    "'/f' line 1: 'lower' is not a list of words in lower case");
	ok(o.list == NULL);
}

TEST(what_is_personal_is_refused_in_a_shared_file) {
	is_text(wrong_in("{\"mine\": true}", false), "");
	ok(o.mine);
	is_text(wrong_in("{\"flag\": true}", true), "");
	is_text(wrong_in("{\n\"mine\": true}", true),
	    "'/f' line 2: 'mine' stands only in the user's config.json");
	ok(!o.mine);
}

TEST(what_is_missing_stays_as_it_was) {
	struct buf error = BUF_INIT;
	struct json *object = json_parse("{\"text\": \"new\"}", 15, false, NULL);

	is_text(wrong("{\"text\": \"old\", \"filled\": \"old\"}"), "");
	ok(strict_read(&(struct strict){ .error = &error }, rows, &o, object)
	    == 0);
	is_text(o.text, "new");
	is_text(o.filled, "old");
	json_free(object);
}

TEST(another_kind_is_refused_with_line_and_key) {
	is_text(wrong("{\n\"text\": 1}"), "'/f' line 2: 'text' is not a text");
	is_text(wrong("{\"filled\": \"\"}"), "'/f' line 1: 'filled' is empty");
	is_text(wrong("{\"filled\": []}"),
	    "'/f' line 1: 'filled' is not a text");
	is_text(wrong("{\"list\": \"a\"}"),
	    "'/f' line 1: 'list' is not a list of texts");
	is_text(wrong("{\"list\": [\"a\", 1]}"),
	    "'/f' line 1: 'list' is not a list of texts");
	is_text(wrong("{\"flag\": 1}"),
	    "'/f' line 1: 'flag' is not true or false");
	is_text(wrong("{\"in\": [1]}"), "'/f' line 1: 'in' is not an object");
	is_text(wrong("{\"note\": null}"),
	    "'/f' line 1: 'note' is not a text");
	is_text(wrong("{\"any\": {\n\"x\": null,\n\"y\": 0}}"),
	    "'/f' line 3: 'any.y' is not null");
}

TEST(a_number_is_whole_and_in_its_range) {
	static const char want[] = "'/f' line 1: 'in.count' is not a whole "
	    "number from -2 to 2";

	is_text(wrong("{\"in\": {\"count\": 3}}"), want);
	is_text(wrong("{\"in\": {\"count\": -3}}"), want);
	is_text(wrong("{\"in\": {\"count\": 0.5}}"), want);
	is_text(wrong("{\"in\": {\"count\": 1e300}}"), want);
	is_text(wrong("{\"in\": {\"count\": \"1\"}}"), want);
	is_text(wrong("{\"in\": {\"count\": 1e0}}"), "");
}

TEST(an_unknown_key_is_refused_with_the_nearest_one) {
	is_text(wrong("{\n\n\"texts\": 1}"),
	    "'/f' line 3: unknown key 'texts' (did you mean 'text'?)");
	is_text(wrong("{\"in\": {\"cuont\": 1}}"),
	    "'/f' line 1: unknown key 'in.cuont' (did you mean 'count'?)");
	is_text(wrong("{\"else\": 1}"), "'/f' line 1: unknown key 'else'");
}

TEST(what_is_no_object_is_refused) {
	is_text(wrong("\n[]"), "'/f' line 2: it is not an object");
	is_text(wrong("{\n"), "'/f' line 2: it ends too early");
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

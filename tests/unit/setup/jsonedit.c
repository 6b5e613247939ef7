#include "setup/jsonedit.h"

#include <errno.h>

#include "base/alloc.h"
#include "tap.h"
#include "text/json.h"

/* Paths of up to three steps; -1 ends one. */
struct steps { int s[3]; };

static struct jsonedit_path
path_of(struct steps steps, size_t places[3])
{
	struct jsonedit_path p = { places, 0 };

	while (p.depth < 3 && steps.s[p.depth] != -1) {
		places[p.depth] = (size_t)steps.s[p.depth];
		p.depth++;
	}
	return p;
}

static cJSON *
value_of(const char *text)
{
	return json_parse(text, strlen(text), false, NULL);
}

/* What comes of a text where a value was appended; then, whether it comes
 * back when that is removed. */
static void
check_append(const char *text, struct steps at, const char *key,
    const char *value, const char *want, bool comes_back)
{
	struct buf got = BUF_INIT;
	cJSON *v = value_of(value), *whole;
	size_t places[4] = { 0 };
	struct jsonedit_path p = path_of(at, places);

	buf_adds(&got, text);
	whole = value_of(text);
	is_number(jsonedit_append(&got, p, key, v), 0);
	is_text(buf_str(&got), want);
	if (whole != NULL && comes_back) {
		const cJSON *container = whole;
		size_t i;

		for (i = 0; i < p.depth; i++)
			container = cJSON_GetArrayItem(container,
			    (int)places[i]);
		places[p.depth] = (size_t)cJSON_GetArraySize(container);
		p.depth++;
		is_number(jsonedit_remove(&got, p), 0);
		is_text(buf_str(&got), text);
	}
	json_free(whole);
	json_free(v);
	buf_release(&got);
}

static void
check_remove(const char *text, struct steps at, const char *want)
{
	struct buf got = BUF_INIT;
	size_t places[3];

	buf_adds(&got, text);
	is_number(jsonedit_remove(&got, path_of(at, places)), 0);
	is_text(buf_str(&got), want);
	buf_release(&got);
}

static void
check_refused(const char *text, struct steps at, const char *key)
{
	struct buf got = BUF_INIT;
	cJSON *v = value_of("1");
	size_t places[3];

	buf_adds(&got, text);
	errno = 0;
	is_number(jsonedit_append(&got, path_of(at, places), key, v), -1);
	is_number(errno, EINVAL);
	is_text(buf_str(&got), text);
	json_free(v);
	buf_release(&got);
}

#define TOP ((struct steps){ { -1, -1, -1 } })
#define AT(...) ((struct steps){ { __VA_ARGS__ } })

static void
a_member_comes_behind_the_last_one_on_a_line_of_its_own(void)
{
	check_append("{\n  \"a\": 1\n}\n", TOP, "b", "[1,{\"c\":{}}]",
	    "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    {\n      \"c\": {}\n"
	    "    }\n  ]\n}\n", true);
}

static void
indentation_and_line_ends_are_those_of_the_text(void)
{
	check_append("{\r\n\t\"a\": {\r\n\t\t\"x\": 1\r\n\t}\r\n}", AT(0, -1),
	    "y", "{\"z\":[]}", "{\r\n\t\"a\": {\r\n\t\t\"x\": 1,\r\n\t\t\"y\": "
	    "{\r\n\t\t\t\"z\": []\r\n\t\t}\r\n\t}\r\n}", true);
	check_append("{\n    \"a\": [\n    ]\n}", AT(0, -1), NULL, "{\"b\":1}",
	    "{\n    \"a\": [\n        {\n            \"b\": 1\n        }\n"
	    "    ]\n}", false);
	check_append("\n {\n   \"a\": 1\n }", TOP, "b", "{\"c\":2}",
	    "\n {\n   \"a\": 1,\n   \"b\": {\n     \"c\": 2\n   }\n }", true);
}

static void
what_stands_on_one_line_stays_there(void)
{
	check_append("{\"a\":1}", TOP, "b", "[1,{\"c\":2}]",
	    "{\"a\":1,\"b\":[1,{\"c\":2}]}", true);
	check_append("{ \"a\": [1] }\n", AT(0, -1), NULL, "{\"c\":[2,3]}",
	    "{ \"a\": [1, {\"c\": [2, 3]}] }\n", true);
	check_append("{ \"a\": {} }\n", AT(0, -1), "b", "2",
	    "{ \"a\": {\"b\": 2} }\n", true);
}

static void
an_empty_text_gets_lines(void)
{
	check_append("{}", TOP, "a", "{\"b\":1}",
	    "{\n  \"a\": {\n    \"b\": 1\n  }\n}", true);
	check_append("{ }\n", TOP, "a", "1", "{\n  \"a\": 1\n}\n", false);
	check_append("[\n\n]", TOP, NULL, "1", "[\n  1\n]", false);
}

static void
brackets_and_escapes_in_texts_are_texts(void)
{
	check_append("{\n  \"}\\\"]\": \"{\\\\\",\n  \"b\": [\"]\"]\n}", TOP,
	    "q\"", "\"\\n\"", "{\n  \"}\\\"]\": \"{\\\\\",\n  \"b\": [\"]\"],\n"
	    "  \"q\\\"\": \"\\n\"\n}", true);
}

static void
what_is_removed_takes_one_comma_with_it(void)
{
	check_remove("[1, 2, 3]", AT(0, -1), "[2, 3]");
	check_remove("[1, 2, 3]", AT(1, -1), "[1, 3]");
	check_remove("[1, 2 , 3 ]", AT(2, -1), "[1, 2 ]");
	check_remove("[ 1 ]", AT(0, -1), "[]");
	check_remove("{\n  \"a\" : 1,\n  \"b\": {\"c\": [1, 2]}\n}",
	    AT(0, -1), "{\n  \"b\": {\"c\": [1, 2]}\n}");
	check_remove("{\n  \"a\": 1,\n  \"b\": {\"c\": [1, 2]}\n}",
	    AT(1, 0, 1), "{\n  \"a\": 1,\n  \"b\": {\"c\": [1]}\n}");
}

static void
a_value_is_replaced_where_it_stands(void)
{
	struct buf text = BUF_INIT;
	cJSON *v = value_of("\"new\"");
	size_t places[3];

	buf_adds(&text, "{ \"a\" : \"old\" , \"b\":2}");
	is_number(jsonedit_replace(&text, path_of(AT(0, -1), places), v), 0);
	is_text(buf_str(&text), "{ \"a\" : \"new\" , \"b\":2}");
	json_free(v);
	buf_release(&text);
}

static void
what_is_not_there_is_refused(void)
{
	check_refused("{\"a\":1}", AT(0, -1), "b");
	check_refused("{\"a\":1}", AT(1, -1), "b");
	check_refused("{\"a\":1}", TOP, NULL);
	check_refused("[1]", TOP, "b");
	check_refused("{\"a\":1", TOP, "b");
	check_refused("", TOP, "b");
	check_refused("{ /* no */ }", TOP, "b");
}

static void
the_whole_text_cannot_be_removed(void)
{
	struct buf text = BUF_INIT;
	size_t places[3];

	buf_adds(&text, "{}");
	is_number(jsonedit_remove(&text, path_of(TOP, places)), -1);
	is_number(errno, EINVAL);
	is_text(buf_str(&text), "{}");
	buf_release(&text);
}

int
main(void)
{
	TEST(a_member_comes_behind_the_last_one_on_a_line_of_its_own);
	TEST(indentation_and_line_ends_are_those_of_the_text);
	TEST(what_stands_on_one_line_stays_there);
	TEST(an_empty_text_gets_lines);
	TEST(brackets_and_escapes_in_texts_are_texts);
	TEST(what_is_removed_takes_one_comma_with_it);
	TEST(a_value_is_replaced_where_it_stands);
	TEST(what_is_not_there_is_refused);
	TEST(the_whole_text_cannot_be_removed);
	return tap_done();
}

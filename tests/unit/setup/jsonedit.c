#include "setup/setup.h"

#include "tap.h"
#include "unit/fixture.h"

/* The value at a path; "": all. */
static const struct json *
value_at(const struct jsonedit *e, const char *path)
{
	return path[0] != '\0' ? json_follow(e->root, path) : e->root;
}

/* What comes of a text where a value was appended; then, whether it comes
 * back when that is removed.  '\'' stands for '"'. */
static void
check_append(const char *text, const char *at, const char *key,
    const char *value, const char *want, bool comes_back)
{
	struct buf got = BUF_INIT;
	struct jsonedit e;

	ROW("%s", text);
	value = quoted(value);
	buf_adds(&got, quoted(text));
	is_number(jsonedit_init(&e, &got), 0);
	jsonedit_append(&e, value_at(&e, at), key,
	    json_parse(value, strlen(value), false, NULL));
	is_text(replaced(buf_str(&got), "\"", "'"), want);
	if (comes_back) {
		jsonedit_remove(&e, value_at(&e, at)->child->prev);
		is_text(replaced(buf_str(&got), "\"", "'"), text);
	}
	json_free(e.root);
	buf_release(&got);
}

static void
check_remove(const char *text, const char *at, const char *want)
{
	struct buf got = BUF_INIT;
	struct jsonedit e;

	ROW("%s", text);
	buf_adds(&got, quoted(text));
	is_number(jsonedit_init(&e, &got), 0);
	jsonedit_remove(&e, value_at(&e, at));
	is_text(replaced(buf_str(&got), "\"", "'"), want);
	json_free(e.root);
	buf_release(&got);
}

TEST(what_is_added_has_the_indentation_and_line_ends_of_the_text) {
	check_append("{\n  'a': 1\n}\n", "", "b", "[1,{'c':{}}]", "{\n  "
	    "'a': 1,\n  'b': [\n    1,\n    {\n      'c': {}\n    }\n  ]\n}\n",
	    true);
	check_append("{\r\n\t'a': {\r\n\t\t'x': 1\r\n\t}\r\n}", "a",
	    "y", "{'z':[]}", "{\r\n\t'a': {\r\n\t\t'x': 1,\r\n\t\t'y': "
	    "{\r\n\t\t\t'z': []\r\n\t\t}\r\n\t}\r\n}", true);
	check_append("{\n    'a': [\n    ]\n}", "a", NULL, "{'b':1}",
	    "{\n    'a': [\n        {\n            'b': 1\n        }\n"
	    "    ]\n}", false);
	check_append("\n {\n   'a': 1\n }", "", "b", "{'c':2}",
	    "\n {\n   'a': 1,\n   'b': {\n     'c': 2\n   }\n }", true);
}

TEST(what_stands_on_one_line_stays_there_and_an_empty_text_gets_lines) {
	check_append("{'a':1}", "", "b", "[1,{'c':2}]",
	    "{'a':1,'b':[1,{'c':2}]}", true);
	check_append("{ 'a': [1] }\n", "a", NULL, "{'c':[2,3]}",
	    "{ 'a': [1, {'c': [2, 3]}] }\n", true);
	check_append("{ 'a': {} }\n", "a", "b", "2",
	    "{ 'a': {'b': 2} }\n", true);
	check_append("{}", "", "a", "{'b':1}",
	    "{\n  'a': {\n    'b': 1\n  }\n}", true);
	check_append("{ }\n", "", "a", "1", "{\n  'a': 1\n}\n", false);
	check_append("[\n\n]", "", NULL, "1", "[\n  1\n]", false);
}

TEST(brackets_and_escapes_in_texts_are_texts) {
	check_append("{\n  '}\\']': '{\\\\',\n  'b': [']']\n}", "", "q\"",
	    "'\\n'", "{\n  '}\\']': '{\\\\',\n  'b': [']'],\n"
	    "  'q\\'': '\\n'\n}", true);
}

TEST(what_is_removed_takes_one_comma_with_it) {
	check_remove("[1, 2, 3]", "0", "[2, 3]");
	check_remove("[1, 2, 3]", "1", "[1, 3]");
	check_remove("[1, 2 , 3 ]", "2", "[1, 2 ]");
	check_remove("[ 1 ]", "0", "[]");
	check_remove("{\n  'a' : 1,\n  'b': {'c': [1, 2]}\n}", "a",
	    "{\n  'b': {'c': [1, 2]}\n}");
	check_remove("{\n  'a': 1,\n  'b': {'c': [1, 2]}\n}", "b.c.1",
	    "{\n  'a': 1,\n  'b': {'c': [1]}\n}");
}

TEST(a_value_is_replaced_where_it_stands) {
	struct buf text = BUF_INIT;
	struct jsonedit e;

	buf_adds(&text, "{ \"a\" : \"old\" , \"b\":2}");
	is_number(jsonedit_init(&e, &text), 0);
	jsonedit_replace(&e, e.root->child, json_new_text("new"));
	is_text(buf_str(&text), "{ \"a\" : \"new\" , \"b\":2}");
	json_free(e.root);
	buf_release(&text);
}

/* Looking for the line of each would take minutes. */
TEST(a_hundred_thousand_values_on_one_line_are_no_trouble) {
	struct buf text = BUF_INIT;
	struct jsonedit e;
	size_t i;

	buf_addc(&text, '[');
	for (i = 0; i < 100000; i++)
		buf_adds(&text, "[1],");
	buf_adds(&text, "2]");
	is_number(jsonedit_init(&e, &text), 0);
	jsonedit_append(&e, e.root, NULL, json_new_text("x"));
	is_text(buf_str(&text) + text.len - 11, "[1],2, \"x\"]");
	json_free(e.root);
	buf_release(&text);
}

TEST(what_is_no_json_is_refused) {
	static const char *const texts[] = { "{\"a\":1", "", "{ /* no */ }" };
	struct buf got = BUF_INIT;
	struct jsonedit e;
	size_t i;

	for (i = 0; i < COUNT(texts); i++) {
		buf_reset(&got);
		buf_adds(&got, texts[i]);
		is_number(jsonedit_init(&e, &got), -1);
		is_text(buf_str(&got), texts[i]);
		json_free(e.root);
	}
	buf_release(&got);
}

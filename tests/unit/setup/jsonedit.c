/*
 * tests/fuzz/jsonedit.c removes what it adds, and compares.
 */
#include "setup/setup.h"

#include "tap.h"
#include "unit/fixture.h"

/* What comes of a text where a value is appended; without a value, where the
 * one there is removed.  '\'' stands for '"'. */
static void
edits(const char *text, const char *at, const char *key, const char *value,
    const char *want)
{
	struct buf got = BUF_INIT;
	const struct json *place;
	struct jsonedit e;

	ROW("%s", text);
	buf_adds(&got, quoted(text));
	is_number(jsonedit_init(&e, &got), 0);
	place = at[0] != '\0' ? json_follow(e.root, at) : e.root;
	if (value == NULL)
		jsonedit_remove(&e, place);
	else
		jsonedit_append(&e, place, key, json_parse(quoted(value),
		    strlen(value), false, NULL));
	is_text(replaced(buf_str(&got), "\"", "'"), want);
	json_free(e.root);
	buf_release(&got);
}

TEST(what_is_added_has_the_indentation_and_line_ends_of_the_text) {
	edits("{\n  'a': 1\n}\n", "", "b", "[1,{'c':{}}]", "{\n  'a': 1,\n"
	    "  'b': [\n    1,\n    {\n      'c': {}\n    }\n  ]\n}\n");
	edits("{\r\n\t'a': {\r\n\t\t'x': 1\r\n\t}\r\n}", "a", "y", "{'z':[]}",
	    "{\r\n\t'a': {\r\n\t\t'x': 1,\r\n\t\t'y': {\r\n\t\t\t'z': []\r\n"
	    "\t\t}\r\n\t}\r\n}");
	edits("{\n    'a': [\n    ]\n}", "a", NULL, "{'b':1}", "{\n    'a': [\n"
	    "        {\n            'b': 1\n        }\n    ]\n}");
	edits("\n {\n   'a': 1\n }", "", "b", "{'c':2}",
	    "\n {\n   'a': 1,\n   'b': {\n     'c': 2\n   }\n }");
	/* Brackets and escapes in texts are texts. */
	edits("{\n  '}\\']': '{\\\\',\n  'b': [']']\n}", "", "q\"", "'\\n'",
	    "{\n  '}\\']': '{\\\\',\n  'b': [']'],\n  'q\\'': '\\n'\n}");
}

TEST(what_stands_on_one_line_stays_there_and_an_empty_text_gets_lines) {
	edits("{'a':1}", "", "b", "[1,{'c':2}]", "{'a':1,'b':[1,{'c':2}]}");
	edits("{ 'a': [1] }\n", "a", NULL, "{'c':[2,3]}",
	    "{ 'a': [1, {'c': [2, 3]}] }\n");
	edits("{ 'a': {} }\n", "a", "b", "2", "{ 'a': {'b': 2} }\n");
	edits("{}", "", "a", "{'b':1}", "{\n  'a': {\n    'b': 1\n  }\n}");
	edits("{ }\n", "", "a", "1", "{\n  'a': 1\n}\n");
	edits("[\n\n]", "", NULL, "1", "[\n  1\n]");
}

TEST(what_is_removed_takes_one_comma_with_it) {
	edits("[1, 2, 3]", "0", NULL, NULL, "[2, 3]");
	edits("[1, 2, 3]", "1", NULL, NULL, "[1, 3]");
	edits("[1, 2 , 3 ]", "2", NULL, NULL, "[1, 2 ]");
	edits("[ 1 ]", "0", NULL, NULL, "[]");
	edits("{\n  'a' : 1,\n  'b': {'c': [1, 2]}\n}", "a", NULL, NULL,
	    "{\n  'b': {'c': [1, 2]}\n}");
	edits("{\n  'a': 1,\n  'b': {'c': [1, 2]}\n}", "b.c.1", NULL, NULL,
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

/*
 * tests/system/init-from.sh takes over a whole file.
 */
#include "setup/setup.h"

#include "tap.h"
#include "unit/fixture.h"

static const char RULES[] = "{ 'file': 'their.yaml', 'always': {'kind': 'a'},"
    "'keys': { 's.kind': { 'to': { 'kind': '<<value>>' }, 'only': [ 'b' ],"
    "'else': 'no' }, 's.one': { 'to': { 'list': [] }, 'else': 'no' },"
    "'s.two': { 'to': { 'list': [] }, 'else': 'no' }, 'all': 'gone' } }";

/* What a text becomes, '\'' for '"', and the notes of the lines of their.yaml. */
static const char *
translated(const char *text)
{
	struct json *rules = json_parse(quoted(RULES), sizeof(RULES) - 1, false,
	    NULL);
	struct buf yaml = BUF_INIT, why = BUF_INIT, notes = BUF_INIT;
	static struct buf config;

	buf_reset(&config);
	buf_adds(&yaml, text);
	is_number(takeover_translate(rules, &yaml, "/", &config, &notes, &why),
	    0);
	buf_adds(&config, buf_str(&notes));
	json_free(rules);
	buf_release(&yaml);
	buf_release(&notes);
	buf_release(&why);
	return replaced(replaced(buf_str(&config), "their.yaml:", ""), "\"",
	    "'");
}

#define ALWAYS "{\n\t'kind': 'a'\n}\n"

TEST(a_value_without_a_key_or_that_is_no_text_is_left) {
	ROWS(translated, " => " ALWAYS,
	    "s: {kind: c, more: 1, none: ~, empty: ''}\nall: [1]\n\nother: {}\n"
	    " => " ALWAYS "1: s.kind: no\n1: s.more: not known\n2: all: gone\n",
	    "s:\n- place\n => " ALWAYS "1: s: not known\n",
	    "s:\n  kind: \"b\\0b\"\n => " ALWAYS "2: s.kind: not taken over; "
	    "it is no text\n");
}

TEST(lists_of_paths_go_to_one_list) {
	ROWS(translated, "s:\n  one: [a, b/c]\n  two:\n  - .d\n => {\n"
	    "\t'kind': 'a',\n\t'list': ['a','b/c','.d']\n}\n2: s.one: becomes "
	    "'list'\n3: s.two: becomes 'list'\n",
	    "s: {one: [a, ../b], two: a}\n => " ALWAYS "1: s.one: no\n1: "
	    "s.two: no\n",
	    "s: {one: [[a]], two: [\"a\\0\"]}\n => " ALWAYS "1: s.one: no\n1: "
	    "s.two: no\n");
}

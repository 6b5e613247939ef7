#include "setup/setup.h"

#include "tap.h"
#include "unit/fixture.h"

static const char RULES[] = "{ 'file': 'their.yaml', 'always':"
    "{ 'kind': 'a', 'run': '<<scripts>>/x' }, 'keys': { 's.place': { 'to': "
    "{ 'root': '<<value>>/r', 'at': '<<value>>' } }, 's.kind': { 'to': { "
    "'kind': '<<value>>' }, 'only': [ 'b' ], 'else': 'no' },"
    "'s.one': { 'to': { 'list': [] }, 'else': 'no' },"
    "'s.two': { 'to': { 'list': [] }, 'else': 'no' }, 'all': 'gone' } }";

/* What a text becomes, '\'' for '"', and the notes of the lines of their.yaml;
 * or why it is refused. */
static const char *
translated(const char *text)
{
	struct json *rules = json_parse(quoted(RULES), sizeof(RULES) - 1, false,
	    NULL);
	struct buf yaml = BUF_INIT, why = BUF_INIT;
	static struct buf config, notes;
	int ret;

	buf_reset(&config);
	buf_reset(&notes);
	buf_adds(&yaml, text);
	buf_str(&yaml);
	ret = takeover_translate(rules, &yaml, "/a b", &config, &notes, &why);
	ok((ret == -1) == (why.len > 0));
	if (ret == -1)
		buf_reset(&config);
	buf_adds(&config, buf_str(ret == -1 ? &why : &notes));
	json_free(rules);
	buf_release(&yaml);
	buf_release(&why);
	return replaced(replaced(buf_str(&config), "their.yaml:", ""), "\"",
	    "'");
}

#define RUN "\t'run': ''/a b'/x'"
#define ALWAYS "{\n\t'kind': 'a',\n" RUN "\n}\n"

TEST(a_value_goes_to_all_its_keys) {
	is_text(translated(""), ALWAYS);
	is_text(translated("s:\n  place: \"q\\\"\"\n  kind: b\n"), "{\n" RUN
	    ",\n\t'root': 'q\\'/r',\n\t'at': 'q\\'',\n\t'kind': 'b'\n}\n"
	    "2: s.place: becomes 'root' and 'at'\n"
	    "3: s.kind: becomes 'kind'\n");
}

TEST(a_value_without_a_key_or_that_is_no_text_is_left) {
	ROWS(translated, "s: {kind: c, more: 1, none: ~, empty: ''}\nall: [1]\n"
	    "\nother: {}\n => " ALWAYS "1: s.kind: no\n1: s.more: not known\n"
	    "2: all: gone\n", "s:\n- place\n => " ALWAYS "1: s: not known\n",
	    "s:\n  place: \"a\\0b\"\n  kind: {a: 1}\n => " ALWAYS "2: s.place: "
	    "not taken over; it is no text\n3: s.kind: not taken over; it is "
	    "no text\n");
}

TEST(lists_of_paths_go_to_one_list) {
	ROWS(translated, "s:\n  one: [a, b/c]\n  two:\n  - .d\n => {\n"
	    "\t'kind': 'a',\n" RUN ",\n\t'list': ['a','b/c','.d']\n}\n2: "
	    "s.one: becomes 'list'\n3: s.two: becomes 'list'\n",
	    "s: {one: [a, ../b], two: a}\n => " ALWAYS "1: s.one: no\n1: "
	    "s.two: no\n",
	    "s: {one: [[a]], two: [\"a\\0\"]}\n => " ALWAYS "1: s.one: no\n1: "
	    "s.two: no\n");
}

TEST(what_is_no_mapping_is_refused) {
	is_text(translated("- a\n"), "it is no mapping");
	is_text(translated("a: 1\na: 2\n"), "line 2: the key 'a' stands twice");
}

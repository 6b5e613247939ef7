#include "setup/setup.h"

#include <string.h>

#include "tap.h"

static const char RULES[] = "{ \"file\": \"their.yaml\", \"always\":"
    "{ \"kind\": \"a\", \"run\": \"<<scripts>>/x\" }, \"keys\": {"
    "\"s.place\": { \"to\": { \"root\": \"<<value>>/r\","
    "\"at\": \"<<value>>\" } },"
    "\"s.kind\": { \"to\": { \"kind\": \"<<value>>\" }, \"only\": [ \"b\" ],"
    "\"else\": \"no\" },"
    "\"s.one\": { \"to\": { \"list\": [] }, \"else\": \"no\" },"
    "\"s.two\": { \"to\": { \"list\": [] }, \"else\": \"no\" },"
    "\"all\": \"gone\" } }";

static struct buf config, notes, why;

static int
translate(const char *text)
{
	struct json *rules = json_parse(RULES, sizeof(RULES) - 1, false, NULL);
	struct buf yaml = BUF_INIT;
	int ret;

	buf_reset(&config);
	buf_reset(&notes);
	buf_reset(&why);
	buf_adds(&yaml, text);
	buf_str(&yaml);
	ret = takeover_translate(rules, &yaml, "/a b", &config, &notes, &why);
	json_free(rules);
	buf_release(&yaml);
	return ret;
}

TEST(nothing_becomes_what_is_always_there) {
	is_number(translate(""), 0);
	is_text(buf_str(&config), "{\n\t\"kind\": \"a\",\n"
	    "\t\"run\": \"'/a b'/x\"\n}\n");
	is_text(buf_str(&notes), "");
}

TEST(a_value_goes_to_all_its_keys) {
	is_number(translate("s:\n  place: \"q\\\"\"\n  kind: b\n"), 0);
	is_text(buf_str(&config), "{\n\t\"run\": \"'/a b'/x\",\n"
	    "\t\"root\": \"q\\\"/r\",\n\t\"at\": \"q\\\"\",\n"
	    "\t\"kind\": \"b\"\n}\n");
	is_text(buf_str(&notes),
	    "their.yaml:2: s.place: becomes 'root' and 'at'\n"
	    "their.yaml:3: s.kind: becomes 'kind'\n");
}

TEST(what_has_no_key_is_said) {
	is_number(translate("s: {kind: c, more: 1, none: ~, empty: ''}\n"
	    "all: [1]\n\nother: {}\n"), 0);
	is_text(buf_str(&notes), "their.yaml:1: s.kind: no\n"
	    "their.yaml:1: s.more: not known\ntheir.yaml:2: all: gone\n");
	ok(strstr(buf_str(&config), "\"kind\": \"a\"") != NULL);
}

TEST(a_value_that_is_no_text_is_left) {
	is_number(translate("s:\n- place\n"), 0);
	is_text(buf_str(&notes), "their.yaml:1: s: not known\n");
	is_number(translate("s:\n  place: \"a\\0b\"\n  kind: {a: 1}\n"), 0);
	is_text(buf_str(&notes),
	    "their.yaml:2: s.place: not taken over; it is no text\n"
	    "their.yaml:3: s.kind: not taken over; it is no text\n");
}

TEST(lists_of_paths_go_to_one_list) {
	is_number(translate("s:\n  one: [a, b/c]\n  two:\n  - .d\n"), 0);
	ok(strstr(buf_str(&config), "\"list\": [\"a\",\"b/c\",\".d\"]") != NULL);
	is_text(buf_str(&notes), "their.yaml:2: s.one: becomes 'list'\n"
	    "their.yaml:3: s.two: becomes 'list'\n");
	is_number(translate("s: {one: [a, ../b], two: a}\n"), 0);
	ok(strstr(buf_str(&config), "list") == NULL);
	is_text(buf_str(&notes), "their.yaml:1: s.one: no\n"
	    "their.yaml:1: s.two: no\n");
	translate("s: {one: [[a]], two: [\"a\\0\"]}\n");
	ok(strstr(buf_str(&config), "list") == NULL);
}

TEST(what_is_no_mapping_is_refused) {
	is_number(translate("- a\n"), -1);
	is_text(buf_str(&why), "it is no mapping");
	is_number(translate("a: 1\na: 2\n"), -1);
	is_text(buf_str(&why), "line 2: the key 'a' stands twice");
}

#include "data/json.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "tap.h"

static struct json *
parsed(const char *text)
{
	return json_parse(text, strlen(text), false, NULL);
}

static bool
accepted(const char *text)
{
	struct json *value = parsed(text);

	json_free(value);
	return value != NULL;
}

/* "line: reason" of what a text with comments is refused for; "" if it is
 * accepted.  The caller frees it. */
static char *
refusal_n(const char *text, size_t len)
{
	struct json_error error = { 0, "" };
	struct json *value = json_parse(text, len, true, &error);

	if (value != NULL) {
		json_free(value);
		return xstrdup("");
	}
	return xasprintf("%u: %s", error.line, error.reason);
}

#define is_refused(text, want) do { \
	char *got_ = refusal_n((text), strlen(text)); \
	is_text(got_, (want)); \
	free(got_); \
} while (0)

/* What is printed for a text, which must be accepted. */
static char *
printed(const char *text)
{
	struct buf out = BUF_INIT;
	struct json *value = parsed(text);

	if (value == NULL)
		return xstrdup("(refused)");
	json_print(&out, value);
	json_free(value);
	return buf_steal(&out);
}

#define is_printed(text, want) do { \
	char *got_ = printed(text); \
	is_text(got_, (want)); \
	free(got_); \
} while (0)

static char *
repeat(const char *what, size_t times, const char *end)
{
	struct buf text = BUF_INIT;

	while (times-- > 0)
		buf_adds(&text, what);
	buf_adds(&text, end);
	return buf_steal(&text);
}

TEST(one_value_of_any_kind_is_a_text) {
	ok(accepted("{}"));
	ok(accepted("[]"));
	ok(accepted(" \t\r\n\"x\" \n"));
	ok(accepted("-0.5e+3"));
	ok(accepted("[0, -0, 1E5, 12.75, true, false, null, {\"\": []}]"));
}

TEST(what_is_not_one_value_is_refused_with_its_line) {
	is_refused("", "1: it ends too early");
	is_refused(" \n ", "2: it ends too early");
	is_refused("{}\n{}", "2: unexpected '{'");
	is_refused("[1,\n 2\n 3]", "3: unexpected '3'");
	is_refused("{\"a\": 1,\n\n}", "3: unexpected '}'");
	is_refused("[1,\n]", "2: unexpected ']'");
	is_refused("{\n\"a\"\n}", "3: unexpected '}'");
	is_refused("{\n\"a\":\n}", "3: unexpected '}'");
	is_refused("{\n1\n: 2}", "2: unexpected '1'");
	is_refused("{{}: 2}", "1: unexpected '{'");
	is_refused("{\"a\", 2}", "1: unexpected ','");
	is_refused("{,}", "1: unexpected ','");
	is_refused("[,1]", "1: unexpected ','");
	is_refused("[1,,2]", "1: unexpected ','");
	is_refused("[\"a\": 1]", "1: unexpected ':'");
	is_refused("{\"a\": \"b\": 1}", "1: unexpected ':'");
	is_refused("{\"a\" 1}", "1: unexpected '1'");
	is_refused("1, 2", "1: unexpected ','");
	is_refused("\"a\" \"b\"", "1: unexpected '\"'");
	is_refused("\n[1}", "2: unexpected '}'");
	is_refused("\n]", "2: unexpected ']'");
	is_refused("{\n\"a\": [1\n", "3: it ends too early");
	is_refused("{\"a\":1", "1: it ends too early");
	is_refused("\n\xef\xbb\xbf{}", "2: unexpected U+FEFF");
	is_refused("\xef\xbb\xbf{}", "1: unexpected U+FEFF");
	is_refused("[\v1]", "1: unexpected U+000B");
}

TEST(words_and_numbers_are_spelled_exactly) {
	is_refused("[True]", "1: unexpected 'T'");
	is_refused("[tru]", "1: unexpected 't'");
	is_refused("[trueish]", "1: unexpected 'i'");
	is_refused("[NaN]", "1: unexpected 'N'");
	is_refused("[\n01]", "2: a number that begins with 0");
	is_refused("[-01]", "1: a number that begins with 0");
	is_refused("[+1]", "1: unexpected '+'");
	is_refused("[.5]", "1: unexpected '.'");
	is_refused("[1.]", "1: unexpected ']'");
	is_refused("[1e]", "1: unexpected ']'");
	is_refused("[-]", "1: unexpected ']'");
	is_refused("-", "1: it ends too early");
	is_refused("[1-2]", "1: unexpected '-'");
	is_refused("[0x10]", "1: unexpected 'x'");
	is_refused("[0,\n{\"a\": [1e400]}]", "2: a number that is too large");
	is_refused("[-1e400]", "1: a number that is too large");
}

TEST(long_and_short_whole_numbers_are_the_same_kind) {
	struct json *o = parsed("[0, 7, -7, 999999999999999, 9007199254740991, 12.5]");
	static const double want[] = { 0, 7, -7, 999999999999999.0,
	    9007199254740991.0, 12.5 };
	size_t i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		ok(json_at(o, (int)i)->number == want[i]);
	json_free(o);
}

TEST(a_number_longer_than_can_be_read_is_refused) {
	char *text = repeat("1", 60, "");

	ok(accepted(text));
	free(text);
	text = repeat("1", 61, "");
	is_refused(text, "1: a number that is too long");
	free(text);
}

TEST(strings_hold_only_what_json_allows) {
	ok(accepted("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\""));
	ok(accepted("\"\xc3\xa9 \x7f\""));
	is_refused("\"a\tb\"", "1: a control byte in a string");
	is_refused("[\"a\nb\"]", "1: a string that does not end");
	is_refused("[\n\"a]", "2: a string that does not end");
	is_refused("\"a\\\"", "1: a string that does not end");
	is_refused("\"a\\", "1: an unknown escape in a string");
	is_refused("\"\\x\"", "1: an unknown escape in a string");
	is_refused("\"\\u12\"", "1: a bad \\u escape in a string");
	is_refused("\"\\u12gh\"", "1: a bad \\u escape in a string");
	is_refused("\"\\ud83d\\u12\"", "1: a bad \\u escape in a string");
}

static void
is_read_as(const char *text, const char *meaning)
{
	char *json = xasprintf("[\"%s\"]", text);
	struct json *o = parsed(json);

	is_text(json_text_of(json_at(o, 0)), meaning);
	json_free(o);
	free(json);
}

#define INSTEAD "\xef\xbf\xbd"         /* U+FFFD */

TEST(an_escape_that_no_text_can_hold_is_read_as_ufffd) {
	is_read_as("a\\u0000b", "a" INSTEAD "b");
	is_read_as("\\ud83d", INSTEAD);
	is_read_as("\\uDE00", INSTEAD);
	is_read_as("\\ud83dx", INSTEAD "x");
	is_read_as("\\ud83d\\n", INSTEAD "\n");
	is_read_as("\\ud83d\\u0041", INSTEAD "A");
	is_read_as("\\ud83d\\u0000", INSTEAD INSTEAD);
	is_read_as("\\ude00\\ud83d", INSTEAD INSTEAD);
	is_read_as("\\ud83d\\ud83d\\ude00", INSTEAD "\xf0\x9f\x98\x80");
	is_read_as("\\ud83d\\ude00\\ude00", "\xf0\x9f\x98\x80" INSTEAD);
	is_read_as("\\\\u0000", "\\u0000");
	ok(accepted("{\"\\u0000\": 1, \"\": 2}"));
	is_refused("\"\\ud83d\"]", "1: unexpected ']'");
}

TEST(bytes_that_are_not_utf8_and_nul_are_refused) {
	char *got = refusal_n("{\n\"a\": 1\0}", 10);

	is_text(got, "2: a NUL byte");
	free(got);
	is_refused("\n\n\"\xff\"", "3: byte 0xff is not UTF-8");
	is_refused("\"\xc0\xaf\"", "1: byte 0xc0 is not UTF-8");
	is_refused("\"\xed\xa0\x80\"", "1: byte 0xed is not UTF-8");
	is_refused("// \xe9\n1", "1: byte 0xe9 is not UTF-8");
	is_refused("/*\n\xe9*/1", "2: byte 0xe9 is not UTF-8");
	is_refused("[1,\n\xff]", "2: byte 0xff is not UTF-8");
	is_refused("\"12345678901234567 \xe5\xa0\"", "1: byte 0xe5 is not "
	    "UTF-8");
	got = refusal_n("[\"a longer text\0 \"]", 18);
	is_text(got, "1: a NUL byte");
	free(got);
}

TEST(nothing_is_read_behind_the_length) {
	struct json *value = json_parse("[1]]", 3, false, NULL);

	ok(value != NULL);
	json_free(value);
	ok(json_parse("truely", 3, false, NULL) == NULL);
	ok(json_parse(NULL, 0, false, NULL) == NULL);
}

TEST(nesting_ends_at_its_limit) {
	char *open = repeat("[", JSON_DEPTH, ""), *deep;
	char *text = repeat("]", JSON_DEPTH, "");

	deep = xasprintf("%s%s", open, text);
	ok(accepted(deep));
	free(deep);
	deep = xasprintf("[\n%s%s]", open, text);
	is_refused(deep, "2: nested too deep");
	free(deep);
	free(open);
	free(text);
	text = repeat("{\"a\":", 100000, "");
	is_refused(text, "1: nested too deep");
	free(text);
}

TEST(a_key_that_stands_twice_is_refused) {
	is_refused("{\"a\": 1,\n\"b\": {},\n\"a\": 2}",
	    "3: the key 'a' stands twice");
	is_refused("[{}, {\"x\": [{\"k\": 1,\n\"\\u006b\": 2}]}]",
	    "2: the key 'k' stands twice");
	is_refused("{\"\": 1,\n\"\": [2,\n3]}", "2: the key '' stands twice");
	is_refused("{\"a\": 1,\n\"a\":\n2}", "2: the key 'a' stands twice");
	ok(accepted("{\"a\": 1, \"A\": {\"a\": 1}, \"b\": {\"a\": 1}}"));
}

/* Comparing each with each would take minutes. */
TEST(a_hundred_thousand_keys_are_no_trouble) {
	struct buf text = BUF_INIT;
	size_t i;

	buf_addc(&text, '{');
	for (i = 0; i < 100000; i++)
		buf_printf(&text, "\"%zu\":%zu,\n", i * 7919 % 100000, i);
	buf_adds(&text, "\"77\":1}");
	is_refused(buf_str(&text), "100001: the key '77' stands twice");
	buf_release(&text);
}

TEST(nothing_that_a_terminal_obeys_is_printed) {
	struct buf out = BUF_INIT;
	struct json *o = json_new_object();

	json_add_text(o, "a\x7f", "\xc2\x80\xc2\x9b" "31m\xc2\xa0\xc3\x9b\xc2");
	json_print(&out, o);
	is_text(buf_str(&out), "{\"a\\u007f\":\"\\u0080\\u009b31m\xc2\xa0\xc3\x9b"
	    "\xef\xbf\xbd\"}");
	json_free(o);
	buf_reset(&out);
	o = json_new_object();
	json_add_text(o, "turned", "\xe2\x80\xae\xd8\x9c\xe2\x81\xa9\xe2\x82\xac"
	    "\xd8\xa7\xe6\xbc\xa2");
	json_print(&out, o);
	is_text(buf_str(&out), "{\"turned\":\"\\u202e\\u061c\\u2069\xe2\x82\xac"
	    "\xd8\xa7\xe6\xbc\xa2\"}");
	json_free(o);
	buf_release(&out);
}

TEST(comments_are_blanks_where_they_are_asked_for) {
	ok(!accepted("// x\n1"));
	ok(!accepted("/* x */ 1"));
	is_refused("// a \"quote\n{ /* } */ \"a\": // :\n1 } // end", "");
	is_refused("[1 /**/, /***/ 2 /*//*/]", "");
	is_refused("[\"// no\", \"/* no\", \"\\\"// no\"]", "");
	is_refused("/* 1\n2\n*/ x", "3: unexpected 'x'");
	is_refused("1 // \n2", "2: unexpected '2'");
	is_refused("1 /", "1: unexpected '/'");
	is_refused("1 / 2", "1: unexpected '/'");
	is_refused("1\n/* \n\n/", "2: a comment that does not end");
	is_refused("1\n\n/*/", "3: a comment that does not end");
	is_refused("1 /* 12 */ 2", "1: unexpected '2'");
}

/* Lists the value and all in it, in the order of the text, behind the n that
 * are listed; how many are listed then. */
static size_t
listed(const struct json **all, size_t n, const struct json *value)
{
	const struct json *child;

	all[n++] = value;
	json_each(child, value)
		n = listed(all, n, child);
	return n;
}

TEST(a_value_has_a_line) {
	static const char text[] =
	    "// line one\n"
	    "{ \"a\": 1, \"b\":\n"
	    "  [ 1, 2, /* three\n"
	    "  four */ { \"in\": 5 } ], \"c\": {\n"
	    "    \"a\": \"x\",\n"
	    "\n"
	    "    \"\\u0069n\": {}, \"esc\\\"aped\": {} },\n"
	    "  \"//\": { \"in\"\n"
	    "     : null } }\n";
	static const unsigned lines[] = { 2, 2, 3, 3, 3, 4, 4, 4, 5, 7, 7, 8,
	    9 };
	const struct json *all[sizeof(lines) / sizeof(lines[0])];
	struct json *o = json_parse(text, strlen(text), true, NULL);
	size_t i, n = listed(all, 0, o);

	is_number(n, sizeof(lines) / sizeof(lines[0]));
	for (i = 0; i < n; i++)
		is_number(all[i]->line, lines[i]);
	json_free(o);
}

TEST(members_are_found_by_exact_name_and_type) {
	struct json *o = parsed("{\"Text\": \"T\", \"text\": \"t\", \"n\": 12, "
	    "\"yes\": true, \"no\": false, \"o\": {\"x\": 1}}");

	is_text(json_text(o, "text"), "t");
	is_text(json_text(o, "Text"), "T");
	is_text(json_text(o, "TEXT"), NULL);
	is_text(json_text(o, "n"), NULL);
	is_number(json_number(o, "n", -1), 12);
	is_number(json_number(o, "text", -1), -1);
	is_number(json_number(o, "none", -1), -1);
	ok(json_bool(o, "yes", false));
	ok(!json_bool(o, "no", true));
	ok(json_bool(o, "n", true));
	is_number(json_number(json_member(o, "o"), "x", 0), 1);
	ok(json_member(o, "x") == NULL);
	ok(json_member(json_member(o, "text"), "x") == NULL);
	ok(json_member(NULL, "x") == NULL);
	json_free(o);
}

TEST(numbers_are_whole_and_exact_or_the_fallback) {
	struct json *o = parsed("{\"max\": 9007199254740992, \"e\": 1e3, "
	    "\"min\": -9007199254740992, \"big\": 9007199254740994, "
	    "\"huge\": 1e300, \"half\": 0.5}");

	is_number(json_number(o, "max", 0), 9007199254740992);
	is_number(json_number(o, "min", 0), -9007199254740992);
	is_number(json_number(o, "e", 0), 1000);
	is_number(json_number(o, "big", 7), 7);
	is_number(json_number(o, "huge", 7), 7);
	is_number(json_number(o, "half", 7), 7);
	json_free(o);
}

TEST(an_object_is_made_and_printed_as_one_line) {
	struct buf out = BUF_INIT;
	struct json *o = json_new_object();

	buf_adds(&out, "> ");
	json_add_text(o, "text", "a\n\"b\"\x1b\xff\xc3\xa9\xc3");
	json_add_text(o, "none", NULL);
	json_add_number(o, "n", -42);
	json_add_number(o, "long", 9007199254740991);
	json_add_bool(o, "yes", true);
	json_add_number(json_add_object(o, "o"), "max", INT64_C(1) << 53);
	json_print(&out, o);
	is_text(buf_str(&out), "> {\"text\":\"a\\n\\\"b\\\"\\u001b\xef\xbf\xbd"
	    "\xc3\xa9\xef\xbf\xbd\",\"n\":-42,\"long\":9007199254740991,"
	    "\"yes\":true,\"o\":{\"max\":9007199254740992}}");
	is_number(json_number(o, "long", 0), 9007199254740991);
	buf_release(&out);
	json_free(o);
	json_free(NULL);
}

TEST(what_was_read_is_printed_again) {
	is_printed(" { \"a\" : [ 1 , 2.5 , true , null ] } ",
	    "{\"a\":[1,2.5,true,null]}");
	is_printed("[4503599627370497, -1000000000000001, 1e15]",
	    "[4503599627370497,-1000000000000001,1000000000000000]");
	is_printed("[0.1, -0, 1e21, 1.7976931348623157e308, 5e-324]",
	    "[0.1,0,1e+21,1.7976931348623157e+308,4.94065645841247e-324]");
	is_printed("[0.30000000000000004, 2.2250738585072014e-308]",
	    "[0.30000000000000004,2.2250738585072014e-308]");
	is_printed("\"\\u00e9\\ud83d\\ude00\\/\"",
	    "\"\xc3\xa9\xf0\x9f\x98\x80/\"");
	is_printed("[]", "[]");
	is_printed("{}", "{}");
}

/* Of a value its text, and its key's before that. */
static void
stands(const char *text, const struct json *v, const char *want)
{
	char *got = xasprintf("%.*s|%.*s", (int)(v->open - v->from),
	    text + v->from, (int)(v->to - v->open), text + v->open);

	is_text(got, want);
	free(got);
}

TEST(every_value_has_its_place) {
	static const char text[] = " { \"a\" : [1, \"\\u0061\"],\n\"b\": {} }";
	const struct json *all[5];
	struct json *o = parsed(text);

	is_number(listed(all, 0, o), 5);
	stands(text, all[0], "|{ \"a\" : [1, \"\\u0061\"],\n\"b\": {} }");
	stands(text, all[1], "\"a\" : |[1, \"\\u0061\"]");
	stands(text, all[2], "|1");
	stands(text, all[3], "|\"\\u0061\"");
	stands(text, all[4], "\"b\": |{}");
	ok(all[0]->parent == NULL);
	ok(all[3]->parent == all[1]);
	ok(all[4]->parent == all[0]);
	is_number(all[4]->line, 2);
	json_free(o);
}

static char *
member_wanted(const char *text)
{
	struct json_error e = { 0, "" };
	struct json *o = json_parse_member(text, strlen(text), true, "b",
	    &e);
	struct buf out = BUF_INIT;

	if (o == NULL)
		buf_printf(&out, "line %u: %s", e.line, e.reason);
	else
		json_print(&out, o);
	json_free(o);
	return buf_steal(&out);
}

TEST(what_follows_the_wanted_member_is_not_read) {
	static const char *const cases[][2] = {
		{ "{\"a\": {\"b\": [1]}, \"b\": {\"a\": [1]}, \"c\"",
		    "{\"a\":{\"b\":[1]},\"b\":{\"a\":[1]}}" },
		{ "{\"a\": [], \"c\": 1, \"d\": \"x\"}",
		    "{\"a\":[],\"c\":1,\"d\":\"x\"}" },
		{ "{\"b\": [1], \"a\": [[}", "{\"b\":[1]}" },
		{ "{\"a\": {\"b\": 2}, \"c\": 1}", "{\"a\":{\"b\":2},\"c\":1}" },
		{ "{\"a\": [[}", "line 1: unexpected '}'" },
		{ "{\"a\":\n[\"x]}", "line 2: a string that does not end" },
		{ "{\"a\": [], \"b\":\n [1,]}", "line 2: unexpected ']'" },
		{ "{\"a\": [], \"a\": {}}", "line 1: the key 'a' stands twice" },
	};
	char *got;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		got = member_wanted(cases[i][0]);
		is_text(got, cases[i][1]);
		free(got);
	}
}

TEST(a_copy_outlives_what_it_was_copied_from) {
	struct json *o = parsed("{\"k\": [{\"\\u006bey\": \"v\\n\"}], \"n\": 1.5}");
	struct buf out = BUF_INIT;
	struct json *copy = json_copy(NULL, o);

	json_free(o);
	json_print(&out, copy);
	is_text(buf_str(&out), "{\"k\":[{\"key\":\"v\\n\"}],\"n\":1.5}");
	json_set_text(json_member(copy, "k"), "x");
	buf_reset(&out);
	json_print(&out, copy);
	is_text(buf_str(&out), "{\"k\":\"x\",\"n\":1.5}");
	json_free(copy);
	buf_release(&out);
}

TEST(what_becomes_a_text_is_the_same_as_one) {
	struct json *o = parsed("[7, \"x\", true, null]");

	json_set_text(json_at(o, 0), "x");
	ok(json_same(json_at(o, 0), json_at(o, 1)));
	json_set_text(json_at(o, 2), NULL);
	ok(json_same(json_at(o, 2), json_at(o, 3)));
	json_free(o);
}

TEST(keys_that_are_spelled_differently_are_the_same) {
	is_refused("{\"key\": 1,\n\"\\u006bey\": 2}",
	    "2: the key 'key' stands twice");
	is_refused("{\"a\": {\"a\": 1}, \"b\": {\"a\": 2},\n\"a\": 3}",
	    "2: the key 'a' stands twice");
	is_refused("{\"a\\x\": 1}", "1: an unknown escape in a string");
	is_refused("{\"a\\", "1: an unknown escape in a string");
	is_refused("{\"a\\n\n\": 1}", "1: a string that does not end");
	is_printed("{\"a\\\"\": 1, \"a\": {\"\": 2}}",
	    "{\"a\\\"\":1,\"a\":{\"\":2}}");
}

TEST(a_path_names_members_and_numbers_of_lists) {
	struct json *o = parsed("{\"a\": [{\"b\": \"x\"}, 2]}");

	is_text(json_text_of(json_follow(o, "a.0.b")), "x");
	ok(json_follow(o, "a.1") != NULL);
	ok(json_follow(o, "a.2") == NULL);
	ok(json_follow(o, "a.b") == NULL);
	ok(json_follow(o, "a.0x.b") == NULL);
	ok(json_follow(o, "a..b") == NULL);
	ok(json_follow(o, "a.4294967296.b") == NULL);
	ok(json_follow(o, "a.-1") == NULL);
	json_free(o);
}

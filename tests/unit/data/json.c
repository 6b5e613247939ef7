#include "data/json.h"

#include <stdlib.h>

#include "tap.h"
#include "unit/fixture.h"

static struct json *
parsed(const char *text)
{
	text = quoted(text);
	return json_parse(text, strlen(text), false, NULL);
}

static const char *
printed(const struct json *value)
{
	static struct buf out;

	buf_reset(&out);
	json_print(&out, value);
	return replaced(buf_str(&out), "\"", "'");
}

/* What a text with comments is printed as, or "line: reason". */
static const char *
read_n(const char *text, size_t len)
{
	static struct buf out;
	struct text_error error = { 0, "" };
	struct json *value = json_parse(text, len, true, &error);

	buf_reset(&out);
	if (value != NULL)
		buf_adds(&out, printed(value));
	else
		buf_printf(&out, "%u: %s", error.line, error.reason);
	json_free(value);
	return buf_str(&out);
}

/* '\'' stands for '"' in the text, and in what is printed. */
static const char *
read_as(const char *text)
{
	text = quoted(text);
	return read_n(text, strlen(text));
}

TEST(one_value_of_any_kind_is_a_text_and_printed_again) {
	ROWS(read_as, "{} => {}", " \t\r\n'x' \n => 'x'", "-0.5e+3 => -500",
	    "[0, -0, 1E5, 12.75, true, false, null, {'': []}] => "
	    "[0,0,100000,12.75,true,false,null,{'':[]}]",
	    " { 'a' : [ 1 , 2.5 , true , null ] }  => {'a':[1,2.5,true,null]}",
	    "[7, -7, -1000000000000001, 9007199254740991, 1e15] => "
	    "[7,-7,-1000000000000001,9007199254740991,1000000000000000]",
	    "[0.1, 1e21, 1.7976931348623157e308, 5e-324] => "
	    "[0.1,1e+21,1.7976931348623157e+308,4.94065645841247e-324]",
	    "[0.30000000000000004, 2.2250738585072014e-308] => "
	    "[0.30000000000000004,2.2250738585072014e-308]");
}

TEST(what_is_not_one_value_is_refused_with_its_line) {
	ROWS(read_as, " => 1: it ends too early",
	    "{'a':1 => 1: it ends too early", "- => 1: it ends too early",
	    " \n  => 2: it ends too early",
	    "{\n'a': [1\n => 3: it ends too early",
	    "{}\n{} => 2: unexpected '{'", "{{}: 2} => 1: unexpected '{'",
	    "[1,\n 2\n 3] => 3: unexpected '3'",
	    "{'a': 1,\n\n} => 3: unexpected '}'",
	    "{\n'a':\n} => 3: unexpected '}'",
	    "\n[1} => 2: unexpected '}'", "[1,\n] => 2: unexpected ']'",
	    "{\n1\n: 2} => 2: unexpected '1'", "{'a', 2} => 1: unexpected ','",
	    "{,} => 1: unexpected ','", "[,1] => 1: unexpected ','",
	    "1, 2 => 1: unexpected ','", "['a': 1] => 1: unexpected ':'",
	    "{'a': 'b': 1} => 1: unexpected ':'",
	    "{'a' 1} => 1: unexpected '1'", "'a' 'b' => 1: unexpected '\"'",
	    "\n\xef\xbb\xbf{} => 2: unexpected U+FEFF",
	    "\xef\xbb\xbf{} => 1: unexpected U+FEFF",
	    "[\v1] => 1: unexpected U+000B");
}

TEST(words_and_numbers_are_spelled_exactly) {
	ROWS(read_as, "[tru] => 1: unexpected 't'",
	    "[trueish] => 1: unexpected 'i'", "[+1] => 1: unexpected '+'",
	    "[.5] => 1: unexpected '.'", "[1.] => 1: unexpected ']'",
	    "[1e] => 1: unexpected ']'", "[-] => 1: unexpected ']'",
	    "[1-2] => 1: unexpected '-'", "[0x10] => 1: unexpected 'x'",
	    "[\n01] => 2: a number that begins with 0",
	    "[-01] => 1: a number that begins with 0",
	    "[0,\n{'a': [1e400]}] => 2: a number that is too large",
	    "[-1e400] => 1: a number that is too large");
}

TEST(a_number_longer_than_can_be_read_is_refused) {
	char text[61];

	memset(text, '1', sizeof(text));
	is_text(read_n(text, 61), "1: a number that is too long");
	ok(strchr(read_n(text, 60), ':') == NULL);
}

#define UFFFD "\xef\xbf\xbd"
#define FACE "\xf0\x9f\x98\x80"

TEST(strings_hold_only_what_json_allows) {
	ROWS(read_as, "'\\'\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00' => "
	    "'\\'\\\\/\\b\\f\\n\\r\\t\xc3\xa9" FACE "'",
	    "'\xc3\xa9 \x7f' => '\xc3\xa9 \\u007f'",
	    "'a\tb' => 1: a control byte in a string",
	    "['a\nb'] => 1: a string that does not end",
	    "'a\\' => 1: a string that does not end",
	    "[\n'a] => 2: a string that does not end",
	    "'a\\ => 1: an unknown escape in a string",
	    "'\\x' => 1: an unknown escape in a string",
	    "'\\u12' => 1: a bad \\u escape in a string",
	    "'\\u12gh' => 1: a bad \\u escape in a string",
	    "'\\ud83d\\u12' => 1: a bad \\u escape in a string");
}

TEST(an_escape_that_no_text_can_hold_is_read_as_ufffd) {
	ROWS(read_as, "'a\\u0000b' => 'a" UFFFD "b'",
	    "'\\ud83d' => '" UFFFD "'", "'\\uDE00' => '" UFFFD "'",
	    "'\\ud83d\\n' => '" UFFFD "\\n'",
	    "'\\ud83d\\u0041' => '" UFFFD "A'",
	    "'\\ud83d\\u0000' => '" UFFFD UFFFD "'",
	    "'\\ud83d\\ud83d\\ude00' => '" UFFFD FACE "'",
	    "'\\ud83d\\ude00\\ude00' => '" FACE UFFFD "'",
	    "'\\\\u0000' => '\\\\u0000'",
	    "{'\\u0000': 1, '': 2} => {'" UFFFD "':1,'':2}",
	    "'\\ud83d'] => 1: unexpected ']'");
}

TEST(bytes_that_are_not_utf8_and_nul_are_refused) {
	ROWS(read_as, "\n\n'\xff' => 3: byte 0xff is not UTF-8",
	    "// \xe9\n1 => 1: byte 0xe9 is not UTF-8",
	    "/*\n\xe9*/1 => 2: byte 0xe9 is not UTF-8",
	    "[1,\n\xff] => 2: byte 0xff is not UTF-8",
	    "'12345678901234567 \xe5\xa0' => 1: byte 0xe5 is not UTF-8");
	is_text(read_n("{\n\"a\": 1\0}", 10), "2: a NUL byte");
	is_text(read_n("[\"a longer text\0 \"]", 18), "1: a NUL byte");
	is_text(read_n("[1]]", 3), "[1]");
	is_text(read_n("truely", 3), "1: unexpected 't'");
}

TEST(nesting_ends_at_its_limit) {
	char deep[2 * JSON_DEPTH + 3] = "[\n";

	memset(deep + 2, '[', JSON_DEPTH);
	memset(deep + 2 + JSON_DEPTH, ']', JSON_DEPTH);
	is_text(read_as(deep), "2: nested too deep");
	is_text(read_as(deep + 2), deep + 2);
}

TEST(a_key_that_stands_twice_is_refused_however_it_is_spelled) {
	ROWS(read_as,
	    "{'a': 1,\n'b': {},\n'a': 2} => 3: the key 'a' stands twice",
	    "[{}, {'x': [{'k': 1,\n'\\u006b': 2}]}] => 2: the key 'k' stands "
	    "twice", "{'': 1,\n'': [2,\n3]} => 2: the key '' stands twice",
	    "{'a': 1,\n'a':\n2} => 2: the key 'a' stands twice",
	    "{'a': {'a': 1}, 'b': {'a': 2},\n'a': 3} => 2: the key 'a' stands "
	    "twice", "{'a': 1, 'A': {'a': 1}, 'b': {'a': 1}} => "
	    "{'a':1,'A':{'a':1},'b':{'a':1}}",
	    "{'key': 1,\n'\\u006bey': 2} => 2: the key 'key' stands twice",
	    "{'a\\x': 1} => 1: an unknown escape in a string",
	    "{'a\\ => 1: an unknown escape in a string",
	    "{'a\\n\n': 1} => 1: a string that does not end",
	    "{'a\\'': 1, 'a': {'': 2}} => {'a\\'':1,'a':{'':2}}");
}

/* Comparing each with each would take minutes. */
TEST(a_hundred_thousand_keys_are_no_trouble) {
	struct buf text = BUF_INIT;
	size_t i;

	buf_addc(&text, '{');
	for (i = 0; i < 100000; i++)
		buf_printf(&text, "\"%zu\":%zu,\n", i * 7919 % 100000, i);
	buf_adds(&text, "\"77\":1}");
	is_text(read_n(buf_str(&text), text.len),
	    "100001: the key '77' stands twice");
	buf_release(&text);
}

TEST(comments_are_blanks_where_they_are_asked_for) {
	ok(parsed("// x\n1") == NULL && parsed("/* x */ 1") == NULL);
	ROWS(read_as, "// a 'quote\n{ /* } */ 'a': // :\n1 } // end => {'a':1}",
	    "[1 /**/, /***/ 2 /*//*/] => [1,2]",
	    "['// no', '/* no', '\\'// no'] => ['// no','/* no','\\'// no']",
	    "/* 1\n2\n*/ x => 3: unexpected 'x'",
	    "1 // \n2 => 2: unexpected '2'",
	    "1 /* 12 */ 2 => 1: unexpected '2'", "1 / => 1: unexpected '/'",
	    "1 / 2 => 1: unexpected '/'",
	    "1\n/* \n\n/ => 2: a comment that does not end",
	    "1\n\n/*/ => 3: a comment that does not end");
}

/* Adds line, key and text of all in a value. */
static void
list(struct buf *out, const char *text, const struct json *v)
{
	const struct json *child;

	json_each(child, v) {
		ok(child->parent == v);
		buf_printf(out, "%u %.*s|%.*s;", (unsigned)child->line,
		    (int)(child->open - child->from), text + child->from,
		    (int)(child->to - child->open), text + child->open);
		list(out, text, child);
	}
}

TEST(every_value_has_its_line_and_place) {
	static const char text[] = "// one\n{ 'a': 1, '//' : 0, 'b':\n "
	    "[2, /* 3\n 4 */ {'in' : '\\u0061'}],\n\n '\\u0069n': {}, 'c\\'d':"
	    "\n null }\n";
	struct buf all = BUF_INIT;
	struct json *o = json_parse(quoted(text), strlen(text), true, NULL);

	ok(o != NULL && o->parent == NULL);
	is_number(o->line, 2);
	ok(o->from == 7 && o->open == 7 && o->to == strlen(text) - 1);
	list(&all, text, o);
	is_text(buf_str(&all), "2 'a': |1;2 '//' : |0;3 'b':\n |[2, /* 3\n 4 "
	    "*/ {'in' : '\\u0061'}];3 |2;4 |{'in' : '\\u0061'};4 'in' : |"
	    "'\\u0061';6 '\\u0069n': |{};7 'c\\'d':\n |null;");
	json_free(o);
	buf_release(&all);
}

TEST(members_are_found_by_exact_name_and_type) {
	struct json *o = parsed("{'Text': 'T', 'text': 't', 'n': 12, "
	    "'yes': true, 'no': false, 'o': {'x': 1}}");

	is_text(json_text(o, "text"), "t");
	is_text(json_text(o, "Text"), "T");
	ok(json_text(o, "TEXT") == NULL && json_text(o, "n") == NULL);
	is_number(json_number(o, "text", -1), -1);
	ok(json_true(o, "yes") && !json_true(o, "no"));
	ok(!json_true(o, "n"));
	ok(json_member(o, "x") == NULL && json_member(NULL, "x") == NULL);
	ok(json_member(json_member(o, "text"), "x") == NULL);
	json_free(o);
}

TEST(numbers_are_whole_and_exact_or_the_fallback) {
	struct json *o = parsed("{'max': 9007199254740992, 'e': 1e3, 'min': "
	    "-9007199254740992, 'big': 9007199254740994, 'half': 0.5}");

	is_number(json_number(o, "max", 0), 9007199254740992);
	is_number(json_number(o, "min", 0), -9007199254740992);
	is_number(json_number(o, "e", 0), 1000);
	is_number(json_number(o, "big", 7), 7);
	is_number(json_number(o, "none", 7), 7);
	is_number(json_number(o, "half", 7), 7);
	json_free(o);
}

TEST(an_object_is_one_line_of_which_a_terminal_obeys_nothing) {
	struct json *o = json_new_object();

	json_add_text(o, "a\x7f", "\xc2\x80\xc2\x9b" "31m\xc2\xa0\xc3\x9b\xc2");
	json_add_text(o, "turned", "\xe2\x80\xae\xd8\x9c\xe2\x81\xa9"
	    "\xe2\x82\xac\xd8\xa7\xe6\xbc\xa2");
	json_add_text(o, "text", "a\n\"b\"\x1b\xff\xc3\xa9\xc3");
	json_add_text(o, "none", NULL);
	json_add_number(o, "n", -42);
	json_add_number(o, "long", 9007199254740991);
	json_add_bool(o, "yes", true);
	json_add_number(json_add_object(o, "o"), "max", INT64_C(1) << 53);
	is_text(printed(o), "{'a\\u007f':'\\u0080\\u009b31m\xc2\xa0\xc3\x9b"
	    UFFFD "','turned':'\\u202e\\u061c\\u2069\xe2\x82\xac\xd8\xa7"
	    "\xe6\xbc\xa2','text':'a\\n\\'b\\'\\u001b" UFFFD "\xc3\xa9" UFFFD
	    "','n':-42,'long':9007199254740991,'yes':true,'o':{'max':"
	    "9007199254740992}}");
	is_number(json_number(o, "long", 0), 9007199254740991);
	json_free(o);
	json_free(NULL);
}

TEST(what_follows_the_wanted_member_is_not_read) {
	static const char *const rows[][2] = {
		{ "{'a': {'b': [1]}, 'b': {'a': [1]}, 'c'",
		    "{'a':{'b':[1]},'b':{'a':[1]}}" },
		{ "{'a': [], 'c': 1, 'd': 'x'}", "{'a':[],'c':1,'d':'x'}" },
		{ "{'b': [1], 'a': [[}", "{'b':[1]}" },
		{ "{'a': {'b': 2}, 'c': 1}", "{'a':{'b':2},'c':1}" },
		{ "{'a': [[}", "unexpected '}'" },
		{ "{'a':\n['x]}", "a string that does not end" },
		{ "{'a': [], 'b':\n [1,]}", "unexpected ']'" },
		{ "{'a': [], 'a': {}}", "the key 'a' stands twice" },
	};
	struct text_error e;
	const char *text;
	struct json *o;
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		ROW("%s", rows[i][0]);
		text = quoted(rows[i][0]);
		o = json_parse_member(text, strlen(text), true, "b", &e);
		is_text(o ? printed(o) : e.reason, rows[i][1]);
		ok(o || e.line == 1 + (strchr(text, '\n') != NULL));
		json_free(o);
	}
}

TEST(a_copy_outlives_what_it_was_copied_from_and_its_values_become_texts) {
	struct json *o = parsed("{'k': [{'\\u006bey': 'v\\n'}], 'n': 1.5}");
	struct json *copy = json_copy(NULL, o), *same;

	json_free(o);
	is_text(printed(copy), "{'k':[{'key':'v\\n'}],'n':1.5}");
	json_set_text(json_member(copy, "k"), "x");
	json_set_text(json_member(copy, "n"), NULL);
	is_text(printed(copy), "{'k':'x','n':null}");
	same = parsed("{'k': 'x', 'n': null}");
	ok(json_same(copy, same));
	json_free(same);
	json_free(copy);
}

TEST(a_path_names_members_and_numbers_of_lists) {
	static const char *const none[] = { "a.2", "a.b", "a.0x.b", "a..b",
	    "a.4294967296.b", "a.-1" };
	struct json *o = parsed("{'a': [{'b': 'x'}, 2]}");
	size_t i;

	is_text(json_text_of(json_follow(o, "a.0.b")), "x");
	ok(json_follow(o, "a.1") != NULL);
	for (i = 0; i < COUNT(none); i++) {
		ROW("%s", none[i]);
		ok(json_follow(o, none[i]) == NULL);
	}
	json_free(o);
}

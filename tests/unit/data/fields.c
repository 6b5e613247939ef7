#include "data/fields.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "scratch.h"
#include "unit/fixture.h"

enum colour { GREY, RED, BLUE };

static const char *const colours[] = { "grey", "red", "blue" };
static const char *const marks[] = { "`~" };

struct leg {
	long length;
	unsigned toes;
};

struct beast {
	char *name;
	char tag[5];
	int age;
	unsigned teeth;
	uint64_t weight;
	bool tame, seen;
	msec born;
	enum colour colour;
	char letter, mark;
	char **words;
	struct leg front, hind;
	struct leg *more;
	size_t nmore;
};

static bool
is_tame(const void *of)
{
	return ((const struct beast *)of)->tame;
}

static void
letter_print(struct buf *out, const void *of)
{
	const struct beast *beast = of;

	if (beast->letter != '\0')
		buf_printf(out, "-%c-", beast->letter);
}

static void
letter_parse(void *of, const char *text)
{
	if (strlen(text) == 3)
		((struct beast *)of)->letter = text[1];
}

static void
note_seen(void *of, const char *key)
{
	((struct beast *)of)->seen = strcmp(key, "front") == 0;
}

static const struct field legs[] = {
	{ "length", FIELD_SIGNED, FIELD_AT(struct leg, length) },
	{ "toes", FIELD_UNSIGNED, FIELD_AT(struct leg, toes), .fallback = 5,
	    .omit = true },
	{ 0 }
};

#define BEAST(member) FIELD_AT(struct beast, member)

static const struct field beasts[] = {
	{ "v", FIELD_CONSTANT, .fallback = 2 },
	{ "name", FIELD_TEXT, BEAST(name), .required = true },
	{ "tag", FIELD_WORD, BEAST(tag), .omit = true },
	{ "age", FIELD_SIGNED, BEAST(age), .fallback = -1 },
	{ "teeth", FIELD_UNSIGNED, BEAST(teeth), .when = is_tame },
	{ "weight", FIELD_UNSIGNED, BEAST(weight), .omit = true },
	{ "tame", FIELD_BOOL, BEAST(tame) },
	{ "born", FIELD_TIME, BEAST(born), .omit = true },
	{ "colour", FIELD_NAME, BEAST(colour), FIELD_NAMES(colours),
	    .omit = true },
	{ "letter", FIELD_CODED, .print = letter_print,
	    .parse = letter_parse, .omit = true },
	{ "mark", FIELD_LETTER, BEAST(mark), FIELD_NAMES(marks), .omit = true },
	{ "words", FIELD_WORDS, BEAST(words) },
	{ "front", FIELD_OBJECT, BEAST(front), .fields = legs,
	    .parse = note_seen },
	{ "hind", FIELD_OBJECT, BEAST(hind), .fields = legs, .omit = true },
	{ "more", FIELD_LIST, BEAST(more), .fields = legs,
	    .each = sizeof(struct leg),
	    .count = offsetof(struct beast, nmore) },
	{ 0 }
};

static struct beast b;                  /* the last one that was read */

static void
release(void)
{
	fields_release(beasts, &b);
	memset(&b, 0, sizeof(b));
}

static int
parse(const char *text)
{
	release();
	text = quoted(text);
	return fields_parse(beasts, &b, text, strlen(text));
}

/* With '\'' in the place of each '"'. */
static const char *
printed(void)
{
	static struct buf out;

	buf_reset(&out);
	fields_print(&out, beasts, &b);
	return replaced(buf_str(&out), "\"", "'");
}

static const char whole[] = "{'v':2,'name':'a \\'b\\'','tag':'tag','age':-7,"
    "'teeth':4294967295,'weight':9007199254740992,'tame':true,"
    "'born':'2026-01-02T03:04:05.678Z','colour':'blue','letter':'-q-',"
    "'mark':'~','words':['one',''],'front':{'length':-3,'toes':1},"
    "'hind':{'length':2},'more':[{'length':1},{'length':2,'toes':0}]}";

TEST(what_was_read_is_written_in_the_order_of_the_table) {
	size_t i;

	is_number(parse(whole), 0);
	is_text(b.name, "a \"b\"");
	ok(b.letter == 'q' && b.mark == '~' && b.colour == BLUE);
	ok(b.nmore == 2 && b.more[0].toes == 5 && b.hind.toes == 5);
	is_text(printed(), whole);
	for (i = 0; i < sizeof(whole) - 1; i++) {
		release();
		ROW("cut at %zu", i);
		is_number(fields_parse(beasts, &b, quoted(whole), i), -1);
	}
}

TEST(what_is_at_its_fallback_is_omitted) {
	release();
	b = (struct beast){ .name = xstrdup("x"), .hind.toes = 5,
	    .front.toes = 5 };
	is_text(printed(), "{'v':2,'name':'x','age':0,'tame':false,"
	    "'front':{'length':0},'more':[]}");
	b.hind.toes = 4;
	b.tame = true;
	is_text(printed(), "{'v':2,'name':'x','age':0,'teeth':0,'tame':true,"
	    "'front':{'length':0},'hind':{'length':0,'toes':4},'more':[]}");
}

TEST(the_order_of_a_text_does_not_matter_and_unknown_fields_are_ignored) {
	is_number(parse(" { 'more' : [ ] , 'new':[{'age':[1]},2],"
	    "'colour':'red','newer':{'name':'z','x':{}},"
	    "'age':3,'name':'n','newest':null}\n"), 0);
	is_text(b.name, "n");
	ok(b.age == 3 && b.colour == RED && !b.seen);
	is_number(parse("{'name':'n','front':{}}"), 0);
	ok(b.seen);
	is_number(parse("{'name':'n','front':[]}"), 0);
	ok(!b.seen);
}

TEST(another_kind_is_the_fallback) {
	static const char *const members[] = {
		"'age':'1'", "'age':1.5", "'age':null", "'age':{'age':1}",
		"'age':2147483648", "'age':-2147483649", "'teeth':-1",
		"'teeth':4294967296", "'tag':'12345'", "'tag':7", "'tame':1",
		"'tame':'true'", "'born':0", "'born':'yesterday'",
		"'colour':'pink'", "'colour':1", "'letter':1", "'letter':''",
		"'mark':'x'", "'mark':'~~'", "'mark':''", "'words':{}",
		"'front':[{}]", "'front':'x'", "'more':{}",
		"'more':[1,[{}],'']",
	};
	char text[100];
	size_t i;

	for (i = 0; i < COUNT(members); i++) {
		ROW("%s", members[i]);
		snprintf(text, sizeof(text), "{'name':'n',%s}", members[i]);
		is_number(parse(text), 0);
		ok(b.teeth == 0 && b.front.toes == 5);
		is_text(printed(), "{'v':2,'name':'n','age':-1,'tame':false,"
		    "'front':{'length':0},'more':[]}");
	}
}

static int
read_file(const char *name, size_t most)
{
	release();
	errno = 0;
	return fields_read(scratch_fd, name, most, beasts, &b);
}

TEST(a_file_is_one_line) {
	is_number(parse(whole), 0);
	is_number(fields_write(scratch_fd, "b.json", beasts, &b), 0);
	is_text(scratch_text("b.json") + sizeof(whole) - 1, "\n");
	is_number(read_file("b.json", sizeof(whole)), 1);
	is_text(printed(), whole);
	ok(read_file("b.json", sizeof(whole) - 2) == -1 && errno == EBADMSG);
	is_number(read_file("none", 100), 0);
	ok(read_file(".", 100) == -1 && errno == EINVAL);
}

TEST(a_newer_format_is_refused_by_its_numbers_and_none_is_the_oldest) {
	static const char *const texts[] = {
		"{'name':'n'}\n", "{'v':1,'name':'n'}\n",
		"{'v':'x','name':'n'}\n",
		/* The newer ones. */
		"{'v':3,'name':'n'}\n", "{'v':3}\n", "{'new':[],'v':3e0}",
	};
	size_t i;

	for (i = 0; i < COUNT(texts); i++) {
		ROW("%s", texts[i]);
		scratch_write("b.json", quoted(texts[i]));
		is_number(read_file("b.json", 1000), i < 3 ? 1 : -1);
		ok(i < 3 || errno == ENEWER);
	}
	ok(strstr(msg_reason(ENEWER), "'b.json' in format 3, this one reads 2: "));
}

/* A file is read without the parser if it is as it was written. */
TEST(a_file_is_as_strict_as_a_text) {
	enum { GOOD = 5 };
	static const char *const texts[] = {
		"{'name':'n'}\n", "{'v':2,'name':'n','age':7,'tame':true}\n",
		"{'name':'n','v':2}", "{'name':'\\u006e','age':-0.5e1}",
		"{'name':'n','front':{'length':7},'x':1}\n",
		/* The bad ones. */
		"{'name':'n',}\n", "{,'name':'n'}\n", "{'name':'n' 'age':7}\n",
		"{'name':'n','age':+7}\n", "{'name':'n','age':07}\n",
		"{'name':'n','tame':tru}\n", "{'name':'n','age':7}}\n",
		"{'name':'n','age':7}\n{}", "{'name':'n','age':7,'age':7}\n",
		"{'name':'n\n'}\n", "{'v':2}\n", "{'name':'n'", "", "[]", "7",
		"'name'", "{'name':7}", "{'name':'n','x':{'y'}}",
		"{'name':'n','front':{'length':7,'length':7}}\n",
		"{'name':'n','more':[{'length':01}]}", "{'name':'\xff'}",
		"{'name':'n','words':['a' 'b']}",
	};
	size_t i;

	for (i = 0; i < COUNT(texts); i++) {
		ROW("%s", texts[i]);
		scratch_write("b.json", quoted(texts[i]));
		is_number(read_file("b.json", 1000), i < GOOD ? 1 : -1);
		if (i < GOOD)
			is_text(b.name, "n");
	}
}

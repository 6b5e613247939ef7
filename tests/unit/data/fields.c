#include "data/fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/clock.h"
#include "scratch.h"

enum colour { GREY, RED, BLUE };

static const char *const colours[] = {
	[GREY] = "grey", [RED] = "red", [BLUE] = "blue",
};

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
	char letter;
	char **words;
	struct leg front, hind;
	struct leg *more;
	size_t nmore;
};

static bool
is_tame(const void *b)
{
	return ((const struct beast *)b)->tame;
}

static void
letter_print(struct buf *out, const void *b)
{
	const struct beast *beast = b;

	if (beast->letter != '\0')
		buf_printf(out, "-%c-", beast->letter);
}

static void
letter_parse(void *b, const char *text)
{
	if (strlen(text) == 3)
		((struct beast *)b)->letter = text[1];
}

static void
note_seen(void *b, const char *key)
{
	((struct beast *)b)->seen = strcmp(key, "front") == 0;
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
	{ "words", FIELD_WORDS, BEAST(words) },
	{ "front", FIELD_OBJECT, BEAST(front), .fields = legs,
	    .parse = note_seen },
	{ "hind", FIELD_OBJECT, BEAST(hind), .fields = legs, .omit = true },
	{ "more", FIELD_LIST, BEAST(more), .fields = legs,
	    .each = sizeof(struct leg),
	    .count = offsetof(struct beast, nmore) },
	{ 0 }
};

static void
release(struct beast *b)
{
	free(b->name);
	argv_free(b->words);
	free(b->more);
	memset(b, 0, sizeof(*b));
}

static int
parse(struct beast *b, const char *text)
{
	memset(b, 0, sizeof(*b));
	return fields_parse(beasts, b, text, strlen(text));
}

static void
is_printed(const struct beast *b, const char *want)
{
	struct buf out = BUF_INIT;

	fields_print(&out, beasts, b);
	is_text(buf_str(&out), want);
	buf_release(&out);
}

static const char small[] = "{\"v\":2,\"name\":\"x\",\"age\":0,"
    "\"tame\":false,\"front\":{\"length\":0},\"more\":[]}";
static const char whole[] = "{\"v\":2,\"name\":\"a \\\"b\\\"\",\"tag\":\"tag\","
    "\"age\":-7,\"teeth\":4294967295,\"weight\":9007199254740992,"
    "\"tame\":true,\"born\":\"2026-01-02T03:04:05.678Z\","
    "\"colour\":\"blue\",\"letter\":\"-q-\",\"words\":[\"one\",\"\"],"
    "\"front\":{\"length\":-3,\"toes\":1},\"hind\":{\"length\":2},"
    "\"more\":[{\"length\":1},{\"length\":2,\"toes\":0}]}";

TEST(what_was_read_is_written_in_the_order_of_the_table) {
	struct beast b;

	is_number(parse(&b, whole), 0);
	b.front.toes = 1;
	is_text(b.name, "a \"b\"");
	is_number(b.age, -7);
	is_number(b.teeth, 4294967295);
	is_number(b.colour, BLUE);
	is_number(b.letter, 'q');
	is_number(argv_count(b.words), 2);
	is_number(b.hind.toes, 5);
	is_number(b.nmore, 2);
	is_number(b.more[0].toes, 5);
	is_number(b.more[1].toes, 0);
	is_printed(&b, whole);
	release(&b);
}

TEST(what_is_at_its_fallback_is_omitted) {
	struct beast b = { .name = xstrdup("x"), .hind.toes = 5,
	    .front.toes = 5 };

	is_printed(&b, small);
	b.hind.toes = 4;
	b.tame = true;
	is_printed(&b, "{\"v\":2,\"name\":\"x\",\"age\":0,\"teeth\":0,"
	    "\"tame\":true,\"front\":{\"length\":0},"
	    "\"hind\":{\"length\":0,\"toes\":4},\"more\":[]}");
	release(&b);
}

TEST(the_order_of_a_text_does_not_matter_and_unknown_fields_are_ignored) {
	struct beast b;

	is_number(parse(&b, " { \"more\" : [ ] , \"new\":[{\"age\":[1]},2],"
	    "\"colour\":\"red\",\"newer\":{\"name\":\"z\",\"x\":{}},"
	    "\"age\":3,\"name\":\"n\",\"newest\":null}\n"), 0);
	is_text(b.name, "n");
	is_number(b.age, 3);
	is_number(b.colour, RED);
	release(&b);
}

TEST(an_object_that_is_there_is_told) {
	struct beast b;

	is_number(parse(&b, "{\"name\":\"n\",\"front\":{}}"), 0);
	ok(b.seen);
	release(&b);
	is_number(parse(&b, "{\"name\":\"n\",\"front\":[]}"), 0);
	ok(!b.seen);
	release(&b);
}

static void
is_fallback(const char *member)
{
	char *text = xasprintf("{\"name\":\"n\",%s}", member);
	struct beast b;

	is_number(parse(&b, text), 0);
	is_number(b.age, -1);
	is_number(b.teeth, 0);
	is_text(b.tag, "");
	is_number(b.born, 0);
	is_number(b.colour, GREY);
	is_number(b.letter, 0);
	is_number(b.front.toes, 5);
	is_number(b.nmore, 0);
	ok(b.words == NULL && !b.tame);
	release(&b);
	free(text);
}

TEST(another_kind_is_the_fallback) {
	static const char *const members[] = {
		"\"age\":\"1\"", "\"age\":1.5", "\"age\":true",
		"\"age\":null", "\"age\":[1]", "\"age\":{\"age\":1}",
		"\"age\":2147483648", "\"age\":-2147483649",
		"\"age\":1e300", "\"teeth\":-1", "\"teeth\":4294967296",
		"\"tag\":\"12345\"", "\"tag\":7", "\"tame\":1",
		"\"tame\":null", "\"tame\":\"true\"", "\"born\":0",
		"\"born\":\"yesterday\"", "\"colour\":\"pink\"",
		"\"colour\":1", "\"letter\":1", "\"letter\":\"\"",
		"\"words\":{}", "\"words\":\"one\"", "\"front\":[{}]",
		"\"front\":\"x\"", "\"more\":{}", "\"more\":[1,[{}],\"\"]",
	};
	size_t i;

	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		is_fallback(members[i]);
}

TEST(a_bad_text_is_refused) {
	static const char *const texts[] = {
		"", " ", "{", "[]", "7", "\"name\"", "{}", "{\"name\":7}",
		"{\"name\":\"n\"", "{\"name\":\"n\"}}", "{\"name\":\"n\"}x",
		"{\"name\":\"n\",}", "{\"name\":\"n\",\"name\":\"n\"}",
		"{\"name\":\"n\",\"x\":{\"y\"}}", "{\"name\":\"n\",\"age\":}",
		"{\"name\":\"n\",\"more\":[{\"length\":01}]}",
		"{\"name\":\"n\",\"words\":[\"a\" \"b\"]}",
		"{\"name\":\"n\",\"front\":{\"toes\":1,\"toes\":1}}",
		"{\"name\":\"\xff\"}",
	};
	struct beast b;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		is_number(parse(&b, texts[i]), -1);
		release(&b);
	}
}

TEST(every_cut_of_a_text_is_refused) {
	struct beast b;
	size_t i;

	for (i = 0; i < sizeof(whole) - 1; i++) {
		memset(&b, 0, sizeof(b));
		is_number(fields_parse(beasts, &b, whole, i), -1);
		release(&b);
	}
}

TEST(a_file_is_one_line) {
	struct beast b, got = { 0 };

	is_number(parse(&b, whole), 0);
	is_number(fields_write(scratch_fd, "b.json", beasts, &b), 0);
	is_text(scratch_text("b.json") + sizeof(whole) - 1, "\n");
	is_number(fields_read(scratch_fd, "b.json", sizeof(whole), beasts,
	    &got), 1);
	is_printed(&got, whole);
	release(&got);
	is_number(fields_read(scratch_fd, "b.json", sizeof(whole) - 2, beasts,
	    &got), -1);
	is_number(errno, EBADMSG);
	release(&got);
	is_number(fields_read(scratch_fd, "none", 100, beasts, &got), 0);
	scratch_folder("folder");
	is_number(fields_read(scratch_fd, "folder", 100, beasts, &got), -1);
	is_number(errno, EINVAL);
	release(&b);
}

static void
is_file(const char *text, int want)
{
	struct beast b = { 0 };

	scratch_write("b.json", text);
	is_number(fields_read(scratch_fd, "b.json", 1000, beasts, &b), want);
	if (want == 1)
		is_text(b.name, "n");
	release(&b);
}

/* A file is read without the parser if it is as it was written. */
TEST(a_file_is_as_strict_as_a_text) {
	is_file("{\"name\":\"n\"}\n", 1);
	is_file("{\"v\":2,\"name\":\"n\",\"age\":7,\"tame\":true}\n", 1);
	is_file("{\"name\":\"n\",\"v\":2}", 1);
	is_file("{\"name\":\"\\u006e\",\"age\":-0.5e1}", 1);
	is_file("{\"name\":\"n\",\"front\":{\"length\":7},\"x\":1}\n", 1);
	is_file("{\"name\":\"n\",}\n", -1);
	is_file("{,\"name\":\"n\"}\n", -1);
	is_file("{\"name\":\"n\" \"age\":7}\n", -1);
	is_file("{\"name\":\"n\",\"age\":+7}\n", -1);
	is_file("{\"name\":\"n\",\"age\":07}\n", -1);
	is_file("{\"name\":\"n\",\"tame\":tru}\n", -1);
	is_file("{\"name\":\"n\",\"age\":7}}\n", -1);
	is_file("{\"name\":\"n\",\"age\":7}\n{}", -1);
	is_file("{\"name\":\"n\",\"age\":7,\"age\":7}\n", -1);
	is_file("{\"name\":\"n\n\"}\n", -1);
	is_file("{\"name\":\"n\",\"front\":{\"length\":7,\"length\":7}}\n", -1);
	is_file("{\"v\":2}\n", -1);
	is_file("{\"name\":\"n\"", -1);
	is_file("", -1);
}

struct fenced {
	char mark, *text, **words;
};

TEST(a_letter_is_one_of_those_named) {
	static const char *const marks[] = { "`~" };
	static const struct field fields[] = {
		{ "mark", FIELD_LETTER, FIELD_AT(struct fenced, mark),
		    FIELD_NAMES(marks), .omit = true },
		{ 0 }
	};
	static const struct { const char *text; char mark; } cases[] = {
		{ "{\"mark\":\"~\"}", '~' }, { "{\"mark\":\"x\"}", 0 },
		{ "{\"mark\":\"~~\"}", 0 }, { "{\"mark\":\"\"}", 0 },
		{ "{}", 0 },
	};
	struct buf out = BUF_INIT;
	struct fenced f = { .mark = '`' };
	size_t i;

	fields_print(&out, fields, &f);
	is_text(buf_str(&out), "{\"mark\":\"`\"}");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		is_number(fields_parse(fields, &f, cases[i].text,
		    strlen(cases[i].text)), 0);
		is_number(f.mark, cases[i].mark);
	}
	buf_release(&out);
}

TEST(what_is_released_is_empty) {
	static const char text[] = "{\"text\":\"a\",\"words\":[\"b\"]}";
	static const struct field fields[] = {
		{ "text", FIELD_TEXT, FIELD_AT(struct fenced, text) },
		{ "words", FIELD_WORDS, FIELD_AT(struct fenced, words) },
		{ 0 }
	};
	struct fenced f = { .text = NULL };

	is_number(fields_parse(fields, &f, text, sizeof(text) - 1), 0);
	is_text(f.text, "a");
	is_text(f.words[0], "b");
	fields_release(fields, &f);
	ok(f.text == NULL && f.words == NULL);
}

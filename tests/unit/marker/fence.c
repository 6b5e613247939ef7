#include "marker/marker.h"

#include "tap.h"

static struct fence_line
line(const char *text)
{
	struct fence_line l = { .place = FENCE_BEFORE };

	fence_line_add(&l, text, strlen(text));
	return l;
}

TEST(three_backticks_or_tildes_open) {
	static const struct { const char *text; bool opens; } rows[] = {
		{ "```", true }, { "`````sh", true }, { "~~~ a ` b", true },
		{ "``", false }, { "~~ ~", false }, { "see ```", false },
		{ "", false },
		/* A backtick behind backticks is inline code. */
		{ "``` a`b", false }, { "```x```", false },
		/* Indents, quotes and boxes are skipped. */
		{ "      ```", true }, { "\t> > ```", true },
		{ "\342\224\202 \342\224\203```", true },
		{ "\342\224\200 ```", false },
		/* An opener may be in a list. */
		{ "- ```", true }, { "  12. * > 3) ~~~", true },
		{ "-```", false }, { "12 ```", false }, { "-- ```", false },
	};
	struct fence_line l;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].text);
		l = line(rows[i].text);
		ok(fence_opens(&l) == rows[i].opens);
	}
}

TEST(the_same_mark_as_often_and_nothing_else_closes) {
	static const struct {
		const char *text;
		struct fence fence;
		bool closes;
	} rows[] = {
		{ "```", { '`', 3 }, true }, { "  `````", { '`', 4 }, true },
		{ "```", { '`', 4 }, false }, { "~~~", { '`', 3 }, false },
		{ "> ~~~ \t \342\224\202", { '~', 3 }, true },
		{ "``` sh", { '`', 3 }, false }, { "- ```", { '`', 3 }, false },
		{ "``` `", { '`', 3 }, false },
	};
	struct fence_line l;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].text);
		l = line(rows[i].text);
		ok(fence_closes(&rows[i].fence, &l) == rows[i].closes);
	}
}

TEST(passing_keeps_account) {
	struct fence f = { 0, 0 };
	struct fence_line four = line("````"), three = line("```");
	struct fence_line text = line("text");

	ok(!fence_pass(&f, &text) && f.mark == 0);
	ok(fence_pass(&f, &four) && f.mark == '`' && f.len == 4);
	ok(!fence_pass(&f, &three) && f.mark == '`');
	ok(fence_pass(&f, &four) && f.mark == 0);
}

TEST(a_search_finds_what_may_become_a_fence) {
	static const struct { const char *text; size_t at; } rows[] = {
		{ "some `code` and ~ here\n", 23 }, { "ab```", 2 },
		{ "a``\n`\r\n~~~x", 7 }, { "a`\033[m``", 1 },
		{ "`a ``\033", 3 }, { "ends in `", 8 }, { "", 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].text);
		is_number(fence_search(rows[i].text, strlen(rows[i].text)),
		    rows[i].at);
	}
}

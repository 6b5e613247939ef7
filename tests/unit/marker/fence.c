#include "marker/marker.h"

#include "tap.h"

static struct fence_line
line(const char *text)
{
	struct fence_line l = { .place = FENCE_BEFORE };

	fence_line_add(&l, text, strlen(text));
	return l;
}

/* The vectors of markers show what opens and closes, but not these. */
TEST(a_fence_line_is_nothing_but_one_behind_indents_quotes_boxes_and_lists) {
	static const struct { const char *text; bool opens, closes; } rows[] = {
		{ "```", true, true }, { "~~~ a ` b", true, false },
		{ "~~ ~", false, false }, { "", false, false },
		{ "```x```", false, false }, { "\t> > ```", true, true },
		{ "\342\224\202 \342\224\203```", true, true },
		{ "``` \t \342\224\202", true, true },
		{ "\342\224\200 ```", false, false }, { "- ```", true, false },
		{ "  12. * > 3) ~~~", true, false }, { "-```", false, false },
		{ "12 ```", false, false }, { "-- ```", false, false },
		{ "``` `", false, false }, { "``` sh", true, false },
		{ "~~~", true, false },
	};
	const struct fence f = { '`', 3 };
	struct fence_line l;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].text);
		l = line(rows[i].text);
		ok(fence_opens(&l) == rows[i].opens);
		ok(fence_closes(&f, &l) == rows[i].closes);
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

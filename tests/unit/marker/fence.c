#include "marker/marker.h"

#include "tap.h"

static struct fence_line
line(const char *text)
{
	struct fence_line l = { .place = FENCE_BEFORE };

	fence_line_add(&l, text, strlen(text));
	return l;
}

static bool
opens(const char *text)
{
	struct fence_line l = line(text);

	return fence_opens(&l);
}

static bool
closes(const char *text, char mark, unsigned len)
{
	const struct fence f = { mark, len };
	struct fence_line l = line(text);

	return fence_closes(&f, &l);
}

TEST(three_backticks_or_tildes_open) {
	ok(opens("```"));
	ok(opens("`````sh"));
	ok(opens("~~~ a ` b"));
	ok(!opens("``"));
	ok(!opens("~~ ~"));
	ok(!opens("see ```"));
	ok(!opens(""));
}

TEST(a_backtick_behind_backticks_is_inline_code) {
	ok(!opens("``` a`b"));
	ok(!opens("```x```"));
}

TEST(indents_quotes_and_boxes_are_skipped) {
	ok(opens("      ```"));
	ok(opens("\t> > ```"));
	ok(opens("\342\224\202 \342\224\203```"));
	ok(!opens("\342\224\200 ```"));
}

TEST(an_opener_may_be_in_a_list) {
	ok(opens("- ```"));
	ok(opens("  12. * > 3) ~~~"));
	ok(!opens("-```"));
	ok(!opens("12 ```"));
	ok(!opens("-- ```"));
}

TEST(the_same_mark_as_often_closes) {
	ok(closes("```", '`', 3));
	ok(closes("  `````", '`', 4));
	ok(!closes("```", '`', 4));
	ok(!closes("~~~", '`', 3));
	ok(closes("> ~~~ \t \342\224\202", '~', 3));
}

TEST(nothing_else_may_stand_with_a_closer) {
	ok(!closes("``` sh", '`', 3));
	ok(!closes("- ```", '`', 3));
	ok(!closes("``` `", '`', 3));
}

TEST(a_line_given_in_parts_is_the_same_line) {
	struct fence_line l = { .place = FENCE_BEFORE };

	fence_line_add(&l, "1", 1);
	fence_line_add(&l, "2. \342\224\202", 6);
	fence_line_add(&l, "``", 2);
	ok(!fence_opens(&l));
	fence_line_add(&l, "`", 1);
	ok(fence_opens(&l));
	fence_line_add(&l, "c`", 2);
	ok(!fence_opens(&l));
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

#define is_found(text, offset) \
	is_number(fence_search((text), sizeof(text) - 1), (offset))

TEST(a_search_finds_what_may_become_a_fence) {
	is_found("some `code` and ~ here\n", 23);
	is_found("ab```", 2);
	is_found("a``\n`\r\n~~~x", 7);
	is_found("a`\033[m``", 1);
	is_found("`a ``\033", 3);
	is_found("ends in `", 8);
	is_found("", 0);
}

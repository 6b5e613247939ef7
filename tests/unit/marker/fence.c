#include "marker/marker.h"

#include "tap.h"
#include "unit/fixture.h"

static const char *
opens_or_closes(const char *text)
{
	const struct fence f = { '`', 3 };
	struct fence_line l = { .place = FENCE_BEFORE };

	fence_line_add(&l, text, strlen(text));
	return !fence_opens(&l) ? fence_closes(&f, &l) ? "closes" : "none" :
	    fence_closes(&f, &l) ? "both" : "opens";
}

/* The vectors of markers show what opens and closes, but not these. */
TEST(a_fence_line_is_nothing_but_one_behind_indents_quotes_boxes_and_lists) {
	ROWS(opens_or_closes, "``` => both", "\t> > ``` => both",
	    "\342\224\202 \342\224\203``` => both",
	    "``` \t \342\224\202 => both", "``` sh => opens",
	    "~~~ => opens", "~~~ a ` b => opens", "- ``` => opens",
	    "  19. * > 3) ~~~ => opens", "~~ ~ => none", " => none",
	    "```x``` => none", "``` ` => none", "\342\224\200 ``` => none",
	    "-``` => none", "12 ``` => none", "-- ``` => none");
}

TEST(a_search_finds_what_may_become_a_fence) {
	static const struct { const char *text; size_t at; } rows[] = {
		{ "some `code` and ~ here\n", 23 }, { "ab```", 2 },
		{ "a``\n`\r\n~~~x", 7 }, { "a`\033[m``", 1 },
		{ "`a ``\033", 3 }, { "ends in `", 8 }, { "", 0 },
	};
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		ROW("%s", rows[i].text);
		is_number(fence_search(rows[i].text, strlen(rows[i].text)),
		    rows[i].at);
	}
}

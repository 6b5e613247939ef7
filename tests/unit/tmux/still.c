#include "tmux/tmux.h"

#include "base/alloc.h"
#include "scratch.h"

static struct pane_ref ref = { .server = 7, .server_start = 8, .pane = "%5",
    .pane_pid = 9 };
static struct tmux_still s;
static struct buf question, why;

/* An answer of tmux for a screen. */
static bool
parse(const char *facts, const char *rows)
{
	char *answer = xasprintf("%s\n%s%s", facts, rows, rows);
	bool good;

	still_release(&s);
	good = still_parse(&s, answer, &ref);
	free(answer);
	return good;
}

#define FACTS(rows) "7 8 %5 9 . 80 " rows " 0 1 claude"

/* The question about the rows from one on, or why there is none. */
static const char *
ask(size_t first)
{
	size_t begin = strlen(still_facts) + strlen("#{==:");

	buf_reset(&question);
	buf_reset(&why);
	return still_question(&s, first, 0, &question, &why) ?
	    buf_str(&question) + begin : buf_str(&why);
}

TEST(facts_rows_and_colors_are_told_apart_if_it_is_the_pane) {
	ok(still_parse(&s, FACTS("2") "\na\n\n\033[1ma\n\n", &ref));
	is_text(s.rows, "a\n\n");
	is_text(s.colored, "\033[1ma\n\n");
	ok(still_refuses(&s) == NULL);
	ok(!parse("7 8 %6 9 . 80 1 0 1 claude", "a\n"));
	ok(!parse("7 8 %5 10 . 80 1 0 1 claude", "a\n"));
	ok(!parse("7 9 %5 9 . 80 1 0 1 claude", "a\n"));
	ok(!parse("8 8 %5 9 . 80 1 0 1 claude", "a\n") && !parse("", ""));
	ok(!still_parse(&s, FACTS("3") "\na\n", &ref));
}

/* tests/system/answer.sh has the modes of a pane. */
TEST(a_strange_name_in_front_keeps_keys_away) {
	ok(parse("7 8 %5 9 . 80 1 0 1 a#{x}", "a\n"));
	is_text(still_refuses(&s),
	    "the program in front of it has a strange name");
	ok(parse("7 8 %5 9 d. 80 1 0 1 claude", "a\n"));
	is_text(still_refuses(&s), "its process has ended");
}

TEST(each_row_is_asked_for_by_its_number) {
#define ODD "[^0-9A-Za-z /_=@~\"'<>;&!.$*+?()|-]"
#define TWICE "a line of it also stands above on the screen, so a change " \
	"might be missed"
	static const struct {
		const char *facts, *rows;
		size_t first;
		const char *want;
	} rows[] = {
		{ FACTS("4"), "top\n\nmay I?\n 1. Yes\n", 1,
		    " #{C/r:^may I[?]$} #{C/r:^ 1[.] Yes$}," FACTS("4")
		    " 3 4}" },
		/* Nothing of it is a format. */
		{ FACTS("1"), "#{p,a}b:c\\%H\n", 0, " #{C/r:^" ODD ODD "p" ODD
		    "a" ODD "b" ODD "c" ODD ODD "H$}," FACTS("1") " 1}" },
		/* One that stands above, too, cannot be asked for. */
		{ FACTS("3"), "may I?\n---\nmay I?\n", 1, TWICE },
		{ FACTS("3"), "x,y\n---\nx:y\n", 1, TWICE },
		{ FACTS("4"), "\u2500\u2500\n}\n\u2500\u2500\n}\n", 2,
		    "," FACTS("4") "}" },
		/* A long run of one sign is one expression, which would be
		 * slow; a shorter run is another row. */
		{ FACTS("3"), "a \u2500\u2500\u2500\u2500\u2500\u2500 b\n"
		    "a \u2500\u2500\u2500 b\na....b\n", 0,
		    " #{C/r:^a \u2500\u2500\u2500\u2500+ b$}"
		    " #{C/r:^a \u2500\u2500\u2500 b$}"
		    " #{C/r:^a[.][.][.][.]b$}," FACTS("3") " 1 2 3}" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].want);
		ok(parse(rows[i].facts, rows[i].rows));
		is_text(ask(rows[i].first), rows[i].want);
	}
}

TEST(a_quick_question_is_about_rows_that_speak) {
	static const struct still_span spans[] = { { 1, 4 }, { 0, 0 } };

	ok(parse(FACTS("4"), "same\nmay I?\n---\nsame\n"));
	buf_reset(&question);
	ok(still_quick(&s, spans, 2, &question));
	is_text(buf_str(&question),
	    "#{==:#{?pane_in_mode,m,} #{C/r:^may I[?]$}, 2}");
	buf_reset(&question);
	ok(!still_quick(&s, spans + 1, 1, &question));
	ok(!still_quick(&s, &(struct still_span){ 9, 12 }, 1, &question));
}

TEST(too_much_is_not_asked) {
	struct buf rows = BUF_INIT;
	int i;

	for (i = 0; i < 40; i++)
		buf_printf(&rows, "%d%0400d\n", i, 0);
	ok(parse(FACTS("40"), buf_str(&rows)));
	is_text(ask(0), "it is too large to be compared");
	buf_release(&rows);
}

AFTER_TESTS {
	still_release(&s);
	buf_release(&question);
	buf_release(&why);
}

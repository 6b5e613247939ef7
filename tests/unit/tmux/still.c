#include "tmux/tmux.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "scratch.h"

static struct pane_ref ref = { .server = 7, .server_start = 8, .pane = "%5",
    .pane_pid = 9 };
static struct tmux_still s;
static struct buf question, why;

/* An answer of tmux for a screen of so many rows. */
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

/* The question about the rows from one on, or why there is none. */
static const char *
ask(size_t first)
{
	size_t begin = strlen(still_facts) + strlen("#{==:");

	buf_reset(&question);
	buf_reset(&why);
	return still_question(&s, first, false, &question, &why) ?
	    buf_str(&question) + begin : buf_str(&why);
}

TEST(facts_rows_and_colors_are_told_apart) {
	ok(still_parse(&s, "7 8 %5 9 . 80 2 0 1 claude\na\n\n\033[1ma\n\n",
	    &ref));
	is_text(s.rows, "a\n\n");
	is_text(s.colored, "\033[1ma\n\n");
	ok(still_refuses(&s) == NULL);
}

TEST(another_pane_is_not_it) {
	ok(!parse("7 8 %6 9 . 80 1 0 1 claude", "a\n"));
	ok(!parse("7 8 %5 10 . 80 1 0 1 claude", "a\n"));
	ok(!parse("7 9 %5 9 . 80 1 0 1 claude", "a\n"));
	ok(!parse("8 8 %5 9 . 80 1 0 1 claude", "a\n"));
	ok(!parse("", ""));
	ok(!still_parse(&s, "7 8 %5 9 . 80 3 0 1 claude\na\n", &ref));
}

TEST(what_keeps_keys_away_is_told) {
	static const char *const flags[] = { "d.", "m.", "o.", "s." };
	size_t i;

	for (i = 0; i < 4; i++) {
		char *facts = xasprintf("7 8 %%5 9 %s 80 1 0 1 claude",
		    flags[i]);

		ok(parse(facts, "a\n"));
		ok(still_refuses(&s) != NULL);
		free(facts);
	}
	ok(parse("7 8 %5 9 . 80 1 0 1 a#{x}", "a\n"));
	is_text(still_refuses(&s),
	    "the program in front of it has a strange name");
}

TEST(each_row_is_asked_for_by_its_number) {
	ok(parse("7 8 %5 9 . 80 4 0 1 claude", "top\n\nmay I?\n 1. Yes\n"));
	is_text(ask(1), " #{C/r:^may I[?]$} #{C/r:^ 1[.] Yes$},"
	    "7 8 %5 9 . 80 4 0 1 claude 3 4}");
}

TEST(nothing_of_a_row_is_a_format) {
	const char *p;

	ok(parse("7 8 %5 9 . 80 1 0 1 claude", "#{pid} #(ls) a,b}c:d\\%H\n"));
	ask(0);
	p = strstr(buf_str(&question), "#{C/r:");
	ok(p != NULL);
	p += strlen("#{C/r:");
	ok(p[strcspn(p, "#,:%\\}{")] == '}');
	ok(strncmp(p + strcspn(p, "#,:%\\}{"), "},7 8", 5) == 0);
}

TEST(a_row_that_stands_above_too_cannot_be_asked_for) {
	ok(parse("7 8 %5 9 . 80 3 0 1 claude", "may I?\n---\nmay I?\n"));
	ok(strncmp(ask(1), "a line of it stands", 19) == 0);
	ok(parse("7 8 %5 9 . 80 3 0 1 claude", "x,y\n---\nx:y\n"));
	ok(strncmp(ask(1), "a line of it stands", 19) == 0);
	ok(parse("7 8 %5 9 . 80 4 0 1 claude", "\u2500\u2500\n}\n\u2500\u2500\n"
	    "}\n"));
	is_text(ask(2), ",7 8 %5 9 . 80 4 0 1 claude}");
}

/* Its expression would be slow; a shorter run is another row. */
TEST(a_long_run_of_one_sign_is_one_expression) {
	ok(parse("7 8 %5 9 . 80 3 0 1 claude", "a \u2500\u2500\u2500\u2500"
	    "\u2500\u2500 b\na \u2500\u2500\u2500 b\na....b\n"));
	is_text(ask(0), " #{C/r:^a \u2500\u2500\u2500\u2500+ b$}"
	    " #{C/r:^a \u2500\u2500\u2500 b$} #{C/r:^a[.][.][.][.]b$},"
	    "7 8 %5 9 . 80 3 0 1 claude 1 2 3}");
}

TEST(a_quick_question_is_about_rows_that_speak) {
	static const struct still_span spans[] = { { 1, 4 }, { 0, 0 } };

	ok(parse("7 8 %5 9 . 80 4 0 1 claude", "same\nmay I?\n---\nsame\n"));
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
	ok(parse("7 8 %5 9 . 80 40 0 1 claude", buf_str(&rows)));
	is_text(ask(0), "it is too large to be compared");
	buf_release(&rows);
}

AFTER_TESTS {
	still_release(&s);
	buf_release(&question);
	buf_release(&why);
}

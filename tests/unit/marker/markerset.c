#include "marker/marker.h"

#include <errno.h>

#include "tap.h"
#include "unit/fixture.h"

#define RUN "0123abcd-1111-4222-8333-444444444444"

static struct marker_set
make(const char *run, const char *custom)
{
	struct marker_set set;

	ok(marker_set_init(&set, "42", run, custom) == 0);
	return set;
}

/* Is it, if it is tried as a marker? */
static bool
refused(const char *issue, const char *run, const char *custom)
{
	struct marker_set set;

	errno = 0;
	return marker_set_init(&set, issue, run, custom) == -1 &&
	    errno == EINVAL;
}

TEST(what_cannot_be_a_marker_is_refused) {
	static const char *const bad[] = { "", " a", "a\t", "a\nb", "a\177b" };
	char text[MARKER_CUSTOM_MAX + 2];
	size_t i;

	for (i = 0; i < COUNT(bad); i++) {
		ROW("%s", bad[i]);
		ok(refused("42", NULL, bad[i]));
	}
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	ok(refused("42", NULL, text));
	ok(!refused("42", NULL, text + 1));
	ok(refused("a b", NULL, NULL) && refused("42", "x", NULL));
}

#define DONE "###TASK_COMPLETE_42###"
#define ALSO "###COMPLETE_TASK_42###"
#define FAILED "###TASK_ERROR_42###"

/* A custom marker replaces the first spelling. */
TEST(a_finished_marker_is_found_wherever_it_stands) {
	static const struct { const char *custom, *text; bool in; } rows[] = {
		{ NULL, "say \"" DONE "\" then", true },
		{ NULL, "x###ERROR_TASK_42###", true },
		{ NULL, "###TASK_ERROR_42:00ff00ff###", true },
		{ NULL, "###TASK_COMPLETE_421### ###TASK_COMPLETE_42", false },
		{ NULL, "###TASK_COMPLETE_42:00FF00FF###", false },
		{ NULL, "", false }, { "READY.", "all READY.", true },
		{ "READY.", "all READYx", false }, { "READY.", DONE, false },
		{ "READY.", ALSO, true },
		{ "READY.", "###TASK_COMPLETE_42:00ff00ff###", true },
	};
	struct marker_set set;
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		ROW("%s", rows[i].text);
		set = make(NULL, rows[i].custom);
		ok(marker_set_in(&set, rows[i].text, strlen(rows[i].text)) ==
		    rows[i].in);
	}
}

enum { COMPLETE = MARKER_COMPLETE, ERROR = MARKER_ERROR };

/* These kinds of marker stand in each of the lines. */
static void
find(unsigned kinds, const char *custom, const char *const *line)
{
	struct marker_set set = make(RUN, custom);
	struct marker_text t;

	for (; *line != NULL; line++) {
		ROW("%s", *line);
		t = (struct marker_text){ .text = *line, .len = strlen(*line),
		    .until = strlen(*line) };
		is_number(marker_set_find(&set, &t), kinds);
	}
}

#define FIND(kinds, custom, ...) \
	find((kinds), (custom), (const char *const[]){ __VA_ARGS__, NULL })

/* scan.t shows bound markers, and that there are none without a run. */
TEST(a_line_has_kinds) {
	FIND(COMPLETE | ERROR, NULL, ALSO " " FAILED);
	FIND(ERROR | MARKER_BOUND_ERROR, NULL, "###ERROR_TASK_42:0123abcd###");
	FIND(MARKER_STALE, NULL, "###TASK_COMPLETE_42:0123abce###");
	FIND(0, NULL, "###TASK_COMPLETE_42:0123abc###");
}

/* The vectors show neighbours and words on whole lines, and each letter. */
TEST(neighbours_and_words_of_any_script_refuse) {
	FIND(0, NULL, DONE "\342\200\231");
	FIND(COMPLETE, NULL, "\200\214" DONE "\342\200",
	    "'" DONE "' " DONE);
	FIND(0, "READY", "print \t " ALSO,
	    /* Behind it one blank and a word do: what a terminal draws beside
	     * a marker is glued to it, or further away. */
	    ALSO " foo", ALSO "\tfoo", ALSO " #x", FAILED " ##x",
	    /* A word that is not of ASCII does also where it touches it. */
	    "\u4e86\u3000 " ALSO, ALSO " \uc644", ALSO "\u3000\u306f",
	    ALSO " #\U00020000");
	FIND(COMPLETE, "READY", "print" ALSO, "  " ALSO, "now READY",
	    "READY now", "\u4e86READY\u306f", ALSO "idle", ALSO "  idle",
	    ALSO " ", ALSO " #", ALSO " |", "\u4e86\uff1a" ALSO "\u3002",
	    "\u3000" ALSO "\u3000", ALSO "  \u306f", ALSO " \u2713 ok",
	    "\xe4\xba " ALSO, "\x86" ALSO "\xe3", ALSO " \xe3\x81");
}

TEST(an_open_text_waits_for_the_neighbour) {
	static const struct { const char *line; int kinds; } rows[] = {
		{ DONE, 0 }, { DONE "\343\200", 0 }, { DONE " ", 0 },
		{ DONE " foo", 0 }, { DONE " \343\201", 0 },
		{ DONE "\343\201\257", 0 }, { DONE "\343\200\202", COMPLETE },
		{ DONE "'", 0 }, { "###TASK_COMPLETE_42##", 0 },
	};
	struct marker_set set = make(NULL, NULL);
	struct marker_text t = { .open = true };
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		ROW("%s", rows[i].line);
		t.text = rows[i].line;
		t.len = t.until = strlen(rows[i].line);
		is_number(marker_set_find(&set, &t), rows[i].kinds);
	}
}

TEST(a_search_stops_where_a_marker_may_begin) {
	static const struct { const char *custom, *text; size_t at; } rows[] = {
		{ NULL, "# a ## b ### c ###TODO ####\r\n", 29 },
		{ NULL, "", 0 }, { NULL, "ab #####TASK_COMPLETE_42", 3 },
		{ NULL, "a # b #\033[m##TASK", 6 },
		{ NULL, "a ##\033[m#TASK", 2 },
		{ NULL, "a ###TASK_\001COM", 2 },
		{ NULL, "nothing ##", 8 }, { NULL, "###TASK_ER", 0 },
		{ NULL, "ab\b", 2 },
		{ "==A", "= == ==B ====\r", 14 }, { "==A", "x ====A", 2 },
		{ "==A", "x =\033", 2 }, { "==A", "x ==", 2 },
		{ "===", "= =====.", 2 },
	};
	struct marker_set set;
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		ROW("%s", rows[i].text);
		set = make(NULL, rows[i].custom);
		is_number(marker_set_search(&set, rows[i].text,
		    strlen(rows[i].text)), rows[i].at);
	}
}

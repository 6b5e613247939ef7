#include "marker/marker.h"

#include <errno.h>

#include "tap.h"

#define RUN "0123abcd-1111-4222-8333-444444444444"

static struct marker_set
make(const char *run, const char *custom)
{
	struct marker_set set;

	ok(marker_set_init(&set, "42", run, custom) == 0);
	return set;
}

static bool
custom_refused(const char *custom)
{
	struct marker_set set;

	ROW("%s", custom);
	errno = 0;
	return marker_set_init(&set, "42", NULL, custom) == -1 &&
	    errno == EINVAL;
}

TEST(what_cannot_be_a_marker_is_refused) {
	char text[MARKER_CUSTOM_MAX + 2];
	struct marker_set set;

	ok(custom_refused("") && custom_refused(" a"));
	ok(custom_refused("a\t") && custom_refused("a\nb"));
	ok(custom_refused("a\177b"));
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	ok(custom_refused(text));
	text[MARKER_CUSTOM_MAX] = '\0';
	ok(!custom_refused(text));
	ok(marker_set_init(&set, "a b", NULL, NULL) == -1);
	ok(marker_set_init(&set, "42", "x", NULL) == -1);
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
		{ NULL, "", false },
		{ "READY.", "all READY.", true },
		{ "READY.", "all READYx", false }, { "READY.", DONE, false },
		{ "READY.", ALSO, true },
		{ "READY.", "###TASK_COMPLETE_42:00ff00ff###", true },
	};
	struct marker_set set;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].text);
		set = make(NULL, rows[i].custom);
		ok(marker_set_in(&set, rows[i].text, strlen(rows[i].text)) ==
		    rows[i].in);
	}
}

struct row {
	const char *line;
	unsigned kinds;
};

static void
find(const char *run, const char *custom, const struct row *row)
{
	struct marker_set set = make(run, custom);
	struct marker_text t = { .text = NULL };

	for (; row->line != NULL; row++) {
		ROW("%s", row->line);
		t.text = row->line;
		t.len = t.until = strlen(row->line);
		is_number(marker_set_find(&set, &t, NULL), row->kinds);
	}
}

#define FIND(run, custom, ...) find((run), (custom), (const struct row[]){ \
	__VA_ARGS__, { NULL, 0 } })

enum { COMPLETE = MARKER_COMPLETE, ERROR = MARKER_ERROR };

TEST(a_line_has_kinds) {
	FIND(RUN, NULL, { DONE, COMPLETE },
	    { ALSO " " FAILED, COMPLETE | ERROR },
	    { "###ERROR_TASK_42:0123abcd###", ERROR | MARKER_BOUND_ERROR },
	    { "###TASK_COMPLETE_42:0123abcd###",
		COMPLETE | MARKER_BOUND_COMPLETE },
	    { "###TASK_COMPLETE_42:0123abce###", MARKER_STALE },
	    { "###TASK_COMPLETE_42:0123abc###", 0 });
	FIND(NULL, NULL, { "###TASK_COMPLETE_42:0123abcd###", 0 });
}

TEST(neighbours_and_words_of_any_script_refuse) {
	FIND(NULL, NULL, { "`" DONE, 0 }, { DONE "\"", 0 },
	    { "\343\200\214" DONE, 0 }, { DONE "\342\200\231", 0 },
	    { "\200\214" DONE "\342\200", COMPLETE },
	    { "'" DONE "' " DONE, COMPLETE });
	FIND(NULL, "READY", { "print \t " ALSO, 0 }, { "12 " ALSO, 0 },
	    { "print" ALSO, COMPLETE }, { "done. " ALSO, COMPLETE },
	    { "  " ALSO, COMPLETE }, { "now READY", COMPLETE },
	    /* Behind it one blank and a word do: what a terminal draws beside
	     * a marker is glued to it, or further away. */
	    { ALSO " foo", 0 }, { ALSO "\tfoo", 0 }, { ALSO " #x", 0 },
	    { FAILED " ##x", 0 }, { ALSO "idle", COMPLETE },
	    { ALSO "  idle", COMPLETE }, { ALSO " ", COMPLETE },
	    { ALSO " #", COMPLETE }, { ALSO " |", COMPLETE },
	    { ALSO " " FAILED, COMPLETE | ERROR }, { "READY now", COMPLETE });
	/* One that is not of ASCII refuses also where it touches the marker. */
	FIND(NULL, "READY", { "\u00e9 " ALSO, 0 }, { "\u4e86" ALSO, 0 },
	    { "\u4e86\u3000 " ALSO, 0 }, { "\u0915\u093f " ALSO, 0 },
	    { "\u2460 " ALSO, 0 }, { "e\u0301 " ALSO, 0 },
	    { ALSO "\u306f", 0 }, { ALSO " \uc644", 0 },
	    { ALSO "\u3000\u306f", 0 }, { ALSO " #\U00020000", 0 },
	    { "\u4e86\u3002 " ALSO, COMPLETE },
	    { "\u4e86\uff1a" ALSO "\u3002", COMPLETE },
	    { "\u2705 " ALSO, COMPLETE }, { "\u280b " ALSO, COMPLETE },
	    { "\u2139\ufe0f " ALSO, COMPLETE },
	    { "\u3000" ALSO "\u3000", COMPLETE },
	    { ALSO "  \u306f", COMPLETE }, { ALSO " \u2713 ok", COMPLETE },
	    { "\xe4\xba " ALSO, COMPLETE }, { "\x86" ALSO "\xe3", COMPLETE },
	    { ALSO " \xe3\x81", COMPLETE },
	    { "\u4e86READY\u306f", COMPLETE });
}

TEST(an_open_text_waits_for_the_neighbour) {
	static const struct {
		const char *line;
		unsigned kinds;
		bool waits;
	} rows[] = {
		{ DONE, 0, true }, { DONE "\343\200", 0, true },
		{ DONE " ", 0, true }, { DONE " foo", 0, false },
		{ DONE " \343\201", 0, true },
		{ DONE "\343\201\257", 0, false },
		{ DONE "\343\200\202", COMPLETE, false },
		{ DONE "'", 0, false }, { "###TASK_COMPLETE_42##", 0, false },
	};
	struct marker_set set = make(NULL, NULL);
	struct marker_text t = { .open = true };
	bool waits;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].line);
		t.text = rows[i].line;
		t.len = t.until = strlen(rows[i].line);
		is_number(marker_set_find(&set, &t, &waits), rows[i].kinds);
		ok(waits == rows[i].waits);
	}
}

TEST(only_what_begins_and_ends_within_the_limits_counts) {
	static const struct { struct marker_text t; unsigned kinds; } rows[] = {
		{ { .until = 23 }, COMPLETE },
		{ { .until = 23, .from = 2 }, 0 },
		{ { .until = 1, .from = 1 }, 0 },
		{ { .until = 2, .from = 1, .beyond = 23 }, 0 },
		{ { .until = 2, .from = 1, .beyond = 22 }, COMPLETE },
		{ { .until = 2, .from = 1, .word = true }, 0 },
	};
	struct marker_set set = make(NULL, NULL);
	struct marker_text t;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("row %zu", i);
		t = rows[i].t;
		t.text = " " DONE;
		t.len = 23;
		is_number(marker_set_find(&set, &t, NULL), rows[i].kinds);
	}
}

TEST(a_search_stops_where_a_marker_may_begin) {
	static const struct {
		const char *custom, *text;
		size_t offset;
	} rows[] = {
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

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].text);
		set = make(NULL, rows[i].custom);
		is_number(marker_set_search(&set, rows[i].text,
		    strlen(rows[i].text)), rows[i].offset);
	}
}

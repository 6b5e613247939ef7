#include "marker/marker.h"

#include <errno.h>

#include "tap.h"

static const char RUN[] = "0123abcd-1111-4222-8333-444444444444";

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

	errno = 0;
	return marker_set_init(&set, "42", NULL, custom) == -1 &&
	    errno == EINVAL;
}

TEST(what_cannot_be_a_marker_is_refused) {
	char text[MARKER_CUSTOM_MAX + 2];
	struct marker_set set;

	ok(custom_refused(""));
	ok(custom_refused(" a"));
	ok(custom_refused("a\t"));
	ok(custom_refused("a\nb"));
	ok(custom_refused("a\177b"));
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	ok(custom_refused(text));
	text[MARKER_CUSTOM_MAX] = '\0';
	ok(!custom_refused(text));
	ok(marker_set_init(&set, "a b", NULL, NULL) == -1);
	ok(marker_set_init(&set, "42", "x", NULL) == -1);
}

static bool
in(const struct marker_set *set, const char *text)
{
	return marker_set_in(set, text, strlen(text));
}

TEST(a_finished_marker_is_found_wherever_it_stands) {
	struct marker_set set = make(NULL, NULL);

	ok(in(&set, "say \"###TASK_COMPLETE_42###\" then"));
	ok(in(&set, "x###ERROR_TASK_42###"));
	ok(in(&set, "###TASK_ERROR_42:00ff00ff###"));
	ok(!in(&set, "###TASK_COMPLETE_421### ###TASK_COMPLETE_42"));
	ok(!in(&set, "###TASK_COMPLETE_42:00FF00FF###"));
	ok(!in(&set, ""));
}

TEST(a_custom_marker_replaces_the_first_spelling) {
	struct marker_set set = make(NULL, "READY.");

	ok(in(&set, "all READY."));
	ok(!in(&set, "all READYx"));
	ok(!in(&set, "###TASK_COMPLETE_42###"));
	ok(in(&set, "###COMPLETE_TASK_42###"));
	ok(in(&set, "###TASK_COMPLETE_42:00ff00ff###"));
}

static unsigned
found(const struct marker_set *set, const char *line)
{
	const struct marker_text t = {
		.text = line, .len = strlen(line), .until = strlen(line),
	};

	return marker_set_find(set, &t, NULL);
}

TEST(a_line_has_kinds) {
	struct marker_set set = make(RUN, NULL);

	is_number(found(&set, "###TASK_COMPLETE_42###"), MARKER_COMPLETE);
	is_number(found(&set, "###COMPLETE_TASK_42### ###TASK_ERROR_42###"),
	    MARKER_COMPLETE | MARKER_ERROR);
	is_number(found(&set, "###ERROR_TASK_42:0123abcd###"),
	    MARKER_ERROR | MARKER_BOUND_ERROR);
	is_number(found(&set, "###TASK_COMPLETE_42:0123abcd###"),
	    MARKER_COMPLETE | MARKER_BOUND_COMPLETE);
	is_number(found(&set, "###TASK_COMPLETE_42:0123abce###"),
	    MARKER_STALE);
	is_number(found(&set, "###TASK_COMPLETE_42:0123abc###"), 0);
	set = make(NULL, NULL);
	is_number(found(&set, "###TASK_COMPLETE_42:0123abcd###"), 0);
}

TEST(neighbours_refuse) {
	struct marker_set set = make(NULL, NULL);

	is_number(found(&set, "`###TASK_COMPLETE_42###"), 0);
	is_number(found(&set, "###TASK_COMPLETE_42###\""), 0);
	is_number(found(&set, "\343\200\214###TASK_COMPLETE_42###"), 0);
	is_number(found(&set, "###TASK_COMPLETE_42###\342\200\231"), 0);
	is_number(found(&set, "\200\214###TASK_COMPLETE_42###\342\200"),
	    MARKER_COMPLETE);
	is_number(found(&set, "'###TASK_COMPLETE_42###' ###TASK_COMPLETE_42###"),
	    MARKER_COMPLETE);
}

TEST(a_word_and_blanks_refuse_what_is_standard) {
	struct marker_set set = make(NULL, "READY");

	is_number(found(&set, "print \t ###COMPLETE_TASK_42###"), 0);
	is_number(found(&set, "12 ###COMPLETE_TASK_42###"), 0);
	is_number(found(&set, "print###COMPLETE_TASK_42###"),
	    MARKER_COMPLETE);
	is_number(found(&set, "done. ###COMPLETE_TASK_42###"),
	    MARKER_COMPLETE);
	is_number(found(&set, "  ###COMPLETE_TASK_42###"), MARKER_COMPLETE);
	is_number(found(&set, "now READY"), MARKER_COMPLETE);
}

/* One that is not of ASCII refuses also where it touches the marker. */
TEST(letters_of_any_script_refuse_what_is_standard) {
	static const char *const refused[] = {
		"\u00e9 ###COMPLETE_TASK_42###", "\u4e86###COMPLETE_TASK_42###",
		"\u4e86\u3000 ###COMPLETE_TASK_42###",
		"\u0915\u093f ###COMPLETE_TASK_42###",
		"\u2460 ###COMPLETE_TASK_42###", "e\u0301 ###COMPLETE_TASK_42###",
		"###COMPLETE_TASK_42###\u306f", "###COMPLETE_TASK_42### \uc644",
		"###COMPLETE_TASK_42###\u3000\u306f",
		"###COMPLETE_TASK_42### #\U00020000",
	}, *const accepted[] = {
		"\u4e86\u3002 ###COMPLETE_TASK_42###",
		"\u4e86\uff1a###COMPLETE_TASK_42###\u3002",
		"\u2705 ###COMPLETE_TASK_42###", "\u280b ###COMPLETE_TASK_42###",
		"\u2139\ufe0f ###COMPLETE_TASK_42###",
		"\u3000###COMPLETE_TASK_42###\u3000",
		"###COMPLETE_TASK_42###  \u306f",
		"###COMPLETE_TASK_42### \u2713 ok",
		"\xe4\xba ###COMPLETE_TASK_42###", "\x86###COMPLETE_TASK_42###\xe3",
		"###COMPLETE_TASK_42### \xe3\x81",
	};
	struct marker_set set = make(NULL, "READY");
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		is_number(found(&set, refused[i]), 0);
	for (i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++)
		is_number(found(&set, accepted[i]), MARKER_COMPLETE);
	is_number(found(&set, "\u4e86READY\u306f"), MARKER_COMPLETE);
}

/* What a terminal draws beside a marker is glued to it, or further away. */
TEST(one_blank_and_a_word_behind_refuse) {
	struct marker_set set = make(NULL, "READY");

	is_number(found(&set, "###COMPLETE_TASK_42### foo"), 0);
	is_number(found(&set, "###COMPLETE_TASK_42###\tfoo"), 0);
	is_number(found(&set, "###COMPLETE_TASK_42### #x"), 0);
	is_number(found(&set, "###TASK_ERROR_42### ##x"), 0);
	is_number(found(&set, "###COMPLETE_TASK_42###idle"), MARKER_COMPLETE);
	is_number(found(&set, "###COMPLETE_TASK_42###  idle"),
	    MARKER_COMPLETE);
	is_number(found(&set, "###COMPLETE_TASK_42### "), MARKER_COMPLETE);
	is_number(found(&set, "###COMPLETE_TASK_42### #"), MARKER_COMPLETE);
	is_number(found(&set, "###COMPLETE_TASK_42### |"), MARKER_COMPLETE);
	is_number(found(&set, "###COMPLETE_TASK_42### ###TASK_ERROR_42###"),
	    MARKER_COMPLETE | MARKER_ERROR);
	is_number(found(&set, "READY now"), MARKER_COMPLETE);
}

static unsigned
found_open(const char *line, bool *waits)
{
	struct marker_set set = make(NULL, NULL);
	const struct marker_text t = {
		.text = line, .len = strlen(line), .until = strlen(line),
		.open = true,
	};

	return marker_set_find(&set, &t, waits);
}

TEST(an_open_text_waits_for_the_neighbour) {
	bool waits;

	is_number(found_open("###TASK_COMPLETE_42###", &waits), 0);
	ok(waits);
	is_number(found_open("###TASK_COMPLETE_42###\343\200", &waits), 0);
	ok(waits);
	is_number(found_open("###TASK_COMPLETE_42### ", &waits), 0);
	ok(waits);
	is_number(found_open("###TASK_COMPLETE_42### foo", &waits), 0);
	ok(!waits);
	is_number(found_open("###TASK_COMPLETE_42### \343\201", &waits), 0);
	ok(waits);
	is_number(found_open("###TASK_COMPLETE_42###\343\201\257", &waits), 0);
	ok(!waits);
	is_number(found_open("###TASK_COMPLETE_42###\343\200\202", &waits),
	    MARKER_COMPLETE);
	ok(!waits);
	is_number(found_open("###TASK_COMPLETE_42###'", &waits), 0);
	ok(!waits);
	is_number(found_open("###TASK_COMPLETE_42##", &waits), 0);
	ok(!waits);
}

TEST(only_what_begins_and_ends_within_the_limits_counts) {
	struct marker_set set = make(NULL, NULL);
	struct marker_text t = {
		.text = " ###TASK_COMPLETE_42###", .len = 23, .until = 23,
	};

	is_number(marker_set_find(&set, &t, NULL), MARKER_COMPLETE);
	t.from = 2;
	is_number(marker_set_find(&set, &t, NULL), 0);
	t.from = 1;
	t.until = 1;
	is_number(marker_set_find(&set, &t, NULL), 0);
	t.until = 2;
	t.beyond = 23;
	is_number(marker_set_find(&set, &t, NULL), 0);
	t.beyond = 22;
	is_number(marker_set_find(&set, &t, NULL), MARKER_COMPLETE);
	t.word = true;
	is_number(marker_set_find(&set, &t, NULL), 0);
}

#define is_searched(set, text, offset) \
	is_number(marker_set_search((set), (text), sizeof(text) - 1), (offset))

TEST(a_search_skips_what_holds_no_marker) {
	struct marker_set set = make(NULL, NULL);

	is_searched(&set, "# a ## b ### c ###TODO ####\r\n", 29);
	is_searched(&set, "", 0);
}

TEST(a_search_stops_where_a_marker_may_begin) {
	struct marker_set set = make(NULL, NULL);

	is_searched(&set, "ab #####TASK_COMPLETE_42", 3);
	is_searched(&set, "a # b #\033[m##TASK", 6);
	is_searched(&set, "a ##\033[m#TASK", 2);
	is_searched(&set, "a ###TASK_\001COM", 2);
	is_searched(&set, "nothing ##", 8);
	is_searched(&set, "###TASK_ER", 0);
	is_searched(&set, "ab\b", 2);
}

TEST(a_search_knows_the_custom_marker) {
	struct marker_set set = make(NULL, "==A");

	is_searched(&set, "= == ==B ====\r", 14);
	is_searched(&set, "x ====A", 2);
	is_searched(&set, "x =\033", 2);
	is_searched(&set, "x ==", 2);
	set = make(NULL, "===");
	is_searched(&set, "= =====.", 2);
}

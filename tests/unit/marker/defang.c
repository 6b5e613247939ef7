#include "marker/defang.h"

#include "tap.h"
#include "unit/fixture.h"

TEST(markers_of_any_issue_and_the_runs_own_are_broken_up) {
#define ANY "a ####TASK_COMPLETE_42### ###ERROR_TASK_1###"
	static const struct {
		const char *text, *marker;
		enum defang_how how;
		const char *want;
	} rows[] = {
		{ ANY, NULL, DEFANG_BLANK,
		    "a #### TASK_COMPLETE_42### ### ERROR_TASK_1###" },
		{ ANY, NULL, DEFANG_TEXT,
		    "a ###\\x23TASK_COMPLETE_42### ##\\x23ERROR_TASK_1###" },
		{ ANY, NULL, DEFANG_JSON, "a ###\\u0023TASK_COMPLETE_42### "
		    "##\\u0023ERROR_TASK_1###" },
		/* It may go on in another line. */
		{ "###T\nASK", NULL, DEFANG_BLANK, "### T\nASK" },
		{ "x ALL-DONE-7.", "ALL-DONE-7", DEFANG_BLANK,
		    "x A LL-DONE-7." },
		{ "x ALL-DONE-7.", "ALL-DONE-7", DEFANG_TEXT,
		    "x \\x41LL-DONE-7." },
		{ "完了 完了", "完了", DEFANG_TEXT, "\\u5b8c了 \\u5b8c了" },
		{ "aaa", "aa", DEFANG_BLANK, "a a a" },
		{ "###TASK_ERROR_1### DONE", "DONE", DEFANG_BLANK,
		    "### TASK_ERROR_1### D ONE" },
		{ "ALL-DONE-7", NULL, DEFANG_BLANK, "ALL-DONE-7" },
		/* JSON says the same as before. */
		{ "{\"a\":\"x DONE\"}", "DONE", DEFANG_JSON,
		    "{\"a\":\"x \\u0044ONE\"}" },
		{ "{\"read\":false}", "\"read\":false", DEFANG_JSON,
		    "{\"\\u0072ead\":false}" },
		{ "[\"a\\nb\"]", "\\nb", DEFANG_JSON, "[\"a\\n\\u0062\"]" },
		{ "[\"\\u001bx\"]", "u001bx", DEFANG_JSON,
		    "[\"\\u001b\\u0078\"]" },
		{ "[\"😀!\"]", "😀!", DEFANG_JSON, "[\"\\ud83d\\ude00!\"]" },
		{ "[true,\"true\"]", "true", DEFANG_JSON,
		    "[true,\"\\u0074rue\"]" },
	};
	struct buf out = BUF_INIT;
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		ROW("%s", rows[i].text);
		buf_reset(&out);
		defang_add(&out, rows[i].text, strlen(rows[i].text),
		    rows[i].marker, rows[i].how);
		is_text(buf_str(&out), rows[i].want);
	}
	buf_reset(&out);
	defang_add(&out, NULL, 0, "x", DEFANG_JSON);
	is_number(out.len, 0);
	buf_release(&out);
}

static bool
is_harmless(const char *text, const char *marker)
{
	return defang_clean(text, strlen(text), marker);
}

TEST(what_holds_a_marker_is_told) {
	ok(is_harmless("", NULL) && defang_clean(NULL, 0, "x"));
	ok(is_harmless("###TASK_COMPLETE_", NULL));
	ok(!is_harmless("a ###TASK_COMPLETE_4:01234567### b", NULL));
	ok(!is_harmless("all of it is DONE", "DONE"));
	ok(is_harmless("all of it is D ONE", "DONE"));
}

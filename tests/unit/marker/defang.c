#include "marker/defang.h"

#include "tap.h"

static const char *
broken(const char *text, const char *marker, enum defang_how how)
{
	static struct buf out;

	buf_reset(&out);
	defang_add(&out, text, strlen(text), marker, how);
	return buf_str(&out);
}

static bool
is_harmless(const char *text, const char *marker)
{
	return defang_clean(text, strlen(text), marker);
}

TEST(markers_of_any_issue_are_broken_up) {
	const char *text = "a ####TASK_COMPLETE_42### ###ERROR_TASK_1###";

	is_text(broken(text, NULL, DEFANG_BLANK),
	    "a #### TASK_COMPLETE_42### ### ERROR_TASK_1###");
	is_text(broken(text, NULL, DEFANG_TEXT),
	    "a ###\\x23TASK_COMPLETE_42### ##\\x23ERROR_TASK_1###");
	is_text(broken(text, NULL, DEFANG_JSON),
	    "a ###\\u0023TASK_COMPLETE_42### ##\\u0023ERROR_TASK_1###");
}

TEST(what_goes_on_in_another_line_is_broken_up_as_well) {
	is_text(broken("###T\nASK", NULL, DEFANG_BLANK), "### T\nASK");
}

TEST(the_runs_own_marker_is_broken_up) {
	is_text(broken("x ALL-DONE-7.", "ALL-DONE-7", DEFANG_BLANK),
	    "x A LL-DONE-7.");
	is_text(broken("x ALL-DONE-7.", "ALL-DONE-7", DEFANG_TEXT),
	    "x \\x41LL-DONE-7.");
	is_text(broken("完了 完了", "完了", DEFANG_TEXT),
	    "\\u5b8c了 \\u5b8c了");
	is_text(broken("aaa", "aa", DEFANG_BLANK), "a a a");
	is_text(broken("###TASK_ERROR_1### DONE", "DONE", DEFANG_BLANK),
	    "### TASK_ERROR_1### D ONE");
	is_text(broken("ALL-DONE-7", NULL, DEFANG_BLANK), "ALL-DONE-7");
}

TEST(json_says_the_same_as_before) {
	is_text(broken("{\"a\":\"x DONE\"}", "DONE", DEFANG_JSON),
	    "{\"a\":\"x \\u0044ONE\"}");
	is_text(broken("{\"read\":false}", "\"read\":false", DEFANG_JSON),
	    "{\"\\u0072ead\":false}");
	is_text(broken("[\"a\\nb\"]", "\\nb", DEFANG_JSON),
	    "[\"a\\n\\u0062\"]");
	is_text(broken("[\"\\u001bx\"]", "u001bx", DEFANG_JSON),
	    "[\"\\u001b\\u0078\"]");
	is_text(broken("[\"😀!\"]", "😀!", DEFANG_JSON),
	    "[\"\\ud83d\\ude00!\"]");
	is_text(broken("[true,\"true\"]", "true", DEFANG_JSON),
	    "[true,\"\\u0074rue\"]");
}

TEST(what_holds_a_marker_is_told) {
	ok(is_harmless("", NULL));
	ok(defang_clean(NULL, 0, "x"));
	ok(is_harmless("###TASK_COMPLETE_", NULL));
	ok(!is_harmless("a ###TASK_COMPLETE_4:01234567### b", NULL));
	ok(!is_harmless("all of it is DONE", "DONE"));
	ok(is_harmless("all of it is D ONE", "DONE"));
}

TEST(nothing_is_nothing) {
	struct buf out = BUF_INIT;

	defang_add(&out, NULL, 0, "x", DEFANG_JSON);
	is_number(out.len, 0);
	buf_release(&out);
}

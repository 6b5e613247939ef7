#include "start/start.h"

#include "base/alloc.h"
#include "scratch.h"

TEST(a_session_is_called_like_its_project) {
	char folder[] = "/home/me/-a.b c";
	struct context c = { .project.root = folder };
	char *name;

	name = newpane_session(&c, "42");
	is_text(name, "_a_b_c-issue-42");
	ok(newpane_session_valid(name));
	free(name);
	ok(!newpane_session_valid("") && !newpane_session_valid("-x"));
	ok(!newpane_session_valid("a.b") && !newpane_session_valid("a:b"));
	ok(!newpane_session_valid("#{x}"));
}

/* tests/system/start-words.sh has options and reports in the place of one. */
TEST(a_prompt_has_a_greatest_length) {
	char *longest = xcalloc(NEWPANE_PROMPT + 2, 1);
	struct buf why = BUF_INIT;

	memset(longest, 'x', NEWPANE_PROMPT);
	ok(newpane_prompt(longest, "42", NULL, &why) && why.len == 0);
	ok(newpane_prompt("ALL DONE", "42", NULL, &why));
	ok(newpane_prompt("###TASK_COMPLETE_42###", "4", NULL, &why));
	ok(!newpane_prompt("ALL DONE", "42", "ALL DONE", &why));
	longest[NEWPANE_PROMPT] = 'x';
	buf_reset(&why);
	ok(!newpane_prompt(longest, "42", NULL, &why));
	ok(strstr(buf_str(&why), "is longer than") != NULL);
	buf_release(&why);
	free(longest);
}

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

static const char *
refused(const char *prompt, const char *issue, const char *marker)
{
	static struct buf why;
	bool may;

	buf_reset(&why);
	may = newpane_prompt(prompt, issue, marker, &why);
	is_number(may, why.len == 0);
	return buf_str(&why);
}

TEST(a_prompt_is_no_option_and_no_report) {
	char *longest = xcalloc(NEWPANE_PROMPT + 2, 1);

	is_text(refused("Go on.", NULL, NULL), "");
	is_text(refused("###TASK_COMPLETE_42###", "4", NULL), "");
	is_text(refused("ALL DONE", "42", NULL), "");
	ok(strstr(refused("###TASK_COMPLETE_42###", "42", NULL),
	    "holds a finished marker of issue '42'") != NULL);
	ok(strstr(refused("ALL DONE", "42", "ALL DONE"), "marker") != NULL);
	ok(strstr(refused("-x", NULL, NULL), "begins with '-'") != NULL);
	memset(longest, 'x', NEWPANE_PROMPT);
	is_text(refused(longest, "42", NULL), "");
	longest[NEWPANE_PROMPT] = 'x';
	ok(strstr(refused(longest, "42", NULL), "is longer than") != NULL);
	free(longest);
}

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

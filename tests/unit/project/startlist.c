/*
 * tests/system/start-many.sh has other wrong lines and lists.
 */
#include "project/startlist.h"

#include "scratch.h"
#include "unit/fixture.h"

/*
 * What a list is: "ISSUE at LINE: OPTION| COMMAND|\n" for each issue, or the
 * message, in which '@' is the list.  '\'' stands for '"' in it.
 */
static const char *
listed_n(const char *text, size_t len)
{
	static struct buf out;
	/* Reachable, since no program frees one. */
	static struct startlist lists[64];
	static size_t n;
	struct startlist *list = &lists[n++];
	size_t i;
	enum exit_status status;

	buf_reset(&out);
	scratch_put("list", O_TRUNC, text, len);
	status = startlist_read(list, scratch_path("list"), 10, &out);
	ok(status == (out.len > 0 ? EXIT_USAGE : EXIT_DONE));
	for (i = 0; i < list->n && status == EXIT_DONE; i++) {
		buf_printf(&out, "%s at %s: %s", list->v[i].issue,
		    list->v[i].place, joined(list->v[i].options));
		buf_printf(&out, " %s\n", joined(list->v[i].command));
	}
	return replaced(buf_str(&out), scratch_path("list"), "@");
}

static const char *
listed(const char *text)
{
	text = quoted(text);
	return listed_n(text, strlen(text));
}

TEST(a_line_is_an_issue_and_its_prompt) {
	is_text(listed("7\n42\tFix the = map_of it.\t#1\n43\t\nlast\tno end"),
	    "7 at @:1: - -\n42 at @:2: --prompt=Fix the = map_of it.\t#1| -\n"
	    "43 at @:3: - -\nlast at @:4: --prompt=no end| -\n");
	is_text(listed("# these\r\n\r\n\n42\tone\r\n\n# and\n43\r\n"),
	    "42 at @:4: --prompt=one| -\n43 at @:7: - -\n");
}

TEST(an_object_has_options_of_start) {
	is_text(listed("{ 'issue': 42, 'prompt': 'a\\nb' }\n"
	    "{'issue':'x-1','prompt_file':'p_q','new_worktree':true,"
	    "'command':['a','b c']}\n{'issue':0,'new_worktree':false}\n"
	    "{'issue':1,'new_worktree':'branch','base':'main'}\n"),
	    "42 at @:1: --prompt=a\nb| -\n"
	    "x-1 at @:2: --prompt-file=p_q|--new-worktree| a|b c|\n"
	    "0 at @:3: - -\n1 at @:4: --new-worktree=branch|--base=main| -\n");
}

/* As the second of three lines. */
static const char *
refusal(const char *line)
{
	char text[200];

	snprintf(text, sizeof(text), "41\tx\n%s\n43\ty\n", line);
	return replaced(listed(text), "@:2: ", "");
}

TEST(a_wrong_line_is_refused_with_its_place_and_key) {
	ROWS(refusal, "\tx => '' is not an issue: letters, digits, '_' and "
	    "'-', at most 64, the first a letter or digit",
	    "{'issue':41} => issue '41' is at @:1 already",
	    "{ 'issue': 42 => it ends too early",
	    "{ 'issue': -1 } => 'issue' is neither a text nor a whole number",
	    "{ 'issue': 42, 'prompt': 1 } => 'prompt' is not a text",
	    "{ 'issue': 42, 'new_worktree': 1 } => 'new_worktree' is neither "
	    "true, false nor a text");
	is_text(listed_n("42\tx\0y\n", 7), "@:1: it holds a NUL byte");
}

TEST(a_list_has_an_end) {
	is_text(strstr(listed("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"), "10 at"),
	    "10 at @:10: - -\n");
	is_text(listed("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"),
	    "@:11: at most 10 issues can be queued");
}

#include "project/startlist.h"

#include <errno.h>

#include "scratch.h"

/* The list of that text, of ten issues at most. */
static enum exit_status
list_of(struct startlist *list, const char *text, size_t len,
    struct buf *error)
{
	scratch_put("list", O_TRUNC, text, len);
	return startlist_read(list, scratch_path("list"), 10, error);
}

/* Reads a good one. */
static void
take(struct startlist *list, const char *text)
{
	struct buf error = BUF_INIT;

	is_number(list_of(list, text, strlen(text), &error), EXIT_DONE);
	is_text(buf_str(&error), "");
	buf_release(&error);
}

/* The words with a '|' behind each. */
static const char *
joined(char *const *words)
{
	static char text[1024];

	text[0] = '\0';
	for (; words != NULL && *words != NULL; words++) {
		strncat(text, *words, sizeof(text) - strlen(text) - 1);
		strncat(text, "|", sizeof(text) - strlen(text) - 1);
	}
	return text;
}

/* A list with these bytes as its second line is refused with that message. */
static void
refused(const char *line, size_t len, const char *message)
{
	struct buf text = BUF_INIT, error = BUF_INIT, want = BUF_INIT;
	struct startlist list;

	buf_adds(&text, "41\tx\n");
	buf_add(&text, line, len);
	buf_adds(&text, "\n43\ty\n");
	is_number(list_of(&list, text.data, text.len, &error), EXIT_USAGE);
	buf_printf(&want, "%s:2: %s", scratch_path("list"), message);
	is_text(buf_str(&error), buf_str(&want));
	startlist_release(&list);
	buf_release(&text);
	buf_release(&error);
	buf_release(&want);
}

TEST(a_line_is_an_issue_and_its_prompt) {
	struct startlist list;

	take(&list, "7\n42\tFix the = map_of it.\t#1\n43\t\nlast\tno end");
	is_number(list.n, 4);
	is_text(list.v[0].issue, "7");
	is_text(joined(list.v[0].options), "");
	ok(list.v[0].command == NULL);
	is_text(list.v[1].issue, "42");
	is_text(joined(list.v[1].options),
	    "--prompt=Fix the = map_of it.\t#1|");
	is_text(list.v[2].issue, "43");
	is_text(joined(list.v[2].options), "");
	is_text(list.v[3].issue, "last");
	is_text(joined(list.v[3].options), "--prompt=no end|");
	startlist_release(&list);
}

TEST(empty_lines_and_comments_count_as_lines) {
	struct startlist list;
	char place[4200];

	take(&list, "# these\r\n\r\n\n42\tone\r\n\n# and\n43\r\n");
	is_number(list.n, 2);
	is_text(joined(list.v[0].options), "--prompt=one|");
	snprintf(place, sizeof(place), "%s:4", scratch_path("list"));
	is_text(list.v[0].place, place);
	snprintf(place, sizeof(place), "%s:7", scratch_path("list"));
	is_text(list.v[1].place, place);
	is_text(list.v[1].issue, "43");
	startlist_release(&list);
}

TEST(an_object_has_options_of_start) {
	struct startlist list;

	take(&list, "{ \"issue\": 42, \"prompt\": \"a\\nb\" }\n"
	    "{\"issue\":\"x-1\",\"prompt_file\":\"p_q\","
	    "\"new_worktree\":true,\"command\":[\"a\",\"b c\"]}\n"
	    "{\"issue\":0,\"new_worktree\":false}\n"
	    "{\"issue\":1,\"new_worktree\":\"branch\",\"base\":\"main\"}\n");
	is_number(list.n, 4);
	is_text(list.v[0].issue, "42");
	is_text(joined(list.v[0].options), "--prompt=a\nb|");
	is_text(list.v[1].issue, "x-1");
	is_text(joined(list.v[1].options),
	    "--prompt-file=p_q|--new-worktree|");
	is_text(joined(list.v[1].command), "a|b c|");
	is_text(list.v[2].issue, "0");
	is_text(joined(list.v[2].options), "");
	is_text(joined(list.v[3].options),
	    "--new-worktree=branch|--base=main|");
	startlist_release(&list);
}

#define REFUSED(line, message) refused((line), sizeof(line) - 1, (message))

TEST(a_wrong_line_is_refused_with_its_place) {
	char already[4300], what[4200];

	REFUSED("4 1", "'4 1' is not an issue: letters, digits, '_' and '-', "
	    "at most 64, the first a letter or digit");
	REFUSED("\tx", "'' is not an issue: letters, digits, '_' and '-', "
	    "at most 64, the first a letter or digit");
	REFUSED("42\t\351", "it is not valid UTF-8");
	REFUSED("42\tx\0y", "it holds a NUL byte");
	snprintf(what, sizeof(what), "%s:1", scratch_path("list"));
	snprintf(already, sizeof(already), "issue '41' is at %s already",
	    what);
	REFUSED("41\tagain", already);
	REFUSED("{\"issue\":41}", already);
}

TEST(a_wrong_object_is_refused_with_its_key) {
	REFUSED("{ \"issue\": 42", "it ends too early");
	REFUSED("{ \"prompt\": \"x\" }", "there is no 'issue'");
	REFUSED("{ \"issue\": 42, \"promt\": \"x\" }",
	    "unknown key 'promt' (did you mean 'prompt'?)");
	REFUSED("{ \"issue\": 4.5 }",
	    "'issue' is neither a text nor a whole number");
	REFUSED("{ \"issue\": -1 }",
	    "'issue' is neither a text nor a whole number");
	REFUSED("{ \"issue\": 42, \"prompt\": 1 }",
	    "'prompt' is not a text");
	REFUSED("{ \"issue\": 42, \"new_worktree\": 1 }",
	    "'new_worktree' is neither true, false nor a text");
}

TEST(a_list_has_an_end) {
	struct startlist list;
	struct buf error = BUF_INIT, want = BUF_INIT;
	const char *ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
	const char *eleven = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n";

	take(&list, ten);
	is_number(list.n, 10);
	startlist_release(&list);
	is_number(list_of(&list, eleven, strlen(eleven), &error), EXIT_USAGE);
	buf_printf(&want, "%s:11: at most 10 issues can be queued",
	    scratch_path("list"));
	is_text(buf_str(&error), buf_str(&want));
	startlist_release(&list);
	buf_release(&error);
	buf_release(&want);
}

TEST(a_list_without_an_issue_is_none) {
	struct buf error = BUF_INIT, want = BUF_INIT;
	struct startlist list;

	is_number(list_of(&list, "", 0, &error), EXIT_USAGE);
	buf_printf(&want, "the list '%s' names no issue",
	    scratch_path("list"));
	is_text(buf_str(&error), buf_str(&want));
	startlist_release(&list);
	buf_reset(&error);
	buf_reset(&want);
	is_number(startlist_read(&list, scratch_path("none"), 10, &error),
	    EXIT_COULD_NOT);
	buf_printf(&want, "cannot read the list '%s': %s",
	    scratch_path("none"), strerror(ENOENT));
	is_text(buf_str(&error), buf_str(&want));
	startlist_release(&list);
	buf_release(&error);
	buf_release(&want);
}

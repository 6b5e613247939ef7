#include "agent/signs.h"

#include "base/alloc.h"
#include "recorded.h"

#define PROMPTS "tests/corpus/prompts/"

static struct backend b;
static struct buf colored, rows;

/* The prompt of a recorded screen, after the first OLD in it became NEW. */
static struct prompt
show_with(const char *path, const char *old, const char *new)
{
	struct buf recorded = BUF_INIT;
	const char *p, *at;

	recorded_screen(path, &b, &recorded);
	p = buf_str(&recorded);
	at = strstr(p, old);
	ok(at != NULL);
	buf_reset(&colored);
	if (at != NULL)
		buf_printf(&colored, "%.*s%s%s", (int)(at - p), p, new,
		    at + strlen(old));
	buf_release(&recorded);
	buf_reset(&rows);
	for (p = buf_str(&colored); *p != '\0'; p++)
		if (*p == '\033')
			p += strcspn(p, "m");
		else
			buf_addc(&rows, *p);
	return prompt_read(&b.signs, buf_str(&rows), buf_str(&colored));
}

/* In each of them its agent is ready. */
static size_t
is_known(const char *pattern, bool empty)
{
	glob_t found = { .gl_pathc = 0 };
	struct prompt p;
	size_t i, n;

	is_number(glob(pattern, 0, NULL, &found), 0);
	for (i = 0, n = found.gl_pathc; i < n; i++) {
		p = show_with(found.gl_pathv[i], "", "");
		ok(p.ready);
		ok(p.empty == empty);
		ok(prompt_holds(&p, buf_str(&rows), "hel lo") == !empty);
	}
	globfree(&found);
	return n;
}

TEST(an_empty_prompt_of_each_client_is_known_and_a_text_in_it) {
	ok(is_known(PROMPTS "*-empty.txt", true) >= 6);
	ok(is_known(PROMPTS "*-typed.txt", false) >= 6);
}

TEST(what_stands_for_nothing_is_told_from_the_same_text) {
	struct prompt p = show_with(PROMPTS "gemini-0.61.0-typed.txt", "hello",
	    "Type your message or @path/to/file");

	ok(p.ready && !p.empty);
	/* Nor are blanks and lines before a text empty. */
	ok(!show_with(PROMPTS "opencode-1.18.33-typed.txt", "hello",
	    "                        hello").empty);
}

TEST(a_dialog_or_work_is_no_prompt) {
	static const char dialog[] = "\u2500\u2500\u2500\u2500\u2500\u2500"
	    "\u2500\u2500\n Do you want to proceed?\n \u276f 1. Yes\n"
	    "   2. No\n\n Esc to cancel\n";

	ok(!show_with(PROMPTS "claude-2.1.330-empty.txt", "\u276f\u00a0",
	    "\u276f 1. Yes\n Esc to cancel\n").empty);
	ok(!prompt_read(&b.signs, dialog, dialog).ready);
	ok(!prompt_read(&b.signs, "", "").ready);
}

TEST(a_text_above_the_prompt_is_not_in_it) {
	struct prompt p = { .first = 2 };

	ok(!prompt_holds(&p, "go on\n\n> \n", "go on"));
	ok(prompt_holds(&p, "go on\n\n> go\n   on\n", "go on"));
	ok(!prompt_holds(&p, "go on\n", "go on"));
}

BEFORE_TESTS {
	recorded_begin();
}

AFTER_TESTS {
	backend_release(&b);
	buf_release(&colored);
	buf_release(&rows);
}

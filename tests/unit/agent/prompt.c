#include "agent/signs.h"

#include <glob.h>

#include "agent/backend.h"
#include "base/alloc.h"
#include "os/file.h"
#include "scratch.h"

static struct backend b;
static struct buf colored, rows;

/* The same without its colors. */
static void
strip(void)
{
	const char *p;

	buf_reset(&rows);
	for (p = buf_str(&colored); *p != '\0'; p++) {
		if (*p == '\033')
			p += strcspn(p, "m");
		else
			buf_addc(&rows, *p);
	}
}

/* The prompt of a screen in tests/corpus/prompts, named after its client. */
static struct prompt
show(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char client[16];
	struct buf error = BUF_INIT;

	snprintf(client, sizeof(client), "%.*s", (int)strcspn(name, "-"),
	    name);
	backend_release(&b);
	buf_reset(&colored);
	is_number(backend_read(&b, client, &error), 0);
	is_text(buf_str(&error), "");
	buf_release(&error);
	ok(file_read(AT_FDCWD, path, FILE_TRUSTED, &colored, 1 << 20) == 0);
	strip();
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
		p = show(found.gl_pathv[i]);
		is_text(p.ready ? "ready" : found.gl_pathv[i], "ready");
		is_text(p.empty == empty ? "so" : found.gl_pathv[i], "so");
		ok(prompt_holds(&p, buf_str(&rows), "hel lo") == !empty);
	}
	globfree(&found);
	return n;
}

TEST(an_empty_prompt_of_each_client_is_known) {
	ok(is_known("tests/corpus/prompts/*-empty.txt", true) >= 6);
}

TEST(a_text_in_it_is_seen) {
	ok(is_known("tests/corpus/prompts/*-typed.txt", false) >= 6);
}

/* The recorded prompt, with another text in the place of one. */
static struct prompt
show_with(const char *path, const char *old, const char *new)
{
	struct buf changed = BUF_INIT;
	const char *at;

	show(path);
	at = strstr(buf_str(&colored), old);
	ok(at != NULL);
	if (at != NULL)
		buf_printf(&changed, "%.*s%s%s", (int)(at - colored.data),
		    colored.data, new, at + strlen(old));
	buf_reset(&colored);
	buf_adds(&colored, buf_str(&changed));
	buf_release(&changed);
	strip();
	return prompt_read(&b.signs, buf_str(&rows), buf_str(&colored));
}

TEST(what_stands_for_nothing_is_told_from_the_same_text) {
	static const char gemini[] =
	    "tests/corpus/prompts/gemini-0.61.0-typed.txt";
	struct prompt p = show_with(gemini, "hello",
	    "Type your message or @path/to/file");

	ok(p.ready);
	ok(!p.empty);
}

TEST(blanks_and_lines_before_a_text_are_not_empty) {
	static const char opencode[] =
	    "tests/corpus/prompts/opencode-1.18.33-typed.txt";

	ok(!show_with(opencode, "hello", "                        hello").empty);
}

TEST(a_dialog_or_work_is_no_prompt) {
	static const char path[] =
	    "tests/corpus/prompts/claude-2.1.330-empty.txt";
	struct prompt p = show_with(path, "\u276f\u00a0",
	    "\u276f 1. Yes\n Esc to cancel\n");

	ok(!p.empty);
	buf_reset(&rows);
	buf_adds(&rows, "\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\n"
	    " Do you want to proceed?\n \u276f 1. Yes\n   2. No\n\n"
	    " Esc to cancel\n");
	p = prompt_read(&b.signs, buf_str(&rows), buf_str(&rows));
	ok(!p.ready);
	ok(!prompt_read(&b.signs, "", "").ready);
}

TEST(a_text_above_the_prompt_is_not_in_it) {
	struct prompt p = { .first = 2 };

	ok(!prompt_holds(&p, "go on\n\n> \n", "go on"));
	ok(prompt_holds(&p, "go on\n\n> go\n   on\n", "go on"));
	ok(!prompt_holds(&p, "go on\n", "go on"));
}

BEFORE_TESTS {
	char *here = realpath("backends", NULL);

	setenv("XDG_CONFIG_HOME", scratch, 1);
	ok(mkdirat(scratch_fd, "paneward", 0700) == 0);
	ok(here != NULL && symlink(here, scratch_path("paneward/backends")) ==
	    0);
	free(here);
}

AFTER_TESTS {
	backend_release(&b);
	buf_release(&colored);
	buf_release(&rows);
}

#include "setup/setup.h"

#include <stdlib.h>

#include "tap.h"
#include "unit/fixture.h"

#define BEGIN "# >>> paneward (removed by 'paneward init tmux --remove') >>>"
#define END "# <<< paneward <<<"

static struct buf text, why;

static int
edit(const char *before, bool there, const char *lines)
{
	struct buf block = BUF_INIT;
	int ret;

	buf_reset(&text);
	buf_reset(&why);
	buf_adds(&text, before);
	if (lines != NULL)
		buf_adds(&block, lines);
	ret = tmuxconf_edit(&text, there, lines != NULL ? &block : NULL, &why);
	buf_release(&block);
	return ret;
}

/* tests/system/init-tmux.sh shows the block, and that tmux reads it. */
TEST(the_block_is_replaced_in_its_place) {
	is_number(edit("a\n" BEGIN "\r\nold\r\n" END "\r\nb\n", true,
	    "new\n"), 0);
	is_text(buf_str(&text), "a\n" BEGIN "\nnew\n" END "\nb\n");
	is_number(edit("a\n" BEGIN "\nold\n" END "\nb", true, NULL), 0);
	is_text(buf_str(&text), "a\nb");
}

TEST(what_is_left_is_byte_for_byte_what_was_there) {
	static const char *const befores[] = { "", "\n", "a\n", "a", "a\r\n",
	    "a\r\nb", "a\r", "a\r\nb\n", "a\n\n\n", "\r", "# <<< paneward" };
	char *with;
	size_t i, twice;

	for (i = 0; i < COUNT(befores); i++)
		for (twice = 0; twice < 2; twice++) {
			ROW("before %zu", i);
			is_number(edit(befores[i], true, "one\ntwo\n"), 0);
			if (twice) {
				with = buf_steal(&text);
				is_number(edit(with, true, "three\n"), 0);
				free(with);
			}
			with = buf_steal(&text);
			is_number(edit(with, true, NULL), 0);
			is_text(buf_str(&text), befores[i]);
			free(with);
		}
}

TEST(marks_that_are_no_pair_are_refused) {
	static const char *const befores[] = { "a\n" BEGIN "\nx\n",
	    END "\n", END "\n" BEGIN "\n", BEGIN "\n" BEGIN "\n" END "\n",
	    BEGIN "\n" END "\n" END "\n" };
	size_t i;

	for (i = 0; i < COUNT(befores); i++) {
		ROW("before %zu", i);
		is_number(edit(befores[i], true, "one\n"), -1);
		is_text(buf_str(&why), "the marks of its block are not one "
		    "pair");
		is_text(buf_str(&text), befores[i]);
	}
}

TEST(a_key_that_would_be_more_than_a_key_is_refused) {
	static const char *const keys[] = { "", "a b", "a'", "a;", "{", "#",
	    "\"", "$x", "\xc3\xa4" };
	struct tmuxconf c = { .program = "/usr/bin/paneward" };
	struct buf lines = BUF_INIT;
	size_t i;

	for (i = 0; i < COUNT(keys); i++) {
		ROW("%s", keys[i]);
		c.key = keys[i];
		buf_reset(&why);
		is_number(tmuxconf_lines(&c, &lines, &why), -1);
		ok(strstr(buf_str(&why), "is no key") != NULL);
	}
	c.key = "C-a";
	c.program = "/home/a b/paneward";
	buf_reset(&why);
	is_number(tmuxconf_lines(&c, &lines, &why), -1);
	ok(strstr(buf_str(&why), "no key can run it") != NULL);
	is_text(buf_str(&lines), "");
	buf_release(&lines);
}

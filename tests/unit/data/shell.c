#include "data/shell.h"

#include <stdlib.h>

#include "base/argv.h"
#include "os/spawn.h"
#include "tap.h"

static const char *const odd[] = { "printf", "%s|", "a b", "it's", "$HOME",
    "`id`", "\\", "\"", "", "!!", "~", "#{x}", "\xc3\xa9;&", NULL };

TEST(a_login_shell_is_known) {
	ok(shell_known("bash") && shell_known("-zsh") && shell_known("dash"));
	ok(!shell_known("vim") && !shell_known("") && !shell_known("basher"));
}

/* What the shells that are here make of it. */
TEST(a_shell_gives_the_words_back) {
	static const char *const shells[] = { "sh", "dash", "bash", "zsh",
	    "ksh", "mksh", "fish" };
	size_t i;

	for (i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		char *path = spawn_find(shells[i]);
		struct buf line = BUF_INIT;
		struct spawn s = SPAWN_INIT;

		if (path == NULL)
			continue;
		ROW("%s", shells[i]);
		ok(shell_line(&line, shells[i], odd));
		ok(spawn_begin(&s, &(struct spawn_how){ .argv = WORDS(path,
		    "-c", buf_str(&line)), .limit = 5000 }) == 0);
		spawn_finish(&s);
		is_text(buf_str(&s.output), "a b|it's|$HOME|`id`|\\|\"||!!|~|"
		    "#{x}|\xc3\xa9;&|");
		spawn_release(&s);
		buf_release(&line);
		free(path);
	}
}

TEST(what_a_shell_cannot_be_given_is_refused_and_plain_words_are_left_plain) {
	char word[5000] = "";
	struct buf line = BUF_INIT;

	memset(word, 'x', 4999);
	ok(!shell_line(&line, "bash", WORDS("a", "b\nc")));
	ok(!shell_line(&line, "tcsh", WORDS("a", "b!c")));
	ok(!shell_line(&line, "nu", WORDS("a", "b c")));
	ok(!shell_line(&line, "vim", WORDS("a", "b c")));
	ok(!shell_line(&line, "sh", WORDS(word)) && line.len == 0);
	ok(shell_line(&line, "nu", WORDS("/usr/bin/paneward", "reload-agent",
	    "42")));
	is_text(buf_str(&line), "/usr/bin/paneward reload-agent 42");
	buf_release(&line);
}

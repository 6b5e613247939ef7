#include "data/shell.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "os/spawn.h"
#include "tap.h"

static const char *const odd[] = { "printf", "%s|", "a b", "it's", "$HOME",
    "`id`", "\\", "\"", "", "!!", "~", "#{x}", "\xc3\xa9;&", NULL };

TEST(a_login_shell_is_known) {
	ok(shell_known("bash") && shell_known("-zsh") && shell_known("dash"));
	ok(!shell_known("vim") && !shell_known("") && !shell_known("basher"));
}

TEST(plain_words_are_left_plain) {
	const char *const argv[] = { "/usr/bin/paneward", "reload-agent",
	    "42", NULL };
	struct buf line = BUF_INIT;

	ok(shell_line(&line, "nu", argv));
	is_text(buf_str(&line), "/usr/bin/paneward reload-agent 42");
	buf_release(&line);
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
		ok(shell_line(&line, shells[i], odd));
		const char *const argv[] = { path, "-c", buf_str(&line), NULL };
		const struct spawn_how how = { .argv = argv, .limit = 5000 };
		ok(spawn_begin(&s, &how) == 0);
		spawn_finish(&s);
		is_text(buf_str(&s.output), "a b|it's|$HOME|`id`|\\|\"||!!|~|"
		    "#{x}|\xc3\xa9;&|");
		spawn_release(&s);
		buf_release(&line);
		free(path);
	}
}

TEST(what_a_shell_cannot_be_given_is_refused) {
	const char *const newline[] = { "a", "b\nc", NULL };
	const char *const history[] = { "a", "b!c", NULL };
	const char *const blank[] = { "a", "b c", NULL };
	char *word = xmalloc(5000);
	const char *const large[] = { word, NULL };
	struct buf line = BUF_INIT;

	memset(word, 'x', 4999);
	word[4999] = '\0';
	ok(!shell_line(&line, "bash", newline));
	ok(!shell_line(&line, "tcsh", history));
	ok(!shell_line(&line, "nu", blank));
	ok(!shell_line(&line, "vim", blank));
	ok(!shell_line(&line, "sh", large));
	is_number(line.len, 0);
	free(word);
	buf_release(&line);
}

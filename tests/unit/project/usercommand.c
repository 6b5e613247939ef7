#include "project/config.h"

#include "base/argv.h"
#include "scratch.h"
#include "unit/fixture.h"

static const char *
shown(char **words)
{
	const char *text = joined(words);

	argv_free(words);
	return text;
}

TEST(one_plain_word_is_a_program_and_anything_else_a_line_for_the_shell) {
	static const char *const rows[][3] = {
		{ "note", "/p", "note|" }, { "/bin/note", "/p", "/bin/note|" },
		{ "./note.sh", "/p", "/p/./note.sh|" },
		{ "bin/note", "/", "/bin/note|" },
		{ "bin/note", NULL, "bin/note|" },
		{ "note it", "/p", "/bin/sh|-c|note it|paneward|" },
		{ "a;b", "/p", "/bin/sh|-c|a;b|paneward|" },
		{ "$HOME/x", "/p", "/bin/sh|-c|$HOME/x|paneward|" },
		{ "~/x", "/p", "/bin/sh|-c|~/x|paneward|" }, { "", "/p", "" },
	};
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		ROW("%s", rows[i][0]);
		is_text(shown(usercommand_parse(rows[i][0], rows[i][1])),
		    rows[i][2]);
	}
	is_text(shown(usercommand_words(WORDS(NULL), "/p")), "");
	is_text(shown(usercommand_words(WORDS("bin/x", "a b", "$c", ""), "/p")),
	    "/p/bin/x|a b|$c||");
}

static const char *
wrong(const char *text)
{
	static struct buf error;
	char **words = usercommand_parse(text, scratch);
	int ret;

	buf_reset(&error);
	ret = usercommand_check(words, &error);
	argv_free(words);
	ok((ret == -1) == (error.len > 0));
	return buf_str(&error);
}

TEST(what_cannot_be_run_is_named) {
	scratch_write("text", "no program\n");
	scratch_write("program", "#!/bin/sh\n");
	ok(chmod(scratch_path("program"), 0700) == 0);
	is_text(wrong("./program"), "");
	ok(strstr(wrong("./text"), "/text' is not executable") != NULL);
	ok(strstr(wrong("./missing"), "missing': No such file") != NULL);
	is_text(wrong("no-such-program"),
	    "there is no program 'no-such-program' in PATH");
	is_text(wrong("no-such-program --now"),
	    "sh finds no command 'no-such-program'");
	is_text(wrong("test -e x && echo y"), "");
	is_text(wrong("if true; then :; fi"), "");
	is_text(wrong("VAR=1 no-such-program"), "");
	is_text(wrong(""), "");
}

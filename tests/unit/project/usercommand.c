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

static const char *
parsed(const char *text)
{
	return shown(usercommand_parse(text, "/p"));
}

TEST(one_plain_word_is_a_program_and_anything_else_a_line_for_the_shell) {
	ROWS(parsed, "note => note|", "/bin/note => /bin/note|",
	    "./note.sh => /p/./note.sh|",
	    "a;b => /bin/sh|-c|a;b|paneward|",
	    "$HOME/x => /bin/sh|-c|$HOME/x|paneward|",
	    "note ~/x => /bin/sh|-c|note ~/x|paneward|", " => ");
	is_text(shown(usercommand_parse("bin/note", "/")), "/bin/note|");
	is_text(shown(usercommand_parse("bin/note", NULL)), "bin/note|");
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
	ret = usercommand_check(words, "", &error);
	argv_free(words);
	ok((ret == -1) == (error.len > 0));
	return replaced(buf_str(&error), scratch, "");
}

TEST(what_cannot_be_run_is_named) {
	scratch_write("text", "no program\n");
	scratch_write("program", "#!/bin/sh\n");
	ok(chmod(scratch_path("program"), 0700) == 0);
	ROWS(wrong, "./program => ", "./text => '/./text' is not executable",
	    "./missing => '/./missing': No such file or directory",
	    "no-such-program => there is no program 'no-such-program' in PATH",
	    "no-such-program --now => sh finds no command 'no-such-program'",
	    "test -e x && echo y => ", "if true; then :; fi => ",
	    "VAR=1 no-such-program => ", " => ");
}

#include "project/config.h"

#include <stdlib.h>

#include "base/argv.h"
#include "base/buf.h"
#include "scratch.h"

/* The words with a '|' behind each. */
static const char *
joined(char **words)
{
	static char text[1024];
	size_t i;

	text[0] = '\0';
	for (i = 0; words[i] != NULL; i++) {
		strncat(text, words[i], sizeof(text) - strlen(text) - 1);
		strncat(text, "|", sizeof(text) - strlen(text) - 1);
	}
	argv_free(words);
	return text;
}

TEST(one_plain_word_is_a_program) {
	is_text(joined(usercommand_parse("note", "/p")), "note|");
	is_text(joined(usercommand_parse("/bin/note", "/p")), "/bin/note|");
	is_text(joined(usercommand_parse("./note.sh", "/p")), "/p/./note.sh|");
	is_text(joined(usercommand_parse("bin/note", "/")), "/bin/note|");
	is_text(joined(usercommand_parse("bin/note", NULL)), "bin/note|");
}

TEST(anything_else_is_a_line_for_the_shell) {
	is_text(joined(usercommand_parse("note it", "/p")),
	    "/bin/sh|-c|note it|paneward|");
	is_text(joined(usercommand_parse("a;b", "/p")),
	    "/bin/sh|-c|a;b|paneward|");
	is_text(joined(usercommand_parse("$HOME/x", "/p")),
	    "/bin/sh|-c|$HOME/x|paneward|");
	is_text(joined(usercommand_parse("~/x", "/p")),
	    "/bin/sh|-c|~/x|paneward|");
}

TEST(nothing_is_no_command) {
	is_text(joined(usercommand_parse("", "/p")), "");
	is_text(joined(usercommand_words((const char *const[]){ NULL }, "/p")),
	    "");
}

TEST(words_stay_as_they_are) {
	is_text(joined(usercommand_words((const char *const[]){ "bin/x", "a b",
	    "$c", "", NULL }, "/p")), "/p/bin/x|a b|$c||");
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

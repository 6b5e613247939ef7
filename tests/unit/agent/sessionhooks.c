#include "agent/ourhooks.h"

#include <stdlib.h>

#include "base/argv.h"
#include "scratch.h"

static char **words;                    /* of the last give() */

static void
backend_gives(const char *session)
{
	static const char *const before = "{\"hooks\": "
	    "{\"folder\": \".mine\", \"file\": \"p.js\", \"user_folder\": "
	    "\".user\", \"plugin\": \"p.js\", \"session\": "
	    "{\"file\": \"templates/p.js\", ";
	struct buf text = BUF_INIT;

	buf_printf(&text, "%s%s}}, \"command\": \"mine\"}", before, session);
	scratch_write("paneward/backends/mine.json", buf_str(&text));
	buf_release(&text);
}

/* Why a command line gets no hooks; "": it gets them, or needs none. */
static const char *
give(const char *const *line)
{
	static struct buf why;
	char **copy = argv_add_all(NULL, line);
	int ret;

	buf_reset(&why);
	argv_free(words);
	words = copy;
	ret = sessionhooks_add("mine", scratch, &words, &why);
	is_number(ret, why.len > 0 ? -1 : 0);
	return buf_str(&why);
}

TEST(words_stand_behind_the_program) {
	backend_gives("\"words\": [\"-e\", \"<<file>>\"]");
	is_text(give(WORDS("/x/mine", "prompt")), "");
	is_number((long long)argv_count(words), 4);
	is_text(words[0], "/x/mine");
	is_text(words[1], "-e");
	is_text(words[2], scratch_path("paneward/templates/p.js"));
	is_text(words[3], "prompt");
	is_text(give((const char *const *)words), "");
	is_number((long long)argv_count(words), 4);
	is_text(give(WORDS("other", "prompt")), "");
	is_number((long long)argv_count(words), 2);
}

TEST(a_variable_keeps_what_it_holds) {
	backend_gives("\"variable\": \"MINE\", \"list\": \"l\"");
	setenv("MINE", "{\"l\":[1],\"m\":{}}", 1);
	is_text(give(WORDS("sh")), "");
	ok(strncmp(getenv("MINE"), "{\"l\":[1,\"/", 10) == 0);
	ok(strstr(getenv("MINE"), "/p.js\"],\"m\":{}}") != NULL);
	setenv("MINE", "{\"l\":{}}", 1);
	is_text(give(WORDS("sh")), "MINE is set to what cannot be added to");
	is_text(getenv("MINE"), "{\"l\":{}}");
}

TEST(a_file_that_is_not_there_is_named) {
	backend_gives("\"words\": [\"<<file>>\"]");
	ok(unlink(scratch_path("paneward/templates/p.js")) == 0);
	is_text(give(WORDS("mine")), "'templates/p.js' is not installed");
	is_number((long long)argv_count(words), 1);
}

BEFORE_TESTS {
	scratch_home();
	scratch_write("paneward/templates/p.js", "");
}

AFTER_TESTS {
	argv_free(words);
}

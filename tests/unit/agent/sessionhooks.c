#include "agent/ourhooks.h"

#include "base/argv.h"
#include "quoted.h"
#include "scratch.h"

static char **words;                    /* of the last give() */

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

/* session-hooks.sh shows what each client gets. */
TEST(words_stand_once_behind_the_program_if_their_file_is_there) {
	scratch_write("paneward/templates/p.js", "");
	scratch_write("paneward/backends/mine.json", quoted("{'hooks': "
	    "{'folder': '.mine', 'file': 'p.js', 'user_folder': '.user', "
	    "'plugin': 'p.js', 'session': {'file': 'templates/p.js', "
	    "'words': ['-e', '<<file>>']}}, 'command': 'mine'}"));
	is_text(give(WORDS("/x/mine", "prompt")), "");
	is_number(argv_count(words), 4);
	is_text(words[2], scratch_path("paneward/templates/p.js"));
	is_text(words[3], "prompt");
	is_text(give((const char *const *)words), "");
	is_number(argv_count(words), 4);
	is_text(give(WORDS("other", "prompt")), "");
	is_number(argv_count(words), 2);
	ok(unlink(scratch_path("paneward/templates/p.js")) == 0);
	is_text(give(WORDS("mine")), "'templates/p.js' is not installed");
	is_number(argv_count(words), 1);
}

BEFORE_TESTS {
	scratch_home();
}

AFTER_TESTS {
	argv_free(words);
}

/*
 * tests/system/init.sh adds, moves and removes them, and refuses settings.
 */
#include "setup/setup.h"

#include "base/argv.h"
#include "scratch.h"
#include "unit/fixture.h"

#define OURS "/opt/paneward"

static struct agenthooks hooks;

/* Settings with our hooks; '\'' stands for '"'. */
static const char *
added(const char *settings)
{
	static struct buf text;
	struct buf why = BUF_INIT;

	buf_reset(&text);
	buf_adds(&text, quoted(settings));
	is_number(agenthooks_add(&hooks, &text, OURS, 0, &why), 0);
	buf_release(&why);
	return replaced(buf_str(&text), "\"", "'");
}

#define END(commands) "{'hooks':{'End':[" commands "]}}"
#define COMMAND(words) "{'command':'" words "'}"

/* The programs of our hooks in settings, a '|' behind each, then what
 * ourhooks_list() returned and whether one is without options. */
static const char *
listed(const char *settings)
{
	static struct buf out;
	struct buf text = BUF_INIT, why = BUF_INIT;
	char **programs;
	bool own;
	int ret;

	buf_adds(&text, quoted(settings));
	ret = ourhooks_list(&hooks.dialect, &text, &programs, &own, &why);
	ok((ret == 0) == (why.len == 0));
	buf_reset(&out);
	buf_printf(&out, "%s %d %d", joined(programs), ret, own);
	argv_free(programs);
	buf_release(&text);
	buf_release(&why);
	return buf_str(&out);
}

TEST(programs_of_our_hooks_are_listed) {
	is_text(listed(added("{}")), OURS "|" OURS "| 0 1");
	is_text(listed(END(COMMAND(OURS " hook record --save x"))),
	    OURS "| 0 0");
	is_text(listed("// mine\n" END(COMMAND(OURS " hook loop"))),
	    OURS "| 1 1");
	is_text(listed(END(COMMAND(OURS " hook other") ","
	    COMMAND("paneward hook record") ","
	    COMMAND("cd x; " OURS " hook record"))), "- 0 0");
	ROWS(listed, " \n => - 0 0", "{ => - -1 0");
}

BEFORE_TESTS {
	struct buf error = BUF_INIT;

	setenv("XDG_CONFIG_HOME", scratch, 1);
	/* An agent with one event for each part. */
	scratch_write("paneward/backends/mine.json", quoted(
	    "{'description': 'Mine', 'hooks': {'folder': '.mine', "
	    "'file': 'h.json', 'user_folder': '.mine', "
	    "'base': {'version': 1}, 'entry': {'matcher': '<<matcher>>', "
	    "'hooks': [{'command': '<<command>>'}]}, 'register': {'record': "
	    "{'End': '', 'Tool': 'Bash'}, 'loop': {'End': ''}}}}"));
	is_number(agenthooks_read(&hooks, "mine", &error), 0);
	is_text(buf_str(&error), "");
	buf_release(&error);
}

AFTER_TESTS {
	dialect_release(&hooks.dialect);
}

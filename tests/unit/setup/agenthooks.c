/*
 * tests/system/init.sh adds, moves and removes them.
 */
#include "setup/setup.h"

#include "base/argv.h"
#include "scratch.h"
#include "unit/fixture.h"

#define OURS "/opt/paneward"

static struct agenthooks hooks;

/* Settings with our hooks, or why they are refused; '\'' stands for '"'. */
static const char *
added(const char *settings)
{
	static struct buf text;
	struct buf why = BUF_INIT;

	buf_reset(&text);
	buf_adds(&text, quoted(settings));
	if (agenthooks_add(&hooks, &text, OURS, 0, &why) == -1) {
		is_text(buf_str(&text), quoted(settings));
		buf_reset(&text);
		buf_adds(&text, buf_str(&why));
	}
	buf_release(&why);
	return replaced(buf_str(&text), "\"", "'");
}

TEST(settings_that_cannot_have_hooks_are_refused) {
	ROWS(added, "[] => it is no JSON object",
	    "{'hooks':[]} => 'hooks' is no JSON object",
	    "{'hooks':{'End':1}} => 'hooks.End' is no list",
	    "{\n// x\n} => line 2: a comment, which may lose the place that it "
	    "belongs to");
}

/* What is left of settings; had is what they were before. */
static const char *
removed_from(const char *settings, const char *had)
{
	static struct buf text;
	struct buf why = BUF_INIT, before = BUF_INIT;

	buf_reset(&text);
	buf_adds(&text, quoted(settings));
	buf_adds(&before, had ? quoted(had) : "");
	is_number(agenthooks_remove(&hooks, &text, OURS, had ? &before : NULL,
	    &why), 0);
	buf_release(&before);
	buf_release(&why);
	return replaced(buf_str(&text), "\"", "'");
}

static const char *
removed(const char *settings)
{
	return removed_from(settings, NULL);
}

#define END(commands) "{'hooks':{'End':[" commands "]}}"
#define COMMAND(words) "{'command':'" words "'}"

TEST(what_was_added_goes_and_the_users_hooks_stay) {
	is_text(removed(added("")), "");
	is_text(removed_from(added(END("")), END("")), END(""));
	is_text(removed(END(COMMAND(OURS " hook record --save x") ","
	    COMMAND("ls"))), END(COMMAND(OURS " hook record --save x") ","
	    COMMAND("ls")));
	is_text(removed(END("{'hooks':[" COMMAND("ls") ","
	    COMMAND(OURS " hook record") "]}")),
	    END("{'hooks':[" COMMAND("ls") "]}"));
}

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

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
added(const char *settings, const char *program, unsigned parts)
{
	static struct buf text;
	struct buf why = BUF_INIT;

	buf_reset(&text);
	buf_adds(&text, quoted(settings));
	if (agenthooks_add(&hooks, &text, program, parts, &why) == -1) {
		is_text(buf_str(&text), quoted(settings));
		buf_reset(&text);
		buf_adds(&text, buf_str(&why));
	}
	buf_release(&why);
	return replaced(buf_str(&text), "\"", "'");
}

TEST(settings_that_cannot_have_hooks_are_refused) {
	is_text(added("[]", OURS, 0), "it is no JSON object");
	is_text(added("{'hooks':[]}", OURS, 0), "'hooks' is no JSON object");
	is_text(added("{'hooks':{'End':1}}", OURS, 0),
	    "'hooks.End' is no list");
	is_text(added("{\n// x\n}", OURS, 0), "line 2: a comment, which may "
	    "lose the place that it belongs to");
}

/* What is left of settings; had is what they were before. */
static const char *
removed(const char *settings, const char *had)
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

TEST(what_was_added_goes_and_the_users_hooks_stay) {
	is_text(removed(added("", OURS, 0), NULL), "");
	is_text(removed(added("{'hooks':{'End':[]}}", OURS, 0),
	    "{'hooks':{'End':[]}}"), "{'hooks':{'End':[]}}");
	is_text(removed("{'hooks':{'End':[{'command':'" OURS
	    " hook record --save x'},{'command':'ls'}]}}", NULL),
	    "{'hooks':{'End':[{'command':'" OURS
	    " hook record --save x'},{'command':'ls'}]}}");
	is_text(removed("{'hooks':{'End':[{'hooks':[{'command':'ls'},"
	    "{'command':'" OURS " hook record'}]}]}}", NULL),
	    "{'hooks':{'End':[{'hooks':[{'command':'ls'}]}]}}");
}

/* The programs of our hooks in settings, each followed by a comma, then what
 * ourhooks_list() returned and whether one is without options. */
static const char *
listed_in(struct buf *settings)
{
	static struct buf out;
	struct buf why = BUF_INIT;
	char **programs, **p;
	bool own;
	int ret;

	ret = ourhooks_list(&hooks.dialect, settings, &programs, &own, &why);
	ok((ret == 0) == (why.len == 0));
	buf_reset(&out);
	for (p = programs; p != NULL && *p != NULL; p++)
		buf_printf(&out, "%s,", *p);
	buf_printf(&out, " %d %d", ret, own);
	argv_free(programs);
	buf_release(&why);
	return buf_str(&out);
}

static const char *
listed(const char *settings)
{
	static struct buf text;

	buf_reset(&text);
	buf_adds(&text, quoted(settings));
	return listed_in(&text);
}

TEST(programs_of_our_hooks_are_listed) {
	static struct buf with;

	agenthooks_add(&hooks, &with, "/it's/paneward", 0, &(struct buf){ 0 });
	is_text(listed_in(&with), "/it's/paneward,/it's/paneward, 0 1");
	is_text(listed("{'hooks':{'End':[{'command':'" OURS
	    " hook record --save x'}]}}"), OURS ", 0 0");
	is_text(listed("// mine\n{'hooks':{'End':[{'command':'" OURS
	    " hook loop'}]}}"), OURS ", 1 1");
	is_text(listed("{'hooks':{'End':[{'command':'" OURS " hook other'},"
	    "{'command':'paneward hook record'},"
	    "{'command':'cd x; " OURS " hook record'}]}}"), " 0 0");
	is_text(listed(" \n"), " 0 0");
	is_text(listed("{"), " -1 0");
	buf_release(&with);
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
}

AFTER_TESTS {
	dialect_release(&hooks.dialect);
}

#include "setup/setup.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "scratch.h"

#define OURS "/opt/paneward"

static struct agenthooks hooks;

/* An agent with one event for each part. */
static void
read_agent(void)
{
	struct buf error = BUF_INIT;

	scratch_write("paneward/backends/mine.json",
	    "{\"description\": \"Mine\", \"hooks\": {\"folder\": \".mine\", "
	    "\"file\": \"h.json\", \"user_folder\": \".mine\", "
	    "\"base\": {\"version\": 1}, "
	    "\"entry\": {\"matcher\": \"<<matcher>>\", \"hooks\": "
	    "[{\"command\": \"<<command>>\"}]}, "
	    "\"register\": {\"record\": {\"End\": \"\", \"Tool\": \"Bash\"}, "
	    "\"loop\": {\"End\": \"\"}}}}");
	is_number(agenthooks_read(&hooks, "mine", &error), 0);
	is_text(buf_str(&error), "");
	buf_release(&error);
}

/* Settings with our hooks, or why they are refused. */
static const char *
added(const char *settings, const char *program, unsigned parts)
{
	static struct buf text;
	struct buf why = BUF_INIT;

	buf_reset(&text);
	buf_adds(&text, settings);
	if (agenthooks_add(&hooks, &text, program, parts, &why) == -1) {
		is_text(buf_str(&text), settings);
		buf_reset(&text);
		buf_adds(&text, buf_str(&why));
	}
	buf_release(&why);
	return buf_str(&text);
}

#define RECORD(program) "{\"hooks\":[{\"command\":\"" program \
	" hook record\"}]}"
#define TOOL "\"Tool\":[{\"matcher\":\"Bash\",\"hooks\":[{\"command\":\"" \
	OURS " hook record\"}]}]"

TEST(hooks_come_beside_what_is_there) {
	is_text(added("{\"a\":1}", OURS, 0),
	    "{\"a\":1,\"version\":1,\"hooks\":{\"End\":[" RECORD(OURS) "],"
	    TOOL "}}");
	is_text(added("{\"version\":2,\"hooks\":{\"End\":[{\"x\":1}]}}", OURS,
	    OURHOOK_LOOP), "{\"version\":2,\"hooks\":{\"End\":[{\"x\":1},"
	    RECORD(OURS) ",{\"hooks\":[{\"command\":\"" OURS " hook loop\"}]}]"
	    "," TOOL "}}");
}

TEST(a_second_time_changes_nothing) {
	char *once = xstrdup(added("{\"a\":1}", OURS, OURHOOK_LOOP));

	is_text(added(once, OURS, OURHOOK_LOOP), once);
	is_text(added(once, OURS, 0), once);
	free(once);
}

TEST(a_program_that_moved_is_followed) {
	char *old = xstrdup(added("{\"a\":1}", "/old/paneward", 0));
	char *new = xstrdup(added("{\"a\":1}", OURS, 0));

	is_text(added(old, OURS, 0), new);
	free(old);
	free(new);
}

TEST(settings_that_cannot_have_hooks_are_refused) {
	is_text(added("[]", OURS, 0), "it is no JSON object");
	is_text(added("{\"hooks\":[]}", OURS, 0), "'hooks' is no JSON object");
	is_text(added("{\"hooks\":{\"End\":1}}", OURS, 0),
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
	buf_adds(&text, settings);
	buf_adds(&before, had ? had : "");
	is_number(agenthooks_remove(&hooks, &text, OURS, had ? &before : NULL,
	    &why), 0);
	buf_release(&before);
	buf_release(&why);
	return buf_str(&text);
}

TEST(what_was_added_goes_without_a_trace) {
	char *with = xstrdup(added("{ \"a\" : 1 }", OURS, OURHOOK_LOOP));

	is_text(removed(with, "{ \"a\" : 1 }"), "{ \"a\" : 1 }");
	free(with);
	with = xstrdup(added("", OURS, 0));
	is_text(removed(with, NULL), "");
	free(with);
	with = xstrdup(added("{\"hooks\":{\"End\":[]}}", OURS, 0));
	is_text(removed(with, "{\"hooks\":{\"End\":[]}}"),
	    "{\"hooks\":{\"End\":[]}}");
	free(with);
}

TEST(the_users_hooks_stay) {
	is_text(removed("{\"hooks\":{\"End\":[{\"command\":\"" OURS
	    " hook record --save x\"},{\"command\":\"ls\"}]}}", NULL),
	    "{\"hooks\":{\"End\":[{\"command\":\"" OURS
	    " hook record --save x\"},{\"command\":\"ls\"}]}}");
	is_text(removed("{\"hooks\":{\"End\":[{\"hooks\":[{\"command\":\"ls\"},"
	    "{\"command\":\"" OURS " hook record\"}]}]}}", NULL),
	    "{\"hooks\":{\"End\":[{\"hooks\":[{\"command\":\"ls\"}]}]}}");
}

/* The programs of our hooks in settings, each followed by a comma, then what
 * ourhooks_list() returned and whether one is without options. */
static const char *
listed(const char *settings)
{
	static struct buf out;
	struct buf text = BUF_INIT, why = BUF_INIT;
	char **programs, **p;
	bool own;
	int ret;

	buf_adds(&text, settings);
	ret = ourhooks_list(&hooks.dialect, &text, &programs, &own, &why);
	ok((ret == 0) == (why.len == 0));
	buf_reset(&out);
	for (p = programs; p != NULL && *p != NULL; p++)
		buf_printf(&out, "%s,", *p);
	buf_printf(&out, " %d %d", ret, own);
	argv_free(programs);
	buf_release(&text);
	buf_release(&why);
	return buf_str(&out);
}

TEST(programs_of_our_hooks_are_listed) {
	char *with = xstrdup(added("{}", "/it's/paneward", 0));

	is_text(listed(with), "/it's/paneward,/it's/paneward, 0 1");
	free(with);
	is_text(listed("{\"hooks\":{\"End\":[{\"command\":\"" OURS
	    " hook record --save x\"}]}}"), OURS ", 0 0");
	is_text(listed("// mine\n{\"hooks\":{\"End\":[{\"command\":\"" OURS
	    " hook loop\"}]}}"), OURS ", 1 1");
	is_text(listed("{\"hooks\":{\"End\":[{\"command\":\"" OURS
	    " hook other\"},{\"command\":\"paneward hook record\"},"
	    "{\"command\":\"cd x; " OURS " hook record\"}]}}"), " 0 0");
	is_text(listed(" \n"), " 0 0");
	is_text(listed("{"), " -1 0");
}

BEFORE_TESTS {
	setenv("XDG_CONFIG_HOME", scratch, 1);
	read_agent();
}

AFTER_TESTS {
	dialect_release(&hooks.dialect);
}

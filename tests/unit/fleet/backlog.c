#include "fleet/wire/wire.h"

#include "fakeopen.h"
#include "scratch.h"

#define KEY "project.7"

/* ---------------------------------------------------------------------------- */

static void
order_is(const char *key, const char *members)
{
	struct buf text = BUF_INIT;
	uint64_t revision;

	buf_printf(&text, "{\"issue\":\"%s\",\"repository\":\"project\"%s}",
	    strchr(key, '.') + 1, members);
	fake_write(STORE_BACKLOG, key, buf_str(&text), STORE_ANY, false,
	    &revision);
	buf_release(&text);
}

/* What backlog prints of an issue begins with that. */
static bool
shows(const char *members, const char *begin)
{
	fake_begin("alpha");
	order_is(KEY, members);
	is_number(run(&fleet_backlog_command, NULL, NULL), 0);
	return strncmp(scratch_text("out"), begin, strlen(begin)) == 0;
}

TEST(a_state_is_a_word) {
	uint64_t revision;

	ok(shows("", "7            waiting         -  "));
	ok(shows(",\"failed\":[{\"host\":\"alpha\",\"why\":\"no disk\"}]",
	    "7            failed          -  "));
	ok(strstr(scratch_text("out"), "no disk") != NULL);
	ok(shows(",\"work\":{\"host\":\"beta\",\"token\":1}",
	    "7            lost            beta "));
	fake_write(STORE_LEASES, KEY, "{}", 0, false, &revision);
	run(&fleet_backlog_command, NULL, NULL);
	ok(strstr(scratch_text("out"), " working         beta ") != NULL);
	ok(shows(",\"handoff\":{\"host\":\"beta\",\"state\":\"begun\"}",
	    "7            handing-off     beta "));
	ok(shows(",\"handoff\":{\"host\":\"beta\",\"state\":\"failed\"}",
	    "7            hand-off-failed beta "));
	ok(shows(",\"state\":\"done\"", "7            done            -  "));
}

/* A host of the fleet can write any text into the backlog. */
TEST(no_control_of_another_host_reaches_the_terminal) {
	const char *at;

	ok(shows(",\"state\":\"\\u001b[2Jx\\u009b\",\"work\":{\"host\":"
	    "\"\\u001b]0;x\\u0007\"},\"prompt\":\"\\u001b[31m\"", "7 "));
	for (at = scratch_text("out"); *at != '\0'; at++)
		ok(*at == '\n' || (*at >= ' ' && *at != 0x7f));
	ok(strstr(scratch_text("out"), "\xc2\x9b") == NULL);
}

TEST(the_oldest_order_is_first) {
	fake_begin("alpha");
	order_is("project.9", ",\"number\":2");
	order_is("project.8", ",\"number\":1");
	run(&fleet_backlog_command, NULL, NULL);
	ok(strstr(scratch_text("out"), "8  ") <
	    strstr(scratch_text("out"), "\n9  "));
}

/* ---- release ------------------------------------------------------------------ */

TEST(what_is_released_has_no_host) {
	fake_begin("alpha");
	order_is(KEY, ",\"work\":{\"host\":\"beta\",\"run\":\"r\",\"tree\":"
	    "\"/t\"},\"handoff\":{\"state\":\"begun\"},\"failed\":[{}]");
	is_number(run(&fleet_release_command, "--repository=project", "7"),
	    0);
	ok(strstr(fake_value(STORE_BACKLOG, KEY), "\"before\":[{\"host\":"
	    "\"beta\",\"run\":\"r\",\"tree\":\"/t\"}]") != NULL);
	ok(strstr(fake_value(STORE_BACKLOG, KEY), "\"work\"") == NULL);
	ok(strstr(fake_value(STORE_BACKLOG, KEY), "handoff") == NULL);
	ok(strstr(fake_value(STORE_BACKLOG, KEY), "failed") == NULL);
}

static void
beta_writes(void)
{
	order_is(KEY, ",\"work\":{\"host\":\"beta\",\"run\":\"new\"}");
}

TEST(a_release_that_is_outrun_begins_again) {
	fake_begin("alpha");
	order_is(KEY, "");
	fake_at = 2;
	fake_act = beta_writes;
	is_number(run(&fleet_release_command, "--repository=project", "7"),
	    0);
	ok(strstr(fake_value(STORE_BACKLOG, KEY), "\"run\":\"new\"") != NULL);
	ok(strstr(fake_value(STORE_BACKLOG, KEY), "\"work\"") == NULL);
}

TEST(what_is_not_in_the_backlog_is_not_released) {
	fake_begin("alpha");
	is_number(run(&fleet_release_command, "--repository=project", "7"),
	    3);
	ok(fake_value(STORE_BACKLOG, KEY) == NULL);
}

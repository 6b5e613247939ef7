
#include "fakeopen.h"
#include "fleet/work/work.h"

static struct buf key;

static void
begin(void)
{
	const char *name = strrchr(scratch, '/') + 1;

	fake_begin("alpha");
	buf_reset(&key);
	buf_printf(&key, "%s.7", name);
}

static const char *
order_now(void)
{
	return fake_value(STORE_BACKLOG, buf_str(&key));
}

static bool
has(const char *text)
{
	return order_now() != NULL && strstr(order_now(), text) != NULL;
}

static void
order_is(const char *members)
{
	char *text = xasprintf("{\"issue\":\"7\",\"repository\":\"r\"%s}",
	    members);
	uint64_t revision;

	fake_write(STORE_BACKLOG, buf_str(&key), text, STORE_ANY, false,
	    &revision);
	free(text);
}

TEST(an_issue_is_put_into_the_backlog) {
	begin();
	is_number(run(&fleet_submit_command, "--prompt=Do it.", "7"), 0);
	ok(has("\"issue\":\"7\"") && has("\"prompt\":\"Do it.\""));
	ok(has("\"by\":\"alpha\""));
	ok(strstr(scratch_text("out"), "7: submitted") != NULL);
}

/* What the one before had is not kept: its runs and its failures. */
TEST(again_begins_anew) {
	begin();
	order_is(",\"state\":\"done\",\"number\":1,\"work\":{\"host\":"
	    "\"beta\"},\"failed\":[{\"host\":\"alpha\"}]");
	is_number(run(&fleet_submit_command, "--again", "7"), 0);
	ok(has("\"by\":\"alpha\"") && !has("done") && !has("beta") &&
	    !has("failed"));
}

static void
beta_submits(void)
{
	order_is(",\"by\":\"beta\"");
}

TEST(of_two_hosts_one_submits) {
	begin();
	fake_at = 2;
	fake_act = beta_submits;
	is_number(run(&fleet_submit_command, "7", NULL), 3);
	ok(has("\"by\":\"beta\""));
}

/* The program ends: in a process of its own. */
static int
refused(const char *option)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		exit(run(&fleet_submit_command, option, "7"));
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

TEST(what_is_there_is_not_replaced) {
	begin();
	order_is("");
	is_number(refused("--base=main"), 3);
	order_is(",\"work\":{\"host\":\"beta\"}");
	is_number(refused("--again"), 3);
	order_is(",\"handoff\":{\"host\":\"beta\",\"state\":\"begun\"}");
	is_number(refused("--again"), 3);
}

TEST(what_start_would_take_for_an_option_is_refused) {
	begin();
	is_number(refused("--prompt=-x"), 2);
	is_number(refused("--base=-x"), 2);
	is_number(refused("--label=a b"), 2);
}

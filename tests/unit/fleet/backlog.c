/*
 * tests/fleet/work.sh and leases.sh submit, release and show issues.
 */
#include "fleet/wire/wire.h"

#include "fakeopen.h"
#include "fleet/work/work.h"

static char key[72];                    /* of issue 7 of this repository */

/* Issue 7 has these members; NULL: it is not there. */
static void
begin(const char *members)
{
	fake_begin("alpha");
	snprintf(key, sizeof(key), "%s.7", strrchr(scratch, '/') + 1);
	if (members != NULL)
		fake_order(key, members);
}

#define has(text) fake_order_has(key, (text))

TEST(it_shows_a_failure_with_its_reason_and_a_hand_off_with_its_host) {
	begin(",'failed':[{'host':'alpha','why':'no disk'}]");
	is_number(run(&fleet_backlog_command, NULL, NULL), 0);
	contains(scratch_text("out"), "failed          -  ");
	contains(scratch_text("out"), "no disk");
	begin(",'handoff':{'host':'beta','state':'begun'}");
	is_number(run(&fleet_backlog_command, NULL, NULL), 0);
	contains(scratch_text("out"), "handing-off     beta ");
}

/* A host of the fleet can write any text into the backlog. */
TEST(no_control_of_another_host_reaches_the_terminal) {
	const char *at;

	begin(",'state':'\\u001b[2Jx\\u009b','prompt':'\\u001b[31m',"
	    "'work':{'host':'\\u001b]0;x\\u0007'}");
	is_number(run(&fleet_backlog_command, NULL, NULL), 0);
	for (at = scratch_text("out"); *at != '\0'; at++)
		ok(*at == '\n' || (*at >= ' ' && *at != 0x7f));
	ok(strstr(scratch_text("out"), "\xc2\x9b") == NULL);
}

TEST(the_oldest_order_is_first) {
	begin(NULL);
	fake_order("r.9", ",'number':2");
	fake_order("r.8", ",'number':1");
	run(&fleet_backlog_command, NULL, NULL);
	ok(strstr(scratch_text("out"), "8  ") <
	    strstr(scratch_text("out"), "\n9  "));
}

static int
release(void)
{
	return run(&fleet_release_command, "7", NULL);
}

/* While a command of ours runs. */
static void
beta_writes(void)
{
	fake_order(key, ",'work':{'host':'beta','run':'new'}");
}

/* Also if it is outrun. */
TEST(what_is_released_has_no_host) {
	begin(",'work':{'host':'beta','run':'r','tree':'/t'},"
	    "'handoff':{'state':'begun'},'failed':[{}]");
	is_number(release(), 0);
	ok(has("'before':[{'host':'beta','run':'r','tree':'/t'}]"));
	ok(!has("'work'") && !has("handoff") && !has("failed"));
	begin("");
	fake_at = 2;
	fake_act = beta_writes;
	ok(release() == 0 && has("'run':'new'") && !has("'work'"));
}

/* What the one before had is not kept: its runs and its failures. */
TEST(an_issue_is_put_into_the_backlog_again_it_begins_anew) {
	begin(",'state':'done','number':1,'work':{'host':'beta'},"
	    "'failed':[{'host':'alpha'}]");
	is_number(run(&fleet_submit_command, "--again", "7"), 0);
	ok(has("'by':'alpha'") && !has("done") && !has("beta"));
	ok(!has("failed"));
}

TEST(of_two_hosts_one_submits) {
	begin(NULL);
	fake_at = 2;
	fake_act = beta_writes;
	ok(run(&fleet_submit_command, "7", NULL) == 3 && has("beta"));
}

static void
submit(void *option)
{
	exit(run(&fleet_submit_command, option, "7"));
}

/* Nor is what start would take for an option. */
TEST(what_is_there_is_not_replaced) {
	static const struct {
		const char *members, *option;
		int status;
	} rows[] = {
		{ ",'work':{'host':'beta'}", "--again", 3 },
		{ ",'handoff':{'host':'beta','state':'begun'}", "--again", 3 },
		{ NULL, "--prompt=-x", 2 }, { NULL, "--base=-x", 2 },
		{ NULL, "--label=a b", 2 },
	};
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		ROW("%s", rows[i].option);
		begin(rows[i].members);
		is_number(status_of(submit, (void *)(uintptr_t)rows[i].option),
		    rows[i].status);
	}
}

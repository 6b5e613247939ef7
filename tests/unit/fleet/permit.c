#include "fleet/wire/wire.h"
#include "run/lease.h"
#include "run/status.h"

#include "fakestore.h"
#include "scratch.h"

#define KEY "project.7"

static const char run[] = "0123abcd-1111-4222-8333-444444444444";
static char directory[200];
static int  state_fd;
static unsigned opened;

struct link *
link_open(const struct fleetrules *r, bool stay, struct buf *why)
{
	(void)r;
	(void)stay;
	(void)why;
	opened++;
	return &fake_link;
}

void
link_close(struct link *l)
{
	(void)l;
}

static void
order_is(const char *members)
{
	struct buf text = BUF_INIT;
	uint64_t revision;

	buf_printf(&text, "{\"issue\":\"7\",\"repository\":\"project\"%s}",
	    members);
	fake_write(STORE_BACKLOG, KEY, buf_str(&text), STORE_ANY, false,
	    &revision);
	buf_release(&text);
}

static void
lease_is(uint64_t token, msec sent)
{
	struct lease l = { .token = token, .revision = token };

	lease_renew(&l, sent, 60000);
	lease_write(&l, state_fd, "7");
}

/* An issue of this host, by its lease 3, whose run is complete. */
static void
begin(void)
{
	struct status r;

	fake_begin("alpha");
	status_init(&r, "7");
	memcpy(r.run, run, sizeof(r.run));
	r.verdict.state = STATE_COMPLETE;
	status_write(&r, state_fd);
	status_release(&r);
	lease_is(3, lease_now());
	order_is(",\"work\":{\"host\":\"alpha\",\"token\":3}");
}

static int
permit(void)
{
	char name[] = "permit", issue[] = "7";
	char *argv[] = { name, directory, issue, NULL };

	return fleet_permit_command.run(&fleet_permit_command, 3, argv);
}

static const char *
order_now(void)
{
	return fake_value(STORE_BACKLOG, KEY);
}

static const char ours[] = ",\"handoff\":{\"host\":\"alpha\",\"run\":"
    "\"0123abcd-1111-4222-8333-444444444444\",\"state\":\"begun\"}";

/* ---------------------------------------------------------------------------- */

TEST(the_backlog_has_that_it_begins_before_it_begins) {
	begin();
	is_number(permit(), 0);
	ok(strstr(order_now(), "\"state\":\"begun\"") != NULL &&
	    strstr(order_now(), run) != NULL);
	is_number(permit(), 0);
}

TEST(an_issue_without_a_lease_asks_no_server) {
	unsigned before;

	begin();
	lease_remove(state_fd, "7");
	before = opened;
	is_number(permit(), 0);
	is_number(opened, before);
}

TEST(an_issue_of_another_host_is_refused) {
	begin();
	order_is(",\"work\":{\"host\":\"beta\",\"token\":4}");
	is_number(permit(), 77);
	/* A bucket that was made anew counts from 1 again. */
	order_is(",\"work\":{\"host\":\"beta\",\"token\":3}");
	is_number(permit(), 77);
	ok(strstr(order_now(), "begun") == NULL);
}

TEST(a_lease_before_the_present_one_is_refused) {
	begin();
	order_is(",\"work\":{\"host\":\"alpha\",\"token\":5}");
	is_number(permit(), 77);
}

TEST(what_a_person_released_or_closed_is_refused) {
	begin();
	order_is("");
	is_number(permit(), 77);
	order_is(",\"state\":\"closed\",\"work\":{\"host\":\"alpha\","
	    "\"token\":3}");
	is_number(permit(), 77);
}

/* Its first attempt failed, and a person has done it by hand. */
TEST(a_handoff_that_was_begun_and_then_closed_is_refused) {
	struct buf members = BUF_INIT;

	begin();
	buf_printf(&members, "%s,\"state\":\"done\"", ours);
	order_is(buf_str(&members));
	is_number(permit(), 77);
	buf_release(&members);
}

TEST(a_later_attempt_needs_no_lease) {
	begin();
	order_is(ours);
	lease_is(3, lease_now() - 60000);
	is_number(permit(), 0);
}

TEST(the_handoff_of_another_run_is_refused) {
	begin();
	order_is(",\"handoff\":{\"host\":\"alpha\",\"run\":\"x\",\"state\":"
	    "\"begun\"},\"work\":{\"host\":\"alpha\",\"token\":3}");
	is_number(permit(), 77);
}

TEST(a_lease_that_is_over_waits) {
	begin();
	lease_is(3, lease_now() - 50000);
	is_number(permit(), 75);
	ok(strstr(order_now(), "begun") == NULL);
}

TEST(a_server_without_the_order_or_an_answer_waits) {
	begin();
	fake_wipe(STORE_BACKLOG);
	is_number(permit(), 75);
	begin();
	fake_fails = 1;
	is_number(permit(), 75);
}

/* The answer was lost: the backlog has that it began, so it may. */
TEST(a_lost_answer_is_found_by_the_next_attempt) {
	begin();
	fake_loses = 2;
	is_number(permit(), 75);
	ok(strstr(order_now(), "begun") != NULL);
	is_number(permit(), 0);
}

static void
beta_takes(void)
{
	order_is(",\"work\":{\"host\":\"beta\",\"token\":4}");
}

TEST(of_two_hosts_one_begins) {
	begin();
	fake_at = 2;
	fake_act = beta_takes;
	is_number(permit(), 77);
	ok(strstr(order_now(), "begun") == NULL);
}

BEFORE_TESTS {
	scratch_home();
	scratch_write("paneward/config.json", "{ \"fleet\": { \"servers\": "
	    "[\"tls://nowhere:4222\"], \"host\": \"alpha\" } }");
	scratch_write("project/.worktrees/.status/.paneward/project", "");
	snprintf(directory, sizeof(directory), "%s",
	    scratch_path("project/.worktrees/.status"));
	state_fd = open(scratch_path("project/.worktrees/.status/.paneward"),
	    O_RDONLY | O_CLOEXEC);
}

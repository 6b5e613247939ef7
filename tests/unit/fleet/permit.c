#include "fleet/wire/wire.h"
#include "run/lease.h"
#include "run/status.h"

#include "fakestore.h"
#include "unit/children.h"

#define KEY "project.7"

static const char run[] = "0123abcd-1111-4222-8333-444444444444";
static char directory[200];
static int  state_fd;

struct link *
link_open(const struct fleetrules *r, bool stay, struct buf *why)
{
	(void)r, (void)stay, (void)why;
	return &fake_link;
}

void
link_close(struct link *l)
{
	(void)l;
}

static void
lease_is(uint64_t token, msec sent)
{
	struct lease l = { .token = token, .revision = token };

	lease_renew(&l, sent, 60000);
	lease_write(&l, state_fd, "7");
}

#define WORK(host, token) ",'work':{'host':'" host "','token':" token "}"
#define HANDOFF(run) ",'handoff':{'host':'alpha','run':'" run \
	"','state':'begun'}"
#define OURS HANDOFF("0123abcd-1111-4222-8333-444444444444")

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
	fake_order(KEY, WORK("alpha", "3"));
}

static int
permit(void)
{
	char name[] = "permit", issue[] = "7";
	char *argv[] = { name, directory, issue, NULL };

	return fleet_permit_command.run(&fleet_permit_command, 3, argv);
}

#define has_begun() fake_order_has(KEY, "begun")

TEST(an_issue_without_a_lease_asks_no_server) {
	begin();
	lease_remove(state_fd, "7");
	ok(permit() == 0 && fake_calls == 0);
}

TEST(who_has_the_issue_by_its_lease_may_begin) {
	static const struct {
		const char *order;              /* NULL: there is none */
		msec age;                       /* of the lease */
		int status;
	} rows[] = {
		{ WORK("alpha", "3"), 0, 0 },
		/* Of another host; a bucket made anew counts from 1 again. */
		{ WORK("beta", "4"), 0, 77 }, { WORK("beta", "3"), 0, 77 },
		/* Of another lease; what a person released or closed, also if
		 * it had begun: done by hand. */
		{ WORK("alpha", "5"), 0, 77 }, { "", 0, 77 },
		{ ",'state':'closed'" WORK("alpha", "3"), 0, 77 },
		{ OURS ",'state':'done'", 0, 77 },
		{ HANDOFF("x") WORK("alpha", "3"), 0, 77 },
		/* A later attempt needs no lease, the first one waits. */
		{ OURS, 60000, 0 }, { WORK("alpha", "3"), 50000, 75 },
		{ NULL, 0, 75 },
	};
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		ROW("%s", rows[i].order ? rows[i].order : "none");
		begin();
		fake_wipe(STORE_BACKLOG);
		if (rows[i].order != NULL)
			fake_order(KEY, rows[i].order);
		lease_is(3, lease_now() - rows[i].age);
		is_number(permit(), rows[i].status);
		ok(has_begun() == (rows[i].order != NULL &&
		    (rows[i].status == 0 || strstr(rows[i].order, "begun"))));
	}
}

/* A lost answer is found: the backlog has that it began, so it may. */
TEST(a_server_that_does_not_answer_is_waited_for) {
	begin();
	fake_fails = 1;
	is_number(permit(), 75);
	begin();
	fake_loses = 2;
	ok(permit() == 75 && has_begun() && permit() == 0);
}

static void
beta_takes(void)
{
	fake_order(KEY, WORK("beta", "4"));
}

TEST(of_two_hosts_one_begins) {
	begin();
	fake_at = 2;
	fake_act = beta_takes;
	ok(permit() == 77 && !has_begun());
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

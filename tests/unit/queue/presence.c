/*
 * tests/system/unwatched.sh has what is told of ends, locks and sweeps.
 */
#include "queue/row.h"

#include "os/lock.h"
#include "project/statusdir.h"
#include "scratch.h"

static struct proc ours;                /* this process */

/* A run whose processes are all this one. */
static struct status
run_here(void)
{
	struct status r;

	status_init(&r, "42");
	r.verdict.state = STATE_WORKING;
	proc_boot(r.boot);
	r.place.socket = scratch;
	r.place.server = r.place.pane_pid = r.agent.pid = ours.pid;
	r.place.pane_start = r.agent.start = ours.start;
	return r;
}

static struct presence
looked(void)
{
	struct presence x;

	presence_init(&x);
	presence_enter(&x, scratch_fd);
	return x;
}

/* The run has ended for that reason, or not (NULL); its agent lives or not. */
static void
run_is(const struct status *r, const char *ended, bool alive)
{
	struct presence x = looked();

	is_text(presence_ended(&x, r), ended);
	ok(presence_alive(&x, r) == alive);
}

/* A process that began later is another one. */
TEST(an_end_without_a_report_is_one_only_of_a_run_with_a_pane) {
	struct status r = run_here();

	run_is(&r, NULL, true);
	r.agent.start = ours.start - 1;
	run_is(&r, "its agent has ended", false);
	r.reload.since = 1;
	run_is(&r, NULL, false);
	r.reload.since = 0;
	r.verdict.state = STATE_DEAD;
	run_is(&r, NULL, false);
	r.verdict.state = STATE_WORKING;
	r.place.socket = NULL;
	run_is(&r, NULL, false);
	r = run_here();
	r.agent.pid = r.place.pane_pid = 0;
	run_is(&r, NULL, false);
}

/* The last holder of a lock watched until its end. */
TEST(a_lock_that_a_listing_does_not_name_is_not_there) {
	struct status r = run_here();
	struct lock lock = LOCK_INIT;
	char *names[] = { (char[]){ "41.lock" }, (char[]){ "42.lock" } };
	struct presence x = looked();

	ok(lock_take(&lock, scratch_fd, "42") == 1);
	lock_release(&lock);
	r.since = x.wall - 60000;
	x.names = names;
	x.nnames = 1;
	is_number(presence_unwatched(&x, &r), r.since);
	x.nnames = 2;
	ok(presence_unwatched(&x, &r) > r.since);
}

BEFORE_TESTS {
	ok(proc_read(&ours, getpid()) == 0);
}

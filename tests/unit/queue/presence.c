#include "queue/row.h"

#include "os/lock.h"
#include "project/statusdir.h"
#include "scratch.h"

enum { MINUTE = 60000 };

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

/* A process that is waited for before anything looks at it. */
static pid_t
ended_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	ok(waitpid(pid, NULL, 0) == pid);
	return pid;
}

static struct presence
looked(void)
{
	struct presence x;

	presence_init(&x);
	presence_enter(&x, scratch_fd);
	return x;
}

static const char *
ended(const struct status *r)
{
	struct presence x = looked();

	return presence_ended(&x, r);
}

static bool
alive(const struct status *r)
{
	struct presence x = looked();

	return presence_alive(&x, r);
}

TEST(a_run_whose_processes_live_has_not_ended) {
	struct status r = run_here();

	is_text(ended(&r), NULL);
	ok(alive(&r));
}

TEST(the_end_of_each_process_is_told_apart) {
	struct status r = run_here();

	r.agent.pid = ended_process();
	is_text(ended(&r), "its agent has ended");
	ok(!alive(&r));
	r.place.pane_pid = ended_process();
	is_text(ended(&r), "its pane's process has ended");
	r.place.server = ended_process();
	is_text(ended(&r), "its tmux server has ended");
	memcpy(r.boot, "another boot", sizeof("another boot"));
	is_text(ended(&r), "the machine was restarted");
	ok(!alive(&r));
}

TEST(a_process_that_began_later_has_only_its_pid) {
	struct status r = run_here();

	r.agent.start = ours.start - 1;
	is_text(ended(&r), "its agent has ended");
	ok(!alive(&r));
	r.place.pane_start = ours.start - 1;
	is_text(ended(&r), "its tmux server has ended");
}

TEST(without_an_agent_the_pane_counts) {
	struct status r = run_here();

	r.agent.pid = 0;
	ok(alive(&r));
	r.place.pane_pid = ended_process();
	ok(!alive(&r));
	r.place.pane_pid = 0;
	ok(!alive(&r));
}

TEST(an_end_without_a_report_is_one_only_of_a_run_with_a_pane) {
	struct status r = run_here();

	r.agent.pid = ended_process();
	r.reload.since = 1;
	is_text(ended(&r), NULL);
	r.reload.since = 0;
	r.verdict.state = STATE_COMPLETE;
	is_text(ended(&r), NULL);
	r.verdict.state = STATE_DEAD;
	is_text(ended(&r), NULL);
	r.verdict.state = STATE_WORKING;
	r.place.socket = NULL;
	is_text(ended(&r), NULL);
}

TEST(a_run_is_watched_while_its_lock_is_held_or_after_a_sweep) {
	struct status r = run_here();
	struct presence x = looked();

	r.since = x.wall - 3 * MINUTE;
	x.swept = x.wall - 9 * MINUTE;
	is_number(presence_unwatched(&x, &r), 0);
	x.swept = x.wall - 11 * MINUTE;
	is_number(presence_unwatched(&x, &r), r.since);
	r.since = x.wall - 20 * MINUTE;
	is_number(presence_unwatched(&x, &r), x.swept);
}

TEST(the_last_holder_of_the_lock_watched_until_its_end) {
	struct status r = run_here();
	struct lock lock = LOCK_INIT;
	struct presence x = looked();
	msec since;

	ok(lock_take(&lock, scratch_fd, "42") == 1);
	lock_release(&lock);
	r.since = x.wall - MINUTE;
	since = presence_unwatched(&x, &r);
	ok(since >= x.wall - 1000 && since <= clock_wall() + 1000);
}

TEST(a_lock_that_a_listing_does_not_name_is_not_there) {
	struct status r = run_here();
	char *other[] = { (char[]){ "41" }, NULL };
	char *both[] = { other[0], (char[]){ "42" }, NULL };
	struct presence x = looked();

	r.since = x.wall - MINUTE;
	x.listed = true;
	x.locks = other;
	is_number(presence_unwatched(&x, &r), r.since);
	x.locks = NULL;
	is_number(presence_unwatched(&x, &r), r.since);
	x.locks = both;
	ok(presence_unwatched(&x, &r) > r.since);
	x.state_fd = -1;
	presence_enter(&x, scratch_fd);
	ok(presence_unwatched(&x, &r) > r.since);
}

TEST(a_run_that_is_over_needs_no_watcher) {
	struct status r = run_here();
	struct presence x = looked();

	r.since = 1;
	r.verdict.state = STATE_GONE;
	is_number(presence_unwatched(&x, &r), 0);
	r.verdict.state = STATE_COMPLETE;
	is_number(presence_unwatched(&x, &r), 0);
	r.handoff.state = HANDOFF_PENDING;
	ok(presence_unwatched(&x, &r) != 0);
}

TEST(a_sweep_is_as_old_as_its_file) {
	struct presence x = looked();

	is_number(x.swept, 0);
	scratch_write(STATUSDIR_SWEPT, "");
	x = looked();
	ok(x.swept > x.wall - 20000 && x.swept <= x.wall + 1000);
}

BEFORE_TESTS {
	ok(proc_read(&ours, getpid()) == 0);
}

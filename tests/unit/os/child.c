#include "os/child.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/proc.h"
#include "os/spawn.h"
#include "scratch.h"

enum { SOON = 20, LONG = 10000 };

/* Runs a line of shell, and waits until that has written the file 'begun'. */
static void
begin(struct child *c, const char *line)
{
	const char *const argv[] = { "sh", "-c", line, NULL };
	struct spawn_gated s;
	int i;

	unlink(scratch_path("begun"));
	ok(spawn_gated(&s, &(struct spawn_how){ .argv = argv,
	    .cwd = scratch_path("") }, STDIN_FILENO, STDERR_FILENO) == 0);
	child_init(c, s.pid);
	ok(spawn_gate(&s, true));
	for (i = 0; i < 1000 && access(scratch_path("begun"), F_OK) == -1; i++)
		poll(NULL, 0, 10);
}

static msec
in(msec time)
{
	return clock_now() + time;
}

/* On some systems the macros of a status take its address. */
static int
exit_status(struct child *c)
{
	int status = child_reap(c);

	return WEXITSTATUS(status);
}

static int
end_signal(struct child *c)
{
	int status = child_reap(c);

	return WTERMSIG(status);
}

TEST(an_end_is_awaited) {
	struct child c;

	begin(&c, ": >begun; exit 3");
	ok(child_wait(&c, -1, in(LONG)));
	ok(child_ended(&c));
	is_number(exit_status(&c), 3);
	is_number(exit_status(&c), 3);
}

TEST(waiting_ends_at_the_deadline_or_when_woken) {
	struct child c;
	int wake[2];

	begin(&c, ": >begun; exec sleep 100");
	ok(!child_wait(&c, -1, in(SOON)));
	ok(pipe(wake) == 0 && write(wake[1], "", 1) == 1);
	ok(!child_wait(&c, wake[0], CLOCK_NEVER));
	child_end(&c, LONG);
	is_number(end_signal(&c), SIGTERM);
}

TEST(what_ignores_term_is_killed) {
	struct child c;

	begin(&c, "trap '' TERM; : >begun; while :; do sleep 1; done");
	child_end(&c, SOON);
	is_number(end_signal(&c), SIGKILL);
}

TEST(what_is_stopped_hears_it_too) {
	struct child c;

	begin(&c, "trap 'exit 5' TERM; : >begun; kill -STOP $$; sleep 100");
	while (waitpid(c.pid, NULL, WUNTRACED) == -1)
		continue;
	child_end(&c, LONG);
	is_number(exit_status(&c), 5);
}

TEST(an_ended_leader_keeps_its_number_until_it_is_reaped) {
	struct child c;
	struct proc p;

	begin(&c, ": >begun");
	ok(child_wait(&c, -1, in(LONG)));
	ok(proc_read(&p, c.pid) == 0 && p.zombie);
	child_reap(&c);
	ok(proc_read(&p, c.pid) == -1);
}

TEST(what_a_leader_left_behind_ends_with_it) {
	struct child c;

	begin(&c, "(trap '' TERM; : >begun; while :; do sleep 1; done) &"
	    "sleep 100");
	child_end(&c, LONG);
	c.whole = true;
	ok(child_wait(&c, -1, in(LONG)));
}

TEST(a_whole_group_is_over_when_it_is_empty) {
	struct child c;

	begin(&c, "sleep 100 & : >begun; exit 2");
	c.whole = true;
	ok(!child_wait(&c, -1, in(300)));
	child_end(&c, LONG);
	ok(child_ended(&c));
	is_number(exit_status(&c), 2);
}

TEST(a_process_that_is_no_child_is_awaited_by_its_start) {
	struct child c, other;

	begin(&c, ": >begun; exec sleep 100");
	child_other(&other, c.pid, c.start);
	ok(!child_wait(&other, -1, in(SOON)));
	child_end(&other, LONG);
	is_number(child_reap(&other), 0);
	child_other(&other, c.pid, c.start + 1);
	ok(child_ended(&other));
	child_reap(&c);
}

#include "os/child.h"

#include <poll.h>

#include "os/proc.h"
#include "os/spawn.h"
#include "unit/children.h"

enum { SOON = 20, LONG = 10000 };

static struct child c;

/* Runs a line of shell, and waits until that has written the file 'begun'. */
static void
begin(const char *line)
{
	const struct spawn_how how = { .argv = WORDS("sh", "-c", line),
	    .cwd = scratch };
	struct spawn_gated s;
	int i;

	ROW("%s", line);
	unlink(scratch_path("begun"));
	ok(spawn_gated(&s, &how, STDIN_FILENO, STDERR_FILENO) == 0);
	child_init(&c, s.pid);
	ok(spawn_gate(&s, true));
	for (i = 0; i < 1000 && !scratch_there("begun"); i++)
		poll(NULL, 0, 10);
}

/* Its exit status, or less than 0, the signal that ended it. */
static int
end_of_child(void)
{
	int status = child_reap(&c);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(an_ended_leader_keeps_its_number_until_it_is_reaped) {
	struct proc p;

	begin(": >begun; exit 3");
	ok(child_wait(&c, -1, clock_now() + LONG) && child_ended(&c));
	ok(proc_read(&p, c.pid) == 0 && p.zombie);
	ok(end_of_child() == 3 && end_of_child() == 3);
	ok(proc_read(&p, c.pid) == -1);
}

TEST(waiting_ends_at_the_deadline_or_when_woken) {
	int wake[2];

	begin(": >begun; exec sleep 100");
	ok(!child_wait(&c, -1, clock_now() + SOON));
	ok(pipe(wake) == 0 && write(wake[1], "", 1) == 1);
	ok(!child_wait(&c, wake[0], CLOCK_NEVER));
	child_end(&c, LONG);
	is_number(end_of_child(), -SIGTERM);
}

TEST(what_ignores_term_is_killed_and_what_is_stopped_hears_it) {
	begin("trap '' TERM; : >begun; while :; do sleep 1; done");
	child_end(&c, SOON);
	is_number(end_of_child(), -SIGKILL);
	begin("trap 'exit 5' TERM; : >begun; kill -STOP $$; sleep 100");
	while (waitpid(c.pid, NULL, WUNTRACED) == -1)
		continue;
	child_end(&c, LONG);
	is_number(end_of_child(), 5);
}

/* A whole group is over when it is empty. */
TEST(what_a_leader_left_behind_ends_with_it) {
	begin("(trap '' TERM; : >begun; while :; do sleep 1; done) &sleep 100");
	child_end(&c, LONG);
	c.whole = true;
	ok(child_wait(&c, -1, clock_now() + LONG));
	begin("sleep 100 & : >begun; exit 2");
	c.whole = true;
	ok(!child_wait(&c, -1, clock_now() + 300));
	child_end(&c, LONG);
	ok(child_ended(&c) && end_of_child() == 2);
}

TEST(a_process_that_is_no_child_is_awaited_by_its_start) {
	struct child other;

	begin(": >begun; exec sleep 100");
	child_other(&other, c.pid, c.start);
	ok(!child_wait(&other, -1, clock_now() + SOON));
	child_end(&other, LONG);
	is_number(child_reap(&other), 0);
	child_other(&other, c.pid, c.start + 1);
	ok(child_ended(&other));
	child_reap(&c);
}

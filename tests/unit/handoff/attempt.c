#include "handoff/runner.h"

#include "project/config.h"
#include "run/status.h"
#include "unit/children.h"

static const char run[] = "0123abcd-1111-4222-8333-444444444444";
static struct context context;

/* A complete run, and an attempt of its hand-off with that line for sh. */
static struct attempt
attempt_with(struct status *r, const char *line)
{
	status_init(r, "42");
	memcpy(r->run, run, sizeof(r->run));
	r->verdict.state = STATE_COMPLETE;
	handoff_want(&r->handoff, run);
	argv_free(context.config.handoff);
	context.config.handoff = usercommand_parse(line, scratch);
	return (struct attempt){ .context = &context, .record = r, .out = -1 };
}

/* Runs it, and compares its state and message in the written record. */
static void
ends_as(const char *line, enum handoff_state state, const char *message)
{
	struct status r, written;
	struct attempt a = attempt_with(&r, line);

	ROW("%s", line);
	is_number(attempt_run(&a), 0);
	is_number(status_read(&written, context.dir.state_fd, "42"), 1);
	ok(written.handoff.state == state && written.handoff.attempts == 1);
	is_text(written.handoff.message, message);
	status_release(&written);
	status_release(&r);
}

/* tests/unit/run/jobenv.c has its variables, tests/system/sweep-handoff.sh its
 * ends, and tests/faults/directory.sh one that cannot be recorded. */
TEST(its_last_line_is_kept) {
	ends_as("echo one; echo two; echo", HANDOFF_DONE, "two");
	ends_as("printf 'a\\033[2Jb'; exit 1", HANDOFF_PENDING, "ab");
	ends_as("kill -KILL $$", HANDOFF_PENDING, NULL);
	context.config.handoff_timeout = 1;
	ends_as("exec tail -f /dev/null", HANDOFF_PENDING,
	    "it did not end within 1 seconds");
	context.config.handoff_timeout = 60;
}

/* An attempt fails, and leaves this state and run in the record. */
static void
is_left(const char *line, enum handoff_state state, char run_begins)
{
	struct status r, there;
	struct attempt a = attempt_with(&r, line);

	a.again = true;                 /* no warning */
	is_number(attempt_run(&a), -1);
	is_number(status_read(&there, context.dir.state_fd, "42"), 1);
	ok(there.handoff.state == state && there.run[0] == run_begins);
	status_release(&there);
	status_release(&r);
}

TEST(nothing_is_run_nor_written_over_another_runner_or_run) {
	struct status other;
	int i;

	for (i = 0; i < 2; i++) {
		attempt_with(&other, "true");
		handoff_begin(&other.handoff, clock_wall());
		handoff_end(&other.handoff, 0, 5, clock_wall());
		if (i == 0)
			proc_identify(&other.runner, getppid());
		else
			other.run[0] = 'f';
		is_number(status_write(&other, context.dir.state_fd), 0);
		is_left("touch ran", HANDOFF_DONE, i == 0 ? '0' : 'f');
		ok(!scratch_there("ran"));
		status_release(&other);
	}
	/* Another run begins while it runs. */
	unlinkat(context.dir.state_fd, "42.json", 0);
	is_left("sed -i 's/0123abcd-1111/f123abcd-1111/' "
	    "status/.paneward/42.json", HANDOFF_RUNNING, 'f');
	unlinkat(context.dir.state_fd, "42.json", 0);
}

BEFORE_TESTS {
	setenv("HOME", scratch, 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("PANEWARD_STATUS_DIR");
	ok(chdir(scratch) == 0);
	context_open(&context, "status", true);
	context.config.handoff_timeout = 60;
	context.config.handoff_attempts = 5;
}

AFTER_TESTS {
	context_close(&context);
}

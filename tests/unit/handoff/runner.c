#include "handoff/runner.h"

#include "project/config.h"
#include "unit/children.h"

static struct context context = { .project = { .root = scratch },
	.dir = { .path = scratch } };
static struct status record = { .issue = "42",
	.run = "0123abcd-1111-4222-8333-444444444444" };
static struct buf error;

static int
choose(const char *option, bool no_handoff)
{
	buf_reset(&error);
	argv_free(context.config.handoff);
	context.config.handoff = usercommand_parse("echo a b", scratch);
	return runner_choose(&context.config, option, no_handoff, &error);
}

/* Each option replaces the configured command; a run has its own. */
TEST(a_run_has_the_command_that_it_was_started_with) {
	char tell[] = "/x/tell", *own[] = { tell, NULL }, *none[] = { NULL };
	struct status r = { .handoff_command = own };

	is_number(choose(NULL, false), 0);
	ok(runner_command(&context.config, &r) == own);
	ok(runner_command(&context.config, &record) == context.config.handoff);
	r.handoff_command = none;
	ok(!runner_wanted(&context.config, &r) && choose("true", false) == 0);
	is_text(runner_command(&context.config, &r)[0], "true");
	r.handoff_command = own;
	ok(choose(NULL, true) == 0 && !runner_wanted(&context.config, &r));
	ok(!runner_wanted(&context.config, &record));
}

TEST(without_a_command_it_is_ours) {
	argv_free(context.config.handoff);
	context.config.handoff = NULL;
	is_number(runner_choose(&context.config, NULL, false, &error), 0);
	is_text(context.config.handoff[0],
	    scratch_path("paneward/scripts/cleanup.sh"));
	ok(context.config.handoff[1] == NULL);
}

/* This program is the runner that is started here: it says whether it may begin. */
static int
pretend(int argc, char **argv)
{
	int i, alive = -1;
	char gate;

	for (i = 1; i < argc; i++)
		if (strcmp(argv[i - 1], "--alive") == 0)
			alive = (int)strtol(argv[i], NULL, 10);
	rmdir(scratch);
	scratch_fd = open(".", O_RDONLY | O_CLOEXEC);
	scratch_write("said", read(alive, &gate, 1) == 1 ? "open" : "shut");
	return 0;
}

/* tests/system/sweep-handoff.sh has real runners, killed and not. */
TEST(one_that_the_record_cannot_name_may_not_begin) {
	struct lock lock = LOCK_INIT;
	struct runner runner = RUNNER_INIT;

	runner.again = true;            /* no warning */
	is_number(lock_take(&lock, scratch_fd, "42"), 1);
	ok(unlinkat(scratch_fd, "42.lock", 0) == 0);
	is_number(runner_start(&runner, &lock, &record, &context), 0);
	runner_reap(&runner);
	is_text(scratch_text("said"), "shut");
	lock_release(&lock);
}

BEFORE_TESTS {
	if (tap_argc > 1 && strcmp(tap_argv[1], "handoff-run") == 0)
		exit(pretend(tap_argc, tap_argv));
	context.dir.state_fd = scratch_fd;
	setenv("XDG_CONFIG_HOME", scratch, 1);
	scratch_write("paneward/scripts/cleanup.sh", "");
	ok(fchmodat(scratch_fd, "paneward/scripts/cleanup.sh", 0700, 0) == 0);
	ok(status_write(&record, scratch_fd) == 0);
}

AFTER_TESTS {
	argv_free(context.config.handoff);
	buf_release(&error);
}

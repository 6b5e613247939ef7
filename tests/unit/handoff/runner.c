/*
 * tests/system/sweep-handoff.sh has real runners, killed and not, and
 * tests/faults/directory.sh those that cannot be recorded.
 */
#include "handoff/runner.h"

#include "project/config.h"
#include "scratch.h"

static struct config config;
static const struct status record;      /* without a command of its own */
static struct buf error;

static int
choose(const char *option, bool no_handoff)
{
	buf_reset(&error);
	argv_free(config.handoff);
	config.handoff = usercommand_parse("echo a b", scratch);
	return runner_choose(&config, option, no_handoff, &error);
}

/* Each option replaces the configured command; a run has its own. */
TEST(a_run_has_the_command_that_it_was_started_with) {
	char tell[] = "/x/tell", *own[] = { tell, NULL }, *none[] = { NULL };
	struct status r = { .handoff_command = own };

	is_number(choose(NULL, false), 0);
	ok(runner_command(&config, &r) == own);
	ok(runner_command(&config, &record) == config.handoff);
	r.handoff_command = none;
	ok(!runner_wanted(&config, &r) && choose("true", false) == 0);
	is_text(runner_command(&config, &r)[0], "true");
	r.handoff_command = own;
	ok(choose(NULL, true) == 0 && !runner_wanted(&config, &r));
	ok(!runner_wanted(&config, &record));
}

TEST(without_a_command_it_is_ours) {
	argv_free(config.handoff);
	config.handoff = NULL;
	is_number(runner_choose(&config, NULL, false, &error), 0);
	is_text(config.handoff[0],
	    scratch_path("paneward/scripts/cleanup.sh"));
	ok(config.handoff[1] == NULL);
}

BEFORE_TESTS {
	setenv("XDG_CONFIG_HOME", scratch, 1);
	scratch_write("paneward/scripts/cleanup.sh", "");
	ok(fchmodat(scratch_fd, "paneward/scripts/cleanup.sh", 0700, 0) == 0);
}

AFTER_TESTS {
	argv_free(config.handoff);
	buf_release(&error);
}

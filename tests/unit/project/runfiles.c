#include "project/statusdir.h"

#include "base/alloc.h"
#include "scratch.h"

static struct statusdir dir;

static const char *const names[] = { "output-7.log", "output-7.log.1",
    ".paneward/7.records", ".paneward/7.agent", ".paneward/7.command",
    ".paneward/7.pipe" };

enum { NAMES = sizeof(names) / sizeof(names[0]) };

static void
files_of_the_last_run_are_set_aside_and_restored(void)
{
	char old[64];
	unsigned moved;
	size_t i;

	for (i = 0; i < NAMES; i++)
		scratch_write(names[i], names[i]);
	moved = runfiles_move(&dir, "7", RUNFILE_RUN, ~0u, false);
	for (i = 0; i < NAMES; i++) {
		snprintf(old, sizeof(old), "%s.old", names[i]);
		ok(!scratch_there(names[i]));
		is_text(scratch_text(old), names[i]);
	}
	runfiles_move(&dir, "7", RUNFILE_RUN, moved, true);
	for (i = 0; i < NAMES; i++) {
		snprintf(old, sizeof(old), "%s.old", names[i]);
		ok(!scratch_there(old));
		is_text(scratch_text(names[i]), names[i]);
		unlinkat(scratch_fd, names[i], 0);
	}
}

/* An older run's .old is not this one's. */
static void
only_what_was_set_aside_is_restored(void)
{
	unsigned moved;

	scratch_write("output-7.log", "last");
	scratch_write(".paneward/7.agent.old", "older");
	scratch_write(".paneward/8.agent", "other");
	moved = runfiles_move(&dir, "7", RUNFILE_RUN, ~0u, false);
	scratch_write("output-7.log", "new");
	runfiles_move(&dir, "7", RUNFILE_RUN, moved, true);
	is_text(scratch_text("output-7.log"), "last");
	ok(!scratch_there(".paneward/7.agent"));
	is_text(scratch_text(".paneward/7.agent.old"), "older");
	is_text(scratch_text(".paneward/8.agent"), "other");
	runfiles_move(&dir, "7", RUNFILE_RUN, 0, true);
	ok(!scratch_there(".paneward/7.agent"));
}

int
main(void)
{
	struct buf error = BUF_INIT;

	scratch_begin();
	ok(statusdir_open(&dir, xstrdup(scratch), true, &error) == 0);
	TEST(files_of_the_last_run_are_set_aside_and_restored);
	TEST(only_what_was_set_aside_is_restored);
	statusdir_close(&dir);
	buf_release(&error);
	scratch_end();
	return tap_done();
}

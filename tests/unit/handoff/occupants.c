/*
 * tests/system/cleanup.sh has processes of the pane and of its server.
 */
#include "handoff/tree.h"

#include "unit/children.h"

/* In a folder of scratch, in a process group of its own. */
static bool
enter(const void *folder)
{
	return setpgid(0, 0) == 0 && chdir(scratch_path(folder)) == 0;
}

static pid_t
stranger(struct occupants *o)
{
	return occupants_stranger(o, scratch_path("tree"));
}

TEST(a_process_in_the_folder_or_below_is_found) {
	struct occupants o = { 0 };
	pid_t pid;

	is_number(stranger(&o), 0);
	pid = sleeper(enter, "tree/below");
	is_number(stranger(&o), pid);
	is_number(occupants_stranger(&o, scratch_path("tre")), 0);
	sleeper_end(pid);
	is_number(stranger(&o), 0);
	scratch_folder("tree/removed");
	pid = sleeper(enter, "tree/removed");
	ok(rmdir(scratch_path("tree/removed")) == 0 && stranger(&o) == 0);
	sleeper_end(pid);
}

BEFORE_TESTS {
	scratch_folder("tree/below");
}

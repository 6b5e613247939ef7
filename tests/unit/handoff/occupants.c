#include "handoff/tree.h"

#include "os/proc.h"
#include "scratch.h"

/* A child whose current directory is that folder; it is there when this
 * returns. */
static pid_t
child_in(const char *folder, bool group)
{
	int ready[2];
	char byte;
	pid_t pid;

	ok(pipe(ready) == 0);
	pid = fork();
	if (pid == 0) {
		if (group)
			setpgid(0, 0);
		if (chdir(folder) == 0 && write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	ok(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void
end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(an_empty_folder_has_none) {
	struct occupants o = { 0 };

	is_number(occupants_stranger(&o, scratch_path("tree")), 0);
}

TEST(a_process_in_it_or_below_is_found) {
	struct occupants o = { 0 };
	pid_t pid = child_in(scratch_path("tree/below"), false);

	is_number(occupants_stranger(&o, scratch_path("tree")), pid);
	is_number(occupants_stranger(&o, scratch_path("tre")), 0);
	end_child(pid);
	is_number(occupants_stranger(&o, scratch_path("tree")), 0);
}

TEST(a_process_in_a_removed_folder_is_not_in_it) {
	struct occupants o = { 0 };
	pid_t pid;

	scratch_folder("tree/removed");
	pid = child_in(scratch_path("tree/removed"), false);
	is_number(rmdir(scratch_path("tree/removed")), 0);
	is_number(occupants_stranger(&o, scratch_path("tree")), 0);
	end_child(pid);
}

TEST(the_processes_of_the_pane_are_remembered) {
	pid_t pane = child_in(scratch_path("tree"), true);
	struct occupants o = { .pane = pane };

	is_number(occupants_stranger(&o, scratch_path("tree")), 0);
	ok(occupants_ours(&o, pane));
	o.pane = 0;
	is_number(occupants_stranger(&o, scratch_path("tree")), pane);
	end_child(pane);
	buf_release(&o.ours);
}

TEST(a_child_of_the_panes_process_is_its_own) {
	pid_t pid = child_in(scratch_path("tree"), true);
	struct occupants o = { .pane = getpid() };

	is_number(occupants_stranger(&o, scratch_path("tree")), 0);
	ok(occupants_ours(&o, pid));
	end_child(pid);
	buf_release(&o.ours);
}

TEST(the_tmux_server_may_stay) {
	pid_t server = child_in(scratch_path("tree"), true);
	struct occupants o = { .server = server };

	is_number(occupants_stranger(&o, scratch_path("tree")), 0);
	ok(!occupants_ours(&o, server));
	end_child(server);
}

BEFORE_TESTS {
	scratch_folder("tree/below");
}

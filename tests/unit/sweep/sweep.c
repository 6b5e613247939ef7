#include "sweep/sweep.h"

#include <time.h>
#include <utime.h>

#include "base/alloc.h"
#include "base/command.h"
#include "paneward.h"
#include "scratch.h"

static const char run[] = "0123abcd-1111-4222-8333-444444444444";

/* Sweeps the scratch folder in a child, as each process does it once; its exit
 * status, and what it prints in said. */
static int
sweep(const char *option)
{
	char name[] = "sweep", word[64] = "", *argv[] = { name, word, NULL };
	int status;

	snprintf(word, sizeof(word), "%s", option ? option : "");
	fflush(stdout);
	if (fork() == 0) {
		if (freopen(scratch_path("said"), "w", stdout) == NULL)
			_exit(9);
		status = sweep_command.run(&sweep_command, option ? 2 : 1,
		    argv);
		fflush(stdout);
		_exit(status);
	}
	wait(&status);
	return WEXITSTATUS(status);
}

/* A file in .paneward, so many seconds old. */
static void
file_of_age(const char *name, long age)
{
	struct utimbuf t = { time(NULL) - age, time(NULL) - age };
	char path[128];

	snprintf(path, sizeof(path), "status/.paneward/%s", name);
	scratch_write(path, "");
	utime(scratch_path(path), &t);
}

static pid_t
ended_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

TEST(what_a_killed_process_left_unfinished_is_removed) {
	char old[64], young[64], lives[64], path[128];

	snprintf(old, sizeof(old), "a.%ld.tmp", (long)ended_process());
	snprintf(young, sizeof(young), "b.%ld.tmp", (long)ended_process());
	snprintf(lives, sizeof(lives), "c.%ld.tmp", (long)getpid());
	file_of_age(old, 7200);
	file_of_age(young, 60);
	file_of_age(lives, 7200);
	file_of_age("d.tmp", 7200);
	sweep("--dry-run");
	is_number(scratch_count("status/.paneward"), 4);
	sweep(NULL);
	snprintf(path, sizeof(path), "status/.paneward/%s", old);
	ok(!scratch_there(path));
	is_number(scratch_count("status/.paneward"), 4);
	ok(scratch_there("status/.paneward/sweep"));
}

TEST(a_restart_of_a_pane_without_an_issue_is_forgotten_after_a_day) {
	file_of_age("_pane-1-2.reload", 90000);
	file_of_age("_pane-1-3.reload", 7200);
	sweep(NULL);
	ok(!scratch_there("status/.paneward/_pane-1-2.reload"));
	ok(scratch_there("status/.paneward/_pane-1-3.reload"));
}

/* A run without a pane, whose server has ended. */
static void
record_run(const char *issue)
{
	struct status r;

	status_init(&r, issue);
	memcpy(r.run, run, sizeof(run));
	r.verdict.state = STATE_WORKING;
	r.started = r.since = clock_wall();
	is_number(status_write(&r, openat(scratch_fd, "status/.paneward",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC)), 0);
	status_release(&r);
}

static enum state
recorded(const char *issue)
{
	int dir = openat(scratch_fd, "status/.paneward", O_RDONLY |
	    O_DIRECTORY | O_CLOEXEC);
	enum state state;
	struct status r;

	is_number(status_read(&r, dir, issue), 1);
	state = r.verdict.state;
	status_release(&r);
	close(dir);
	return state;
}

TEST(a_signal_completes_its_issue_and_hands_it_off) {
	record_run("9");
	record_run("10");
	scratch_write("status/signal-complete-9", "done\n");
	scratch_write("status/signal-complete-10", "done\n");
	sweep("--dry-run");
	is_text(scratch_text("said"),
	    "9 complete: signal-complete-9 is there: done\n"
	    "9 would be handed off\n"
	    "10 complete: signal-complete-10 is there: done\n"
	    "10 would be handed off\n");
	is_number(recorded("9"), STATE_WORKING);
	ok(scratch_there("status/signal-complete-9"));
	is_number(sweep(NULL), EXIT_DONE);
	ok(strstr(scratch_text("said"), "9 handed off\n") != NULL);
	ok(strstr(scratch_text("said"), "10 handed off\n") != NULL);
	is_number(recorded("9"), STATE_COMPLETE);
	ok(!scratch_there("status/signal-complete-9"));
	is_number(sweep(NULL), EXIT_DONE);
	is_text(scratch_text("said"), "");
}

BEFORE_TESTS {
	char *backends = xrealpath("backends");

	/* The runner that a sweep starts is this program. */
	if (tap_argc > 1 && strcmp(tap_argv[1], handoffrun_command.name) == 0)
		_exit(handoffrun_command.run(&handoffrun_command, tap_argc - 1,
		    tap_argv + 1));
	scratch_folder("paneward");
	ok(backends != NULL && symlink(backends,
	    scratch_path("paneward/backends")) == 0);
	free(backends);
	setenv("XDG_CONFIG_HOME", scratch, 1);
	setenv("HOME", scratch, 1);
	setenv("TMUX_TMPDIR", scratch, 1);
	setenv("PANEWARD_STATUS_DIR", scratch_path("status"), 1);
	unsetenv("TMUX");
	ok(chdir(scratch) == 0);
	scratch_write(".paneward.json", "{ \"handoff\": \"true\" }\n");
	scratch_folder("status/.paneward");
}

#include "handoff/runner.h"

#include <errno.h>
#include <poll.h>

#include "base/argv.h"
#include "project/config.h"
#include "scratch.h"

static struct context context = { .project = { .root = scratch },
	.dir = { .path = scratch } };
static struct status record = { .issue = "42",
	.run = "0123abcd-1111-4222-8333-444444444444" };
static struct buf error;

static int
choose(const char *option, bool no_handoff)
{
	buf_reset(&error);
	return runner_choose(&context.config, option, no_handoff, &error);
}

TEST(an_option_replaces_the_configured_command) {
	context.config.handoff = usercommand_parse("echo configured", scratch);
	is_number(choose(NULL, false), 0);
	is_text(context.config.handoff[2], "echo configured");
	is_number(choose("true", false), 0);
	is_text(context.config.handoff[0], "true");
	ok(runner_wanted(&context.config, &record));
	is_number(choose(NULL, true), 0);
	ok(!runner_wanted(&context.config, &record));
}

TEST(a_run_has_the_command_that_it_was_started_with) {
	char tell[] = "/x/tell", *own[] = { tell, NULL }, *none[] = { NULL };
	struct status r = { .handoff_command = own };

	argv_free(context.config.handoff);
	context.config.handoff = usercommand_parse("echo configured", scratch);
	is_number(choose(NULL, false), 0);
	ok(runner_command(&context.config, &r) == own);
	ok(runner_command(&context.config, &record) == context.config.handoff);
	r.handoff_command = none;
	ok(!runner_wanted(&context.config, &r));
	is_number(choose("true", false), 0);
	is_text(runner_command(&context.config, &r)[0], "true");
	r.handoff_command = own;
	is_number(choose(NULL, true), 0);
	ok(!runner_wanted(&context.config, &r));
	is_number(choose(NULL, false), 0);
}

TEST(without_one_it_is_ours) {
	setenv("XDG_CONFIG_HOME", scratch, 1);
	scratch_write("paneward/scripts/cleanup.sh", "");
	is_number(fchmodat(scratch_fd, "paneward/scripts/cleanup.sh", 0700, 0),
	    0);
	argv_free(context.config.handoff);
	context.config.handoff = NULL;
	is_number(choose(NULL, false), 0);
	is_text(context.config.handoff[0],
	    scratch_path("paneward/scripts/cleanup.sh"));
	ok(context.config.handoff[1] == NULL);
}

TEST(a_command_that_cannot_be_run_is_refused) {
	is_number(choose("/none/such", false), -1);
	ok(strncmp(buf_str(&error), "cannot use the command of handoff: ",
	    35) == 0);
}

TEST(a_way_that_cannot_be_used_is_dropped) {
	struct noticeways *ways = &context.config.notify;

	is_number(noticeways_parse(ways, "[\"bell\",[\"/none/x\"],\"osc\"]",
	    26), 0);
	is_number(choose("true", false), 0);
	is_number(ways->n, 2);
	is_number(ways->way[0].kind, NOTICEWAY_BELL);
	is_number(ways->way[1].kind, NOTICEWAY_OSC);
	noticeways_release(ways);
}

/* ---- the process --------------------------------------------------------- */

/* The runner that is started here is this program: it leaves its words, and
 * waits until the file go is there. */
static int
pretend(int argc, char **argv)
{
	FILE *file = fopen("words", "w");
	int i, lock = -1, alive = -1;
	char gate;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i - 1], "--lock") == 0)
			lock = (int)strtol(argv[i], NULL, 10);
		else if (strcmp(argv[i - 1], "--alive") == 0)
			alive = (int)strtol(argv[i], NULL, 10);
		else
			fprintf(file, "%s\n", argv[i]);
	}
	fprintf(file, "%s\n", fcntl(lock, F_GETFD) == 0 ? "locked" : "?");
	fprintf(file, "%s\n", read(alive, &gate, 1) == 1 ? "open" : "shut");
	fclose(file);
	rename("words", "said");
	while (access("go", F_OK) == -1)
		poll(NULL, 0, 10);
	return 0;
}

static bool
readable(int fd, int patience)
{
	return poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1,
	    patience) == 1;
}

static void
wait_for(const char *name)
{
	while (!scratch_there(name))
		poll(NULL, 0, 10);
}

TEST(a_runner_has_the_lock_and_the_command) {
	struct runner r = RUNNER_INIT;
	struct lock lock = LOCK_INIT;
	struct status named;

	is_number(choose("echo a b", false), 0);
	is_number(lock_take(&lock, scratch_fd, "42"), 1);
	is_number(runner_start(&r, &lock, &record, &context), 0);
	is_number(status_read(&named, scratch_fd, "42"), 1);
	is_number(named.runner.pid, r.pid);
	ok(status_runs(&named));
	wait_for("said");
	ok(strstr(scratch_text("said"), "handoff-run\n") != NULL);
	ok(strstr(scratch_text("said"), "\n--\n42\n") != NULL);
	ok(strstr(scratch_text("said"), "\necho a b\n") != NULL);
	ok(strstr(scratch_text("said"), "\nlocked\nopen\n") != NULL);
	ok(!readable(r.fd, 0));
	scratch_write("go", "");
	ok(readable(r.fd, -1));
	is_number(runner_reap(&r), 0);
	is_number(r.fd, -1);
	is_number(runner_reap(&r), 0);
	lock_release(&lock);
}

TEST(one_that_the_record_cannot_name_may_not_begin) {
	struct runner r = { .fd = -1, .again = true };  /* no warning */
	struct lock lock = LOCK_INIT;

	unlinkat(scratch_fd, "said", 0);
	is_number(lock_take(&lock, scratch_fd, "42"), 1);
	ok(unlinkat(scratch_fd, "42.lock", 0) == 0);
	is_number(runner_start(&r, &lock, &record, &context), 0);
	wait_for("said");
	ok(strstr(scratch_text("said"), "\nlocked\nshut\n") != NULL);
	runner_reap(&r);
	lock_release(&lock);
}

TEST(one_that_is_killed_is_told) {
	struct runner r = { .fd = -1, .again = true };
	struct lock lock = LOCK_INIT;

	unlinkat(scratch_fd, "go", 0);
	unlinkat(scratch_fd, "said", 0);
	is_number(lock_take(&lock, scratch_fd, "42"), 1);
	is_number(runner_start(&r, &lock, &record, &context), 0);
	wait_for("said");
	ok(strstr(scratch_text("said"), "--again\n--\n42\n") != NULL);
	kill(r.pid, SIGKILL);
	ok(readable(r.fd, -1));
	is_number(runner_reap(&r), SIGKILL);
	lock_release(&lock);
}

BEFORE_TESTS {
	if (tap_argc > 1 && strcmp(tap_argv[1], "handoff-run") == 0)
		exit(pretend(tap_argc, tap_argv));
	context.dir.state_fd = scratch_fd;
	ok(status_write(&record, scratch_fd) == 0);
}

AFTER_TESTS {
	argv_free(context.config.handoff);
	buf_release(&error);
}

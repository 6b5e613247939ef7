#include "base/argv.h"
#include "base/command.h"
#include "paneward.h"
#include "project/config.h"
#include "scratch.h"
#include "sweep/sweep.h"
#include "watcher/track.h"

static const char run[] = "0123abcd-1111-4222-8333-444444444444";
static struct sweep w;

/* So many issues, each with a hand-off that is due, with that line for sh. */
static void
begin(size_t n, const char *line)
{
	char issue[ISSUE_MAX + 1];
	struct visit *v;

	w.n = n;
	w.status = EXIT_DONE;
	w.jobs = 2;
	w.visits = calloc(n, sizeof(*w.visits));
	argv_free(w.site->context.config.handoff);
	w.site->context.config.handoff = usercommand_parse(line, scratch);
	for (v = w.visits; v < w.visits + n; v++) {
		*v = (struct visit){ .due = true };
		snprintf(issue, sizeof(issue), "%ld",
		    (long)(v - w.visits) + 1);
		status_init(&v->record, issue);
		memcpy(v->record.run, run, sizeof(run));
		v->record.verdict.state = STATE_COMPLETE;
		handoff_want(&v->record.handoff, run);
		is_number(status_write(&v->record,
		    w.site->context.dir.state_fd), 0);
	}
}

/* Runs them; what is printed is in said. */
static void
run_jobs(void)
{
	int out = dup(STDOUT_FILENO), said;

	fflush(stdout);
	scratch_write("said", "");
	said = openat(scratch_fd, "said", O_WRONLY | O_CLOEXEC);
	dup2(said, STDOUT_FILENO);
	jobs_run(&w);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(said);
}

static enum handoff_state
recorded(const char *issue)
{
	struct status r;
	enum handoff_state state;

	is_number(status_read(&r, w.site->context.dir.state_fd, issue), 1);
	state = r.handoff.state;
	status_release(&r);
	return state;
}

static void
finish(void)
{
	size_t i;

	for (i = 0; i < w.n; i++)
		status_release(&w.visits[i].record);
	free(w.visits);
}

TEST(each_that_is_due_is_run_and_reported) {
	begin(3, "true");
	w.visits[1].due = false;
	run_jobs();
	is_number(recorded("1"), HANDOFF_DONE);
	is_number(recorded("2"), HANDOFF_PENDING);
	is_number(recorded("3"), HANDOFF_DONE);
	ok(strstr(scratch_text("said"), "1 handed off\n") != NULL);
	ok(strstr(scratch_text("said"), "3 handed off\n") != NULL);
	is_number(w.status, EXIT_DONE);
	finish();
}

TEST(no_more_than_so_many_run_at_a_time) {
	begin(3, "mkdir busy || touch overlap; rmdir busy");
	w.jobs = 1;
	run_jobs();
	is_number(recorded("3"), HANDOFF_DONE);
	ok(!scratch_there("overlap"));
	finish();
}

/* Each waits for the other one. */
TEST(as_many_as_that_do) {
	begin(2, "touch here.$PANEWARD_ISSUE; until [ -e here.1 ] && "
	    "[ -e here.2 ]; do sleep 0.05; done");
	run_jobs();
	is_number(recorded("1"), HANDOFF_DONE);
	is_number(recorded("2"), HANDOFF_DONE);
	finish();
}

TEST(one_that_needs_a_person_shows_in_the_exit_status) {
	begin(1, "exit 75");
	run_jobs();
	is_number(recorded("1"), HANDOFF_PENDING);
	is_number(w.status, EXIT_DONE);
	finish();
	begin(2, "exit 77");
	run_jobs();
	is_number(recorded("2"), HANDOFF_REFUSED);
	is_number(w.status, EXIT_NO);
	finish();
}

TEST(what_another_process_holds_or_did_is_left) {
	struct lock other = LOCK_INIT;

	begin(2, "touch ran.$PANEWARD_ISSUE");
	is_number(lock_take(&other, w.site->context.dir.state_fd, "1"), 1);
	w.visits[1].record.handoff.state = HANDOFF_DONE;
	is_number(status_write(&w.visits[1].record,
	    w.site->context.dir.state_fd), 0);
	run_jobs();
	ok(!scratch_there("ran.1"));
	ok(!scratch_there("ran.2"));
	is_text(scratch_text("said"), "");
	lock_release(&other);
	finish();
}

BEFORE_TESTS {
	/* The runner that is started is this program. */
	if (tap_argc > 1 && strcmp(tap_argv[1], handoffrun_command.name) == 0)
		_exit(handoffrun_command.run(&handoffrun_command, tap_argc - 1,
		    tap_argv + 1));
	setenv("HOME", scratch, 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("PANEWARD_STATUS_DIR");
	ok(chdir(scratch) == 0);
	w.watch.policy = &policies[POLICY_SWEEP];
	w.watch.most = 1;
	w.watch.now = clock_wall();
	w.site = site_new(&w.watch, &w.watch.sites);
	context_open(&w.site->context, "status", true);
	w.site->context.config.handoff_timeout = 60;
}

AFTER_TESTS {
	context_close(&w.site->context);
}

#include "run/jobenv.h"

#include "base/argv.h"
#include "run/status.h"
#include "scratch.h"
#include "tmux/tmux.h"

static const char run[] = "0123abcd-1111-4222-8333-444444444444";
static struct context context = { .project = { .root = scratch },
	.dir = { .path = scratch } };

/* A completed run, as it is before its first hand-off. */
static struct status
completed(void)
{
	struct status r;

	status_init(&r, "42");
	memcpy(r.run, run, sizeof(r.run));
	r.verdict.state = STATE_COMPLETE;
	r.changes = r.episode = 7;
	handoff_want(&r.handoff, run);
	return r;
}

/* The value of a variable; NULL: it is not there. */
static const char *
value_of(char *const *env, const char *name)
{
	size_t len = strlen(name);

	for (; *env != NULL; env++)
		if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
			return *env + len + 1;
	return NULL;
}

TEST(few_of_our_variables_are_handed_on) {
	struct status r = completed();
	char **env;

	setenv("LANG", "C.UTF-8", 1);
	setenv("XDG_STATE_HOME", scratch, 1);
	setenv("https_proxy", "http://proxy:3128", 1);
	setenv("SECRET", "word", 1);
	setenv("PANEWARD_WHY", "ours", 1);
	env = jobenv_environment(&context, &r, false);
	is_text(value_of(env, "LANG"), "C.UTF-8");
	is_text(value_of(env, "XDG_STATE_HOME"), scratch);
	is_text(value_of(env, "https_proxy"), "http://proxy:3128");
	is_text(value_of(env, "SECRET"), NULL);
	is_text(value_of(env, "PANEWARD_WHY"), "");
	argv_free(env);
	unsetenv("PATH");
	env = jobenv_environment(&context, &r, false);
	is_text(value_of(env, "PATH"), "/usr/local/bin:/usr/bin:/bin");
	argv_free(env);
	status_release(&r);
}

TEST(the_run_is_described) {
	struct status r = completed();
	char **env;

	r.handoff.attempts = 3;
	r.branch = strdup("work");
	env = jobenv_environment(&context, &r, false);
	is_text(value_of(env, "PANEWARD_ISSUE"), "42");
	is_text(value_of(env, "PANEWARD_RUN"), run);
	is_text(value_of(env, "PANEWARD_STATE"), "complete");
	is_text(value_of(env, "PANEWARD_BRANCH"), "work");
	is_text(value_of(env, "PANEWARD_WORKTREE"), "");
	is_text(value_of(env, "PANEWARD_HANDOFF_ID"), run);
	is_text(value_of(env, "PANEWARD_ATTEMPT"), "3");
	is_text(value_of(env, "PANEWARD_STATUS_DIR"), scratch);
	is_text(value_of(env, "PANEWARD_EPISODE"), NULL);
	argv_free(env);
	status_release(&r);
}

TEST(an_agent_without_an_issue_has_a_pane_and_a_name) {
	char other[] = "/tmp/other", *socket = tmux_usual_socket();
	struct status r = completed();
	char **env;

	r.name = strdup("work:claude.0");
	r.place.server = 34567;
	memcpy(r.place.pane, "%7", 3);
	r.place.socket = socket;
	env = jobenv_environment(&context, &r, true);
	is_text(value_of(env, "PANEWARD_ISSUE"), "%7");
	is_text(value_of(env, "PANEWARD_NAME"), "work:claude.0");
	argv_free(env);
	r.place.socket = other;
	env = jobenv_environment(&context, &r, true);
	is_text(value_of(env, "PANEWARD_ISSUE"), "34567%7");
	argv_free(env);
	r.place.socket = socket;
	status_release(&r);
}

TEST(the_folders_come_from_the_configuration) {
	char one[] = "build", two[] = "web/out", root[] = "/trees";
	char *dirs[] = { one, two, NULL };
	struct status r = completed();
	char **env = jobenv_environment(&context, &r, false);

	is_text(value_of(env, "PANEWARD_WORKTREE_ROOT"),
	    scratch_path(".worktrees"));
	is_text(value_of(env, "PANEWARD_BUILD_DIRS"), "");
	is_text(value_of(env, "PANEWARD_KEEP_LOGS"), "0");
	argv_free(env);
	context.config.build_dirs = dirs;
	context.config.worktree_root = root;
	env = jobenv_environment(&context, &r, false);
	is_text(value_of(env, "PANEWARD_WORKTREE_ROOT"), "/trees");
	is_text(value_of(env, "PANEWARD_BUILD_DIRS"), "build:web/out");
	argv_free(env);
	context.config.build_dirs = NULL;
	context.config.worktree_root = NULL;
	status_release(&r);
}

TEST(a_notice_always_has_a_message) {
	struct status r = completed();
	char **env;

	r.notice = NOTICE_STATE;
	snprintf(r.verdict.why, sizeof(r.verdict.why), "the reason");
	env = jobenv_environment(&context, &r, true);
	is_text(value_of(env, "PANEWARD_STATE"), "complete");
	is_text(value_of(env, "PANEWARD_MESSAGE"), "the reason");
	is_text(strrchr(value_of(env, "PANEWARD_EPISODE"), '-'), "-7");
	argv_free(env);
	snprintf(r.verdict.message, sizeof(r.verdict.message), "its own");
	env = jobenv_environment(&context, &r, true);
	is_text(value_of(env, "PANEWARD_MESSAGE"), "its own");
	argv_free(env);
	status_release(&r);
}

TEST(a_notice_of_a_hand_off_tells_of_that) {
	struct status r = completed();
	char **env;

	handoff_begin(&r.handoff, 0);
	handoff_end(&r.handoff, HANDOFF_NEVER, 5, 0);
	r.handoff.message = strdup("lost work");
	r.notice = NOTICE_HANDOFF;
	env = jobenv_environment(&context, &r, true);
	is_text(value_of(env, "PANEWARD_STATE"), "refused");
	is_text(value_of(env, "PANEWARD_MESSAGE"), "lost work");
	argv_free(env);
	/* What runs is the hand-off, not that notice. */
	env = jobenv_environment(&context, &r, false);
	is_text(value_of(env, "PANEWARD_STATE"), "complete");
	argv_free(env);
	status_release(&r);
}

TEST(the_input_is_the_record_on_one_line) {
	struct status r = completed();
	int in = jobenv_input(&r);
	struct buf want = BUF_INIT;
	char text[65536];
	ssize_t n = read(in, text, sizeof(text) - 1);

	ok(n > 0);
	text[n > 0 ? n : 0] = '\0';
	status_print(&want, &r);
	buf_addc(&want, '\n');
	is_text(text, buf_str(&want));
	is_number(read(in, text, sizeof(text)), 0);
	close(in);
	buf_release(&want);
	status_release(&r);
}

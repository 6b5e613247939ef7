#include "run/jobenv.h"

#include "base/argv.h"
#include "run/status.h"
#include "scratch.h"

#define RUN "0123abcd-1111-4222-8333-444444444444"

static struct context context = { .project = { .root = scratch },
	.dir = { .path = scratch } };
static struct status r;
static char **env;

/* A completed run, as it is before its first hand-off. */
static void
begin(void)
{
	status_release(&r);
	status_init(&r, "42");
	memcpy(r.run, RUN, sizeof(r.run));
	r.verdict.state = STATE_COMPLETE;
	r.changes = r.episode = 7;
	handoff_want(&r.handoff, RUN);
}

static void
make(bool notice)
{
	argv_free(env);
	env = jobenv_environment(&context, &r, notice);
}

/* The value of a variable; NULL: it is not there. */
static const char *
value_of(const char *name)
{
	size_t i, len = strlen(name);

	for (i = 0; env[i] != NULL; i++)
		if (strncmp(env[i], name, len) == 0 && env[i][len] == '=')
			return env[i] + len + 1;
	return NULL;
}

TEST(few_of_our_variables_are_handed_on) {
	begin();
	setenv("LANG", "C.UTF-8", 1);
	setenv("https_proxy", "http://proxy:3128", 1);
	setenv("SECRET", "word", 1);
	setenv("PANEWARD_WHY", "ours", 1);
	make(false);
	is_text(value_of("LANG"), "C.UTF-8");
	is_text(value_of("XDG_STATE_HOME"), scratch);
	is_text(value_of("https_proxy"), "http://proxy:3128");
	is_text(value_of("SECRET"), NULL);
	is_text(value_of("PANEWARD_WHY"), "");
	unsetenv("PATH");
	make(false);
	is_text(value_of("PATH"), "/usr/local/bin:/usr/bin:/bin");
}

/* tests/system/sweep-handoff.sh has all of a real one. */
TEST(the_folders_come_from_the_configuration) {
	char one[] = "build", two[] = "web/out", root[] = "/trees";
	char *dirs[] = { one, two, NULL };

	begin();
	make(false);
	is_text(value_of("PANEWARD_WORKTREE"), "");
	is_text(value_of("PANEWARD_EPISODE"), NULL);
	is_text(value_of("PANEWARD_WORKTREE_ROOT"),
	    scratch_path(".worktrees"));
	is_text(value_of("PANEWARD_BUILD_DIRS"), "");
	is_text(value_of("PANEWARD_KEEP_LOGS"), "0");
	context.config.build_dirs = dirs;
	context.config.worktree_root = root;
	make(false);
	is_text(value_of("PANEWARD_WORKTREE_ROOT"), "/trees");
	is_text(value_of("PANEWARD_BUILD_DIRS"), "build:web/out");
	context.config.build_dirs = NULL;
	context.config.worktree_root = NULL;
}

/* tests/system/hand.sh has one of the usual server. */
TEST(an_agent_of_another_server_is_called_like_both) {
	begin();
	r.name = strdup("work:claude.0");
	r.place.server = 34567;
	memcpy(r.place.pane, "%7", 3);
	r.place.socket = strdup("/tmp/other");
	make(true);
	is_text(value_of("PANEWARD_ISSUE"), "34567%7");
}

AFTER_TESTS {
	status_release(&r);
	argv_free(env);
}

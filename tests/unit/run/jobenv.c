#include "run/jobenv.h"

#include "base/alloc.h"
#include "base/argv.h"
#include "run/status.h"
#include "scratch.h"
#include "tmux/sockets.h"

#define RUN "0123abcd-1111-4222-8333-444444444444"
#define BEGINS(issue, name) "ISSUE=" issue "|NAME=" name \
	"|RUN=" RUN "|SOURCE=none|SESSION=$1|PANE=%7|SOCKET=/tmp/other" \
	"|WORKTREE=|BRANCH=work|HANDOFF_ID=" RUN "|ATTEMPT=0|STATE=complete" \
	"|WHY=|MESSAGE=|KEEP_LOGS=0|BUILD_DIRS="

static char root[] = "/p", path[] = "/s";
static struct context context = { .project = { .root = root },
	.dir = { .path = path } };
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
	r.branch = xstrdup("work");
	r.place.socket = xstrdup("/tmp/other");
	r.place.server = 34567;
	strcpy(r.place.session, "$1");
	strcpy(r.place.pane, "%7");
	handoff_want(&r.handoff, RUN);
}

/* All our variables; others are read with value_of(). */
static const char *
made(void)
{
	static struct buf text;
	size_t i;

	buf_reset(&text);
	argv_free(env);
	env = jobenv_environment(&context, &r, false);
	for (i = 0; env[i] != NULL; i++)
		if (strncmp(env[i], "PANEWARD_", 9) == 0)
			buf_printf(&text, "%s|", env[i] + 9);
	return buf_str(&text);
}

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
	unsetenv("PANEWARD_CEILING");
	is_text(made(), BEGINS("42", "42") "|WORKTREE_ROOT=/p/.worktrees"
	    "|STATUS_DIR=/s|");
	is_text(value_of("LANG"), "C.UTF-8");
	is_text(value_of("XDG_STATE_HOME"), scratch);
	is_text(value_of("https_proxy"), "http://proxy:3128");
	is_text(value_of("SECRET"), NULL);
	unsetenv("PATH");
	made();
	is_text(value_of("PATH"), "/usr/local/bin:/usr/bin:/bin");
}

TEST(run_folders_and_an_agent_without_an_issue_are_described) {
	char one[] = "build", two[] = "web/out", trees[] = "/trees";
	char *dirs[] = { one, two, NULL };

	begin();
	r.name = xstrdup("work:claude.0");
	context.config.build_dirs = dirs;
	context.config.worktree_root = trees;
	is_text(made(), BEGINS("34567%7", "work:claude.0") "build:web/out"
	    "|WORKTREE_ROOT=/trees|STATUS_DIR=/s|");
	context.config.build_dirs = NULL;
	context.config.worktree_root = NULL;
	free(r.place.socket);
	r.place.socket = tmux_usual_socket();
	made();
	is_text(value_of("PANEWARD_ISSUE"), "%7");
}

AFTER_TESTS {
	status_release(&r);
	argv_free(env);
}

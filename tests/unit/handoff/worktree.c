#include "handoff/tree.h"

#include "unit/children.h"

/* A short command leaves its texts to the system, which is no leak. */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* A project with a work tree, judged in a child, since a refusal ends it. */
static void
begin(void)
{
	sh("rm -rf main status moved && git init -q main && cd main &&"
	    "mkdir trees && echo one >one && printf '/trees/\\nbuild\\n' "
	    ">.gitignore && git add -A && git commit -q -m first &&"
	    "git worktree add -q -b work trees/it");
}

static void
judge(void *unused)
{
	struct tree w = { .issue = "42",
	    .run = "0123abcd-1111-4222-8333-444444444444" };

	(void)unused;
	ok(dup2(STDERR_FILENO, STDOUT_FILENO) != -1 &&
	    chdir(scratch_path("main")) == 0);
	w.status_dir = scratch_path("status");
	w.tree = xasprintf("%s/main/trees/it", scratch);
	w.root = xasprintf("%s/main/trees", scratch);
	w.build_dirs = argv_add(NULL, "build");
	worktree_judge(&w);
	worktree_remove(&w);
	tree_release(&w);
}

/* Removes it, unless it is refused: the exit status.  Its words are in err. */
static int
act(void)
{
	return status_of(judge, NULL);
}

/* tests/system/cleanup-*.sh tries all states, with force too, and kills. */
TEST(what_would_be_lost_is_refused_with_the_reason) {
	static const struct {
		const char *line, *why;
	} rows[] = {
		{ "echo two >>one && echo new >new", "it has the modified "
		    "file 'one' and 1 more; commit, move or discard what 'git "
		    "status --ignored' shows, then run 'paneward handoff 42', "
		    "or save it first with 'paneward handoff 42 --force'\n" },
		{ "mkdir -p a/.claude/self-reborn && echo '*' "
		    ">a/.claude/self-reborn/.gitignore", "it has the ignored "
		    "file 'a/.claude/self-reborn/.gitignore'" },
		{ "git checkout -q --detach && git commit -q --allow-empty -m "
		    "'my work'", ", 'my work', is on no branch; keep that with "
		    "'git branch NAME" },
		{ "rm one", "the deleted file 'one'" },
		{ "git init -q inner", "'inner' is a submodule, or another "
		    "repository" },
		{ "git worktree lock --reason mine .", "it is locked: 'mine'; "
		    "unlock it" },
		{ "rm .git && git init -q .", "its .git does not lead to" },
		{ "rm ../../.git/worktrees/it/gitdir", "'git worktree list' "
		    "does not know it" },
		{ "cd .. && mv it ../../moved && ln -s ../../moved it",
		    "it is a link" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		sh("cd main/trees/it && %s", rows[i].line);
		is_number(act(), CLEANUP_REFUSED);
		contains(scratch_text("err"), rows[i].why);
		ok(scratch_there("main/trees/it"));
	}
}

TEST(files_that_hooks_keep_of_sessions_are_no_work) {
	begin();
	sh("cd main/trees/it && mkdir -p .claude/self-reborn && cd "
	    ".claude/self-reborn && echo '*' >.gitignore && echo >session_id");
	is_number(act(), 0);
	contains(scratch_text("err"), "removed work tree '");
	is_number(act(), 0);
	contains(scratch_text("err"), "' is gone already");
}

BEFORE_TESTS {
	scratch_home();
}

#include "handoff/tree.h"

#include "unit/children.h"

/* A short command leaves its texts to the system, which is no leak. */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}

/*
 * A project with a work tree; each test judges it in a child, since a refusal
 * ends the program.
 */

static bool force;

static void
begin(void)
{
	force = false;
	sh("rm -rf main status moved && git init -q main && cd main &&"
	    "mkdir trees && echo one >one && printf '/trees/\\nbuild\\n' "
	    ">.gitignore && git add -A && git commit -q -m first &&"
	    "git worktree add -q -b work trees/it");
}

static void
judge(void *remove)
{
	struct tree w = { .issue = "42", .force = force,
	    .run = "0123abcd-1111-4222-8333-444444444444" };

	ok(dup2(STDERR_FILENO, STDOUT_FILENO) != -1 &&
	    chdir(scratch_path("main")) == 0);
	w.status_dir = scratch_path("status");
	w.tree = xasprintf("%s/main/trees/it", scratch);
	w.root = xasprintf("%s/main/trees", scratch);
	w.build_dirs = argv_add(NULL, "build");
	worktree_judge(&w, 0);
	if (*(bool *)remove)
		worktree_remove(&w);
	tree_release(&w);
}

/* Judges it, or removes it; its exit status.  What it prints is in err. */
static int
act(bool remove)
{
	return status_of(judge, &remove);
}

/* It is refused, without and with force, with these words; or saved with. */
static void
refused(const char *why, bool saved)
{
	is_number(act(true), CLEANUP_REFUSED);
	contains(scratch_text("err"), why);
	ok(scratch_there("main/trees/it"));
	force = true;
	is_number(act(saved), saved ? 0 : CLEANUP_REFUSED);
	is_number(scratch_there("main/trees/it"), !saved);
	is_number(strstr(scratch_text("err"), "saved everything") != NULL,
	    saved);
}

/* tests/system/cleanup-*.sh tries more states, kills, and what is not lost. */
TEST(what_would_be_lost_is_refused_or_saved_on_request) {
	static const struct {
		const char *line, *why, *lost;  /* NULL: it cannot be saved */
	} rows[] = {
		{ "echo two >>one && echo new >new", "it has the modified "
		    "file 'one' and 1 more; commit, move or discard", "new" },
		{ "echo mine >build", "it has the ignored file 'build'; "
		    "commit, move or", "build" },
		{ "mkdir -p a/.claude/self-reborn && echo '*' "
		    ">a/.claude/self-reborn/.gitignore", "it has the ignored "
		    "file 'a/.claude/self-reborn/.gitignore'", "one" },
		{ "git update-index --assume-unchanged one && echo two >>one",
		    "the modified file 'one';", "one" },
		{ "echo two >one && git add one && echo one >one",
		    "file 'one'", "one" },
		{ "git checkout -q --detach && git commit -q --allow-empty -m "
		    "'my work'", ", 'my work', is on no branch; keep that with "
		    "'git branch NAME", "one" },
		{ "rm one", "the deleted file 'one'", ".gitignore" },
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
		refused(rows[i].why, rows[i].lost != NULL);
		if (rows[i].lost != NULL)
			sh("cd main && git for-each-ref --format='%%(refname)' "
			    "refs/paneward/rescue/42 | xargs -I {} "
			    "git cat-file -e {}:%s", rows[i].lost);
	}
	ok(scratch_there("moved/one"));         /* of the link, the last row */
}

TEST(one_without_work_is_removed) {
	begin();
	sh("cd main/trees/it && mkdir build && echo o >build/o");
	is_number(act(false), 0);
	is_text(scratch_text("err"), "");
	ok(scratch_there("main/trees/it/build/o") && act(true) == 0);
	ok(strncmp(scratch_text("err"), "removed work tree '", 19) == 0);
	ok(!scratch_there("main/trees/it") && act(true) == 0);
	contains(scratch_text("err"), "' is gone already");
	/* What hooks keep of sessions is no work. */
	begin();
	sh("cd main/trees/it && mkdir -p .claude/self-reborn && cd "
	    ".claude/self-reborn && echo '*' >.gitignore && echo >session_id");
	is_number(act(true), 0);
}

static bool
enter_tree(const void *unused)
{
	(void)unused;
	return chdir(scratch_path("main/trees/it")) == 0;
}

TEST(a_process_in_it_is_not_disturbed) {
	pid_t pid;

	begin();
	pid = sleeper(enter_tree, NULL);
	refused("has its current directory there; end it", false);
	sleeper_end(pid);
	is_number(act(true), 0);
}

BEFORE_TESTS {
	scratch_home();
}

#include "handoff/tree.h"

#include "base/argv.h"
#include "scratch.h"

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
sh(const char *line)
{
	struct tree w = { .issue = "42" };

	is_number(tree_run(&w, scratch, WORDS("sh", "-ec", line)), 0);
	if (w.errors.len > 0)
		printf("# %s\n", tree_complaint(&w));
	tree_release(&w);
}

static void
begin(void)
{
	force = false;
	sh("rm -rf main status && git init -q main && cd main && mkdir trees &&"
	    "echo one >one && printf '/trees/\\nbuild\\n' >.gitignore &&"
	    "git add -A && git commit -q -m first &&"
	    "git worktree add -q -b work trees/it");
}

/* Judges it, and with remove set removes it; its exit status.  What it prints
 * is in said. */
static int
act(bool remove)
{
	struct tree w = { .issue = "42", .force = force,
	    .run = "0123abcd-1111-4222-8333-444444444444" };
	int status;

	fflush(stdout);
	if (fork() == 0) {
		ok(freopen(scratch_path("said"), "w", stderr) != NULL &&
		    dup2(STDERR_FILENO, STDOUT_FILENO) != -1 &&
		    chdir(scratch_path("main")) == 0);
		w.status_dir = scratch_path("status");
		w.tree = xasprintf("%s/main/trees/it", scratch);
		w.root = xasprintf("%s/main/trees", scratch);
		w.build_dirs = argv_add(NULL, "build");
		worktree_judge(&w, 0);
		if (remove)
			worktree_remove(&w);
		tree_release(&w);
		_exit(0);
	}
	wait(&status);
	return WEXITSTATUS(status);
}

/* It is refused, without and with force, with these words; or saved with. */
static void
refused(const char *why, bool saved)
{
	is_number(act(true), CLEANUP_REFUSED);
	if (strstr(scratch_text("said"), why) == NULL)
		is_text(scratch_text("said"), why);
	ok(scratch_there("main/trees/it"));
	force = true;
	is_number(act(saved), saved ? 0 : CLEANUP_REFUSED);
	is_number(scratch_there("main/trees/it"), !saved);
	is_number(strstr(scratch_text("said"), "saved everything") != NULL,
	    saved);
}

TEST(one_without_work_is_removed) {
	begin();
	sh("cd main/trees/it && mkdir build && echo o >build/o");
	is_number(act(false), 0);
	is_text(scratch_text("said"), "");
	ok(scratch_there("main/trees/it/build/o"));
	is_number(act(true), 0);
	ok(strncmp(scratch_text("said"), "removed work tree '", 19) == 0);
	ok(!scratch_there("main/trees/it"));
	is_number(act(true), 0);
	ok(strstr(scratch_text("said"), "' is gone already") != NULL);
}

TEST(a_changed_file_is_saved_on_request) {
	begin();
	sh("cd main/trees/it && echo two >>one && echo new >new");
	refused("it has the modified file 'one' and 1 more; commit, move or "
	    "discard", true);
	sh("cd main && git for-each-ref --format='%(refname)' "
	    "refs/paneward/rescue/42 | xargs -I {} git show {}:new >new");
	is_text(scratch_text("main/new"), "new\n");
}

TEST(what_hooks_keep_of_sessions_is_no_work) {
	begin();
	sh("cd main/trees/it && mkdir -p .claude/self-reborn &&"
	    "cd .claude/self-reborn && echo '*' >.gitignore && echo x >session_id");
	is_number(act(true), 0);
	begin();
	sh("cd main/trees/it && mkdir -p a/.claude/self-reborn &&"
	    "cd a/.claude/self-reborn && echo '*' >.gitignore");
	refused("it has the ignored file 'a/.claude/self-reborn/.gitignore'",
	    true);
}

TEST(a_file_with_the_name_of_a_build_directory_is_saved) {
	begin();
	sh("cd main/trees/it && echo mine >build");
	refused("it has the ignored file 'build'; commit, move or", true);
	sh("cd main && git for-each-ref --format='%(refname)' "
	    "refs/paneward/rescue/42 | xargs -I {} git show {}:build >build");
	is_text(scratch_text("main/build"), "mine\n");
}

TEST(a_flag_of_the_index_hides_nothing) {
	begin();
	sh("cd main/trees/it && git update-index --assume-unchanged one &&"
	    "echo two >>one");
	refused("the modified file 'one';", true);
}

TEST(what_is_staged_alone_is_work) {
	begin();
	sh("cd main/trees/it && echo two >one && git add one && echo one >one");
	refused("file 'one'", true);
}

TEST(a_commit_on_no_branch_is_named) {
	begin();
	sh("cd main/trees/it && git checkout -q --detach &&"
	    "git commit -q --allow-empty -m 'my work'");
	refused(", 'my work', is on no branch; keep that with 'git branch NAME",
	    true);
}

TEST(what_cannot_be_saved_is_refused) {
	begin();
	sh("cd main/trees/it && git init -q inner");
	refused("'inner' is a submodule, or another repository", false);
	begin();
	sh("git -C main worktree lock --reason mine trees/it");
	refused("it is locked: 'mine'; unlock it", false);
	begin();
	sh("cd main/trees/it && rm .git && git init -q .");
	refused("its .git does not lead to", false);
	begin();
	sh("rm main/.git/worktrees/it/gitdir");
	refused("'git worktree list' does not know it", false);
}

TEST(a_link_is_not_followed) {
	begin();
	sh("mv main/trees/it moved && ln -s ../../moved main/trees/it");
	refused("it is a link", false);
	ok(scratch_there("moved/one"));
	sh("rm -r moved");
}

TEST(a_process_in_it_is_not_disturbed) {
	pid_t pid;
	int ready[2];
	char byte;

	begin();
	ok(pipe(ready) == 0);
	pid = fork();
	if (pid == 0) {
		if (chdir(scratch_path("main/trees/it")) == 0 &&
		    write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	ok(read(ready[0], &byte, 1) == 1);
	refused("has its current directory there; end it", false);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	is_number(act(true), 0);
}

TEST(a_removal_that_was_cut_short_is_finished) {
	begin();
	is_number(act(true), 0);
	sh("git -C main worktree add -q trees/it work && rm main/trees/it/one");
	is_number(act(true), 0);                /* the note says it was ours */
	ok(!scratch_there("main/trees/it"));
	begin();
	sh("rm main/trees/it/one");
	refused("the deleted file 'one'", true);
}

BEFORE_TESTS {
	scratch_home();
}

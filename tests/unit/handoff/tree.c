#include "handoff/tree.h"

#include "base/alloc.h"
#include "base/argv.h"
#include "scratch.h"

/* A short command leaves its texts to the system, which is no leak. */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* A tree that runs programs, and belongs to a repository once there is one. */
static struct tree
tree_here(void)
{
	struct tree w = { .issue = "42", .tree = "tree",
	    .run = "0123abcd-1111-4222-8333-444444444444" };

	w.real = xstrdup(scratch_path("tree"));
	w.common = xstrdup(scratch_path("main/.git"));
	w.admin = xstrdup(scratch_path(
	    "main/.git/worktrees/tree"));
	w.present = true;
	return w;
}

/* ---- running programs ---------------------------------------------------- */

TEST(the_output_of_the_last_program_is_there) {
	struct tree w = { .issue = "42" };

	is_number(tree_run(&w, NULL, WORDS("sh", "-c", "echo one; echo two")),
	    0);
	is_text(tree_line(&w), "one");
	is_number(tree_run(&w, scratch, WORDS("sh", "-c",
	    "printf 'a\\nb' >&2; pwd; exit 3")), 3);
	is_text(tree_line(&w), scratch);
	is_text(tree_complaint(&w), "a b");
	is_number(tree_run(&w, NULL, WORDS("paneward-none")), 127);
	is_text(tree_line(&w), "");
	tree_release(&w);
}

TEST(parts_of_its_output_end_with_nul) {
	struct tree w = { .issue = "42" };
	const char *part;

	tree_run(&w, NULL, WORDS("printf", "one\\0\\0three"));
	part = tree_next(&w, NULL);
	is_text(part, "one");
	part = tree_next(&w, part);
	is_text(part, "");
	part = tree_next(&w, part);
	is_text(part, "three");
	is_text(tree_next(&w, part), NULL);
	tree_run(&w, NULL, WORDS("true"));
	is_text(tree_next(&w, NULL), NULL);
	tree_release(&w);
}

TEST(a_file_has_no_line_feed_at_its_end) {
	struct tree w = { .issue = "42" };

	scratch_write("file", "one\ntwo\n\n");
	is_text(tree_file(scratch, "file"), "one\ntwo");
	is_text(tree_file(scratch, "none"), NULL);
	is_text(tree_file(scratch, ""), NULL);
	tree_release(&w);
}

/* ---- messages ------------------------------------------------------------ */

/* What it prints on standard error is in said; its exit status. */
static int
ends(void (*act)(struct tree *))
{
	struct tree w = { .issue = "42", .tree = "/x\033y" };
	int status;

	fflush(stdout);
	if (fork() == 0) {
		ok(freopen(scratch_path("said"), "w", stderr) != NULL);
		act(&w);
		_exit(0);
	}
	wait(&status);
	return WEXITSTATUS(status);
}

static void
refuse(struct tree *w)
{
	tree_refuse(w, "do that", "%s is wrong", "this");
}

static void
fail(struct tree *w)
{
	tree_fail(w, "cannot do '%s'", "it");
}

static void
lose(struct tree *w)
{
	tree_lose(w, "keep it", "it has a file");
}

static void
force(struct tree *w)
{
	w->force = true;
	tree_lose(w, "keep it", "it has a file");
	if (!w->must_save)
		_exit(9);
}

TEST(a_message_says_what_to_do) {
	is_number(ends(refuse), CLEANUP_REFUSED);
	is_text(scratch_text("said"), "cannot remove work tree '/x\\x1by': "
	    "this is wrong; do that, then run 'paneward handoff 42'\n");
	is_number(ends(fail), CLEANUP_FAILED);
	is_text(scratch_text("said"), "cannot do 'it'\n");
	is_number(ends(lose), CLEANUP_REFUSED);
	is_text(scratch_text("said"), "cannot remove work tree '/x\\x1by': it "
	    "has a file; keep it, then run 'paneward handoff 42', or have it "
	    "saved first by 'paneward handoff 42 --force'\n");
	is_number(ends(force), 0);
	is_text(scratch_text("said"), "");
}

/* ---- git ----------------------------------------------------------------- */

/* Runs a line for sh in the scratch folder. */
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
new_tree(void)
{
	sh("rm -rf main tree; git init -q main && cd main &&"
	    "git commit -q --allow-empty -m first &&"
	    "git worktree add -q -b work ../tree");
}

static size_t
lone_commits(void)
{
	struct tree w = tree_here();
	size_t n;

	w.head = tree_git_line(&w, GIT_TREE, WORDS("rev-parse", "HEAD"));
	ok(w.head != NULL);
	ok(tree_find_lone(&w));
	n = argv_count(w.lone);
	tree_release(&w);
	return n;
}

TEST(a_commit_on_no_branch_is_lone) {
	new_tree();
	is_number(lone_commits(), 0);
	sh("cd tree && git commit -q --allow-empty -m mine");
	is_number(lone_commits(), 0);
	sh("cd tree && git checkout -q --detach &&"
	    "git commit -q --allow-empty -m one &&"
	    "git commit -q --allow-empty -m two");
	is_number(lone_commits(), 1);
	sh("cd tree && git checkout -q work");
	is_number(lone_commits(), 1);           /* in the log of HEAD */
	sh("cd tree && git tag kept HEAD@{1}");
	is_number(lone_commits(), 0);
}

TEST(what_a_rebase_tried_out_is_not) {
	new_tree();
	sh("cd tree && echo a >a && git add a && git commit -q -m a &&"
	    "git checkout -q -b side HEAD~1 && echo b >b && git add b &&"
	    "git commit -q -m b && echo c >c && git add c && git commit -q -m "
	    "c && GIT_SEQUENCE_EDITOR='f() { { head -n 1 \"$1\"; echo break;"
	    "tail -n +2 \"$1\"; } >../list; cat ../list >\"$1\"; }; f' "
	    "git rebase -q -i work && git rebase --abort");
	is_number(lone_commits(), 0);
}

TEST(everything_is_saved_in_one_commit) {
	char build[] = "build", *dirs[] = { build, NULL };
	struct tree w;
	const char *files;

	new_tree();
	sh("cd tree && printf '*.tmp\\nbuild\\n' >.gitignore &&"
	    "echo x >x.tmp && mkdir build && echo o >build/o &&"
	    "echo staged >s && git add s");
	w = tree_here();
	w.head = tree_git_line(&w, GIT_TREE, WORDS("rev-parse", "HEAD"));
	w.build_dirs = argv_add_all(NULL, (const char *const *)dirs);
	fflush(stdout);
	files = tree_rescue(&w);
	is_text(tree_save_files(&w), files);
	tree_git(&w, GIT_MAIN, WORDS("ls-tree", "-r", "--name-only", files));
	is_text(buf_str(&w.out), ".gitignore\ns\nx.tmp\n");
	tree_git(&w, GIT_MAIN, WORDS("for-each-ref",
	    "--format=%(refname:rstrip=-4) %(tree)",
	    "refs/paneward/rescue/42"));
	is_text(tree_line(&w), xasprintf("refs/paneward/rescue/42 %s",
	    files));
	tree_release(&w);
}

BEFORE_TESTS {
	scratch_home();
}

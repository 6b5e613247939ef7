#include "handoff/tree.h"

#include "unit/children.h"

/* A short command leaves its texts to the system, which is no leak. */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}

static void
find_lone(void *count)
{
	struct tree w = { .issue = "42", .tree = "tree", .present = true,
	    .run = "0123abcd-1111-4222-8333-444444444444" };

	w.real = xstrdup(scratch_path("tree"));
	w.common = xstrdup(scratch_path("main/.git"));
	w.admin = xstrdup(scratch_path("main/.git/worktrees/tree"));
	w.head = tree_git_line(&w, GIT_TREE, WORDS("rev-parse", "HEAD"));
	ok(w.head != NULL && tree_find_lone(&w));
	*(size_t *)count = argv_count(w.lone);
	tree_release(&w);
}

/* tests/system/cleanup.sh saves everything in one commit. */
TEST(a_commit_on_no_branch_is_lone) {
#define NEW "cd .. && rm -rf main tree && git init -q main && cd main &&" \
	"git commit -q --allow-empty -m first &&" \
	"git worktree add -q -b work ../tree"
#define COMMIT "git commit -q --allow-empty -m "
	static const struct {
		const char *line;
		size_t lone;
	} rows[] = {
		/* In the log of HEAD are two, of which the last counts. */
		{ NEW "&& cd ../tree && git checkout -q --detach &&"
		    COMMIT "one &&" COMMIT "two && git checkout -q work", 1 },
		{ "git tag kept HEAD@{1}", 0 },
		/* What a rebase tried out is not. */
		{ NEW "&& cd ../tree && echo a >a && git add a &&"
		    "git commit -q -m a && git checkout -q -b side HEAD~1 &&"
		    "echo b >b && git add b && git commit -q -m b &&"
		    "echo c >c && git add c && git commit -q -m c &&"
		    "GIT_SEQUENCE_EDITOR='f() { { head -n 1 \"$1\"; echo "
		    "break; tail -n +2 \"$1\"; } >../list; cat ../list "
		    ">\"$1\"; }; f' git rebase -q -i work 2>/dev/null &&"
		    "git rebase --abort", 0 },
	};
	size_t i, n;

	scratch_folder("tree");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sh("cd tree && %s", rows[i].line);
		find_lone(&n);
		is_number(n, rows[i].lone);
	}
}

BEFORE_TESTS {
	scratch_home();
}

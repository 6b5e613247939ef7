#include "project/project.h"

#include <errno.h>
#include <limits.h>

#include "base/alloc.h"
#include "scratch.h"
#include "unit/fixture.h"

static char home[PATH_MAX + 1];         /* the scratch folder without links */

static int
find(struct project *project, const char *name)
{
	struct buf why = BUF_INIT;
	int result = project_find(project, scratch_path(name), &why);

	is_number(why.len > 0, result == -1);
	buf_release(&why);
	return result;
}

/* The answer to one word of a question, without the name of that folder. */
static const char *
answer_one(const char *word, const char *of)
{
	static struct buf out;
	const char *path = word[0] == '/' ? word : scratch_path(word);
	char *name = NULL, *linked = NULL;
	struct buf why = BUF_INIT;
	struct project p = { .root = NULL };

	buf_reset(&out);
	if (strncmp(word, "branch:", 7) == 0) {
		name = project_branch(scratch_path(word + 7), &why);
	} else if (of == NULL) {
		is_number(find(&p, word), 0);
		name = xasprintf("%s %s%s", p.root, p.git_dir ? p.git_dir :
		    "-", p.bare ? " (bare)" : "");
	} else {
		is_number(find(&p, of), 0);
		if (strncmp(word, "issue:", 6) == 0) {
			name = project_worktree_of(&p, word + 6, &why);
		} else {
			name = project_worktree_at(&p, path, false, &why);
			linked = project_worktree_at(&p, path, true, &why);
		}
	}
	buf_printf(&out, "%s%s", name ? name : "-", linked ? " (linked)" : "");
	is_number(why.len, 0);
	free(linked);
	free(name);
	project_release(&p);
	return replaced(buf_str(&out), home, "");
}

/*
 * "FOLDER...": root and git directory of its project; "branch:FOLDER": its
 * branch; "PATH... of FOLDER": the work tree, of the project around a folder,
 * that the path lies in; "issue:N of FOLDER": that of an issue; "-": none.
 */
static const char *
answer(const char *question)
{
	char *list = xstrdup(question), *rest = list, *word;
	char *of = strstr(list, " of ");
	const char *told, *before = NULL;

	if (of != NULL) {
		*of = '\0';
		of += 4;
	}
	while ((word = strsep(&rest, " ")) != NULL) {
		told = answer_one(word, of);
		is_text(told, before != NULL ? before : told);
		before = told;
	}
	free(list);
	return before;
}

TEST(outside_of_git_a_marked_folder_is_the_project) {
	run("mkdir -p plain/a/b marked/a/b/c status/.worktrees/.status "
	    "status/a && echo {} >marked/a/.paneward.json");
	ROWS(answer, "plain/a/b => plain/a/b -",
	    "marked/a/b/c marked/a => marked/a -", "marked => marked -",
	    "status/a => status -", "marked/a/b of marked/a => -");
}

TEST(what_is_no_directory_has_no_project) {
	struct project project;

	run("echo >file && ln -s nowhere dangling");
	ok(find(&project, "file") == -1 && errno == ENOTDIR);
	ok(find(&project, "none") == -1 && errno == ENOENT);
	is_number(find(&project, "dangling"), -1);
	ok(project.root == NULL && project.git_dir == NULL);
}

TEST(what_only_looks_like_git_is_passed_over) {
	run("mkdir -p fake/.git fake/a fake/b fake/c fake/d fake/e/.git "
	    "fake/f && head -c 1000000 /dev/zero | tr '\\0' a | "
	    "sed 's/^/gitdir: /' >fake/f/.git && "
	    "echo {} >fake/.paneward.json && "
	    "echo 'gitdir: /nowhere' >fake/a/.git && "
	    "echo 'gitdir: ' >fake/b/.git && : >fake/c/.git && "
	    "mkfifo fake/d/.git && echo ../nowhere >fake/e/.git/commondir && "
	    "echo 'ref: refs/heads/x' >fake/e/.git/HEAD");
	ROWS(answer, "fake fake/a fake/b fake/c fake/d fake/e fake/f => "
	    "fake -");
}

TEST(in_a_work_tree_its_top_is_the_project_and_a_linked_one_has_the_same) {
	run("git init -q -b main repo && cd repo && mkdir -p src/deep && "
	    "git commit -q --allow-empty -m first && "
	    "echo {} >src/.paneward.json && git worktree add -q -b feature/42 "
	    ".worktrees/issue-42-login && mkdir .worktrees/issue-42-login/in &&"
	    " git worktree add -q --detach ../away/issue-7");
	ROWS(answer, "repo repo/src/deep repo/.git repo/.git/refs/heads "
	    "repo/.worktrees/issue-42-login/in away/issue-7 "
	    "repo/.git/worktrees/issue-7 repo/.worktrees => repo repo/.git",
	    "branch:repo/.worktrees/issue-42-login => feature/42",
	    "branch:repo/src => -", "branch:away/issue-7 => -");
}

TEST(a_path_lies_in_the_deepest_work_tree) {
	ROWS(answer, "repo repo/src/deep repo/.worktrees of repo => repo",
	    "repo/.worktrees/issue-42-login/in of away/issue-7 => "
	    "repo/.worktrees/issue-42-login (linked)",
	    "away/issue-7/ of repo => away/issue-7 (linked)",
	    "away/issue-77 away repository / of repo => -",
	    "repo of plain => -");
}

TEST(a_path_with_links_is_followed) {
	run("ln -s repo/.worktrees link && ln -s repo other");
	ROWS(answer, "link/issue-42-login other/src => repo repo/.git",
	    "link/issue-42-login/in of other => repo/.worktrees/issue-42-login "
	    "(linked)",
	    "link/issue-42-login/gone/for/ever of repo => "
	    "repo/.worktrees/issue-42-login (linked)",
	    "repo/gone/../../../etc of repo => -",
	    "repo/gone/a..b of repo => repo");
}

TEST(a_work_tree_that_was_deleted_is_still_known) {
	run("cd repo && git worktree add -q --detach ../away/issue-8-x && "
	    "rm -r ../away/issue-8-x");
	ROWS(answer, "away/issue-8-x/src of repo => away/issue-8-x (linked)");
}

/* tests/system/adopt-git.sh has two of a name. */
TEST(the_work_tree_named_after_an_issue_is_found) {
	ROWS(answer, "issue:42 of repo => repo/.worktrees/issue-42-login",
	    "issue:7 of repo/.worktrees/issue-42-login => away/issue-7",
	    "issue:42-login of repo => repo/.worktrees/issue-42-login",
	    "issue:login of repo => -");
}

TEST(paths_in_gits_files_may_be_relative) {
	run("cd repo && "
	    "printf 'gitdir: ../../repo/.git/worktrees/issue-7\\r\\n' "
	    ">../away/issue-7/.git && printf ../../../../away/issue-7/.git "
	    ">.git/worktrees/issue-7/gitdir");
	ROWS(answer, "away/issue-7 => repo repo/.git",
	    "away/issue-7 of repo => away/issue-7 (linked)");
}

TEST(the_folder_around_a_bare_repository_is_its_project) {
	run("mkdir bare && git clone -q --bare repo bare/site.git && "
	    "cd bare/site.git && git worktree add -q ../issue-5 -b five && "
	    "git worktree add -q inside -b six");
	ROWS(answer, "bare/site.git bare/site.git/refs bare/issue-5 "
	    "bare/site.git/inside => bare bare/site.git (bare)",
	    "bare => bare -",
	    "bare/issue-5/x of bare/issue-5 => bare/issue-5 (linked)",
	    "bare/other of bare/issue-5 => -",
	    "issue:5 of bare/issue-5 => bare/issue-5");
}

TEST(a_bare_repository_may_be_anywhere_and_keep_settings_per_work_tree) {
	run("mkdir dot && git clone -q --bare repo dot/.bare && "
	    "echo 'gitdir: ./.bare' >dot/.git && cd dot && "
	    "git worktree add -q issue-9 -b nine && cd .. && "
	    "git clone -q --bare repo named/.git && cd named && "
	    "git worktree add -q issue-9 -b nine");
	run("git clone -q --bare repo own/.bare && cd own/.bare && "
	    "git config extensions.worktreeConfig true && "
	    "git config --unset core.bare && "
	    "git config --worktree core.bare true && "
	    "git worktree add -q ../issue-1 -b one");
	ROWS(answer, "dot dot/issue-9 => dot dot/.bare (bare)",
	    "named named/issue-9 => named named/.git (bare)",
	    "own/issue-1 => own own/.bare (bare)");
}

TEST(in_a_submodule_its_work_tree_is_the_project) {
	run("git init -q -b main super && cd super && "
	    "git -c protocol.file.allow=always submodule --quiet "
	    "add ../repo lib/sub && git commit -q -m sub && "
	    "cd lib/sub && mkdir deep && "
	    "git worktree add -q -b sub-3 ../../../issue-3");
	ROWS(answer, "super/lib => super super/.git",
	    "super/lib/sub/deep issue-3 super/.git/modules/lib/sub => "
	    "super/lib/sub super/.git/modules/lib/sub",
	    "issue-3 of super/lib/sub => issue-3 (linked)",
	    "super/lib/sub/deep of issue-3 => super/lib/sub",
	    "super/lib/sub/deep of super => super");
}

TEST(a_git_directory_kept_elsewhere_belongs_to_its_work_tree) {
	run("mkdir store && "
	    "git init -q -b main --separate-git-dir=store/x.git apart");
	ROWS(answer, "apart => apart store/x.git", "branch:apart => main");
	/* Its path says nothing of the main work tree. */
	run("cd apart && git commit -q --allow-empty -m 1 && "
	    "git worktree add -q ../beside");
	ROWS(answer, "beside => beside store/x.git",
	    "beside of beside => beside (linked)");
}

TEST(gits_configuration_is_read_as_git_does) {
	run("git init -q set && mkdir -p 'a ;b' && cd set && "
	    "printf '%s\\n' '# [core]' '[user]' 'bare = true' '[core \"x\"]' "
	    "'bare = yes' ' [CORE] Bare = no ; why' 'barely = true' "
	    "'worktree = \"../../a ;b\" # there' >.git/config");
	ROWS(answer, "set => a ;b set/.git");
	run("cd set && printf '[core]bare' >.git/config");
	ROWS(answer, "set => set set/.git (bare)");
	run("cd set && printf '[core]\\n\\tbare = 1\\n bare=off' >.git/config");
	ROWS(answer, "set => set set/.git");
}

BEFORE_TESTS {
	/* Where /tmp is a link, what is found has another name. */
	ok(realpath(scratch, home) != NULL);
	strcat(home, "/");
	scratch_home();
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	unsetenv("GIT_DIR");
	unsetenv("GIT_WORK_TREE");
	unsetenv("GIT_INDEX_FILE");
}

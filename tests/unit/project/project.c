#include "project/project.h"

#include <errno.h>

#include "base/alloc.h"
#include "scratch.h"
#include "unit/fixture.h"

static char *home;                      /* the scratch folder without links */

static char *
in_home(const char *name)
{
	return xasprintf("%s/%s", home, name);
}

/* A path as it is told by name: what follows that folder. */
static const char *
short_name(const char *path)
{
	size_t size = strlen(home);

	if (path == NULL || strncmp(path, home, size) != 0)
		return path;
	return path[size] == '/' ? path + size + 1 : path + size;
}

static int
find(struct project *project, const char *name)
{
	char *start = in_home(name);
	struct buf why = BUF_INIT;
	int result = project_find(project, start, &why);

	ROW("%s", name);
	is_number(why.len > 0, result == -1);
	buf_release(&why);
	free(start);
	return result;
}

/* Each of these folders, with a blank between them, is in that project, whose
 * git directory has " (bare)" behind it if it is so; "-": it has none. */
static void
are_in(const char *starts, const char *root, const char *git_dir)
{
	char *list = xstrdup(starts), *rest = list, *start, *git;
	struct project p;

	while ((start = strsep(&rest, " ")) != NULL) {
		is_number(find(&p, start), 0);
		is_text(short_name(p.root), root);
		git = xasprintf("%s%s", p.git_dir ? short_name(p.git_dir) : "-",
		    p.bare ? " (bare)" : "");
		is_text(git, git_dir);
		free(git);
		project_release(&p);
	}
	free(list);
}

/* Each of these paths lies in that work tree of the project around start; if it
 * is a linked one, " (linked)" is behind its name. */
static void
lie_in(const char *start, const char *paths, const char *want)
{
	char *list = xstrdup(paths), *rest = list, *path, *full;
	char *worktree, *linked, *name;
	struct buf why = BUF_INIT;
	struct project p;

	ok(find(&p, start) == 0);
	while ((path = strsep(&rest, " ")) != NULL) {
		ROW("%s of %s", path, start);
		full = path[0] == '/' ? xstrdup(path) : in_home(path);
		worktree = project_worktree_at(&p, full, false, &why);
		linked = project_worktree_at(&p, full, true, &why);
		name = xasprintf("%s%s", worktree ? short_name(worktree) : "-",
		    linked ? " (linked)" : "");
		is_text(name, want);
		free(name);
		free(linked);
		free(worktree);
		free(full);
	}
	free(list);
	project_release(&p);
}

/* That work tree is an issue's, of the project around start. */
static void
has_issue(const char *start, const char *issue, const char *want)
{
	struct buf why = BUF_INIT;
	struct project p;
	char *worktree;

	ok(find(&p, start) == 0);
	worktree = project_worktree_of(&p, issue, &why);
	is_number(why.len, 0);
	is_text(short_name(worktree), want);
	free(worktree);
	project_release(&p);
}

static void
has_branch(const char *worktree, const char *want)
{
	struct buf why = BUF_INIT;
	char *path = in_home(worktree), *name = project_branch(path, &why);

	is_number(why.len, 0);
	is_text(name, want);
	free(name);
	free(path);
}

TEST(outside_of_git_a_marked_folder_is_the_project) {
	run("mkdir -p plain/a/b marked/a/b/c status/.worktrees/.status "
	    "status/a && echo {} >marked/a/.paneward.json");
	are_in("plain/a/b", "plain/a/b", "-");
	are_in("marked/a/b/c marked/a", "marked/a", "-");
	are_in("marked", "marked", "-");
	are_in("status/a", "status", "-");
	lie_in("marked/a", "marked/a/b", "-");
	has_issue("marked/a", "1", NULL);
	has_branch("marked/a", NULL);
}

TEST(what_is_no_directory_has_no_project) {
	struct project project;

	run("echo >file && ln -s nowhere dangling");
	errno = 0;
	is_number(find(&project, "file"), -1);
	is_number(errno, ENOTDIR);
	is_number(find(&project, "none"), -1);
	is_number(errno, ENOENT);
	is_number(find(&project, "dangling"), -1);
	ok(project.root == NULL && project.git_dir == NULL);
	project_release(&project);
}

TEST(the_root_of_the_file_system_ends_the_search) {
	struct buf why = BUF_INIT;
	struct project project;

	is_number(project_find(&project, "/", &why), 0);
	is_text(project.root, "/");
	project_release(&project);
}

TEST(what_only_looks_like_git_is_passed_over) {
	run("mkdir -p fake/.git fake/a fake/b fake/c fake/d fake/e/.git && "
	    "echo {} >fake/.paneward.json && "
	    "echo 'gitdir: /nowhere' >fake/a/.git && "
	    "echo 'gitdir: ' >fake/b/.git && : >fake/c/.git && "
	    "mkfifo fake/d/.git && echo ../nowhere >fake/e/.git/commondir && "
	    "echo 'ref: refs/heads/x' >fake/e/.git/HEAD");
	are_in("fake fake/a fake/b fake/c fake/d fake/e", "fake", "-");
}

TEST(a_gitdir_that_never_ends_is_cut) {
	run("mkdir long && { printf 'gitdir: '; "
	    "head -c 1000000 /dev/zero | tr '\\0' a; } >long/.git");
	are_in("long", "long", "-");
}

TEST(in_a_work_tree_its_top_is_the_project) {
	run("git init -q -b main repo && cd repo && mkdir -p src/deep && "
	    "git commit -q --allow-empty -m first && "
	    "echo {} >src/.paneward.json");
	are_in("repo repo/src/deep repo/.git repo/.git/refs/heads", "repo",
	    "repo/.git");
	has_branch("repo", "main");
	has_branch("repo/src", NULL);
}

TEST(a_linked_work_tree_has_the_same_project) {
	run("cd repo && git worktree add -q -b feature/42 "
	    ".worktrees/issue-42-login && mkdir .worktrees/issue-42-login/in &&"
	    " git worktree add -q --detach ../away/issue-7");
	are_in("repo/.worktrees/issue-42-login "
	    "repo/.worktrees/issue-42-login/in away/issue-7 "
	    "repo/.git/worktrees/issue-7 repo/.worktrees", "repo", "repo/.git");
	has_branch("repo/.worktrees/issue-42-login", "feature/42");
	has_branch("away/issue-7", NULL);
}

TEST(a_path_lies_in_the_deepest_work_tree) {
	lie_in("repo", "repo repo/src/deep repo/.worktrees", "repo");
	lie_in("repo", "repo/.worktrees/issue-42-login",
	    "repo/.worktrees/issue-42-login (linked)");
	lie_in("away/issue-7", "repo/.worktrees/issue-42-login/in",
	    "repo/.worktrees/issue-42-login (linked)");
	lie_in("repo", "repo/.worktrees/issue-42-login2", "repo");
	lie_in("repo", "away/issue-7/", "away/issue-7 (linked)");
	lie_in("repo", "away/issue-77 away repository /", "-");
	lie_in("plain", "repo", "-");
}

TEST(a_path_with_links_is_followed) {
	run("ln -s repo/.worktrees link && ln -s repo other");
	are_in("link/issue-42-login other/src", "repo", "repo/.git");
	lie_in("other", "link/issue-42-login/in",
	    "repo/.worktrees/issue-42-login (linked)");
	lie_in("repo", "link/issue-42-login/gone/for/ever",
	    "repo/.worktrees/issue-42-login (linked)");
	lie_in("repo", "repo/gone/../../../etc", "-");
	lie_in("repo", "repo/gone/a..b", "repo");
}

TEST(a_work_tree_that_was_deleted_is_still_known) {
	run("cd repo && git worktree add -q --detach ../away/issue-8-x && "
	    "rm -r ../away/issue-8-x");
	lie_in("repo", "away/issue-8-x/src", "away/issue-8-x (linked)");
	run("cd repo && git worktree prune");
	lie_in("repo", "away/issue-8-x/src", "-");
}

TEST(the_only_work_tree_named_after_an_issue_is_found) {
	has_issue("repo", "42", "repo/.worktrees/issue-42-login");
	has_issue("repo/.worktrees/issue-42-login", "7", "away/issue-7");
	has_issue("repo", "4", NULL);
	has_issue("repo", "42-login", "repo/.worktrees/issue-42-login");
	has_issue("repo", "login", NULL);
	run("cd repo && git worktree add -q --detach .worktrees/issue-42");
	has_issue("repo", "42", NULL);
}

TEST(paths_in_gits_files_may_be_relative) {
	run("cd repo && "
	    "printf 'gitdir: ../../repo/.git/worktrees/issue-7\\r\\n' "
	    ">../away/issue-7/.git && printf ../../../../away/issue-7/.git "
	    ">.git/worktrees/issue-7/gitdir");
	are_in("away/issue-7", "repo", "repo/.git");
	lie_in("repo", "away/issue-7", "away/issue-7 (linked)");
}

TEST(the_folder_around_a_bare_repository_is_its_project) {
	run("mkdir bare && git clone -q --bare repo bare/site.git && "
	    "cd bare/site.git && git worktree add -q ../issue-5 -b five && "
	    "git worktree add -q inside -b six");
	are_in("bare/site.git bare/site.git/refs bare/issue-5 "
	    "bare/site.git/inside", "bare", "bare/site.git (bare)");
	are_in("bare", "bare", "-");
	has_branch("bare/issue-5", "five");
	lie_in("bare/issue-5", "bare/issue-5/x", "bare/issue-5 (linked)");
	lie_in("bare/issue-5", "bare/other", "-");
	has_issue("bare/issue-5", "5", "bare/issue-5");
}

TEST(a_bare_repository_may_be_pointed_to_or_be_called_git) {
	run("mkdir dot && git clone -q --bare repo dot/.bare && "
	    "echo 'gitdir: ./.bare' >dot/.git && cd dot && "
	    "git worktree add -q issue-9 -b nine && cd .. && "
	    "git clone -q --bare repo named/.git && cd named && "
	    "git worktree add -q issue-9 -b nine");
	are_in("dot dot/issue-9", "dot", "dot/.bare (bare)");
	are_in("named named/issue-9", "named", "named/.git (bare)");
}

TEST(a_bare_repository_may_keep_its_settings_per_work_tree) {
	run("git clone -q --bare repo own.git && cd own.git && "
	    "git config extensions.worktreeConfig true && "
	    "git config --unset core.bare && "
	    "git config --worktree core.bare true && "
	    "git worktree add -q ../own/issue-1 -b one");
	are_in("own/issue-1", "", "own.git (bare)");
}

TEST(in_a_submodule_its_work_tree_is_the_project) {
	run("git init -q -b main super && cd super && "
	    "git -c protocol.file.allow=always submodule --quiet "
	    "add ../repo lib/sub && git commit -q -m sub && "
	    "cd lib/sub && mkdir deep && "
	    "git worktree add -q -b sub-3 ../../../issue-3");
	are_in("super/lib", "super", "super/.git");
	are_in("super/lib/sub/deep issue-3 super/.git/modules/lib/sub",
	    "super/lib/sub", "super/.git/modules/lib/sub");
	has_branch("issue-3", "sub-3");
	lie_in("super/lib/sub", "issue-3", "issue-3 (linked)");
	lie_in("issue-3", "super/lib/sub/deep", "super/lib/sub");
	lie_in("super", "super/lib/sub/deep", "super");
}

TEST(a_git_directory_kept_elsewhere_belongs_to_its_work_tree) {
	run("mkdir store && "
	    "git init -q -b main --separate-git-dir=store/x.git apart");
	are_in("apart", "apart", "store/x.git");
	has_branch("apart", "main");
	lie_in("apart", "apart", "apart");
	/* Its path says nothing of the main work tree. */
	run("cd apart && git commit -q --allow-empty -m 1 && "
	    "git worktree add -q ../beside");
	are_in("beside", "beside", "store/x.git");
	lie_in("beside", "beside", "beside (linked)");
}

TEST(gits_configuration_is_read_as_git_does) {
	run("git init -q set && mkdir -p 'a ;b' && cd set && "
	    "printf '%s\\n' '# [core]' '[user]' 'bare = true' '[core \"x\"]' "
	    "'bare = yes' ' [CORE] Bare = no ; why' 'barely = true' "
	    "'worktree = \"../../a ;b\" # there' >.git/config");
	are_in("set", "a ;b", "set/.git");
	run("cd set && printf '[core]bare' >.git/config");
	are_in("set", "set", "set/.git (bare)");
	run("cd set && printf '[core]\\n\\tbare = 1\\n bare=off' >.git/config");
	are_in("set", "set", "set/.git");
	run("cd set && rm .git/config");
	are_in("set", "set", "set/.git");
}

BEFORE_TESTS {
	/* Where /tmp is a link, what is found has another name. */
	home = realpath(scratch, NULL);
	scratch_home();
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	unsetenv("GIT_DIR");
	unsetenv("GIT_WORK_TREE");
	unsetenv("GIT_INDEX_FILE");
}

AFTER_TESTS {
	free(home);
}

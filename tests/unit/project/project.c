#include "project/project.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tap.h"

static const char *home;                /* the folder of this test */

/* Runs a shell line there. */
static void
run(const char *line)
{
	char *whole = xasprintf("{ cd %s && %s; } >/dev/null 2>&1", home, line);

	if (system(whole) != 0)
		is_text("failed", line);
	free(whole);
}

static char *
in_home(const char *name)
{
	return xasprintf("%s/%s", home, name);
}

/* A path as it is told by name: what follows the folder of this test. */
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

	is_number(why.len > 0, result == -1);
	buf_release(&why);
	free(start);
	return result;
}

#define is_project(start, want_root, want_git_dir) do { \
	struct project p_; \
	is_number(find(&p_, (start)), 0); \
	is_text(short_name(p_.root), (want_root)); \
	is_text(short_name(p_.git_dir), (want_git_dir)); \
	project_release(&p_); \
} while (0)

static bool
is_bare(const char *start)
{
	struct project project;
	bool bare;

	ok(find(&project, start) == 0);
	bare = project.bare;
	project_release(&project);
	return bare;
}

/* The work tree that a path lies in, of the project around start; its name
 * is freed by the caller. */
static char *
worktree_at(const char *start, const char *path)
{
	struct project project;
	struct buf why = BUF_INIT;
	char *full = path[0] == '/' ? xstrdup(path) : in_home(path);
	char *worktree, *linked, *name = NULL;

	ok(find(&project, start) == 0);
	worktree = project_worktree_at(&project, full, false, &why);
	linked = project_worktree_at(&project, full, true, &why);
	if (worktree != NULL)
		name = xasprintf("%s%s", short_name(worktree),
		    linked ? " (linked)" : "");
	free(linked);
	free(worktree);
	free(full);
	project_release(&project);
	return name;
}

static char *
worktree_of(const char *start, const char *issue)
{
	struct buf why = BUF_INIT;
	struct project project;
	char *worktree, *name = NULL;

	ok(find(&project, start) == 0);
	worktree = project_worktree_of(&project, issue, &why);
	is_number(why.len, 0);
	if (worktree != NULL)
		name = xstrdup(short_name(worktree));
	free(worktree);
	project_release(&project);
	return name;
}

static char *
branch(const char *worktree)
{
	struct buf why = BUF_INIT;
	char *path = in_home(worktree), *name = project_branch(path, &why);

	is_number(why.len, 0);
	free(path);
	return name;
}

/* For the three above: what is compared is freed. */
#define is_name(call, want) do { \
	char *got_ = (call); \
	tap_text(got_, (want), #call, __FILE__, __LINE__); \
	free(got_); \
} while (0)

TEST(outside_of_git_a_marked_folder_is_the_project) {
	run("mkdir -p plain/a/b marked/a/b/c status/.worktrees/.status "
	    "status/a && echo {} >marked/a/.paneward.json");
	is_project("plain/a/b", "plain/a/b", NULL);
	is_project("marked/a/b/c", "marked/a", NULL);
	is_project("marked/a", "marked/a", NULL);
	is_project("marked", "marked", NULL);
	is_project("status/a", "status", NULL);
	is_name(worktree_at("marked/a", "marked/a/b"), NULL);
	is_name(worktree_of("marked/a", "1"), NULL);
	is_name(branch("marked/a"), NULL);
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
	is_project("fake", "fake", NULL);
	is_project("fake/a", "fake", NULL);
	is_project("fake/b", "fake", NULL);
	is_project("fake/c", "fake", NULL);
	is_project("fake/d", "fake", NULL);
	is_project("fake/e", "fake", NULL);
}

TEST(a_gitdir_that_never_ends_is_cut) {
	run("mkdir long && { printf 'gitdir: '; "
	    "head -c 1000000 /dev/zero | tr '\\0' a; } >long/.git");
	is_project("long", "long", NULL);
}

TEST(in_a_work_tree_its_top_is_the_project) {
	run("git init -q -b main repo && cd repo && mkdir -p src/deep && "
	    "git commit -q --allow-empty -m first && "
	    "echo {} >src/.paneward.json");
	is_project("repo", "repo", "repo/.git");
	is_project("repo/src/deep", "repo", "repo/.git");
	is_project("repo/.git", "repo", "repo/.git");
	is_project("repo/.git/refs/heads", "repo", "repo/.git");
	ok(!is_bare("repo"));
	is_name(branch("repo"), "main");
	is_name(branch("repo/src"), NULL);
}

TEST(a_linked_work_tree_has_the_same_project) {
	run("cd repo && git worktree add -q -b feature/42 "
	    ".worktrees/issue-42-login && mkdir .worktrees/issue-42-login/in &&"
	    " git worktree add -q --detach ../away/issue-7");
	is_project("repo/.worktrees/issue-42-login", "repo", "repo/.git");
	is_project("repo/.worktrees/issue-42-login/in", "repo", "repo/.git");
	is_project("away/issue-7", "repo", "repo/.git");
	is_project("repo/.git/worktrees/issue-7", "repo", "repo/.git");
	is_project("repo/.worktrees", "repo", "repo/.git");
	is_name(branch("repo/.worktrees/issue-42-login"), "feature/42");
	is_name(branch("away/issue-7"), NULL);
}

TEST(a_path_lies_in_the_deepest_work_tree) {
	is_name(worktree_at("repo", "repo"), "repo");
	is_name(worktree_at("repo", "repo/src/deep"), "repo");
	is_name(worktree_at("repo", "repo/.worktrees"), "repo");
	is_name(worktree_at("repo", "repo/.worktrees/issue-42-login"),
	    "repo/.worktrees/issue-42-login (linked)");
	is_name(worktree_at("away/issue-7",
	    "repo/.worktrees/issue-42-login/in"),
	    "repo/.worktrees/issue-42-login (linked)");
	is_name(worktree_at("repo", "repo/.worktrees/issue-42-login2"), "repo");
	is_name(worktree_at("repo", "away/issue-7/"), "away/issue-7 (linked)");
	is_name(worktree_at("repo", "away/issue-77"), NULL);
	is_name(worktree_at("repo", "away"), NULL);
	is_name(worktree_at("repo", "repository"), NULL);
	is_name(worktree_at("repo", "/"), NULL);
	is_name(worktree_at("plain", "repo"), NULL);
}

TEST(a_path_with_links_is_followed) {
	run("ln -s repo/.worktrees link && ln -s repo other");
	is_project("link/issue-42-login", "repo", "repo/.git");
	is_project("other/src", "repo", "repo/.git");
	is_name(worktree_at("other", "link/issue-42-login/in"),
	    "repo/.worktrees/issue-42-login (linked)");
	is_name(worktree_at("repo", "link/issue-42-login/gone/for/ever"),
	    "repo/.worktrees/issue-42-login (linked)");
	is_name(worktree_at("repo", "repo/gone/../../../etc"), NULL);
	is_name(worktree_at("repo", "repo/gone/a..b"), "repo");
}

TEST(a_work_tree_that_was_deleted_is_still_known) {
	run("cd repo && git worktree add -q --detach ../away/issue-8-x && "
	    "rm -r ../away/issue-8-x");
	is_name(worktree_at("repo", "away/issue-8-x/src"),
	    "away/issue-8-x (linked)");
	run("cd repo && git worktree prune");
	is_name(worktree_at("repo", "away/issue-8-x/src"), NULL);
}

TEST(the_only_work_tree_named_after_an_issue_is_found) {
	is_name(worktree_of("repo", "42"), "repo/.worktrees/issue-42-login");
	is_name(worktree_of("repo/.worktrees/issue-42-login", "7"),
	    "away/issue-7");
	is_name(worktree_of("repo", "4"), NULL);
	is_name(worktree_of("repo", "42-login"),
	    "repo/.worktrees/issue-42-login");
	is_name(worktree_of("repo", "login"), NULL);
	run("cd repo && git worktree add -q --detach .worktrees/issue-42");
	is_name(worktree_of("repo", "42"), NULL);
}

TEST(paths_in_gits_files_may_be_relative) {
	run("cd repo && "
	    "printf 'gitdir: ../../repo/.git/worktrees/issue-7\\r\\n' "
	    ">../away/issue-7/.git && printf ../../../../away/issue-7/.git "
	    ">.git/worktrees/issue-7/gitdir");
	is_project("away/issue-7", "repo", "repo/.git");
	is_name(worktree_at("repo", "away/issue-7"), "away/issue-7 (linked)");
}

TEST(the_folder_around_a_bare_repository_is_its_project) {
	run("mkdir bare && git clone -q --bare repo bare/site.git && "
	    "cd bare/site.git && git worktree add -q ../issue-5 -b five && "
	    "git worktree add -q inside -b six");
	is_project("bare/site.git", "bare", "bare/site.git");
	is_project("bare/site.git/refs", "bare", "bare/site.git");
	is_project("bare/issue-5", "bare", "bare/site.git");
	is_project("bare/site.git/inside", "bare", "bare/site.git");
	ok(is_bare("bare/issue-5"));
	is_project("bare", "bare", NULL);
	is_name(branch("bare/issue-5"), "five");
	is_name(worktree_at("bare/issue-5", "bare/issue-5/x"),
	    "bare/issue-5 (linked)");
	is_name(worktree_at("bare/issue-5", "bare/other"), NULL);
	is_name(worktree_of("bare/issue-5", "5"), "bare/issue-5");
}

TEST(a_bare_repository_may_be_pointed_to_or_be_called_git) {
	run("mkdir dot && git clone -q --bare repo dot/.bare && "
	    "echo 'gitdir: ./.bare' >dot/.git && cd dot && "
	    "git worktree add -q issue-9 -b nine && cd .. && "
	    "git clone -q --bare repo named/.git && cd named && "
	    "git worktree add -q issue-9 -b nine");
	is_project("dot", "dot", "dot/.bare");
	is_project("dot/issue-9", "dot", "dot/.bare");
	is_project("named", "named", "named/.git");
	is_project("named/issue-9", "named", "named/.git");
	ok(is_bare("dot") && is_bare("named/issue-9"));
}

TEST(a_bare_repository_may_keep_its_settings_per_work_tree) {
	run("git clone -q --bare repo own.git && cd own.git && "
	    "git config extensions.worktreeConfig true && "
	    "git config --unset core.bare && "
	    "git config --worktree core.bare true && "
	    "git worktree add -q ../own/issue-1 -b one");
	is_project("own/issue-1", "", "own.git");
	ok(is_bare("own/issue-1"));
}

TEST(in_a_submodule_its_work_tree_is_the_project) {
	run("git init -q -b main super && cd super && "
	    "git -c protocol.file.allow=always submodule --quiet "
	    "add ../repo lib/sub && git commit -q -m sub && "
	    "cd lib/sub && mkdir deep && "
	    "git worktree add -q -b sub-3 ../../../issue-3");
	is_project("super/lib", "super", "super/.git");
	is_project("super/lib/sub/deep", "super/lib/sub",
	    "super/.git/modules/lib/sub");
	is_project("issue-3", "super/lib/sub", "super/.git/modules/lib/sub");
	is_project("super/.git/modules/lib/sub", "super/lib/sub",
	    "super/.git/modules/lib/sub");
	ok(!is_bare("super/lib/sub"));
	is_name(branch("issue-3"), "sub-3");
	is_name(worktree_at("super/lib/sub", "issue-3"), "issue-3 (linked)");
	is_name(worktree_at("issue-3", "super/lib/sub/deep"), "super/lib/sub");
	is_name(worktree_at("super", "super/lib/sub/deep"), "super");
}

TEST(a_git_directory_kept_elsewhere_belongs_to_its_work_tree) {
	run("mkdir store && "
	    "git init -q -b main --separate-git-dir=store/x.git apart");
	is_project("apart", "apart", "store/x.git");
	ok(!is_bare("apart"));
	is_name(branch("apart"), "main");
	is_name(worktree_at("apart", "apart"), "apart");
	/* Its path says nothing of the main work tree. */
	run("cd apart && git commit -q --allow-empty -m 1 && "
	    "git worktree add -q ../beside");
	is_project("beside", "beside", "store/x.git");
	is_name(worktree_at("beside", "beside"), "beside (linked)");
}

TEST(gits_configuration_is_read_as_git_does) {
	run("git init -q set && mkdir -p 'a ;b' && cd set && "
	    "printf '%s\\n' '# [core]' '[user]' 'bare = true' '[core \"x\"]' "
	    "'bare = yes' ' [CORE] Bare = no ; why' 'barely = true' "
	    "'worktree = \"../../a ;b\" # there' >.git/config");
	is_project("set", "a ;b", "set/.git");
	run("cd set && printf '[core]bare' >.git/config");
	ok(is_bare("set"));
	run("cd set && printf '[core]\\n\\tbare = 1\\n bare=off' >.git/config");
	ok(!is_bare("set"));
	run("cd set && rm .git/config");
	is_project("set", "set", "set/.git");
}

static int
set_up(void)
{
	static char made[] = "/tmp/paneward-project-XXXXXX";

	/* Where /tmp is a link, what is found has another name. */
	if (mkdtemp(made) == NULL || (home = realpath(made, NULL)) == NULL)
		return -1;
	setenv("PANEWARD_CEILING", "/tmp", 1);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	setenv("GIT_AUTHOR_NAME", "A", 1);
	setenv("GIT_AUTHOR_EMAIL", "a@example.org", 1);
	setenv("GIT_COMMITTER_NAME", "A", 1);
	setenv("GIT_COMMITTER_EMAIL", "a@example.org", 1);
	unsetenv("GIT_DIR");
	unsetenv("GIT_WORK_TREE");
	unsetenv("GIT_INDEX_FILE");
	return 0;
}

BEFORE_TESTS {
	if (set_up() == -1) {
		printf("Bail out! no folder for this test\n");
		exit(1);
	}
}

AFTER_TESTS {
	run("rm -r \"$PWD\"");
}

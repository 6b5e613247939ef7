#include "fleet/wire/wire.h"

#include "tap.h"

static const char *
project_of(const char *directory)
{
	static struct buf out;

	buf_reset(&out);
	store_project(&out, directory);
	return buf_str(&out);
}

static const char *
token_of(const char *text)
{
	static struct buf out;

	buf_reset(&out);
	store_token(&out, text);
	return buf_str(&out);
}

TEST(a_project_is_named_by_its_folder) {
	ok(strncmp(project_of("/home/a/shop/.worktrees/.status"), "shop-",
	    5) == 0);
	ok(strncmp(project_of("/home/a/shop/.status"), "shop-", 5) == 0);
	is_number(strlen(project_of("/home/a/shop/.status")), 5 + 8);
	ok(strncmp(project_of("/home/a/my shop/.worktrees/.status"),
	    "my_shop-", 8) == 0);
}

TEST(two_projects_of_a_name_are_told_apart) {
	char first[64];

	snprintf(first, sizeof(first), "%s",
	    project_of("/home/a/shop/.worktrees/.status"));
	ok(strcmp(project_of("/home/b/shop/.worktrees/.status"), first) != 0);
	ok(strcmp(project_of("/home/a/shop/.status"), first) != 0);
	is_text(project_of("/home/a/shop/.worktrees/.status"), first);
}

TEST(a_project_is_a_token_whatever_its_folder_is_called) {
	ok(strpbrk(project_of("/.worktrees/.status"), ".*> /") == NULL);
	ok(strpbrk(project_of("/a/*.>/.worktrees/.status"), ".*> /") == NULL);
	ok(strcmp(project_of("/a/_order/.worktrees/.status"), "_order") != 0);
}

TEST(a_token_that_lost_something_has_a_hash) {
	char first[64];

	is_text(token_of("issue-7_b"), "issue-7_b");
	snprintf(first, sizeof(first), "%s", token_of("a.b"));
	ok(strncmp(first, "a_b-", 4) == 0);
	ok(strcmp(token_of("a b"), first) != 0);
	ok(strlen(token_of("")) > 0);
}

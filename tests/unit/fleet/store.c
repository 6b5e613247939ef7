#include "fleet/wire/wire.h"

#include "unit/children.h"

/* What one of these makes of a text, in one of a few buffers. */
static const char *
made(void (*make)(struct buf *, const char *), const char *text)
{
	static struct buf out[8];
	static unsigned next;
	struct buf *b = &out[next++ % 8];

	buf_reset(b);
	make(b, text);
	return buf_str(b);
}

#define PROJECT(directory) made(store_project, (directory))
#define TOKEN(text) made(store_token, (text))

TEST(a_project_is_named_by_its_folder_and_told_apart_from_its_namesakes) {
	const char *one = PROJECT("/home/a/shop/.worktrees/.status"),
	    *two = PROJECT("/home/a/shop/.status");

	ok(strncmp(one, "shop-", 5) == 0 && strncmp(two, "shop-", 5) == 0);
	ok(strlen(two) == 5 + 8 && strcmp(two, one) != 0);
	is_text(PROJECT("/home/a/shop/.worktrees/.status"), one);
	ok(strcmp(PROJECT("/home/b/shop/.worktrees/.status"), one) != 0);
	ok(strncmp(PROJECT("/home/a/my shop/.worktrees/.status"),
	    "my_shop-", 8) == 0);
}

TEST(a_token_is_one_whatever_it_is_made_of) {
	const char *dot = TOKEN("a.b");

	ok(strpbrk(PROJECT("/.worktrees/.status"), ".*> /") == NULL);
	ok(strpbrk(PROJECT("/a/*.>/.worktrees/.status"), ".*> /") == NULL);
	ok(strcmp(PROJECT("/a/_order/.worktrees/.status"), "_order") != 0);
	is_text(TOKEN("issue-7_b"), "issue-7_b");
	/* What lost something has a hash. */
	ok(strncmp(dot, "a_b-", 4) == 0 && strcmp(TOKEN("a b"), dot) != 0);
	ok(strlen(TOKEN("")) > 0);
}

#include "project/statusdir.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "scratch.h"

#define PROJECTS "state/paneward/projects"

static void
add(const char *name)
{
	struct buf error = BUF_INIT;
	struct statusdir d;

	ok(statusdir_open(&d, xstrdup(scratch_path(name)), true, &error) == 0);
	registry_add(&d);
	statusdir_close(&d);
	buf_release(&error);
}

/* The registry's file has these names, each a line. */
static void
holds(const char *const *names)
{
	struct buf want = BUF_INIT;

	for (; *names != NULL; names++)
		buf_printf(&want, "%s\n", scratch_path(*names));
	is_text(scratch_text(PROJECTS), buf_str(&want));
	buf_release(&want);
}

/* ... and these are the directories. */
static void
gives(const char *const *names)
{
	char **paths = registry_directories(true);
	size_t i, n = argv_count(paths);

	for (i = 0; names[i] != NULL && i < n; i++)
		is_text(paths[i], scratch_path(names[i]));
	ok(names[i] == NULL && i == n);
	argv_free(paths);
}

TEST(without_a_file_there_is_none) {
	ok(registry_directories(true) == NULL);
	ok(!scratch_there("state"));
}

TEST(a_directory_is_added_once) {
	struct stat before, after;

	add("one");
	add("two");
	holds(WORDS("one", "two"));
	ok(stat(scratch_path(PROJECTS), &before) == 0);
	is_number(before.st_mode & 0777, 0600);
	add("one");
	ok(stat(scratch_path(PROJECTS), &after) == 0);
	ok(before.st_ino == after.st_ino);
	gives(WORDS("one", "two"));
}

TEST(a_part_of_a_path_is_not_the_path) {
	add("on");
	holds(WORDS("one", "two", "on"));
}

TEST(what_is_gone_or_refused_drops_out) {
	add("worldly");
	ok(chmod(scratch_path("worldly"), 0777) == 0);
	ok(rename(scratch_path("two"), scratch_path("elsewhere")) == 0);
	ok(symlink("elsewhere", scratch_path("two")) == 0);
	scratch_folder("bare");
	scratch_add(PROJECTS, scratch_path("bare"));
	scratch_add(PROJECTS, "\nrelative\n\n");
	gives(WORDS("one", "on"));
	add("three");
	holds(WORDS("one", "on", "three"));
}

TEST(two_paths_of_a_directory_are_one) {
	ok(symlink(".", scratch_path("here")) == 0);
	scratch_add(PROJECTS, scratch_path("here/one"));
	scratch_add(PROJECTS, "\n");
	gives(WORDS("one", "on", "three"));
}

TEST(a_line_without_its_end_is_a_line) {
	scratch_add(PROJECTS, scratch_path("elsewhere"));
	gives(WORDS("one", "on", "three", "elsewhere"));
	add("two words");
	holds(WORDS("one", "on", "three", "elsewhere", "two words"));
}

TEST(a_path_with_a_line_feed_is_left_out) {
	add("a\nb");
	holds(WORDS("one", "on", "three", "elsewhere", "two words"));
}

TEST(a_link_in_its_place_is_neither_read_nor_replaced) {
	struct stat st;

	ok(rename(scratch_path(PROJECTS), scratch_path("kept")) == 0);
	ok(symlink("../../kept", scratch_path(PROJECTS)) == 0);
	ok(registry_directories(true) == NULL);
	add("four");
	ok(lstat(scratch_path(PROJECTS), &st) == 0 && S_ISLNK(st.st_mode));
	ok(strstr(scratch_text("kept"), "four") == NULL);
	ok(unlink(scratch_path(PROJECTS)) == 0);
}

TEST(a_folder_that_all_may_write_to_is_not_used) {
	ok(chmod(scratch_path("state/paneward"), 0777) == 0);
	add("four");
	ok(!scratch_there(PROJECTS));
	ok(chmod(scratch_path("state/paneward"), 0700) == 0);
}

TEST(without_a_home_nothing_is_written) {
	setenv("XDG_STATE_HOME", "state", 1);   /* relative: does not count */
	unsetenv("HOME");
	add("four");
	ok(registry_directories(true) == NULL);
	setenv("HOME", scratch, 1);
	add("four");
	ok(scratch_there(".local/" PROJECTS));
	gives(WORDS("four"));
}

/* sudo may leave HOME as it is. */
TEST(nothing_is_made_in_the_home_of_another_user) {
	if (geteuid() != 0)
		return;
	scratch_folder("theirs");
	ok(chown(scratch_path("theirs"), SCRATCH_NOBODY, SCRATCH_NOBODY) == 0);
	setenv("HOME", scratch_path("theirs"), 1);
	add("four");
	ok(!scratch_there("theirs/.local"));
}

BEFORE_TESTS {
	setenv("XDG_STATE_HOME", scratch_path("state"), 1);
}

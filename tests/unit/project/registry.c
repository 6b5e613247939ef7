#include "project/statusdir.h"

#include "base/alloc.h"
#include "base/argv.h"
#include "scratch.h"
#include "unit/fixture.h"

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

/* It gives these directories, a '|' behind each, and has so many lines. */
static void
gives(const char *names, unsigned lines)
{
	char **paths = registry_directories(true);

	is_text(replaced(joined(paths), scratch_path(""), ""), names);
	is_number(scratch_lines(PROJECTS), lines);
	argv_free(paths);
}

TEST(a_directory_is_added_once_and_a_part_of_a_path_is_not_the_path) {
	struct stat before, after;

	add("one");
	add("two");
	ok(stat(scratch_path(PROJECTS), &before) == 0);
	is_number(before.st_mode & 0777, 0600);
	add("one");
	ok(stat(scratch_path(PROJECTS), &after) == 0);
	ok(before.st_ino == after.st_ino);
	add("on");
	gives("one|two|on|", 3);
}

TEST(what_is_gone_or_refused_drops_out) {
	add("worldly");
	run("chmod 777 worldly && mv two elsewhere && ln -s elsewhere two && "
	    "mkdir bare && printf '%s/bare\\nrelative\\n\\n' \"$PWD\" >>"
	    PROJECTS);
	gives("one|on|", 7);
	add("three");
	gives("one|on|three|", 3);
	/* Two paths of a directory are one, and a line may lack its end. */
	run("ln -s . here && printf '%s/here/one\\n%s/elsewhere' \"$PWD\" "
	    "\"$PWD\" >>" PROJECTS);
	gives("one|on|three|elsewhere|", 4);
	add("two words");
	add("a\nb");                    /* cannot be a line */
	gives("one|on|three|elsewhere|two words|", 5);
}

TEST(a_link_in_its_place_is_neither_read_nor_replaced) {
	run("mv " PROJECTS " kept && ln -s ../../kept " PROJECTS);
	gives("-", 5);
	add("four");
	run("test -L " PROJECTS " && ! grep four kept && rm " PROJECTS);
}

TEST(a_folder_that_all_may_write_to_or_of_another_user_is_not_used) {
	run("chmod 777 state/paneward");
	add("four");
	ok(!scratch_there(PROJECTS));
	setenv("XDG_STATE_HOME", "state", 1);   /* relative: does not count */
	unsetenv("HOME");
	add("four");
	gives("-", 0);
	if (geteuid() != 0)
		return;
	/* sudo may leave HOME as it is. */
	run("mkdir theirs && chown 65534 theirs");
	setenv("HOME", scratch_path("theirs"), 1);
	add("four");
	ok(!scratch_there("theirs/.local"));
}

BEFORE_TESTS {
	setenv("XDG_STATE_HOME", scratch_path("state"), 1);
}

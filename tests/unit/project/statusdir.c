#include "project/statusdir.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "scratch.h"

static struct statusdir d;              /* of the last open_dir() */

/* Opens a path; what it is refused for, "" where it is not. */
static const char *
open_path(const char *path, bool make)
{
	static struct buf error;
	int got;

	statusdir_close(&d);
	buf_reset(&error);
	got = statusdir_open(&d, xstrdup(path), make, &error);
	is_number(got, error.len > 0 ? -1 : 0);
	if (got == -1)
		ok(d.fd == -1 && d.state_fd == -1 && d.path == NULL);
	return buf_str(&error);
}

static const char *
open_dir(const char *name, bool make)
{
	return open_path(scratch_path(name), make);
}

#define is_refused(name, make, reason) do { \
	char *want_ = xasprintf("cannot use the status directory '%s/%s': " \
	    reason, scratch, (name)); \
	is_text(open_dir((name), (make)), want_); \
	free(want_); \
} while (0)

static mode_t
mode_of(const char *name)
{
	struct stat st;

	return lstat(scratch_path(name), &st) == 0 ? st.st_mode & 07777 : 0;
}

TEST(a_missing_one_is_made_with_all_that_belongs_into_it) {
	mode_t mask = umask(022);

	is_text(open_dir("a/b/status", true), "");
	ok(d.fd != -1 && d.state_fd != -1 && !d.narrowed);
	is_text(d.path, scratch_path("a/b/status"));
	is_number(d.owner, geteuid());
	is_number(mode_of("a/b/status"), 0700);
	is_number(mode_of("a/b/status/.paneward"), 0700);
	is_number(mode_of("a/b/status/.gitignore"), 0600);
	is_text(scratch_text("a/b/status/.gitignore"), "*\n");
	is_number(mode_of("a/b"), 0755);
	ok(statusdir_current(&d));
	umask(mask);
}

TEST(its_mode_does_not_depend_on_the_umask) {
	mode_t mask = umask(0);

	is_text(open_dir("open", true), "");
	is_number(mode_of("open"), 0700);
	ok(!d.narrowed);
	umask(mask);
}

TEST(a_slash_behind_the_path_changes_nothing) {
	mode_t mask = umask(022);

	is_text(open_dir("slash/", true), "");
	is_number(mode_of("slash"), 0700);
	ok(statusdir_current(&d));
	is_text(open_dir("slash//", false), "");
	ok(d.fd != -1);
	umask(mask);
}

TEST(without_make_a_missing_one_is_no_error) {
	is_text(open_dir("none/at/all", false), "");
	is_number(d.fd, -1);
	is_number(d.state_fd, -1);
	ok(!scratch_there("none"));
	scratch_folder("bare");
	is_text(open_dir("bare", false), "");
	ok(d.fd != -1);
	is_number(d.state_fd, -1);
	is_number(scratch_count("bare"), 0);
}

TEST(descriptors_are_not_for_other_programs) {
	is_text(open_dir("cloexec", true), "");
	ok(fcntl(d.fd, F_GETFD) & FD_CLOEXEC);
	ok(fcntl(d.state_fd, F_GETFD) & FD_CLOEXEC);
}

TEST(what_is_there_is_kept) {
	scratch_write("kept/.gitignore", "mine\n");
	scratch_write("kept/.paneward/7.json", "{}");
	ok(chmod(scratch_path("kept/.paneward"), 0750) == 0);
	is_text(open_dir("kept", true), "");
	is_text(scratch_text("kept/.gitignore"), "mine\n");
	is_text(scratch_text("kept/.paneward/7.json"), "{}");
}

TEST(a_link_is_refused) {
	scratch_folder("real");
	ok(symlink("real", scratch_path("link")) == 0);
	ok(symlink("nowhere", scratch_path("dangling")) == 0);
	is_refused("link", true, "it is a link");
	is_refused("link", false, "it is a link");
	is_refused("dangling", true, "it is a link");
	is_refused("dangling", false, "it is a link");
	ok(strstr(open_dir("link/", true), "it is a link") != NULL);
	ok(strstr(open_dir("link//.", false), "it is a link") != NULL);
	is_number(scratch_count("real"), 0);
	ok(!scratch_there("nowhere"));
}

TEST(a_link_on_the_way_is_followed) {
	is_text(open_dir("link/deep", true), "");
	ok(scratch_there("real/deep/.paneward"));
}

TEST(what_is_no_directory_is_refused) {
	scratch_write("file", "");
	is_refused("file", true, "it is not a directory");
	is_refused("file", false, "it is not a directory");
	is_refused("file/below", true, "it is not a directory");
	ok(mkfifo(scratch_path("fifo"), 0600) == 0);
	alarm(60);
	is_refused("fifo", true, "it is not a directory");
	alarm(0);
}

TEST(one_that_everybody_can_write_to_is_refused) {
	scratch_folder("world");
	ok(chmod(scratch_path("world"), 0707) == 0);
	is_refused("world", true,
	    "any user can write to it; chmod it to 700");
	ok(chmod(scratch_path("world"), 01777) == 0);
	is_refused("world", false,
	    "any user can write to it; chmod it to 700");
	is_number(mode_of("world"), 01777);
	is_number(scratch_count("world"), 0);
}

TEST(one_that_the_group_can_write_to_is_narrowed_once) {
	scratch_folder("group");
	ok(chmod(scratch_path("group"), 0775) == 0);
	is_text(open_dir("group", true), "");
	ok(d.narrowed);
	is_number(mode_of("group"), 0700);
	is_text(open_dir("group", true), "");
	ok(!d.narrowed);
	ok(chmod(scratch_path("group"), 0755) == 0);
	is_text(open_dir("group", true), "");
	ok(!d.narrowed);
}

TEST(another_users_is_refused) {
	if (geteuid() == 0) {
		scratch_folder("others");
		ok(chown(scratch_path("others"), SCRATCH_NOBODY, -1) == 0);
		is_refused("others", true, "it belongs to another user");
		is_refused("others", false, "it belongs to another user");
		is_number(scratch_count("others"), 0);
	} else {
		ok(strstr(open_path("/", false),
		    "it belongs to another user") != NULL);
	}
}

static void
make_where_nobody_may(void)
{
	scratch_become_nobody();
	is_refused("closed/status", true, "Permission denied");
	is_refused("closed/status", false, "Permission denied");
}

TEST(one_that_cannot_be_made_is_refused_with_the_reason) {
	scratch_folder("closed");
	ok(chmod(scratch_path("closed"), 0) == 0);
	scratch_apart(make_where_nobody_may);
	ok(chmod(scratch_path("closed"), 0700) == 0);
	ok(strstr(open_path("/proc/none/status", true),
	    "cannot use the status directory '/proc/none/status': ") != NULL);
}

TEST(what_lies_in_the_place_of_ours_is_refused) {
	scratch_folder("target");
	scratch_folder("odd");
	ok(symlink("../target", scratch_path("odd/.paneward")) == 0);
	is_refused("odd", true, ".paneward in it is not a directory");
	is_refused("odd", false, ".paneward in it is not a directory");
	unlink(scratch_path("odd/.paneward"));
	scratch_write("odd/.paneward", "");
	is_refused("odd", true, ".paneward in it is not a directory");
	is_refused("odd", false, ".paneward in it is not a directory");
	is_number(scratch_count("target"), 0);
}

TEST(a_link_in_the_place_of_gitignore_is_not_followed) {
	scratch_folder("git");
	ok(symlink("../precious", scratch_path("git/.gitignore")) == 0);
	scratch_write("precious", "text");
	is_text(open_dir("git", true), "");
	is_text(scratch_text("precious"), "text");
}

TEST(one_that_was_replaced_is_not_current) {
	is_text(open_dir("current", true), "");
	ok(statusdir_current(&d));
	ok(rename(scratch_path("current"), scratch_path("moved")) == 0);
	ok(!statusdir_current(&d));
	ok(symlink("moved", scratch_path("current")) == 0);
	ok(!statusdir_current(&d));
	unlink(scratch_path("current"));
	scratch_folder("current");
	ok(!statusdir_current(&d));
	rmdir(scratch_path("current"));
	ok(rename(scratch_path("moved"), scratch_path("current")) == 0);
	ok(statusdir_current(&d));
}

static void
is_path(const char *option, const char *configured, const char *want)
{
	struct project project = { .root = scratch };
	char *copy = configured ? xstrdup(configured) : NULL;
	struct config config = { .status_dir = copy };
	char *path = statusdir_path(option, &config, &project);

	is_text(path, want);
	free(path);
	free(copy);
}

TEST(the_option_beats_the_configuration_beats_the_project) {
	char *cwd = getcwd(NULL, 0), *want = xasprintf("%s/here", cwd);

	is_path("/option", "/configured", "/option");
	is_path("here", "/configured", want);
	is_path(NULL, "/configured", "/configured");
	is_path(NULL, NULL, scratch_path(".worktrees/.status"));
	free(want);
	free(cwd);
}

static const char *const names[] = { "runs/output-7.log",
    "runs/output-7.log.1", "runs/.paneward/7.records", "runs/.paneward/7.agent",
    "runs/.paneward/7.command", "runs/.paneward/7.pipe" };

enum { NAMES = sizeof(names) / sizeof(names[0]) };

TEST(files_of_the_last_run_are_set_aside_and_restored) {
	char old[64];
	unsigned moved;
	size_t i;

	is_text(open_dir("runs", true), "");
	for (i = 0; i < NAMES; i++)
		scratch_write(names[i], names[i]);
	moved = runfiles_move(&d, "7", RUNFILE_RUN, ~0u, false);
	for (i = 0; i < NAMES; i++) {
		snprintf(old, sizeof(old), "%s.old", names[i]);
		ok(!scratch_there(names[i]));
		is_text(scratch_text(old), names[i]);
	}
	runfiles_move(&d, "7", RUNFILE_RUN, moved, true);
	for (i = 0; i < NAMES; i++) {
		snprintf(old, sizeof(old), "%s.old", names[i]);
		ok(!scratch_there(old));
		is_text(scratch_text(names[i]), names[i]);
		unlinkat(scratch_fd, names[i], 0);
	}
}

/* An older run's .old is not this one's. */
TEST(only_what_was_set_aside_is_restored) {
	unsigned moved;

	scratch_write("runs/output-7.log", "last");
	scratch_write("runs/.paneward/7.agent.old", "older");
	scratch_write("runs/.paneward/8.agent", "other");
	moved = runfiles_move(&d, "7", RUNFILE_RUN, ~0u, false);
	scratch_write("runs/output-7.log", "new");
	runfiles_move(&d, "7", RUNFILE_RUN, moved, true);
	is_text(scratch_text("runs/output-7.log"), "last");
	ok(!scratch_there("runs/.paneward/7.agent"));
	is_text(scratch_text("runs/.paneward/7.agent.old"), "older");
	is_text(scratch_text("runs/.paneward/8.agent"), "other");
	runfiles_move(&d, "7", RUNFILE_RUN, 0, true);
	ok(!scratch_there("runs/.paneward/7.agent"));
}

BEFORE_TESTS {
	d = (struct statusdir)STATUSDIR_INIT;
	ok(chmod(scratch, 0755) == 0);
}

AFTER_TESTS {
	statusdir_close(&d);
}

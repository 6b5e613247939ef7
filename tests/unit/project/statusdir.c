/*
 * tests/system/statusdir.sh has what commands refuse and narrow, and what a
 * watcher does once its directory is replaced.
 */
#include "project/statusdir.h"

#include "base/alloc.h"
#include "scratch.h"
#include "unit/fixture.h"

static struct statusdir d;              /* of the last open_path() */

/* Opens a path; what it is refused for, "" where it is not.  '@' stands for the
 * scratch folder. */
static const char *
open_path(const char *path, bool make)
{
	static struct buf error;
	int got;

	ROW("%s, make %d", path, make);
	statusdir_close(&d);
	buf_reset(&error);
	got = statusdir_open(&d, xstrdup(replaced(path, "@", scratch)), make,
	    &error);
	is_number(got, error.len > 0 ? -1 : 0);
	ok(got == 0 || (d.fd == -1 && d.state_fd == -1 && d.path == NULL));
	return buf_str(&error);
}

static mode_t
mode_of(const char *name)
{
	struct stat st;

	return lstat(scratch_path(name), &st) == 0 ? st.st_mode & 07777 : 0;
}

TEST(a_missing_one_is_made_with_all_that_belongs_into_it) {
	mode_t mask = umask(022);

	is_text(open_path("@/a/b/status", true), "");
	ok(d.fd != -1 && d.state_fd != -1 && !d.narrowed);
	is_number(mode_of("a/b/status"), 0700);
	is_number(mode_of("a/b/status/.paneward"), 0700);
	is_number(mode_of("a/b/status/.gitignore"), 0600);
	is_text(scratch_text("a/b/status/.gitignore"), "*\n");
	is_number(mode_of("a/b"), 0755);
	ok(statusdir_current(&d));
	ok(fcntl(d.fd, F_GETFD) & fcntl(d.state_fd, F_GETFD) & FD_CLOEXEC);
	umask(0);
	is_text(open_path("@/open//", true), "");
	is_number(mode_of("open"), 0700);
	ok(!d.narrowed && statusdir_current(&d));
	run("mv open moved && ln -s moved open");
	ok(!statusdir_current(&d));
	umask(mask);
}

TEST(without_make_a_missing_one_is_no_error_and_what_is_there_is_kept) {
	is_text(open_path("@/none/at/all", false), "");
	ok(d.fd == -1 && d.state_fd == -1 && !scratch_there("none"));
	scratch_folder("bare");
	is_text(open_path("@/bare", false), "");
	ok(d.fd != -1 && d.state_fd == -1 && scratch_count("bare") == 0);
	run("ln -s ../precious bare/.gitignore && echo text >precious");
	is_text(open_path("@/bare", true), "");
	is_text(scratch_text("precious"), "text\n");
}

/* What a directory is refused for, made or not. */
static const char *
refusal(const char *path)
{
	char *made = xstrdup(open_path(path, true));
	const char *told = open_path(path, false);

	is_text(told, made);
	free(made);
	ok(strncmp(told, "cannot use the status directory '", 33) == 0);
	return strstr(told, "': ") + 3;
}

static void
make_where_nobody_may(void)
{
	scratch_become_nobody();
	is_text(refusal("@/closed/status"), "Permission denied");
}

TEST(what_is_not_the_users_own_directory_is_refused) {
	run("mkdir real world odd closed && ln -s real link && "
	    "ln -s nowhere dangling && : >file && mkfifo fifo && "
	    "chmod 702 world && chmod 0 closed && ln -s ../real odd/.paneward");
	alarm(60);
	ROWS(refusal, "@/dangling => it is a link",
	    "@/link/ => it is a link", "@/link//. => it is a link",
	    "@/fifo => it is not a directory",
	    "@/file/below => it is not a directory",
	    "@/world => any user can write to it; chmod it to 700",
	    "@/odd => .paneward in it is not a directory");
	alarm(0);
	ok(scratch_count("real") == 0 && !scratch_there("nowhere"));
	is_number(scratch_count("world"), 0);
	is_text(open_path("@/link/deep", true), "");
	ok(scratch_there("real/deep/.paneward"));
	scratch_apart(make_where_nobody_may);
	ok(open_path("/proc/none/status", true)[0] != '\0');
}

/* An older run's .old is not this one's. */
TEST(files_of_the_last_run_are_set_aside_and_only_these_restored) {
	static const char *const names[] = { "runs/output-7.log",
	    "runs/output-7.log.1", "runs/.paneward/7.records",
	    "runs/.paneward/7.agent", "runs/.paneward/7.command",
	    "runs/.paneward/7.pipe" };
	unsigned moved;
	char old[64];
	size_t i;

	is_text(open_path("@/runs", true), "");
	for (i = 0; i < COUNT(names); i++)
		scratch_write(names[i], names[i]);
	moved = runfiles_move(&d, "7", RUNFILE_RUN, ~0u, false);
	for (i = 0; i < COUNT(names); i++) {
		snprintf(old, sizeof(old), "%s.old", names[i]);
		is_text(scratch_text(old), names[i]);
		ok(!scratch_there(names[i]));
	}
	runfiles_move(&d, "7", RUNFILE_RUN, moved, true);
	for (i = 0; i < COUNT(names); i++) {
		is_text(scratch_text(names[i]), names[i]);
		unlinkat(scratch_fd, names[i], 0);
	}
	scratch_write("runs/output-7.log", "last");
	scratch_write("runs/.paneward/7.agent.old", "older");
	scratch_write("runs/.paneward/8.agent", "other");
	moved = runfiles_move(&d, "7", RUNFILE_RUN, ~0u, false);
	scratch_write("runs/output-7.log", "new");
	runfiles_move(&d, "7", RUNFILE_RUN, moved, true);
	is_text(scratch_text("runs/output-7.log"), "last");
	is_text(scratch_text("runs/.paneward/7.agent.old"), "older");
	is_text(scratch_text("runs/.paneward/8.agent"), "other");
	runfiles_move(&d, "7", RUNFILE_RUN, 0, true);
	ok(!scratch_there("runs/.paneward/7.agent"));
}

BEFORE_TESTS {
	d = (struct statusdir)STATUSDIR_INIT;
	ok(chmod(scratch, 0755) == 0);
}

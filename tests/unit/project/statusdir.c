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
 * scratch folder, and "cannot use: " for the words before a reason. */
static const char *
open_path(const char *path, bool make)
{
	static struct buf error;
	const char *full = replaced(path, "@", scratch);
	char usual[4200];
	int got;

	ROW("%s, make %d", path, make);
	statusdir_close(&d);
	buf_reset(&error);
	got = statusdir_open(&d, xstrdup(full), make, &error);
	is_number(got, error.len > 0 ? -1 : 0);
	ok(got == 0 || (d.fd == -1 && d.state_fd == -1 && d.path == NULL));
	snprintf(usual, sizeof(usual), "cannot use the status directory '%s': ",
	    full);
	return replaced(buf_str(&error), usual, "cannot use: ");
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
	is_text(d.path, scratch_path("a/b/status"));
	is_number(d.owner, geteuid());
	is_number(mode_of("a/b/status"), 0700);
	is_number(mode_of("a/b/status/.paneward"), 0700);
	is_number(mode_of("a/b/status/.gitignore"), 0600);
	is_text(scratch_text("a/b/status/.gitignore"), "*\n");
	is_number(mode_of("a/b"), 0755);
	ok(statusdir_current(&d));
	ok(fcntl(d.fd, F_GETFD) & fcntl(d.state_fd, F_GETFD) & FD_CLOEXEC);
	is_text(open_path("@/slash/", true), "");
	is_number(mode_of("slash"), 0700);
	ok(statusdir_current(&d));
	is_text(open_path("@/slash//", false), "");
	ok(d.fd != -1);
	umask(0);
	is_text(open_path("@/open", true), "");
	is_number(mode_of("open"), 0700);
	ok(!d.narrowed);
	umask(mask);
}

TEST(without_make_a_missing_one_is_no_error) {
	is_text(open_path("@/none/at/all", false), "");
	ok(d.fd == -1 && d.state_fd == -1 && !scratch_there("none"));
	scratch_folder("bare");
	is_text(open_path("@/bare", false), "");
	ok(d.fd != -1 && d.state_fd == -1 && scratch_count("bare") == 0);
}

TEST(what_is_there_is_kept) {
	scratch_write("kept/.gitignore", "mine\n");
	scratch_write("kept/.paneward/7.json", "{}");
	ok(chmod(scratch_path("kept/.paneward"), 0750) == 0);
	is_text(open_path("@/kept", true), "");
	is_text(scratch_text("kept/.gitignore"), "mine\n");
	is_text(scratch_text("kept/.paneward/7.json"), "{}");
	scratch_folder("git");
	ok(symlink("../precious", scratch_path("git/.gitignore")) == 0);
	scratch_write("precious", "text");
	is_text(open_path("@/git", true), "");
	is_text(scratch_text("precious"), "text");
}

static void
make_where_nobody_may(void)
{
	scratch_become_nobody();
	is_text(open_path("@/closed/status", true),
	    "cannot use: Permission denied");
	is_text(open_path("@/closed/status", false),
	    "cannot use: Permission denied");
}

TEST(what_is_not_the_users_own_directory_is_refused) {
	static const struct { const char *path, *why; } rows[] = {
		{ "@/link", "it is a link" }, { "@/dangling", "it is a link" },
		{ "@/link/", "it is a link" }, { "@/link//.", "it is a link" },
		{ "@/file", "it is not a directory" },
		{ "@/fifo", "it is not a directory" },
		{ "@/world", "any user can write to it; chmod it to 700" },
		{ "@/sticky", "any user can write to it; chmod it to 700" },
		{ "@/odd", ".paneward in it is not a directory" },
		{ "@/odder", ".paneward in it is not a directory" },
	};
	const char *told;
	size_t i;

	scratch_folder("real");
	ok(symlink("real", scratch_path("link")) == 0);
	ok(symlink("nowhere", scratch_path("dangling")) == 0);
	scratch_write("file", "");
	ok(mkfifo(scratch_path("fifo"), 0600) == 0);
	scratch_folder("world");
	ok(chmod(scratch_path("world"), 0702) == 0);
	scratch_folder("sticky");
	ok(chmod(scratch_path("sticky"), 01777) == 0);
	scratch_folder("odd");
	ok(symlink("../real", scratch_path("odd/.paneward")) == 0);
	scratch_write("odder/.paneward", "");
	alarm(60);
	for (i = 0; i < 2 * COUNT(rows); i++) {
		told = open_path(rows[i / 2].path, i % 2);
		ok(strstr(told, "cannot use") == told);
		is_text(strchr(told, ':') ? strrchr(told, ':') + 2 : told,
		    rows[i / 2].why);
	}
	is_text(open_path("@/file/below", true),
	    "cannot use: it is not a directory");
	alarm(0);
	ok(scratch_count("real") == 0 && !scratch_there("nowhere"));
	ok(mode_of("sticky") == 01777 && scratch_count("world") == 0);
	is_text(open_path("@/link/deep", true), "");
	ok(scratch_there("real/deep/.paneward"));
	scratch_folder("closed");
	ok(chmod(scratch_path("closed"), 0) == 0);
	scratch_apart(make_where_nobody_may);
	ok(chmod(scratch_path("closed"), 0700) == 0);
	ok(strncmp(open_path("/proc/none/status", true), "cannot use: ", 12)
	    == 0);
}

TEST(one_that_was_replaced_is_not_current) {
	is_text(open_path("@/current", true), "");
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

static const char *const names[] = { "runs/output-7.log",
    "runs/output-7.log.1", "runs/.paneward/7.records", "runs/.paneward/7.agent",
    "runs/.paneward/7.command", "runs/.paneward/7.pipe" };

/* Each is only there with the suffix, and as it was written. */
static void
all_are(const char *suffix, const char *not_suffix)
{
	char there[64], gone[64];
	size_t i;

	for (i = 0; i < COUNT(names); i++) {
		snprintf(there, sizeof(there), "%s%s", names[i], suffix);
		snprintf(gone, sizeof(gone), "%s%s", names[i], not_suffix);
		is_text(scratch_text(there), names[i]);
		ok(!scratch_there(gone));
	}
}

/* An older run's .old is not this one's. */
TEST(files_of_the_last_run_are_set_aside_and_only_these_restored) {
	unsigned moved;
	size_t i;

	is_text(open_path("@/runs", true), "");
	for (i = 0; i < COUNT(names); i++)
		scratch_write(names[i], names[i]);
	moved = runfiles_move(&d, "7", RUNFILE_RUN, ~0u, false);
	all_are(".old", "");
	runfiles_move(&d, "7", RUNFILE_RUN, moved, true);
	all_are("", ".old");
	for (i = 0; i < COUNT(names); i++)
		unlinkat(scratch_fd, names[i], 0);
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

AFTER_TESTS {
	statusdir_close(&d);
}

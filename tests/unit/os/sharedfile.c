#include "os/sharedfile.h"

#include <errno.h>

#include "scratch.h"

static const struct buf text = { (char[]){ "new\n" }, 4, 5 };

static int
replace(const struct stat *seen)
{
	return sharedfile_replace(scratch_fd, "file", seen, 0640, 0, &text);
}

static mode_t
mode_of(const char *name)
{
	struct stat st = { .st_mode = 0 };

	fstatat(scratch_fd, name, &st, AT_SYMLINK_NOFOLLOW);
	return st.st_mode & 07777;
}

TEST(a_new_text_has_the_mode_of_the_old_one) {
	struct stat seen;

	scratch_write("file", "old\n");
	fchmodat(scratch_fd, "file", 0604, 0);
	is_number(sharedfile_look(scratch_fd, "file", &seen), 0);
	is_number(replace(&seen), 0);
	is_text(scratch_text("file"), "new\n");
	is_number(mode_of("file"), 0604);
}

TEST(a_file_that_was_missing_gets_the_mode_less_the_umask) {
	struct stat seen;
	mode_t mask = umask(0027);

	unlinkat(scratch_fd, "file", 0);
	is_number(sharedfile_look(scratch_fd, "file", &seen), 0);
	is_number(seen.st_mode, 0);
	is_number(replace(&seen), 0);
	is_number(mode_of("file"), 0640);
	umask(mask);
}

TEST(what_came_since_the_file_was_seen_stays) {
	struct stat seen;

	scratch_write("file", "old\n");
	sharedfile_look(scratch_fd, "file", &seen);
	scratch_add("file", "by hand\n");
	errno = 0;
	is_number(replace(&seen), -1);
	is_number(errno, ESTALE);
	is_text(scratch_text("file"), "old\nby hand\n");
	ok(!scratch_there(".file.tmp"));
	unlinkat(scratch_fd, "file", 0);
	is_number(replace(&seen), -1);
	is_number(errno, ESTALE);
	ok(!scratch_there("file"));
}

TEST(what_a_killed_writer_left_beside_goes) {
	struct stat seen;

	scratch_write("file", "old\n");
	scratch_write(".file.tmp", "half of a text that is longer");
	sharedfile_look(scratch_fd, "file", &seen);
	is_number(replace(&seen), 0);
	is_text(scratch_text("file"), "new\n");
	ok(!scratch_there(".file.tmp"));
}

/* Where the folder cannot be synced: fsync(2) knows no AT_FDCWD. */
TEST(a_folder_that_is_not_synced_is_told) {
	struct stat seen;

	scratch_write("file", "old\n");
	is_number(fchdir(scratch_fd), 0);
	sharedfile_look(AT_FDCWD, "file", &seen);
	errno = ESTALE;                 /* of an attempt before */
	is_number(sharedfile_replace(AT_FDCWD, "file", &seen, 0640,
	    SHAREDFILE_SYNC, &text), -1);
	is_number(errno, EBADF);
	is_text(scratch_text("file"), "new\n");
}

TEST(a_link_is_not_locked) {
	int fd;

	is_number(symlinkat("file", scratch_fd, "link"), 0);
	errno = 0;
	is_number(sharedfile_lock(scratch_fd, "link", O_CREAT, 0), -1);
	is_number(errno, ELOOP);
	fd = sharedfile_lock(scratch_fd, "lock", O_CREAT, 0);
	ok(fd != -1);
	is_number(sharedfile_lock(scratch_fd, "lock", O_CREAT, 0), -1);
	is_number(errno, EWOULDBLOCK);
	close(fd);
}

#include "os/sharedfile.h"

#include <errno.h>

#include "unit/children.h"

static struct stat seen;

/* As it was seen; an errno stays of an attempt before. */
static int
replace(int dir, unsigned how)
{
	const struct buf text = { (char[]){ "new\n" }, 4, 5 };

	errno = ENOTTY;
	return sharedfile_replace(dir, "file", &seen, 0640, how, &text);
}

TEST(a_new_text_has_the_mode_of_the_old_one_or_less_the_umask) {
	mode_t mask = umask(0027);

	scratch_write("file", "old\n");
	fchmodat(scratch_fd, "file", 0604, 0);
	/* A killed writer has left half of a text, which is longer. */
	scratch_write(".file.tmp", "half of a text that is longer");
	is_number(sharedfile_look(scratch_fd, "file", &seen), 0);
	is_number(replace(scratch_fd, 0), 0);
	is_text(scratch_text("file"), "new\n");
	is_number(sharedfile_look(scratch_fd, "file", &seen), 0);
	ok((seen.st_mode & 07777) == 0604 && !scratch_there(".file.tmp"));
	unlinkat(scratch_fd, "file", 0);
	is_number(sharedfile_look(scratch_fd, "file", &seen), 0);
	ok(seen.st_mode == 0 && replace(scratch_fd, 0) == 0);
	is_number(sharedfile_look(scratch_fd, "file", &seen), 0);
	is_number(seen.st_mode & 07777, 0640);
	umask(mask);
}

TEST(what_came_since_the_file_was_seen_stays) {
	scratch_write("file", "old\n");
	sharedfile_look(scratch_fd, "file", &seen);
	scratch_add("file", "by hand\n");
	ok(replace(scratch_fd, 0) == -1 && errno == ESTALE);
	is_text(scratch_text("file"), "old\nby hand\n");
	ok(!scratch_there(".file.tmp"));
	unlinkat(scratch_fd, "file", 0);
	ok(replace(scratch_fd, 0) == -1 && errno == ESTALE);
	ok(!scratch_there("file"));
}

/* Where the folder cannot be synced: fsync(2) knows no AT_FDCWD. */
TEST(a_folder_that_is_not_synced_is_told) {
	scratch_write("file", "old\n");
	is_number(fchdir(scratch_fd), 0);
	sharedfile_look(AT_FDCWD, "file", &seen);
	ok(replace(AT_FDCWD, SHAREDFILE_SYNC) == -1 && errno == EBADF);
	is_text(scratch_text("file"), "new\n");
}

TEST(a_link_is_not_locked) {
	int fd;

	is_number(symlinkat("file", scratch_fd, "link"), 0);
	ok(sharedfile_lock(scratch_fd, "link", O_CREAT, 0) == -1 &&
	    errno == ELOOP);
	fd = sharedfile_lock(scratch_fd, "lock", O_CREAT, 0);
	ok(fd != -1);
	ok(sharedfile_lock(scratch_fd, "lock", O_CREAT, 0) == -1 &&
	    errno == EWOULDBLOCK);
	close(fd);
}

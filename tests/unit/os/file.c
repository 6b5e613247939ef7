#include "os/file.h"

#include <errno.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/time.h>

#include "unit/children.h"

static struct buf text;                 /* of the last read_file() */

static int
read_file(const char *name, enum file_how how, size_t most)
{
	int got;

	buf_reset(&text);
	alarm(60);
	errno = 0;
	got = file_read(scratch_fd, name, how, &text, most);
	alarm(0);
	return got;
}

static int
replace(const char *name, const char *content)
{
	errno = 0;
	return file_replace(scratch_fd, name, content, strlen(content), 0600);
}

/* Of a longer one the end, if asked for. */
TEST(a_regular_file_is_read_up_to_the_most_and_nothing_else) {
	static const struct {
		const char *name;
		enum file_how how;
		size_t most;
		const char *want;               /* NULL: */
		int error;
	} rows[] = {
		{ "a", 0, 100, "0123456789" }, { "a", 0, 10, "0123456789" },
		{ "a", 0, 4, "0123" }, { "a", 0, 0, "" },
		{ "a", FILE_TAIL, 4, "6789" },
		{ "a", FILE_TAIL, 100, "0123456789" }, { "link", 0, 2, "01" },
		{ "link", FILE_NOFOLLOW, 2, NULL, ELOOP },
		{ "folder", 0, 10, NULL, EINVAL },
		{ "fifo", 0, 10, NULL, EINVAL },
		{ "/dev/zero", 0, 10, NULL, EINVAL },
		{ "none", 0, 10, NULL, ENOENT },
	};
	size_t i;

	scratch_write("a", "0123456789");
	scratch_folder("folder");
	ok(mkfifo(scratch_path("fifo"), 0600) == 0);
	ok(symlink("a", scratch_path("link")) == 0);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s, %zu", rows[i].name, rows[i].most);
		is_number(read_file(rows[i].name, rows[i].how, rows[i].most),
		    rows[i].want ? 0 : -1);
		is_text(buf_str(&text), rows[i].want ? rows[i].want : "");
		ok(rows[i].want != NULL || errno == rows[i].error);
	}
}

TEST(what_is_read_is_added_also_much) {
	static char bytes[300000];

	memset(bytes, 'x', sizeof(bytes));
	scratch_put("large", O_TRUNC, bytes, sizeof(bytes));
	ok(read_file("large", 0, sizeof(bytes) - 1) == 0);
	is_number(text.len, sizeof(bytes) - 1);
	read_file("a", 0, 3);
	ok(file_read(AT_FDCWD, scratch_path("large"), 0, &text, 1 << 20) == 0);
	ok(text.len == 3 + sizeof(bytes) &&
	    memcmp(text.data + 3, bytes, sizeof(bytes)) == 0);
}

TEST(a_file_is_put_in_the_place_of_another) {
	mode_t mask = umask(022);
	struct stat st;

	ok(file_replace(scratch_fd, "b", "a\0b", 3, 0666) == 0);
	ok(stat(scratch_path("b"), &st) == 0 && (st.st_mode & 0777) == 0644);
	ok(read_file("b", 0, 10) == 0);
	ok(text.len == 3 && memcmp(text.data, "a\0b", 3) == 0);
	scratch_folder("below");
	ok(file_replace(AT_FDCWD, scratch_path("below/c"), "two", 3, 0600) ==
	    0);
	is_text(scratch_text("below/c"), "two");
	ok(file_put(scratch_fd, "below/c", "four", 4, 0600, false) == 0);
	is_text(scratch_text("below/c"), "four");
	is_number(scratch_count("below"), 1);
	umask(mask);
}

TEST(the_old_file_stays_for_its_readers_and_behind_a_link) {
	char bytes[8] = "";
	int fd;

	replace("b", "old");
	ok(symlink("b", scratch_path("l")) == 0 && replace("l", "mine") == 0);
	is_text(scratch_text("l"), "mine");
	fd = open(scratch_path("b"), O_RDONLY | O_CLOEXEC);
	replace("b", "newer");
	ok(read(fd, bytes, sizeof(bytes)) == 3);
	is_text(bytes, "old");
	close(fd);
}

static void
replace_on_a_full_disk(void)
{
	scratch_limit_files(2);
	ok(replace("full", "new") == -1 && errno == EFBIG);
	ok(replace("fresh", "new") == -1 && errno == EFBIG);
	ok(replace("full", "ok") == 0 && replace("full", "") == 0 &&
	    replace("full", "x") == 0);
}

TEST(what_cannot_be_replaced_stays_with_nothing_beside_it) {
	unsigned before;

	replace("full", "x");
	scratch_write("folder/x", "");
	before = scratch_count(".");
	scratch_apart(replace_on_a_full_disk);
	is_text(scratch_text("full"), "x");
	ok(!scratch_there("fresh"));
	ok(replace("folder", "x") == -1 && errno != 0);
	is_number(scratch_count("."), before);
	ok(replace("none/x", "x") == -1 && errno == ENOENT);
}

/* What a process that was killed has left. */
TEST(something_left_beside_does_no_harm) {
	char name[64];

	snprintf(name, sizeof(name), "b.%ld.tmp", (long)getpid());
	scratch_write(name, "something long that was left");
	ok(replace("b", "short") == 0);
	is_text(scratch_text("b"), "short");
	ok(!scratch_there(name));
}

static int
open_locked(msec patience)
{
	int fd = openat(scratch_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (file_lock(fd, patience) == 0)
		return fd;
	file_close(fd);
	return -1;
}

/* An alarm of the caller outlives the wait. */
TEST(a_lock_is_waited_for_as_long_as_one_may) {
	struct itimerval own = { .it_value.tv_sec = 100 }, left;
	int fd = open_locked(0);
	msec began = clock_now();

	ok(fd != -1 && open_locked(0) == -1 && errno == EWOULDBLOCK);
	setitimer(ITIMER_REAL, &own, NULL);
	ok(open_locked(40) == -1 && errno == EWOULDBLOCK);
	getitimer(ITIMER_REAL, &left);
	ok(left.it_value.tv_sec >= 90);
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	ok(clock_now() - began >= 40);
	close(fd);
	errno = 0;
	ok(file_lock(-1, 1000) == -1 && errno == EBADF);
}

TEST(a_lock_that_is_released_is_ours) {
	int fd = open_locked(0), status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		close(fd);
		_exit(open_locked(FILE_PATIENT) == -1 ||
		    open_locked(0) != -1);
	}
	poll(NULL, 0, 30);              /* as long as the child waits for it */
	ok(waitpid(pid, &status, WNOHANG) == 0);
	close(fd);
	ok(waitpid(pid, &status, 0) == pid && status == 0);
}

TEST(no_link_is_followed_on_the_way_to_a_folder) {
	int fd = file_folder(scratch, "way/to", true);

	ok(fd != -1 && scratch_there("way/to"));
	file_close(fd);
	ok(symlink("way", scratch_path("alias")) == 0);
	ok(file_folder(scratch, "alias/to", true) == -1 && errno == ENOTDIR);
	ok(file_folder(scratch, "way/none", false) == -1 && errno == ENOENT);
	ok(!scratch_there("way/none"));
}

AFTER_TESTS {
	buf_release(&text);
}

#include "os/file.h"

#include <errno.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/time.h>

#include "base/alloc.h"
#include "scratch.h"

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
	return file_replace(scratch_fd, name, content, strlen(content), 0600);
}

static mode_t
mode_of(const char *name)
{
	struct stat st;

	return stat(scratch_path(name), &st) == 0 ? st.st_mode & 0777 : 0;
}

TEST(a_file_is_read_up_to_the_most) {
	scratch_write("a", "0123456789");
	ok(read_file("a", 0, 100) == 0);
	is_text(buf_str(&text), "0123456789");
	ok(read_file("a", 0, 10) == 0);
	is_number(text.len, 10);
	ok(read_file("a", 0, 4) == 0);
	is_text(buf_str(&text), "0123");
	ok(read_file("a", 0, 0) == 0);
	is_number(text.len, 0);
	ok(file_read(AT_FDCWD, scratch_path("a"), 0, &text, 2) == 0);
	is_text(buf_str(&text), "01");
}

TEST(of_a_longer_file_the_end_is_read_if_asked_for) {
	scratch_write("a", "0123456789");
	ok(read_file("a", FILE_TAIL, 4) == 0);
	is_text(buf_str(&text), "6789");
	ok(read_file("a", FILE_TAIL, 10) == 0);
	is_text(buf_str(&text), "0123456789");
	ok(read_file("a", FILE_TAIL, 100) == 0);
	is_text(buf_str(&text), "0123456789");
}

TEST(what_is_read_is_added) {
	read_file("a", 0, 3);
	ok(file_read(scratch_fd, "a", 0, &text, 3) == 0);
	is_text(buf_str(&text), "012012");
}

TEST(a_large_file_is_read_whole) {
	size_t len = 300000;
	char *bytes = xmalloc(len);

	memset(bytes, 'x', len);
	scratch_put("large", O_TRUNC, bytes, len);
	ok(read_file("large", 0, 1 << 20) == 0);
	ok(text.len == len && memcmp(text.data, bytes, len) == 0);
	ok(read_file("large", 0, len - 1) == 0);
	is_number(text.len, len - 1);
	free(bytes);
}

TEST(what_is_no_regular_file_is_refused_and_does_not_block) {
	scratch_folder("folder");
	ok(read_file("folder", 0, 10) == -1 && errno == EINVAL);
	ok(mkfifo(scratch_path("fifo"), 0600) == 0);
	ok(read_file("fifo", 0, 10) == -1 && errno == EINVAL);
	ok(read_file("none", 0, 10) == -1 && errno == ENOENT);
	ok(file_read(AT_FDCWD, "/dev/zero", 0, &text, 10) == -1 &&
	    errno == EINVAL);
	is_number(text.len, 0);
}

TEST(a_link_is_followed_unless_that_is_refused) {
	ok(symlink("a", scratch_path("link")) == 0);
	ok(read_file("link", 0, 2) == 0);
	is_text(buf_str(&text), "01");
	ok(read_file("link", FILE_NOFOLLOW, 2) == -1 && errno == ELOOP);
}

TEST(a_file_is_put_in_the_place_of_another) {
	ok(replace("b", "one") == 0);
	is_text(scratch_text("b"), "one");
	ok(replace("b", "") == 0);
	is_text(scratch_text("b"), "");
	ok(file_replace(scratch_fd, "b", "a\0b", 3, 0600) == 0);
	ok(read_file("b", 0, 10) == 0);
	ok(text.len == 3 && memcmp(text.data, "a\0b", 3) == 0);
	ok(file_replace(AT_FDCWD, scratch_path("b"), "two", 3, 0600) == 0);
	is_text(scratch_text("b"), "two");
	scratch_folder("below");
	ok(replace("below/c", "three") == 0);
	is_text(scratch_text("below/c"), "three");
	ok(file_put(scratch_fd, "below/c", "four", 4, 0600, false) == 0);
	is_text(scratch_text("below/c"), "four");
	is_number(scratch_count("below"), 1);
}

TEST(a_new_file_has_the_mode_less_the_umask) {
	mode_t mask = umask(022);

	ok(file_replace(scratch_fd, "mode", "", 0, 0666) == 0);
	is_number(mode_of("mode"), 0644);
	ok(replace("private", "") == 0);
	is_number(mode_of("private"), 0600);
	umask(mask);
}

/* Who has the old file open goes on reading the old one. */
TEST(a_reader_sees_the_old_file_or_the_new_one) {
	char bytes[8] = "";
	int fd;

	replace("b", "old");
	fd = open(scratch_path("b"), O_RDONLY | O_CLOEXEC);
	replace("b", "newer");
	ok(read(fd, bytes, sizeof(bytes)) == 3);
	is_text(bytes, "old");
	close(fd);
}

TEST(a_link_is_replaced_and_not_followed) {
	scratch_write("precious", "text");
	ok(symlink("precious", scratch_path("l")) == 0);
	ok(replace("l", "mine") == 0);
	is_text(scratch_text("precious"), "text");
	is_text(scratch_text("l"), "mine");
}

static void
replace_on_a_full_disk(void)
{
	scratch_limit_files(2);
	errno = 0;
	ok(replace("full", "new") == -1 && errno == EFBIG);
	errno = 0;
	ok(replace("fresh", "new") == -1 && errno == EFBIG);
	ok(replace("full", "ok") == 0);
	ok(replace("full", "") == 0);
	ok(replace("full", "x") == 0);
}

TEST(on_a_full_disk_the_old_file_stays_and_nothing_beside_it) {
	unsigned before;

	replace("full", "x");
	before = scratch_count(".");
	scratch_apart(replace_on_a_full_disk);
	is_text(scratch_text("full"), "x");
	ok(!scratch_there("fresh"));
	is_number(scratch_count("."), before);
}

TEST(what_cannot_be_replaced_stays) {
	unsigned before;

	scratch_write("folder/x", "");
	before = scratch_count(".");
	errno = 0;
	ok(replace("folder", "x") == -1 && errno != 0);
	is_number(scratch_count("."), before);
	errno = 0;
	ok(replace("none/x", "x") == -1 && errno == ENOENT);
	errno = 0;
	ok(file_replace(-1, "x", "x", 1, 0600) == -1 && errno == EBADF);
}

static void
replace_where_nobody_may(void)
{
	scratch_become_nobody();
	errno = 0;
	ok(replace("b", "x") == -1 && errno == EACCES);
}

TEST(where_nobody_may_write_nothing_is_replaced) {
	replace("b", "old");
	ok(chmod(scratch, 0555) == 0);
	scratch_apart(replace_where_nobody_may);
	ok(chmod(scratch, 0700) == 0);
	is_text(scratch_text("b"), "old");
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

TEST(all_of_it_is_written) {
	size_t len = 1 << 20, got = 0;
	char *bytes = xcalloc(1, len), *part = xmalloc(65536);
	ssize_t n;
	int end[2];

	ok(pipe(end) == 0);
	fflush(stdout);
	if (fork() == 0) {
		close(end[0]);
		_exit(file_write(end[1], bytes, len) != 0);
	}
	close(end[1]);
	while ((n = read(end[0], part, 65536)) > 0)
		got += (size_t)n;
	close(end[0]);
	wait(NULL);
	is_number(got, len);
	ok(file_write(-1, "", 0) == 0);
	errno = 0;
	ok(file_write(-1, "x", 1) == -1 && errno == EBADF);
	free(bytes);
	free(part);
}

static int
open_locked(msec patience)
{
	int fd = openat(scratch_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC,
	    0600);
	int saved;

	errno = 0;
	if (file_lock(fd, patience) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

TEST(a_lock_is_waited_for_as_long_as_one_may) {
	int fd = open_locked(0);
	msec began = clock_now();

	ok(fd != -1);
	ok(open_locked(0) == -1 && errno == EWOULDBLOCK);
	ok(open_locked(40) == -1 && errno == EWOULDBLOCK);
	ok(clock_now() - began >= 40);
	close(fd);
	fd = open_locked(FILE_PATIENT);
	ok(fd != -1);
	close(fd);
	errno = 0;
	ok(file_lock(-1, 1000) == -1 && errno == EBADF);
	errno = 0;
	ok(file_lock(-1, FILE_PATIENT) == -1 && errno == EBADF);
}

TEST(an_alarm_of_the_caller_outlives_the_wait) {
	struct itimerval own = { .it_value.tv_sec = 100 }, left;
	int fd = open_locked(0);

	setitimer(ITIMER_REAL, &own, NULL);
	ok(open_locked(40) == -1 && errno == EWOULDBLOCK);
	getitimer(ITIMER_REAL, &left);
	ok(left.it_value.tv_sec >= 90);
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	close(fd);
}

TEST(a_lock_that_is_released_is_ours) {
	int fd = open_locked(0), status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		close(fd);
		_exit(open_locked(10000) == -1 ||
		    open_locked(0) != -1);
	}
	/* As long as the child still waits for it. */
	poll(NULL, 0, 30);
	ok(waitpid(pid, &status, WNOHANG) == 0);
	close(fd);
	ok(waitpid(pid, &status, 0) == pid && status == 0);
}

TEST(no_link_is_followed_on_the_way_to_a_folder) {
	int fd = file_folder(scratch_path("."), "way/to", true);

	ok(fd != -1 && scratch_there("way/to"));
	file_close(fd);
	fd = file_folder("/", scratch_path("way/to"), false);
	ok(fd != -1);
	file_close(fd);
	ok(symlink("way", scratch_path("alias")) == 0);
	errno = 0;
	ok(file_folder(scratch_path("."), "alias/to", true) == -1 &&
	    errno == ENOTDIR);
	errno = 0;
	ok(file_folder(scratch_path("."), "way/none", false) == -1 &&
	    errno == ENOENT);
	ok(!scratch_there("way/none"));
}

AFTER_TESTS {
	buf_release(&text);
}

#include "os/lock.h"

#include <errno.h>
#include <sys/file.h>

#include "os/proc.h"
#include "unit/children.h"

static struct lock l = LOCK_INIT, second = LOCK_INIT;

static int
take(struct lock *lock, const char *issue)
{
	errno = 0;
	return lock_take(lock, scratch_fd, issue);
}

/* It can be taken, and is free again. */
static bool
is_free(const char *issue)
{
	bool free = take(&l, issue) == 1;

	lock_release(&l);
	return free;
}

/* For a process that holds it until it is killed. */
static bool
take_seven(const void *unused)
{
	static struct lock held = LOCK_INIT;

	(void)unused;
	return take(&held, "7") == 1;
}

TEST(the_second_taker_is_told_who_holds_it) {
	struct proc self;

	ok(proc_read(&self, getpid()) == 0 && take(&l, "7") == 1);
	ok((fcntl(l.fd, F_GETFD) & FD_CLOEXEC) && l.holder == 0);
	ok(take(&second, "7") == 0);
	ok(second.fd == -1 && second.holder == getpid());
	ok(second.holder_start == self.start);
	/* Every issue has one of its own. */
	is_number(take(&second, "07"), 1);
	lock_release(&second);
	lock_release(&second);
	lock_release(&l);
	ok(is_free("7"));
}

TEST(a_look_tells_whether_and_when_it_was_held) {
	msec last = 1, before = clock_wall() - 2000;
	pid_t pid;

	ok(!lock_held(scratch_fd, "404", &last) && last == 0);
	pid = sleeper(take_seven, NULL);
	ok(lock_held(scratch_fd, "7", &last));
	ok(last > before && last <= clock_wall());
	sleeper_end(pid);
	ok(!lock_held(scratch_fd, "7", NULL) && is_free("7"));
	ok(!lock_held(scratch_fd, "7", &last) && last > before);
}

/* Trying the lock takes it for a moment. */
TEST(waiting_for_the_next_holder_does_not_keep_it_out) {
	int fd, i, status = -1;
	pid_t pid;

	ok(is_free("7"));
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		fd = openat(scratch_fd, "7.lock", O_RDWR);
		for (i = 0; i < 100000; i++)
			if (flock(fd, LOCK_EX | LOCK_NB) == -1 ||
			    flock(fd, LOCK_UN) == -1)
				_exit(1);
		_exit(0);
	}
	while (waitpid(pid, &status, WNOHANG) == 0)
		lock_await_other(scratch_fd, "7", false, 0);
	is_number(status, 0);
}

TEST(one_that_held_ours_and_ended_is_not_waited_for) {
	ok(is_free("7") && !lock_await_other(scratch_fd, "7", true, 0));
	sleeper_end(sleeper(take_seven, NULL));
	ok(!lock_await_other(scratch_fd, "7", false, 0));
	ok(lock_await_other(scratch_fd, "7", true, 60000));
}

/* tests/system/sweep-dir.sh has other files, which are not written to. */
TEST(what_only_has_its_name_is_refused) {
	ok(symlink("text", scratch_path("8.lock")) == 0);
	ok(take(&l, "8") == -1 && errno == ELOOP && l.fd == -1);
	ok(lock_take(&l, -1, "7") == -1 && errno == EBADF && l.fd == -1);
}

TEST(the_file_is_never_removed_and_without_it_a_lock_does_not_count) {
	struct stat st;

	ok(is_free("7") && stat(scratch_path("7.lock"), &st) == 0);
	is_number(st.st_mode & 0777, 0600);
	ok(!lock_counts(&l, scratch_fd, "10") && take(&l, "10") == 1);
	ok(lock_counts(&l, scratch_fd, "10"));
	unlink(scratch_path("10.lock"));
	ok(!lock_counts(&l, scratch_fd, "10") && take(&second, "10") == 1);
	ok(!lock_counts(&l, scratch_fd, "10"));
	ok(lock_counts(&second, scratch_fd, "10"));
	lock_release(&l);
	lock_release(&second);
}

TEST(what_the_file_holds_decides_nothing) {
	static const char *const texts[] = { "", "x", "-1 -1\n", "1",
		"99999999999999999999999 1\n" };
	char want[32];
	size_t i;

	snprintf(want, sizeof(want), "%ld ", (long)getpid());
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ROW("'%s'", texts[i]);
		scratch_write("7.lock", texts[i]);
		is_number(take(&l, "7"), 1);
		ok(strncmp(scratch_text("7.lock"), want, strlen(want)) == 0);
		scratch_write("7.lock", "nobody");
		ok(take(&second, "7") == 0 && second.holder == 0);
		lock_release(&l);
	}
}

static void
take_on_a_full_disk(void)
{
	scratch_limit_files(0);
	ok(take(&l, "9") == 1 && take(&second, "9") == 0 && second.holder == 0);
}

TEST(on_a_full_disk_it_is_held_all_the_same) {
	scratch_apart(take_on_a_full_disk);
}

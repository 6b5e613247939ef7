#include "os/lock.h"

#include <errno.h>
#include <poll.h>
#include <sys/file.h>

#include "os/proc.h"
#include "os/spawn.h"
#include "scratch.h"

/* A process that holds the lock of issue 7 until it is killed. */
static pid_t
begin_holder(void)
{
	struct lock l = LOCK_INIT;
	int ready[2];
	char byte;
	pid_t pid;

	ok(pipe(ready) == 0);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (lock_take(&l, scratch_fd, "7") != 1 ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	ok(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	return pid;
}

TEST(the_second_taker_is_told_who_holds_it) {
	struct lock first = LOCK_INIT, second = LOCK_INIT;
	struct proc self;

	ok(proc_read(&self, getpid()) == 0);
	is_number(lock_take(&first, scratch_fd, "7"), 1);
	ok(first.fd != -1);
	is_number(first.holder, 0);
	is_number(lock_take(&second, scratch_fd, "7"), 0);
	is_number(second.fd, -1);
	is_number(second.holder, getpid());
	ok(second.holder_start == self.start);
	lock_release(&first);
	is_number(lock_take(&second, scratch_fd, "7"), 1);
	is_number(second.holder, 0);
	lock_release(&second);
	lock_release(&second);
}

TEST(a_look_tells_whether_and_when_it_was_held) {
	struct lock l = LOCK_INIT;
	msec last = 1, before = clock_wall() - 2000;
	pid_t pid;

	ok(!lock_held(scratch_fd, "404", &last));
	is_number(last, 0);
	pid = begin_holder();
	ok(lock_held(scratch_fd, "7", &last));
	ok(last > before && last <= clock_wall());
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ok(!lock_held(scratch_fd, "7", NULL));
	is_number(lock_take(&l, scratch_fd, "7"), 1);
	lock_release(&l);
	ok(!lock_held(scratch_fd, "7", &last));
	ok(last > before);
}

/* Trying the lock takes it for a moment. */
TEST(waiting_for_the_next_holder_does_not_keep_it_out) {
	struct lock l = LOCK_INIT;
	int fd, i, status = -1;
	pid_t pid;

	is_number(lock_take(&l, scratch_fd, "7"), 1);
	lock_release(&l);
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
	struct lock l = LOCK_INIT;
	pid_t pid;

	is_number(lock_take(&l, scratch_fd, "7"), 1);
	lock_release(&l);
	ok(!lock_await_other(scratch_fd, "7", true, 0));
	pid = begin_holder();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ok(!lock_await_other(scratch_fd, "7", false, 0));
	ok(lock_await_other(scratch_fd, "7", true, 60000));
}

TEST(every_issue_has_a_lock_of_its_own) {
	struct lock seven = LOCK_INIT, other = LOCK_INIT;

	is_number(lock_take(&seven, scratch_fd, "7"), 1);
	is_number(lock_take(&other, scratch_fd, "07"), 1);
	lock_release(&other);
	lock_release(&seven);
}

TEST(the_death_of_the_holder_frees_it) {
	struct lock l = LOCK_INIT;
	pid_t pid = begin_holder();

	is_number(lock_take(&l, scratch_fd, "7"), 0);
	is_number(l.holder, pid);
	ok(proc_alive(l.holder, l.holder_start));
	kill(pid, SIGKILL);
	ok(waitpid(pid, NULL, 0) == pid);
	is_number(lock_take(&l, scratch_fd, "7"), 1);
	lock_release(&l);
}

TEST(a_holder_that_is_about_to_end_is_waited_for) {
	struct lock l = LOCK_INIT;
	pid_t pid = begin_holder(), killer;

	is_number(lock_await(&l, scratch_fd, "7", 50), 0);
	is_number(l.holder, pid);
	fflush(stdout);
	killer = fork();
	if (killer == 0) {
		poll(NULL, 0, 100);
		kill(pid, SIGKILL);
		_exit(0);
	}
	is_number(lock_await(&l, scratch_fd, "7", 10000), 1);
	ok(waitpid(pid, NULL, 0) == pid);
	ok(waitpid(killer, NULL, 0) == killer);
	lock_release(&l);
}

TEST(a_program_started_meanwhile_does_not_hold_it) {
	const char *argv[] = { "sleep", "30", NULL };
	const struct spawn_how how = { .argv = argv, .limit = 30000 };
	struct spawn s = SPAWN_INIT;
	struct lock l = LOCK_INIT;
	int i, took = 0;

	is_number(lock_take(&l, scratch_fd, "7"), 1);
	ok(spawn_begin(&s, &how) == 0);
	lock_release(&l);
	/* Between its fork and its exec the child has all we have. */
	for (i = 0; i < 200 && took != 1; i++) {
		took = lock_take(&l, scratch_fd, "7");
		if (took != 1)
			poll(NULL, 0, 5);
	}
	is_number(took, 1);
	lock_release(&l);
	spawn_release(&s);
}

/* What is no lock of ours is neither waited for nor written to. */
TEST(what_only_has_its_name_is_refused) {
	struct lock l = LOCK_INIT;

	scratch_write("text", "kept");
	ok(linkat(scratch_fd, "text", scratch_fd, "linked.lock", 0) == 0);
	ok(mkfifoat(scratch_fd, "pipe.lock", 0600) == 0);
	is_number(lock_take(&l, scratch_fd, "linked"), -1);
	is_number(errno, EBADMSG);
	is_number(lock_take(&l, scratch_fd, "pipe"), -1);
	is_number(errno, EBADMSG);
	ok(!lock_held(scratch_fd, "linked", NULL));
	ok(!lock_held(scratch_fd, "pipe", NULL));
	is_text(scratch_text("text"), "kept");
}

TEST(the_file_is_never_removed) {
	struct lock l = LOCK_INIT;
	struct stat before, after;

	is_number(lock_take(&l, scratch_fd, "7"), 1);
	ok(stat(scratch_path("7.lock"), &before) == 0);
	lock_release(&l);
	is_number(lock_take(&l, scratch_fd, "7"), 1);
	lock_release(&l);
	ok(stat(scratch_path("7.lock"), &after) == 0);
	ok(before.st_ino == after.st_ino);
	is_number(after.st_mode & 0777, 0600);
}

TEST(a_lock_whose_file_was_removed_does_not_count) {
	struct lock l = LOCK_INIT, second = LOCK_INIT;

	ok(!lock_counts(&l, scratch_fd, "10"));
	is_number(lock_take(&l, scratch_fd, "10"), 1);
	ok(lock_counts(&l, scratch_fd, "10"));
	unlink(scratch_path("10.lock"));
	ok(!lock_counts(&l, scratch_fd, "10"));
	is_number(lock_take(&second, scratch_fd, "10"), 1);
	ok(!lock_counts(&l, scratch_fd, "10"));
	ok(lock_counts(&second, scratch_fd, "10"));
	lock_release(&l);
	lock_release(&second);
}

TEST(what_the_file_holds_decides_nothing) {
	static const char *const texts[] = {
		"", "x", "1 1\n", "-1 -1\n", "99999999999999999999999 1\n",
		"\n\n\n", "1",
	};
	struct lock l = LOCK_INIT, second = LOCK_INIT;
	char want[32];
	size_t i;

	snprintf(want, sizeof(want), "%ld ", (long)getpid());
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		scratch_write("7.lock", texts[i]);
		is_number(lock_take(&l, scratch_fd, "7"), 1);
		ok(strncmp(scratch_text("7.lock"), want, strlen(want)) == 0);
		scratch_write("7.lock", "nobody");
		is_number(lock_take(&second, scratch_fd, "7"), 0);
		is_number(second.holder, 0);
		lock_release(&l);
	}
}

TEST(a_link_is_not_followed) {
	struct lock l = LOCK_INIT;

	scratch_write("precious", "text");
	ok(symlink("precious", scratch_path("8.lock")) == 0);
	errno = 0;
	is_number(lock_take(&l, scratch_fd, "8"), -1);
	ok(errno == ELOOP && l.fd == -1);
	is_text(scratch_text("precious"), "text");
	unlink(scratch_path("8.lock"));
}

TEST(without_its_directory_there_is_no_lock) {
	struct lock l = LOCK_INIT;

	errno = 0;
	is_number(lock_take(&l, -1, "7"), -1);
	ok(errno == EBADF && l.fd == -1);
}

static void
take_on_a_full_disk(void)
{
	struct lock l = LOCK_INIT, second = LOCK_INIT;

	scratch_limit_files(0);
	is_number(lock_take(&l, scratch_fd, "9"), 1);
	is_number(lock_take(&second, scratch_fd, "9"), 0);
	is_number(second.holder, 0);
	lock_release(&l);
}

TEST(on_a_full_disk_it_is_held_all_the_same) {
	scratch_apart(take_on_a_full_disk);
}

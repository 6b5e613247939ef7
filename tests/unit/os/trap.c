#include "os/trap.h"

#include <errno.h>

#include "unit/children.h"

TEST(signals_can_be_polled_for_and_are_read_in_their_order) {
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	int fd = trap_open();
	size_t i;

	ok(fd != -1 && !readable(fd, 0) && trap_read() == 0);
	ok(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		raise(signals[i]);
		ok(readable(fd, 0) && trap_read() == signals[i]);
		ok(!readable(fd, 0));
	}
	raise(SIGHUP);
	raise(SIGTERM);
	ok(trap_read() == SIGHUP && trap_read() == SIGTERM && trap_read() == 0);
	trap_close();
	ok(fcntl(fd, F_GETFD) == -1);
}

TEST(very_many_signals_do_not_block_nor_change_errno) {
	int i;

	trap_open();
	alarm(60);
	errno = ENOTTY;
	for (i = 0; i < 70000; i++)
		raise(SIGTERM);
	is_number(errno, ENOTTY);
	alarm(0);
	is_number(trap_read(), SIGTERM);
	trap_close();
}

TEST(a_closed_trap_lets_the_signal_end_the_program) {
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		trap_open();
		trap_close();
		raise(SIGTERM);
		_exit(0);
	}
	ok(waitpid(pid, &status, 0) == pid);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

/* As under nohup. */
TEST(what_was_ignored_before_is_ignored_again) {
	struct sigaction now;

	signal(SIGHUP, SIG_IGN);
	trap_open();
	trap_close();
	ok(sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN);
	signal(SIGHUP, SIG_DFL);
}

TEST(a_trap_may_be_opened_again) {
	ok(trap_open() != -1);
	raise(SIGINT);
	trap_close();
	ok(trap_open() != -1 && trap_read() == 0);
	raise(SIGINT);
	is_number(trap_read(), SIGINT);
	trap_close();
}

static void
open_without_descriptors(void)
{
	struct rlimit limit = { 3, 3 };
	struct sigaction now;

	ok(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	ok(trap_open() == -1 && errno == EMFILE);
	ok(sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
}

TEST(a_trap_that_cannot_be_opened_traps_nothing) {
	scratch_apart(open_without_descriptors);
}

BEFORE_TESTS {
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
}

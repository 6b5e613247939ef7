#include "os/trap.h"

#include <errno.h>
#include <poll.h>

#include "scratch.h"

static bool
readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

TEST(a_signal_can_be_polled_for) {
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	int fd = trap_open();
	size_t i;

	ok(fd != -1);
	ok(!readable(fd));
	is_number(trap_read(), 0);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		raise(signals[i]);
		ok(readable(fd));
		is_number(trap_read(), signals[i]);
		ok(!readable(fd));
	}
	trap_close();
}

TEST(signals_are_read_in_their_order) {
	trap_open();
	raise(SIGHUP);
	raise(SIGTERM);
	is_number(trap_read(), SIGHUP);
	is_number(trap_read(), SIGTERM);
	is_number(trap_read(), 0);
	trap_close();
}

TEST(very_many_signals_do_not_block) {
	int i;

	trap_open();
	alarm(60);
	for (i = 0; i < 70000; i++)
		raise(SIGTERM);
	alarm(0);
	is_number(trap_read(), SIGTERM);
	trap_close();
}

TEST(errno_is_as_it_was) {
	int i;

	trap_open();
	errno = ENOTTY;
	for (i = 0; i < 70000; i++)
		raise(SIGTERM);
	is_number(errno, ENOTTY);
	trap_close();
}

TEST(the_pipe_is_not_for_other_programs) {
	int fd = trap_open();

	ok(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	trap_close();
	ok(fcntl(fd, F_GETFD) == -1);
}

static void
close_and_end(void)
{
	trap_open();
	trap_close();
	raise(SIGTERM);
}

TEST(a_closed_trap_lets_the_signal_end_the_program) {
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		close_and_end();
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
	ok(trap_open() != -1);
	is_number(trap_read(), 0);
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

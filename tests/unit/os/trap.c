#include "os/trap.h"

#include <errno.h>

#include "unit/children.h"

TEST(signals_can_be_polled_for_and_are_read_in_their_order) {
	int fd = trap_open();

	ok(fd != -1 && !readable(fd, 0) && trap_read() == 0);
	ok(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	raise(SIGTERM);
	raise(SIGHUP);
	raise(SIGINT);
	ok(readable(fd, 0) && trap_read() == SIGTERM);
	ok(trap_read() == SIGHUP && trap_read() == SIGINT);
	ok(!readable(fd, 0) && trap_read() == 0);
	raise(SIGINT);
	trap_close();
	ok(fcntl(fd, F_GETFD) == -1);
	ok(trap_open() != -1 && trap_read() == 0);
	trap_close();
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

/* As SIGHUP is under nohup. */
TEST(a_closed_trap_leaves_signals_as_they_were) {
	struct sigaction now;

	signal(SIGHUP, SIG_IGN);
	trap_open();
	raise(SIGHUP);
	is_number(trap_read(), 0);
	trap_close();
	ok(sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN);
	ok(sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
	signal(SIGHUP, SIG_DFL);
}

BEFORE_TESTS {
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
}

/*
 * These are the promises of proc.h, whether /proc or ps keeps them.  proc-ps.c
 * runs them once more.
 */
#include "os/proc.h"

#include <errno.h>
#include <poll.h>

#include "unit/children.h"

static struct proc p;                   /* as it was read last */

TEST(we_know_ourselves_and_our_start_does_not_change) {
	struct proc again;
	msec now = clock_wall();

	ok(proc_read(&p, getpid()) == 0);
	ok(p.pid == getpid() && p.parent == getppid() && p.start != 0);
	ok(p.began <= now + 1000 && p.began > now - 60000);
	ok(proc_alive(getpid(), p.start) && proc_alive(getpid(), 0));
	ok(!proc_ended(getpid()));
	poll(NULL, 0, 20);
	ok(proc_read(&again, getpid()) == 0 && p.start == again.start);
	ok(again.began - p.began < 1000 && p.began - again.began < 1000);
	/* With another start it is another process. */
	ok(!proc_alive(getpid(), p.start + 1));
	errno = 0;
	ok(proc_open(getpid(), p.start + 1) == -1 && errno == ESRCH);
}

TEST(what_is_no_process_is_told) {
	static const pid_t none[] = { 0, -1, -12345, 0x7fffffff };
	size_t i;

	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		ROW("%ld", (long)none[i]);
		errno = 0;
		ok(proc_read(&p, none[i]) == -1 && errno == ESRCH);
		ok(!proc_alive(none[i], 0));
		errno = 0;
		ok(proc_open(none[i], 0) == -1 && errno == ESRCH);
	}
}

/* Some systems have no event of an end. */
TEST(a_stopped_process_is_alive_and_a_zombie_is_not) {
	pid_t pid = sleeper(NULL, NULL);
	uint64_t start;
	siginfo_t info;
	int fd;

	ok(proc_read(&p, pid) == 0 && p.parent == getpid() && !p.stopped);
	start = p.start;
	kill(pid, SIGSTOP);
	ok(waitid(P_PID, (id_t)pid, &info, WSTOPPED) == 0);
	ok(proc_read(&p, pid) == 0 && p.stopped && !p.zombie);
	ok(proc_alive(pid, start));
	errno = 0;
	fd = proc_open(pid, start);
	ok(fd == -1 ? errno == ENOSYS : fcntl(fd, F_GETFD) & FD_CLOEXEC);
	ok(!readable(fd, 0));
	kill(pid, SIGKILL);
	ok(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
	is_number(readable(fd, 0), fd != -1);
	close(fd);
	ok(!proc_alive(pid, start) && !proc_alive(pid, 0));
	errno = 0;
	ok(proc_open(pid, start) == -1 && errno == ESRCH);
	ok(proc_read(&p, pid) == -1 || p.zombie);
	ok(waitpid(pid, NULL, 0) == pid);
	ok(!proc_alive(pid, start) && proc_ended(pid));
}

/* With this name, a parser that reads from the left sees a zombie; and without
 * a terminal nothing is in front. */
static bool
take_hostile_name(const void *unused)
{
	FILE *f = fopen("/proc/self/comm", "w");

	(void)unused;
	if (f != NULL) {
		fputs("a) Z 1 1\n1 (", f);
		fclose(f);
	}
	return setsid() != -1;
}

TEST(the_name_of_a_process_is_data) {
	pid_t pid = sleeper(take_hostile_name, NULL);

	ok(proc_read(&p, pid) == 0 && p.parent == getpid());
	ok(p.foreground == -1 && !p.zombie && p.start != 0);
	sleeper_end(pid);
}

TEST(one_descriptor_tells_the_ends_of_many) {
	enum { MANY = 5 };
	struct pollfd ends = { .fd = proc_ends(), .events = POLLIN };
	pid_t pids[MANY];
	int fds[MANY], i;

	if (ends.fd == -1) {
		ok(errno == ENOSYS && proc_ends_next(-1) == -1);
		return;
	}
	for (i = 0; i < MANY; i++) {
		pids[i] = sleeper(NULL, NULL);
		fds[i] = proc_open(pids[i], 0);
		ok(fds[i] != -1 && proc_ends_set(ends.fd, fds[i], true) == 0);
	}
	ok(poll(&ends, 1, 0) == 0 && proc_ends_next(ends.fd) == -1);
	for (i = 0; i < MANY; i++) {
		sleeper_end(pids[i]);
		is_number(poll(&ends, 1, 5000), 1);
		is_number(proc_ends_next(ends.fd), fds[i]);
		proc_ends_set(ends.fd, fds[i], false);
		close(fds[i]);
	}
	is_number(poll(&ends, 1, 0), 0);
	close(ends.fd);
}

TEST(the_boot_has_a_name_and_the_program_a_path) {
	char boot[PROC_BOOT], again[PROC_BOOT];
	const char *path = proc_program();

	proc_boot(boot);
	proc_boot(again);
	ok(boot[0] != '\0' && strchr(boot, '\n') == NULL);
	is_text(again, boot);
	ok(path[0] == '/' && access(path, X_OK) == 0);
	ok(proc_boot_differs(boot, "b") && !proc_boot_differs(boot, boot));
	/* An unknown one may be the same. */
	ok(!proc_boot_differs("a", PROC_BOOT_UNKNOWN));
	ok(!proc_boot_differs(PROC_BOOT_UNKNOWN, "b"));
	ok(!proc_boot_differs("", "b"));
}

/* As far as the system says. */
TEST(a_process_has_variables_children_and_open_files) {
	pid_t child = sleeper(NULL, NULL), family[8];
	size_t n = proc_family(getpid(), NULL, family, 8);
	char *values[2], *path;
	unsigned fd;

	proc_variables(getpid(), WORDS("PANEWARD_NO_SUCH_VARIABLE", "PATH"),
	    values, 2);
	ok(values[0] == NULL);
	is_text(values[1], getenv("PATH"));
	free(values[1]);
	is_number(family[0], getpid());
	ok(n == 1 || (n == 2 && family[1] == child));
	is_number(proc_family(getpid(), NULL, family, 1), 1);
	sleeper_end(child);
	scratch_write("held", "");
	fd = (unsigned)open(scratch_path("held"), O_RDONLY);
	path = proc_open_file(getpid(), &fd);
	ok(path == NULL || strcmp(path, scratch_path("held")) == 0);
	free(path);
	close((int)fd);
}

/* Leads a session on a terminal of its own, and waits in the background: in
 * front is a group of two, a leader and its child. */
static bool
take_a_terminal(const void *unused)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY), tty;
	pid_t leader;

	(void)unused;
	setsid();
	if (fd == -1 || grantpt(fd) == -1 || unlockpt(fd) == -1 ||
	    (tty = open(ptsname(fd), O_RDWR)) == -1)
		return false;
	signal(SIGTTOU, SIG_IGN);
	leader = fork();
	if (leader == 0) {
		setpgid(0, 0);
		tcsetpgrp(tty, getpid());
		fork();
		for (;;)
			pause();
	}
	while (tcgetpgrp(tty) != leader)
		usleep(1000);
	return true;
}

TEST(those_in_front_are_told_from_the_leader_down) {
	pid_t pid = sleeper(take_a_terminal, NULL);
	struct proc leader = { .pid = 0 }, member;
	struct proc_front front;
	unsigned tries;
	bool two = false;

	ok(proc_read(&p, pid) == 0 && p.foreground > 0);
	for (tries = 0; tries < 2000 && !two; tries++) {
		proc_front_begin(&front, &p);
		ok(proc_front_next(&front, &leader));
		is_number(leader.pid, p.foreground);
		two = proc_front_next(&front, &member);
		usleep(two ? 0 : 1000);
	}
	ok(two && member.parent == leader.pid && member.group == leader.pid);
	ok(!proc_front_next(&front, &member));
	if (p.foreground > 1)
		kill(-p.foreground, SIGKILL);
	sleeper_end(pid);
}

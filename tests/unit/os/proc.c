/*
 * These are the promises of proc.h, whether /proc or ps keeps them.  proc-ps.c
 * runs them once more.
 */
#include "os/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include "scratch.h"

/* A child that does nothing until it is killed. */
static pid_t
begin_child(void (*prepare)(void))
{
	int ready[2];
	char byte;
	pid_t pid;

	ok(pipe(ready) == 0);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		prepare();
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	ok(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	return pid;
}

static void
end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	ok(waitpid(pid, NULL, 0) == pid);
}

static void
nothing(void)
{
}

TEST(we_know_ourselves) {
	struct proc p;
	msec now = clock_wall();

	ok(proc_read(&p, getpid()) == 0);
	is_number(p.pid, getpid());
	is_number(p.parent, getppid());
	ok(p.start != 0 && !p.zombie);
	ok(p.began <= now + 1000 && p.began > now - 60000);
	ok(proc_alive(getpid(), p.start));
	ok(proc_alive(getpid(), 0));
	ok(!proc_ended(getpid()));
}

TEST(a_pid_with_another_start_is_another_process) {
	struct proc p;

	ok(proc_read(&p, getpid()) == 0);
	ok(!proc_alive(getpid(), p.start + 1));
	errno = 0;
	ok(proc_open(getpid(), p.start + 1) == -1 && errno == ESRCH);
}

TEST(the_start_of_a_process_does_not_change) {
	struct proc p, again;

	ok(proc_read(&p, getppid()) == 0);
	poll(NULL, 0, 20);
	ok(proc_read(&again, getppid()) == 0);
	ok(p.start == again.start);
	ok(again.began - p.began < 1000 && p.began - again.began < 1000);
}

TEST(what_is_no_process_is_told) {
	static const pid_t none[] = { 0, -1, -12345, 0x7fffffff };
	struct proc p;
	size_t i;

	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		errno = 0;
		ok(proc_read(&p, none[i]) == -1 && errno == ESRCH);
		ok(!proc_alive(none[i], 0));
		errno = 0;
		ok(proc_open(none[i], 0) == -1 && errno == ESRCH);
	}
}

TEST(a_zombie_is_not_alive) {
	struct proc p;
	pid_t pid = begin_child(nothing);
	siginfo_t info;

	ok(proc_read(&p, pid) == 0 && p.parent == getpid());
	ok(proc_alive(pid, p.start));
	kill(pid, SIGKILL);
	ok(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
	ok(!proc_alive(pid, p.start));
	ok(!proc_alive(pid, 0));
	errno = 0;
	ok(proc_open(pid, p.start) == -1 && errno == ESRCH);
	ok(proc_read(&p, pid) == -1 || p.zombie);
	ok(waitpid(pid, NULL, 0) == pid);
	ok(!proc_alive(pid, p.start));
	ok(proc_ended(pid));
}

/* With this name, a parser that reads from the left sees a zombie. */
static void
take_hostile_name(void)
{
	FILE *f = fopen("/proc/self/comm", "w");

	if (f == NULL)
		return;
	fputs("a) Z 1 1\n1 (", f);
	fclose(f);
}

TEST(the_name_of_a_process_is_data) {
	struct proc p;
	pid_t pid = begin_child(take_hostile_name);

	ok(proc_read(&p, pid) == 0);
	is_number(p.parent, getpid());
	ok(!p.zombie && p.start != 0);
	end_child(pid);
}

TEST(a_stopped_process_is_alive_and_known_as_stopped) {
	struct proc p;
	pid_t pid = begin_child(nothing);
	siginfo_t info;

	ok(proc_read(&p, pid) == 0 && !p.stopped);
	kill(pid, SIGSTOP);
	ok(waitid(P_PID, (id_t)pid, &info, WSTOPPED) == 0);
	ok(proc_read(&p, pid) == 0 && p.stopped && !p.zombie);
	ok(proc_alive(pid, p.start));
	end_child(pid);
}

static void
leave_the_terminal(void)
{
	setsid();
}

TEST(without_a_terminal_nothing_is_in_front) {
	struct proc p;
	pid_t pid = begin_child(leave_the_terminal);

	ok(proc_read(&p, pid) == 0);
	is_number(p.foreground, -1);
	end_child(pid);
}

static bool
readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

TEST(the_end_of_a_process_can_be_polled_for) {
	struct proc p;
	pid_t pid = begin_child(nothing);
	int fd;

	ok(proc_read(&p, pid) == 0);
	errno = 0;
	fd = proc_open(pid, p.start);
	if (fd == -1) {
		is_number(errno, ENOSYS);       /* this system has no such event */
		end_child(pid);
		return;
	}
	ok(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	ok(!readable(fd));
	end_child(pid);
	ok(readable(fd));
	close(fd);
}

/* One descriptor tells of many. */
TEST(the_ends_of_many_are_told_by_one) {
	enum { MANY = 5 };
	struct pollfd p = { .fd = proc_ends(), .events = POLLIN };
	pid_t pids[MANY];
	int fds[MANY], i;

	if (p.fd == -1) {
		is_number(errno, ENOSYS);
		is_number(proc_ends_next(-1), -1);
		return;
	}
	for (i = 0; i < MANY; i++) {
		pids[i] = begin_child(nothing);
		fds[i] = proc_open(pids[i], 0);
		ok(fds[i] != -1);
		is_number(proc_ends_set(p.fd, fds[i], true), 0);
	}
	is_number(poll(&p, 1, 0), 0);
	is_number(proc_ends_next(p.fd), -1);
	for (i = 0; i < MANY; i++) {
		end_child(pids[i]);
		is_number(poll(&p, 1, 5000), 1);
		is_number(proc_ends_next(p.fd), fds[i]);
		proc_ends_set(p.fd, fds[i], false);
		close(fds[i]);
	}
	is_number(poll(&p, 1, 0), 0);
	close(p.fd);
}

TEST(the_boot_has_a_name) {
	char boot[PROC_BOOT], again[PROC_BOOT];

	proc_boot(boot);
	proc_boot(again);
	ok(boot[0] != '\0' && strchr(boot, '\n') == NULL);
	ok(strcmp(boot, PROC_BOOT_UNKNOWN) != 0);
	is_text(again, boot);
}

TEST(a_boot_that_is_not_known_is_no_other_one) {
	ok(proc_boot_differs("a", "b"));
	ok(!proc_boot_differs("a", "a"));
	ok(!proc_boot_differs("a", PROC_BOOT_UNKNOWN));
	ok(!proc_boot_differs(PROC_BOOT_UNKNOWN, "b"));
	ok(!proc_boot_differs("", "b"));
}

TEST(the_program_has_a_path) {
	const char *path = proc_program();

	ok(path[0] == '/' && access(path, X_OK) == 0);
}

TEST(a_variable_of_a_process_is_read) {
	static const char *const names[] = { "PANEWARD_NO_SUCH_VARIABLE",
	    "PATH" };
	char *values[2];

	proc_variables(getpid(), names, values, 2);
	ok(values[0] == NULL);
	is_text(values[1], getenv("PATH"));
	free(values[1]);
}

/* As far as the system says. */
TEST(a_process_has_children_and_open_files) {
	pid_t child = begin_child(nothing), family[8];
	size_t n = proc_family(getpid(), NULL, family, 8);
	unsigned fd;
	char *path;

	is_number(family[0], getpid());
	ok(n == 1 || (n == 2 && family[1] == child));
	is_number(proc_family(getpid(), NULL, family, 1), 1);
	end_child(child);
	scratch_write("held", "");
	fd = (unsigned)open(scratch_path("held"), O_RDONLY);
	path = proc_open_file(getpid(), &fd);
	ok(path == NULL || strcmp(path, scratch_path("held")) == 0);
	free(path);
	close((int)fd);
}

/* Leads a session on a terminal of its own, and waits in the background: in
 * front is a group of two, a leader and its child. */
static void
take_a_terminal(void)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY), tty;
	pid_t leader;

	setsid();
	if (fd == -1 || grantpt(fd) == -1 || unlockpt(fd) == -1 ||
	    (tty = open(ptsname(fd), O_RDWR)) == -1)
		_exit(1);
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
}

TEST(those_in_front_are_told_from_the_leader_down) {
	pid_t pid = begin_child(take_a_terminal);
	struct proc p = { .foreground = 0 }, leader = p, member;
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
	end_child(pid);
}

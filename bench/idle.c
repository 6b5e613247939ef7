/*
 * idle SETTLE SECONDS PIDS COMMAND [ARG...] - what a command costs while
 * nothing happens: it is run for SETTLE seconds, then measured for SECONDS,
 * then ended.
 *
 * Printed are the processes it has started, the programs it has executed, and
 * the seconds of CPU time of it, of what it has started and of the processes
 * PIDS (with commas between them, or empty), which it makes work.
 *
 * It is traced with ptrace, which reports the birth and the end of every
 * process and does not slow it in between.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct {
	long   started, executed;
	double cpu;             /* of those that have ended */
} seen;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
die(const char *what)
{
	fprintf(stderr, "idle: %s: %s\n", what, strerror(errno));
	exit(3);
}

/* Seconds that a process was running, to the nanosecond. */
static double
cpu_of(pid_t pid)
{
	char path[64];
	double ns = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/schedstat", (long)pid);
	f = fopen(path, "r");
	if (f == NULL || fscanf(f, "%lf", &ns) != 1)
		die(path);
	fclose(f);
	return ns / 1e9;
}

static double
cpu_of_all(pid_t pid, const char *pids)
{
	double sum = cpu_of(pid);
	char *end;

	while (*pids != '\0') {
		sum += cpu_of((pid_t)strtol(pids, &end, 10));
		pids = end + (*end == ',');
	}
	return sum;
}

static pid_t
begin(char **argv)
{
	int ends[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char byte = 0;
	pid_t pid = -1;

	if (pipe2(ends, O_CLOEXEC) == 0)
		pid = fork();
	if (pid == -1)
		die("cannot start");
	if (pid == 0) {
		setpgid(0, 0);
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		/* Not before its count is read. */
		if (read(ends[0], &byte, 1) == 1)
			execvp(argv[0], argv);
		_exit(127);
	}
	setpgid(pid, pid);
	if (ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_TRACEFORK |
	    PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
	    PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL) == -1)
		die("cannot trace");
	if (write(ends[1], &byte, 1) != 1)
		die("cannot start");
	close(ends[0]);
	close(ends[1]);
	close(null);
	return pid;
}

/* A traced process has stopped: what for?  It goes on. */
static void
take_stop(pid_t pid, pid_t root, int status)
{
	int signo = 0;

	switch (status >> 16) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		seen.started++;
		break;
	case PTRACE_EVENT_EXEC:
		seen.executed++;
		break;
	case PTRACE_EVENT_EXIT:
		if (pid != root)
			seen.cpu += cpu_of(pid);
		break;
	case 0:
		signo = WSTOPSIG(status);
		break;
	}
	ptrace(PTRACE_CONT, pid, NULL, (void *)(long)signo);
}

/* Follows what happens until the time; true if the command itself ended. */
static int
follow(pid_t root, double until)
{
	sigset_t child;
	struct timespec left;
	double seconds;
	int status;
	pid_t pid;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while ((seconds = until - now()) > 0) {
		left.tv_sec = (time_t)seconds;
		left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
		sigtimedwait(&child, NULL, &left);
		while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
			if (WIFSTOPPED(status))
				take_stop(pid, root, status);
			else if (pid == root)
				return 1;
		}
	}
	return 0;
}

int
main(int argc, char **argv)
{
	double settle, seconds, before, cpu;
	long started, executed;
	sigset_t child;
	pid_t pid;

	if (argc < 5) {
		fprintf(stderr, "usage: idle SETTLE SECONDS PIDS COMMAND "
		    "[ARG...]\n");
		return 2;
	}
	settle = atof(argv[1]);
	seconds = atof(argv[2]);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	pid = begin(argv + 4);
	if (follow(pid, now() + settle)) {
		fprintf(stderr, "idle: '%s' has ended\n", argv[4]);
		return 3;
	}
	seen.started = seen.executed = 0;
	seen.cpu = 0;
	before = cpu_of_all(pid, argv[3]);
	if (follow(pid, now() + seconds)) {
		fprintf(stderr, "idle: '%s' has ended\n", argv[4]);
		return 3;
	}
	cpu = cpu_of_all(pid, argv[3]) - before + seen.cpu;
	/* What it does at its end is not rest. */
	started = seen.started;
	executed = seen.executed;
	kill(-pid, SIGTERM);
	follow(pid, now() + 5);
	printf("%ld %ld %.6f\n", started, executed, cpu);
	return fflush(stdout) == EOF ? 3 : 0;
}

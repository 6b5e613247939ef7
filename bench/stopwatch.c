/*
 * stopwatch COMMAND [ARG...] - runs a command with its output thrown away and
 * prints the seconds of CPU time it took (user and system), the seconds that
 * went by, and the most KiB of memory it held.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
run(char **argv)
{
	int null = open("/dev/null", O_WRONLY);

	dup2(null, STDOUT_FILENO);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

int
main(int argc, char **argv)
{
	struct rusage used;
	double begin;
	int status;
	pid_t pid;

	if (argc < 2) {
		fprintf(stderr, "usage: stopwatch COMMAND [ARG...]\n");
		return 2;
	}
	begin = now();
	pid = fork();
	if (pid == 0)
		run(argv + 1);
	if (pid == -1 || wait4(pid, &status, 0, &used) == -1) {
		perror("stopwatch");
		return 3;
	}
	printf("%.6f %.6f %ld\n", seconds(used.ru_utime) +
	    seconds(used.ru_stime), now() - begin, used.ru_maxrss);
	return WIFEXITED(status) && WEXITSTATUS(status) != 127 ? 0 : 3;
}

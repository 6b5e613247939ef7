/*
 * stopwatch [-p PID] COMMAND [ARG...] - runs a command, discards its output,
 * and prints its seconds of CPU time (user and system), the elapsed seconds,
 * and its peak memory in KiB.  With -p the CPU time that the process PID, a
 * server, spends meanwhile is added.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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

/* Seconds for which a process has run so far; 0 for none. */
static double
run_time(const char *pid)
{
	unsigned long long ns = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/schedstat", pid);
	f = pid[0] != '\0' ? fopen(path, "r") : NULL;
	if (f == NULL)
		return 0;
	if (fscanf(f, "%llu", &ns) != 1)
		ns = 0;
	fclose(f);
	return (double)ns / 1e9;
}

int
main(int argc, char **argv)
{
	const char *server = "";
	struct rusage used;
	double begin, before;
	int status;
	pid_t pid;

	if (argc > 3 && strcmp(argv[1], "-p") == 0) {
		server = argv[2];
		argc -= 2;
		argv += 2;
	}
	if (argc < 2) {
		fprintf(stderr, "usage: stopwatch [-p PID] COMMAND "
		    "[ARG...]\n");
		return 2;
	}
	before = run_time(server);
	begin = now();
	pid = fork();
	if (pid == 0)
		run(argv + 1);
	if (pid == -1 || wait4(pid, &status, 0, &used) == -1) {
		perror("stopwatch");
		return 3;
	}
	printf("%.6f %.6f %ld\n", seconds(used.ru_utime) +
	    seconds(used.ru_stime) + run_time(server) - before, now() - begin,
	    used.ru_maxrss);
	return WIFEXITED(status) && WEXITSTATUS(status) != 127 ? 0 : 3;
}

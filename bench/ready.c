/*
 * ready COMMAND [ARG...] - the microseconds until a command has written its
 * first byte, after which it is ended.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int
main(int argc, char **argv)
{
	double begin, end;
	int ends[2];
	ssize_t n;
	pid_t pid;
	char byte;

	if (argc < 2) {
		fprintf(stderr, "usage: ready COMMAND [ARG...]\n");
		return 2;
	}
	if (pipe2(ends, O_CLOEXEC) == -1) {
		perror("ready");
		return 3;
	}
	begin = now();
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	close(ends[1]);
	n = read(ends[0], &byte, 1);
	end = now();
	kill(pid, SIGTERM);
	if (pid == -1 || waitpid(pid, NULL, 0) == -1 || n != 1) {
		fprintf(stderr, "ready: '%s' wrote nothing\n", argv[1]);
		return 3;
	}
	printf("%.1f\n", end - begin);
	return 0;
}

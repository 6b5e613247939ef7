/*
 * repeat TIMES INPUT COMMAND [ARG...] [--- INPUT COMMAND [ARG...]]... - runs
 * each command that often, in turns, with the file INPUT as its standard input
 * and its output discarded, and prints for each the median microseconds of
 * CPU time that a run took.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMMANDS_MAX = 16 };

static _Noreturn void
become(char **argv)
{
	int in = open(*argv++, O_RDONLY), out = open("/dev/null", O_WRONLY);

	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	close(in);
	close(out);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

/* Microseconds of CPU. */
static long
once(char **argv)
{
	struct rusage used;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		become(argv);
	if (wait4(pid, &status, 0, &used) == -1 || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != 0) {
		fprintf(stderr, "repeat: '%s' failed\n", argv[1]);
		exit(1);
	}
	return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000L +
	    used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

static int
by_size(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	char **commands[COMMANDS_MAX];
	long times, i, *taken[COMMANDS_MAX];
	size_t n = 0, c;

	if (argc < 4 || (times = strtol(argv[1], NULL, 10)) < 1)
		return 2;
	commands[n++] = argv + 2;
	for (i = 2; i < argc; i++)
		if (strcmp(argv[i], "---") == 0 && n < COMMANDS_MAX) {
			argv[i] = NULL;
			commands[n++] = argv + i + 1;
		}
	for (c = 0; c < n; c++)
		taken[c] = calloc((size_t)times, sizeof(long));
	for (i = 0; i < times; i++)
		for (c = 0; c < n; c++)
			taken[c][i] = once(commands[c]);
	for (c = 0; c < n; c++) {
		qsort(taken[c], (size_t)times, sizeof(long), by_size);
		printf("%ld\n", taken[c][times / 2]);
	}
	return 0;
}

/*
 * until.c - waits until a command succeeds; what wait_until() of
 * system/lib.sh runs.
 *
 *	until SECONDS [no] test -e|-s FILE
 *	until SECONDS [no] kill -0 PID
 *	until SECONDS [no] grep WORD... FILE
 *	until SECONDS [no] COMMAND...
 *
 * The first two are looked at here, up to a hundred times a second.  Any other
 * command is run: at once, soon again, after a second five times a second; grep
 * also when its file has another size.  Its output is that of the last time.
 * The exit status is 0, or 1 if the time is over.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static bool
file_is_there(char **words)
{
	struct stat st;

	return stat(words[2], &st) == 0 &&
	    (strcmp(words[1], "-e") == 0 || st.st_size > 0);
}

static bool
process_is_there(char **words)
{
	long pid = atol(words[2]);

	return pid > 0 && kill((pid_t)pid, 0) == 0;
}

/* Only the output of the last time is of interest. */
static bool
command_succeeds(char **words)
{
	int status = -1;
	pid_t pid;

	if (ftruncate(STDOUT_FILENO, 0) == 0)
		lseek(STDOUT_FILENO, 0, SEEK_SET);
	pid = fork();
	if (pid == 0) {
		execvp(words[0], words);
		perror(words[0]);
		_exit(127);
	}
	return pid != -1 && waitpid(pid, &status, 0) == pid && status == 0;
}

static bool
file_matches(char **words)
{
	static struct stat seen;
	static double again;
	static bool found;
	struct stat st = { .st_size = 0 };
	size_t last = 0;

	while (words[last + 1] != NULL)
		last++;
	stat(words[last], &st);
	if (now() < again && st.st_ino == seen.st_ino &&
	    st.st_size == seen.st_size)
		return found;
	seen = st;
	found = command_succeeds(words);
	again = now() + 0.2;
	return found;
}

int
main(int argc, char **argv)
{
	bool (*holds)(char **) = command_succeeds;
	double begun = now(), looked, pause;
	char **words = argv + 2;
	bool want = true;

	if (argc > 3 && strcmp(*words, "no") == 0) {
		want = false;
		words++;
	}
	argc -= (int)(words - argv);
	if (strcmp(*words, "grep") == 0)
		holds = file_matches;
	else if (argc == 3 && strcmp(*words, "kill") == 0 &&
	    strcmp(words[1], "-0") == 0)
		holds = process_is_there;
	else if (argc == 3 && strcmp(*words, "test") == 0 &&
	    (strcmp(words[1], "-e") == 0 || strcmp(words[1], "-s") == 0))
		holds = file_is_there;
	while (looked = now(), holds(words) != want) {
		if (now() - begun >= atof(argv[1]))
			return 1;
		/* A slow look is not all that it does. */
		pause = (now() - looked) * 4 + 0.01;
		if (holds == command_succeeds)
			pause = (now() - begun) / 5 + 0.02;
		if (pause > 0.2)
			pause = 0.2;
		nanosleep(&(struct timespec){ 0, (long)(pause * 1e9) }, NULL);
	}
	return 0;
}

/*
 * until.c - waits until a command succeeds; what wait_until() of
 * system/lib.sh runs.
 *
 *	until SECONDS [no] test -e|-s FILE
 *	until SECONDS [no] grep [-EFaqsx] [-e] PATTERN FILE
 *	until SECONDS [no] kill -0 PID
 *	until SECONDS COMMAND...
 *
 * The first three are looked at here, up to a hundred times a second.  Any other
 * command is run: at once, soon again, after a second five times a second.  Its
 * output is that of the last time.  The exit status is 0, or 1 if the time is
 * over.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <locale.h>
#include <regex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
	const char *pattern;
	const char *path;
	bool     fixed;
	bool     whole;                 /* the line is the pattern */
	regex_t  regex;
} search;

/* ---- what is looked at here ---------------------------------------------- */

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
	long     pid = atol(words[2]);

	return pid > 0 && kill((pid_t)pid, 0) == 0;
}

static bool
line_matches(const char *line)
{
	regmatch_t match;

	if (search.fixed)
		return search.whole ? strcmp(line, search.pattern) == 0 :
		    strstr(line, search.pattern) != NULL;
	return regexec(&search.regex, line, 1, &match, 0) == 0 &&
	    (!search.whole || (match.rm_so == 0 && line[match.rm_eo] == '\0'));
}

static bool
file_matches(char **words)
{
	char    *line = NULL;
	size_t   size = 0;
	ssize_t  n;
	bool     found = false;
	FILE    *f = fopen(search.path, "r");

	(void)words;
	if (f == NULL)
		return false;
	while (!found && (n = getline(&line, &size, f)) > 0) {
		if (line[n - 1] == '\n')
			line[--n] = '\0';
		while (n-- > 0)
			if (line[n] == '\0')
				line[n] = ' ';
		found = line_matches(line);
	}
	free(line);
	fclose(f);
	return found;
}

/* Is it a search that line_matches() can do?  Its words are then in search. */
static bool
search_known(char **words)
{
	int      flags = 0;
	char     c;

	for (words++; *words != NULL && **words == '-'; words++) {
		for (const char *p = *words + 1; (c = *p) != '\0'; p++) {
			if (c == 'E')
				flags = REG_EXTENDED;
			else if (c == 'F')
				search.fixed = true;
			else if (c == 'x')
				search.whole = true;
			else if (strchr("aqs", c) == NULL && strcmp(p, "e") != 0)
				return false;
		}
		if (words[0][strlen(*words) - 1] == 'e') {
			words++;
			break;
		}
	}
	if (words[0] == NULL || words[1] == NULL || words[2] != NULL)
		return false;
	search.pattern = words[0];
	search.path = words[1];
	return search.fixed ||
	    regcomp(&search.regex, search.pattern, flags) == 0;
}

/* ---- what is run --------------------------------------------------------- */

/* Only the output of the last time is of interest. */
static bool
command_succeeds(char **words)
{
	int      status = -1;
	pid_t    pid;

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

/* ---- waiting ------------------------------------------------------------- */

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int
main(int argc, char **argv)
{
	bool     (*holds)(char **) = command_succeeds;
	double   begun = now(), looked, pause;
	char   **words = argv + 2;
	bool     want = true;

	if (argc > 3 && strcmp(*words, "no") == 0) {
		want = false;
		words++;
	}
	if (argc < 3) {
		fprintf(stderr, "usage: until SECONDS [no] COMMAND...\n");
		return 2;
	}
	setlocale(LC_ALL, "");
	argc -= (int)(words - argv);
	if (strcmp(*words, "grep") == 0 && search_known(words))
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
		/* A long file is not all that it does. */
		pause = (now() - looked) * 4 + 0.01;
		if (holds == command_succeeds)
			pause = (now() - begun) / 5 + 0.02;
		if (pause > 0.2)
			pause = 0.2;
		nanosleep(&(struct timespec){ 0, (long)(pause * 1e9) }, NULL);
	}
	return 0;
}

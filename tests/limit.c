/*
 * limit.c - runs a test, and ends with it all that it started.
 *
 *	limit SECONDS COMMAND...
 *
 * On Linux an orphan of the test becomes a child of this program.  When the command
 * has ended, every process that is left is killed.  A command that hangs is ended,
 * too; the processes of that moment are in the output.  The exit status is the
 * command's, or 128 and the number of the signal that ended it.
 */
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/time.h>
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t asked;

static void
note_signal(int number)
{
	if (number != SIGALRM)
		asked = 1;
}

static void
kill_children(void)
{
	char     path[64];
	long     pid = getpid();
	FILE    *f;

	snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", pid, pid);
	if ((f = fopen(path, "r")) == NULL)
		return;
	while (fscanf(f, "%ld", &pid) == 1)
		kill((pid_t)pid, SIGKILL);
	fclose(f);
}

int
main(int argc, char **argv)
{
	static const int signals[] = { SIGALRM, SIGINT, SIGTERM, SIGHUP };
	struct sigaction act = { .sa_handler = note_signal };
	struct itimerval second = { { 1, 0 }, { 1, 0 } };
	time_t   over = time(NULL) + (argc > 2 ? atol(argv[1]) : 0);
	pid_t    test, ended;
	int      status, how = SIGTERM;

	if (argc < 3) {
		fprintf(stderr, "usage: limit SECONDS COMMAND...\n");
		return 2;
	}
#ifdef __linux__
	prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
	if ((test = fork()) == 0) {
		setpgid(0, 0);
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &act, NULL);
	setitimer(ITIMER_REAL, &second, NULL);
	while ((ended = waitpid(-1, &status, 0)) != test) {
		if (ended == -1 && errno != EINTR)
			return 1;
		if (asked)
			kill(-test, SIGTERM);
		asked = 0;
		if (time(NULL) <= over)
			continue;
		printf("# it runs for %s s:\n", argv[1]);
		fflush(stdout);
		if (system("ps -axww -o pid,ppid,stat,wchan,args | sed 's/^/# /'")
		    == -1)
			perror("ps");
		kill(-test, how);
		over = time(NULL) + 30;
		how = SIGKILL;
	}
	do {
		kill_children();
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	} while (waitpid(-1, NULL, 0) != -1 || errno == EINTR);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
	    WEXITSTATUS(status);
}

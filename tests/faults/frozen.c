/*
 * frozen.c - runs a command, and stops one of the processes that it starts
 * behind its n-th system call, with SIGSTOP, as if a person had.
 *
 *	frozen FILE WORD N COMMAND...
 *
 * The process is the first one with that word as its first argument.  When it
 * stands still, FILE has its number, and nothing traces it any more.  If it has
 * ended before that call, FILE has "ended" and how many calls there were.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *file, *word;
static pid_t target;
static long calls, most;

static void
tell(const char *what, long number)
{
	char beside[4096];
	FILE *f;

	snprintf(beside, sizeof(beside), "%s.new", file);
	f = fopen(beside, "w");
	if (f == NULL)
		exit(125);
	fprintf(f, "%s%ld\n", what, number);
	fclose(f);
	rename(beside, file);
}

/* Has the process that word as its first argument? */
static int
is_target(pid_t pid)
{
	char path[64], words[4096];
	size_t n, first;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/cmdline", (long)pid);
	f = fopen(path, "r");
	n = f != NULL ? fread(words, 1, sizeof(words) - 1, f) : 0;
	if (f != NULL)
		fclose(f);
	words[n] = '\0';
	first = strlen(words) + 1;
	return first < n && strcmp(words + first, word) == 0;
}

/* Lets a process go on, with a signal or none. */
static void
go_on(pid_t pid, int signo)
{
	ptrace(pid == target ? PTRACE_SYSCALL : PTRACE_CONT, pid, NULL,
	    (void *)(long)signo);
}

/* A system call begins or ends. */
static void
at_call(pid_t pid)
{
	if (++calls == 2 * most)        /* the signal comes at once */
		kill(pid, SIGSTOP);
	go_on(pid, 0);
}

static void
at_signal(pid_t pid, int signo)
{
	if (pid != target || signo != SIGSTOP || calls < 2 * most) {
		go_on(pid, signo == SIGSTOP || signo == SIGTRAP ? 0 : signo);
		return;
	}
	ptrace(PTRACE_DETACH, pid, NULL, (void *)(long)SIGSTOP);
	target = 0;
	tell("", pid);
}

static void
at_stop(pid_t pid, int status)
{
	if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
		if (target == 0 && calls == 0 && is_target(pid))
			target = pid;
		go_on(pid, 0);
	} else if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
		at_call(pid);
	} else if (status >> 16 != 0) {
		go_on(pid, 0);
	} else {
		at_signal(pid, WSTOPSIG(status));
	}
}

int
main(int argc, char **argv)
{
	int status, result = 125;
	pid_t pid, first;

	if (argc < 5)
		return 125;
	file = argv[1];
	word = argv[2];
	most = strtol(argv[3], NULL, 10);
	first = fork();
	if (first == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(argv[4], argv + 4);
		_exit(127);
	}
	if (first == -1 || waitpid(first, &status, __WALL) == -1 ||
	    ptrace(PTRACE_SETOPTIONS, first, NULL, (void *)(long)
	    (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
	    PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC)) == -1)
		return 125;
	go_on(first, 0);
	while ((pid = waitpid(-1, &status, __WALL)) != -1 || errno == EINTR) {
		if (pid != -1 && WIFSTOPPED(status)) {
			at_stop(pid, status);
			continue;
		}
		if (pid != -1 && pid == target) {
			tell("ended ", calls / 2);
			target = 0;
		}
		if (pid != -1 && pid == first)
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 125;
	}
	return result;
}

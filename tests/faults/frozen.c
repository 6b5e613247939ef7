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
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *file, *word;
static pid_t target;
static long calls, most;

static void
tell(const char *what, long number)
{
	dprintf(open(file, O_WRONLY | O_CREAT, 0600), "%s%ld\n", what, number);
}

/* Has the process that word as its first argument? */
static int
is_target(pid_t pid)
{
	char path[64], words[4096] = "";
	const char *first = words;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/cmdline", (long)pid);
	fd = open(path, O_RDONLY);
	if (read(fd, words, sizeof(words) - 2) > 0)
		first += strlen(words) + 1;
	close(fd);
	return strcmp(first, word) == 0;
}

static void
at_stop(pid_t pid, int status)
{
	int signo = WSTOPSIG(status), event = status >> 16;

	if (signo == (SIGTRAP | 0x80)) {
		/* A call begins or ends; the signal comes at once. */
		if (++calls == 2 * most)
			kill(pid, SIGSTOP);
		signo = 0;
	} else if (event == PTRACE_EVENT_EXEC && target == 0 && calls == 0) {
		target = is_target(pid) ? pid : 0;
	} else if (pid == target && event == 0 && signo == SIGSTOP &&
	    calls >= 2 * most) {
		ptrace(PTRACE_DETACH, pid, NULL, (void *)(long)SIGSTOP);
		target = 0;
		tell("", pid);
		return;
	}
	if (event != 0 || signo == SIGSTOP || signo == SIGTRAP)
		signo = 0;
	ptrace(pid == target ? PTRACE_SYSCALL : PTRACE_CONT, pid, NULL,
	    (void *)(long)signo);
}

int
main(int argc, char **argv)
{
	int status, result = 125;
	pid_t pid, first;

	if (argc < 5)
		return result;
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
	if (waitpid(first, &status, __WALL) == -1 ||
	    ptrace(PTRACE_SETOPTIONS, first, NULL, (void *)(long)
	    (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
	    PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC)) == -1 ||
	    ptrace(PTRACE_CONT, first, NULL, NULL) == -1)
		return result;
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

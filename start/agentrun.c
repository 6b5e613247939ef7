/*
 * agentrun.c - the process that start puts into the pane: it runs the agent
 * and knows how it ended.
 *
 * tmux cannot tell that: some versions miss the end of a process, and none
 * knows it once the pane is gone.  A parent always does.  The agent gets a
 * process group of its own and the terminal, as from a shell; we wait, record
 * how it ended and end the same way.
 *
 * An agent of an issue that the fleet gave to this host ends when the lease is
 * over (run/lease.h), since another host may have the issue then.  We end it,
 * because we are there as long as it is.
 *
 * In a new work tree a command of the user's may come first, the setup.  If it
 * fails, that is reported as an error, and the agent is not started.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/sessionhooks.h"
#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "os/alarm.h"
#include "os/child.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "paneward.h"
#include "project/context.h"
#include "run/launch.h"
#include "run/lease.h"
#include "run/status.h"

static volatile pid_t agent;

/* SIGHUP and SIGTERM are for the agent. */
static void
agentrun_forward(int signo)
{
	int saved = errno;

	if (agent > 0)
		child_signal(agent, signo);
	errno = saved;
}

/* The child: the agent, in front of the terminal. */
static _Noreturn void
agentrun_exec(const struct launch *l, const char *issue)
{
	sigset_t none;
	int signo;

	setpgid(0, 0);
	tcsetpgrp(STDIN_FILENO, getpid());
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_DFL);
	launch_environment(l, issue);
	if (chdir(l->cwd) == -1) {
		warn("cannot enter '%s'", l->cwd);
		_exit(127);
	}
	execv(l->program, l->argv);
	warn("cannot run '%s'", l->program);
	_exit(127);
}

/* ---- the setup ----------------------------------------------------------- */

enum { SETUP_LIMIT = 24 * 3600 * 1000 };        /* ms */

/* Runs it in the work tree.  False: it failed, which is reported. */
static bool
setup_run(const struct launch *l, char *const *words, int state_fd,
    const char *issue)
{
	char **argv = argv_add_all(argv_add_all(NULL, WORDS("sh", "-c",
	    "exec \"$@\" 2>&1", "sh")), (const char *const *)words);
	struct spawn s = SPAWN_INIT;
	char name[ISSUE_FILE];
	struct buf why = BUF_INIT;
	struct stat st;
	int status, log = file_open_own(state_fd, issue_file(name, issue,
	    "setup.log"), O_WRONLY | O_CREAT | O_TRUNC, &st);

	if (log == -1)
		fatal("cannot open '%s/.paneward/%s'", l->status_dir, name);
	launch_environment(l, issue);
	printf("paneward: setting up the work tree; what that says is in "
	    "%s/.paneward/%s\n", l->status_dir, name);
	fflush(stdout);
	/* A key that interrupts the command must not end us. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	status = spawn_run(&s, &(struct spawn_how){
	    .argv = (const char *const *)argv, .cwd = l->cwd, .to = log,
	    .limit = SETUP_LIMIT, .stays = true });
	close(log);
	if (status >= SPAWN_SIGNAL)
		buf_printf(&why, "worktree_setup was ended by signal %d; see "
		    "%s", status - SPAWN_SIGNAL, name);
	else if (status == SPAWN_TIMEOUT)
		buf_printf(&why, "worktree_setup took longer than a day; see "
		    "%s", name);
	else if (status != 0)
		buf_printf(&why, "worktree_setup ended with status %d; see %s",
		    status, name);
	if (status != 0) {
		warnx("the agent is not started: %s", buf_str(&why));
		if (spawn_run(&s, &(struct spawn_how){ .limit = 10000,
		    .argv = WORDS(proc_program(), "signal", "error",
		    buf_str(&why), "--status-dir", l->status_dir) }) != 0)
			warnx("cannot report that: %s", buf_str(&s.errors));
	}
	spawn_release(&s);
	buf_release(&why);
	argv_free(argv);
	return status == 0;
}

/* ---- its lease ----------------------------------------------------------- */

enum {
	LEASE_GRACE = 1000              /* ms between TERM and KILL, at least */
};

struct leased {
	int   state_fd;
	const char *issue;
	struct lease lease;             /* as it was read last */
	bool  held;                     /* there is a lease */
	bool  over;                     /* the agent was asked to end, */
	msec  kill_at;                  /* and is killed then */
};

/* Signals wait until agentrun_wait() takes them. */
static void
leased_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGALRM);
	sigaddset(set, SIGCHLD);
}

static void
leased_ignore(int signo)
{
	(void)signo;
}

/* As lease_read(); a file that cannot be read leaves the lease as it was. */
static int
leased_read(struct leased *d)
{
	struct lease now;
	int there = lease_read(&now, d->state_fd, d->issue);

	if (there == 1)
		d->lease = now;
	return there;
}

/* Ends the agent if its lease is over, else comes back when it would be. */
static void
leased_check(struct leased *d)
{
	msec now = lease_now();

	if (d->over) {
		if (now >= d->kill_at)
			child_signal(agent, SIGKILL);
	} else if (leased_read(d) == 0) {
		d->held = false;        /* the fleet needs none any more */
	} else if (lease_past(&d->lease, now)) {
		/* It is asked to end, and killed later. */
		d->over = true;
		d->kill_at = d->lease.over > now + LEASE_GRACE ?
		    d->lease.over : now + LEASE_GRACE;
		child_signal(agent, SIGTERM);
		alarm_after(d->kill_at - now);
	} else {
		alarm_after(d->lease.deadline - now);
	}
}

/* False: it is over already, or cannot be read. */
static bool
leased_begin(struct leased *d)
{
	struct sigaction wake = { .sa_handler = leased_ignore };
	int there = leased_read(d);
	sigset_t set;

	d->held = there != 0;
	if (there == 0)
		return true;
	if (there == -1 || lease_past(&d->lease, lease_now()))
		return false;
	leased_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigemptyset(&wake.sa_mask);
	sigaction(SIGCHLD, &wake, NULL);
	sigaction(SIGALRM, &wake, NULL);
	alarm_after(d->lease.deadline - lease_now());
	return true;
}

/* ---- the agent ----------------------------------------------------------- */

static void
agentrun_begin(const struct launch *l, const char *issue)
{
	static const int terminals[] = { SIGINT, SIGQUIT, SIGTSTP, SIGTTOU,
	    SIGTTIN };
	struct sigaction forward = { .sa_handler = agentrun_forward };
	size_t i;

	sigemptyset(&forward.sa_mask);
	sigaction(SIGHUP, &forward, NULL);
	sigaction(SIGTERM, &forward, NULL);
	for (i = 0; i < sizeof(terminals) / sizeof(terminals[0]); i++)
		signal(terminals[i], SIG_IGN);
	agent = fork();
	if (agent == -1)
		fatal("cannot start the agent");
	if (agent == 0)
		agentrun_exec(l, issue);
	setpgid(agent, agent);
	tcsetpgrp(STDIN_FILENO, agent);
}

static int
agentrun_wait(struct leased *d)
{
	int status = 0, signo;
	sigset_t set;
	pid_t pid;

	leased_signals(&set);
	for (;;) {
		pid = waitpid(agent, &status, WUNTRACED |
		    (d->held ? WNOHANG : 0));
		if (pid == -1) {
			if (errno == EINTR)
				continue;
			fatal("cannot wait for the agent");
		}
		if (pid == 0) {
			/* Its next change, or the time to look. */
			if (sigwait(&set, &signo) == 0 && signo == SIGALRM)
				leased_check(d);
			continue;
		}
		if (!WIFSTOPPED(status))
			return status;
		/* No shell is here to bring it to the foreground. */
		tcsetpgrp(STDIN_FILENO, agent);
		kill(-agent, SIGCONT);
	}
}

/* A directory that was removed is made again, but not one that has moved with
 * the project: that is still open. */
static void
agentrun_record(const struct launched *now, struct statusdir *dir,
    const char *issue, const struct launch *l)
{
	statusdir_reopen(dir, access(l->cwd, F_OK) == 0);
	if (launched_write(now, dir->state_fd, issue, l->run) == -1)
		warn("cannot record what became of the agent in '%s'",
		    dir->path);
}

/* Runs the agent; how it ended. */
static struct launched
agentrun_agent(struct launch *l, struct statusdir *dir, const char *issue)
{
	struct launched now = { .exit_code = -1, .exit_signal = -1 };
	struct leased leased = { .state_fd = dir->state_fd, .issue = issue };
	struct proc p = { 0 };
	int status;

	if (!leased_begin(&leased)) {
		warnx("the agent is not started: the lease of issue '%s' is "
		    "over or cannot be read, the fleet may have given it to "
		    "another host (see paneward-fleet(1))", issue);
		now = (struct launched){ .pid = getpid(), .ended = true,
		    .exit_code = EXIT_COULD_NOT, .exit_signal = -1,
		    .lease_over = true };
		agentrun_record(&now, dir, issue, l);
		return now;
	}
	agentrun_begin(l, issue);
	proc_read(&p, agent);
	now.pid = agent;
	now.start = p.start;
	agentrun_record(&now, dir, issue, l);
	status = agentrun_wait(&leased);
	now.ended = true;
	if (WIFSIGNALED(status))
		now.exit_signal = WTERMSIG(status);
	else
		now.exit_code = WEXITSTATUS(status);
	now.lease_over = leased.over;
	agentrun_record(&now, dir, issue, l);
	return now;
}

static int
agentrun_run(const struct command *c, int argc, char **argv)
{
	struct launched now;
	struct rlimit none = { 0, 0 };
	struct statusdir dir;
	struct status record;
	struct launch l;
	const char *issue;
	char **setup;

	if (argc < 3)
		command_usage(c, "takes an issue and a status directory");
	issue = command_issue(c, argv[1]);
	context_statusdir(&dir, argv[2]);
	/* Its server may have been killed before it came so far, and the issue
	 * be started again. */
	if (launch_take(&l, dir.state_fd, issue, argv[3]) == -1)
		fatal("cannot read from '%s' what to run for issue '%s'",
		    dir.path, issue);
	setup = l.setup;
	l.setup = NULL;
	if (setup != NULL && !setup_run(&l, setup, dir.state_fd, issue))
		return EXIT_COULD_NOT;
	argv_free(setup);
	if (launch_write(&l, dir.state_fd, issue, LAUNCH_COMMAND) == -1)
		warn("cannot record the agent's command line in '%s'; "
		    "reload will use its backend's", dir.path);
	if (status_read(&record, dir.state_fd, issue) == 1)
		sessionhooks_launch(&l, record.backend);
	status_release(&record);
	now = agentrun_agent(&l, &dir, issue);
	if (now.exit_signal == -1)
		return now.exit_code;
	/* End as the agent did, so that tmux shows it too. */
	setrlimit(RLIMIT_CORE, &none);
	signal(now.exit_signal, SIG_DFL);
	raise(now.exit_signal);
	return 128 + now.exit_signal;
}

const struct command agentrun_command = {
	.name = "agent-run",
	.arguments = "ISSUE STATUS-DIRECTORY [RUN]",
	.options = (const struct command_option[]){ { 0 } },
	.run = agentrun_run,
};

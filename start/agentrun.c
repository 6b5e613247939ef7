/*
 * agentrun.c - the process in the pane: it runs the agent, records how that
 * ended, and ends the same way.  tmux may miss that, and forgets it with the
 * pane.
 *
 * An agent ends with its lease of the fleet (run/lease.h), since another host
 * may have the issue then.  The user's setup of a new work tree comes first; if
 * it fails, that is reported as an error, and no agent is started.
 */
#include <signal.h>
#include <sys/resource.h>

#include "agent/ourhooks.h"
#include "paneward.h"
#include "project/context.h"
#include "run/lease.h"

enum {
	SETUP_LIMIT = 24 * 3600 * 1000, /* ms */
	LEASE_GRACE = 1000,             /* ms from TERM to KILL, at least */
	LEASE_EACH = 1000               /* ms between two looks */
};

/* False: the setup failed, which is reported. */
static bool
setup_run(const struct launch *l, char *const *words, int state_fd,
    const char *issue)
{
	char **argv = argv_add_all(argv_add_all(NULL, WORDS("sh", "-c",
	    "exec \"$@\" 2>&1", "sh")), (const char *const *)words);
	struct spawn s = SPAWN_INIT;
	const char *name = ISSUE_NAME(issue, "setup.log");
	struct buf why = BUF_INIT;
	struct stat st;
	int status, log = file_open_own(state_fd, name,
	    O_WRONLY | O_CREAT | O_TRUNC, &st);

	if (log == -1)
		fatal("cannot open '%s/.paneward/%s'", l->status_dir, name);
	printf("paneward: setting up the work tree; what that says is in "
	    "%s/.paneward/%s\n", l->status_dir, name);
	fflush(stdout);
	/* A key that ends the command must not end us. */
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
	return status == 0;
}

/* A removed directory is made again; one moved with the project is open. */
static void
agentrun_record(const struct launched *now, struct statusdir *dir,
    const char *issue, const struct launch *l)
{
	statusdir_reopen(dir, access(l->cwd, F_OK) == 0);
	if (launched_write(now, dir->state_fd, issue, l->run) == -1)
		warn("cannot record what became of the agent in '%s'",
		    dir->path);
}

/* Runs the agent while it has its lease; how it ended. */
static struct launched
agentrun_agent(struct launch *l, struct statusdir *dir, const char *issue)
{
	const struct spawn_how how = { .program = l->program, .cwd = l->cwd,
	    .argv = (const char *const *)l->argv };
	struct lease lease, last;
	const int state_fd = dir->state_fd;
	int there = lease_read(&lease, state_fd, issue), signo;
	bool held = there == 1, over = false;
	msec now, next, kill_at = 0;
	struct parent p;

	if (there == -1 || (held && lease_past(&lease, lease_now()))) {
		warnx("the agent is not started: the lease of issue '%s' is "
		    "over or cannot be read, the fleet may have given it to "
		    "another host (see paneward-fleet(1))", issue);
		p.now = (struct launched){ .pid = getpid(), .ended = true,
		    .exit_code = EXIT_COULD_NOT, .exit_signal = -1,
		    .lease_over = true };
		agentrun_record(&p.now, dir, issue, l);
		return p.now;
	}
	signal(SIGHUP, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (parent_catch(&p, STDIN_FILENO) == -1 || parent_begin(&p, &how,
	    STDIN_FILENO, STDOUT_FILENO) == -1)
		fatal("cannot start the agent");
	agentrun_record(&p.now, dir, issue, l);
	parent_open(&p);
	while (!child_ended(&p.agent)) {
		now = lease_now();
		if (held && over && now >= kill_at) {
			child_signal(p.agent.pid, SIGKILL);
		} else if (held && !over && lease_past(&lease, now)) {
			/* An unreadable file leaves the lease as it was; none
			 * ends it: the fleet needs it no more. */
			there = lease_read(&last, state_fd, issue);
			if (there == 1)
				lease = last;
			held = there != 0;
			over = held && lease_past(&lease, now);
			kill_at = now + LEASE_GRACE;
			if (kill_at < lease.over)
				kill_at = lease.over;
			if (over)
				child_signal(p.agent.pid, SIGTERM);
		}
		next = (over ? kill_at : lease.deadline) - now;
		if (next <= 0 || next > LEASE_EACH)
			next = LEASE_EACH;
		loop_await_any((int[]){ p.trap, p.agent.fd }, 2,
		    held ? clock_now() + next : CLOCK_NEVER);
		/* Ctrl+C is the agent's already. */
		while ((signo = parent_signal(&p)) != 0)
			if (signo != SIGINT)
				child_signal(p.agent.pid, signo);
	}
	parent_end(&p);
	p.now.lease_over = over;
	agentrun_record(&p.now, dir, issue, l);
	return p.now;
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
	int got;

	command_option(c, argc, argv, NULL);
	issue = command_issue(c, argv[1]);
	context_statusdir(&dir, argv[2]);
	/* A killed server may have left the order of an earlier start. */
	if (launch_take(&l, dir.state_fd, issue, argv[3]) == -1)
		fatal("cannot read from '%s' what to run for issue '%s'",
		    dir.path, issue);
	launch_environment(&l, issue);
	setup = l.setup;
	l.setup = NULL;
	if (setup != NULL && !setup_run(&l, setup, dir.state_fd, issue))
		return EXIT_COULD_NOT;
	if (launch_write(&l, dir.state_fd, issue, LAUNCH_COMMAND) == -1)
		warn("cannot record the agent's command line in '%s'; "
		    "reload will use its backend's", dir.path);
	got = status_read(&record, dir.state_fd, issue);
	if (got == -1)
		warn("cannot read the status record of issue '%s'; the agent "
		    "gets no hooks", issue);
	if (got == 1)
		sessionhooks_launch(&l, record.backend);
	status_release(&record);
	now = agentrun_agent(&l, &dir, issue);
	if (now.exit_signal == -1)
		return now.exit_code;
	/* Ends as the agent did: tmux shows it. */
	setrlimit(RLIMIT_CORE, &none);
	signal(now.exit_signal, SIG_DFL);
	raise(now.exit_signal);
	return 128 + now.exit_signal;
}

const struct command agentrun_command = {
	.name = "agent-run",
	.arguments = "ISSUE STATUS-DIRECTORY [RUN]",
	.run = agentrun_run,
};

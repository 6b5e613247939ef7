/*
 * keeper.c - the agent's parent (run/launch.h) in a session.  It ends the agent
 * without an engine, even after SIGKILL.  An agent without a terminal writes to
 * a pipe: with the log as standard error, opening /dev/stderr would truncate
 * it.
 */
#include <sys/ioctl.h>
#include <termios.h>

#include "agent/ourhooks.h"
#include "loop/engine.h"
#include "os/compat.h"
#include "os/trap.h"
#include "paneward.h"

enum {
	PATIENCE = 5000,                /* ms from SIGTERM to SIGKILL */
	FAREWELL = 100,                 /* for the rest of the group */
	TICK = 200, AGAIN = 1000,       /* without an event, until a retry */
	BLOCK = 16 << 10, TURNS = 16, SHOWING = 200
};

struct keeper {
	const char *title, *name;
	struct statusdir dir;
	struct launch launch;
	enum keeper_way way;
	struct child engine;
	struct parent parent;
	int      source, keys;          /* of output; our terminal; or -1 */
	int      log, error;            /* error: of a write to it, or 0 */
	bool     warned, slow;          /* slow: our terminal missed output */
};

/* ---- the agent's output -------------------------------------------------- */

static void
follow_size(const struct keeper *k)
{
	struct winsize ours;

	/* The kernel ignores a size that has not changed. */
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ours) == 0 && ours.ws_col > 0)
		ioctl(k->source, TIOCSWINSZ, &ours);
}

static int
open_terminal(struct keeper *k)
{
	struct termios t;
	int slave;

	k->source = posix_openpt(O_RDWR | O_NOCTTY);
	if (k->source == -1 || fcntl(k->source, F_SETFD, FD_CLOEXEC) == -1 ||
	    fcntl(k->source, F_SETFL, O_NONBLOCK) == -1 ||
	    grantpt(k->source) == -1 || unlockpt(k->source) == -1)
		return -1;
	slave = open(ptsname(k->source), O_RDWR | O_NOCTTY | O_CLOEXEC);
	k->keys = STDIN_FILENO;
	fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK);
	follow_size(k);
	if (tcgetattr(STDIN_FILENO, &t) == 0) {
		cfmakeraw(&t);
		tcsetattr(STDIN_FILENO, TCSANOW, &t);
	}
	trap_add(SIGWINCH);
	return slave;
}

static bool
copy_output(struct keeper *k)
{
	char block[BLOCK], *p;
	ssize_t n, shown;
	msec until;

	if (k->source == -1)
		return false;
	n = read(k->source, block, sizeof(block));
	if (n == -1 && (errno == EINTR || errno == EAGAIN))
		return errno == EINTR;
	if (n <= 0) {
		close(k->source);
		k->source = -1;
		return false;
	}
	k->error = file_write(k->log, block, (size_t)n) == -1 ? errno : 0;
	if (k->way != KEEPER_RELAY)
		return true;
	/* A slow terminal misses output rather than stop the agent: the log has
	 * everything. */
	until = k->slow ? 0 : clock_now() + SHOWING;
	for (p = block; p < block + n; p += shown > 0 ? shown : 0) {
		if (!loop_await(STDOUT_FILENO, POLLOUT, until) &&
		    clock_now() >= until) {
			k->slow = true;
			break;
		}
		shown = write(STDOUT_FILENO, p, (size_t)(block + n - p));
		if (shown == -1 && errno != EINTR && errno != EAGAIN)
			break;
		if (shown > 0) {
			k->slow = false;
			until = clock_now() + SHOWING;
		}
	}
	return true;
}

static void
keeper_wait(struct keeper *k, msec until)
{
	char block[1024];
	ssize_t n;
	int turns;

	loop_await_any((int[]){ k->parent.trap, k->engine.fd,
	    k->parent.agent.fd, k->source, k->keys }, 5, until);
	if (k->way == KEEPER_RELAY)
		follow_size(k);
	for (turns = 0; turns < TURNS && copy_output(k); turns++)
		continue;
	if (k->keys != -1 && loop_await(k->keys, POLLIN, 0)) {
		n = read(k->keys, block, sizeof(block));
		if (n == 0 || (n == -1 && errno != EINTR && errno != EAGAIN))
			k->keys = -1;
		/* Keys that an agent does not read in time are lost. */
		if (n > 0 && k->source != -1 &&
		    write(k->source, block, (size_t)n) == -1)
			errno = 0;
	}
	if (k->error != 0 && !k->warned) {
		errno = k->error;
		warn("cannot write what the agent prints to its log in '%s'",
		    k->dir.path);
		k->warned = true;
	}
}

/* ---- beginning ----------------------------------------------------------- */

/* Without an engine the gate stays closed: the next engine may already have
 * searched for the agent. */
static void
start_kept_agent(struct keeper *k, bool input, long iteration)
{
	int in, ends[2] = { -1, STDOUT_FILENO };
	struct parent *p = &k->parent;
	char log[LOOP_FILE];

	if (k->way != KEEPER_TERMINAL) {
		loop_log_name(log, k->name, iteration);
		k->log = openat(k->dir.state_fd, log, O_WRONLY | O_APPEND |
		    O_CLOEXEC | O_NOFOLLOW);
		if (k->log == -1)
			fatal("cannot open the log '%s'", log);
	}
	if (k->way == KEEPER_RELAY) {
		ends[1] = open_terminal(k);
		if (ends[1] == -1)
			fatal("cannot make a terminal for the agent");
	} else if (k->way == KEEPER_LOG) {
		if (pipe2(ends, O_CLOEXEC) == -1)
			fatal("cannot make a pipe for the agent");
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
		k->source = ends[0];
	}
	in = ends[1];
	if (input || k->way == KEEPER_LOG)
		in = openat(k->dir.state_fd, input ? ISSUE_NAME(k->name,
		    LOOP_INPUT) : "/dev/null", O_RDONLY | O_CLOEXEC |
		    O_NOFOLLOW);
	if (in == -1)
		fatal("cannot open the agent's input");
	if (parent_begin(p, &(struct spawn_how){ .cwd = k->launch.cwd,
	    .argv = (const char *const *)k->launch.argv,
	    .terminal = k->way == KEEPER_RELAY }, in, ends[1]) == -1)
		fatal("cannot start the agent");
	if (ends[1] != STDOUT_FILENO)
		close(ends[1]);
	/* An agent without a record would never be found. */
	if (launched_write(&p->now, k->dir.state_fd, k->title,
	    k->launch.run) == -1)
		fatal("cannot record the agent's process in '%s'", k->dir.path);
	if (child_ended(&k->engine)) {
		launched_remove(k->dir.state_fd, k->title);
		exit(EXIT_COULD_NOT);
	}
	parent_open(p);
}

/* ---- until it has ended -------------------------------------------------- */

static bool
stopping(const struct keeper *k)
{
	return k->parent.agent.kill_at != CLOCK_NEVER;
}

/* The record is retried until the directory is gone or the keeper has to
 * end. */
static bool
follow_agent(struct keeper *k)
{
	struct parent *p = &k->parent;
	struct child *agent = &p->agent;
	bool warned = false, never;
	msec now, until;

	while (!child_ended(agent)) {
		now = clock_now();
		until = agent->kill_at;
		if (k->engine.fd == -1 && now + TICK < until)
			until = now + TICK;
		keeper_wait(k, until);
		if (parent_signal(p) != 0 || clock_now() >= agent->kill_at ||
		    (!stopping(k) && child_ended(&k->engine)))
			child_stop(agent, PATIENCE);
		if (stopping(k))
			k->engine.fd = -1;      /* readable for ever */
	}
	/* The ended agent is a zombie, so its group's number is not reused. */
	if (!stopping(k)) {
		child_signal(agent->pid, SIGTERM);
		loop_pause(FAREWELL);
	}
	child_signal(agent->pid, SIGKILL);
	while (copy_output(k))
		continue;
	file_close(k->source);
	k->source = k->keys = -1;
	parent_end(p);
	while (launched_write(&p->now, k->dir.state_fd, k->title,
	    k->launch.run) == -1) {
		never = errno == ENOENT;
		if (!warned)
			warn("cannot record the agent's exit status in '%s'",
			    k->dir.path);
		warned = true;
		if (never || stopping(k) || parent_signal(p) != 0 ||
		    child_ended(&k->engine))
			return false;
		keeper_wait(k, clock_now() + AGAIN);
	}
	return true;
}

static int
keeper_run(const struct command *c, int argc, char **argv)
{
	const char *outer = getenv("PANEWARD_ISSUE"), *issue;
	struct keeper k = { .source = -1, .log = -1, .keys = -1 };
	char mark[RUN_ID_LEN + sizeof(LOOP_END_MARK)];
	bool recorded;

	if (argc != 11 || strlen(argv[1]) >= LOOP_TITLE ||
	    strlen(argv[2]) >= LOOP_NAME)
		command_usage(c, "is run by 'loop run'");
	k.title = argv[1];
	k.name = argv[2];
	context_statusdir(&k.dir, argv[3]);
	child_other(&k.engine, (pid_t)strtol(argv[5], NULL, 10),
	    strtoull(argv[6], NULL, 10));
	k.way = (enum keeper_way)strtol(argv[7], NULL, 10);
	issue = argv[9];
	if (parent_catch(&k.parent, k.way == KEEPER_TERMINAL ? STDOUT_FILENO :
	    -1) == -1)
		fatal("cannot wait for signals");
	if (launch_take(&k.launch, k.dir.state_fd, k.title, NULL) == -1)
		fatal("cannot read from '%s' what to run", k.dir.path);
	if (outer != NULL && strcmp(outer, issue) != 0 && issue_valid(issue))
		unsetenv("PANEWARD_RUN");
	if (issue_valid(issue))
		setenv("PANEWARD_ISSUE", issue, 1);
	setenv("PANEWARD_ITERATION", argv[4], 1);
	setenv("PANEWARD_STATUS_DIR", k.dir.path, 1);
	setenv("PANEWARD", proc_program(), 1);
	sessionhooks_launch(&k.launch, argv[10]);
	start_kept_agent(&k, strcmp(argv[8], "input") == 0,
	    strtol(argv[4], NULL, 10));
	recorded = follow_agent(&k);
	if (k.way == KEEPER_TERMINAL) {
		snprintf(mark, sizeof(mark), LOOP_END_MARK, k.launch.run);
		tcsetpgrp(STDOUT_FILENO, getpgrp());
		file_write(STDOUT_FILENO, mark, strlen(mark));
	}
	/* The engine closes the terminal. */
	while (k.way != KEEPER_LOG && recorded &&
	    parent_signal(&k.parent) == 0 && !child_ended(&k.engine))
		keeper_wait(&k, k.engine.fd == -1 ? clock_now() + TICK :
		    CLOCK_NEVER);
	return recorded ? EXIT_DONE : EXIT_COULD_NOT;
}

const struct command loopagent_command = {
	.name = "loop-agent",
	.arguments = "TITLE NAME STATUS-DIRECTORY ITERATION ENGINE START WAY "
	    "input|null ISSUE BACKEND",
	.run = keeper_run,
};

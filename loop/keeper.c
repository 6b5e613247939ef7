/*
 * keeper.c - the agent's parent process (run/launch.h), in every kind of
 * session.  It watches the engine: if the engine is gone, even by SIGKILL, it
 * ends the agent.
 */
#include <sys/ioctl.h>
#include <termios.h>

#include "agent/ourhooks.h"
#include "loop/engine.h"
#include "os/compat.h"
#include "os/loop.h"
#include "paneward.h"

enum {
	PATIENCE = 5000,                /* ms from SIGTERM to SIGKILL */
	FAREWELL = 100,                 /* the same for the rest of the group */
	TICK = 200,                     /* if a process' end causes no event */
	AGAIN = 1000                    /* until a failed write is retried */
};

/* ---- the agent's output -------------------------------------------------- */

/*
 * An agent without a terminal writes to a pipe: with the log itself as standard
 * error, opening /dev/stderr would truncate it.  In zellij the agent has a
 * terminal of its own inside ours: its output is copied to ours, too, and keys
 * typed there to the agent.
 */
struct relay {
	int source;                     /* to be polled; -1: closed */
	int log;
	int error;                      /* of the last write to it, or 0 */
	bool terminal;                  /* inside of ours */
	int keys;                       /* our terminal, to be polled; -1: at
					   its end, or none */
	bool slow;                      /* it has missed output */
};

#define RELAY_INIT { .source = -1, .log = -1, .keys = -1 }

enum { BLOCK = 16 << 10, TURNS = 16, SHOWING = 200 };

static void
follow_size(const struct relay *r)
{
	struct winsize ours, its;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ours) == 0 && ours.ws_col > 0 &&
	    ioctl(r->source, TIOCGWINSZ, &its) == 0 &&
	    (ours.ws_col != its.ws_col || ours.ws_row != its.ws_row))
		ioctl(r->source, TIOCSWINSZ, &ours);
}

/* Only interrupts the wait. */
static void
resized(int signo)
{
	(void)signo;
}

/* A terminal as big as ours.  Our keys are the agent's, interrupts too. */
static int
open_terminal(struct relay *r)
{
	struct sigaction sa = { .sa_handler = resized };
	struct termios t;
	int slave;

	r->source = posix_openpt(O_RDWR | O_NOCTTY);
	if (r->source == -1 || fcntl(r->source, F_SETFD, FD_CLOEXEC) == -1 ||
	    fcntl(r->source, F_SETFL, O_NONBLOCK) == -1 ||
	    grantpt(r->source) == -1 || unlockpt(r->source) == -1)
		return -1;
	slave = open(ptsname(r->source), O_RDWR | O_NOCTTY | O_CLOEXEC);
	r->keys = STDIN_FILENO;
	fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK);
	follow_size(r);
	if (tcgetattr(STDIN_FILENO, &t) == 0) {
		cfmakeraw(&t);
		tcsetattr(STDIN_FILENO, TCSANOW, &t);
	}
	sigemptyset(&sa.sa_mask);
	sigaction(SIGWINCH, &sa, NULL);
	return slave;
}

/* A terminal that is slow or stopped misses output, so that it does not stop
 * the agent: the log has everything. */
static void
relay_show(struct relay *r, const char *bytes, size_t len)
{
	msec until = r->slow ? 0 : clock_now() + SHOWING;
	ssize_t n;

	while (len > 0) {
		if (!loop_await(STDOUT_FILENO, POLLOUT, until) &&
		    clock_now() >= until) {
			r->slow = true;
			return;
		}
		n = write(STDOUT_FILENO, bytes, len);
		if (n == -1 && errno != EINTR && errno != EAGAIN)
			return;
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
			r->slow = false;
			until = clock_now() + SHOWING;
		}
	}
}

/* True if there may be more at once.  The log is written first. */
static bool
copy_output(struct relay *r)
{
	char block[BLOCK];
	ssize_t n = read(r->source, block, sizeof(block));

	if (n > 0) {
		r->error = file_write(r->log, block, (size_t)n) == -1 ?
		    errno : 0;
		if (r->terminal)
			relay_show(r, block, (size_t)n);
		return true;
	}
	if (n == -1 && (errno == EINTR || errno == EAGAIN))
		return errno == EINTR;
	close(r->source);               /* the other end is closed */
	r->source = -1;
	return false;
}

/* Copies what is there, and follows the size of our terminal. */
static void
relay_copy(struct relay *r)
{
	char block[1024];
	ssize_t n;
	int turns;

	if (r->source == -1)
		return;
	if (r->terminal)
		follow_size(r);
	for (turns = 0; turns < TURNS && copy_output(r); turns++)
		continue;
	if (!loop_await(r->keys, POLLIN, 0))
		return;
	n = read(r->keys, block, sizeof(block));
	if (n == 0 || (n == -1 && errno != EINTR && errno != EAGAIN))
		r->keys = -1;
	/* Keys that an agent does not read in time are lost. */
	if (n > 0 && r->source != -1 && write(r->source, block, (size_t)n) ==
	    -1)
		errno = 0;
}

struct keeper {
	const char *title, *name, *issue;
	struct statusdir dir;
	struct launch launch;
	enum keeper_way way;
	pid_t    engine;
	uint64_t engine_start;
	int      engine_fd;
	struct relay relay;
	struct parent parent;
	bool     warned;                /* that its output cannot be written */
};

/* ---- beginning ----------------------------------------------------------- */

/* Opens what the agent writes to. */
static int
open_agent_output(struct keeper *k, long iteration)
{
	struct relay *r = &k->relay;
	char name[LOOP_FILE];
	int ends[2];

	if (k->way == KEEPER_TERMINAL)
		return STDOUT_FILENO;
	loop_log_name(name, k->name, iteration);
	r->log = openat(k->dir.state_fd, name, O_WRONLY | O_APPEND |
	    O_CLOEXEC | O_NOFOLLOW);
	if (r->log == -1)
		fatal("cannot open the log '%s'", name);
	r->terminal = k->way == KEEPER_RELAY;
	if (r->terminal) {
		ends[1] = open_terminal(r);
		if (ends[1] == -1)
			fatal("cannot make a terminal for the agent");
		return ends[1];
	}
	if (pipe2(ends, O_CLOEXEC) == -1)
		fatal("cannot make a pipe for the agent");
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	r->source = ends[0];
	return ends[1];
}

static bool
engine_gone(const struct keeper *k)
{
	return !proc_alive(k->engine, k->engine_start);
}

/*
 * Starts the agent behind a gate, records it, opens the gate.  If the engine is
 * gone the gate stays closed: the next engine may already have searched for the
 * agent.
 */
static void
start_kept_agent(struct keeper *k, bool input, int out)
{
	struct parent *p = &k->parent;
	int in = out;
	char name[ISSUE_FILE];

	if (input || k->way == KEEPER_LOG)
		in = openat(k->dir.state_fd, !input ? "/dev/null" :
		    issue_file(name, k->name, LOOP_INPUT),
		    O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (in == -1)
		fatal("cannot open the agent's input");
	if (parent_begin(p, &(struct spawn_how){ .cwd = k->launch.cwd,
	    .argv = (const char *const *)k->launch.argv,
	    .terminal = k->way == KEEPER_RELAY }, in, out) == -1)
		fatal("cannot start the agent");
	if (out != STDOUT_FILENO)
		close(out);
	/* An agent without a record would never be found. */
	if (launched_write(&p->now, k->dir.state_fd, k->title,
	    k->launch.run) == -1)
		fatal("cannot record the agent's process in '%s'", k->dir.path);
	if (engine_gone(k)) {
		launched_remove(k->dir.state_fd, k->title);
		exit(EXIT_COULD_NOT);
	}
	parent_open(p);
}

/* ---- while it runs ------------------------------------------------------- */

/* Sleeps until a signal, output, the end of the agent or of the engine. */
static void
keeper_wait(struct keeper *k, msec until)
{
	loop_await_any((int[]){ k->parent.trap, k->engine_fd,
	    k->parent.agent.fd, k->relay.source, k->relay.keys }, 5, until);
	relay_copy(&k->relay);
	if (k->relay.error != 0 && !k->warned) {
		errno = k->relay.error;
		warn("cannot write what the agent prints to its log in '%s'",
		    k->dir.path);
		k->warned = true;
	}
}

static bool
stopping(const struct keeper *k)
{
	return k->parent.agent.kill_at != CLOCK_NEVER;
}

/* Waits for its end, and ends the rest of its group. */
static void
follow_agent(struct keeper *k)
{
	struct child *agent = &k->parent.agent;
	msec now, until;

	while (!child_ended(agent)) {
		now = clock_now();
		until = agent->kill_at;
		if (k->engine_fd == -1 && now + TICK < until)
			until = now + TICK;
		keeper_wait(k, until);
		if (parent_signal(&k->parent) != 0 ||
		    clock_now() >= agent->kill_at ||
		    (!stopping(k) && engine_gone(k)))
			child_stop(agent, PATIENCE);
		if (stopping(k))
			k->engine_fd = -1;      /* readable for ever */
	}
	/* The ended agent is still a zombie, so the number of its group is not
	 * reused. */
	if (!stopping(k)) {
		child_signal(agent->pid, SIGTERM);
		loop_pause(FAREWELL);
	}
	child_signal(agent->pid, SIGKILL);
	while (k->relay.source != -1 && copy_output(&k->relay))
		continue;
	file_close(k->relay.source);
	k->relay.source = -1;
	k->relay.keys = -1;
}

/* Records the agent's end.  While the disk is full, warns once and retries,
 * until the directory is removed or the keeper itself has to end. */
static bool
record_agent_end(struct keeper *k)
{
	struct parent *p = &k->parent;
	bool warned = false, never;

	parent_end(p);
	while (launched_write(&p->now, k->dir.state_fd, k->title,
	    k->launch.run) == -1) {
		never = errno == ENOENT;
		if (!warned)
			warn("cannot record the agent's exit status in '%s'",
			    k->dir.path);
		warned = true;
		if (never || stopping(k) || parent_signal(p) != 0 ||
		    engine_gone(k))
			return false;
		keeper_wait(k, clock_now() + AGAIN);
	}
	return true;
}

/* ---- the command --------------------------------------------------------- */

static int
keeper_run(const struct command *c, int argc, char **argv)
{
	const char *outer = getenv("PANEWARD_ISSUE");
	struct keeper k = { .relay = RELAY_INIT };
	char *mark;
	bool recorded;

	if (argc != 11 || strlen(argv[1]) >= LOOP_TITLE ||
	    strlen(argv[2]) >= LOOP_NAME)
		command_usage(c, "is run by 'loop run'");
	k.title = argv[1];
	k.name = argv[2];
	context_statusdir(&k.dir, argv[3]);
	k.engine = (pid_t)strtol(argv[5], NULL, 10);
	k.engine_start = strtoull(argv[6], NULL, 10);
	k.way = (enum keeper_way)strtol(argv[7], NULL, 10);
	k.issue = argv[9];
	if (parent_catch(&k.parent, k.way == KEEPER_TERMINAL ? STDOUT_FILENO :
	    -1) == -1)
		fatal("cannot wait for signals");
	k.engine_fd = proc_open(k.engine, k.engine_start);
	if (launch_take(&k.launch, k.dir.state_fd, k.title, NULL) == -1)
		fatal("cannot read from '%s' what to run", k.dir.path);
	/* A run of another issue around us does not concern the agent. */
	if (outer != NULL && strcmp(outer, k.issue) != 0 &&
	    issue_valid(k.issue))
		unsetenv("PANEWARD_RUN");
	if (issue_valid(k.issue))
		setenv("PANEWARD_ISSUE", k.issue, 1);
	setenv("PANEWARD_ITERATION", argv[4], 1);
	setenv("PANEWARD_STATUS_DIR", k.dir.path, 1);
	setenv("PANEWARD", proc_program(), 1);
	sessionhooks_launch(&k.launch, argv[10]);
	start_kept_agent(&k, strcmp(argv[8], "input") == 0,
	    open_agent_output(&k, strtol(argv[4], NULL, 10)));
	follow_agent(&k);
	recorded = record_agent_end(&k);
	if (k.way == KEEPER_TERMINAL) {
		mark = session_end_mark(k.launch.run);
		tcsetpgrp(STDOUT_FILENO, getpgrp());
		file_write(STDOUT_FILENO, mark, strlen(mark));
		free(mark);
	}
	/* Keeps the terminal open until the engine has read everything and
	 * closes it. */
	while (k.way != KEEPER_LOG && recorded &&
	    parent_signal(&k.parent) == 0 && !engine_gone(&k))
		keeper_wait(&k, k.engine_fd == -1 ? clock_now() + TICK :
		    CLOCK_NEVER);
	return recorded ? EXIT_DONE : EXIT_COULD_NOT;
}

const struct command loopagent_command = {
	.name = "loop-agent",
	.arguments = "TITLE NAME STATUS-DIRECTORY ITERATION ENGINE START WAY "
	    "input|null ISSUE BACKEND",
	.run = keeper_run,
};

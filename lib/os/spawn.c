#include "os/spawn.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "os/compat.h"
#include "os/file.h"

extern char **environ;

enum {
	OUTPUT_MOST = 4 << 20,
	ERRORS_MOST = 4096,
	TURNS = 256,            /* reads at once */
	BUSY = 500,             /* ms without a step */
	CLOSING = 10,           /* ms between checks once output ends, */
	CLOSED = 1,             /* or both streams */
	FILES_MOST = 10240      /* macOS allows no more, whatever it says */
};

static struct rlimit files_before;
static bool files_raised;

size_t
spawn_raise_files(void)
{
	struct rlimit most;

	getrlimit(RLIMIT_NOFILE, &files_before);
	most = files_before;
	most.rlim_cur = most.rlim_max;
	files_raised = setrlimit(RLIMIT_NOFILE, &most) == 0;
	if (!files_raised && files_before.rlim_cur < FILES_MOST) {
		most.rlim_cur = FILES_MOST;
		files_raised = setrlimit(RLIMIT_NOFILE, &most) == 0;
	}
	if (!files_raised)
		most = files_before;
	return most.rlim_cur < INT32_MAX ? (size_t)most.rlim_cur : INT32_MAX;
}

void
spawn_lower_files(void)
{
	if (files_raised)
		setrlimit(RLIMIT_NOFILE, &files_before);
}

/* Undoes our state that would outlive execv(). */
static void
usual_state(void)
{
	sigset_t none;
	int signo;

	for (signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	spawn_lower_files();
}

static void
child_state(bool group, int in, int out, int err)
{
	if (group)
		setpgid(0, 0);
	usual_state();
	dup2(in != -1 ? in : open("/dev/null", O_RDONLY | O_CLOEXEC),
	    STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
}

/* Returns what failed, with errno. */
static const char *
execute(const struct spawn_how *how)
{
	const char *program = how->program ? how->program : how->argv[0];
	const char *const *name;

	if (how->cwd != NULL && chdir(how->cwd) == -1)
		return how->cwd;
	for (name = how->without; name != NULL && *name != NULL; name++)
		unsetenv(*name);
	for (name = how->with; name != NULL && *name != NULL; name++)
		putenv((char *)(uintptr_t)*name);
	if (how->env != NULL)
		environ = (char **)(uintptr_t)how->env;
	execvp(program, (char *const *)(uintptr_t)how->argv);
	return program;
}

static _Noreturn void
become(const struct spawn_how *how)
{
	const char *failed;

	if (how->call != NULL)
		_exit(how->call(how->context));
	failed = execute(how);
	fprintf(stderr, "cannot %s '%s': %s\n",
	    failed == how->cwd ? "enter" : "run", failed, strerror(errno));
	fflush(stderr);
	_exit(127);
}

static int
await(pid_t pid, int options, int *status)
{
	pid_t got;

	while ((got = waitpid(pid, status, options)) == -1 && errno == EINTR)
		continue;
	return got;
}

int
spawn_begin(struct spawn *s, const struct spawn_how *how)
{
	int ends[4] = { -1, -1, -1, -1 }, i;    /* output, errors */

	buf_reset(&s->output);
	buf_reset(&s->errors);
	if (pipe2(ends, O_CLOEXEC) == -1 || pipe2(ends + 2, O_CLOEXEC) == -1 ||
	    (s->pid = fork()) == -1) {
		buf_adds(&s->errors, strerror(errno));
		s->status = SPAWN_FAILED;
		s->pid = 0;
		for (i = 0; i < 4; i++)
			file_close(ends[i]);
		return -1;
	}
	if (s->pid == 0) {
		child_state(!how->stays, how->in > 0 ? how->in : -1,
		    how->to != 0 ? how->to : ends[1], ends[3]);
		become(how);
	}
	close(ends[1]);
	close(ends[3]);
	s->out = ends[0];
	s->err = ends[2];
	fcntl(s->out, F_SETFL, O_NONBLOCK);
	fcntl(s->err, F_SETFL, O_NONBLOCK);
	s->out_eof = s->err_eof = false;
	s->most = how->most ? how->most : OUTPUT_MOST;
	s->stepped = clock_now();
	s->deadline = s->stepped + how->limit;
	return 0;
}

/* A program may never stop writing.  Is this the end? */
static bool
drain(int fd, struct buf *to, size_t most)
{
	char bytes[4096];
	ssize_t n = 1;
	int turns;

	for (turns = 0; turns < TURNS; turns++) {
		n = read(fd, bytes, sizeof(bytes));
		if (n == 0 || (n == -1 && errno != EINTR))
			break;
		if (n > 0 && to->len < most)
			buf_add(to, bytes, (size_t)n < most - to->len ?
			    (size_t)n : most - to->len);
	}
	return n == 0;
}

static int
spawn_status(int status)
{
	return WIFSIGNALED(status) ? SPAWN_SIGNAL + WTERMSIG(status) :
	    WEXITSTATUS(status);
}

/* False: it still runs. */
static bool
reap(struct spawn *s, int options)
{
	int status = 0;

	if (await(s->pid, options, &status) == 0)
		return false;
	if (s->status == 0)
		s->status = spawn_status(status);
	drain(s->err, &s->errors, ERRORS_MOST);
	spawn_follow(s, NULL, NULL, NULL);
	close(s->out);
	close(s->err);
	s->out = s->err = -1;
	s->pid = 0;
	buf_chomp(&s->errors);
	return true;
}

bool
spawn_step(struct spawn *s, msec now)
{
	size_t before = s->output.len;

	if (s->pid == 0)
		return true;
	s->status = 0;
	s->out_eof = drain(s->out, &s->output, s->most);
	s->err_eof = drain(s->err, &s->errors, ERRORS_MOST);
	if (s->out_eof && reap(s, WNOHANG))
		return true;
	/* The program waits for a full pipe, so the time that we were busy or
	 * stopped does not count. */
	if (s->output.len > before && now - s->stepped > BUSY)
		s->deadline += now - s->stepped;
	s->stepped = now;
	if (now < s->deadline)
		return false;
	s->status = SPAWN_TIMEOUT;
	kill(-s->pid, SIGKILL);
	kill(s->pid, SIGKILL);
	return reap(s, 0);
}

static void
spawn_wait(struct spawn *s, msec now)
{
	s->waits[0].fd = s->out_eof ? -1 : s->out;
	s->waits[0].at = !s->out_eof ? s->deadline : clock_sooner(s->deadline,
	    now + (s->err_eof ? CLOSED : CLOSING));
	s->waits[1].fd = s->err_eof ? -1 : s->err;
}

static void
spawn_due(void *context, msec now)
{
	struct spawn *s = context;
	loop_fn *fn = s->fn;
	void *user = s->context;

	if (!spawn_step(s, now))
		spawn_wait(s, now);
	if (fn != NULL)
		fn(user, now);
}

void
spawn_follow(struct spawn *s, struct loop *loop, loop_fn *fn, void *context)
{
	int i;

	s->fn = fn;
	s->context = context;
	for (i = 0; i < 2; i++) {
		loop_drop(&s->waits[i]);
		s->waits[i] = LOOP_WAIT(-1, spawn_due, s);
		if (loop != NULL && s->pid != 0)
			loop_add(loop, &s->waits[i]);
	}
	spawn_wait(s, clock_now());
}

void
spawn_finish(struct spawn *s)
{
	struct loop loop = LOOP_INIT;

	spawn_follow(s, &loop, NULL, NULL);
	while (s->pid != 0)
		loop_round(&loop, CLOCK_NEVER);
	loop_release(&loop);
}

int
spawn_run(struct spawn *s, const struct spawn_how *how)
{
	if (spawn_begin(s, how) == 0)
		spawn_finish(s);
	return s->status;
}

void
spawn_release(struct spawn *s)
{
	if (s->pid != 0) {
		kill(-s->pid, SIGKILL);
		kill(s->pid, SIGKILL);
		reap(s, 0);
	}
	buf_release(&s->output);
	buf_release(&s->errors);
	*s = (struct spawn)SPAWN_INIT;
}

int
spawn_replace(const char *const *argv)
{
	usual_state();
	execute(&(struct spawn_how){ .argv = argv });
	return -1;
}

pid_t
spawn_detached(const struct spawn_how *how, int in, int out)
{
	int report[2], error;
	pid_t pid, second;
	size_t i;

	if (pipe2(report, O_CLOEXEC) == -1)
		return -1;
	pid = fork();
	if (pid == 0) {
		second = how->child ? 0 : fork();
		if (second > 0)
			_exit(0);
		if (second == 0) {
			setsid();
			for (i = 0; i < how->kept; i++)
				fcntl(how->keep[i], F_SETFD, 0);
			child_state(false, in, out, out);
			execute(how);
		}
		_exit(write(report[1], &errno, sizeof(errno)) == -1 ? 126 :
		    127);
	}
	error = pid == -1 ? errno : 0;
	close(report[1]);
	/* exec closes the pipe, and a failure writes to it. */
	while (pid != -1 && read(report[0], &error, sizeof(error)) == -1 &&
	    errno == EINTR)
		continue;
	close(report[0]);
	if (pid != -1 && (!how->child || error != 0))
		await(pid, 0, NULL);
	errno = error;
	return error ? -1 : how->child ? pid : 0;
}

int
spawn_front(const char *const *argv, int in, int err)
{
	/* A stop reaches our whole process group. */
	static const struct { int signo; void (*action)(int); } ours[] = {
		{ SIGINT, SIG_IGN }, { SIGQUIT, SIG_IGN }, { SIGTSTP, SIG_DFL },
	};
	enum { OURS = sizeof(ours) / sizeof(ours[0]) };
	struct sigaction before[OURS];
	int status = 0, i;
	pid_t pid;

	for (i = 0; i < OURS; i++)
		sigaction(ours[i].signo, &(struct sigaction){
		    .sa_handler = ours[i].action }, &before[i]);
	pid = fork();
	if (pid == 0) {
		child_state(false, in, STDOUT_FILENO, err);
		become(&(struct spawn_how){ .argv = argv });
	}
	if (pid != -1)
		await(pid, 0, &status);
	for (i = 0; i < OURS; i++)
		sigaction(ours[i].signo, &before[i], NULL);
	return pid == -1 ? -1 : spawn_status(status);
}

int
spawn_gated(struct spawn_gated *s, const struct spawn_how *how, int in, int out)
{
	int gate[2];
	char open;

	if (pipe2(gate, O_CLOEXEC) == -1)
		return -1;
	s->pid = fork();
	if (s->pid == 0) {
		close(gate[1]);
		if (how->terminal && setsid() != -1)
			ioctl(out, TIOCSCTTY, 0);
		child_state(!how->terminal, in, out, out);
		if (read(gate[0], &open, 1) != 1)
			_exit(126);
		become(how);
	}
	file_close(gate[0]);
	s->gate = gate[1];
	if (s->pid == -1)
		file_close(gate[1]);
	else if (!how->terminal)        /* a leader could make no session */
		setpgid(s->pid, s->pid);
	return s->pid == -1 ? -1 : 0;
}

bool
spawn_gate(struct spawn_gated *s, bool opens)
{
	bool opened = opens && write(s->gate, "", 1) == 1;

	close(s->gate);
	s->gate = -1;
	if (!opens)
		await(s->pid, 0, NULL);
	return opened;
}

static bool
executable(const char *path)
{
	struct stat st;
	bool there = access(path, X_OK) == 0 && stat(path, &st) == 0;

	if (there && S_ISREG(st.st_mode))
		return true;
	if (there || file_missing(errno) || errno == EACCES)
		errno = ENOENT;
	return false;
}

char *
spawn_find(const char *program)
{
	const char *path = getenv("PATH"), *end;
	char *candidate;

	if (strchr(program, '/') != NULL)
		return executable(program) ? xrealpath(program) : NULL;
	path = path ? path : "/usr/bin:/bin";
	for (; *path != '\0'; path = end + (*end == ':')) {
		end = path + strcspn(path, ":");
		candidate = xasprintf("%.*s/%s", (int)(end - path), path,
		    program);
		if (*path == '/' && executable(candidate))
			return candidate;
		free(candidate);
		if (*path == '/' && errno != ENOENT)
			return NULL;
	}
	errno = ENOENT;
	return NULL;
}

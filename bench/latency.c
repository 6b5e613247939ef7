/*
 * latency signal|everywhere|screen|notice|marker|transcript FOLDER COUNT BATCH
 *     one|each COMMAND one|each COMMAND
 *
 * Measures the time from an event to the line that reports it.  Two sides,
 * ours and theirs, take turns: while one listens, the other is stopped.  A
 * side is a command for sh, run once for a batch of issues ("one") or once for
 * every issue ("each"), which finds them as "$@". Issues 1 to COUNT are ours,
 * the COUNT behind them theirs.
 *
 * The event of issue N is
 *
 *	signal    FOLDER/signal-complete-N is made and written; their file is
 *	          called a little differently, so that our side has no work
 *	          with it
 *	screen    the same, and both sides have their own issues
 *	notice    the same, in lines without a project
 *	marker    FOLDER/N, a pane's terminal, is written the marker to
 *	transcript  to FOLDER/N, what a client writes down, a line with the
 *	          marker is added
 *
 * Printed are microseconds, a line for each pair of issues: ours, theirs.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	SETTLING = 2500,        /* ms until both sides are idle */
	PAUSE = 30,             /* ms before an event, and behind it */
	PATIENCE = 10000,       /* ms until an event counts as missed */
	LINE = 1024,
	MANY = 1000000,
	TEXT = 64
};

/* A process that reports events. */
struct ear {
	pid_t  pid;
	int    fd;              /* -1: it has ended */
	char   line[LINE];
	size_t len;
};

static struct side {
	const char *who;
	char       *command;
	int         each;       /* an ear for every issue */
	struct ear *ears;
	int         n;
} sides[2] = { { .who = "our side" }, { .who = "their side" } };

/* A text with the issue in it. */
struct text {
	const char *before, *behind;
};

static const struct kind {
	const char *name;
	void      (*make)(const char *path);
	int         pause;              /* ms more before an event */
	struct text file[2];            /* each side's, in the folder */
	struct text expected[2];        /* how each side's line begins */
} *kind;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void
die(const char *what)
{
	fprintf(stderr, "latency: %s: %s\n", what, strerror(errno));
	exit(3);
}

static void
text_put(char out[TEXT], const struct text *t, int issue)
{
	snprintf(out, TEXT, "%s%d%s", t->before, issue, t->behind);
}

/* ---- events -------------------------------------------------------------- */

static void
write_to(const char *path, int flags, const char *text)
{
	int fd = open(path, flags, 0600);

	if (fd == -1 || write(fd, text, strlen(text)) == -1 || close(fd) == -1)
		die(path);
}

static void
make_signal(const char *path)
{
	write_to(path, O_WRONLY | O_CREAT | O_EXCL, "done\n");
}

static void
make_marker(const char *path)
{
	char text[64];

	snprintf(text, sizeof(text), "###TASK_COMPLETE_%s###\n",
	    strrchr(path, '/') + 1);
	write_to(path, O_WRONLY | O_NOCTTY, text);
}

static void
make_line(const char *path)
{
	const char *issue = strrchr(path, '/') + 1;
	char text[512], at[32];
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%S", gmtime(&t.tv_sec));
	snprintf(text, sizeof(text), "{\"type\":\"assistant\",\"timestamp\":"
	    "\"%s.%03ldZ\",\"message\":{\"role\":\"assistant\",\"content\":"
	    "[{\"type\":\"text\",\"text\":\"###TASK_COMPLETE_%s###\"}],"
	    "\"stop_reason\":\"end_turn\"}}\n", at, t.tv_nsec / 1000000, issue);
	write_to(path, O_WRONLY | O_APPEND, text);
}

static const struct kind kinds[] = {
	{ "signal", make_signal, 0,
	    { { "signal-complete-", "" }, { "signal-completed-", "" } },
	    { { "", " complete:" }, { "signal-completed-", "\n" } } },
	{ "everywhere", make_signal, 0,
	    { { "signal-complete-", "" }, { "signal-completed-", "" } },
	    { { "project/", " complete:" }, { "signal-completed-", "\n" } } },
	{ "screen", make_signal, 400,
	    { { "signal-complete-", "" }, { "signal-complete-", "" } },
	    { { "project/", " complete:" }, { "project/", " complete:" } } },
	{ "notice", make_signal, 400,
	    { { "signal-complete-", "" }, { "signal-complete-", "" } },
	    { { "", " complete:" }, { "", " complete:" } } },
	{ "marker", make_marker, 0, { { "", "" }, { "", "" } },
	    { { "", " complete:" }, { "###TASK_COMPLETE_", "###" } } },
	{ "transcript", make_line, 0, { { "", "" }, { "", "" } },
	    { { "", " complete:" }, { "###TASK_COMPLETE_", "###" } } },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* ---- who listens --------------------------------------------------------- */

static void
ear_run(char *command, int first, int count)
{
	char sh[] = "sh", option[] = "-c";
	char **argv = calloc((size_t)count + 5, sizeof(*argv));
	int i;

	memcpy(argv, (char *[]){ sh, option, command, sh }, 4 * sizeof(*argv));
	for (i = 0; i < count; i++)
		if (asprintf(&argv[4 + i], "%d", first + i) == -1)
			_exit(127);
	execvp(argv[0], argv);
	_exit(127);
}

static void
ear_open(struct ear *e, char *command, int first, int count)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) == -1 || (e->pid = fork()) == -1)
		die(command);
	if (e->pid == 0) {
		setpgid(0, 0);
		dup2(ends[1], STDOUT_FILENO);
		ear_run(command, first, count);
	}
	setpgid(e->pid, e->pid);
	close(ends[1]);
	e->fd = ends[0];
	e->len = 0;
}

static void
ear_close(struct ear *e)
{
	if (e->fd != -1)
		close(e->fd);
	kill(-e->pid, SIGTERM);
	kill(-e->pid, SIGCONT);
	waitpid(e->pid, NULL, 0);
}

static void
side_open(struct side *s, int first, int count)
{
	int i;

	s->n = s->each ? count : 1;
	s->ears = calloc((size_t)s->n, sizeof(*s->ears));
	for (i = 0; i < s->n; i++)
		ear_open(&s->ears[i], s->command, first + i,
		    s->each ? 1 : count);
}

static void
side_close(struct side *s)
{
	int i;

	for (i = 0; i < s->n; i++)
		ear_close(&s->ears[i]);
	free(s->ears);
	s->n = 0;
}

static void
side_kill(const struct side *s, int signo)
{
	int i;

	for (i = 0; i < s->n; i++)
		kill(-s->ears[i].pid, signo);
}

/* A listener that is left would listen for ever. */
static void
end_sides(void)
{
	side_kill(&sides[0], SIGKILL);
	side_kill(&sides[1], SIGKILL);
}

static void
stop(int signo)
{
	end_sides();
	_exit(128 + signo);
}

/* ---- hearing ------------------------------------------------------------- */

/* Reads whole lines; returns how many begin as expected for the issue. */
static int
ear_lines(struct ear *e, const char *expected)
{
	size_t want = strlen(expected), len;
	int found = 0;
	char *end;

	while ((end = memchr(e->line, '\n', e->len)) != NULL) {
		len = (size_t)(end + 1 - e->line);
		found += len >= want && memcmp(e->line, expected, want) == 0;
		e->len -= len;
		memmove(e->line, end + 1, e->len);
	}
	if (e->len == LINE)
		e->len = 0;
	return found;
}

static int
ear_read(struct ear *e, const char *expected)
{
	ssize_t n = read(e->fd, e->line + e->len, LINE - e->len);

	if (n <= 0) {
		close(e->fd);
		e->fd = -1;
		return 0;
	}
	e->len += (size_t)n;
	return ear_lines(e, expected);
}

/* Waits for a report of the issue; returns its time, or 0 if none came. */
static double
listen_until(struct side *s, const struct text *line, int issue, double until)
{
	struct pollfd *fds = calloc((size_t)s->n, sizeof(*fds));
	char expected[TEXT];
	double at = now(), heard = 0;
	int i;

	text_put(expected, line, issue);
	while (heard == 0 && at < until) {
		for (i = 0; i < s->n; i++)
			fds[i] = (struct pollfd){ .fd = s->ears[i].fd,
			    .events = POLLIN };
		poll(fds, (nfds_t)s->n, (int)((until - at) / 1e3) + 1);
		at = now();
		for (i = 0; i < s->n; i++)
			if (fds[i].revents != 0 &&
			    ear_read(&s->ears[i], expected))
				heard = at;
	}
	free(fds);
	return heard;
}

static void
pass(struct side *s, double ms)
{
	listen_until(s, &(struct text){ "no issue ", "" }, 0,
	    now() + ms * 1e3);
}

/* ---- a batch ------------------------------------------------------------- */

static double
sample(int which, const char *folder, int issue)
{
	struct side *s = &sides[which];
	char path[4096], name[TEXT];
	double begin, heard;

	text_put(name, &kind->file[which], issue);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	begin = now();
	kind->make(path);
	heard = listen_until(s, &kind->expected[which], issue,
	    begin + PATIENCE * 1e3);
	if (heard == 0) {
		fprintf(stderr, "latency: %s did not hear of %s %d\n", s->who,
		    kind->name, issue);
		exit(3);
	}
	return heard - begin;
}

/* The turns of the two sides, each with an issue of its own. */
static void
take_turns(const char *folder, int issue, int apart)
{
	double took[2];
	int k;

	for (k = 0; k < 2; k++) {
		side_kill(&sides[k], SIGCONT);
		/* Not in step with the clock of either side. */
		pass(&sides[k], kind->pause + PAUSE + rand() % 10);
		took[k] = sample(k, folder, issue + k * apart);
		pass(&sides[k], PAUSE);
		side_kill(&sides[k], SIGSTOP);
	}
	printf("%.1f %.1f\n", took[0], took[1]);
}

static void
batch(const char *folder, int first, int size, int apart)
{
	int i, k;

	for (k = 0; k < 2; k++)
		side_open(&sides[k], first + k * apart, size);
	pass(&sides[0], SETTLING);
	for (k = 0; k < 2; k++)
		side_kill(&sides[k], SIGSTOP);
	for (i = 0; i < size; i++)
		take_turns(folder, first + i, apart);
	for (k = 0; k < 2; k++)
		side_close(&sides[k]);
}

/* A number of issues; 0 if it is not a number. */
static int
number(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	return end != text && *end == '\0' && n > 0 && n <= MANY ? (int)n : 0;
}

int
main(int argc, char **argv)
{
	int i, count = 0, size = 0;

	for (i = 0; argc == 9 && i < KINDS; i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			kind = &kinds[i];
	if (kind != NULL) {
		count = number(argv[3]);
		size = number(argv[4]);
	}
	if (count == 0 || size == 0) {
		fprintf(stderr, "usage: latency signal|everywhere|screen|"
		    "notice|marker|transcript FOLDER COUNT BATCH one|each COMMAND "
		    "one|each COMMAND\n");
		return 2;
	}
	atexit(end_sides);
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	signal(SIGHUP, stop);
	for (i = 0; i < 2; i++) {
		sides[i].each = strcmp(argv[5 + 2 * i], "each") == 0;
		sides[i].command = argv[6 + 2 * i];
	}
	for (i = 1; i <= count; i += size)
		batch(argv[2], i, count - i < size ? count - i + 1 : size,
		    count);
	return fflush(stdout) == EOF;
}

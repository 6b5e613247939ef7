#include "os/spawn.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/proc.h"
#include "scratch.h"

enum { LONG = 10000, SHORT = 150 };     /* limits, in milliseconds */

/* What is run, until the next is. */
static struct spawn s = SPAWN_INIT;

static void
run_how(const struct spawn_how *how)
{
	ok(spawn_begin(&s, how) == 0);
	spawn_finish(&s);
	is_number(s.pid, 0);
}

static void
run(const char *line, msec limit)
{
	const char *argv[] = { "sh", "-c", line, NULL };
	const struct spawn_how how = { .argv = argv, .limit = limit };

	run_how(&how);
}

#define is_output(want) is_text(buf_str(&s.output), (want))
#define is_errors(want) is_text(buf_str(&s.errors), (want))

/* Runs it; how many milliseconds that took. */
static long
time_of(const char *line, msec limit)
{
	msec begin = clock_now();

	run(line, limit);
	return (long)(clock_now() - begin);
}

/* Runs it until it has printed something, and then to its limit. */
static void
run_to_limit(const char *line)
{
	const char *argv[] = { "sh", "-c", line, NULL };
	const struct spawn_how how = { .argv = argv, .limit = LONG };
	struct pollfd p = { .events = POLLIN };

	ok(spawn_begin(&s, &how) == 0);
	p.fd = s.out;
	ok(poll(&p, 1, LONG) == 1);
	ok(!spawn_step(&s, s.deadline - 1));
	ok(spawn_step(&s, s.deadline));
	is_number(s.pid, 0);
}

/* The process whose id a file begins with; 0: none. */
static pid_t
pid_in(const char *name)
{
	const char *text = scratch_text(name);
	long pid = text ? strtol(text, NULL, 10) : 0;

	return pid > 0 && pid < INT_MAX ? (pid_t)pid : 0;
}

/* The process whose id is in a file ends soon. */
static bool
ends_soon(const char *name)
{
	pid_t pid = pid_in(name);
	int i;

	ok(pid > 1);
	for (i = 0; i < 200 && proc_alive(pid, 0); i++)
		poll(NULL, 0, 5);
	return !proc_alive(pid, 0);
}

TEST(output_messages_and_status_are_collected) {
	run("echo out; echo err >&2; exit 7", LONG);
	is_number(s.status, 7);
	is_output("out\n");
	is_errors("err");
	run(":", LONG);
	is_number(s.status, 0);
	is_output("");
	is_errors("");
}

TEST(output_may_hold_any_byte) {
	run("printf 'a\\0b\\377'", LONG);
	is_number(s.output.len, 4);
	ok(memcmp(s.output.data, "a\0b\377", 4) == 0);
}

TEST(it_leads_a_process_group_unless_it_stays_in_ours) {
	const char *argv[] = { "sh", "-c", "exec ps -o pgid= -p $$", NULL };
	struct spawn_how how = { .argv = argv, .limit = LONG };

	run_how(&how);
	ok(strtol(buf_str(&s.output), NULL, 10) != getpgrp());
	how.stays = true;
	run_how(&how);
	is_number(strtol(buf_str(&s.output), NULL, 10), getpgrp());
}

TEST(words_are_passed_as_they_are) {
	const char *argv[] = { "printf", "%s|", "", "a b", "$HOME", "'\"\n;",
		"\xff", NULL };
	const struct spawn_how how = { .argv = argv, .limit = LONG };

	run_how(&how);
	is_output("|a b|$HOME|'\"\n;|\xff|");
}

TEST(death_by_a_signal_is_told) {
	run("kill -TERM $$", LONG);
	is_number(s.status, SPAWN_SIGNAL + SIGTERM);
	run("kill -KILL $$", LONG);
	is_number(s.status, SPAWN_SIGNAL + SIGKILL);
}

TEST(what_cannot_be_run_is_127_with_the_reason) {
	const char *argv[] = { "/nowhere/program", NULL };
	const struct spawn_how how = { .argv = argv, .limit = LONG };

	run_how(&how);
	is_number(s.status, 127);
	is_errors("cannot run '/nowhere/program': No such file or directory");
	argv[0] = scratch_path("not-executable");
	scratch_write("not-executable", "x");
	run_how(&how);
	is_number(s.status, 127);
	ok(strstr(buf_str(&s.errors), "Permission denied") != NULL);
}

TEST(it_runs_in_the_folder_it_is_given) {
	const char *argv[] = { "pwd", NULL };
	struct spawn_how how = { .argv = argv, .cwd = scratch, .limit = LONG };
	char *want = xasprintf("%s\n", scratch);

	run_how(&how);
	is_output(want);
	free(want);
	how.cwd = "/nowhere";
	run_how(&how);
	is_number(s.status, 127);
	is_errors("cannot enter '/nowhere': No such file or directory");
}

TEST(it_gets_the_environment_it_is_given) {
	const char *argv[] = { "env", NULL };
	const char *env[] = { "PATH=/usr/bin:/bin", "ONLY=this", NULL };
	const struct spawn_how how = { .argv = argv, .env = env,
	    .limit = LONG };

	run_how(&how);
	is_output("PATH=/usr/bin:/bin\nONLY=this\n");
	setenv("PANEWARD_TEST", "ours", 1);
	run("echo $PANEWARD_TEST", LONG);
	is_output("ours\n");
}

TEST(its_input_is_empty) {
	run("cat; echo end", LONG);
	is_output("end\n");
}

static int
tell(void *context)
{
	return dprintf(STDOUT_FILENO, "%s", (const char *)context) > 0 ? 7 : 0;
}

TEST(a_function_is_called_in_a_process_of_its_own) {
	char text[] = "said";

	run_how(&(struct spawn_how){ .call = tell, .context = text,
	    .limit = LONG });
	is_number(s.status, 7);
	is_output("said");
	is_errors("");
}

/* Descriptors that the caller of the tests left open do not count. */
static void
close_inherited(void)
{
	int fd;

	for (fd = 3; fd < 1024; fd++)
		if (fd != scratch_fd)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static void
list_descriptors(void)
{
	close_inherited();
	run("exec ls /proc/self/fd", LONG);
	is_output("0\n1\n2\n3\n");              /* 3 is ls's own */
}

TEST(it_gets_three_descriptors_and_no_more) {
	if (access("/proc/self/fd", X_OK) == 0)
		scratch_apart(list_descriptors);
}

TEST(signals_mean_the_default_in_it) {
	sigset_t set;

	signal(SIGTERM, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	run("kill -TERM $$; exit 1", LONG);
	is_number(s.status, SPAWN_SIGNAL + SIGTERM);
	run("kill -PIPE $$; exit 1", LONG);
	is_number(s.status, SPAWN_SIGNAL + SIGPIPE);
	run("kill -INT $$; exit 1", LONG);
	is_number(s.status, SPAWN_SIGNAL + SIGINT);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
}

TEST(output_is_kept_up_to_the_most) {
	const char *argv[] = { "sh", "-c",
		"i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234"
		"56789012345678; i=$((i+1)); done; exit 3", NULL };
	struct spawn_how how = { .argv = argv, .limit = LONG, .most = 1000 };

	run_how(&how);
	is_number(s.status, 3);
	is_number(s.output.len, 1000);
	how.most = 0;
	run_how(&how);
	is_number(s.output.len, 120000);
}

TEST(many_messages_do_not_stop_it) {
	run("head -c 300000 /dev/zero | tr '\\0' x >&2; echo end", 3000);
	is_number(s.status, 0);
	is_output("end\n");
	ok(s.errors.len > 0 && s.errors.len <= 65536);
}

TEST(it_gets_the_file_limit_that_we_had) {
	struct rlimit limit;

	ok(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = 200;
	ok(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	ok(spawn_raise_files() > 200);
	ok(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	ok(limit.rlim_cur == limit.rlim_max);
	run("ulimit -n", LONG);
	is_output("200\n");
}

TEST(at_its_limit_it_is_killed) {
	run_to_limit("trap '' TERM; echo begin; sleep 30; echo end");
	is_number(s.status, SPAWN_TIMEOUT);
	is_output("begin\n");
}

TEST(at_its_limit_its_children_are_killed_too) {
	char *line = xasprintf("sleep 30 & echo $! >%s; echo; sleep 30",
	    scratch_path("child"));

	run_to_limit(line);
	is_number(s.status, SPAWN_TIMEOUT);
	ok(ends_soon("child"));
	free(line);
}

TEST(who_closes_its_output_and_goes_on_is_killed_at_its_limit) {
	ok(time_of("exec >&- 2>&-; sleep 3", SHORT) < 2000);
	is_number(s.status, SPAWN_TIMEOUT);
}

/* Nor if its output was not read. */
TEST(the_time_in_which_it_waits_for_us_does_not_count) {
	char *line = xasprintf("echo begin; until test -e %s; do sleep 0.02; "
	    "done; echo end", scratch_path("go"));
	const char *argv[] = { "sh", "-c", line, NULL };
	const struct spawn_how how = { .argv = argv, .limit = LONG };
	struct pollfd p = { .events = POLLIN };

	ok(spawn_begin(&s, &how) == 0);
	p.fd = s.out;
	ok(poll(&p, 1, LONG) == 1);
	ok(!spawn_step(&s, s.deadline + LONG));
	scratch_write("go", "");
	spawn_finish(&s);
	is_number(s.status, 0);
	is_output("begin\nend\n");
	free(line);
}

/* The loop must not wait for another process's output for ever. */
TEST(a_child_that_keeps_the_output_open_ends_at_the_limit) {
	char *line = xasprintf("sleep 30 & echo $! >%s; echo; exit 0",
	    scratch_path("child"));

	run_to_limit(line);
	ok(ends_soon("child"));
	free(line);
}

TEST(endless_output_ends_at_the_limit) {
	const char *argv[] = { "yes", NULL };
	const struct spawn_how how = { .argv = argv, .limit = SHORT,
	    .most = 4096 };
	msec begin = clock_now();

	run_how(&how);
	is_number(s.status, SPAWN_TIMEOUT);
	is_number(s.output.len, 4096);
	ok(clock_now() - begin < 2000);
}

static long
cpu_time(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return (long)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000 +
	    (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1000;
}

TEST(waiting_costs_nothing_whatever_is_closed) {
	static const char *const lines[] = {
		"sleep .1", "exec >&-; sleep .1", "exec 2>&-; sleep .1",
		"exec >&- 2>&-; sleep .1",
	};
	size_t i;
	long begin;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		begin = cpu_time();
		run(lines[i], LONG);
		is_number(s.status, 0);
		ok(cpu_time() - begin < 60);
	}
}

/* tmux closes its output, and ends a little later. */
TEST(an_end_behind_closed_output_is_seen_at_once) {
	const char *argv[] = { "sh", "-c", "exec >&-; sleep .1", NULL };
	const struct spawn_how how = { .argv = argv, .limit = LONG };
	struct loop loop = LOOP_INIT;

	ok(spawn_begin(&s, &how) == 0);
	spawn_follow(&s, &loop, NULL, NULL);
	is_number(loop.n, 2);
	ok(loop_round(&loop, CLOCK_NEVER) == 0);
	ok(s.out_eof && s.waits[0].fd == -1 && s.waits[1].fd == s.err);
	while (!s.err_eof && s.pid != 0)
		loop_round(&loop, CLOCK_NEVER);
	ok(s.pid == 0 || s.waits[0].at == s.stepped + 1);
	while (s.pid != 0)
		loop_round(&loop, CLOCK_NEVER);
	is_number(s.status, 0);
	loop_release(&loop);
}

TEST(a_step_does_not_wait) {
	const char *argv[] = { "sleep", "30", NULL };
	const struct spawn_how how = { .argv = argv, .limit = LONG };
	msec begin = clock_now();

	ok(spawn_begin(&s, &how) == 0);
	ok(!spawn_step(&s, begin));
	ok(!spawn_step(&s, s.deadline - 1));
	ok(spawn_step(&s, s.deadline));
	is_number(s.status, SPAWN_TIMEOUT);
	ok(spawn_step(&s, begin));
	ok(clock_now() - begin < 2000);
}

TEST(releasing_kills_what_runs) {
	char *line = xasprintf("sleep 30 & echo $! >%s; echo; wait",
	    scratch_path("child"));
	const char *argv[] = { "sh", "-c", line, NULL };
	const struct spawn_how how = { .argv = argv, .limit = LONG };
	struct pollfd p = { .events = POLLIN };
	pid_t pid;

	ok(spawn_begin(&s, &how) == 0);
	pid = s.pid;
	p.fd = s.out;
	ok(poll(&p, 1, LONG) == 1);
	spawn_release(&s);
	ok(!proc_alive(pid, 0));
	ok(ends_soon("child"));
	ok(s.out == -1 && s.err == -1 && s.output.data == NULL);
	spawn_release(&s);
	free(line);
}

static void
without_descriptors_nothing_is_run(void)
{
	const char *argv[] = { "true", NULL };
	const struct spawn_how how = { .argv = argv, .limit = LONG };
	struct rlimit limit = { 3, 3 };

	ok(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	ok(spawn_begin(&s, &how) == -1 && errno == EMFILE);
	is_number(s.pid, 0);
	ok(spawn_step(&s, 0));
}

TEST(a_failure_to_begin_is_told_and_leaves_nothing) {
	scratch_apart(without_descriptors_nothing_is_run);
}

/* ---- detached ---------------------------------------------------------- */

static int
open_log(void)
{
	return open(scratch_path("log"), O_WRONLY | O_CREAT | O_APPEND |
	    O_CLOEXEC, 0600);
}

/* Is it written soon? */
static bool
appears(const char *name, const char *want)
{
	const char *text;
	int i;

	for (i = 0; i < 400; i++, poll(NULL, 0, 5))
		if ((text = scratch_text(name)) != NULL &&
		    strstr(text, want) != NULL)
			return true;
	return false;
}

static int
detach(const char *const *argv, const char *cwd, int log)
{
	return spawn_detached(&(struct spawn_how){ .argv = argv, .cwd = cwd },
	    -1, log);
}

static void
detach_one(void)
{
	const char *argv[] = { "sh", "-c",
		"cat; echo out; echo err >&2; sleep .05; echo end", NULL };
	int log = open_log();

	ok(detach(argv, "/", log) == 0);
}

TEST(a_detached_process_lives_on_and_writes_into_the_log) {
	scratch_write("log", "before\n");
	scratch_apart(detach_one);
	ok(appears("log", "end\n"));
	is_text(scratch_text("log"), "before\nout\nerr\nend\n");
}

TEST(a_detached_process_has_a_session_of_its_own_and_is_nobodys_child) {
	const char *argv[] = { "sh", "-c", "echo $$ >&2; exec sleep 5", NULL };
	struct proc p = { .pid = 0 };
	int log;
	pid_t pid;

	scratch_write("log", "");
	log = open_log();
	ok(detach(argv, "/", log) == 0);
	close(log);
	ok(appears("log", "\n"));
	pid = pid_in("log");
	ok(pid > 1);
	is_number(getsid(pid), pid);
	ok(proc_read(&p, pid) == 0 && p.parent != getpid() &&
	    p.foreground == -1);
	errno = 0;
	ok(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	if (pid > 1)
		kill(pid, SIGKILL);
}

static void
list_detached_descriptors(void)
{
	const char *argv[] = { "sh", "-c", "ls /proc/self/fd; echo end", NULL };
	int log;

	scratch_write("log", "");
	log = open_log();
	close_inherited();
	ok(detach(argv, "/", log) == 0);
	ok(appears("log", "end\n"));
	is_text(scratch_text("log"), "0\n1\n2\n3\nend\n");
}

TEST(a_detached_process_gets_three_descriptors_and_no_more) {
	if (access("/proc/self/fd", X_OK) == 0)
		scratch_apart(list_detached_descriptors);
}

TEST(a_detached_process_runs_in_the_folder_it_is_given) {
	const char *argv[] = { "sh", "-c", "pwd; echo end", NULL };
	char *want = xasprintf("%s\nend\n", scratch);
	int log;

	scratch_write("log", "");
	log = open_log();
	ok(detach(argv, scratch, log) == 0);
	ok(appears("log", "end\n"));
	is_text(scratch_text("log"), want);
	errno = 0;
	ok(detach(argv, "/nowhere", log) == -1 && errno == ENOENT);
	close(log);
	free(want);
}

TEST(what_cannot_be_detached_is_told) {
	const char *argv[] = { "/nowhere/program", NULL };
	int log = open_log();

	errno = 0;
	ok(detach(argv, "/", log) == -1 && errno == ENOENT);
	argv[0] = scratch_path("not-executable");
	scratch_write("not-executable", "x");
	ok(detach(argv, "/", log) == -1 && errno == EACCES);
	close(log);
	errno = 0;
	ok(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

/* ---- finding ----------------------------------------------------------- */

static void
finds(const char *program, const char *want)
{
	char *found;

	errno = 0;
	found = spawn_find(program);
	is_text(found, want);
	ok(found != NULL || errno == ENOENT);
	free(found);
}

static void
make_program(const char *name, mode_t mode)
{
	scratch_write(name, "#!/bin/sh\n");
	ok(chmod(scratch_path(name), mode) == 0);
}

TEST(a_program_is_found_as_path_says) {
	char *path = xasprintf("%s/none::relative:%s/a:%s/b", scratch, scratch,
	    scratch), *saved = xstrdup(getenv("PATH"));

	make_program("a/text", 0600);
	make_program("b/text", 0700);
	make_program("a/tool", 0700);
	make_program("b/tool", 0700);
	scratch_folder("a/folder");
	setenv("PATH", path, 1);
	finds("tool", scratch_path("a/tool"));
	finds("text", scratch_path("b/text"));
	finds("folder", NULL);
	finds("none", NULL);
	finds("", NULL);
	setenv("PATH", "", 1);
	finds("tool", NULL);
	unsetenv("PATH");
	finds("no-such-program", NULL);
	setenv("PATH", saved, 1);
	free(saved);
	free(path);
}

TEST(a_path_is_found_where_it_leads) {
	ok(symlink("a/tool", scratch_path("link")) == 0);
	finds(scratch_path("link"), scratch_path("a/tool"));
	finds(scratch_path("b/../a/tool"), scratch_path("a/tool"));
	finds(scratch_path("none"), NULL);
	finds(scratch_path("a/folder"), NULL);
	finds(scratch_path("a/text"), NULL);
}

TEST(it_does_not_get_the_variables_it_goes_without) {
	const char *argv[] = { "sh", "-c", "echo \"${ONE-no} ${TWO-no}\"",
	    NULL };
	const char *without[] = { "ONE", "NEVER_SET", NULL };
	const struct spawn_how how = { .argv = argv, .without = without,
	    .limit = LONG };

	setenv("ONE", "1", 1);
	setenv("TWO", "2", 1);
	run_how(&how);
	is_output("no 2\n");
	is_text(getenv("ONE"), "1");
}

TEST(it_gets_the_variables_it_goes_with) {
	const char *argv[] = { "sh", "-c", "echo \"${ONE-no} ${TWO-no}\"",
	    NULL };
	const char *without[] = { "ONE", NULL };
	const char *with[] = { "ONE=other", "TWO=", NULL };
	const struct spawn_how how = { .argv = argv, .without = without,
	    .with = with, .limit = LONG };

	setenv("ONE", "1", 1);
	setenv("TWO", "2", 1);
	run_how(&how);
	is_output("other \n");
	is_text(getenv("ONE"), "1");
}

/* ---- instead of us ----------------------------------------------------- */

TEST(a_program_takes_our_place) {
	const char *const argv[] = { "sh", "-c", "kill -PIPE $$; exit 7",
	    NULL };
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGPIPE, SIG_IGN);
		spawn_replace(argv);
		_exit(1);
	}
	ok(waitpid(pid, &status, 0) == pid);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
}

TEST(a_program_in_front_reads_what_it_is_given) {
	int ends[2];

	ok(pipe(ends) == 0);
	ok(write(ends[1], "34\n", 3) == 3);
	close(ends[1]);
	is_number(spawn_front(WORDS("sh", "-c", "read n; exit $n"), ends[0],
	    STDERR_FILENO), 34);
	close(ends[0]);
	is_number(spawn_front(WORDS("/nowhere/at-all"), STDIN_FILENO,
	    STDERR_FILENO), 127);
}

/* Ctrl-C is sent to it and to us. */
TEST(what_interrupts_a_program_in_front_does_not_interrupt_us) {
	struct sigaction after;

	/* It may be ignored where the test began. */
	signal(SIGINT, SIG_DFL);
	is_number(spawn_front(WORDS("sh", "-c", "kill -s INT $PPID; exit 5"),
	    STDIN_FILENO, STDERR_FILENO), 5);
	sigaction(SIGINT, NULL, &after);
	ok(after.sa_handler == SIG_DFL);
}

AFTER_TESTS {
	spawn_release(&s);
}

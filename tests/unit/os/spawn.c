#include "os/spawn.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <time.h>

#include "os/file.h"
#include "os/proc.h"
#include "unit/children.h"

enum { LONG = 10000, SHORT = 150 };     /* limits, in milliseconds */

/* What is run, until the next is. */
static struct spawn s = SPAWN_INIT;

static void
ends(int status, const char *out, const char *err, struct spawn_how how)
{
	ROW("%s", how.argv ? how.argv[argv_count((char *const *)
	    (uintptr_t)how.argv) - 1] : "a function");
	how.limit = how.limit ? how.limit : LONG;
	ok(spawn_begin(&s, &how) == 0);
	spawn_finish(&s);
	ok(s.pid == 0 && s.status == status);
	if (out != NULL)
		is_text(buf_str(&s.output), out);
	if (err != NULL)
		is_text(buf_str(&s.errors), err);
}

/* It ends with this status, output and messages; NULL: any. */
#define ENDS(status, out, err, ...) \
	ends((status), (out), (err), (struct spawn_how){ __VA_ARGS__ })
#define SH(line) .argv = WORDS("sh", "-c", (line))

/* Begins it in the scratch folder, and waits until it has printed something. */
static void
begin(const char *line)
{
	struct spawn_how how = { SH(line), .cwd = scratch, .limit = LONG };

	ROW("%s", line);
	ok(spawn_begin(&s, &how) == 0 && readable(s.out, LONG));
}

/* The process whose id a file begins with. */
static pid_t
pid_in(const char *name)
{
	long pid = strtol(scratch_text(name), NULL, 10);

	ok(pid > 1 && pid < INT_MAX);
	return pid > 1 && pid < INT_MAX ? (pid_t)pid : INT_MAX;
}

/* The process whose id is in the file child ends soon. */
static void
child_ends(void)
{
	pid_t pid = pid_in("child");
	int i;

	for (i = 0; i < 2000 && proc_alive(pid, 0); i++)
		poll(NULL, 0, 5);
	ok(!proc_alive(pid, 0));
}

static int
tell(void *context)
{
	return dprintf(STDOUT_FILENO, "%s", (const char *)context) > 0 ? 7 : 0;
}

/* So is a function called, in a process of its own. */
TEST(words_output_messages_and_status_are_passed_as_they_are) {
	ENDS(7, "said", "", .call = tell, .context = (char[]){ "said" });
	ENDS(7, "out\n", "err", SH("echo out; echo err >&2; exit 7"));
	ENDS(0, "end\n", "", SH("cat; echo end"));
	ENDS(SPAWN_SIGNAL + SIGKILL, "", "", SH("kill -KILL $$"));
	ENDS(0, "|a b|$HOME|'\"\n;|\xff|", "", .argv = WORDS("printf", "%s|",
	    "", "a b", "$HOME", "'\"\n;", "\xff"));
	ENDS(0, NULL, "", SH("printf 'a\\0b\\377'"));
	ok(s.output.len == 4 && memcmp(s.output.data, "a\0b\377", 4) == 0);
}

TEST(it_leads_a_process_group_unless_it_stays_in_ours) {
	ENDS(0, NULL, "", SH("exec ps -o pgid= -p $$"));
	ok(strtol(buf_str(&s.output), NULL, 10) != getpgrp());
	ENDS(0, NULL, "", SH("exec ps -o pgid= -p $$"), .stays = true);
	is_number(strtol(buf_str(&s.output), NULL, 10), getpgrp());
}

TEST(what_cannot_be_run_is_127_with_the_reason) {
	scratch_write("not-executable", "x");
	ENDS(127, "", NULL, .argv = WORDS(scratch_path("not-executable")));
	contains(buf_str(&s.errors), "Permission denied");
}

TEST(it_gets_the_folder_and_the_environment_it_is_given) {
	static const char line[] = "echo \"${ONE-no} ${TWO-no}\"";
	char *folder = xasprintf("%s\n", scratch);

	ENDS(0, folder, "", SH("pwd"), .cwd = scratch);
	ENDS(127, "", "cannot enter '/nowhere': No such file or directory",
	    SH("pwd"), .cwd = "/nowhere");
	free(folder);
	ENDS(0, "PATH=/usr/bin:/bin\nONLY=this\n", "", .argv = WORDS("env"),
	    .env = WORDS("PATH=/usr/bin:/bin", "ONLY=this"));
	setenv("ONE", "1", 1);
	setenv("TWO", "2", 1);
	ENDS(0, "1 2\n", "", SH(line));
	ENDS(0, "no 2\n", "", SH(line), .without = WORDS("ONE", "NEVER_SET"));
	ENDS(0, "other \n", "", SH(line), .without = WORDS("ONE"),
	    .with = WORDS("ONE=other", "TWO="));
	is_text(getenv("ONE"), "1");
}

/* Descriptors of the caller of the tests do not count. */
static void
close_inherited(void)
{
	int fd;

	for (fd = 3; fd < 1024; fd++)
		if (fd != scratch_fd)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Where the system has no such folder, it is as it should be. */
#define DESCRIPTORS "ls /proc/self/fd 2>/dev/null || printf '0\\n1\\n2\\n3\\n'"
#define THREE "0\n1\n2\n3\n"            /* 3 is ls's own */

static void
list_descriptors(void)
{
	close_inherited();
	ENDS(0, THREE, "", SH(DESCRIPTORS));
}

TEST(it_gets_three_descriptors_and_no_more) {
	scratch_apart(list_descriptors);
}

TEST(signals_mean_the_default_in_it) {
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	ENDS(SPAWN_SIGNAL + SIGPIPE, "", "", SH("kill -PIPE $$; exit 1"));
	ENDS(SPAWN_SIGNAL + SIGINT, "", "", SH("kill -INT $$; exit 1"));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	signal(SIGPIPE, SIG_DFL);
}

TEST(output_is_kept_up_to_the_most_and_does_not_stop_it) {
	static const char line[] = "i=0; while [ $i -lt 3000 ]; do echo "
	    "012345678901234567890123456789012345678; i=$((i+1)); done; exit 3";

	ENDS(3, NULL, "", SH(line), .most = 1000);
	is_number(s.output.len, 1000);
	ENDS(3, NULL, "", SH(line));
	is_number(s.output.len, 120000);
	ENDS(0, "end\n", NULL, SH("head -c 300000 /dev/zero | tr '\\0' x >&2; "
	    "echo end"), .limit = 3000);
	ok(s.errors.len > 0 && s.errors.len <= 65536);
}

TEST(it_gets_the_file_limit_that_we_had) {
	struct rlimit limit;

	ok(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = 200;
	ok(setrlimit(RLIMIT_NOFILE, &limit) == 0 && spawn_raise_files() > 200);
	ok(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	ok(limit.rlim_cur == limit.rlim_max);
	ENDS(0, "200\n", "", SH("ulimit -n"));
}

/* Also a child that only keeps the output open, behind which the loop waits. */
TEST(at_its_limit_it_is_killed_with_its_children) {
	static const char *const lines[] = {
		"sleep 30 & echo $! >child; trap '' TERM; echo begin; sleep 30",
		"sleep 30 & echo $! >child; echo begin; exit 0",
	};
	size_t i;

	for (i = 0; i < 2; i++) {
		begin(lines[i]);
		ok(!spawn_step(&s, s.deadline - 1));
		ok(spawn_step(&s, s.deadline) && s.pid == 0);
		ok(spawn_step(&s, s.deadline - 1));
		ok(i == 1 || s.status == SPAWN_TIMEOUT);
		is_text(buf_str(&s.output), "begin\n");
		child_ends();
	}
}

TEST(who_closes_its_output_or_never_ends_it_is_killed_at_its_limit) {
	ENDS(SPAWN_TIMEOUT, "", "", SH("exec >&- 2>&-; sleep 1000"),
	    .limit = SHORT);
	ENDS(SPAWN_TIMEOUT, NULL, "", .argv = WORDS("yes"), .limit = SHORT,
	    .most = 4096);
	is_number(s.output.len, 4096);
}

/* Nor if its output was not read. */
TEST(the_time_in_which_it_waits_for_us_does_not_count) {
	begin("echo begin; until test -e go; do sleep 0.02; done; echo end");
	ok(!spawn_step(&s, s.deadline + LONG));
	scratch_write("go", "");
	spawn_finish(&s);
	is_number(s.status, 0);
	is_text(buf_str(&s.output), "begin\nend\n");
}

TEST(waiting_costs_nothing_whatever_is_closed) {
	static const char *const lines[] = {
		"exec >&-; sleep .1", "exec 2>&-; sleep .1",
		"exec >&- 2>&-; sleep .1",
	};
	clock_t begun;
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		begun = clock();
		ENDS(0, "", "", SH(lines[i]));
		ok(clock() - begun < CLOCKS_PER_SEC * 60 / 1000);
	}
}

/* tmux closes its output, and ends a little later. */
TEST(an_end_behind_closed_output_is_seen_at_once) {
	struct spawn_how how = { SH("exec >&-; sleep .1"), .limit = LONG };
	struct loop loop = LOOP_INIT;

	ok(spawn_begin(&s, &how) == 0);
	spawn_follow(&s, &loop, NULL, NULL);
	ok(loop.n == 2 && loop_round(&loop, CLOCK_NEVER) == 0);
	ok(s.out_eof && s.waits[0].fd == -1 && s.waits[1].fd == s.err);
	while (!s.err_eof && s.pid != 0)
		loop_round(&loop, CLOCK_NEVER);
	ok(s.pid == 0 || s.waits[0].at == s.stepped + 1);
	while (s.pid != 0)
		loop_round(&loop, CLOCK_NEVER);
	is_number(s.status, 0);
	loop_release(&loop);
}

TEST(releasing_kills_what_runs) {
	pid_t pid;

	begin("sleep 30 & echo $! >child; echo; wait");
	pid = s.pid;
	spawn_release(&s);
	ok(!proc_alive(pid, 0) && s.output.data == NULL);
	child_ends();
	spawn_release(&s);
}

static void
without_descriptors_nothing_is_run(void)
{
	struct spawn_how how = { SH(":"), .limit = LONG };
	struct rlimit limit = { 3, 3 };

	ok(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	ok(spawn_begin(&s, &how) == -1 && errno == EMFILE);
	ok(s.pid == 0 && spawn_step(&s, 0));
}

TEST(a_failure_to_begin_is_told_and_leaves_nothing) {
	scratch_apart(without_descriptors_nothing_is_run);
}

/* Its output is added to the file log. */
static int
detach(const char *const *argv, const char *cwd)
{
	struct spawn_how how = { .argv = argv, .cwd = cwd };
	int log = open(scratch_path("log"), O_WRONLY | O_CREAT | O_APPEND |
	    O_CLOEXEC, 0600), result = spawn_detached(&how, -1, log);

	file_close(log);
	return result;
}

/* The log has this soon. */
static void
log_gets(const char *want)
{
	int i;

	for (i = 0; i < 2000 && !strstr(scratch_text("log"), want); i++)
		poll(NULL, 0, 5);
	contains(scratch_text("log"), want);
}

static void
detach_one(void)
{
	close_inherited();
	ok(detach(WORDS("sh", "-c", "echo $$; cat; echo err >&2; pwd; "
	    DESCRIPTORS "; echo end; exec sleep 50"), scratch) == 0);
	ok(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

TEST(a_detached_process_lives_on_has_a_session_and_is_nobodys_child) {
	char *want = xasprintf("\nerr\n%s\n" THREE "end\n", scratch);
	struct proc p = { .pid = 0 };
	pid_t pid;

	scratch_write("log", "");
	scratch_apart(detach_one);
	log_gets(want);
	free(want);
	pid = pid_in("log");
	ok(getsid(pid) == pid);
	ok(proc_read(&p, pid) == 0 && p.foreground == -1);
	kill(pid, SIGKILL);
}

TEST(what_cannot_be_detached_is_told) {
	ok(detach(WORDS("/nowhere/program"), "/") == -1 && errno == ENOENT);
	ok(detach(WORDS("true"), "/nowhere") == -1 && errno == ENOENT);
	ok(detach(WORDS(scratch_path("not-executable")), "/") == -1 &&
	    errno == EACCES);
	ok(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

/* Finds it as this file in scratch. */
static void
finds(const char *program, const char *want)
{
	char *found;

	ROW("'%s'", program);
	errno = 0;
	found = spawn_find(program);
	is_text(found, want ? scratch_path(want) : NULL);
	ok(found != NULL || errno == ENOENT);
	free(found);
}

TEST(a_program_is_found_as_path_says_or_where_its_path_leads) {
	char *path = xasprintf("%s/none::relative:%s/a:%s/b", scratch, scratch,
	    scratch), *saved = xstrdup(getenv("PATH"));

	sh("mkdir -p a/folder b; touch a/text a/tool b/text b/tool; "
	    "chmod +x a/tool b/*; ln -s a/tool link");
	setenv("PATH", path, 1);
	finds("tool", "a/tool");
	finds("text", "b/text");
	finds("folder", NULL);
	finds("none", NULL);
	finds("", NULL);
	finds(scratch_path("link"), "a/tool");
	finds(scratch_path("b/../a/tool"), "a/tool");
	finds(scratch_path("a/folder"), NULL);
	finds(scratch_path("a/text"), NULL);
	setenv("PATH", "", 1);
	finds("tool", NULL);
	unsetenv("PATH");
	finds("no-such-program", NULL);
	setenv("PATH", saved, 1);
	free(saved);
	free(path);
}

TEST(a_program_takes_our_place) {
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGPIPE, SIG_IGN);
		spawn_replace(WORDS("sh", "-c", "kill -PIPE $$; exit 7"));
		_exit(1);
	}
	ok(waitpid(pid, &status, 0) == pid);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
}

TEST(a_program_in_front_reads_what_it_is_given) {
	int ends[2];

	ok(pipe(ends) == 0 && write(ends[1], "34\n", 3) == 3);
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

	signal(SIGINT, SIG_DFL);        /* it may be ignored where we began */
	is_number(spawn_front(WORDS("sh", "-c", "kill -s INT $PPID; exit 5"),
	    STDIN_FILENO, STDERR_FILENO), 5);
	sigaction(SIGINT, NULL, &after);
	ok(after.sa_handler == SIG_DFL);
}

AFTER_TESTS {
	spawn_release(&s);
}

#include "run/launch.h"

#include <errno.h>

#include "base/alloc.h"
#include "scratch.h"

static const char RUN[] = "0123abcd-1111-4222-8333-444444444444";
static const char OTHER[] = "ffffffff-1111-4222-8333-444444444444";

static char program[] = "/usr/bin/claude", cwd[] = "/home/u/a b",
    status_dir[] = "/home/u/.status";

static struct launch
launch_of(char **argv)
{
	struct launch l = { .program = program, .cwd = cwd,
	    .status_dir = status_dir, .argv = argv };

	memcpy(l.run, RUN, sizeof(RUN));
	return l;
}

TEST(words_pass_as_they_are) {
	char a[] = "claude", b[] = "", c[] = "a\nb\t'\"$HOME;",
	    d[] = "\xff#{x}", e[] = "";
	char *argv[] = { a, b, c, d, e, NULL };
	struct launch l = launch_of(argv), got;
	int i;

	ok(launch_write(&l, scratch_fd, "7", LAUNCH_ORDER) == 0);
	ok(launch_take(&got, scratch_fd, "7", NULL) == 0);
	is_text(got.run, RUN);
	is_text(got.program, program);
	is_text(got.cwd, cwd);
	is_text(got.status_dir, status_dir);
	for (i = 0; argv[i] != NULL && got.argv[i] != NULL; i++)
		is_text(got.argv[i], argv[i]);
	ok(argv[i] == NULL && got.argv[i] == NULL);
	launch_release(&got);
	ok(got.argv == NULL && got.run[0] == '\0');
	launch_release(&got);
}

TEST(a_setup_goes_before) {
	char a[] = "sh", s[] = "12", empty[] = "";
	char id[] = "0123abcd-1111-4222-8333-444444444444";
	char *argv[] = { a, NULL }, *setup[] = { s, empty, id, NULL };
	struct launch l = launch_of(argv), got;

	l.setup = setup;
	ok(launch_write(&l, scratch_fd, "7", LAUNCH_ORDER) == 0);
	ok(launch_take(&got, scratch_fd, "7", NULL) == 0);
	is_text(got.run, RUN);
	is_text(got.setup[0], s);
	is_text(got.setup[1], "");
	is_text(got.setup[2], id);
	ok(got.setup[3] == NULL);
	is_text(got.argv[0], a);
	ok(got.argv[1] == NULL);
	launch_release(&got);
}

TEST(a_prompt_may_be_long) {
	size_t len = 1000000;
	char *prompt = xmalloc(len + 1), name[] = "claude";
	char *argv[] = { name, prompt, NULL };
	struct launch l = launch_of(argv), got;

	memset(prompt, 'x', len);
	prompt[len] = '\0';
	ok(launch_write(&l, scratch_fd, "7", LAUNCH_ORDER) == 0);
	ok(launch_take(&got, scratch_fd, "7", NULL) == 0);
	is_text(got.argv[1], prompt);
	launch_release(&got);
	free(prompt);
}

TEST(it_is_taken_once_and_for_nobody_else_to_read) {
	char name[] = "sh", *argv[] = { name, NULL };
	struct launch l = launch_of(argv), got;
	struct stat st;

	ok(launch_write(&l, scratch_fd, "7", LAUNCH_ORDER) == 0);
	ok(stat(scratch_path("7.launch"), &st) == 0);
	is_number(st.st_mode & 0777, 0600);
	errno = 0;
	ok(launch_take(&got, scratch_fd, "7",
	    "00000000-0000-4000-8000-000000000000") == -1 && errno == ENOENT);
	launch_release(&got);
	ok(scratch_there("7.launch"));
	ok(launch_take(&got, scratch_fd, "7", l.run) == 0);
	launch_release(&got);
	ok(!scratch_there("7.launch"));
	errno = 0;
	ok(launch_take(&got, scratch_fd, "7", NULL) == -1 && errno == ENOENT);
	launch_release(&got);
}

static void
is_bad(const char *bytes, size_t len)
{
	struct launch l;

	scratch_put("7.launch", O_TRUNC, bytes, len);
	errno = 0;
	ok(launch_take(&l, scratch_fd, "7", NULL) == -1);
	is_number(errno, EBADMSG);
	launch_release(&l);
}

TEST(what_is_no_launch_is_a_bad_message) {
	static const char whole[] =
	    "0123abcd-1111-4222-8333-444444444444\0/s\0/c\0/p\0" "1\0sh\0-c";
	static const char other[] = "0123ABCD-1111-4222-8333-444444444444\0"
	    "/s\0/c\0/p\0" "1\0sh";
	struct launch l;
	size_t i;

	for (i = 0; i < sizeof(whole) - 3; i++)
		if (i != 51)            /* there the word sh ends */
			is_bad(whole, i);
	is_bad(other, sizeof(other));
	is_bad("\0\0\0\0\0\0", 6);
	scratch_put("7.launch", O_TRUNC, whole, sizeof(whole));
	ok(launch_take(&l, scratch_fd, "7", NULL) == 0);
	is_text(l.argv[1], "-c");
	launch_release(&l);
}

TEST(what_was_started_is_noted_for_its_run) {
	char a[] = "claude", b[] = "--fast", c[] = "prompt";
	char *argv[] = { a, b, c, NULL };
	struct launch l = launch_of(argv), got;

	is_number(launch_noted(&got, scratch_fd, "7", RUN), 0);
	l.base = 2;
	ok(launch_write(&l, scratch_fd, "7", LAUNCH_COMMAND) == 0);
	is_number(launch_noted(&got, scratch_fd, "7", OTHER), 0);
	ok(got.argv == NULL);
	is_number(launch_noted(&got, scratch_fd, "7", RUN), 1);
	is_number(got.base, 2);
	is_text(got.argv[1], b);
	launch_release(&got);
	is_number(launch_noted(&got, scratch_fd, "7", RUN), 1);
	launch_release(&got);
}

TEST(a_link_is_no_launch) {
	struct launch l;

	scratch_write("elsewhere", "x");
	ok(symlink("elsewhere", scratch_path("8.launch")) == 0);
	errno = 0;
	ok(launch_take(&l, scratch_fd, "8", NULL) == -1 && errno == ELOOP);
	launch_release(&l);
	launch_remove(scratch_fd, "8");
	ok(!scratch_there("8.launch"));
	ok(scratch_there("elsewhere"));
	launch_remove(scratch_fd, "8");
}

/* ---- what the pane's process tells ------------------------------------- */

static void
is_read_again(const struct launched *l)
{
	struct launched got;

	ok(launched_write(l, scratch_fd, "7", RUN) == 0);
	is_number(launched_read(&got, scratch_fd, "7", RUN), 1);
	is_number(got.pid, l->pid);
	ok(got.start == l->start);
	is_number(got.ended, l->ended);
	is_number(got.exit_code, l->exit_code);
	is_number(got.exit_signal, l->exit_signal);
	is_number(got.lease_over, l->lease_over);
}

TEST(the_agent_and_its_end_are_told) {
	static const struct launched all[] = {
		{ 4711, 123, false, -1, -1, false },
		{ 4711, UINT64_MAX, true, 0, -1, false },
		{ 4711, 0, true, 255, -1, false },
		{ 4711, 123, true, -1, 15, true },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		is_read_again(&all[i]);
}

TEST(another_runs_agent_is_none) {
	const struct launched l = { 4711, 123, true, 0, -1, false };
	struct launched got;

	ok(launched_write(&l, scratch_fd, "7", RUN) == 0);
	is_number(launched_read(&got, scratch_fd, "7", OTHER), 0);
	is_number(got.pid, 0);
	is_number(got.exit_code, -1);
	is_number(got.exit_signal, -1);
	is_number(launched_read(&got, scratch_fd, "8", RUN), 0);
	is_number(got.pid, 0);
}

TEST(what_was_cut_is_no_end) {
	static const char whole[] =
	    "0123abcd-1111-4222-8333-444444444444 4711 123 exit 7";
	struct launched got;
	char *part;
	size_t i;

	for (i = 0; i < sizeof(whole) - 1; i++) {
		part = xstrndup(whole, i);
		scratch_write("7.agent", part);
		ok(launched_read(&got, scratch_fd, "7", RUN) != -1);
		ok(!got.ended && got.exit_code == -1 && got.exit_signal == -1);
		free(part);
	}
	scratch_write("7.agent", "x y z");
	is_number(launched_read(&got, scratch_fd, "7", RUN), 0);
}

TEST(what_cannot_be_read_is_an_error) {
	struct launched got;

	ok(symlink("elsewhere", scratch_path("9.agent")) == 0);
	errno = 0;
	ok(launched_read(&got, scratch_fd, "9", RUN) == -1 && errno == ELOOP);
	is_number(got.exit_code, -1);
}

TEST(its_tools_find_its_run) {
	char dir[] = "/s";
	struct launch l = { .status_dir = dir };

	memcpy(l.run, RUN, sizeof(l.run));
	launch_environment(&l, "7");
	is_text(getenv("PANEWARD_ISSUE"), "7");
	is_text(getenv("PANEWARD_RUN"), RUN);
	is_text(getenv("PANEWARD_STATUS_DIR"), "/s");
	ok(getenv("PANEWARD") != NULL);
}

#include "run/launch.h"

#include <errno.h>

#include "scratch.h"
#include "unit/fixture.h"

#define RUN "0123abcd-1111-4222-8333-444444444444"
#define OTHER "ffffffff-1111-4222-8333-444444444444"

/* A literal as a word. */
#define T(text) ((char *)(uintptr_t)(text))

static struct launch got;

static struct launch
launch_of(char **argv)
{
	return (struct launch){ .run = RUN, .program = T("/usr/bin/claude"),
	    .cwd = T("/home/u/a b"), .status_dir = T("/home/u/.status"),
	    .argv = argv };
}

static int
take(const char *run)
{
	launch_release(&got);
	errno = 0;
	return launch_take(&got, scratch_fd, "7", run);
}

/* tests/system/start-words.sh starts agents with any words. */
TEST(a_setup_stands_before_the_words) {
	char *argv[] = { T("claude"), T(""), T("\xff#{x}"), T(""), NULL };
	char *setup[] = { T("12"), T(""), T(RUN), NULL };
	struct launch l = launch_of(argv);

	l.setup = setup;
	ok(launch_write(&l, scratch_fd, "7", LAUNCH_ORDER) == 0);
	ok(take(NULL) == 0);
	is_text(got.run, RUN);
	is_text(got.program, "/usr/bin/claude");
	is_text(got.cwd, "/home/u/a b");
	is_text(got.status_dir, "/home/u/.status");
	is_text(joined(got.setup), "12||" RUN "|");
	is_text(joined(got.argv), "claude||\xff#{x}||");
}

TEST(it_is_taken_once_and_for_nobody_else_to_read) {
	char *argv[] = { T("sh"), NULL };
	struct launch l = launch_of(argv);
	struct stat st;

	ok(launch_write(&l, scratch_fd, "7", LAUNCH_ORDER) == 0);
	ok(stat(scratch_path("7.launch"), &st) == 0);
	is_number(st.st_mode & 0777, 0600);
	ok(take("00000000-0000-4000-8000-000000000000") == -1 &&
	    errno == ENOENT);
	ok(scratch_there("7.launch"));
	ok(take(l.run) == 0);
	ok(!scratch_there("7.launch"));
	ok(take(NULL) == -1 && errno == ENOENT);
}

TEST(what_is_no_launch_is_a_bad_message_and_no_link_is_followed) {
	static const char whole[] = RUN "\0/s\0/c\0/p\0" "1\0sh\0-c";
	static const char other[] = "0123ABCD-1111-4222-8333-444444444444\0"
	    "/s\0/c\0/p\0" "1\0sh";
	size_t i;

	for (i = 0; i < sizeof(whole) - 3; i++)
		if (i != 51) {          /* there the word sh ends */
			ROW("%zu bytes", i);
			scratch_put("7.launch", O_TRUNC, whole, i);
			ok(take(NULL) == -1 && errno == EBADMSG);
		}
	scratch_put("7.launch", O_TRUNC, other, sizeof(other));
	ok(take(NULL) == -1 && errno == EBADMSG);
	scratch_put("7.launch", O_TRUNC, whole, sizeof(whole));
	ok(take(NULL) == 0);
	is_text(got.argv[1], "-c");
	ok(symlink("elsewhere", scratch_path("7.launch")) == 0);
	ok(take(NULL) == -1 && errno == ELOOP);
}

TEST(what_was_started_is_noted_for_its_run) {
	char *argv[] = { T("claude"), T("--fast"), T("prompt"), NULL };
	struct launch l = launch_of(argv);

	launch_release(&got);
	is_number(launch_noted(&got, scratch_fd, "7", RUN), 0);
	l.base = 2;
	ok(launch_write(&l, scratch_fd, "7", LAUNCH_COMMAND) == 0);
	is_number(launch_noted(&got, scratch_fd, "7", OTHER), 0);
	ok(got.argv == NULL);
	is_number(launch_noted(&got, scratch_fd, "7", RUN), 1);
	is_number(got.base, 2);
	is_text(joined(got.argv), "claude|--fast|prompt|");
	ok(scratch_there("7." LAUNCH_COMMAND));
}

/* ---- what the pane's process tells ------------------------------------- */

TEST(the_agent_and_its_end_are_told) {
	static const struct launched all[] = {
		{ 4711, 123, false, -1, -1, false },
		{ 4711, UINT64_MAX, true, 0, -1, false },
		{ 4711, 123, true, -1, 15, true },
	};
	struct launched l;
	size_t i;

	for (i = 0; i < COUNT(all); i++) {
		ROW("row %zu", i);
		ok(launched_write(&all[i], scratch_fd, "7", RUN) == 0);
		is_number(launched_read(&l, scratch_fd, "7", RUN), 1);
		ok(l.pid == all[i].pid && l.start == all[i].start);
		ok(l.ended == all[i].ended && l.exit_code == all[i].exit_code);
		ok(l.exit_signal == all[i].exit_signal &&
		    l.lease_over == all[i].lease_over);
	}
	is_number(launched_read(&l, scratch_fd, "7", OTHER), 0);
	ok(l.pid == 0 && l.exit_code == -1 && l.exit_signal == -1);
	ok(symlink("7.agent", scratch_path("9.agent")) == 0);
	is_number(launched_read(&l, scratch_fd, "9", RUN), -1);
}

TEST(what_was_cut_is_no_end) {
	static const char whole[] = RUN " 4711 123 exit 7";
	struct launched l;
	size_t i;

	for (i = 0; i < sizeof(whole) - 1; i++) {
		ROW("%zu bytes", i);
		scratch_put("7.agent", O_TRUNC, whole, i);
		ok(launched_read(&l, scratch_fd, "7", RUN) != -1);
		ok(!l.ended && l.exit_code == -1 && l.exit_signal == -1);
	}
}

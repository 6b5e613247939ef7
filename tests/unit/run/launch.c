#include "run/launch.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "scratch.h"

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

static void
are_words(char *const *words, char *const *want)
{
	size_t i;

	is_number(argv_count(words), argv_count(want));
	for (i = 0; words[i] != NULL && want[i] != NULL; i++)
		is_text(words[i], want[i]);
}

TEST(words_pass_as_they_are_with_a_setup_before_them) {
	size_t len = 1000000;
	char *prompt = xmalloc(len + 1);
	char *argv[] = { T("claude"), T(""), T("a\nb\t'\"$HOME;"),
	    T("\xff#{x}"), prompt, T(""), NULL };
	char *setup[] = { T("12"), T(""), T(RUN), NULL };
	struct launch l = launch_of(argv);

	memset(prompt, 'x', len);
	prompt[len] = '\0';
	ok(launch_write(&l, scratch_fd, "7", LAUNCH_ORDER) == 0);
	ok(take(NULL) == 0 && got.setup == NULL);
	is_text(got.run, RUN);
	is_text(got.program, "/usr/bin/claude");
	is_text(got.cwd, "/home/u/a b");
	is_text(got.status_dir, "/home/u/.status");
	are_words(got.argv, argv);
	l.setup = setup;
	ok(launch_write(&l, scratch_fd, "7", LAUNCH_ORDER) == 0);
	ok(take(NULL) == 0);
	is_text(got.run, RUN);
	are_words(got.setup, setup);
	are_words(got.argv, argv);
	launch_release(&got);
	ok(got.argv == NULL && got.run[0] == '\0');
	free(prompt);
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

static void
is_bad(const char *bytes, size_t len)
{
	ROW("%zu bytes", len);
	scratch_put("7.launch", O_TRUNC, bytes, len);
	ok(take(NULL) == -1 && errno == EBADMSG);
}

TEST(what_is_no_launch_is_a_bad_message_and_no_link_is_followed) {
	static const char whole[] = RUN "\0/s\0/c\0/p\0" "1\0sh\0-c";
	static const char other[] = "0123ABCD-1111-4222-8333-444444444444\0"
	    "/s\0/c\0/p\0" "1\0sh";
	size_t i;

	for (i = 0; i < sizeof(whole) - 3; i++)
		if (i != 51)            /* there the word sh ends */
			is_bad(whole, i);
	is_bad(other, sizeof(other));
	is_bad("\0\0\0\0\0\0", 6);
	scratch_put("7.launch", O_TRUNC, whole, sizeof(whole));
	ok(take(NULL) == 0);
	is_text(got.argv[1], "-c");
	scratch_write("elsewhere", "x");
	ok(symlink("elsewhere", scratch_path("7.launch")) == 0);
	ok(take(NULL) == -1 && errno == ELOOP);
	launch_remove(scratch_fd, "7");
	ok(!scratch_there("7.launch") && scratch_there("elsewhere"));
	launch_remove(scratch_fd, "7");
}

TEST(what_was_started_is_noted_for_its_run) {
	char *argv[] = { T("claude"), T("--fast"), T("prompt"), NULL };
	struct launch l = launch_of(argv);
	int i;

	launch_release(&got);
	is_number(launch_noted(&got, scratch_fd, "7", RUN), 0);
	l.base = 2;
	ok(launch_write(&l, scratch_fd, "7", LAUNCH_COMMAND) == 0);
	is_number(launch_noted(&got, scratch_fd, "7", OTHER), 0);
	ok(got.argv == NULL);
	for (i = 0; i < 2; i++) {
		is_number(launch_noted(&got, scratch_fd, "7", RUN), 1);
		is_number(got.base, 2);
		are_words(got.argv, argv);
		launch_release(&got);
	}
}

/* ---- what the pane's process tells ------------------------------------- */

TEST(the_agent_and_its_end_are_told) {
	static const struct launched all[] = {
		{ 4711, 123, false, -1, -1, false },
		{ 4711, UINT64_MAX, true, 0, -1, false },
		{ 4711, 0, true, 255, -1, false },
		{ 4711, 123, true, -1, 15, true },
	};
	struct launched l;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
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
	is_number(launched_read(&l, scratch_fd, "8", RUN), 0);
	is_number(l.pid, 0);
	ok(symlink("elsewhere", scratch_path("9.agent")) == 0);
	errno = 0;
	ok(launched_read(&l, scratch_fd, "9", RUN) == -1 && errno == ELOOP);
	is_number(l.exit_code, -1);
}

TEST(what_was_cut_is_no_end) {
	static const char whole[] = RUN " 4711 123 exit 7";
	char part[sizeof(whole)];
	struct launched l;
	size_t i;

	for (i = 0; i < sizeof(whole) - 1; i++) {
		snprintf(part, sizeof(part), "%.*s", (int)i, whole);
		ROW("'%s'", part);
		scratch_write("7.agent", part);
		ok(launched_read(&l, scratch_fd, "7", RUN) != -1);
		ok(!l.ended && l.exit_code == -1 && l.exit_signal == -1);
	}
	scratch_write("7.agent", "x y z");
	is_number(launched_read(&l, scratch_fd, "7", RUN), 0);
}

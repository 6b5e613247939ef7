#include "run/sigfile.h"

#include <errno.h>

#include "base/alloc.h"
#include "scratch.h"

static const char RUN[] = "0123abcd-1111-4222-8333-444444444444";
static const char OTHER[] = "ffffffff-1111-4222-8333-444444444444";

static const char *const names[SIGFILE_KINDS] = {
	"signal-complete-7", "signal-error-7",
};

static struct sigfile s;                /* of the last look */

/* The text of a signal as the run sees it that began at from. */
static const char *
look_from(enum sigfile_kind kind, const char *run, msec from)
{
	static struct buf text;

	buf_reset(&text);
	alarm(60);
	ok(sigfile_read(&s, scratch_fd, geteuid(), kind, "7", run, from,
	    &text) == 0);
	alarm(0);
	return buf_str(&text);
}

static const char *
look(enum sigfile_kind kind)
{
	return look_from(kind, RUN, 0);
}

/* The signal of this content is found, with that text. */
static void
is_signal(enum sigfile_kind kind, const char *content, const char *text)
{
	scratch_write(names[kind], content);
	is_text(look(kind), text);
	is_number(s.found, SIGFILE_SIGNAL);
	unlink(scratch_path(names[kind]));
}

static void
is_refused(const char *why)
{
	is_text(look(SIGFILE_ERROR), "");
	is_number(s.found, SIGFILE_REFUSED);
	is_text(s.refusal, why);
	ok(remove(scratch_path(names[SIGFILE_ERROR])) == 0);
}

TEST(existence_counts) {
	is_text(look(SIGFILE_COMPLETE), "");
	is_number(s.found, SIGFILE_NONE);
	is_signal(SIGFILE_COMPLETE, "", "");
	ok(s.empty && !s.bound);
	is_signal(SIGFILE_COMPLETE, "done\n", "done");
	ok(!s.empty);
}

TEST(the_two_kinds_are_two_files) {
	scratch_write(names[SIGFILE_ERROR], "no disk");
	is_text(look(SIGFILE_COMPLETE), "");
	is_number(s.found, SIGFILE_NONE);
	is_text(look(SIGFILE_ERROR), "no disk");
	is_number(s.found, SIGFILE_SIGNAL);
	unlink(scratch_path(names[SIGFILE_ERROR]));
}

TEST(names_are_those_that_agents_use) {
	char name[SIGFILE_NAME], issue[ISSUE_MAX + 1];

	memset(issue, 'x', ISSUE_MAX);
	issue[ISSUE_MAX] = '\0';
	sigfile_name(name, SIGFILE_ERROR, issue);
	is_number(strlen(name), strlen("signal-error-") + ISSUE_MAX);
	sigfile_name(name, SIGFILE_COMPLETE, "a-1");
	is_text(name, "signal-complete-a-1");
}

TEST(the_text_of_an_error_is_cleaned) {
	is_signal(SIGFILE_ERROR, "no disk", "no disk");
	is_signal(SIGFILE_ERROR, "  no\n\ndisk \r\n\n", "no disk");
	is_signal(SIGFILE_ERROR, "\033[31mno\033[0m d\aisk\x7f", "no disk");
	is_signal(SIGFILE_ERROR, "\033]0;title\007no disk", "no disk");
	is_signal(SIGFILE_ERROR, "a\xff" "b", "a\xef\xbf\xbd" "b");
	is_signal(SIGFILE_ERROR, "", "Unknown error");
	is_signal(SIGFILE_ERROR, " \n\t\r\n \033[0m", "Unknown error");
}

TEST(no_control_byte_is_left_in_the_text) {
	struct buf text = BUF_INIT;
	char bytes[256];
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)i;
	sigfile_text(&text, "a\tb", 3, 200);
	sigfile_text(&text, bytes, sizeof(bytes), 200);
	for (i = 0; i < text.len; i++)
		ok((unsigned char)text.data[i] >= 0x20 &&
		    text.data[i] != 0x7f);
	buf_release(&text);
}

/* What is shown of a text, of which only most characters fit. */
#define is_shown(bytes, most, want) do { \
	struct buf text_ = BUF_INIT; \
	sigfile_text(&text_, (bytes), sizeof(bytes) - 1, (most)); \
	is_text(buf_str(&text_), (want)); \
	buf_release(&text_); \
} while (0)

TEST(lines_are_read_until_enough_is_shown) {
	is_shown("\n \nab\n\n\tcd\nef", 2, "ab");
	is_shown("ab\ncd\nef", 3, "ab ");
	is_shown("ab\n \n", 3, "ab");
	is_shown("ab\n\n  \n\ncd", 4, "ab  ");
	is_shown("ab\n   \n\n", 4, "ab");
	is_shown("\xc3\xa4\xc3\xb6\n\xc3\xbc\nx", 3, "\xc3\xa4\xc3\xb6 ");
	is_shown("\xc3\xa4\xc3\xb6\n\xc3\xbc\nx", 5, "\xc3\xa4\xc3\xb6 \xc3\xbc ");
	is_shown("\xff\xff\n\x80\x80\ny", 6, "\xef\xbf\xbd\xef\xbf\xbd "
	    "\xef\xbf\xbd\xef\xbf\xbd ");
	is_shown("ab\rcd\033[2;1Hef\ng", 20, "ab cd ef g");
}

TEST(as_much_text_is_read_as_fits) {
	struct buf content = BUF_INIT, want = BUF_INIT;
	int i;

	for (i = 0; i < 1100; i++)
		buf_adds(&content, "\xf0\x9f\x98\x80");
	for (i = 0; i < SIGFILE_MAX / 4; i++)
		buf_adds(&want, "\xf0\x9f\x98\x80");
	is_signal(SIGFILE_ERROR, buf_str(&content), buf_str(&want));
	buf_release(&content);
	buf_release(&want);
}

TEST(the_text_may_hold_a_nul_byte) {
	scratch_put(names[SIGFILE_ERROR], O_TRUNC, "no\0 disk", 8);
	is_text(look(SIGFILE_ERROR), "no disk");
	unlink(scratch_path(names[SIGFILE_ERROR]));
}

TEST(the_text_is_added_to_what_is_there) {
	struct buf text = BUF_INIT;

	buf_adds(&text, "x");
	scratch_write(names[SIGFILE_ERROR], "");
	ok(sigfile_read(&s, scratch_fd, geteuid(), SIGFILE_ERROR, "7", RUN, 0,
	    &text) == 0);
	is_text(buf_str(&text), "xUnknown error");
	ok(sigfile_read(&s, scratch_fd, geteuid(), SIGFILE_ERROR, "7", RUN, 0,
	    NULL) == 0);
	is_number(s.found, SIGFILE_SIGNAL);
	unlink(scratch_path(names[SIGFILE_ERROR]));
	buf_release(&text);
}

TEST(an_endless_file_is_read_to_4_kib) {
	int fd;

	scratch_write(names[SIGFILE_ERROR], "no disk\n");
	fd = open(scratch_path(names[SIGFILE_ERROR]), O_RDWR | O_CLOEXEC);
	ok(ftruncate(fd, 1 << 30) == 0);
	ok(pwrite(fd, "late", 4, SIGFILE_MAX) == 4);
	close(fd);
	is_text(look(SIGFILE_ERROR), "no disk");
	is_number(s.found, SIGFILE_SIGNAL);
	unlink(scratch_path(names[SIGFILE_ERROR]));
}

TEST(a_first_line_binds_it_to_a_run) {
	static const char *const ends[] = { "", "\n", "\r\n" };
	char content[128];
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(content, sizeof(content), "run=%s%s", RUN, ends[i]);
		is_signal(SIGFILE_ERROR, content, "Unknown error");
		ok(s.bound);
	}
	snprintf(content, sizeof(content), "run=%s\r\nno disk\r\n", RUN);
	is_signal(SIGFILE_ERROR, content, "no disk");
	ok(s.bound);
}

TEST(what_only_looks_like_a_run_is_text) {
	static const char *const lines[] = {
		"run=0123abcd", "run=",
		"RUN=0123abcd-1111-4222-8333-444444444444",
		"run=0123ABCD-1111-4222-8333-444444444444",
		"run=0123abcd-1111-4222-8333-4444444444444",
		"run=0123abcd-1111-4222-8333-444444444444 x",
		"x run=0123abcd-1111-4222-8333-444444444444",
	};
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		is_signal(SIGFILE_ERROR, lines[i], lines[i]);
		ok(!s.bound);
	}
}

TEST(a_signal_of_another_run_is_stale) {
	char content[128];

	snprintf(content, sizeof(content), "run=%s\nno disk\n", OTHER);
	scratch_write(names[SIGFILE_ERROR], content);
	is_text(look(SIGFILE_ERROR), "no disk");
	is_number(s.found, SIGFILE_STALE);
	ok(s.bound);
	look_from(SIGFILE_ERROR, OTHER, INT64_MAX);
	is_number(s.found, SIGFILE_SIGNAL);
	look_from(SIGFILE_ERROR, NULL, INT64_MAX);
	is_number(s.found, SIGFILE_SIGNAL);
	unlink(scratch_path(names[SIGFILE_ERROR]));
}

TEST(without_a_run_in_it_its_age_decides) {
	scratch_write(names[SIGFILE_COMPLETE], "");
	look(SIGFILE_COMPLETE);
	ok(s.written > clock_wall() - 60000 && s.written <= clock_wall());
	look_from(SIGFILE_COMPLETE, RUN, s.written);
	is_number(s.found, SIGFILE_SIGNAL);
	look_from(SIGFILE_COMPLETE, RUN, s.written + 1);
	is_number(s.found, SIGFILE_STALE);
	look_from(SIGFILE_COMPLETE, NULL, s.written + 1);
	is_number(s.found, SIGFILE_SIGNAL);
	unlink(scratch_path(names[SIGFILE_COMPLETE]));
}

TEST(links_are_refused) {
	const char *path = scratch_path(names[SIGFILE_ERROR]);

	scratch_write("precious", "text");
	ok(symlink("precious", path) == 0);
	is_refused("it is a link");
	ok(symlink("nowhere", scratch_path(names[SIGFILE_ERROR])) == 0);
	is_refused("it is a link");
	ok(symlink(names[SIGFILE_ERROR], scratch_path(names[SIGFILE_ERROR])) ==
	    0);
	is_refused("it is a link");
	ok(link(scratch_path("precious"), scratch_path(names[SIGFILE_ERROR])) ==
	    0);
	is_refused("it has another hard link");
	is_text(scratch_text("precious"), "text");
}

TEST(a_fifo_is_refused_and_does_not_block) {
	ok(mkfifo(scratch_path(names[SIGFILE_ERROR]), 0600) == 0);
	is_refused("it is not a regular file");
}

TEST(a_directory_is_refused) {
	scratch_folder(names[SIGFILE_ERROR]);
	is_refused("it is a directory");
}

TEST(another_users_file_is_refused) {
	struct buf text = BUF_INIT;

	scratch_write(names[SIGFILE_COMPLETE], "done");
	ok(sigfile_read(&s, scratch_fd, geteuid() + 1, SIGFILE_COMPLETE, "7",
	    RUN, 0, &text) == 0);
	is_number(s.found, SIGFILE_REFUSED);
	is_text(s.refusal, "it belongs to another user");
	is_number(text.len, 0);
	unlink(scratch_path(names[SIGFILE_COMPLETE]));
	buf_release(&text);
}

static void
look_at_what_cannot_be_read(void)
{
	scratch_become_nobody();
	scratch_write(names[SIGFILE_ERROR], "no disk");
	ok(chmod(scratch_path(names[SIGFILE_ERROR]), 0) == 0);
	is_text(look(SIGFILE_ERROR), "Unknown error");
	is_number(s.found, SIGFILE_SIGNAL);
	ok(!s.empty);
	unlink(scratch_path(names[SIGFILE_ERROR]));
}

TEST(a_file_that_cannot_be_read_is_a_signal) {
	ok(chmod(scratch, 0777) == 0);
	scratch_apart(look_at_what_cannot_be_read);
	ok(chmod(scratch, 0700) == 0);
}

static void
look_where_nobody_may(void)
{
	scratch_become_nobody();
	errno = 0;
	ok(sigfile_read(&s, scratch_fd, geteuid(), SIGFILE_ERROR, "7", RUN, 0,
	    NULL) == -1 && errno == EACCES);
}

TEST(a_directory_that_cannot_be_read_is_an_error) {
	ok(chmod(scratch, 0600) == 0);
	scratch_apart(look_where_nobody_may);
	ok(chmod(scratch, 0700) == 0);
	errno = 0;
	ok(sigfile_read(&s, -1, geteuid(), SIGFILE_ERROR, "7", RUN, 0,
	    NULL) == -1 && errno == EBADF);
}

TEST(the_signal_that_was_read_is_removed) {
	scratch_write(names[SIGFILE_COMPLETE], "done");
	look(SIGFILE_COMPLETE);
	ok(sigfile_remove(&s, scratch_fd, SIGFILE_COMPLETE, "7") == 0);
	ok(!scratch_there(names[SIGFILE_COMPLETE]));
	ok(sigfile_remove(&s, scratch_fd, SIGFILE_COMPLETE, "7") == 0);
}

TEST(a_signal_that_came_later_is_not_removed) {
	struct sigfile first;

	scratch_write(names[SIGFILE_COMPLETE], "one");
	look(SIGFILE_COMPLETE);
	first = s;
	usleep(20000);                  /* file systems have coarse clocks */
	scratch_write("beside", "two");
	ok(rename(scratch_path("beside"),
	    scratch_path(names[SIGFILE_COMPLETE])) == 0);
	ok(sigfile_remove(&first, scratch_fd, SIGFILE_COMPLETE, "7") == 0);
	ok(scratch_there(names[SIGFILE_COMPLETE]));
	unlink(scratch_path(names[SIGFILE_COMPLETE]));
}

/* echo done >signal-complete-7: the name is seen before the text is. */
TEST(a_signal_whose_text_came_later_is_removed) {
	scratch_write(names[SIGFILE_COMPLETE], "");
	look(SIGFILE_COMPLETE);
	usleep(20000);
	scratch_write(names[SIGFILE_COMPLETE], "done\n");
	ok(sigfile_remove(&s, scratch_fd, SIGFILE_COMPLETE, "7") == 0);
	ok(!scratch_there(names[SIGFILE_COMPLETE]));
}

static void
remove_where_nobody_may(void)
{
	scratch_become_nobody();
	errno = 0;
	ok(sigfile_remove(&s, scratch_fd, SIGFILE_COMPLETE, "7") == -1 &&
	    errno == EACCES);
}

TEST(what_cannot_be_removed_is_told) {
	scratch_write(names[SIGFILE_COMPLETE], "done");
	look(SIGFILE_COMPLETE);
	ok(chmod(scratch, 0555) == 0);
	scratch_apart(remove_where_nobody_may);
	ok(chmod(scratch, 0700) == 0);
	ok(scratch_there(names[SIGFILE_COMPLETE]));
}

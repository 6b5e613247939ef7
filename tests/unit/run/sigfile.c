#include "run/sigfile.h"

#include <errno.h>

#include "scratch.h"
#include "unit/fixture.h"

#define RUN "0123abcd-1111-4222-8333-444444444444"
#define OTHER "ffffffff-1111-4222-8333-444444444444"
#define DONE "signal-complete-7"
#define FAILED "signal-error-7"

static struct sigfile s;                /* of the last look */
static struct buf text;

/* The text of a signal as the run sees it that began at from. */
static const char *
look_from(enum sigfile_kind kind, const char *run, msec from)
{
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

/* The text of an error of this content, behind "bound" if it names the run. */
static const char *
error_of(const char *content)
{
	static struct buf shown;

	scratch_write(FAILED, content);
	look(SIGFILE_ERROR);
	ok(s.found == SIGFILE_SIGNAL && s.empty == (content[0] == '\0'));
	unlink(scratch_path(FAILED));
	buf_reset(&shown);
	buf_printf(&shown, "%s%s", s.bound ? "bound " : "", buf_str(&text));
	return buf_str(&shown);
}

TEST(a_text_is_cleaned_and_its_first_line_may_name_the_run) {
	ROWS(error_of, "  no\n\ndisk \r\n\n => no disk",
	    "\033[31mno\033[0m d\aisk\x7f => no disk",
	    "a\1\2\3\4\5\6\16\17\20\21\22\23\24\25\26\27\30\31\32"
	    "\34\35\36\37b\tc\vd\fe => ab c d e",
	    "\033]0;title\007no disk => no disk",
	    "a\xff" "b => a\xef\xbf\xbd" "b", " => Unknown error",
	    " \n\t\r\n \033[0m => Unknown error",
	    "run=" RUN " => bound Unknown error",
	    "run=" RUN "\n => bound Unknown error",
	    "run=" RUN "\r\n => bound Unknown error",
	    "run=" RUN "\r\nno disk\r\n => bound no disk",
	    "run=0123abcd => run=0123abcd", "run= => run=",
	    "RUN=" RUN " => RUN=" RUN, "run=" RUN "4 => run=" RUN "4",
	    "run=0123ABCD-1111-4222-8333-444444444444 => "
	    "run=0123ABCD-1111-4222-8333-444444444444",
	    "run=" RUN " x => run=" RUN " x", "x run=" RUN " => x run=" RUN);
}

/* "3|bytes": only so many characters of the text are wanted. */
static const char *
shown(const char *words)
{
	const char *bytes = strchr(words, '|') + 1;

	buf_reset(&text);
	sigfile_text(&text, bytes, strlen(bytes), (size_t)atoi(words));
	return buf_str(&text);
}

TEST(lines_are_read_until_enough_is_shown) {
	ROWS(shown, "2|\n \nab\n\n\tcd\nef => ab", "3|ab\ncd\nef => ab ",
	    "3|ab\n \n => ab", "4|ab\n\n  \n\ncd => ab  ",
	    "4|ab\n   \n\n => ab",
	    "3|\xc3\xa4\xc3\xb6\n\xc3\xbc\nx => \xc3\xa4\xc3\xb6 ",
	    "5|\xc3\xa4\xc3\xb6\n\xc3\xbc\nx => \xc3\xa4\xc3\xb6 "
	    "\xc3\xbc ", "6|\xff\xff\n\x80\x80\ny => "
	    "\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd ",
	    "20|ab\rcd\033[2;1Hef\ng => ab cd ef g");
}

TEST(as_much_text_is_read_as_fits) {
	char content[4 * 1100 + 1] = "", want[SIGFILE_MAX + 1] = "";
	size_t i;

	for (i = 0; i + 4 < sizeof(content); i += 4)
		memcpy(content + i, "\xf0\x9f\x98\x80", 4);
	memcpy(want, content, SIGFILE_MAX);
	is_text(error_of(content), want);
}

TEST(the_text_may_hold_nul_bytes_and_is_added_to_what_is_there) {
	int fd;

	scratch_put(FAILED, O_TRUNC, "no\0 disk", 8);
	is_text(look(SIGFILE_ERROR), "no disk");
	scratch_write(FAILED, "no disk\n");
	fd = open(scratch_path(FAILED), O_RDWR | O_CLOEXEC);
	ok(ftruncate(fd, 1 << 30) == 0);
	ok(pwrite(fd, "late", 4, SIGFILE_MAX) == 4);
	close(fd);
	is_text(look(SIGFILE_ERROR), "no disk");
	is_number(s.found, SIGFILE_SIGNAL);
	buf_reset(&text);
	buf_adds(&text, "x");
	scratch_write(FAILED, "");
	ok(sigfile_read(&s, scratch_fd, geteuid(), SIGFILE_ERROR, "7", RUN, 0,
	    &text) == 0);
	is_text(buf_str(&text), "xUnknown error");
	unlink(scratch_path(FAILED));
}

TEST(a_signal_of_another_run_is_stale_and_else_its_age_decides) {
	scratch_write(FAILED, "run=" OTHER "\nno disk\n");
	is_text(look(SIGFILE_ERROR), "no disk");
	ok(s.found == SIGFILE_STALE && s.bound);
	look_from(SIGFILE_ERROR, OTHER, INT64_MAX);
	is_number(s.found, SIGFILE_SIGNAL);
	look_from(SIGFILE_ERROR, NULL, INT64_MAX);
	is_number(s.found, SIGFILE_SIGNAL);
	scratch_write(FAILED, "");
	look(SIGFILE_ERROR);
	ok(s.written > clock_wall() - 60000 && s.written <= clock_wall());
	look_from(SIGFILE_ERROR, RUN, s.written);
	is_number(s.found, SIGFILE_SIGNAL);
	look_from(SIGFILE_ERROR, RUN, s.written + 1);
	is_number(s.found, SIGFILE_STALE);
	look_from(SIGFILE_ERROR, NULL, s.written + 1);
	is_number(s.found, SIGFILE_SIGNAL);
	unlink(scratch_path(FAILED));
}

/* tests/system/signals.sh has odd things of a signal's name. */
static void
look_at_what_cannot_be_read(void)
{
	scratch_become_nobody();
	scratch_write(FAILED, "no disk");
	ok(chmod(scratch_path(FAILED), 0) == 0);
	is_text(look(SIGFILE_ERROR), "Unknown error");
	ok(s.found == SIGFILE_SIGNAL && !s.empty);
	unlink(scratch_path(FAILED));
}

static void
look_where_nobody_may(void)
{
	scratch_become_nobody();
	errno = 0;
	ok(sigfile_read(&s, scratch_fd, geteuid(), SIGFILE_ERROR, "7", RUN, 0,
	    NULL) == -1 && errno == EACCES);
}

TEST(an_unreadable_file_is_a_signal_and_an_unreadable_folder_an_error) {
	ok(chmod(scratch, 0777) == 0);
	scratch_apart(look_at_what_cannot_be_read);
	ok(chmod(scratch, 0600) == 0);
	scratch_apart(look_where_nobody_may);
	ok(chmod(scratch, 0700) == 0);
	errno = 0;
	ok(sigfile_read(&s, -1, geteuid(), SIGFILE_ERROR, "7", RUN, 0,
	    NULL) == -1 && errno == EBADF);
}

static int
take_away(void)
{
	errno = 0;
	return sigfile_remove(&s, scratch_fd, SIGFILE_COMPLETE, "7");
}

TEST(the_signal_that_was_read_is_removed_but_no_later_one) {
	scratch_write(DONE, "done");
	look(SIGFILE_COMPLETE);
	ok(take_away() == 0 && !scratch_there(DONE));
	ok(take_away() == 0);
	/* echo done >signal-complete-7: the name is seen before the text. */
	scratch_write(DONE, "");
	look(SIGFILE_COMPLETE);
	usleep(20000);                  /* file systems have coarse clocks */
	scratch_write(DONE, "done\n");
	ok(take_away() == 0 && !scratch_there(DONE));
	scratch_write(DONE, "one");
	look(SIGFILE_COMPLETE);
	usleep(20000);
	scratch_write("beside", "two");
	ok(rename(scratch_path("beside"), scratch_path(DONE)) == 0);
	ok(take_away() == 0 && scratch_there(DONE));
}

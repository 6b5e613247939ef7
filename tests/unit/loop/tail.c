#include "loop/engine.h"

#include "scratch.h"

/* The end of a log with this text. */
static const char *
tail_of(const char *bytes)
{
	static struct buf text;
	int fd;

	scratch_write("log", bytes);
	fd = openat(scratch_fd, "log", O_RDONLY | O_CLOEXEC);
	buf_reset(&text);
	tail_read(&text, fd);
	close(fd);
	return buf_str(&text);
}

static const char *
last_line(const char *text, size_t columns)
{
	static struct buf line;
	struct buf in = BUF_INIT;

	buf_reset(&line);
	buf_adds(&in, text);
	tail_last_line(&line, &in, columns);
	buf_release(&in);
	return buf_str(&line);
}

TEST(control_sequences_vanish) {
	is_text(tail_of("a\033[1mb\033[0m\r\nc"), "ab\nc\n");
	is_text(tail_of(""), "");
}

TEST(of_a_long_log_the_end_is_read) {
	static char bytes[2 * TAIL_MAX + 2];

	memset(bytes, 'x', sizeof(bytes) - 1);
	bytes[sizeof(bytes) - 2] = '!';
	is_number(strlen(tail_of(bytes)), TAIL_MAX + 1);
}

TEST(the_last_line_is_one_with_something_on_it) {
	is_text(last_line("one\ntwo\n\n  \n", 80), "two");
	is_text(last_line("\n\n", 80), "");
	is_text(last_line("", 80), "");
}

TEST(it_is_cut_to_the_columns) {
	is_text(last_line("abcdef", 4), "abcd");
	/* A wide character may need two. */
	is_text(last_line("\xe6\x97\xa5\xe6\x9c\xac", 3), "\xe6\x97\xa5");
}

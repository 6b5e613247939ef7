#include "base/msg.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "scratch.h"

static int said;                        /* what is said comes out here */
static int real_stderr;

/* Standard error becomes a socket on which every write is a packet. */
static void
listen_to(void)
{
	int pair[2];

	ok(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
	real_stderr = dup(STDERR_FILENO);
	dup2(pair[1], STDERR_FILENO);
	close(pair[1]);
	said = pair[0];
}

static void
listen_no_more(void)
{
	dup2(real_stderr, STDERR_FILENO);
	close(real_stderr);
	close(said);
}

/* The one thing that was said; freed with the next. */
static const char *
heard(void)
{
	static char text[200000];
	ssize_t n = recv(said, text, sizeof(text) - 1, MSG_DONTWAIT);

	text[n > 0 ? n : 0] = '\0';
	ok(recv(said, text + n + 1, 1, MSG_DONTWAIT) == -1);
	return text;
}

TEST(a_warning_tells_the_reason) {
	listen_to();
	errno = ENOENT;
	warn("cannot read '%s'", "x");
	is_text(heard(), "paneward: cannot read 'x': No such file or "
	    "directory\n");
	warnx("no %s", "pane");
	is_text(heard(), "paneward: no pane\n");
	listen_no_more();
}

TEST(a_message_is_one_line) {
	listen_to();
	warnx("a\nb\r%s", "\033[31m\n");
	is_text(heard(), "paneward: a\\x0ab\\x0d\\x1b[31m\\x0a\n");
	warnx("%s", "");
	is_text(heard(), "paneward: \n");
	listen_no_more();
}

TEST(a_long_message_is_one_write) {
	size_t len;

	listen_to();
	warnx("%50000s", "x");
	len = strlen(heard());
	is_number(len, 50000 + strlen("paneward: \n"));
	listen_no_more();
}

/* The exit status of a function that says something last. */
static int
status_of(void (*last)(void))
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	listen_to();
	pid = fork();
	if (pid == 0) {
		last();
		_exit(99);
	}
	ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void
end_damaged(void)
{
	errno = EBADMSG;
	fatal("cannot read it");
}

static void
end_fatal(void)
{
	errno = EACCES;
	fatal("cannot write");
}

static void
end_without_memory(void)
{
	errno = ENOMEM;
	fatal("cannot open it");
}

static void
end_fatalx(void)
{
	fatalx("no tmux");
}

static void
end_usage(void)
{
	fatal_usage("no issue");
}

TEST(what_is_fatal_ends_the_program) {
	is_number(status_of(end_fatal), EXIT_COULD_NOT);
	is_text(heard(), "paneward: cannot write: Permission denied\n");
	listen_no_more();
	is_number(status_of(end_damaged), EXIT_COULD_NOT);
	is_text(heard(), "paneward: cannot read it: it is damaged; unless "
	    "it is written again, remove it\n");
	listen_no_more();
	is_number(status_of(end_without_memory), EXIT_COULD_NOT);
	is_text(heard(), "paneward: out of memory\n");
	listen_no_more();
	is_number(status_of(end_fatalx), EXIT_COULD_NOT);
	is_text(heard(), "paneward: no tmux\n");
	listen_no_more();
	is_number(status_of(end_usage), EXIT_USAGE);
	is_text(heard(), "paneward: no issue\n");
	listen_no_more();
}

static void
say_to_nobody(void)
{
	close(STDERR_FILENO);
	warnx("nobody hears this");
}

TEST(that_nobody_listens_does_no_harm) {
	scratch_apart(say_to_nobody);
}

#define is_escaped(text, want) is_escaped_but("", text, want)
#define is_escaped_but(kept, text, want) do { \
	struct buf b_ = BUF_INIT; \
	msg_escape_but(&b_, (text), sizeof(text) - 1, (kept)); \
	is_text(buf_str(&b_), (want)); \
	buf_release(&b_); \
} while (0)

TEST(what_a_terminal_obeys_is_escaped) {
	is_escaped("\033]0;x\007\b\t\n\r\177", "\\x1b]0;x\\x07\\x08\\x09\\x0a"
	    "\\x0d\\x7f");
	is_escaped("\xc2\x9b" "31m\xc2\x85", "\\x9b31m\\x85");
	is_escaped("a\0b", "a\\x00b");
	is_escaped_but("\t\n", "\ta\n\0\r\u2028", "\ta\n\\x00\\x0d\\u2028");
}

TEST(what_is_no_utf_8_is_escaped) {
	is_escaped("\x9b\xff\xe2\x82", "\\x9b\\xff\\xe2\\x82");
	is_escaped("\xed\xa0\x80", "\\xed\\xa0\\x80");
	is_escaped("\xc0\x80", "\\xc0\\x80");
}

TEST(what_turns_the_direction_is_escaped) {
	is_escaped("a\u202eb\u2066\u2069\u200f\u061c", "a\\u202eb\\u2066"
	    "\\u2069\\u200f\\u061c");
	is_escaped("\u2028\u2029", "\\u2028\\u2029");
}

TEST(other_text_is_left_alone) {
	is_escaped("", "");
	is_escaped("a b \\x41 %s \u00e9\u20ac\u05d0\u3042\U0001f600",
	    "a b \\x41 %s \u00e9\u20ac\u05d0\u3042\U0001f600");
}

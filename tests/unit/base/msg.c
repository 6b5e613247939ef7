#include "base/msg.h"

#include <errno.h>
#include <sys/socket.h>

#include "unit/children.h"
#include "unit/fixture.h"

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

/* The one thing that was said; freed with the next. */
static const char *
heard(void)
{
	static char text[200000];
	ssize_t n = recv(said, text, sizeof(text) - 1, MSG_DONTWAIT);

	text[n > 0 ? n : 0] = '\0';
	ok(recv(said, text + n + 1, 1, MSG_DONTWAIT) == -1);
	dup2(real_stderr, STDERR_FILENO);
	close(real_stderr);
	close(said);
	return text;
}

#define HEARD(call, want) (listen_to(), (call), is_text(heard(), (want)))

TEST(a_message_is_one_line_with_the_reason) {
	HEARD((errno = ENOENT, warn("cannot read '%s'", "x")),
	    "paneward: cannot read 'x': No such file or directory\n");
	HEARD(warnx("a\nb\r%s", "\033[31m\n"),
	    "paneward: a\\x0ab\\x0d\\x1b[31m\\x0a\n");
	HEARD(warnx("%s", ""), "paneward: \n");
	listen_to();
	warnx("%50000s", "x");
	is_number(strlen(heard()), 50000 + strlen("paneward: \n"));
}

static const char *
escaped(const char *text)
{
	static struct buf b;

	buf_reset(&b);
	msg_escape_but(&b, text, strlen(text), "");
	return buf_str(&b);
}

TEST(what_a_terminal_obeys_or_turns_or_no_utf_8_is_escaped) {
	struct buf b = BUF_INIT;

	ROWS(escaped, "\033]0;x\007\b\t\n\r\177 => "
	    "\\x1b]0;x\\x07\\x08\\x09\\x0a\\x0d\\x7f",
	    "\xc2\x9b" "31m\xc2\x85 => \\x9b31m\\x85",
	    "\x9b\xff\xe2\x82 => \\x9b\\xff\\xe2\\x82",
	    "\xed\xa0\x80\xc0\x80 => \\xed\\xa0\\x80\\xc0\\x80",
	    "a\u202eb\u2066\u2069\u200f\u061c\u2028\u2029 => "
	    "a\\u202eb\\u2066\\u2069\\u200f\\u061c\\u2028\\u2029",
	    " => ", "a b \\x41 %s \u00e9\u20ac\u05d0\u3042\U0001f600 => "
	    "a b \\x41 %s \u00e9\u20ac\u05d0\u3042\U0001f600");
	msg_escape_but(&b, "\ta\n\0\r\u2028", 8, "\t\n");
	is_text(buf_str(&b), "\ta\n\\x00\\x0d\\u2028");
	buf_release(&b);
}

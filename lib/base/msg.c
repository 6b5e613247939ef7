#include "base/msg.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/utf8.h"

static int fatal_status = -1;           /* instead of the one that is meant */

void
msg_fatal_status(enum exit_status status)
{
	fatal_status = status;
	xalloc_fatal_status(status);
}

static int
status_of(enum exit_status meant)
{
	return fatal_status == -1 ? (int)meant : fatal_status;
}

static _Noreturn void
end(enum exit_status meant)
{
	exit(status_of(meant));
}

/* Characters that a terminal obeys, or that make text read backwards. */
static bool
harmful(unsigned long c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) ||
	    c == 0x061c || (c >= 0x200e && c <= 0x200f) ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

void
msg_escape(struct buf *out, const char *text, size_t len)
{
	size_t i, size;
	unsigned long c;

	for (i = 0; i < len; i += size) {
		size = utf8_decode(text + i, len - i, &c);
		if (size == 0) {
			size = 1;
			buf_printf(out, "\\x%02x", (unsigned char)text[i]);
		} else if (harmful(c)) {
			buf_printf(out, c < 0x100 ? "\\x%02lx" : "\\u%04lx", c);
		} else {
			buf_add(out, text + i, size);
		}
	}
}

static void say(int error, const char *format, va_list)
    __attribute__((format(printf, 2, 0)));

/* Files of our own that cannot be understood are told of as EBADMSG, of which
 * the system's words say nothing to a person. */
static const char *
reason(int error)
{
	return error == EBADMSG ? "it is damaged; if nobody writes it anew, "
	    "remove it" : strerror(error);
}

static void
say(int error, const char *format, va_list ap)
{
	struct buf text = BUF_INIT, line = BUF_INIT;
	va_list again;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (len > 0) {
		vsnprintf(buf_room(&text, (size_t)len), (size_t)len + 1,
		    format, ap);
		text.len = (size_t)len;
	}
	if (error != 0)
		buf_printf(&text, ": %s", reason(error));
	buf_adds(&line, "paneward: ");
	msg_escape(&line, text.data, text.len);
	buf_addc(&line, '\n');
	/* Nothing can be done where even this fails. */
	if (write(STDERR_FILENO, line.data, line.len) == -1)
		errno = error;
	buf_release(&text);
	buf_release(&line);
}

void
warn(const char *format, ...)
{
	int error = errno;
	va_list ap;

	va_start(ap, format);
	say(error, format, ap);
	va_end(ap);
}

void
warnx(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say(0, format, ap);
	va_end(ap);
}

void
fatal(const char *format, ...)
{
	int error = errno;
	va_list ap;

	va_start(ap, format);
	say(error, format, ap);
	va_end(ap);
	end(EXIT_COULD_NOT);
}

void
fatalx(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say(0, format, ap);
	va_end(ap);
	end(EXIT_COULD_NOT);
}

void
fatal_usage(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say(0, format, ap);
	va_end(ap);
	end(EXIT_USAGE);
}

#include "base/msg.h"

#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/utf8.h"

static int fatal_status = -1;           /* -1: the one that is meant */
static const char *program = "paneward", *msg_place;
static char msg_file[320];              /* the last one of ENEWER */

void
msg_program(const char *name)
{
	program = name;
}

const char *
msg_name(void)
{
	return program;
}

void
msg_fatal_status(enum exit_status status)
{
	fatal_status = status;
}

void
msg_at(const char *place)
{
	msg_place = place;
}

void
msg_escape_but(struct buf *out, const char *text, size_t len, const char *kept)
{
	size_t i, from = 0, size;
	unsigned long c;

	for (i = 0; i < len; i += size) {
		size = utf8_plain(text + i, len - i);
		if (size > 0)
			continue;
		size = utf8_decode(text + i, len - i, &c);
		if (size > 0 && (!utf8_harmful(c) ||
		    (c != 0 && c < 0x80 && strchr(kept, (int)c) != NULL)))
			continue;
		if (size == 0) {
			size = 1;
			c = (unsigned char)text[i];
		}
		buf_add(out, text + from, i - from);
		buf_printf(out, c < 0x100 ? "\\x%02lx" : "\\u%04lx", c);
		from = i + size;
	}
	buf_add(out, text + from, len - from);
}

int
msg_newer(const char *file, long long found, long long known)
{
	snprintf(msg_file, sizeof(msg_file), "a newer paneward wrote '%.200s' "
	    "in format %lld, this one reads %lld: run the newer one, or move "
	    "the file away", file, found, known);
	return ENEWER;
}

const char *
msg_reason(int error)
{
	return error == ENEWER ? msg_file : error != EBADMSG ?
	    strerror(error) :
	    "it is damaged; unless it is written again, remove it";
}

static void __attribute__((format(printf, 2, 0)))
msg_write(int error, const char *format, va_list ap)
{
	struct buf text = BUF_INIT, line = BUF_INIT;

	if (msg_place != NULL)
		buf_printf(&text, "%s: ", msg_place);
	buf_vprintf(&text, format, ap);
	if (error != 0)
		buf_printf(&text, ": %s", msg_reason(error));
	buf_printf(&line, "%s: ", program);
	msg_escape(&line, text.data, text.len);
	buf_addc(&line, '\n');
	if (write(STDERR_FILENO, line.data, line.len) == -1)
		errno = error;
	buf_release(&text);
	buf_release(&line);
}

void
msg_warn(int error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	msg_write(error, format, ap);
	va_end(ap);
}

void
fatal_memory(void)
{
	static const char text[] = "paneward: out of memory\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)n;
	_exit(fatal_status == -1 ? EXIT_COULD_NOT : fatal_status);
}

void
msg_fatal(enum exit_status status, int error, const char *format, ...)
{
	va_list ap;

	if (error == ENOMEM)
		fatal_memory();
	va_start(ap, format);
	msg_write(error, format, ap);
	va_end(ap);
	exit(fatal_status == -1 ? (int)status : fatal_status);
}

bool
msg_confirm(const char *question)
{
	char answer[8] = "";

	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return true;
	fprintf(stderr, "%s [y/N] ", question);
	return fgets(answer, sizeof(answer), stdin) != NULL &&
	    (answer[0] == 'y' || answer[0] == 'Y');
}

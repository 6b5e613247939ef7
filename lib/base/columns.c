#define _XOPEN_SOURCE 700

#include "base/columns.h"

#include <langinfo.h>
#include <string.h>
#include <sys/ioctl.h>
#include <wchar.h>

#include "base/utf8.h"

bool
columns_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

struct shown {
	const char *text;
	size_t      len;                /* 0: left out */
	unsigned    columns;
};

static struct shown
columns_next(const char **text)
{
	struct shown s = { .text = *text, .columns = 1 };
	unsigned long c;
	int width = -1;

	s.len = utf8_decode(*text, strlen(*text), &c);
	*text += s.len > 0 ? s.len : 1;
	if (s.len == 0)
		c = 0xfffd;
	else if (c == '\n' || c == '\t')
		return (struct shown){ " ", 1, 1 };
	else if (c >= ' ' && c < 0x7f)
		return s;
	if (utf8_harmful(c) || c == 0x200d || (c >= 0xfe00 && c <= 0xfe0f) ||
	    (c >= 0x1f3fb && c <= 0x1f3ff))
		return (struct shown){ "", 0, 0 };
	if (columns_utf8() && s.len > 0)
		width = wcwidth((wchar_t)c);
	if (width == -1)
		return (struct shown){ "?", 1, 1 };
	s.columns = (unsigned)width;
	s.len = width > 0 ? s.len : 0;
	return s;
}

unsigned
columns_of(const char *text)
{
	size_t plain = utf8_plain(text, strlen(text));
	unsigned columns = (unsigned)plain;

	text += plain;
	while (*text != '\0')
		columns += columns_next(&text).columns;
	return columns;
}

unsigned
columns_add(struct buf *out, const char *text, unsigned most)
{
	/* No character has more columns than bytes. */
	bool cut = strlen(text) > most && columns_of(text) > most;
	unsigned columns;
	struct shown s;

	if (most == 0)
		return 0;
	columns = (unsigned)utf8_plain(text, strnlen(text, most - cut));
	buf_add(out, text, columns);
	text += columns;
	while (*text != '\0') {
		s = columns_next(&text);
		if (columns + s.columns > most - cut)
			break;
		buf_add(out, s.text, s.len);
		columns += s.columns;
	}
	if (cut)
		buf_adds(out, columns_utf8() ? "\xe2\x80\xa6" : "~");
	return columns + cut;
}

void
columns_pad(struct buf *out, const char *text, unsigned width)
{
	unsigned columns = columns_add(out, text, width);

	if (columns < width) {
		memset(buf_room(out, width - columns), ' ', width - columns);
		out->len += width - columns;
	}
}

unsigned
columns_terminal(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ?
	    size.ws_col : COLUMNS_ALL;
}

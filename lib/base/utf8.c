#include "base/utf8.h"

#include "base/buf.h"
#include "base/text.h"

size_t
utf8_decode(const char *text, size_t len, unsigned long *c)
{
	static const unsigned long least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char lead = len > 0 ? (unsigned char)text[0] : 0xff;
	unsigned long value = lead;
	size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	size_t i;

	if (size > len || (lead >= 0x80 && lead < 0xc2) || lead >= 0xf5)
		return 0;
	if (size > 1)
		value &= 0x7fu >> size;
	for (i = 1; i < size; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | ((unsigned char)text[i] & 0x3fu);
	}
	if (value < least[size] || value > 0x10ffff ||
	    (value >= 0xd800 && value < 0xe000))
		return 0;
	if (c != NULL)
		*c = value;
	return size;
}

bool
utf8_harmful(unsigned long c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c ||
	    (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x2069);
}

size_t
utf8_encode(char to[4], unsigned long c)
{
	size_t n = 0;

	if (c < 0x80) {
		to[n++] = (char)c;
		return n;
	}
	if (c >= 0x10000)
		to[n++] = (char)(0xf0 | c >> 18);
	if (c >= 0x800)
		to[n++] = (char)((c >= 0x10000 ? 0x80 : 0xe0) |
		    (c >> 12 & 0x3f));
	to[n++] = (char)((c >= 0x800 ? 0x80 : 0xc0) | (c >> 6 & 0x3f));
	to[n++] = (char)(0x80 | (c & 0x3f));
	return n;
}

void
utf8_add(struct buf *out, unsigned long c)
{
	char bytes[4];

	buf_add(out, bytes, utf8_encode(bytes, c));
}

size_t
utf8_plain(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] >= ' ' && text[n] < 0x7f)
		n++;
	return n;
}

void
utf8_add_valid(struct buf *out, const char *text, size_t len, size_t max)
{
	size_t size;

	for (; len > 0 && max > 0; text += size, len -= size) {
		size = utf8_plain(text, len < max ? len : max);
		max -= size > 0 ? size : 1;
		if (size > 0) {
			buf_add(out, text, size);
			continue;
		}
		size = utf8_decode(text, len, NULL);
		buf_add(out, size ? text : "\xef\xbf\xbd", size ? size : 3);
		size += size == 0;
	}
}

void
utf8_add_shown(struct buf *out, const char *text, size_t len, size_t max)
{
	for (; len > 0 && text_blank(*text); len--)
		text++;
	while (len > 0 && text_blank(text[len - 1]))
		len--;
	utf8_add_valid(out, text, len, max);
}

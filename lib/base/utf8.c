#include "base/utf8.h"

#include <string.h>

#include "base/buf.h"
#include "base/text.h"

/* Lengths of runs of code points: no letters, letters, and so on, by L, N, M of
 * Unicode 18, without U+20E3, U+2139, U+FE0E, U+FE0F.  Unassigned ones join the
 * run before. */
static const unsigned letter_runs[] = {
	48, 10, 7, 26, 6, 26, 47, 1, 7, 2, 1, 1, 3, 2, 1, 3, 1, 23, 1, 31, 1,
	458, 4, 12, 14, 5, 7, 1, 1, 1, 17, 117, 1, 8, 1, 5, 2, 1, 1, 110, 1,
	139, 1, 215, 6, 41, 2, 2, 4, 45, 1, 1, 1, 2, 1, 2, 1, 44, 29, 11, 5, 74,
	4, 102, 1, 8, 2, 10, 1, 19, 2, 1, 16, 230, 4, 4, 2, 48, 16, 30, 2, 40,
	1, 7, 7, 75, 1, 129, 2, 10, 1, 129, 2, 6, 2, 1, 1, 120, 11, 111, 9, 119,
	1, 130, 13, 119, 1, 7, 1, 4, 1, 202, 5, 37, 1, 122, 13, 62, 1, 15, 1,
	10, 39, 128, 23, 2, 6, 20, 1, 1, 1, 1, 1, 1, 4, 71, 1, 56, 8, 1, 57, 74,
	6, 78, 2, 91, 1, 612, 9, 39, 16, 96, 1, 620, 2, 17, 1, 26, 5, 75, 3, 71,
	11, 148, 3, 1, 4, 36, 11, 3, 1, 305, 6, 152, 34, 30, 2, 128, 7, 1, 8,
	158, 2, 10, 17, 9, 12, 124, 4, 59, 5, 62, 2, 64, 16, 3, 1, 745, 1, 1, 3,
	11, 3, 13, 3, 13, 5, 11, 115, 10, 5, 11, 5, 17, 48, 19, 1, 28, 2, 1, 4,
	1, 2, 10, 1, 1, 3, 5, 6, 1, 1, 1, 1, 1, 1, 4, 1, 10, 3, 4, 5, 5, 4, 1,
	1, 58, 726, 60, 78, 22, 630, 30, 1132, 229, 6, 14, 4, 1, 2, 112, 15,
	129, 47, 1, 469, 3, 25, 15, 1, 5, 2, 5, 4, 90, 2, 3, 1, 90, 1, 148, 2,
	4, 10, 32, 48, 16, 32, 10, 30, 8, 1, 15, 32, 10, 39, 15, 320, 6592, 64,
	22160, 64, 46, 2, 269, 3, 99, 1, 10, 1, 115, 37, 9, 2, 103, 2, 157, 4,
	10, 10, 52, 12, 78, 2, 40, 3, 1, 1, 49, 2, 47, 1, 97, 14, 15, 2, 124, 4,
	23, 3, 100, 2, 16, 2, 105, 1, 14, 2, 127, 1, 13332, 6400, 553, 1, 136,
	33, 363, 18, 64, 2, 54, 40, 12, 4, 14, 18, 16, 64, 143, 17, 10, 7, 26,
	6, 26, 11, 122, 32, 256, 7, 48, 9, 57, 17, 2, 113, 418, 1, 48, 1, 414,
	1, 743, 1, 31, 2, 166, 1, 31, 1, 272, 16, 31, 1, 72, 1, 39, 16, 57, 7,
	89, 16, 453, 1, 31, 210, 77, 3, 25, 2, 5, 9, 124, 27, 22, 42, 151, 11,
	105, 7, 11, 3, 112, 4, 48, 2, 79, 4, 4, 1, 13, 1, 1, 4, 87, 6, 107, 7,
	292, 13, 106, 5, 10, 4, 104, 1, 250, 23, 105, 3, 28, 32, 57, 7, 124, 4,
	251, 101, 164, 12, 146, 1, 92, 8, 83, 3, 1, 18, 80, 10, 215, 15, 81, 15,
	32, 2, 645, 9, 67, 13, 133, 43, 1136, 5, 2940, 15, 1072, 16, 13870, 2,
	133, 11, 55, 9, 4, 12, 541, 3, 295, 9, 322, 1, 19641, 1, 2, 4177, 10,
	518, 80, 471, 2, 60, 5, 3, 6, 8, 8, 2, 7, 30, 4, 148, 3, 11, 3, 8, 2, 2,
	1, 32, 128, 96, 865, 1, 25, 1, 31, 1, 25, 1, 31, 1, 25, 1, 31, 1, 25, 1,
	31, 1, 25, 1, 60, 512, 55, 4, 50, 8, 1, 14, 1, 22, 101, 1024, 591, 321,
	111, 465, 303, 193, 670, 787, 59, 1, 3, 1, 125, 1, 449, 528, 13, 2787,
	10, 1030, 786433, 255, 65280,
};

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
utf8_valid(const char *text, size_t len)
{
	size_t n;

	for (; len > 0; text += n, len -= n)
		if ((n = utf8_decode(text, len, NULL)) == 0)
			return false;
	return true;
}

size_t
utf8_decode_last(const char *text, size_t len, unsigned long *c)
{
	size_t size;

	for (size = 1; size <= 4 && size <= len; size++)
		if (utf8_decode(text + len - size, size, c) == size)
			return size;
	return 0;
}

bool
utf8_letter(unsigned long c)
{
	size_t i, n = sizeof(letter_runs) / sizeof(letter_runs[0]);

	for (i = 0; i < n && c >= letter_runs[i]; i++)
		c -= letter_runs[i];
	return i % 2 != 0;
}

bool
utf8_harmful(unsigned long c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c ||
	    (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x2069);
}

void
utf8_add(struct buf *out, unsigned long c)
{
	if (c < 0x80) {
		buf_addc(out, (char)c);
		return;
	}
	if (c >= 0x10000)
		buf_addc(out, (char)(0xf0 | c >> 18));
	if (c >= 0x800)
		buf_addc(out, (char)((c >= 0x10000 ? 0x80 : 0xe0) |
		    (c >> 12 & 0x3f)));
	buf_addc(out, (char)((c >= 0x800 ? 0x80 : 0xc0) | (c >> 6 & 0x3f)));
	buf_addc(out, (char)(0x80 | (c & 0x3f)));
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
utf8_fit(char *to, size_t size, const char *text, size_t len)
{
	if (len >= size)
		for (len = size - 1; len > 0 && (text[len] & 0xc0) == 0x80; )
			len--;
	memcpy(to, text, len);
	to[len] = '\0';
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

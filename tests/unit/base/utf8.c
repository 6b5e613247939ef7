#include "base/utf8.h"

#include <stdlib.h>

#include "base/buf.h"
#include "tap.h"

/* tests/cases/markers.t asks for all letters. */

/* Encodes by the book, whether that may be or not. */
static void
encode(unsigned long c, size_t size, char *to)
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t i;

	for (i = size; i-- > 1; c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(lead[size] | c);
}

/* Nor as a surrogate, overlong or beyond Unicode. */
TEST(every_character_is_decoded_and_nothing_else) {
	unsigned long c, got, wrong = 0;
	size_t least, size, want;
	char bytes[4];

	for (c = 0; c <= 0x1fffff; c++) {
		least = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
		for (size = least; size <= 4; size++) {
			want = size > least || c > 0x10ffff ||
			    (c >= 0xd800 && c <= 0xdfff) ? 0 : size;
			encode(c, size, bytes);
			got = ~c;
			wrong += utf8_decode(bytes, size, &got) != want ||
			    (want != 0 && got != c);
		}
	}
	is_number(wrong, 0);
}

TEST(cut_characters_and_other_bytes_are_invalid) {
	static const char *const cut[] = { "\xc3", "\xe2", "\xe2\x82",
		"\xf0", "\xf0\x9f", "\xf0\x9f\x98", "\xe2\x82" "a",
		"\xe2" "a\xac" };
	char text[4] = { 0, 'a', 'a', 'a' };
	unsigned byte;
	size_t i;

	for (i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
		/* In memory that ends where the text does. */
		char *part = memcpy(malloc(strlen(cut[i])), cut[i],
		    strlen(cut[i]));

		is_number(utf8_decode(part, strlen(cut[i]), NULL), 0);
		free(part);
	}
	for (byte = 0x80; byte <= 0xff; byte++) {
		text[0] = (char)byte;
		is_number(utf8_decode(text, 4, NULL), 0);
	}
	is_number(utf8_decode("a\xff", 2, NULL), 1);
}

TEST(a_text_is_shown_without_outer_blanks_and_cut) {
	static const struct {
		const char *text;
		size_t max;
		const char *shown;
	} rows[] = {
		{ " \t a \t b\t ", 99, "|a \t b" }, { " \t ", 99, "|" },
		{ "", 99, "|" }, { "\n", 99, "|\n" },
		/* Each invalid byte as one character. */
		{ "a\xff\xfe" "b", 99, "|a\ufffd\ufffd" "b" },
		{ "\xe2\x82", 99, "|\ufffd\ufffd" },
		{ "\xf0\x9f\x98", 2, "|\ufffd\ufffd" },
		/* At most so many. */
		{ "\u20ac\u20ac\u20ac", 2, "|\u20ac\u20ac" },
		{ "abc", 3, "|abc" }, { "abc", 0, "|" },
		{ "a\xff" "bc", 2, "|a\ufffd" },
	};
	static struct buf b;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_reset(&b);
		buf_addc(&b, '|');
		utf8_add_shown(&b, rows[i].text, strlen(rows[i].text),
		    rows[i].max);
		is_text(buf_str(&b), rows[i].shown);
	}
}

TEST(the_last_character_is_found_from_its_end) {
	unsigned long c = 0;

	ok(utf8_decode_last("ab\u20ac", 5, &c) == 3 && c == 0x20ac);
	is_number(utf8_decode_last("\u20acb", 4, &c), 1);
	is_number(utf8_decode_last("a\u20ac", 3, &c), 0);
	is_number(utf8_decode_last("\x82\xac", 2, &c), 0);
	is_number(utf8_decode_last("a", 0, &c), 0);
}

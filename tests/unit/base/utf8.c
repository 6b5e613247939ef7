#include "base/utf8.h"

#include <stdlib.h>

#include "base/buf.h"
#include "tap.h"

/* Encodes by the book, whether that may be or not; the size. */
static size_t
encode(unsigned long c, size_t size, char *to)
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t i;

	for (i = size; i-- > 1; c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(lead[size] | c);
	return size;
}

static size_t
size_of(unsigned long c)
{
	return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

TEST(every_character_is_decoded) {
	unsigned long c, got, wrong = 0;
	char bytes[4];
	size_t size;

	for (c = 0; c <= 0x10ffff; c++) {
		if (c >= 0xd800 && c <= 0xdfff)
			continue;
		size = encode(c, size_of(c), bytes);
		got = ~c;
		wrong += utf8_decode(bytes, size, &got) != size || got != c;
	}
	is_number(wrong, 0);
}

TEST(surrogates_and_what_is_beyond_unicode_are_invalid) {
	unsigned long c, wrong = 0;
	char bytes[4];

	for (c = 0xd800; c <= 0xdfff; c++)
		wrong += utf8_decode(bytes, encode(c, 3, bytes), NULL) != 0;
	for (c = 0x110000; c <= 0x1fffff; c++)
		wrong += utf8_decode(bytes, encode(c, 4, bytes), NULL) != 0;
	is_number(wrong, 0);
}

TEST(overlong_forms_are_invalid) {
	unsigned long c, wrong = 0;
	char bytes[4];
	size_t size;

	for (c = 0; c < 0x10000; c++)
		for (size = size_of(c) + 1; size <= 4; size++)
			wrong += utf8_decode(bytes, encode(c, size, bytes),
			    NULL) != 0;
	is_number(wrong, 0);
}

/* In memory that ends where the text does. */
TEST(cut_characters_are_invalid) {
	static const char *const whole[] = {
		"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
	};
	size_t i, len;

	for (i = 0; i < 3; i++)
		for (len = 0; len < strlen(whole[i]); len++) {
			char *part = malloc(len ? len : 1);

			memcpy(part, whole[i], len);
			is_number(utf8_decode(part, len, NULL), 0);
			free(part);
		}
}

TEST(other_bytes_are_invalid) {
	unsigned byte;
	char text[4] = { 0, 'a', 'a', 'a' };

	for (byte = 0x80; byte <= 0xff; byte++) {
		text[0] = (char)byte;
		is_number(utf8_decode(text, 4, NULL), 0);
	}
	is_number(utf8_decode("\xe2\x82" "a", 3, NULL), 0);
	is_number(utf8_decode("\xe2" "a\xac", 3, NULL), 0);
}

TEST(only_the_first_character_is_looked_at) {
	unsigned long c;

	is_number(utf8_decode("a\xff", 2, &c), 1);
	is_number(c, 'a');
	is_number(utf8_decode("", 1, &c), 1);
	is_number(c, 0);
}

static void
is_shown(const char *text, size_t max, const char *want)
{
	struct buf b = BUF_INIT;

	buf_addc(&b, '|');
	utf8_add_shown(&b, text, strlen(text), max);
	is_text(buf_str(&b) + 1, want);
	ok(b.data[0] == '|');
	buf_release(&b);
}

TEST(blanks_at_both_ends_are_not_shown) {
	is_shown(" \t a \t b\t ", 99, "a \t b");
	is_shown(" \t ", 99, "");
	is_shown("", 99, "");
	is_shown("\n", 99, "\n");
}

TEST(each_invalid_byte_is_shown_as_one_character) {
	is_shown("a\xff\xfe" "b", 99, "a\ufffd\ufffd" "b");
	is_shown("\xe2\x82", 99, "\ufffd\ufffd");
	is_shown("\xf0\x9f\x98", 2, "\ufffd\ufffd");
}

TEST(at_most_so_many_characters_are_shown) {
	is_shown("\u20ac\u20ac\u20ac", 2, "\u20ac\u20ac");
	is_shown("abc", 3, "abc");
	is_shown("abc", 0, "");
	is_shown("a\xff" "bc", 2, "a\ufffd");
}

TEST(a_run_of_plain_characters_ends_at_any_other) {
	is_number(utf8_plain("a ~", 3), 3);
	is_number(utf8_plain("abc", 2), 2);
	is_number(utf8_plain("", 0), 0);
	is_number(utf8_plain("a\tb", 3), 1);
	is_number(utf8_plain("a\x7f", 2), 1);
	is_number(utf8_plain("\xc3\xa9", 2), 0);
}

TEST(the_last_character_is_found_from_its_end) {
	unsigned long c = 0;

	is_number(utf8_decode_last("ab\u20ac", 5, &c), 3);
	is_number((long)c, 0x20ac);
	is_number(utf8_decode_last("\u20acb", 4, &c), 1);
	is_number(utf8_decode_last("a\u20ac", 3, &c), 0);
	is_number(utf8_decode_last("\x82\xac", 2, &c), 0);
	is_number(utf8_decode_last("a", 0, &c), 0);
}

/* tests/cases/markers.t asks for all of them. */
TEST(letters_digits_and_marks_of_any_script_are_letters) {
	ok(utf8_letter('0') && utf8_letter('Z') && utf8_letter(0xe9));
	ok(utf8_letter(0x301) && utf8_letter(0x2460) && utf8_letter(0x4e86));
	ok(utf8_letter(0x20000) && utf8_letter(0xe0100));
	ok(!utf8_letter(0) && !utf8_letter('_') && !utf8_letter(0xa0));
	ok(!utf8_letter(0x2026) && !utf8_letter(0x3002) && !utf8_letter(0xfe0f));
	ok(!utf8_letter(0x1f600) && !utf8_letter(0xe000));
	ok(!utf8_letter(0x10ffff));
}

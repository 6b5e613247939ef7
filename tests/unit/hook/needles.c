#include "hook/needles.h"

#include "base/alloc.h"
#include "tap.h"

enum { MANY = 40 };

/* Which of two needles is in the text: 0 to 3. */
static int
seen(const char *a, const char *b, const char *text, size_t len)
{
	struct needle n[] = { { a, strlen(a), true }, { b, strlen(b), true } };

	needles_search(n, 2, text, len);
	return n[0].seen + 2 * n[1].seen;
}

#define is_seen(a, b, text, want) \
	is_number(seen((a), (b), (text), strlen(text)), (want))

static void
each_is_found_wherever_it_stands(void)
{
	is_seen("abc", "xyz", "abc", 1);
	is_seen("abc", "xyz", "..abc", 1);
	is_seen("abc", "xyz", "xyz", 2);
	is_seen("abc", "xyz", "abxyzbc", 2);
	is_seen("abc", "xyz", "xyabcz..xyz", 3);
	is_seen("abc", "abcd", "abcabcd", 3);
	is_seen("abc", "bcd", "abcd", 3);
	is_seen("aaa", "aab", "aaaab", 3);
}

static void
near_misses_are_none(void)
{
	is_seen("abc", "xyz", "", 0);
	is_seen("abc", "xyz", "ab", 0);
	is_seen("abc", "xyz", "abx ayc xbc xyc ab", 0);
	is_seen("abcd", "xyz", "abc", 0);
	is_number(seen("abc", "xyz", "abcxyz", 5), 1);
	is_number(seen("abc", "xyz", "abcxyz", 2), 0);
}

static void
the_case_of_ascii_letters_does_not_matter(void)
{
	is_seen("abort", "stop", "Aborted. STOP", 3);
	is_seen("a@z", "{|}", "A`Z [\\]", 0);
	is_seen("報告yaml", "中断", "報告YAMLを中断", 3);
}

static void
nul_and_any_byte_may_stand_in_the_text(void)
{
	is_number(seen("abc", "\xff\xfe\xfd", "\0abc\0\xff\xfe\xfd", 8), 3);
}

/* More needles than there are bits. */
static void
many_are_told_from_each_other(void)
{
	struct needle n[MANY];
	char texts[MANY][16], text[16];
	int i, j, wrong = 0;

	for (i = 0; i < MANY; i++) {
		snprintf(texts[i], sizeof(texts[i]), "n%03d", i);
		n[i] = (struct needle){ texts[i], 4, false };
	}
	for (i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "-N%03d-", i);
		needles_search(n, MANY, text, strlen(text));
		for (j = 0; j < MANY; j++)
			wrong += n[j].seen != (i == j);
	}
	is_number(wrong, 0);
	needles_search(n, 0, "abc", 3);
}

/* The text is looked at in steps, which depend on the shortest needle. */
static void
of_any_length_at_any_place(void)
{
	static const char dots[] = "....................", abc[] = "abcdefghij";
	char text[32];
	size_t len, at, rest, wrong = 0;
	struct needle n = { abc, 0, false };

	for (len = NEEDLE_MIN; len < sizeof(abc); len++)
		for (at = 0; at < 10; at++)
			for (rest = 0; rest < 5; rest++) {
				n.len = len;
				snprintf(text, sizeof(text), "%.*s%.*s%.*s",
				    (int)at, dots, (int)len, abc, (int)rest,
				    dots);
				needles_search(&n, 1, text, strlen(text));
				wrong += !n.seen;
				needles_search(&n, 1, text, at + len - 1);
				wrong += n.seen;
			}
	is_number(wrong, 0);
}

/* More bytes than one step goes over. */
static void
long_ones_are_found_wherever_they_stand(void)
{
	char needle[200], text[400];
	struct needle n = { needle, sizeof(needle), false };
	size_t at, wrong = 0;

	for (at = 0; at < sizeof(needle); at++)
		needle[at] = (char)('a' + at * at % 23);
	for (at = 0; at <= sizeof(text) - sizeof(needle); at++) {
		memset(text, 'a', sizeof(text));
		memcpy(text + at, needle, sizeof(needle));
		needles_search(&n, 1, text, sizeof(text));
		wrong += !n.seen;
		text[at + sizeof(needle) - 1] = '-';
		needles_search(&n, 1, text, sizeof(text));
		wrong += n.seen;
	}
	is_number(wrong, 0);
}

int
main(void)
{
	TEST(each_is_found_wherever_it_stands);
	TEST(near_misses_are_none);
	TEST(the_case_of_ascii_letters_does_not_matter);
	TEST(nul_and_any_byte_may_stand_in_the_text);
	TEST(many_are_told_from_each_other);
	TEST(of_any_length_at_any_place);
	TEST(long_ones_are_found_wherever_they_stand);
	return tap_done();
}

#include "base/buf.h"

#include <stdlib.h>

#include "tap.h"

TEST(an_empty_buffer_is_an_empty_string) {
	struct buf b = BUF_INIT;

	is_text(buf_str(&b), "");
	is_number(b.len, 0);
	buf_release(&b);
	ok(b.data == NULL && b.cap == 0);
	buf_release(&b);
}

TEST(adding_nothing_allocates_nothing) {
	struct buf b = BUF_INIT;

	buf_add(&b, NULL, 0);
	buf_adds(&b, "");
	buf_printf(&b, "%s", "");
	ok(b.data == NULL && b.len == 0);
}

TEST(buffers_are_the_same_if_their_bytes_are) {
	struct buf a = BUF_INIT, b = BUF_INIT;

	ok(buf_same(&a, &b));
	buf_add(&a, "a\0b", 3);
	ok(!buf_same(&a, &b));
	buf_add(&b, "a\0c", 3);
	ok(!buf_same(&a, &b));
	b.data[2] = 'b';
	ok(buf_same(&a, &b));
	buf_release(&a);
	buf_release(&b);
}

TEST(bytes_are_kept_as_they_are) {
	struct buf b = BUF_INIT;

	buf_add(&b, "a\0b", 3);
	buf_addc(&b, '\0');
	buf_addc(&b, '\xff');
	is_number(b.len, 5);
	ok(memcmp(b.data, "a\0b\0\xff", 5) == 0);
	is_text(buf_str(&b), "a");
	is_number(b.len, 5);
	buf_release(&b);
}

TEST(it_grows_byte_by_byte_and_at_once) {
	struct buf one = BUF_INIT, all = BUF_INIT;
	enum { SIZE = 100000 };
	char *bytes = malloc(SIZE);
	int i;

	for (i = 0; i < SIZE; i++) {
		bytes[i] = (char)(i * 7);
		buf_addc(&one, (char)(i * 7));
	}
	buf_add(&all, bytes, SIZE);
	ok(one.len == SIZE && memcmp(one.data, bytes, SIZE) == 0);
	ok(all.len == SIZE && memcmp(all.data, bytes, SIZE) == 0);
	free(bytes);
	buf_release(&one);
	buf_release(&all);
}

/* The NUL behind the text must fit too, whatever its length. */
TEST(every_length_can_be_a_string) {
	struct buf b = BUF_INIT;
	size_t i;

	for (i = 0; i < 1000; i++) {
		is_number(strlen(buf_str(&b)), i);
		buf_addc(&b, 'x');
	}
	buf_release(&b);
}

TEST(formatted_text_is_added_whole) {
	struct buf b = BUF_INIT;

	buf_printf(&b, "%s-%d", "a", 7);
	buf_printf(&b, "%%%5000s|", "x");
	is_number(b.len, 3 + 5002);
	ok(strncmp(b.data, "a-7% ", 5) == 0);
	ok(b.data[b.len - 2] == 'x' && b.data[b.len - 1] == '|');
	buf_release(&b);
}

TEST(the_caller_may_fill_the_room_himself) {
	struct buf b = BUF_INIT;
	char *room;

	buf_adds(&b, "abc");
	room = buf_room(&b, 1000);
	is_number(b.len, 3);
	memset(room, 'x', 1000);
	b.len += 1000;
	is_number(strlen(buf_str(&b)), 1003);
	ok(strncmp(b.data, "abcxx", 5) == 0);
	buf_release(&b);
}

TEST(what_was_stolen_is_the_callers) {
	struct buf b = BUF_INIT;
	char *text;

	buf_adds(&b, "abc");
	text = buf_steal(&b);
	is_text(text, "abc");
	ok(b.data == NULL && b.len == 0 && b.cap == 0);
	free(text);
	text = buf_steal(&b);
	is_text(text, "");
	free(text);
}

TEST(after_a_reset_it_is_empty) {
	struct buf b = BUF_INIT;

	buf_adds(&b, "abc");
	buf_reset(&b);
	is_text(buf_str(&b), "");
	buf_adds(&b, "d");
	is_text(buf_str(&b), "d");
	buf_release(&b);
}

TEST(the_last_line_is_without_what_follows_it) {
	struct buf b = BUF_INIT;

	is_text(buf_last_line(&b), "");
	buf_adds(&b, "one\n");
	is_text(buf_last_line(&b), "one");
	buf_adds(&b, "\ntwo\n\n");
	is_text(buf_last_line(&b), "two");
	is_text(buf_str(&b), "one\ntwo");
	buf_release(&b);
}

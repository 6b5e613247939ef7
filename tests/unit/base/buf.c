#include "base/buf.h"

#include "tap.h"

static struct buf b;

TEST(an_empty_buffer_is_an_empty_string_and_allocates_nothing) {
	buf_add(&b, NULL, 0);
	buf_printf(&b, "%s", "");
	ok(b.data == NULL && b.len == 0);
	is_text(buf_str(&b), "");
	buf_release(&b);
	buf_release(&b);
}

/* The NUL behind the text must fit too, whatever its length. */
TEST(it_grows_byte_by_byte_and_at_once) {
	static struct buf all;
	static char bytes[100000];
	size_t i;

	for (i = 0; i < sizeof(bytes); i++) {
		bytes[i] = (char)(1 + i * 7 % 255);
		if (i < 1000)
			is_number(strlen(buf_str(&b)), i);
		buf_addc(&b, bytes[i]);
	}
	buf_add(&all, bytes, sizeof(bytes));
	ok(buf_same(&b, &all) && memcmp(all.data, bytes, sizeof(bytes)) == 0);
	all.data[99] ^= 1;
	ok(!buf_same(&b, &all));
	buf_release(&b);
}

TEST(formatted_text_is_added_whole_and_the_caller_may_fill_the_room) {
	buf_printf(&b, "%s-%d", "a", 7);
	buf_printf(&b, "%%%5000s|", "x");
	ok(b.len == 3 + 5002 && strncmp(b.data, "a-7% ", 5) == 0);
	ok(b.data[b.len - 2] == 'x' && b.data[b.len - 1] == '|');
	memset(buf_room(&b, 1000), 'y', 1000);
	is_number(b.len, 3 + 5002);
	b.len += 1000;
	is_number(strlen(buf_str(&b)), 3 + 5002 + 1000);
	buf_release(&b);
}

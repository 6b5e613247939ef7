#include "run/status.h"

#include "tap.h"

static void
is_described(uint64_t input, uint64_t output, const char *want)
{
	struct buf out = BUF_INIT;

	tokens_describe(&out, "", &(struct tokens){ .input = input,
	    .output = output });
	is_text(buf_str(&out), want);
	buf_release(&out);
}

TEST(numbers_are_short) {
	is_described(0, 999, "0 in, 999 out");
	is_described(1000, 12345, "1.0k in, 12.3k out");
	is_described(99949, 99999, "99.9k in, 99.9k out");
	is_described(100000, 999999, "100k in, 999k out");
	is_described(1000000, 34567890, "1.0M in, 34.5M out");
	is_described(1234567890123, UINT64_C(1) << 60, "1.2T in, 1.1E out");
}

TEST(an_id_that_is_too_long_is_none) {
	struct token_count c = { .read = 0 };
	char id[2 * TOKENS_ID];
	int i;

	memset(id, 'x', sizeof(id) - 1);
	id[sizeof(id) - 1] = '\0';
	for (i = 0; i < 2; i++)
		tokens_count(&c, id, &(struct tokens){ 1, 1, 1 }, 1, 0);
	is_number((long)c.sum.input, 2);
	is_text(c.id, "");
}

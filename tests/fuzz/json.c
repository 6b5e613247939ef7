/*
 * What must hold of any text: comments only make more texts acceptable, what
 * is refused has a line of the text and a reason, every value of what is accepted
 * has a span, and what is printed is accepted and printed the same.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "data/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned
count_lines(const char *text, size_t len)
{
	unsigned lines = 1;
	size_t i;

	for (i = 0; i < len; i++)
		lines += text[i] == '\n';
	return lines;
}

static cJSON *
parse(const char *text, size_t len, bool comments)
{
	struct json_error error = { 0, "" };
	cJSON *value = json_parse(text, len, comments, &error);

	if (value == NULL) {
		assert(error.line >= 1);
		assert(error.line <= count_lines(text, len));
		assert(error.reason[0] != '\0');
	} else {
		assert(error.line == 0);
	}
	return value;
}

static void
check_print(const cJSON *value)
{
	struct buf once = BUF_INIT, twice = BUF_INIT;
	cJSON *again;

	json_print(&once, value);
	assert(memchr(once.data, '\n', once.len) == NULL);
	again = parse(once.data, once.len, false);
	assert(again != NULL);
	json_print(&twice, again);
	assert(strcmp(buf_str(&once), buf_str(&twice)) == 0);
	json_free(again);
	buf_release(&once);
	buf_release(&twice);
}

/* Values begin one behind the other, and inside their containers. */
static void
check_spans(const char *text, size_t len)
{
	struct json_spans all = { NULL, 0, 0 };
	cJSON *value = json_parse_spans(text, len, true, &all, NULL);
	const struct json_span *v, *outer;

	for (v = all.v; v < all.v + all.n; v++) {
		assert(v->from <= v->open && v->open < v->to && v->to <= len);
		assert(json_line(v->value) >= 1 &&
		    json_line(v->value) <= count_lines(text, len));
		if (v->container == JSON_NOWHERE)
			continue;
		outer = &all.v[v->container];
		assert(outer < v && outer->open < v->from);
		assert(v->to < outer->to &&
		    json_line(outer->value) <= json_line(v->value));
	}
	json_free(value);
	json_spans_release(&all);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xmalloc(size > 0 ? size : 1);
	cJSON *strict, *value;

	if (size > 0)
		memcpy(text, data, size);
	strict = parse(text, size, false);
	value = parse(text, size, true);
	assert(strict == NULL || value != NULL);
	if (value != NULL) {
		check_print(value);
		check_spans(text, size);
	}
	json_free(strict);
	json_free(value);
	free(text);
	return 0;
}

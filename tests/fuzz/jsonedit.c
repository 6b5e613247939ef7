/*
 * What must hold of any text: what is put into it leaves JSON that has it and
 * all that was there, and comes out again without a trace; so do the hooks of
 * an agent, and a second time changes nothing.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "setup/setup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CONTAINERS = 30 };

static const char form[] = "{\"base\":{\"version\":1},\"entry\":{\"matcher\":"
    "\"<<matcher>>\",\"hooks\":[{\"command\":\"<<command>>\"}]},\"register\":"
    "{\"record\":{\"Stop\":\"\",\"PostToolUse\":\"Bash\"},"
    "\"loop\":{\"Stop\":\"\"}}}";

static bool
same_text(const struct buf *a, const struct buf *b)
{
	return a->len == b->len &&
	    (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static bool
same_value(const struct buf *a, const struct buf *b)
{
	cJSON *x = json_parse(a->data, a->len, false, NULL);
	cJSON *y = json_parse(b->data, b->len, false, NULL);
	bool same = x != NULL && y != NULL && cJSON_Compare(x, y, true);

	json_free(x);
	json_free(y);
	return same;
}

/* A value goes into a container and out again. */
static void
check_container(const struct buf *text, size_t span)
{
	struct buf copy = BUF_INIT;
	cJSON *value = json_parse("7", 1, false, NULL);
	const cJSON *container;
	const char *key;
	struct jsonedit e;
	bool empty;
	int ret;

	buf_add(&copy, text->data, text->len);
	ret = jsonedit_init(&e, &copy);
	assert(ret == 0);
	container = e.spans.v[span].value;
	key = cJSON_IsObject(container) ? "a new \"key\"" : NULL;
	empty = container->child == NULL;
	if (key == NULL || json_member(container, key) == NULL) {
		jsonedit_append(&e, container, key, value);
		container = e.spans.v[span].value;
		jsonedit_remove(&e, container->child->prev);
		assert(empty ? same_value(&copy, text) :
		    same_text(&copy, text));
	}
	jsonedit_release(&e);
	json_free(value);
	buf_release(&copy);
}

static void
check_containers(const struct buf *text)
{
	struct json_spans spans = { NULL, 0, 0 };
	cJSON *root = json_parse_spans(text->data, text->len, false, &spans,
	    NULL);
	unsigned left = CONTAINERS;
	size_t i;

	for (i = 0; root != NULL && i < spans.n && left > 0; i++)
		if (cJSON_IsObject(spans.v[i].value) ||
		    cJSON_IsArray(spans.v[i].value)) {
			check_container(text, i);
			left--;
		}
	json_spans_release(&spans);
	json_free(root);
}

static void
check_hooks(const struct buf *text)
{
	cJSON *data = json_parse(form, sizeof(form) - 1, false, NULL);
	struct agenthooks h = { .data = data };
	struct buf copy = BUF_INIT, once = BUF_INIT, why = BUF_INIT;
	char **programs;
	bool ours;

	buf_add(&copy, text->data ? text->data : "", text->len);
	ourhooks_list(&h.dialect, &copy, &programs, &ours, &why);
	ours = programs != NULL;
	argv_free(programs);
	buf_reset(&why);
	if (agenthooks_add(&h, &copy, "/a b/paneward", OURHOOK_LOOP, &why)
	    == -1) {
		assert(why.len > 0);
		assert(same_text(&copy, text));
	} else {
		buf_add(&once, copy.data, copy.len);
		assert(agenthooks_add(&h, &copy, "/a b/paneward",
		    OURHOOK_LOOP, &why) == 0);
		assert(same_text(&copy, &once));
		assert(agenthooks_remove(&h, &copy, "/a b/paneward", text,
		    &why) == 0);
		assert(ours || same_text(&copy, text));
	}
	json_free(data);
	buf_release(&copy);
	buf_release(&once);
	buf_release(&why);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf text = BUF_INIT;

	buf_add(&text, data, size);
	check_containers(&text);
	check_hooks(&text);
	buf_release(&text);
	return 0;
}

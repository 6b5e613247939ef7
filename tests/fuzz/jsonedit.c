/*
 * What must hold of any text: what is put into it leaves JSON that has it and
 * all that was there, and comes out again without a trace; so do the hooks of
 * an agent, and a second time changes nothing.
 */
#include "base/argv.h"
#include "fuzz/fuzz.h"
#include "setup/setup.h"

enum { CONTAINERS = 30 };

static const char form[] = "{\"base\":{\"version\":1},\"entry\":{\"matcher\":"
    "\"<<matcher>>\",\"hooks\":[{\"command\":\"<<command>>\"}]},\"register\":"
    "{\"record\":{\"Stop\":\"\",\"PostToolUse\":\"Bash\"},"
    "\"loop\":{\"Stop\":\"\"}}}";

static bool
same_value(const struct buf *a, const struct buf *b)
{
	struct json *x = json_parse(a->data, a->len, false, NULL);
	struct json *y = json_parse(b->data, b->len, false, NULL);
	bool same = x != NULL && y != NULL && json_same(x, y);

	json_free(x);
	json_free(y);
	return same;
}

/* The list or object that begins at this byte. */
static const struct json *
container_at(const struct json *v, size_t open)
{
	const struct json *child, *found = v->open == open ? v : NULL;

	json_each(child, v)
		if (found == NULL && open >= child->open && open < child->to)
			found = container_at(child, open);
	return found;
}

/* A value goes into a container and out again. */
static void
check_container(struct buf *text, size_t open)
{
	struct buf copy = BUF_INIT;
	const struct json *container;
	const char *key;
	struct jsonedit e;
	bool empty;

	buf_add(&copy, text->data, text->len);
	assert(jsonedit_init(&e, &copy) == 0);
	container = container_at(e.root, open);
	key = json_is(container, JSON_OBJECT) ? "a new \"key\"" : NULL;
	empty = container->child == NULL;
	if (key == NULL || json_member(container, key) == NULL) {
		jsonedit_append(&e, container, key, json_new_text("7"));
		container = container_at(e.root, open);
		jsonedit_remove(&e, container->child->prev);
		assert(empty ? same_value(&copy, text) : buf_same(&copy, text));
	}
	json_free(e.root);
	buf_release(&copy);
}

static void
check_containers(struct buf *text, const struct json *v, unsigned *left)
{
	const struct json *child;

	if ((v->type == JSON_OBJECT || v->type == JSON_LIST) && *left > 0) {
		--*left;
		check_container(text, v->open);
	}
	json_each(child, v)
		check_containers(text, child, left);
}

static void
check_hooks(struct buf *text)
{
	struct json *data = json_parse(form, sizeof(form) - 1, false, NULL);
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
		assert(buf_same(&copy, text));
	} else {
		buf_add(&once, copy.data, copy.len);
		assert(agenthooks_add(&h, &copy, "/a b/paneward",
		    OURHOOK_LOOP, &why) == 0);
		assert(buf_same(&copy, &once));
		assert(agenthooks_remove(&h, &copy, "/a b/paneward", text,
		    &why) == 0);
		assert(ours || buf_same(&copy, text));
	}
	json_free(data);
	buf_release(&copy);
	buf_release(&once);
	buf_release(&why);
}

static void
check(const char *bytes, size_t len)
{
	struct buf text = BUF_INIT;
	unsigned left = CONTAINERS;
	struct json *root;

	buf_add(&text, bytes, len);
	root = json_parse(text.data, text.len, false, NULL);
	if (root != NULL)
		check_containers(&text, root, &left);
	json_free(root);
	check_hooks(&text);
	buf_release(&text);
}

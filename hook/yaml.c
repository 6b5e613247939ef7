/*
 * libyaml tells events, with places counted in characters.  The tree is made
 * of them here, with places in bytes: of what stands in brackets or is a text
 * libyaml's own, of block lists and mappings those of their members, since
 * libyaml lets them end where the next thing begins.
 */
#include "hook/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "base/utf8.h"

enum {
	BLOCK = 32 << 10,               /* bytes of memory taken at once */
	ANCHORS = 100,
	FEW = 32                        /* members that are compared one by one
*/ };

struct yaml_block {
	struct yaml_block *next;
	size_t used, size;
	max_align_t bytes[];
};

/* ---- memory ------------------------------------------------------------- */

static void *
yaml_alloc(struct yaml *y, size_t size)
{
	struct yaml_block *b = y->blocks;
	size_t most;
	void *p;

	size = (size + 15) & ~(size_t)15;
	if (b == NULL || b->size - b->used < size) {
		most = size > BLOCK ? size : BLOCK;
		b = xmalloc(sizeof(*b) + most);
		b->next = y->blocks;
		b->used = 0;
		b->size = most;
		y->blocks = b;
	}
	p = (char *)b->bytes + b->used;
	b->used += size;
	return p;
}

static struct yaml_node *
node_new(struct yaml *y)
{
	struct yaml_node *node;

	if (y->count == YAML_NODES)
		return NULL;
	y->count++;
	node = yaml_alloc(y, sizeof(*node));
	memset(node, 0, sizeof(*node));
	return node;
}

void
yaml_release(struct yaml *y)
{
	struct yaml_block *b, *next;

	for (b = y->blocks; b != NULL; b = next) {
		next = b->next;
		free(b);
	}
	*y = (struct yaml)YAML_INIT;
}

/* ---- asking ------------------------------------------------------------- */

const struct yaml_node *
yaml_member(const struct yaml_node *map, const char *key)
{
	const struct yaml_node *m;
	size_t len = strlen(key);

	if (map == NULL || map->kind != YAML_MAP)
		return NULL;
	for (m = map->first; m != NULL; m = m->next)
		if (m->key != NULL && m->key_len == len &&
		    memcmp(m->key, key, len) == 0)
			return m;
	return NULL;
}

bool
yaml_is_text(const struct yaml_node *node, const char *text)
{
	return node != NULL && node->kind == YAML_TEXT &&
	    node->len == strlen(text) && memcmp(node->text, text,
	    node->len) == 0;
}

static bool
is_word(const struct yaml_node *node, const char *const *words)
{
	if (node == NULL || !node->plain || node->marked)
		return false;
	while (*words != NULL && !yaml_is_text(node, *words))
		words++;
	return *words != NULL;
}

bool
yaml_is_null(const struct yaml_node *node)
{
	static const char *const words[] = { "", "~", "null", "Null", "NULL",
	    NULL };

	return node == NULL || is_word(node, words);
}

bool
yaml_is_bool(const struct yaml_node *node, bool value)
{
	static const char *const yes[] = { "true", "True", "TRUE", "yes",
	    "Yes", "YES", "on", "On", "ON", NULL };
	static const char *const no[] = { "false", "False", "FALSE", "no",
	    "No", "NO", "off", "Off", "OFF", NULL };

	return is_word(node, value ? yes : no);
}

static bool
same_bytes(const char *a, size_t na, const char *b, size_t nb)
{
	return na == nb && (a == NULL) == (b == NULL) &&
	    (a == NULL || memcmp(a, b, na) == 0);
}

bool
yaml_same(const struct yaml_node *a, const struct yaml_node *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	if (a->kind != b->kind || a->plain != b->plain ||
	    a->marked != b->marked ||
	    !same_bytes(a->key, a->key_len, b->key, b->key_len) ||
	    !same_bytes(a->text, a->len, b->text, b->len))
		return false;
	for (a = a->first, b = b->first; a && b; a = a->next, b = b->next)
		if (!yaml_same(a, b))
			return false;
	return a == b;
}

static int
by_key(const void *a, const void *b)
{
	const struct yaml_node *x = *(const struct yaml_node *const *)a;
	const struct yaml_node *y = *(const struct yaml_node *const *)b;

	if (x->key == NULL || y->key == NULL)
		return (x->key != NULL) - (y->key != NULL);
	if (x->key_len != y->key_len)
		return x->key_len < y->key_len ? -1 : 1;
	return memcmp(x->key, y->key, x->key_len);
}

static const struct yaml_node *
repeated_of_many(const struct yaml_node *map, size_t n)
{
	const struct yaml_node **all = xcalloc(n, sizeof(*all)), *m;
	const struct yaml_node *found = NULL;
	size_t i = 0;

	for (m = map->first; m != NULL; m = m->next)
		all[i++] = m;
	qsort(all, n, sizeof(*all), by_key);
	for (i = 1; i < n && found == NULL; i++)
		if (all[i]->key != NULL && by_key(&all[i - 1], &all[i]) == 0)
			found = all[i]->key_from > all[i - 1]->key_from ?
			    all[i] : all[i - 1];
	free(all);
	return found;
}

static const struct yaml_node *
repeated_key(const struct yaml_node *map)
{
	const struct yaml_node *m, *before;
	size_t n = 0;

	for (m = map->first; m != NULL; m = m->next)
		n++;
	if (n > FEW)
		return repeated_of_many(map, n);
	for (m = map->first; m != NULL; m = m->next)
		for (before = map->first; before != m; before = before->next)
			if (m->key != NULL && by_key(&m, &before) == 0)
				return m;
	return NULL;
}

/* ---- libyaml's events --------------------------------------------------- */

/* A list or mapping whose end has not come. */
struct open {
	struct yaml_node *node;
	struct yaml_node **next;        /* where its next member goes */
	struct yaml_node *key;          /* a
mapping's, without a value so far */ };

struct building {
	struct yaml *yaml;
	struct yaml_error *error;
	const char  *text;
	size_t       len;
	size_t       at, index;         /* the same place, in bytes and chars */
	struct open  open[YAML_DEPTH];
	unsigned     depth;
	unsigned     documents;
	const char  *anchors[ANCHORS];
	unsigned     nanchors;
};

static int __attribute__((format(printf, 3, 4)))
yaml_refuse(struct yaml_error *error, size_t line, const char *format, ...)
{
	va_list ap;

	error->line = (unsigned)line + 1;
	va_start(ap, format);
	vsnprintf(error->reason, sizeof(error->reason), format, ap);
	va_end(ap);
	return -1;
}

static bool
continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Places mostly grow, and are counted on from the last one. */
static uint32_t
byte_of(struct building *b, const yaml_mark_t *mark)
{
	for (; b->index < mark->index && b->at < b->len; b->index++)
		for (b->at++; b->at < b->len && continues(b->text[b->at]); )
			b->at++;
	for (; b->index > mark->index && b->at > 0; b->index--)
		for (b->at--; b->at > 0 && continues(b->text[b->at]); )
			b->at--;
	return (uint32_t)b->at;
}

static struct open *
innermost(struct building *b)
{
	return b->depth > 0 ? &b->open[b->depth - 1] : NULL;
}

/* The value of the key that was read before. */
static void
name_member(struct open *o, struct yaml_node *node)
{
	const struct yaml_node *key = o->key;

	if (key->kind == YAML_TEXT) {
		node->key = key->text;
		node->key_len = key->len;
	}
	node->key_from = key->from;
	o->key = NULL;
}

/* Puts a node where it belongs: a member of what is open, or its key. */
static int
tree_add(struct building *b, struct yaml_node *node)
{
	struct open *o = innermost(b);

	if (o == NULL) {
		b->yaml->root = node;
		return 0;
	}
	if (o->node->kind == YAML_MAP && o->key == NULL) {
		o->key = node;
		if (!o->node->flow && o->node->first == NULL)
			o->node->from = node->from;
		return 0;
	}
	if (o->node->kind == YAML_MAP)
		name_member(o, node);
	*o->next = node;
	o->next = &node->next;
	return 0;
}

static struct yaml_node *
node_of(struct building *b, enum yaml_kind kind, const yaml_event_t *event)
{
	struct yaml_node *node = node_new(b->yaml);

	if (node == NULL) {
		yaml_refuse(b->error, event->start_mark.line,
		    "more than %d values", YAML_NODES);
		return NULL;
	}
	node->kind = (unsigned char)kind;
	node->from = byte_of(b, &event->start_mark);
	node->to = byte_of(b, &event->end_mark);
	return node;
}

/* Remembers an anchor, or looks for it. */
static int
anchor(struct building *b, const yaml_char_t *name, bool known,
    const yaml_event_t *event)
{
	size_t size = strlen((const char *)name) + 1;
	unsigned i;
	char *copy;

	for (i = 0; known && i < b->nanchors; i++)
		if (strcmp(b->anchors[i], (const char *)name) == 0)
			return 0;
	if (known)
		return yaml_refuse(b->error, event->start_mark.line,
		    "an alias without its anchor");
	if (b->nanchors == ANCHORS)
		return yaml_refuse(b->error, event->start_mark.line,
		    "more than %d anchors", ANCHORS);
	copy = yaml_alloc(b->yaml, size);
	memcpy(copy, name, size);
	b->anchors[b->nanchors++] = copy;
	return 0;
}

static int
add_text(struct building *b, const yaml_event_t *event)
{
	struct yaml_node *node = node_of(b, YAML_TEXT, event);
	size_t len = event->data.scalar.length;
	char *copy;

	if (node == NULL)
		return -1;
	copy = yaml_alloc(b->yaml, len + 1);
	if (len > 0)
		memcpy(copy, event->data.scalar.value, len);
	node->text = copy;
	node->len = (uint32_t)len;
	node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	node->marked = event->data.scalar.anchor || event->data.scalar.tag;
	if (event->data.scalar.anchor != NULL &&
	    anchor(b, event->data.scalar.anchor, false, event) == -1)
		return -1;
	return tree_add(b, node);
}

static int
add_alias(struct building *b, const yaml_event_t *event)
{
	const char *name = (const char *)event->data.alias.anchor;
	struct yaml_node *node = node_of(b, YAML_ALIAS, event);
	char *copy;

	if (node == NULL)
		return -1;
	node->marked = true;
	node->len = (uint32_t)strlen(name);
	copy = yaml_alloc(b->yaml, node->len + 1);
	memcpy(copy, name, node->len);
	node->text = copy;
	if (anchor(b, event->data.alias.anchor, true, event) == -1)
		return -1;
	return tree_add(b, node);
}

static int
tree_open(struct building *b, enum yaml_kind kind, bool flow,
    const yaml_char_t *name, bool marked, const yaml_event_t *event)
{
	struct yaml_node *node = node_of(b, kind, event);

	if (node == NULL)
		return -1;
	if (b->depth == YAML_DEPTH)
		return yaml_refuse(b->error, event->start_mark.line,
		    "nested too deep");
	node->flow = flow;
	node->marked = marked;
	if (name != NULL && anchor(b, name, false, event) == -1)
		return -1;
	if (tree_add(b, node) == -1)
		return -1;
	b->open[b->depth++] = (struct open){ node, &node->first, NULL };
	return 0;
}

static size_t
yaml_line(const struct building *b, size_t at)
{
	const char *p = b->text, *end = b->text + at;
	size_t line = 0;

	while ((p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		line++;
		p++;
	}
	return line;
}

static int
tree_close(struct building *b, const yaml_event_t *event)
{
	struct open *o = &b->open[--b->depth];
	const struct yaml_node *m, *twice;
	uint32_t to = byte_of(b, &event->end_mark);

	if (o->node->flow) {
		o->node->to = to;
	} else {
		for (m = o->node->first; m != NULL; m = m->next)
			o->node->to = m->to;
	}
	twice = o->node->kind == YAML_MAP ? repeated_key(o->node) : NULL;
	if (twice != NULL)
		return yaml_refuse(b->error, yaml_line(b, twice->key_from),
		    "the key '%.*s' stands twice", twice->key_len > 20 ? 20 :
		    (int)twice->key_len, twice->key);
	return 0;
}

static int
take_event(struct building *b, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (b->documents++ > 0)
			return yaml_refuse(b->error, event->start_mark.line,
			    "more than one document");
		return 0;
	case YAML_DOCUMENT_END_EVENT:
		b->yaml->closed = !event->data.document_end.implicit;
		return 0;
	case YAML_SCALAR_EVENT:
		return add_text(b, event);
	case YAML_ALIAS_EVENT:
		return add_alias(b, event);
	case YAML_SEQUENCE_START_EVENT:
		return tree_open(b, YAML_LIST, event->data.sequence_start.style
		    == YAML_FLOW_SEQUENCE_STYLE,
		    event->data.sequence_start.anchor,
		    event->data.sequence_start.anchor != NULL ||
		    event->data.sequence_start.tag != NULL, event);
	case YAML_MAPPING_START_EVENT:
		return tree_open(b, YAML_MAP, event->data.mapping_start.style ==
		    YAML_FLOW_MAPPING_STYLE, event->data.mapping_start.anchor,
		    event->data.mapping_start.anchor != NULL ||
		    event->data.mapping_start.tag != NULL, event);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return tree_close(b, event);
	default:
		return 0;
	}
}

static int
parse_failed(const yaml_parser_t *parser, struct yaml_error *error)
{
	size_t line = parser->problem_mark.line;

	if (parser->error == YAML_MEMORY_ERROR)
		fatal_memory();
	return yaml_refuse(error, line, "%s", parser->problem ? parser->problem
	    : "libyaml cannot read it");
}

/* libyaml would guess an encoding, and tells no line of a bad byte. */
static int
check_bytes(const char *text, size_t len, struct yaml_error *error)
{
	size_t i, size, line = 0;

	if (len > YAML_MAX)
		return yaml_refuse(error, 0, "more than %d MiB", YAML_MAX >>
		    20);
	for (i = 0; i < len; i += size) {
		size = utf8_decode(text + i, len - i, NULL);
		if (size == 0 || text[i] == '\0')
			return yaml_refuse(error, line,
			    "byte 0x%02x is not text", (unsigned char)text[i]);
		line += text[i] == '\n';
	}
	return 0;
}

static int
yaml_parse(struct building *b, size_t skip)
{
	yaml_parser_t parser;
	yaml_event_t event;
	bool more = true;
	int ret = 0;

	if (!yaml_parser_initialize(&parser))
		fatal_memory();
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)b->text +
	    skip, b->len - skip);
	while (ret == 0 && more) {
		if (!yaml_parser_parse(&parser, &event)) {
			ret = parse_failed(&parser, b->error);
			break;
		}
		more = event.type != YAML_STREAM_END_EVENT;
		ret = take_event(b, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return ret;
}

int
yaml_load(struct yaml *y, const char *text, size_t len,
    struct yaml_error *error)
{
	struct building b = { .yaml = y, .error = error, .text = text,
	    .len = len };
	int ret;

	*y = (struct yaml)YAML_INIT;
	/* A byte order mark is no part of what libyaml counts. */
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		b.at = 3;
	ret = check_bytes(text, len, error);
	if (ret == 0)
		ret = yaml_parse(&b, b.at);
	if (ret == -1)
		yaml_release(y);
	return ret;
}

/*
 * libyaml's events have places in characters, the tree in bytes.  Block lists
 * and mappings get those of their members: libyaml ends such a node where the
 * next one begins.
 */
#include "data/yaml.h"

#include <yaml.h>

#include "base/base.h"

enum { ANCHORS = 100, BLOCK = 4 << 10 };

/* Pointers have the largest alignment. */
struct yaml_block {
	struct yaml_block *older;
	size_t used, size;
	void  *bytes[];
};

static void *
yaml_memory(struct yaml *y, size_t size)
{
	struct yaml_block *b = y->newest;
	size_t unit = sizeof(b->bytes[0]), units = (size + unit - 1) / unit;

	if (b == NULL || b->size - b->used < units) {
		b = xmalloc(sizeof(*b) + BLOCK + size);
		b->older = y->newest;
		b->used = 0;
		b->size = (BLOCK + size) / unit;
		y->newest = b;
	}
	b->used += units;
	return b->bytes + b->used - units;
}

void
yaml_release(struct yaml *y)
{
	struct yaml_block *b;

	while ((b = y->newest) != NULL) {
		y->newest = b->older;
		free(b);
	}
	*y = (struct yaml)YAML_INIT;
}

struct yaml_node *
yaml_member(const struct yaml_node *map, const char *key)
{
	struct yaml_node *m = map != NULL && map->kind == YAML_MAP ?
	    map->first : NULL;
	size_t len = strlen(key);

	while (m != NULL && (m->key == NULL || m->key_len != len ||
	    memcmp(m->key, key, len) != 0))
		m = m->next;
	return m;
}

bool
yaml_is_text(const struct yaml_node *node, const char *text)
{
	return node != NULL && node->kind == YAML_TEXT &&
	    node->len == strlen(text) &&
	    memcmp(node->text, text, node->len) == 0;
}

static bool
is_word(const struct yaml_node *node, const char *const *words)
{
	return node->plain && !node->marked &&
	    argv_has((char *const *)(uintptr_t)words, node->text);
}

bool
yaml_is_null(const struct yaml_node *node)
{
	static const char *const words[] = { "", "~", "null", "Null", "NULL",
	    NULL };

	return node == NULL || is_word(node, words);
}

static const char *const false_words[] = { "false", "False", "FALSE", "no",
    "No", "NO", "off", "Off", "OFF", NULL };

bool
yaml_is_false(const struct yaml_node *node)
{
	return node != NULL && is_word(node, false_words);
}

/* A plain word has no escapes. */
bool
yaml_may_have_false(const char *text, size_t len)
{
	const char *const *word, *p;

	if (len > YAML_MAX || strlen(text) < len)
		return true;            /* yaml_load() refuses it */
	for (word = false_words; *word != NULL; word++)
		for (p = text; (p = strstr(p, *word)) != NULL; p++)
			if ((p == text || !text_alnum(p[-1])) &&
			    !text_alnum(p[strlen(*word)]))
				return true;
	return false;
}

static const struct yaml_node *
skip_gone(const struct yaml_node *node)
{
	while (node != NULL && node->gone)
		node = node->next;
	return node;
}

bool
yaml_same(const struct yaml_node *a, const struct yaml_node *b)
{
	bool ended = a->open && b->len == a->len + 1 && b->text[a->len] == '\n';

	if (a->kind != b->kind || a->plain != b->plain ||
	    a->marked != b->marked || a->key_len != b->key_len ||
	    (a->key == NULL) != (b->key == NULL) || (a->key != NULL &&
	    memcmp(a->key, b->key, a->key_len) != 0) ||
	    (a->len != b->len && !ended) ||
	    memcmp(a->text, b->text, a->len) != 0)
		return false;
	a = skip_gone(a->first);
	b = skip_gone(b->first);
	while (a != NULL && b != NULL && yaml_same(a, b)) {
		a = skip_gone(a->next);
		b = skip_gone(b->next);
	}
	return a == b;
}

struct building {
	struct yaml       *yaml;
	struct text_error *error;
	const char   *text;
	size_t        len;
	bool          ascii;            /* the whole text */
	size_t        at, index;        /* one place, in bytes and characters */
	char        **anchors;
	yaml_parser_t parser;
	yaml_event_t  event;            /* the last; YAML_NO_EVENT: failed */
};

#define yaml_refuse(error, line, ...) \
	text_refuse((error), (unsigned)(line) + 1, __VA_ARGS__)

static int
next_event(struct building *b)
{
	const yaml_parser_t *parser = &b->parser;
	size_t i, size, line = 0;

	yaml_event_delete(&b->event);
	if (yaml_parser_parse(&b->parser, &b->event))
		return 0;
	if (parser->error == YAML_MEMORY_ERROR)
		fatal_memory();
	/* libyaml reports no line for a byte that it cannot read. */
	for (i = 0; parser->error == YAML_READER_ERROR && i < b->len;
	    i += size) {
		size = utf8_decode(b->text + i, b->len - i, NULL);
		if (size == 0 || b->text[i] == '\0')
			return yaml_refuse(b->error, line,
			    "byte 0x%02x is not text",
			    (unsigned char)b->text[i]);
		line += b->text[i] == '\n';
	}
	return yaml_refuse(b->error, parser->problem_mark.line, "%s",
	    parser->problem ? parser->problem : "libyaml cannot read it");
}

/* Counts from the last place, since places mostly grow. */
static uint32_t
byte_of(struct building *b, const yaml_mark_t *mark)
{
	if (b->ascii)
		return (uint32_t)mark->index;
	while (b->index < mark->index && b->at < b->len)
		b->index += (b->text[++b->at] & 0xc0) != 0x80;
	while (b->index > mark->index && b->at > 0)
		b->index -= (b->text[--b->at] & 0xc0) != 0x80;
	return (uint32_t)b->at;
}

/* Checks limits and anchors at an event that begins a node or is a key. */
static int
yaml_admit(struct building *b)
{
	/* Events that begin a node have their anchor and tag first. */
	const char *anchor = (const char *)b->event.data.scalar.anchor;
	size_t line = b->event.start_mark.line;

	if (b->yaml->count++ == YAML_NODES)
		return yaml_refuse(b->error, line, "more than %d values",
		    YAML_NODES);
	if (anchor == NULL)
		return 0;
	if (b->event.type == YAML_ALIAS_EVENT)
		return argv_has(b->anchors, anchor) ? 0 : yaml_refuse(b->error,
		    line, "an alias without its anchor");
	if (argv_count(b->anchors) == ANCHORS)
		return yaml_refuse(b->error, line, "more than %d anchors",
		    ANCHORS);
	b->anchors = argv_add(b->anchors, anchor);
	return 0;
}

static struct yaml_node *parse_node(struct building *b, unsigned depth);

static int
parse_members(struct building *b, struct yaml_node *node, unsigned depth)
{
	struct yaml_node **next = &node->first, *m;
	const yaml_event_t *e = &b->event;
	bool map = node->kind == YAML_MAP;
	struct text_key *keys = NULL;
	const struct text_key *twice;
	size_t n = 0, i, line = 0;
	uint32_t from, len;
	char *text;
	int ret = -1;

	while (next_event(b) == 0 && e->type != YAML_SEQUENCE_END_EVENT &&
	    e->type != YAML_MAPPING_END_EVENT) {
		from = byte_of(b, &e->start_mark);
		len = 0;
		text = NULL;
		if (map && e->type == YAML_SCALAR_EVENT) {
			len = (uint32_t)e->data.scalar.length;
			text = memcpy(yaml_memory(b->yaml, len + 1),
			    e->data.scalar.value, len + 1);
			*ARRAY_ADD(keys, n) = (struct text_key){ text, len,
			    from };
			if (yaml_admit(b) == -1)
				goto out;
		} else if (map) {
			m = parse_node(b, depth);
			if (m == NULL)
				goto out;
			from = m->from;
		}
		m = map && next_event(b) == -1 ? NULL : parse_node(b, depth);
		if (m == NULL)
			goto out;
		m->key = text;
		m->key_from = map ? from : 0;
		m->key_len = len;
		if (next == &node->first && map && !node->flow)
			node->from = from;
		if (!node->flow)
			node->to = m->to;
		*next = node->last = m;
		next = &m->next;
	}
	if (e->type == YAML_NO_EVENT)
		goto out;
	node->after = byte_of(b, &e->start_mark);
	if (node->flow)
		node->to = byte_of(b, &e->end_mark);
	twice = text_twice(keys, n);
	for (i = 0; twice != NULL && i < twice->place; i++)
		line += b->text[i] == '\n';
	ret = twice == NULL ? 0 : yaml_refuse(b->error, line, "the key '%.*s' "
	    "stands twice", twice->len > 20 ? 20 : (int)twice->len,
	    twice->text);
out:
	free(keys);
	return ret;
}

static struct yaml_node *
parse_node(struct building *b, unsigned depth)
{
	const yaml_event_t *e = &b->event;
	const char *anchor = (const char *)e->data.scalar.anchor, *text = "";
	yaml_scalar_style_t style = e->data.scalar.style;
	bool scalar = e->type == YAML_SCALAR_EVENT;
	bool alias = e->type == YAML_ALIAS_EVENT;
	struct yaml_node *node;
	size_t len = 0;

	if (yaml_admit(b) == -1)
		return NULL;
	if (scalar || alias) {
		text = scalar ? (const char *)e->data.scalar.value : anchor;
		len = scalar ? e->data.scalar.length : strlen(anchor);
	}
	node = yaml_memory(b->yaml, sizeof(*node) + len + 1);
	*node = (struct yaml_node){ .from = byte_of(b, &e->start_mark),
	    .to = byte_of(b, &e->end_mark),
	    .text = memcpy(node + 1, text, len + 1), .len = (uint32_t)len,
	    .marked = alias || anchor != NULL || e->data.scalar.tag != NULL,
	    .kind = scalar ? YAML_TEXT : alias ? YAML_ALIAS :
	    e->type == YAML_SEQUENCE_START_EVENT ? YAML_LIST : YAML_MAP };
	node->plain = scalar && style == YAML_PLAIN_SCALAR_STYLE;
	node->open = scalar && (style == YAML_LITERAL_SCALAR_STYLE ||
	    style == YAML_FOLDED_SCALAR_STYLE) && node->to == b->len &&
	    b->text[b->len - 1] != '\n';
	if (scalar || alias)
		return node;
	node->flow = node->kind == YAML_LIST ?
	    e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE :
	    e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
	if (depth == YAML_DEPTH) {
		yaml_refuse(b->error, e->start_mark.line, "nested too deep");
		return NULL;
	}
	return parse_members(b, node, depth + 1) == 0 ? node : NULL;
}

int
yaml_load(struct yaml *y, const char *text, size_t len,
    struct text_error *error)
{
	struct building b = { .yaml = y, .error = error, .text = text,
	    .len = len };
	unsigned char all = 0;
	size_t i;
	int ret = -1;

	*y = (struct yaml)YAML_INIT;
	if (len > YAML_MAX)
		return yaml_refuse(error, 0, "more than %d MiB", YAML_MAX >>
		    20);
	for (i = 0; i < len; i++)
		all |= (unsigned char)text[i];
	b.ascii = all < 0x80;
	/* libyaml does not count a byte order mark. */
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		b.at = 3;
	if (!yaml_parser_initialize(&b.parser))
		fatal_memory();
	yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&b.parser, (const unsigned char *)
	    (len > 0 ? text : "") + b.at, len - b.at);
	if (next_event(&b) == -1 || next_event(&b) == -1)
		goto out;
	ret = b.event.type == YAML_STREAM_END_EVENT ? 0 : -1;
	if (ret == 0 || next_event(&b) == -1)
		goto out;
	y->root = parse_node(&b, 0);
	if (y->root == NULL || next_event(&b) == -1)
		goto out;
	y->closed = !b.event.data.document_end.implicit;
	if (next_event(&b) == 0)
		ret = b.event.type == YAML_STREAM_END_EVENT ? 0 :
		    yaml_refuse(error, b.event.start_mark.line,
		    "more than one document");
out:
	yaml_event_delete(&b.event);
	yaml_parser_delete(&b.parser);
	y->anchors = b.anchors != NULL;
	argv_free(b.anchors);
	if (ret == -1)
		yaml_release(y);
	return ret;
}

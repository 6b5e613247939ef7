#include "hook/yamllines.h"

#include <string.h>

#include "base/utf8.h"
#include "hook/yaml.h"

enum { KEY_MAX = 128, NOWHERE = -1 };

/* Where in a text the reading stands, and what is open there. */
struct lines {
	struct yaml *yaml;
	const char  *text;
	const char  *p, *end;           /* of the line that is read */
	struct yaml_node *root;
	struct yaml_node **top;         /* where its next member goes */
	struct yaml_node *value;        /* of its last member */
	struct yaml_node **item;        /* where the list's next one goes */
	struct yaml_node *entry;        /* the list's last one */
	struct yaml_node **member;      /* where its next one goes */
	long dash;                      /* column of the list's dashes */
};

/* Bytes that YAML forbids, takes for line ends, or does not count. */
static bool
harmless(const char *p, size_t size)
{
	unsigned long c;

	size = utf8_decode(p, size, &c);
	return size > 1 && c >= 0xa0 && c != 0x2028 && c != 0x2029 &&
	    c != 0xfeff && (c & ~1ul) != 0xfffe;
}

/* Eight printable bytes of ASCII? */
static bool
printable(const char *p)
{
	static const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t x;

	memcpy(&x, p, 8);
	return ((x | (x + ones) | (x - 0x20 * ones)) & 0x80 * ones) == 0;
}

/* A line holds nothing but what this file can judge. */
static bool
line_fits(const char *p, const char *end)
{
	size_t size;

	while (p < end) {
		if (end - p >= 8 && printable(p)) {
			p += 8;
			continue;
		}
		if (*p >= ' ' && *p <= '~') {
			p++;
			continue;
		}
		if (!harmless(p, (size_t)(end - p)))
			return false;
		size = utf8_decode(p, (size_t)(end - p), NULL);
		p += size;
	}
	return true;
}

static bool
letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool
digit(char c)
{
	return c >= '0' && c <= '9';
}

static int
hex(char c)
{
	if (digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void
skip_blanks(struct lines *l)
{
	while (l->p < l->end && *l->p == ' ')
		l->p++;
}

/* Nothing but a comment may be left of the line; blanks must be before it. */
static bool
finish_line(struct lines *l)
{
	const char *from = l->p;

	skip_blanks(l);
	return l->p == l->end || (*l->p == '#' && l->p > from);
}

static uint32_t
place(const struct lines *l, const char *p)
{
	return (uint32_t)(p - l->text);
}

/* What an escape of two or more bytes at p means: its size, 0 for one that is
 * left to libyaml. */
static size_t
escape(const char *p, const char *end, unsigned *c)
{
	static const char letters[] = "\"\\ntr/ ", meant[] = "\"\\\n\t\r/ ";
	size_t i, digits;
	const char *known;
	int d;

	if (end - p < 2 || p[1] == '\0')
		return 0;
	known = strchr(letters, p[1]);
	if (known != NULL) {
		*c = (unsigned char)meant[known - letters];
		return 2;
	}
	digits = p[1] == 'x' ? 2 : p[1] == 'u' ? 4 : 0;
	if (digits == 0 || (size_t)(end - p) < 2 + digits)
		return 0;
	for (*c = 0, i = 0; i < digits; i++) {
		d = hex(p[2 + i]);
		if (d == -1)
			return 0;
		*c = *c << 4 | (unsigned)d;
	}
	return *c >= 0xd800 && *c < 0xe000 ? 0 : 2 + digits;
}

static size_t
encode(char *to, unsigned c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	to[0] = (char)(0xe0 | c >> 12);
	to[1] = (char)(0x80 | (c >> 6 & 0x3f));
	to[2] = (char)(0x80 | (c & 0x3f));
	return 3;
}

/* The text between double quotes that has escapes in it; they never mean
 * more bytes than they are. */
static void
unescape(struct lines *l, struct yaml_node *node, const char *p,
    const char *end)
{
	char *to = yaml_bytes(l->yaml, (size_t)(end - p));
	unsigned c = 0;
	size_t n = 0, size;

	node->text = to;
	while (p < end) {
		if (*p != '\\') {
			to[n++] = *p++;
			continue;
		}
		size = escape(p, end, &c);
		n += encode(to + n, c);
		p += size;
	}
	node->len = (uint32_t)n;
}

static bool
read_double(struct lines *l, struct yaml_node *node)
{
	const char *p = l->p + 1;
	bool escaped = false;
	unsigned c;
	size_t size;

	while (p < l->end && *p != '"') {
		size = 1;
		if (*p == '\\') {
			size = escape(p, l->end, &c);
			if (size == 0)
				return false;
			escaped = true;
		}
		p += size;
	}
	if (p == l->end)
		return false;
	node->text = l->p + 1;
	node->len = (uint32_t)(p - node->text);
	if (escaped)
		unescape(l, node, node->text, p);
	l->p = p + 1;
	return true;
}

static bool
read_single(struct lines *l, struct yaml_node *node)
{
	const char *p = memchr(l->p + 1, '\'', (size_t)(l->end - l->p - 1));

	if (p == NULL || (p + 1 < l->end && p[1] == '\''))
		return false;
	node->text = l->p + 1;
	node->len = (uint32_t)(p - node->text);
	l->p = p + 1;
	return true;
}

/* Characters with which a text without quotes may begin here. */
static bool
begins_plain(char c)
{
	return letter(c) || digit(c) || (c & 0x80) != 0 || c == '/' ||
	    c == '.' || c == '(' || c == '~' || c == '$' || c == '+';
}

static bool
read_plain(struct lines *l, struct yaml_node *node)
{
	const char *p, *end = l->p;

	for (p = l->p; p < l->end; p++) {
		if (*p == ' ')
			continue;
		if (*p == '#' && p > l->p && p[-1] == ' ')
			break;
		if (*p == ':' && (p + 1 == l->end || p[1] == ' '))
			return false;
		end = p + 1;
	}
	node->plain = true;
	node->text = l->p;
	node->len = (uint32_t)(end - l->p);
	l->p = end;
	return true;
}

/* What stands behind the colon of a key. */
static bool
read_value(struct lines *l, struct yaml_node *node)
{
	const char *colon = l->p;
	bool good;

	skip_blanks(l);
	node->from = place(l, l->p);
	if (l->p == l->end || *l->p == '#') {
		node->plain = true;
		node->from = node->to = place(l, colon);
		node->text = colon;
		return true;
	}
	if (*l->p == '"') {
		good = read_double(l, node);
	} else if (*l->p == '\'') {
		good = read_single(l, node);
	} else if (l->end - l->p >= 2 && memcmp(l->p, "[]", 2) == 0) {
		node->kind = YAML_LIST;
		node->flow = true;
		l->p += 2;
		good = true;
	} else {
		good = begins_plain(*l->p) && read_plain(l, node);
	}
	node->to = place(l, l->p);
	return good && finish_line(l);
}

/* key: value, to the end of the line; NULL where it is not that. */
static struct yaml_node *
read_member(struct lines *l)
{
	struct yaml_node *node;
	const char *key = l->p;

	while (l->p < l->end && (letter(*l->p) ||
	    (l->p > key && (digit(*l->p) || *l->p == '-'))))
		l->p++;
	if (l->p == key || l->p - key > KEY_MAX || l->p == l->end ||
	    *l->p++ != ':' || (l->p < l->end && *l->p != ' '))
		return NULL;
	node = yaml_new(l->yaml);
	if (node == NULL)
		return NULL;
	node->key = key;
	node->key_from = place(l, key);
	node->key_len = (uint32_t)(l->p - 1 - key);
	return read_value(l, node) ? node : NULL;
}

static bool
read_top(struct lines *l)
{
	struct yaml_node *node = read_member(l);

	if (node == NULL)
		return false;
	if (l->root == NULL) {
		l->root = yaml_new(l->yaml);
		if (l->root == NULL)
			return false;
		l->root->kind = YAML_MAP;
		l->root->from = node->key_from;
		l->top = &l->root->first;
	}
	*l->top = node;
	l->top = &node->next;
	l->value = node;
	l->entry = NULL;
	l->dash = NOWHERE;
	return true;
}

static bool
add_member(struct lines *l)
{
	struct yaml_node *node = read_member(l);

	if (node == NULL)
		return false;
	*l->member = node;
	l->member = &node->next;
	l->entry->to = l->value->to = node->to;
	return true;
}

/* The value so far was nothing; now a list begins in it. */
static void
begin_list(struct lines *l, long dash)
{
	struct yaml_node *node = l->value;

	node->kind = YAML_LIST;
	node->plain = false;
	node->text = NULL;
	node->from = place(l, l->p);
	l->item = &node->first;
	l->dash = dash;
}

/* A mapping behind a dash. */
static bool
read_item(struct lines *l, long column)
{
	if (l->value == NULL)
		return false;
	if (l->dash == NOWHERE && (l->value->kind != YAML_TEXT ||
	    !l->value->plain || l->value->len > 0))
		return false;
	if (l->dash == NOWHERE)
		begin_list(l, column);
	if (l->dash != column)
		return false;
	l->p += 2;
	l->entry = yaml_new(l->yaml);
	if (l->entry == NULL)
		return false;
	l->entry->kind = YAML_MAP;
	l->entry->from = place(l, l->p);
	*l->item = l->entry;
	l->item = &l->entry->next;
	l->member = &l->entry->first;
	return add_member(l);
}

static bool
read_line(struct lines *l)
{
	const char *start = l->p;
	long column;

	if (!line_fits(l->p, l->end))
		return false;
	skip_blanks(l);
	column = l->p - start;
	if (l->p == l->end || *l->p == '#')
		return true;
	if (*l->p == '-')
		return l->end - l->p > 2 && l->p[1] == ' ' &&
		    read_item(l, column);
	if (column == 0)
		return read_top(l);
	return l->entry != NULL && column == l->dash + 2 && add_member(l);
}

/* What only the whole tree shows. */
static bool
finish(struct lines *l)
{
	struct yaml_node *value, *entry, *last = NULL;

	if (l->root == NULL)
		return true;
	if (yaml_repeated(l->root) != NULL)
		return false;
	for (value = l->root->first; value != NULL; value = value->next) {
		last = value;
		for (entry = value->first; entry; entry = entry->next)
			if (yaml_repeated(entry) != NULL)
				return false;
	}
	l->root->to = last->to;
	l->yaml->root = l->root;
	return true;
}

bool
yamllines_load(struct yaml *yaml, const char *text, size_t len)
{
	struct lines l = { .yaml = yaml, .text = text, .p = text,
	    .dash = NOWHERE };
	const char *end = text + len, *next;

	while (l.p < end) {
		l.end = memchr(l.p, '\n', (size_t)(end - l.p));
		next = l.end != NULL ? l.end + 1 : end;
		if (l.end == NULL)
			l.end = end;
		else if (l.end > l.p && l.end[-1] == '\r')
			l.end--;
		if (!read_line(&l))
			return false;
		l.p = next;
	}
	return finish(&l);
}

/*
 * yaml.h - the one door to libyaml: a text as a tree with places.
 *
 * A text is one UTF-8 document, nested at most YAML_DEPTH deep.  Keys of a
 * mapping differ, and every alias has its anchor.
 */
#ifndef PANEWARD_YAML_H
#define PANEWARD_YAML_H

#include "base/text.h"

/* YAML_MAX is in bytes. */
enum { YAML_MAX = 16 << 20, YAML_NODES = 1 << 20, YAML_DEPTH = 64 };

enum yaml_kind { YAML_TEXT, YAML_LIST, YAML_MAP, YAML_ALIAS };

struct yaml_node {
	unsigned char kind;             /* enum yaml_kind */
	bool     plain;                 /* an unquoted text */
	bool     flow;                  /* [a, b], {a: b}, the pair of [a: b] */
	bool     marked;                /* has an anchor or a tag */
	bool     open;                  /* a '|' or '>' text without a last line
					   feed */
	bool     gone;                  /* set by callers: ignored */
	/* Bytes, with quotes and brackets. */
	uint32_t from, to;
	/* A block list or mapping continues here, behind comments. */
	uint32_t after;
	/* Texts are NUL-ended.  key NULL: no text. */
	uint32_t key_from, key_len, len;
	const char *key, *text;
	struct yaml_node *first, *last, *next;  /* members, or NULL; sibling */
};

struct yaml {
	struct yaml_node *root;         /* NULL: only comments */
	bool              closed, anchors;      /* by "..."; a node has one */
	size_t            count;        /* of nodes and keys */
	struct yaml_block *newest;      /* their memory */
};

#define YAML_INIT { .root = NULL }

/* A NUL ends the text.  -1: refused, and the tree is empty. */
int  yaml_load(struct yaml *, const char *text, size_t len,
    struct text_error *error);
void yaml_release(struct yaml *);

/* Or NULL. */
struct yaml_node *yaml_member(const struct yaml_node *map, const char *key);
bool yaml_is_text(const struct yaml_node *, const char *text);
bool yaml_is_null(const struct yaml_node *);    /* true of NULL */
/* In YAML 1.1. */
bool yaml_is_false(const struct yaml_node *);
/* May a value be false, or yaml_load() fail?  Much cheaper. */
bool yaml_may_have_false(const char *text, size_t len);

/* Compares keys, ignores gone members.  new may have the line feed that an open
 * text lacks. */
bool yaml_same(const struct yaml_node *old, const struct yaml_node *new);

#endif

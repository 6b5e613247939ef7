#include "backend/signs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/reset.h"
#include "base/alloc.h"
#include "base/utf8.h"

/* The key of each kind, and what it means unless its pattern says so. */
static const struct { const char *key, *what; } kinds[] = {
	[SIGN_ASKING]  = { "asking",  "it asks something" },
	[SIGN_LIMITED] = { "limited", "it is held by a usage limit" },
	[SIGN_BUSY]    = { "busy",    "it is busy" },
	[SIGN_READY]   = { "ready",   "it waits for a prompt" },
};

enum { OSC_MOST = 99999 };

const char *
sign_kind_name(enum sign_kind kind)
{
	return kinds[kind].key;
}

void
signs_release(struct signs *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		free(s->all[i].what);
		pattern_free(s->all[i].pattern);
	}
	free(s->all);
	free(s->app);
	*s = (struct signs){ 0 };
}

/* ---- reading ------------------------------------------------------------- */

/* "PATTERN" or { "pattern": PATTERN, "what": TEXT }; least is the kind. */
static int
take_sign(struct strict *s, const struct strict_row *row, struct signs *signs,
    const cJSON *value)
{
	struct sign sign = { .place = signs->place,
	    .kind = (enum sign_kind)row->least, .number = 1 };
	const char *text = cJSON_GetStringValue(value), *what = NULL;
	char why[160];
	size_t i;

	if (text == NULL) {
		text = json_text(value, "pattern");
		what = json_text(value, "what");
		if (text == NULL || cJSON_GetArraySize(value) != (what ? 2 : 1))
			return strict_refuse(s, value, " is not a list of "
			    "patterns, each a text or an object of pattern "
			    "and what");
	}
	sign.pattern = pattern_new(text, why, sizeof(why));
	if (sign.pattern == NULL)
		return strict_refuse(s, value, ": pattern '%s' does not "
		    "compile: %s", text, why);
	sign.what = xstrdup(what ? what : kinds[sign.kind].what);
	for (i = 0; i < signs->n; i++)
		sign.number += signs->all[i].place == sign.place &&
		    signs->all[i].kind == sign.kind;
	signs->all = xreallocarray(signs->all, signs->n + 1,
	    sizeof(*signs->all));
	signs->all[signs->n++] = sign;
	return 0;
}

static int
take_kind(struct strict *s, const struct strict_row *row, void *signs,
    const cJSON *list)
{
	const cJSON *value;

	if (!cJSON_IsArray(list))
		return strict_refuse(s, list, " is not a list of patterns");
	cJSON_ArrayForEach(value, list)
		if (take_sign(s, row, signs, value) == -1)
			return -1;
	return 0;
}

/* The first two only for what the agent announces. */
static const struct strict_row sign_rows[] = {
	{ "osc", strict_number, .at = offsetof(struct signs, osc),
	    .least = 1, .most = OSC_MOST },
	{ "app", strict_text, .at = offsetof(struct signs, app) },
	{ "asking",  take_kind, .least = SIGN_ASKING },
	{ "limited", take_kind, .least = SIGN_LIMITED },
	{ "busy",    take_kind, .least = SIGN_BUSY },
	{ "ready",   take_kind, .least = SIGN_READY },
	{ .key = NULL }
};

int
signs_take(struct strict *s, const struct strict_row *row, void *field,
    const cJSON *object)
{
	struct signs *signs = field;
	bool announced = row->least == SIGN_ANNOUNCED;

	signs->place = (enum sign_place)row->least;
	if (strict_read(s, sign_rows + (announced ? 0 : 2), signs, object) ==
	    -1)
		return -1;
	if (announced && signs->osc == 0)
		return strict_refuse(s, object, " has no 'osc'");
	return 0;
}

/* ---- finding ------------------------------------------------------------- */

/* Takes a group out of a match, on one line, with one blank between its words.
 * The bars of a frame count as blanks. */
static void
take_group(const struct sign *sign, const char *text, size_t len,
    const char *name, char *out, size_t size)
{
	struct buf line = BUF_INIT, shown = BUF_INIT;
	const char *p, *end;
	size_t start, n;
	bool bar;

	if (!pattern_group(sign->pattern, text, len, name, &start, &n))
		return;
	end = text + start + n;
	for (p = text + start; p < end; p += bar ? 3 : 1) {
		bar = end - p >= 3 && (memcmp(p, "\u2502", 3) == 0 ||
		    memcmp(p, "\u2503", 3) == 0);
		if (!bar && (unsigned char)*p > ' ')
			buf_addc(&line, *p);
		else if (line.len > 0 && line.data[line.len - 1] != ' ')
			buf_addc(&line, ' ');
	}
	utf8_add_shown(&shown, line.data, line.len, size / 4);
	snprintf(out, size, "%s", buf_str(&shown));
	buf_release(&line);
	buf_release(&shown);
}

struct sign_match
signs_find(const struct signs *s, enum sign_place place, const char *text,
    size_t len, msec wall)
{
	struct sign_match m = { .sign = NULL };
	const struct sign *sign;
	int kind;

	for (kind = 0; len > 0 && kind < SIGN_KINDS; kind++)
		for (sign = s->all; sign < s->all + s->n; sign++) {
			if (sign->place != place ||
			    sign->kind != (enum sign_kind)kind ||
			    !pattern_match(sign->pattern, text, len))
				continue;
			m.sign = sign;
			take_group(sign, text, len, "asked", m.asked,
			    sizeof(m.asked));
			if (kind == SIGN_LIMITED)
				take_group(sign, text, len, "reset", m.until,
				    sizeof(m.until));
			if (m.until[0] != '\0')
				m.reset = reset_time(m.until, wall);
			return m;
		}
	return m;
}

#include "chain/signs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "chain/reset.h"
#include "os/file.h"

static const char *const places[] = {
	[SIGN_ANNOUNCED] = "announces",
	[SIGN_TITLE]     = "title",
	[SIGN_SCREEN]    = "screen",
};

/* Each kind's key, and what is said where a pattern does not say what. */
static const struct { const char *key, *what; } kinds[] = {
	[SIGN_ASKING]  = { "asking",  "it asks something" },
	[SIGN_LIMITED] = { "limited", "it is held by a usage limit" },
	[SIGN_BUSY]    = { "busy",    "it is busy" },
	[SIGN_READY]   = { "ready",   "it waits for a prompt" },
};

enum { OSC_MOST = 99999, SIGNS_FILE_MAX = 1 << 20 };

const char *
sign_place_name(enum sign_place place)
{
	return places[place];
}

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
		free(s->all[i].text);
		free(s->all[i].what);
		pattern_free(s->all[i].pattern);
	}
	free(s->all);
	free(s->app);
	*s = (struct signs){ 0 };
}

/* ---- reading ------------------------------------------------------------- */

/* Where in a backend's file one is. */
struct source {
	const char *file;
	const struct buf *text;
	enum sign_place place;
	const char *key;
	struct buf *error;
};

static unsigned
line_of(const struct source *at)
{
	return json_line(at->text->data, at->text->len, places[at->place],
	    at->key, NULL);
}

static int
refuse(const struct source *at, const char *why)
{
	buf_printf(at->error, "'%s' line %u: '%s.%s' %s", at->file,
	    line_of(at), places[at->place], at->key, why);
	return -1;
}

static void
add(struct signs *s, const struct source *at, enum sign_kind kind,
    const char *text, const char *what)
{
	unsigned number = 1;
	size_t i;

	for (i = 0; i < s->n; i++)
		number += s->all[i].place == at->place &&
		    s->all[i].kind == kind;
	s->all = xreallocarray(s->all, s->n + 1, sizeof(*s->all));
	s->all[s->n++] = (struct sign){ .place = at->place, .kind = kind,
	    .number = number, .text = xstrdup(text),
	    .what = xstrdup(what ? what : kinds[kind].what) };
}

/* "PATTERN" or { "pattern": PATTERN, "what": TEXT }. */
static int
take_sign(struct signs *s, const struct source *at, enum sign_kind kind,
    const cJSON *value)
{
	const char *text, *what;
	int members = cJSON_IsObject(value) ? cJSON_GetArraySize(value) : 0;

	if (cJSON_IsString(value)) {
		add(s, at, kind, value->valuestring, NULL);
		return 0;
	}
	text = json_text(value, "pattern");
	what = json_text(value, "what");
	if (text == NULL || members != (what ? 2 : 1))
		return refuse(at, "is not a list of patterns, each a text or "
		    "an object of pattern and what");
	add(s, at, kind, text, what);
	return 0;
}

static int
take_list(struct signs *s, const struct source *at, enum sign_kind kind,
    const cJSON *list)
{
	const cJSON *value;

	if (!cJSON_IsArray(list))
		return refuse(at, "is not a list of patterns");
	cJSON_ArrayForEach(value, list)
		if (take_sign(s, at, kind, value) == -1)
			return -1;
	return 0;
}

static int
take_osc(struct signs *s, const struct source *at, const cJSON *value)
{
	double number = cJSON_IsNumber(value) ? value->valuedouble : 0;

	if (number < 1 || number > OSC_MOST || number != (int)number)
		return refuse(at, "is not the number of a sequence");
	s->osc = (unsigned)number;
	return 0;
}

static int
take_member(struct signs *s, struct source *at, const cJSON *value)
{
	int kind;

	at->key = value->string;
	for (kind = 0; kind < SIGN_KINDS; kind++)
		if (strcmp(kinds[kind].key, at->key) == 0)
			return take_list(s, at, (enum sign_kind)kind, value);
	if (at->place == SIGN_ANNOUNCED && strcmp(at->key, "osc") == 0)
		return take_osc(s, at, value);
	if (at->place == SIGN_ANNOUNCED && strcmp(at->key, "app") == 0) {
		if (!cJSON_IsString(value))
			return refuse(at, "is not a text");
		free(s->app);
		s->app = xstrdup(value->valuestring);
		return 0;
	}
	return refuse(at, "is an unknown key");
}

int
signs_read(struct signs *s, enum sign_place place, const cJSON *object,
    const char *file, const struct buf *text, struct buf *error)
{
	struct source at = { file, text, place, NULL, error };
	const cJSON *value;

	if (!cJSON_IsObject(object)) {
		buf_printf(error, "'%s' line %u: '%s' is not an object", file,
		    json_line(text->data, text->len, places[place], NULL),
		    places[place]);
		return -1;
	}
	cJSON_ArrayForEach(value, object)
		if (take_member(s, &at, value) == -1)
			return -1;
	if (place == SIGN_ANNOUNCED && s->osc == 0) {
		buf_printf(error, "'%s' line %u: '%s' has no 'osc'", file,
		    json_line(text->data, text->len, places[place], NULL),
		    places[place]);
		return -1;
	}
	return 0;
}

static int
refuse_pattern(const struct sign *sign, const char *file, const char *why,
    struct buf *error)
{
	struct buf text = BUF_INIT;
	struct source at = { file, &text, sign->place, kinds[sign->kind].key,
	    error };

	file_read(AT_FDCWD, file, 0, &text, SIGNS_FILE_MAX);
	buf_printf(error, "'%s' line %u: '%s.%s': pattern '%s' does not "
	    "compile: %s", file, line_of(&at), places[sign->place],
	    kinds[sign->kind].key, sign->text, why);
	buf_release(&text);
	return -1;
}

int
signs_compile(struct signs *s, const char *file, struct buf *error)
{
	struct sign *sign;
	char why[160];
	size_t i;

	for (i = 0; i < s->n; i++) {
		sign = &s->all[i];
		if (sign->pattern == NULL)
			sign->pattern = pattern_new(sign->text, why,
			    sizeof(why));
		if (sign->pattern == NULL)
			return refuse_pattern(sign, file, why, error);
	}
	return 0;
}

/* ---- finding ------------------------------------------------------------- */

/* The bar of a frame that is drawn around a text; its size. */
static size_t
bar(const char *p, const char *end)
{
	return end - p >= 3 && (memcmp(p, "\u2502", 3) == 0 ||
	    memcmp(p, "\u2503", 3) == 0) ? 3 : 0;
}

/* A text on one line: what separates its words becomes one blank. */
static void
add_line(struct buf *line, const char *p, const char *end)
{
	size_t step;

	for (; p < end; p += step) {
		step = bar(p, end);
		if (step == 0 && (unsigned char)*p > ' ')
			buf_addc(line, *p);
		else if (line->len > 0 && line->data[line->len - 1] != ' ')
			buf_addc(line, ' ');
		step += step == 0;
	}
}

static void
take_group(const struct sign *sign, const char *text, size_t len,
    const char *name, char *out, size_t size)
{
	struct buf line = BUF_INIT, shown = BUF_INIT;
	size_t start, n;

	if (!pattern_group(sign->pattern, text, len, name, &start, &n))
		return;
	add_line(&line, text + start, text + start + n);
	utf8_add_shown(&shown, buf_str(&line), line.len, size / 4);
	snprintf(out, size, "%s", buf_str(&shown));
	buf_release(&line);
	buf_release(&shown);
}

static bool
matches(const struct sign *sign, const char *text, size_t len, msec wall,
    struct sign_match *m)
{
	if (sign->pattern == NULL || !pattern_match(sign->pattern, text, len))
		return false;
	*m = (struct sign_match){ .sign = sign };
	take_group(sign, text, len, "asked", m->asked, sizeof(m->asked));
	if (sign->kind != SIGN_LIMITED)
		return true;
	take_group(sign, text, len, "reset", m->until, sizeof(m->until));
	if (m->until[0] != '\0')
		m->reset = reset_time(m->until, wall);
	return true;
}

struct sign_match
signs_find(const struct signs *s, enum sign_place place, const char *text,
    size_t len, msec wall)
{
	struct sign_match m = { .sign = NULL };
	int kind;
	size_t i;

	if (len == 0)
		return m;
	for (kind = 0; kind < SIGN_KINDS; kind++)
		for (i = 0; i < s->n; i++)
			if (s->all[i].place == place &&
			    s->all[i].kind == (enum sign_kind)kind &&
			    matches(&s->all[i], text, len, wall, &m))
				return m;
	return m;
}

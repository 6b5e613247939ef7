/*
 * json.c - reads, extends and prints trees; json-parse.c makes them.
 */
#include "text/json.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"

static const double exact_max = 9007199254740992.0;     /* 2^53 */

/* ---- members ------------------------------------------------------------- */

const cJSON *
json_member(const cJSON *object, const char *name)
{
	if (!cJSON_IsObject(object))
		return NULL;
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

const cJSON *
json_follow(const cJSON *from, const char *path)
{
	char name[64], *end;
	unsigned long i;
	size_t len;

	for (; from != NULL; path += len + 1) {
		len = strcspn(path, ".");
		if (len >= sizeof(name))
			return NULL;
		memcpy(name, path, len);
		name[len] = '\0';
		i = strtoul(name, &end, 10);
		if (!cJSON_IsArray(from))
			from = json_member(from, name);
		else
			from = len > 0 && *end == '\0' && i <= INT_MAX ?
			    cJSON_GetArrayItem(from, (int)i) : NULL;
		if (path[len] == '\0')
			break;
	}
	return from;
}

const char *
json_text(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(json_member(object, name));
}

static bool
json_whole(double d)
{
	return d >= -exact_max && d <= exact_max && (double)(int64_t)d == d;
}

int64_t
json_number(const cJSON *object, const char *name, int64_t fallback)
{
	const cJSON *item = json_member(object, name);

	if (!cJSON_IsNumber(item) || !json_whole(item->valuedouble))
		return fallback;
	return (int64_t)item->valuedouble;
}

bool
json_bool(const cJSON *object, const char *name, bool fallback)
{
	const cJSON *item = json_member(object, name);

	return cJSON_IsBool(item) ? cJSON_IsTrue(item) : fallback;
}

void
json_add_text(cJSON *object, const char *name, const char *text)
{
	struct buf good = BUF_INIT;

	if (text == NULL)
		return;
	utf8_add_valid(&good, text, strlen(text), SIZE_MAX);
	cJSON_AddStringToObject(object, name, buf_str(&good));
	buf_release(&good);
}

void
json_add_time(cJSON *object, const char *name, msec wall)
{
	char text[CLOCK_TEXT];

	clock_format(text, wall);
	json_add_text(object, name, text);
}

/* ---- printing ------------------------------------------------------------ */

/* A number becomes the shortest text that reads as the same number; cJSON's is
 * sometimes only close. */
static void
spell_numbers(cJSON *tree)
{
	double d = tree->valuedouble;
	int digits = 15;
	cJSON *child;
	char text[32];

	if (cJSON_IsNumber(tree)) {
		if (json_whole(d))
			snprintf(text, sizeof(text), "%" PRId64, (int64_t)d);
		else
			do
				snprintf(text, sizeof(text), "%.*g", digits, d);
			while (strtod(text, NULL) != d && digits++ < 17);
		tree->type = (tree->type & ~0xff) | cJSON_Raw;
		tree->valuestring = xstrdup(text);
	}
	cJSON_ArrayForEach(child, tree)
		spell_numbers(child);
}

/* Only strings hold what a terminal obeys; it begins with one of these bytes. */
static void
add_shown(struct buf *out, const char *text)
{
	const char *from = text, *p = text;
	unsigned long c;
	size_t size;

	while ((p = strpbrk(p, "\x7f\xc2\xd8\xe2")) != NULL) {
		size = utf8_decode(p, strnlen(p, 3), &c);
		if (size > 0 && utf8_harmful(c)) {
			buf_add(out, from, (size_t)(p - from));
			buf_printf(out, "\\u%04lx", c);
			from = p + size;
		}
		p += size > 0 ? size : 1;
	}
	buf_adds(out, from);
}

void
json_print(struct buf *out, const cJSON *value)
{
	cJSON *copy = cJSON_Duplicate(value, true);
	char *text;

	spell_numbers(copy);
	text = cJSON_PrintUnformatted(copy);
	add_shown(out, text);
	free(text);
	cJSON_Delete(copy);
}

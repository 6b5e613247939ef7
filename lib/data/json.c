/*
 * json.c - reads, extends and prints trees; json-parse.c makes them.
 *
 * The printing is ours, too: cJSON's prints what a terminal obeys, and some
 * numbers only closely, and it needs a copy of the tree to change that.
 */
#include "data/json.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void
json_print_text(struct buf *out, const char *text)
{
	static const char bytes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *from = text, *end = text + strlen(text), *known;
	unsigned long c;
	size_t size;

	buf_room(out, (size_t)(end - text) + 2);
	buf_addc(out, '"');
	while (text < end) {
		if (*text >= ' ' && *text < 0x7f && *text != '"' &&
		    *text != '\\') {
			text++;
			continue;
		}
		size = utf8_decode(text, (size_t)(end - text), &c);
		if (size > 0 && (c == '"' || c == '\\' || utf8_harmful(c))) {
			buf_add(out, from, (size_t)(text - from));
			known = c > 0 && c < 0x7f ? strchr(bytes, (int)c) :
			    NULL;
			if (known != NULL)
				buf_printf(out, "\\%c", letters[known - bytes]);
			else
				buf_printf(out, "\\u%04lx", c);
			from = text + size;
		}
		text += size > 0 ? size : 1;
	}
	buf_add(out, from, (size_t)(end - from));
	buf_addc(out, '"');
}

void
json_print(struct buf *out, const cJSON *value)
{
	bool object = cJSON_IsObject(value);
	double d = value != NULL ? value->valuedouble : 0;
	const cJSON *child;
	int digits = 15;
	char text[32];

	if (cJSON_IsString(value)) {
		json_print_text(out, value->valuestring);
	} else if (cJSON_IsNumber(value)) {
		/* The shortest text that reads as the same number; cJSON's is
		 * sometimes only close. */
		if (json_whole(d))
			snprintf(text, sizeof(text), "%" PRId64, (int64_t)d);
		else
			do
				snprintf(text, sizeof(text), "%.*g", digits, d);
			while (strtod(text, NULL) != d && digits++ < 17);
		buf_adds(out, text);
	} else if (object || cJSON_IsArray(value)) {
		buf_addc(out, object ? '{' : '[');
		cJSON_ArrayForEach(child, value) {
			if (child != value->child)
				buf_addc(out, ',');
			if (object) {
				json_print_text(out, child->string);
				buf_addc(out, ':');
			}
			json_print(out, child);
		}
		buf_addc(out, object ? '}' : ']');
	} else {
		buf_adds(out, cJSON_IsNull(value) ? "null" :
		    cJSON_IsTrue(value) ? "true" : "false");
	}
}

void
json_puts(cJSON *value)
{
	struct buf line = BUF_INIT;

	json_print(&line, value);
	puts(buf_str(&line));
	buf_release(&line);
	json_free(value);
}

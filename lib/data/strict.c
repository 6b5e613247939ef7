#include "data/strict.h"

#include <inttypes.h>

#include "base/command.h"
#include "base/since.h"

static void
strict_add_place(struct strict *s, const struct json *value)
{
	if (s->lines)
		buf_printf(s->error, "'%s' line %u: ", s->from, value->line);
	else if (s->from != NULL)
		buf_printf(s->error, "%s: ", s->from);
}

static void
add_keys(struct strict *s)
{
	size_t i;

	for (i = 0; i < s->depth; i++)
		buf_printf(s->error, "%s%.200s", i == 0 ? "'" : ".",
		    s->keys[i]);
	buf_adds(s->error, "'");
}

int
strict_refuse(struct strict *s, const struct json *value, const char *format,
    ...)
{
	va_list ap;

	strict_add_place(s, value);
	add_keys(s);
	va_start(ap, format);
	buf_vprintf(s->error, format, ap);
	va_end(ap);
	return -1;
}

int
strict_read(struct strict *s, const struct strict_row *rows, void *to,
    const struct json *object)
{
	const struct strict_row *row, *outer = s->row;
	const char *nearest = NULL;
	const struct json *value;
	int ret = 0;

	if (!json_is(object, JSON_OBJECT))
		return strict_refuse(s, object, " is not an object");
	if (s->depth == STRICT_DEPTH)
		return strict_refuse(s, object, " is nested too deep");
	s->depth++;
	json_each(value, object) {
		s->keys[s->depth - 1] = value->key;
		for (row = rows; row->key != NULL; row++)
			if (strcmp(row->key, value->key) == 0 ||
			    strcmp(row->key, "*") == 0)
				break;
		if (row->key == NULL)
			break;
		s->row = row;
		if (row->personal && s->shared)
			ret = strict_refuse(s, value, " stands only in the "
			    "user's config.json");
		else
			ret = row->take(s, to != NULL ? (char *)to + row->at :
			    NULL, value);
		if (ret == -1)
			break;
	}
	if (ret == 0 && value != NULL) {
		for (row = rows; row->key != NULL; row++)
			command_nearer(&nearest, value->key, row->key);
		strict_add_place(s, value);
		buf_adds(s->error, "unknown key ");
		add_keys(s);
		if (nearest != NULL)
			buf_printf(s->error, " (did you mean '%s'?)", nearest);
		ret = -1;
	}
	s->depth--;
	s->row = outer;
	return ret;
}

struct json *
strict_parse(struct strict *s, const struct buf *text)
{
	struct text_error e;
	struct json *object = json_parse(text->data, text->len, true, &e);

	s->lines = true;
	if (object == NULL) {
		buf_printf(s->error, "'%s' line %u: %s", s->from, e.line,
		    e.reason);
	} else if (!json_is(object, JSON_OBJECT)) {
		strict_add_place(s, object);
		buf_adds(s->error, "it is not an object");
		json_free(object);
		object = NULL;
	}
	return object;
}

int
strict_file(struct strict *s, const struct buf *text,
    const struct strict_row *rows, void *to)
{
	struct json *object = strict_parse(s, text);
	int ret = object != NULL ? strict_read(s, rows, to, object) : -1;

	json_free(object);
	return ret;
}

void
strict_release(const struct strict_row *row, void *of)
{
	void *field;

	for (; of != NULL && row->key != NULL; row++) {
		field = (char *)of + row->at;
		if (row->take == strict_object)
			strict_release(row->rows, field);
		else if (row->take == strict_texts)
			argv_free(*(char ***)field);
		else if (row->take == strict_text || row->take == strict_path ||
		    row->take == strict_filled || row->take == strict_word)
			free(*(char **)field);
	}
}

char **
strict_list(const struct json *array)
{
	char **list = xcalloc(1, sizeof(*list));
	const struct json *item;

	json_each(item, array)
		if (item->type == JSON_TEXT)
			list = argv_add(list, item->text);
	if (json_is(array, JSON_LIST) && argv_count(list) == json_size(array))
		return list;
	argv_free(list);
	return NULL;
}

int
strict_ignored(struct strict *s, void *field, const struct json *value)
{
	(void)field;
	return json_is(value, JSON_TEXT) ? 0 :
	    strict_refuse(s, value, " is not a text");
}

int
strict_ignored_texts(struct strict *s, void *field, const struct json *value)
{
	char **list = strict_list(value);

	(void)field;
	argv_free(list);
	return list != NULL ? 0 :
	    strict_refuse(s, value, " is not a list of texts");
}

int
strict_ignored_object(struct strict *s, void *field, const struct json *value)
{
	(void)field;
	return json_is(value, JSON_OBJECT) ? 0 :
	    strict_refuse(s, value, " is not an object");
}

int
strict_text(struct strict *s, void *field, const struct json *value)
{
	char **text = field;

	if (strict_ignored(s, field, value) == -1)
		return -1;
	free(*text);
	*text = xstrdup(value->text);
	return 0;
}

int
strict_filled(struct strict *s, void *field, const struct json *value)
{
	if (json_is(value, JSON_TEXT) && value->text[0] == '\0')
		return strict_refuse(s, value, " is empty");
	return strict_text(s, field, value);
}

int
strict_word(struct strict *s, void *field, const struct json *value)
{
	const char *text = json_text_of(value);

	if (text == NULL || !s->row->valid(text))
		return strict_refuse(s, value, " is %s", s->row->those);
	return strict_text(s, field, value);
}

int
strict_path(struct strict *s, void *field, const struct json *value)
{
	char **place = field, *path;

	if (strict_filled(s, field, value) == -1)
		return -1;
	path = *place;
	if (path[0] == '/')
		return 0;
	if (s->folder == NULL)
		return strict_refuse(s, value, ": the current directory: %s",
		    strerror(errno));
	*place = xasprintf("%s/%s", strcmp(s->folder, "/") ? s->folder : "",
	    path);
	free(path);
	return 0;
}

int
strict_texts(struct strict *s, void *field, const struct json *value)
{
	char **list = strict_list(value), **p, ***place = field;

	for (p = list; p != NULL && *p != NULL; p++)
		if (s->row->valid != NULL && !s->row->valid(*p))
			break;
	if (p == NULL || *p != NULL) {
		argv_free(list);
		return strict_refuse(s, value, " is not a list of %s",
		    s->row->those != NULL ? s->row->those : "texts");
	}
	argv_free(*place);
	*place = list;
	return 0;
}

int
strict_flag(struct strict *s, void *field, const struct json *value)
{
	if (!json_is(value, JSON_BOOL))
		return strict_refuse(s, value, " is not true or false");
	*(bool *)field = json_is_true(value);
	return 0;
}

int
strict_number(struct strict *s, void *field, const struct json *value)
{
	double d = json_is(value, JSON_NUMBER) ? value->number : 0.5;
	msec span;

	if (s->row->seconds && json_is(value, JSON_TEXT) &&
	    since_span(value->text, &span))
		d = (double)(span / 1000);
	if (d < (double)s->row->least || d > (double)s->row->most ||
	    (double)(int64_t)d != d)
		return strict_refuse(s, value, " is not a whole number from %"
		    PRId64 " to %" PRId64 "%s", s->row->least, s->row->most,
		    s->row->seconds ? SINCE_UNITS : "");
	*(int64_t *)field = (int64_t)d;
	return 0;
}

int
strict_object(struct strict *s, void *field, const struct json *value)
{
	return strict_read(s, s->row->rows, field, value);
}

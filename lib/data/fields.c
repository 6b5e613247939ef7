#include "data/fields.h"

#include "data/json.h"
#include "os/file.h"

/* ---- members ------------------------------------------------------------- */

static void *
member_in(const struct field *f, const void *s)
{
	return (char *)(uintptr_t)s + f->at;
}

/* False, with nothing set, if the number does not fit. */
static bool
number_set(const struct field *f, void *s, int64_t n)
{
	bool natural = f->kind == FIELD_UNSIGNED;
	uint32_t narrow = (uint32_t)n;

	if ((natural && n < 0) || (f->size < sizeof(n) && (n < INT32_MIN ||
	    n > (natural ? (int64_t)UINT32_MAX : INT32_MAX))))
		return false;
	if (f->size == sizeof(n))
		memcpy(member_in(f, s), &n, sizeof(n));
	else if (f->kind == FIELD_BOOL)
		*(bool *)member_in(f, s) = n != 0;
	else
		memcpy(member_in(f, s), &narrow, sizeof(narrow));
	return true;
}

/* ---- writing ------------------------------------------------------------- */

/* False: it is its fallback. */
static bool
add_field(struct json *o, const struct field *f, const void *s, bool inside)
{
	const void *at = member_in(f, s);
	struct buf text = BUF_INIT;
	char *const *words;
	struct json *added;
	int64_t number = f->fallback;
	int32_t narrow;
	const char *p;
	bool told;
	size_t n;

	switch (f->kind) {
	case FIELD_TEXT:
		json_add_text(o, f->key, *(char *const *)at);
		return *(char *const *)at != NULL;
	case FIELD_WORD:
	case FIELD_LETTER:
	case FIELD_CODED:
		if (f->kind == FIELD_CODED)
			f->print(&text, s);
		else
			buf_add(&text, at, f->kind == FIELD_WORD ? strlen(at) :
			    *(const char *)at != '\0');
		told = text.len > 0;
		if (told || !f->omit)
			json_add_text(o, f->key, buf_str(&text));
		buf_release(&text);
		return told;
	case FIELD_WORDS:
		words = *(char *const *const *)at;
		if (words == NULL)
			return false;
		added = json_add_list(o, f->key);
		for (; *words != NULL; words++)
			json_append(added, json_new_text(*words));
		return true;
	case FIELD_OBJECT:
		added = json_add_object(o, f->key);
		told = fields_add(added, f->fields, at, inside);
		if (!told && f->omit)
			json_remove(added);
		return told;
	case FIELD_LIST:
		p = *(const char *const *)at;
		n = *(const size_t *)(const void *)((const char *)s + f->count);
		added = json_add_list(o, f->key);
		for (; n > 0; n--, p += f->each)
			fields_add(json_add_object(added, NULL), f->fields, p,
			    inside);
		return true;
	default:
		if (f->size == sizeof(number)) {
			memcpy(&number, at, sizeof(number));
		} else if (f->kind == FIELD_BOOL) {
			number = *(const bool *)at;
		} else if (f->kind != FIELD_CONSTANT) {
			memcpy(&narrow, at, sizeof(narrow));
			number = f->kind == FIELD_UNSIGNED ?
			    (int64_t)(uint32_t)narrow : narrow;
		}
		told = number != f->fallback || f->kind == FIELD_CONSTANT;
		if (!told && f->omit)
			return false;
		if (f->kind == FIELD_BOOL)
			json_add_bool(o, f->key, number != 0);
		else if (f->kind == FIELD_TIME)
			json_add_time(o, f->key, number);
		else if (f->kind == FIELD_NAME)
			json_add_text(o, f->key, f->names[number]);
		else
			json_add_number(o, f->key, number);
		return told;
	}
}

bool
fields_add(struct json *object, const struct field *f, const void *s,
    bool inside)
{
	bool told = false;

	for (; f->key != NULL; f++)
		if ((f->when == NULL || f->when(s)) && (inside || !f->inside))
			told |= add_field(object, f, s, inside);
	return told;
}

void
fields_print(struct buf *out, const struct field *f, const void *s)
{
	struct json *o = json_new_object();

	fields_add(o, f, s, true);
	json_give(out, o);
}

int
fields_write(int dirfd, const char *name, const struct field *f, const void *s)
{
	struct buf text = BUF_INIT;
	int ret;

	fields_print(&text, f, s);
	buf_addc(&text, '\n');
	ret = file_replace(dirfd, name, text.data, text.len, 0600);
	buf_release(&text);
	return ret;
}

/* ---- reading ------------------------------------------------------------- */

static void
set_fallback(const struct field *f, void *s)
{
	const struct field *nested;

	if (f->kind == FIELD_OBJECT)
		for (nested = f->fields; nested->key != NULL; nested++)
			set_fallback(nested, member_in(f, s));
	else if (f->kind == FIELD_WORD || f->kind == FIELD_LETTER)
		*(char *)member_in(f, s) = '\0';
	else if (f->kind >= FIELD_SIGNED && f->kind <= FIELD_NAME)
		number_set(f, s, f->fallback);
}

static bool
take_string(const struct field *f, void *s, const char *text, size_t len)
{
	char **copy = member_in(f, s), *word = member_in(f, s);
	bool fits = len < f->size;
	size_t i;
	msec wall;

	switch (f->kind) {
	case FIELD_TEXT:
		free(*copy);
		*copy = xstrdup(text);
		return true;
	case FIELD_WORD:
		if (f->fit != NULL)
			f->fit(word, f->size, text, len);
		else if (fits)
			memcpy(word, text, len + 1);
		return f->fit != NULL || fits;
	case FIELD_LETTER:
		fits = len == 1 && strchr(f->names[0], *text) != NULL;
		if (fits)
			*word = *text;
		return fits;
	case FIELD_TIME:
		wall = clock_parse(text);
		return wall != -1 && number_set(f, s, wall);
	case FIELD_NAME:
		for (i = 0; i < f->nnames; i++)
			if (strcmp(f->names[i], text) == 0)
				return number_set(f, s, (int64_t)i);
		return false;
	case FIELD_CODED:
		f->parse(s, text);
		return true;
	default:
		return false;
	}
}

static bool
take_number(const struct field *f, void *s, double d)
{
	return (f->kind == FIELD_SIGNED || f->kind == FIELD_UNSIGNED) &&
	    json_whole(d) && number_set(f, s, (int64_t)d);
}

int
fields_take(const struct field *f, void *s, const struct json *object)
{
	const struct json *next = object->child, *value, *each;
	enum json_type type;
	char ***words, **all, *last;
	size_t *n;
	bool set;

	for (; f->key != NULL; f++) {
		words = member_in(f, s);
		all = member_in(f, s);
		n = (void *)((char *)s + f->count);
		/* Members mostly keep the table's order. */
		value = next;
		if (value == NULL || strcmp(value->key, f->key) != 0)
			value = json_member(object, f->key);
		if (value != NULL)
			next = value->next;
		set = value != NULL;
		type = set ? value->type : JSON_NULL;
		if (type == JSON_TEXT) {
			set = take_string(f, s, value->text,
			    strlen(value->text));
		} else if (type == JSON_NUMBER) {
			set = take_number(f, s, value->number);
		} else if (type == JSON_BOOL && f->kind == FIELD_BOOL) {
			*(bool *)member_in(f, s) = value->number != 0;
		} else if (type == JSON_LIST && f->kind == FIELD_WORDS) {
			if (*words == NULL)
				*words = xcalloc(1, sizeof(**words));
			json_each(each, value)
				if (each->type == JSON_TEXT)
					*words = argv_add(*words, each->text);
		} else if (type == JSON_LIST && f->kind == FIELD_LIST) {
			json_each(each, value) {
				if (each->type != JSON_OBJECT)
					continue;
				*all = xgrow(*all, *n, f->each);
				last = *all + (*n)++ * f->each;
				memset(last, 0, f->each);
				if (fields_take(f->fields, last, each) == -1)
					return -1;
			}
		} else if (type == JSON_OBJECT && f->kind == FIELD_OBJECT) {
			if (fields_take(f->fields, all, value) == -1)
				return -1;
			if (f->parse != NULL)
				f->parse(s, f->key);
		} else {
			set = false;
		}
		if (!set && f->required)
			return -1;
		if (!set)
			set_fallback(f, s);
	}
	return 0;
}

void
fields_release(const struct field *f, void *s)
{
	char **place;
	size_t *n;

	for (; f->key != NULL; f++) {
		place = member_in(f, s);
		n = (void *)((char *)s + f->count);
		if (f->kind == FIELD_OBJECT)
			fields_release(f->fields, place);
		else if (f->kind == FIELD_WORDS)
			argv_free(*(char ***)member_in(f, s));
		for (; f->kind == FIELD_LIST && *n > 0; (*n)--)
			fields_release(f->fields, *place + (*n - 1) * f->each);
		if (f->kind == FIELD_TEXT || f->kind == FIELD_LIST)
			free(*place);
		if (f->kind == FIELD_TEXT || f->kind == FIELD_LIST ||
		    f->kind == FIELD_WORDS)
			*place = NULL;
	}
}

int
fields_parse(const struct field *f, void *s, const char *text, size_t len)
{
	struct json *object = json_parse(text, len, false, NULL);
	int ret = json_is(object, JSON_OBJECT) ? fields_take(f, s, object) : -1;

	json_free(object);
	return ret;
}

/* ---- reading our own files ----------------------------------------------- */

/* Parses in place: a tree takes several times as long.  Accepts the table's
 * order, no lists, ASCII without escapes.  Returns the rest; NULL leaves
 * another form to the parser. */
static char *
own_object(const struct field *f, void *s, char *p)
{
	static const int64_t most = INT64_C(1) << 53;
	char before = '{', *end;
	bool taken;
	size_t len;
	int64_t n;

	for (; f->key != NULL; f++) {
		if (p[0] != before || p[1] != '"' || p[2] != f->key[0] ||
		    strncmp(p + 2, f->key, len = strlen(f->key)) != 0 ||
		    p[len + 2] != '"' || p[len + 3] != ':') {
			if (f->required)
				return NULL;
			if (f->kind != FIELD_OBJECT)
				set_fallback(f, s);
			continue;
		}
		before = ',';
		p += len + 4;
		end = p + 1;
		if (*p == '"') {
			while (*end >= ' ' && *end < 0x7f && *end != '"' &&
			    *end != '\\')
				end++;
			if (*end != '"')
				return NULL;
			*end = '\0';
			taken = take_string(f, s, p + 1, (size_t)(end - p - 1));
			*end++ = '"';
		} else if (*p == '{' && f->kind == FIELD_OBJECT) {
			if (f->parse != NULL)
				f->parse(s, f->key);
			end = own_object(f->fields, member_in(f, s), p);
			taken = end != NULL;
		} else if (f->kind == FIELD_BOOL) {
			taken = strncmp(p, "true", 4) == 0;
			*(bool *)member_in(f, s) = taken;
			end = p + (taken ? 4 : 5);
			taken = taken || strncmp(p, "false", 5) == 0;
		} else {
			n = 0;
			for (end = p; *end >= '0' && *end <= '9' && n <= most;
			    end++)
				n = n * 10 + (*end - '0');
			taken = end > p && (*p != '0' || end == p + 1) &&
			    n <= most && (*end == ',' || *end == '}') &&
			    (f->kind == FIELD_CONSTANT ? n <= f->fallback :
			    take_number(f, s, (double)n));
		}
		if (!taken)
			return NULL;
		p = end;
	}
	if (before == '{' && *p++ != '{')
		return NULL;
	return *p == '}' ? p + 1 : NULL;
}

/* 0, or an errno: the table does not read the object's format. */
static int
unknown_format(const char *name, const struct field *f, const struct json *o)
{
	const struct json *v;

	while (f->key != NULL && f->kind != FIELD_CONSTANT)
		f++;
	v = f->key != NULL ? json_member(o, f->key) : NULL;
	return !json_is(v, JSON_NUMBER) || v->number <= (double)f->fallback ?
	    0 : msg_newer(name, v->number < 1e9 ? (long long)v->number :
	    1000000000, f->fallback);
}

int
fields_read(int dirfd, const char *name, size_t limit, const struct field *f,
    void *s)
{
	struct buf text = BUF_INIT;
	int ret = file_read(dirfd, name, FILE_NOFOLLOW, &text, limit);
	int error = EBADMSG;
	struct json *o;
	const char *end;

	if (ret == -1 && errno == ENOENT) {
		ret = 0;
	} else if (ret == 0) {
		buf_str(&text);
		end = own_object(f, s, text.data);
		if (end != NULL && *end == '\n' &&
		    end + 1 == text.data + text.len) {
			ret = 1;
		} else {
			o = json_parse(text.data, text.len, false, NULL);
			if (json_is(o, JSON_OBJECT) &&
			    (error = unknown_format(name, f, o)) == 0)
				error = fields_take(f, s, o) == 0 ? 0 :
				    EBADMSG;
			ret = error == 0 ? 1 : -1;
			json_free(o);
			errno = error;
		}
	}
	buf_release(&text);
	return ret;
}

#include "agent/signs.h"

const struct sign_words sign_kinds[] = {
	[SIGN_ASKING]  = { "asking",  "it asks something" },
	[SIGN_LIMITED] = { "limited", "a usage limit holds it" },
	[SIGN_BUSY]    = { "busy",    "busy" },
	[SIGN_READY]   = { "ready",   "at its prompt" },
};

enum { OSC_MOST = 99999 };

static int
sign_take_pattern(struct strict *s, void *field, const struct json *value)
{
	struct pattern **place = field;
	char why[160], *whole;

	if (strict_ignored(s, field, value) == -1)
		return -1;
	/* Behind it they do not shift the place of an error. */
	whole = xasprintf("%s%s", value->text, s->patterns != NULL &&
	    strstr(value->text, "(?&") != NULL ? s->patterns : "");
	pattern_free(*place);
	*place = pattern_new(whole, true, s->ours ? NULL : why, sizeof(why));
	free(whole);
	if (*place == NULL)
		return strict_refuse(s, value, ": pattern '%s' does not "
		    "compile: %s", value->text, why);
	/* A line of a dialog has two groups. */
	return s->ours || s->row->take != sign_take_pattern ||
	    s->row->those == NULL || (pattern_has_group(*place,
	    s->row->those) && pattern_has_group(*place, "text")) ? 0 :
	    strict_refuse(s, value, " lacks the group (?<%s>...) or "
	    "(?<text>...)", s->row->those);
}

int
signs_define(struct strict *s, void *field, const struct json *object)
{
	struct buf all = BUF_INIT;
	struct pattern *pattern;
	const struct json *value;
	char **place = field, why[160];

	if (!json_is(object, JSON_OBJECT))
		return strict_refuse(s, object, " is not an object");
	json_each(value, object)
		buf_printf(&all, "(?(DEFINE)(?<%s>%s))", value->key,
		    json_text_of(value) != NULL ? value->text : "");
	pattern = pattern_new(buf_str(&all), true, why, sizeof(why));
	if (pattern == NULL)
		strict_refuse(s, object, " do not compile: %s, in '%s'", why,
		    buf_str(&all));
	pattern_free(pattern);
	free(*place);
	*place = buf_steal(&all);
	return pattern != NULL ? 0 : -1;
}

/* A key becomes a word of a tmux command. */
static int
sign_take_key(struct strict *s, void *field, const struct json *value)
{
	const char *key = json_text_of(value);

	if (key == NULL || !text_only(key, "-"))
		return strict_refuse(s, value, " is not the name of a key");
	return strict_filled(s, field, value);
}

#define SIGN(name) #name, .at = offsetof(struct sign, name)
#define PATTERN(name) { SIGN(name), .take = sign_take_pattern }

static const struct strict_row sign_keys[] = {
	PATTERN(pattern), PATTERN(yes), PATTERN(no), PATTERN(own),
	PATTERN(shows), PATTERN(field), PATTERN(box),
	{ SIGN(what),      .take = strict_text },
	{ SIGN(asks),      .take = strict_filled },
	{ SIGN(highlight), .take = sign_take_pattern, .those = "mark" },
	{ SIGN(colored),   .take = strict_flag },
	{ SIGN(choice),    .take = sign_take_pattern, .those = "key" },
	{ SIGN(yes_key),   .take = sign_take_key },
	{ SIGN(no_key),    .take = sign_take_key },
	{ SIGN(toggle),    .take = sign_take_key },
	{ SIGN(submit),    .take = sign_take_key },
	{ .key = NULL }
};

static void
sign_release(struct sign *sign)
{
	const struct strict_row *row;
	void *field;

	for (row = sign_keys; row->key != NULL; row++) {
		field = (char *)sign + row->at;
		if (row->take == sign_take_pattern)
			pattern_free(*(struct pattern **)field);
		else if (row->take != strict_flag)
			free(*(char **)field);
	}
	*sign = (struct sign){ .what = NULL };
}

void
signs_release(struct signs *s)
{
	while (s->n > 0)
		sign_release(&s->all[--s->n]);
	free(s->all);
	free(s->app);
	pattern_free(s->choice);
	pattern_free(s->empty);
	pattern_free(s->pasted);
	*s = (struct signs){ 0 };
}

/* A list of patterns, or of objects that have one; least is the kind. */
static int
take_kind(struct strict *s, void *field, const struct json *list)
{
	struct signs *signs = field;
	const struct json *value;
	struct sign sign;
	size_t i;
	int ret;

	if (!json_is(list, JSON_LIST))
		return strict_refuse(s, list, " is not a list of patterns");
	json_each(value, list) {
		sign = (struct sign){ .place = signs->place,
		    .kind = (enum sign_kind)s->row->least, .number = 1 };
		if (json_is(value, JSON_TEXT))
			ret = sign_take_pattern(s, &sign.pattern, value);
		else if (!json_is(value, JSON_OBJECT))
			ret = strict_refuse(s, value, " is not a list of "
			    "patterns, each a text or an object with a "
			    "pattern");
		else if ((ret = strict_read(s, sign_keys, &sign, value)) == 0 &&
		    sign.pattern == NULL)
			ret = strict_refuse(s, value, " has no 'pattern'");
		if (ret == -1) {
			sign_release(&sign);
			return -1;
		}
		if (sign.what == NULL)
			sign.what = xstrdup(sign_kinds[sign.kind].what);
		for (i = 0; i < signs->n; i++)
			sign.number += signs->all[i].place == sign.place &&
			    signs->all[i].kind == sign.kind;
		*ARRAY_ADD(signs->all, signs->n) = sign;
	}
	return 0;
}

/* The first two are for "announces" alone. */
static const struct strict_row sign_rows[] = {
	{ "osc", strict_number, .at = offsetof(struct signs, osc),
	    .least = 1, .most = OSC_MOST },
	{ "app", strict_text, .at = offsetof(struct signs, app) },
	{ "asking",  take_kind, .least = SIGN_ASKING },
	{ "limited", take_kind, .least = SIGN_LIMITED },
	{ "busy",    take_kind, .least = SIGN_BUSY },
	{ "ready",   take_kind, .least = SIGN_READY },
	{ "choice",  sign_take_pattern, .at = offsetof(struct signs, choice),
	    .those = "key" },
	{ "empty",   sign_take_pattern, .at = offsetof(struct signs, empty) },
	{ "pasted",  sign_take_pattern, .at = offsetof(struct signs, pasted) },
	{ .key = NULL }
};

int
signs_take(struct strict *s, void *field, const struct json *object)
{
	struct signs *signs = field;
	bool announced = s->row->least == SIGN_ANNOUNCED;

	signs->place = (enum sign_place)s->row->least;
	if (strict_read(s, sign_rows + (announced ? 0 : 2), signs, object) ==
	    -1)
		return -1;
	return !announced || signs->osc != 0 ? 0 :
	    strict_refuse(s, object, " has no 'osc'");
}

void
signs_lines(struct buf *out, const char *screen, size_t len)
{
	const char *end = screen + len, *line;
	size_t n;

	while (text_line(&screen, end, &line, &n)) {
		while (n > 0 && line[n - 1] == ' ')
			n--;
		buf_add(out, line, n);
		buf_addc(out, '\n');
	}
	buf_chomp(out);
}

void
signs_squeeze(struct buf *line, const char *p, size_t len)
{
	const char *end = p + len;
	bool bar;

	for (; p < end; p += bar ? 3 : 1) {
		bar = end - p >= 3 && (memcmp(p, "\u2502", 3) == 0 ||
		    memcmp(p, "\u2503", 3) == 0 ||
		    memcmp(p, "\u254c", 3) == 0 ||
		    memcmp(p, "\u200b", 3) == 0);      /* of no width */
		if (!bar && (unsigned char)*p > ' ')
			buf_addc(line, *p);
		else if (line->len > 0 && line->data[line->len - 1] != ' ')
			buf_addc(line, ' ');
	}
	if (line->len > 0 && line->data[line->len - 1] == ' ')
		line->len--;
}

void
signs_pack(struct buf *out, const char *text, size_t len)
{
	struct buf line = BUF_INIT;
	size_t i;

	signs_squeeze(&line, text, len);
	for (i = 0; i < line.len; i++)
		if (line.data[i] != ' ')
			buf_addc(out, line.data[i]);
	buf_release(&line);
}

uint32_t
signs_command(const char *text, size_t len)
{
	enum { MOST = 100 };            /* bytes; a hook may report no more */
	struct buf command = BUF_INIT;
	uint32_t hash;

	signs_pack(&command, text, len);
	hash = (uint32_t)text_hash(command.data, command.len < MOST ?
	    command.len : MOST);
	buf_release(&command);
	return hash;
}

static void
take_group(const struct sign *sign, const char *text, const char *name,
    char *out, size_t size)
{
	struct buf line = BUF_INIT, shown = BUF_INIT;
	size_t start, n;

	if (!pattern_group(sign->pattern, name, &start, &n))
		return;
	signs_squeeze(&line, text + start, n);
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
	size_t start, n;
	int rank;
	bool first;

	/* A limit that is a dialog looks like any dialog, so it comes first. */
	for (rank = -1; len > 0 && rank < SIGN_KINDS; rank++)
		for (sign = s->all; sign < s->all + s->n; sign++) {
			first = sign->kind == SIGN_LIMITED &&
			    sign->asks != NULL;
			if (sign->place != place ||
			    (first ? -1 : (int)sign->kind) != rank ||
			    !pattern_match(sign->pattern, text, len))
				continue;
			m.sign = sign;
			take_group(sign, text, "asked", m.asked,
			    sizeof(m.asked));
			m.question = (uint32_t)(text_hash(sign->what,
			    strlen(sign->what)) ^
			    text_hash(m.asked, strlen(m.asked)));
			if (pattern_group(sign->pattern, "command", &start, &n))
				m.command = signs_command(text + start, n);
			if (sign->kind == SIGN_LIMITED)
				take_group(sign, text, "reset", m.until,
				    sizeof(m.until));
			if (m.until[0] != '\0')
				m.reset = reset_time(m.until, wall);
			return m;
		}
	return m;
}

#include "marker/marker.h"

static const char HASHES[] = "###";

enum { HASHES_LEN = sizeof(HASHES) - 1 };

static const struct spelling {
	const char *begin;
	unsigned    plain, bound;
	bool        replaced;   /* by a custom marker */
} spellings[] = {
	{ "###TASK_COMPLETE_", MARKER_COMPLETE, MARKER_BOUND_COMPLETE, true },
	{ "###COMPLETE_TASK_", MARKER_COMPLETE, MARKER_BOUND_COMPLETE, false },
	{ "###TASK_ERROR_", MARKER_ERROR, MARKER_BOUND_ERROR, false },
	{ "###ERROR_TASK_", MARKER_ERROR, MARKER_BOUND_ERROR, false },
};

enum { SPELLINGS = sizeof(spellings) / sizeof(spellings[0]) };

/* A marker directly beside one of these is only quoted. */
static const char *const refusers[] = {
	"\"", "'", "`", "/", "=", "\\",
	"\xe2\x80\x98", "\xe2\x80\x99", "\xe2\x80\x9c", "\xe2\x80\x9d",
	"\xe3\x80\x8c", "\xe3\x80\x8d", "\xe3\x80\x8e", "\xe3\x80\x8f",
};

enum { REFUSERS = sizeof(refusers) / sizeof(refusers[0]) };

int
marker_set_init(struct marker_set *set, const char *issue, const char *run,
    const char *custom)
{
	size_t i, len = custom != NULL ? strlen(custom) : 0;
	bool valid = issue_valid(issue) &&
	    (run == NULL || run_id_valid(run)) && (custom == NULL ||
	    (len > 0 && len <= MARKER_CUSTOM_MAX && !text_blank(custom[0]) &&
	    !text_blank(custom[len - 1])));

	for (i = 0; i < len; i++)
		valid = valid && (unsigned char)custom[i] >= 0x20 &&
		    custom[i] != 0x7f;
	if (!valid) {
		errno = EINVAL;
		return -1;
	}
	*set = (struct marker_set){ .keyword = false };
	snprintf(set->issue, sizeof(set->issue), "%s", issue);
	snprintf(set->nonce, sizeof(set->nonce), "%s", run ? run : "");
	snprintf(set->custom, sizeof(set->custom), "%s", custom ? custom : "");
	return 0;
}

static bool
of_word(char c)
{
	return text_alnum(c) || c == '_';
}

static const struct spelling *
spelled(const char *p, const char *end, const char **issue,
    const char **behind)
{
	const struct spelling *s;
	size_t len;

	for (s = spellings; s < spellings + SPELLINGS; s++) {
		len = strlen(s->begin);
		if ((size_t)(end - p) < len || memcmp(p, s->begin, len) != 0)
			continue;
		*issue = p += len;
		while (p < end && (of_word(*p) || *p == '-' || *p == ':'))
			p++;
		if (p == *issue || end - p < HASHES_LEN ||
		    memcmp(p, HASHES, HASHES_LEN) != 0)
			return NULL;
		*behind = p + HASHES_LEN;
		return s;
	}
	return NULL;
}

/* Without a nonce all bound markers are stale. */
static unsigned
kinds(const struct marker_set *set, const struct spelling *s,
    const char *issue, const char *behind)
{
	size_t len = strlen(set->issue);
	size_t size = (size_t)(behind - HASHES_LEN - issue);
	const char *nonce = issue + len + 1;

	if (size < len || memcmp(issue, set->issue, len) != 0)
		return 0;
	if (size == len)
		return s->replaced && set->custom[0] != '\0' ? 0 : s->plain;
	if (nonce[-1] != ':' || size != len + 1 + NONCE_LEN ||
	    strspn(nonce, "0123456789abcdef") != NONCE_LEN)
		return 0;
	return memcmp(nonce, set->nonce, NONCE_LEN) == 0 ?
	    s->plain | s->bound : MARKER_STALE;
}

bool
marker_set_in(const struct marker_set *set, const char *text, size_t len)
{
	const char *end = text + len, *issue, *behind;
	const struct spelling *s;

	if (len == 0)
		return false;           /* text may be NULL */
	if (set != NULL && set->custom[0] != '\0' &&
	    text_find(text, end, set->custom, strlen(set->custom)) != NULL)
		return true;
	while ((text = text_find(text, end, HASHES, HASHES_LEN)) != NULL) {
		s = spelled(text++, end, &issue, &behind);
		if (s != NULL && (set == NULL ||
		    kinds(set, s, issue, behind) != 0))
			return true;
	}
	return false;
}

static bool
wide_blank(unsigned long c)
{
	return c == ' ' || c == '\t' || c == 0x3000;
}

bool
marker_text_word(const struct marker_text *t, size_t at)
{
	unsigned long c;
	size_t size;

	while ((size = utf8_decode_last(t->text, at, &c)) > 0 && wide_blank(c))
		at -= size;
	return at == 0 ? t->word : size > 0 && utf8_letter(c);
}

static bool
cut_off(const struct marker_text *t, const char *p)
{
	size_t left = (size_t)(t->text + t->len - p);

	return t->open && left < 4 && utf8_decode(p, left, NULL) == 0;
}

static bool
accepted(const struct marker_text *t, const char *p, const char *behind)
{
	size_t i, len, before = (size_t)(p - t->text);
	size_t after = (size_t)(t->text + t->len - behind);

	if (behind <= t->text + t->beyond)
		return false;
	for (i = 0; i < REFUSERS; i++) {
		len = strlen(refusers[i]);
		if ((len <= before && memcmp(p - len, refusers[i], len) == 0) ||
		    (len <= after && memcmp(behind, refusers[i], len) == 0))
			return false;
	}
	return !cut_off(t, behind);
}

/* A word of a sentence has a letter beside it in scripts without blanks, else
 * one blank and a letter behind: a terminal draws things closer or further
 * away.  Two hash signs do not count. */
static bool
in_sentence(const struct marker_text *t, const char *p, const char *behind)
{
	const char *end = t->text + t->len;
	size_t size, before = (size_t)(p - t->text);
	unsigned long c;
	int hashes;

	if (utf8_decode_last(t->text, before, &c) > 0 && (wide_blank(c) ?
	    marker_text_word(t, before) : c >= 0x80 && utf8_letter(c)))
		return true;
	if (t->source) {
		for (p = behind; p < end; p += size > 0 ? size : 1) {
			size = utf8_decode(p, (size_t)(end - p), &c);
			if (size > 0 && utf8_letter(c))
				return true;
		}
		return false;
	}
	size = utf8_decode(behind, (size_t)(end - behind), &c);
	if (size == 0 || !wide_blank(c))
		return size > 0 && c >= 0x80 && utf8_letter(c);
	p = behind + size;
	for (hashes = 0; p < end && *p == HASHES[0] && hashes < 2; hashes++)
		p++;
	return utf8_decode(p, (size_t)(end - p), &c) > 0 ? utf8_letter(c) :
	    cut_off(t, p);
}

unsigned
marker_set_find(const struct marker_set *set, const struct marker_text *t)
{
	const char *end, *begin, *until, *p, *issue, *behind;
	size_t len = strlen(set->custom);
	const struct spelling *s;
	unsigned found = 0, these;

	if (t->from >= t->len)
		return 0;
	end = t->text + t->len;
	begin = t->text + t->from;
	until = t->text + t->until;
	for (p = begin; len > 0 && found == 0 &&
	    (p = text_find(p, end, set->custom, len)) != NULL && p < until;
	    p++) {
		behind = p + len;
		if (set->keyword && ((p > t->text && of_word(p[-1])) ||
		    (behind < end && of_word(*behind))))
			continue;
		if ((set->ignored == NULL || !set->ignored(set->context, t,
		    (size_t)(p - t->text))) && accepted(t, p, behind))
			found = MARKER_COMPLETE;
	}
	if (set->keyword)
		return found;
	for (p = begin; (p = text_find(p, end, HASHES, HASHES_LEN)) != NULL;
	    p++) {
		while (end - p > HASHES_LEN && p[HASHES_LEN] == HASHES[0])
			p++;
		if (p >= until)
			break;
		s = spelled(p, end, &issue, &behind);
		these = s != NULL ? kinds(set, s, issue, behind) : 0;
		if (these == MARKER_STALE && set->nonce[0] == '\0')
			continue;
		if (these != 0 && accepted(t, p, behind) &&
		    !in_sentence(t, p, behind))
			found |= these;
	}
	return found;
}

/* The offset from which visible text may spell the beginning of a row.  All
 * rows share the first byte; of a longer run the last ones count. */
static size_t
set_search(const char *bytes, size_t len, const struct spelling *rows,
    size_t count)
{
	const char *end = bytes + len, *p, *run, *rest, *q;
	const char first = rows[0].begin[0];
	size_t i;

	for (p = bytes; p < end; p = run) {
		p = memchr(p, first, (size_t)(end - p));
		if (p == NULL)
			return len;
		for (run = p; run < end && *run == first; run++)
			continue;
		if (run == end || vt_invisible(*run))
			return (size_t)(p - bytes);
		for (i = 0; i < count; i++) {
			for (rest = rows[i].begin; *rest == first; rest++)
				continue;
			if (rest - rows[i].begin > run - p)
				continue;
			for (q = run; q < end && *rest != '\0' && *q == *rest;
			    q++)
				rest++;
			if (q == end || *rest == '\0' || vt_invisible(*q))
				return (size_t)(p - bytes);
		}
	}
	return len;
}

size_t
fence_search(const char *bytes, size_t len)
{
	static const struct spelling ticks = { .begin = "```" };
	static const struct spelling tildes = { .begin = "~~~" };

	return set_search(bytes, set_search(bytes, len, &ticks, 1), &tildes, 1);
}

size_t
marker_set_search(const struct marker_set *set, const char *bytes, size_t len)
{
	const struct spelling custom = { .begin = set->custom };
	const char *backspace;

	if (!set->keyword)
		len = set_search(bytes, len, spellings, SPELLINGS);
	if (set->custom[0] != '\0')
		len = set_search(bytes, len, &custom, 1);
	backspace = memchr(bytes, '\b', len);
	return backspace != NULL ? (size_t)(backspace - bytes) : len;
}

static bool
prints(const char *line, const char *text)
{
	static const char *const before[] = { "do", "then", "else", "!", "{" };
	const char *p, *from;
	size_t i, len;

	for (p = line; (p = strstr(p, text)) != NULL; p++) {
		for (from = p; from > line && !strchr(";|&\n(", from[-1]); )
			from--;
		from += strspn(from, " \t");
		for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
			len = strlen(before[i]);
			if (strncmp(from, before[i], len) == 0 &&
			    text_blank(from[len]))
				from += len + strspn(from + len, " \t");
		}
		len = strcspn(from, " \t");
		if (from[len] != '\0' &&
		    ((len == 4 && memcmp(from, "echo", len) == 0) ||
		    (len == 6 && memcmp(from, "printf", len) == 0)))
			return true;
	}
	return false;
}

bool
marker_command(const struct marker_set *markers, const char *command)
{
	size_t i;

	for (i = 0; i < SPELLINGS; i++)
		if (prints(command, spellings[i].begin))
			return true;
	return markers->custom[0] != '\0' && prints(command, markers->custom);
}

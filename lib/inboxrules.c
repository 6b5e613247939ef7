/*
 * A pattern that consists of nothing but words and dots, as most do, matches
 * only a line that has all of its words in that order.  Words are found fast,
 * so that pcre2 is asked of such lines alone.  They have no letters of which
 * pcre2 knows another case than that of ASCII: such a letter ends a word.
 */
#include "inboxrules.h"

#include <stdlib.h>
#include <string.h>

#include "argv.h"
#include "inbox.h"
#include "needles.h"
#include "pattern.h"
#include "template.h"
#include "xalloc.h"

enum { WORDS_MAX = 8, PLACES = 4 };

#define LIST(...) (const char *const[]){ __VA_ARGS__, NULL }
#define WORKER(name) { name, false, NULL, LIST(name) }

static const struct inbox_role default_roles[] = {
	{ "shogun",    true,  NULL, NULL },
	{ "ohariko",   true,  NULL, NULL },
	{ "karo-roju", false, LIST("roju_reports", "roju_ohariko"), NULL },
	WORKER("ashigaru1"), WORKER("ashigaru2"), WORKER("ashigaru3"),
	WORKER("ashigaru4"), WORKER("ashigaru5"), WORKER("ashigaru6"),
	WORKER("ashigaru7"), WORKER("ashigaru8"),
};

static const struct {
	const char *name;
	const char *const *patterns;
} kinds[] = {
	[INBOX_COMPLETED] = { "report_completed", LIST(
	    "任務完了", "完了でござる", "報告YAML.*更新", "報告YAML.*記入",
	    "report.*updated", "task completed", "タスク完了",
	    "roju_reports.*更新") },
	[INBOX_ERROR] = { "error_report", LIST(
	    "エラー.*中断", "失敗.*中断", "見つからない.*中断", "abort",
	    "error.*abort", "failed.*stop") },
};

/* A text, and the names that it may have a place for. */
static const struct {
	const char *name, *text;
	const char *const *places;
} words[] = {
	[INBOX_COMPLETED] = { "report_completed",
	    "<<agent>>、タスク完了検出。<<notify_to>>確認されたし。",
	    LIST("agent", "notify_to") },
	[INBOX_ERROR] = { "error_report",
	    "<<agent>>、エラーで停止検出。確認されたし。",
	    LIST("agent", "notify_to") },
	[INBOX_REASON] = { "reason",
	    "未処理が<<count>>件ある。<<files>>を読み、処理されたし。",
	    LIST("agent", "count", "files") },
	[INBOX_BETWEEN] = { "between", "、", LIST(NULL) },
	[INBOX_MORE] = { "more", "他<<count>>件", LIST("count") },
};

struct inboxrules {
	char  *notify_to;               /* NULL: the default one */
	char  *words[INBOX_WORDS];      /* NULL: the default ones */
	bool   has_roles;
	struct inbox_role *roles;
	size_t nroles;
	char **patterns[INBOX_KINDS];   /* NULL: the default ones */
};

const char *
inbox_kind_name(enum inbox_kind kind)
{
	return kinds[kind].name;
}

/* ---- reading them ------------------------------------------------------- */

static char **
texts(const cJSON *array)
{
	char **list = xcalloc((size_t)cJSON_GetArraySize(array) + 1,
	    sizeof(*list));
	const cJSON *item;
	size_t n = 0;

	cJSON_ArrayForEach(item, array) {
		if (!cJSON_IsString(item))
			break;
		list[n++] = xstrdup(item->valuestring);
	}
	if (cJSON_IsArray(array) && item == NULL)
		return list;
	argv_free(list);
	return NULL;
}

/* A list of inboxes, NULL where it is something else. */
static const char *const *
boxes(const cJSON *array)
{
	char **list = texts(array), **p;

	for (p = list; p != NULL && *p != NULL; p++)
		if (!inbox_target_valid(*p)) {
			argv_free(list);
			return NULL;
		}
	return (const char *const *)list;
}

static int
take_boxes(struct inbox_role *role, const cJSON *member, struct buf *why)
{
	bool unread = strcmp(member->string, "unread") == 0;

	if (!unread && strcmp(member->string, "assigned") != 0) {
		buf_printf(why, ": 'roles': '%.64s' has an unknown key "
		    "'%.64s'", role->agent, member->string);
		return -1;
	}
	*(unread ? &role->unread : &role->assigned) = boxes(member);
	if ((unread ? role->unread : role->assigned) != NULL)
		return 0;
	buf_printf(why, ": 'roles': '%.64s': '%s' is not a list of inboxes",
	    role->agent, member->string);
	return -1;
}

static int
take_role(struct inboxrules *r, const cJSON *value, struct buf *why)
{
	struct inbox_role *role;
	const cJSON *member;
	const char *word = cJSON_GetStringValue(value);

	r->roles = xreallocarray(r->roles, r->nroles + 1, sizeof(*r->roles));
	role = &r->roles[r->nroles++];
	*role = (struct inbox_role){ .agent = xstrdup(value->string) };
	if (word != NULL && strcmp(word, "approve") == 0) {
		role->approve = true;
		return 0;
	}
	if (!cJSON_IsObject(value)) {
		buf_printf(why, ": 'roles': '%.64s' is neither 'approve' nor "
		    "an object", role->agent);
		return -1;
	}
	cJSON_ArrayForEach(member, value)
		if (take_boxes(role, member, why) == -1)
			return -1;
	return 0;
}

static int
take_roles(struct inboxrules *r, const cJSON *object, struct buf *why)
{
	const cJSON *role;

	if (!cJSON_IsObject(object)) {
		buf_adds(why, ": 'roles' is not an object");
		return -1;
	}
	r->has_roles = true;
	cJSON_ArrayForEach(role, object)
		if (take_role(r, role, why) == -1)
			return -1;
	return 0;
}

static struct pattern *
compile(const char *text, char *reason, size_t size)
{
	char *whole = xasprintf("(?i)%s", text);
	struct pattern *p = pattern_new(whole, reason, size);

	free(whole);
	return p;
}

static int
check_patterns(const char *name, char **list, struct buf *why)
{
	struct pattern *p;
	char reason[200] = "it is empty";

	for (; *list != NULL; list++) {
		p = **list != '\0' ? compile(*list, reason, sizeof(reason)) :
		    NULL;
		if (p == NULL) {
			buf_printf(why, ": 'patterns': '%s': '%.64s': %s",
			    name, *list, reason);
			return -1;
		}
		pattern_free(p);
	}
	return 0;
}

static int
take_patterns(struct inboxrules *r, const cJSON *object, struct buf *why)
{
	const cJSON *list;
	size_t i;

	if (!cJSON_IsObject(object)) {
		buf_adds(why, ": 'patterns' is not an object");
		return -1;
	}
	cJSON_ArrayForEach(list, object) {
		for (i = 0; i < INBOX_KINDS; i++)
			if (strcmp(kinds[i].name, list->string) == 0)
				break;
		if (i == INBOX_KINDS) {
			buf_printf(why, ": 'patterns' has an unknown key "
			    "'%.64s'", list->string);
			return -1;
		}
		r->patterns[i] = texts(list);
		if (r->patterns[i] == NULL) {
			buf_printf(why, ": 'patterns': '%s' is not a list of "
			    "texts", list->string);
			return -1;
		}
		if (check_patterns(list->string, r->patterns[i], why) == -1)
			return -1;
	}
	return 0;
}

/* Has a text a place for what it cannot be told? */
static int
check_places(size_t which, const char *text, struct buf *why)
{
	struct template_value values[PLACES] = { { NULL, "", 0 } };
	struct buf out = BUF_INIT, unknown = BUF_INIT;
	size_t n;

	for (n = 0; words[which].places[n] != NULL; n++)
		values[n] = (struct template_value){ words[which].places[n],
		    "", 0 };
	template_expand(&out, text, strlen(text), values, n, &unknown);
	if (unknown.len > 0)
		buf_printf(why, ": 'texts': '%s' cannot be told '%.64s'",
		    words[which].name, buf_str(&unknown));
	n = unknown.len;
	buf_release(&out);
	buf_release(&unknown);
	return n > 0 ? -1 : 0;
}

static int
take_words(struct inboxrules *r, const cJSON *object, struct buf *why)
{
	const cJSON *text;
	size_t i;

	if (!cJSON_IsObject(object)) {
		buf_adds(why, ": 'texts' is not an object");
		return -1;
	}
	cJSON_ArrayForEach(text, object) {
		for (i = 0; i < INBOX_WORDS; i++)
			if (strcmp(words[i].name, text->string) == 0)
				break;
		if (i == INBOX_WORDS) {
			buf_printf(why, ": 'texts' has an unknown key "
			    "'%.64s'", text->string);
			return -1;
		}
		if (!cJSON_IsString(text) || text->valuestring[0] == '\0') {
			buf_printf(why, ": 'texts': '%s' is not a text, or an "
			    "empty one", text->string);
			return -1;
		}
		if (check_places(i, text->valuestring, why) == -1)
			return -1;
		r->words[i] = xstrdup(text->valuestring);
	}
	return 0;
}

static int
take_notify_to(struct inboxrules *r, const cJSON *value, struct buf *why)
{
	const char *target = cJSON_GetStringValue(value);

	if (target == NULL || !inbox_target_valid(target)) {
		buf_adds(why, ": 'notify_to' is not an inbox");
		return -1;
	}
	r->notify_to = xstrdup(target);
	return 0;
}

static int
take_member(struct inboxrules *r, const cJSON *member, struct buf *why)
{
	if (strcmp(member->string, "notify_to") == 0)
		return take_notify_to(r, member, why);
	if (strcmp(member->string, "texts") == 0)
		return take_words(r, member, why);
	if (strcmp(member->string, "roles") == 0)
		return take_roles(r, member, why);
	if (strcmp(member->string, "patterns") == 0)
		return take_patterns(r, member, why);
	buf_printf(why, " has an unknown key '%.64s'", member->string);
	return -1;
}

struct inboxrules *
inboxrules_new(const cJSON *object, struct buf *why)
{
	struct inboxrules *r = xcalloc(1, sizeof(*r));
	const cJSON *member = NULL;

	if (!cJSON_IsObject(object)) {
		buf_adds(why, " is not an object");
		inboxrules_free(r);
		return NULL;
	}
	cJSON_ArrayForEach(member, object)
		if (take_member(r, member, why) == -1) {
			inboxrules_free(r);
			return NULL;
		}
	return r;
}

static void
free_list(const char *const *list)
{
	argv_free((char **)(uintptr_t)list);
}

void
inboxrules_free(struct inboxrules *r)
{
	size_t i;

	if (r == NULL)
		return;
	for (i = 0; i < r->nroles; i++) {
		free((char *)(uintptr_t)r->roles[i].agent);
		free_list(r->roles[i].unread);
		free_list(r->roles[i].assigned);
	}
	free(r->roles);
	for (i = 0; i < INBOX_KINDS; i++)
		argv_free(r->patterns[i]);
	for (i = 0; i < INBOX_WORDS; i++)
		free(r->words[i]);
	free(r->notify_to);
	free(r);
}

/* ---- asking them -------------------------------------------------------- */

const struct inbox_role *
inboxrules_role(const struct inboxrules *r, const char *agent)
{
	const struct inbox_role *roles = default_roles;
	size_t i, n = sizeof(default_roles) / sizeof(default_roles[0]);

	if (r != NULL && r->has_roles) {
		roles = r->roles;
		n = r->nroles;
	}
	for (i = 0; i < n; i++)
		if (strcmp(roles[i].agent, agent) == 0)
			return &roles[i];
	return NULL;
}

const char *
inboxrules_notify_to(const struct inboxrules *r)
{
	return r != NULL && r->notify_to != NULL ? r->notify_to :
	    "roju_reports";
}

void
inboxrules_tell(const struct inboxrules *r, struct buf *out,
    unsigned which, const struct inbox_telling *t)
{
	const char *text = r != NULL && r->words[which] != NULL ?
	    r->words[which] : words[which].text;
	const char *to = inboxrules_notify_to(r);
	char *count = xasprintf("%zu", t->count);
	const struct template_value values[] = {
		{ "count", count, strlen(count) },
		{ "notify_to", to, strlen(to) },
		{ "agent", t->agent, t->agent ? strlen(t->agent) : 0 },
		{ "files", t->files, t->files ? strlen(t->files) : 0 },
	};

	template_expand(out, text, strlen(text), values,
	    sizeof(values) / sizeof(values[0]), NULL);
	free(count);
}

/* A pattern, and the words that a line must have for it to match: none are
 * known where it is made of more than words and dots. */
struct test {
	enum inbox_kind kind;
	const char     *pattern;
	struct { const char *text; size_t len; } words[WORDS_MAX];
	size_t          nwords;
	const struct needle *longest;   /* of the words; NULL: of none */
};

struct tests {
	struct test   *v;
	size_t         n;
	struct needle *needles;         /* the longest words */
	size_t         nneedles;
	struct buf     lower;           /* what the words borrow from */
};

static bool
is_plain(const char *pattern)
{
	const char *p;

	for (p = pattern; *p != '\0'; p++) {
		if (strchr("*+?", *p) != NULL && (p == pattern || p[-1] != '.'))
			return false;
		if (strchr("\\[](){}|^$#", *p) != NULL)
			return false;
	}
	return true;
}

/*
 * How many bytes of a pattern in lower case, from a place on, a word can have.
 * Beyond ASCII these are kana, kanji and most of Hangul: U+3000 to U+9FFF and
 * U+B000 to U+DFFF, where no letter has a case.  Of ASCII k and s are not among
 * them, which are also the Kelvin sign's and the long s's lower case.
 */
static size_t
word_len(const char *text)
{
	size_t len = 0;
	unsigned char c;

	while ((c = (unsigned char)text[len]) != '\0') {
		if (c >= 0x80 ? c < 0xe3 || c > 0xed || c == 0xea :
		    strchr(".*+?ks", c) != NULL)
			break;
		len += c >= 0x80 ? 3 : 1;
	}
	return len;
}

static void
add_words(struct tests *t, struct test *test, const char *lower)
{
	struct needle longest = { NULL, NEEDLE_MIN - 1, false };
	size_t len;

	for (; *lower != '\0'; lower += len + (lower[len] != '\0')) {
		len = word_len(lower);
		if (len == 0 || test->nwords == WORDS_MAX)
			continue;
		test->words[test->nwords].text = lower;
		test->words[test->nwords++].len = len;
		if (len > longest.len)
			longest = (struct needle){ lower, len, false };
	}
	if (longest.text == NULL)
		return;
	t->needles[t->nneedles] = longest;
	test->longest = &t->needles[t->nneedles++];
}

static const char *const *
patterns_of(const struct inboxrules *r, size_t kind)
{
	if (r != NULL && r->patterns[kind] != NULL)
		return (const char *const *)r->patterns[kind];
	return kinds[kind].patterns;
}

/* All patterns in the order in which they are tried. */
static void
tests_init(struct tests *t, const struct inboxrules *r)
{
	const char *const *p, *c;
	size_t i, at;

	*t = (struct tests){ .lower = BUF_INIT };
	for (i = 0; i < INBOX_KINDS; i++)
		for (p = patterns_of(r, i); *p != NULL; p++) {
			t->v = xreallocarray(t->v, t->n + 1, sizeof(*t->v));
			t->v[t->n++] = (struct test){ i, .pattern = *p };
			for (c = *p; *c != '\0'; c++)
				buf_addc(&t->lower, (char)needles_lower(*c));
			buf_addc(&t->lower, '\0');
		}
	t->needles = xcalloc(t->n + 1, sizeof(*t->needles));
	for (i = at = 0; i < t->n; i++) {
		if (is_plain(t->v[i].pattern))
			add_words(t, &t->v[i], t->lower.data + at);
		at += strlen(t->v[i].pattern) + 1;
	}
}

static void
tests_release(struct tests *t)
{
	buf_release(&t->lower);
	free(t->needles);
	free(t->v);
}

/* A message, and the same in lower case. */
struct message {
	const char *text;
	size_t      len;
	struct buf  lower;
};

/* Where a line begins that may match, from a place on; the end: nowhere. */
static size_t
next_line(const struct test *t, const struct message *m, size_t at)
{
	const char *text = m->lower.data, *p;

	if (t->longest == NULL || at == m->len)
		return at;
	p = memmem(text + at, m->len - at, t->longest->text, t->longest->len);
	if (p == NULL)
		return m->len;
	while (p > text + at && p[-1] != '\n')
		p--;
	return (size_t)(p - text);
}

/* Has a line the words in their order? */
static bool
in_order(const struct test *t, const char *line, size_t len)
{
	const char *p = line, *end = line + len;
	size_t i;

	for (i = 0; i < t->nwords; i++) {
		p = memmem(p, (size_t)(end - p), t->words[i].text,
		    t->words[i].len);
		if (p == NULL)
			return false;
		p += t->words[i].len;
	}
	return true;
}

static bool
matches(const struct test *t, const struct message *m)
{
	struct pattern *pattern = compile(t->pattern, NULL, 0);
	const char *end;
	size_t at, next, len;
	bool found = false;

	for (at = next_line(t, m, 0); at < m->len && !found;
	    at = next_line(t, m, next)) {
		end = memchr(m->text + at, '\n', m->len - at);
		next = end ? (size_t)(end - m->text) + 1 : m->len;
		len = next - at - (end != NULL);
		if (len > 0 && m->text[at + len - 1] == '\r')
			len--;
		found = in_order(t, m->lower.data + at, len) &&
		    pattern_match(pattern, m->text + at, len);
	}
	pattern_free(pattern);
	return found;
}

static void
lower_message(struct message *m)
{
	char *to;
	size_t i;

	if (m->lower.len > 0)
		return;
	to = buf_room(&m->lower, m->len);
	for (i = 0; i < m->len; i++)
		to[i] = (char)needles_lower(m->text[i]);
	m->lower.len = m->len;
}

bool
inboxrules_judge(const struct inboxrules *r, const char *text, size_t len,
    enum inbox_kind *kind)
{
	struct message m = { text, len, BUF_INIT };
	struct tests t;
	size_t i;
	bool found = false;

	tests_init(&t, r);
	needles_search(t.needles, t.nneedles, text, len);
	for (i = 0; i < t.n && !found && len > 0; i++) {
		if (t.v[i].longest != NULL && !t.v[i].longest->seen)
			continue;
		lower_message(&m);
		found = matches(&t.v[i], &m);
		*kind = t.v[i].kind;
	}
	buf_release(&m.lower);
	tests_release(&t);
	return found;
}

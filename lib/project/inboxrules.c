#include "project/config.h"

#include "data/pattern.h"
#include "data/template.h"

enum { PLACES = 4 };

#define WORKER(name) { name, false, NULL, WORDS(name) }

static const struct inbox_role default_roles[] = {
	{ "shogun",    true,  NULL, NULL },
	{ "ohariko",   true,  NULL, NULL },
	{ "karo-roju", false, WORDS("roju_reports", "roju_ohariko"), NULL },
	WORKER("ashigaru1"), WORKER("ashigaru2"), WORKER("ashigaru3"),
	WORKER("ashigaru4"), WORKER("ashigaru5"), WORKER("ashigaru6"),
	WORKER("ashigaru7"), WORKER("ashigaru8"),
};

const char *const inbox_kinds[] = { "report_completed", "error_report" };

static const struct {
	const char *text;
	const char *const *places, *const *patterns;
} words[] = {
	[INBOX_COMPLETED] = {
	    "<<agent>>、タスク完了検出。<<notify_to>>確認されたし。",
	    WORDS("agent", "notify_to"), WORDS(
	    "任務完了", "完了でござる", "報告YAML.*更新", "報告YAML.*記入",
	    "report.*updated", "task completed", "タスク完了", "roju_reports.*更新") },
	[INBOX_ERROR] = {
	    "<<agent>>、エラーで停止検出。確認されたし。",
	    WORDS("agent", "notify_to"), WORDS(
	    "エラー.*中断", "失敗.*中断", "見つからない.*中断", "abort",
	    "error.*abort", "failed.*stop") },
	[INBOX_REASON] = {
	    "未処理が<<count>>件ある。<<files>>を読み、処理されたし。",
	    WORDS("agent", "count", "files") },
	[INBOX_BETWEEN] = { "、", WORDS(NULL) },
	[INBOX_MORE] = { "他<<count>>件", WORDS("count") },
};

bool
inboxrules_target_valid(const char *target)
{
	const char *p;

	for (p = target; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f || *p == '/')
			return false;
	return target[0] != '\0' && target[0] != '.' &&
	    p - target <= INBOX_TARGET;
}

#define BOXES(name) #name, .at = offsetof(struct inbox_role, name), \
	.take = strict_texts, .valid = inboxrules_target_valid, \
	.those = "inboxes"

static const struct strict_row role_rows[] = {
	{ BOXES(unread) }, { BOXES(assigned) }, { .key = NULL }
};

static int
take_role(struct strict *s, void *rules, const struct json *value)
{
	struct inboxrules *r = rules;
	struct inbox_role *role;
	const char *word = json_text_of(value);

	role = ARRAY_ADD(r->roles, r->nroles);
	*role = (struct inbox_role){ .agent = xstrdup(value->key),
	    .approve = word != NULL && strcmp(word, "approve") == 0 };
	if (json_is(value, JSON_OBJECT))
		return strict_read(s, role_rows, role, value);
	return role->approve ? 0 : strict_refuse(s, value, " is neither "
	    "'approve' nor an object");
}

static const struct strict_row roles_rows[] = {
	{ "*", take_role }, { .key = NULL }
};

struct pattern *
inboxrules_compile(const char *text, char *reason, size_t size)
{
	char *whole = xasprintf("(?i)%s", text);
	struct pattern *p = pattern_new(whole, false, reason, size);

	free(whole);
	return p;
}

static int
take_patterns(struct strict *s, void *field, const struct json *value)
{
	struct pattern *p;
	char reason[200] = "it is empty", **list;

	if (strict_texts(s, field, value) == -1)
		return -1;
	for (list = *(char ***)field; *list != NULL; list++) {
		p = **list != '\0' ? inboxrules_compile(*list, reason,
		    sizeof(reason)) : NULL;
		if (p == NULL)
			return strict_refuse(s, value, ": '%.64s': %s", *list,
			    reason);
		pattern_free(p);
	}
	return 0;
}

/* least is the text, whose every place must have a value. */
static int
rules_words(struct strict *s, void *field, const struct json *value)
{
	struct template_value values[PLACES];
	struct buf out = BUF_INIT, unknown = BUF_INIT;
	const char *text = json_text_of(value);
	size_t n;
	int ret = strict_filled(s, field, value);

	for (n = 0; words[s->row->least].places[n] != NULL; n++)
		values[n] = (struct template_value){
		    words[s->row->least].places[n], "", 0 };
	if (ret == 0)
		template_expand(&out, text, strlen(text), values, n, &unknown);
	if (unknown.len > 0)
		ret = strict_refuse(s, value, " cannot be told '%.64s'",
		    buf_str(&unknown));
	buf_release(&out);
	buf_release(&unknown);
	return ret;
}

#define RULE_WORDS(key, which) { key, rules_words, \
	.at = offsetof(struct inboxrules, words[which]), .least = which }

static const struct strict_row words_rows[] = {
	RULE_WORDS("report_completed", INBOX_COMPLETED),
	RULE_WORDS("error_report", INBOX_ERROR),
	RULE_WORDS("reason", INBOX_REASON),
	RULE_WORDS("between", INBOX_BETWEEN),
	RULE_WORDS("more", INBOX_MORE),
	{ .key = NULL }
};

#define PATTERNS(key, which) { key, take_patterns, \
	.at = offsetof(struct inboxrules, patterns[which]) }

static const struct strict_row patterns_rows[] = {
	PATTERNS("report_completed", INBOX_COMPLETED),
	PATTERNS("error_report", INBOX_ERROR),
	{ .key = NULL }
};

static const struct strict_row rows[] = {
	{ "notify_to", strict_word, .valid = inboxrules_target_valid,
	    .those = "not an inbox",
	    .at = offsetof(struct inboxrules, notify_to) },
	{ "texts", strict_object, .rows = words_rows },
	{ "roles", strict_object, .rows = roles_rows },
	{ "patterns", strict_object, .rows = patterns_rows },
	{ .key = NULL }
};

int
inboxrules_take(struct strict *s, void *field, const struct json *value)
{
	struct inboxrules *r = field;

	inboxrules_release(r);
	inboxrules_init(r);
	r->has_roles = json_member(value, "roles") != NULL;
	return strict_read(s, rows, r, value);
}

void
inboxrules_init(struct inboxrules *r)
{
	size_t i;

	*r = (struct inboxrules){ .notify_to = xstrdup("roju_reports") };
	for (i = 0; i < INBOX_WORDS; i++)
		r->words[i] = xstrdup(words[i].text);
	for (i = 0; i < INBOX_KINDS; i++)
		r->patterns[i] = argv_add_all(NULL, words[i].patterns);
}

void
inboxrules_release(struct inboxrules *r)
{
	size_t i;

	for (i = 0; i < r->nroles; i++) {
		free((char *)(uintptr_t)r->roles[i].agent);
		argv_free((char **)(uintptr_t)r->roles[i].unread);
		argv_free((char **)(uintptr_t)r->roles[i].assigned);
	}
	free(r->roles);
	for (i = 0; i < INBOX_KINDS; i++)
		argv_free(r->patterns[i]);
	for (i = 0; i < INBOX_WORDS; i++)
		free(r->words[i]);
	free(r->notify_to);
}

const struct inbox_role *
inboxrules_role(const struct inboxrules *r, const char *agent)
{
	const struct inbox_role *role = r->has_roles ? r->roles : default_roles;
	size_t n = r->has_roles ? r->nroles :
	    sizeof(default_roles) / sizeof(default_roles[0]);

	for (; n > 0; n--, role++)
		if (strcmp(role->agent, agent) == 0)
			return role;
	return NULL;
}

void
inboxrules_tell(const struct inboxrules *r, struct buf *out,
    unsigned which, const struct inbox_telling *t)
{
	const char *text = r->words[which];
	char *count = xasprintf("%zu", t->count);
	const struct template_value values[PLACES] = {
		{ "count", count, strlen(count) },
		{ "notify_to", r->notify_to, strlen(r->notify_to) },
		{ "agent", t->agent, t->agent ? strlen(t->agent) : 0 },
		{ "files", t->files, t->files ? strlen(t->files) : 0 },
	};

	template_expand(out, text, strlen(text), values, PLACES, NULL);
	free(count);
}

#include "run/mailrules.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "text/pattern.h"
#include "text/template.h"

enum { PLACES = 4 };

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
		if (!inboxrules_target_valid(*p)) {
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

struct pattern *
inboxrules_compile(const char *text, char *reason, size_t size)
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
		p = **list != '\0' ? inboxrules_compile(*list, reason, sizeof(reason)) :
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

	if (target == NULL || !inboxrules_target_valid(target)) {
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

const char *const *
inboxrules_patterns(const struct inboxrules *r, enum inbox_kind kind)
{
	if (r != NULL && r->patterns[kind] != NULL)
		return (const char *const *)r->patterns[kind];
	return kinds[kind].patterns;
}

#include "fleet/work/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/spawn.h"

enum { ORDER_BEFORE = 20 };             /* that are kept */

void
order_release(struct order *o)
{
	json_free(o->json);
	*o = (struct order){ 0 };
}

void
order_key(struct buf *out, const char *repository, const char *issue)
{
	store_token(out, repository);
	buf_addc(out, '.');
	store_token(out, issue);
}

/* ---- on the server ------------------------------------------------------- */

bool
order_parse(struct order *o, const char *text, size_t len)
{
	cJSON *json = json_parse(text, len, false, NULL);
	const char *issue = json_text(json, "issue");

	*o = (struct order){ .json = json };
	if (!cJSON_IsObject(json) || issue == NULL || !issue_valid(issue) ||
	    json_text(json, "repository") == NULL) {
		order_release(o);
		return false;
	}
	memcpy(o->issue, issue, strlen(issue) + 1);
	return true;
}

int
order_get(struct link *l, const char *key, struct order *o, struct buf *why)
{
	struct buf value = BUF_INIT;
	uint64_t revision;
	msec time;
	int ret = store_get(l, STORE_BACKLOG, key, &value, &revision, &time,
	    why);

	*o = (struct order){ 0 };
	if (ret == 1)
		ret = order_parse(o, buf_str(&value), value.len);
	if (ret != -1) {
		o->revision = revision;
		o->time = time;
	}
	buf_release(&value);
	return ret;
}

static void
order_number_set(struct order *o, const char *name, double value)
{
	json_drop(o->json, name);
	json_add_number(o->json, name, value);
}

enum store_end
order_put(struct link *l, const char *key, struct order *o, struct buf *why)
{
	struct buf value = BUF_INIT;
	enum store_end end;

	if (o->time != 0) {
		order_number_set(o, "number", (double)order_number(o));
		order_number_set(o, "submitted", (double)order_submitted(o));
	}
	json_print(&value, o->json);
	end = store_put(l, STORE_BACKLOG, key, &value, &o->revision, why);
	buf_release(&value);
	return end;
}

/* ---- reading ------------------------------------------------------------- */

const char *
order_text(const struct order *o, const char *name)
{
	return json_text(o->json, name);
}

const char *
order_part(const struct order *o, const char *part, const char *name)
{
	return json_text(json_member(o->json, part), name);
}

uint64_t
order_token(const struct order *o, const char *part)
{
	return (uint64_t)json_number(json_member(o->json, part), "token", 0);
}

uint64_t
order_number(const struct order *o)
{
	return (uint64_t)json_number(o->json, "number",
	    (int64_t)o->revision);
}

msec
order_submitted(const struct order *o)
{
	return json_number(o->json, "submitted", o->time);
}

bool
order_handing(const struct order *o)
{
	return order_part(o, "handoff", "state") != NULL;
}

bool
order_over(const struct order *o)
{
	return order_text(o, "state") != NULL;
}

static bool
order_part_is(const struct order *o, const char *part, const char *name,
    const char *text)
{
	const char *is = order_part(o, part, name);

	return is != NULL && strcmp(is, text) == 0;
}

static bool
order_part_under(const struct order *o, const char *part, const char *host,
    uint64_t token)
{
	return order_part_is(o, part, "host", host) &&
	    order_token(o, part) == token;
}

bool
order_held(const struct order *o, const char *host, uint64_t token)
{
	return order_part_under(o, "work", host, token);
}

bool
order_handed_under(const struct order *o, const char *host, uint64_t token)
{
	return order_part_under(o, "handoff", host, token);
}

bool
order_handed(const struct order *o, const char *host, const char *run)
{
	return order_part_is(o, "handoff", "host", host) &&
	    order_part_is(o, "handoff", "run", run);
}

bool
order_fits(const struct order *o, char *const *labels)
{
	const cJSON *label;

	cJSON_ArrayForEach(label, json_member(o->json, "labels"))
		if (!cJSON_IsString(label) ||
		    !argv_has(labels, label->valuestring))
			return false;
	return true;
}

bool
order_failed(const struct order *o, const char *host)
{
	const cJSON *one;
	const char *at;

	cJSON_ArrayForEach(one, json_member(o->json, "failed")) {
		at = json_text(one, "host");
		if (at != NULL && strcmp(at, host) == 0)
			return true;
	}
	return false;
}

/* ---- changing ------------------------------------------------------------ */

static cJSON *
order_object(struct order *o, const char *name)
{
	json_drop(o->json, name);
	return json_add_object(o->json, name);
}

/* Adds an object to a list, and drops the oldest of too many. */
static cJSON *
order_listed(struct order *o, const char *name)
{
	cJSON *list = cJSON_GetObjectItemCaseSensitive(o->json, name);

	if (!cJSON_IsArray(list)) {
		json_drop(o->json, name);
		list = cJSON_AddArrayToObject(o->json, name);
	}
	if (cJSON_GetArraySize(list) >= ORDER_BEFORE)
		json_remove(list->child);
	return json_add_object(list, NULL);
}

static void
order_put_aside(struct order *o)
{
	static const char *const kept[] = { "host", "run", "tree" };
	cJSON *one;
	size_t i;

	if (order_part(o, "work", "run") != NULL) {
		one = order_listed(o, "before");
		for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
			json_add_text(one, kept[i],
			    order_part(o, "work", kept[i]));
	}
	json_drop(o->json, "work");
}

void
order_take(struct order *o, const char *host, uint64_t token)
{
	cJSON *work;

	order_put_aside(o);
	work = order_object(o, "work");
	json_add_text(work, "host", host);
	json_add_number(work, "token", (double)token);
}

void
order_started(struct order *o, const char *run, const char *tree)
{
	cJSON *work = cJSON_GetObjectItemCaseSensitive(o->json, "work");

	json_drop(work, "run");
	json_drop(work, "tree");
	json_add_text(work, "run", run);
	json_add_text(work, "tree", tree);
}

void
order_fail(struct order *o, const char *host, const char *why)
{
	cJSON *one = order_listed(o, "failed");

	json_add_text(one, "host", host);
	json_add_text(one, "why", why);
}

void
order_free(struct order *o)
{
	order_put_aside(o);
	json_drop(o->json, "handoff");
}

void
order_handoff(struct order *o, const char *host, uint64_t token,
    const char *run, const char *state)
{
	cJSON *handoff = order_object(o, "handoff");

	json_add_text(handoff, "host", host);
	json_add_number(handoff, "token", (double)token);
	json_add_text(handoff, "run", run);
	json_add_text(handoff, "state", state);
}

void
order_set(struct order *o, const char *name, const char *text)
{
	json_drop(o->json, name);
	json_add_text(o->json, name, text);
}

/* ---- those that this host might take ------------------------------------- */

/* When it was to be tried again; 0: it was not there. */
static msec
offers_drop(struct offers *l, const char *key)
{
	msec later;
	size_t i;

	for (i = 0; i < l->n && strcmp(l->v[i].key, key) != 0; i++)
		continue;
	if (i == l->n)
		return 0;
	later = l->v[i].later;
	free(l->v[i].key);
	free(l->v[i].repository);
	free(l->v[i].host);
	l->n--;
	memmove(l->v + i, l->v + i + 1, (l->n - i) * sizeof(*l->v));
	return later;
}

/* If a host has the order, its changes do not bring the next try forward. */
static void
offers_add(struct offers *l, const char *key, const struct order *o,
    msec later)
{
	const char *host = order_part(o, "work", "host");
	uint64_t number = order_number(o);
	size_t i = l->n;

	(void)ARRAY_ADD(l->v, l->n);
	while (i > 0 && l->v[i - 1].number > number)
		i--;
	memmove(l->v + i + 1, l->v + i, (l->n - 1 - i) * sizeof(*l->v));
	l->v[i] = (struct offer){ .key = xstrdup(key), .number = number,
	    .repository = xstrdup(order_text(o, "repository")),
	    .host = host != NULL ? xstrdup(host) : NULL,
	    .later = host != NULL ? later : 0 };
}

void
offers_take(struct offers *l, const struct link_message *m,
    const struct fleetrules *rules)
{
	const char *prefix = store_prefix(STORE_BACKLOG), *key;
	struct order o = { 0 };
	msec later;

	if (strncmp(m->subject, prefix, strlen(prefix)) != 0)
		return;
	key = m->subject + strlen(prefix);
	later = offers_drop(l, key);
	if (m->gone || !order_parse(&o, m->data, m->len))
		return;
	o.revision = m->sequence;
	o.time = m->time;
	if (!order_over(&o) && !order_handing(&o) &&
	    !order_failed(&o, rules->host) && order_fits(&o, rules->labels))
		offers_add(l, key, &o, later);
	order_release(&o);
}

void
offers_release(struct offers *l)
{
	while (l->n > 0)
		offers_drop(l, l->v[l->n - 1].key);
	free(l->v);
	l->v = NULL;
}

/* ---- the name of a repository -------------------------------------------- */

enum { REPOSITORY_LIMIT = 10000 };      /* ms for git */

/* Host and path of "scheme://user@host:port/path" or "user@host:path"; a path
 * of this machine has no host. */
static const char *
address_split(const char *address, size_t *host)
{
	const char *from = strstr(address, "://"), *end, *at, *colon;

	*host = 0;
	if (from == NULL && (address[0] == '/' || address[0] == '.'))
		return address;
	from = from != NULL ? from + 3 : address;
	end = from + strcspn(from, "/");
	colon = memchr(from, ':', (size_t)(end - from));
	if (from == address && colon == NULL)
		return address;
	at = memchr(from, '@', (size_t)(end - from));
	if (at != NULL)
		from = at + 1;
	*host = strcspn(from, ":/");
	return from;
}

void
repository_normal(struct buf *out, const char *address)
{
	size_t host, len, i;
	const char *from = address_split(address, &host);
	const char *path = from + host;

	for (i = 0; i < host; i++)
		buf_addc(out, from[i] >= 'A' && from[i] <= 'Z' ?
		    (char)(from[i] + 'a' - 'A') : from[i]);
	/* A port. */
	if (host > 0 && strstr(address, "://") != NULL && *path == ':')
		path += strcspn(path, "/");
	if (host > 0) {
		path += strspn(path, ":/");
		buf_addc(out, '/');
	}
	len = strlen(path);
	while (len > 1 && path[len - 1] == '/')
		len--;
	if (len > 4 && strncmp(path + len - 4, ".git", 4) == 0)
		len -= 4;
	while (len > 1 && path[len - 1] == '/')
		len--;
	buf_add(out, path, len);
}

void
repository_of(struct buf *out, const struct project *p)
{
	struct spawn s = SPAWN_INIT;
	const char *name = strrchr(p->root, '/');

	if (p->git_dir != NULL && spawn_run(&s, &(struct spawn_how){
	    .argv = WORDS("git", "config", "--get", "remote.origin.url"),
	    .cwd = p->root, .limit = REPOSITORY_LIMIT }) == 0)
		buf_chomp(&s.output);
	else
		buf_reset(&s.output);
	if (s.output.len > 0)
		repository_normal(out, buf_str(&s.output));
	else
		buf_adds(out, name != NULL && name[1] != '\0' ? name + 1 :
		    p->root);
	spawn_release(&s);
}

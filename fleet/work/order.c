#include "fleet/work/work.h"

#include <ctype.h>

enum { ORDER_BEFORE = 20 };

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

bool
order_adopt(struct order *o, struct json *json)
{
	const char *issue = json_text(json, "issue");

	*o = (struct order){ .json = json };
	if (!json_is(json, JSON_OBJECT) || issue == NULL ||
	    !issue_valid(issue) || json_text(json, "repository") == NULL) {
		order_release(o);
		return false;
	}
	memcpy(o->issue, issue, strlen(issue) + 1);
	return true;
}

bool
order_take_message(struct order *o, const struct link_message *m)
{
	if (!order_adopt(o, m->gone ? NULL :
	    json_parse(m->data, m->len, false, NULL)))
		return false;
	o->revision = m->sequence;
	o->time = m->time;
	return true;
}

int
order_get(struct link *l, const char *key, struct order *o, struct buf *why)
{
	uint64_t revision;
	struct json *json;
	msec time = 0;
	int ret = store_get(l, STORE_BACKLOG, key, &json, &revision, &time,
	    why);

	if (!order_adopt(o, json) && ret == 1)
		ret = 0;
	o->revision = revision;
	o->time = time;
	return ret;
}

enum store_end
order_put(struct link *l, const char *key, struct order *o, struct buf *why)
{
	struct buf value = BUF_INIT;
	enum store_end end;
	uint64_t number = order_number(o);
	msec submitted;

	if (o->time != 0) {
		submitted = json_number(o->json, "submitted", o->time);
		json_drop(o->json, "number");
		json_add_number(o->json, "number", number);
		json_drop(o->json, "submitted");
		json_add_number(o->json, "submitted", submitted);
	}
	json_print(&value, o->json);
	end = store_put(l, STORE_BACKLOG, key, &value, &o->revision, why);
	buf_release(&value);
	return end;
}

const char *
order_part(const struct order *o, const char *part, const char *name)
{
	return json_text(json_member(o->json, part), name);
}

uint64_t
order_number(const struct order *o)
{
	return (uint64_t)json_number(o->json, "number", (int64_t)o->revision);
}

bool
order_text_is(const struct json *object, const char *name, const char *text)
{
	const char *is = json_text(object, name);

	return is != NULL && strcmp(is, text) == 0;
}

bool
order_under(const struct order *o, const char *part, const char *host,
    uint64_t token)
{
	const struct json *at = json_member(o->json, part);

	return order_text_is(at, "host", host) &&
	    (uint64_t)json_number(at, "token", 0) == token;
}

bool
order_handed(const struct order *o, const char *host, const char *run)
{
	const struct json *handoff = json_member(o->json, "handoff");

	return order_text_is(handoff, "host", host) &&
	    order_text_is(handoff, "run", run);
}

bool
order_waits(const struct order *o, const struct fleetrules *r)
{
	const struct json *one;

	json_each(one, json_member(o->json, "failed"))
		if (order_text_is(one, "host", r->host))
			return false;
	json_each(one, json_member(o->json, "labels"))
		if (json_text_of(one) == NULL ||
		    !argv_has(r->labels, json_text_of(one)))
			return false;
	return !order_over(o) && !order_handing(o);
}

static struct json *
order_listed(struct order *o, const char *name)
{
	struct json *list = json_member(o->json, name);

	if (!json_is(list, JSON_LIST)) {
		json_drop(o->json, name);
		list = json_add_list(o->json, name);
	}
	if (json_size(list) >= ORDER_BEFORE)
		json_remove(list->child);
	return json_add_object(list, NULL);
}

static void
order_put_aside(struct order *o)
{
	const struct json *work = json_member(o->json, "work");

	if (json_text(work, "run") != NULL)
		json_add_texts(order_listed(o, "before"), "host",
		    json_text(work, "host"), "run", json_text(work, "run"),
		    "tree", json_text(work, "tree"));
	json_drop(o->json, "work");
}

void
order_take(struct order *o, const char *host, uint64_t token)
{
	struct json *work;

	order_put_aside(o);
	work = json_add_object(o->json, "work");
	json_add_text(work, "host", host);
	json_add_number(work, "token", token);
}

void
order_fail(struct order *o, const char *host, const char *why)
{
	json_add_texts(order_listed(o, "failed"), "host", host, "why", why);
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
	struct json *handoff;

	json_drop(o->json, "handoff");
	handoff = json_add_object(o->json, "handoff");
	json_add_texts(handoff, "host", host, "run", run, "state", state);
	json_add_number(handoff, "token", token);
}

void
order_set(struct json *object, const char *name, const char *text)
{
	json_drop(object, name);
	json_add_text(object, name, text);
}

/* Returns its later; 0: it was not there. */
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

void
offers_take(struct offers *l, const struct link_message *m,
    const struct fleetrules *rules)
{
	const char *key = m->subject + strlen(stores[STORE_BACKLOG].prefix);
	const char *host;
	struct order o;
	size_t i;
	msec later;

	later = offers_drop(l, key);
	if (order_take_message(&o, m) && order_waits(&o, rules)) {
		host = order_part(&o, "work", "host");
		(void)ARRAY_ADD(l->v, l->n);
		for (i = l->n - 1; i > 0 &&
		    l->v[i - 1].number > order_number(&o); i--)
			l->v[i] = l->v[i - 1];
		l->v[i] = (struct offer){ .key = xstrdup(key),
		    .number = order_number(&o),
		    .repository = xstrdup(json_text(o.json, "repository")),
		    /* The host's changes do not bring the next try forward. */
		    .host = host != NULL ? xstrdup(host) : NULL,
		    .later = host != NULL ? later : 0 };
	}
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

enum { REPOSITORY_LIMIT = 10000 };

/* "scheme://user@host:port/path" or "user@host:path"; a path of this machine
 * has no host. */
void
repository_normal(struct buf *out, const char *address)
{
	const char *scheme = strstr(address, "://"), *path = address, *at;
	const char *from = scheme != NULL ? scheme + 3 : address;
	size_t len = strcspn(from, "/");

	if (scheme != NULL || (address[0] != '/' && address[0] != '.' &&
	    memchr(from, ':', len) != NULL)) {
		at = memchr(from, '@', len);
		if (at != NULL)
			from = at + 1;
		path = from + strcspn(from, ":/");
		for (; from < path; from++)
			buf_addc(out, (char)tolower((unsigned char)*from));
		if (scheme != NULL && *path == ':')
			path += strcspn(path, "/");
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

#include "fleet/order.h"

#include <stdio.h>
#include <string.h>

#include "base/argv.h"

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
	cJSON_DeleteItemFromObjectCaseSensitive(o->json, name);
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
	cJSON_DeleteItemFromObjectCaseSensitive(o->json, name);
	return json_add_object(o->json, name);
}

/* Adds an object to a list, and drops the oldest of too many. */
static cJSON *
order_listed(struct order *o, const char *name)
{
	cJSON *list = cJSON_GetObjectItemCaseSensitive(o->json, name);
	cJSON *one = json_new_object();

	if (!cJSON_IsArray(list)) {
		cJSON_DeleteItemFromObjectCaseSensitive(o->json, name);
		list = cJSON_AddArrayToObject(o->json, name);
	}
	if (cJSON_GetArraySize(list) >= ORDER_BEFORE)
		cJSON_DeleteItemFromArray(list, 0);
	cJSON_AddItemToArray(list, one);
	return one;
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
	cJSON_DeleteItemFromObjectCaseSensitive(o->json, "work");
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

	cJSON_DeleteItemFromObjectCaseSensitive(work, "run");
	cJSON_DeleteItemFromObjectCaseSensitive(work, "tree");
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
	cJSON_DeleteItemFromObjectCaseSensitive(o->json, "handoff");
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
	cJSON_DeleteItemFromObjectCaseSensitive(o->json, name);
	json_add_text(o->json, name, text);
}

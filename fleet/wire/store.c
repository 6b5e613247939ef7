#include "fleet/wire/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "os/loop.h"
#include "project/statusdir.h"

enum {
	TOKEN = 40,                     /* bytes of a text in a token */
	MAKING = 20                     /* ms between looks at a new stream */
};

#define NANO INT64_C(1000000)           /* of a ms */

static const struct kind {
	const char *stream, *prefix;
	int64_t     lasts;              /* ms; 0: for ever, or by the rules */
	int32_t     most;               /* bytes of a value */
} kinds[STORES] = {
	[STORE_EVENTS]  = { "PANEWARD", "paneward.", 0, 1 << 20 },
	[STORE_HOSTS]   = { "KV_PANEWARD_HOSTS", "$KV.PANEWARD_HOSTS.",
	    STORE_GONE, 16 << 10 },
	[STORE_ROWS]    = { "KV_PANEWARD_ROWS", "$KV.PANEWARD_ROWS.", 0,
	    256 << 10 },
	[STORE_BACKLOG] = { "KV_PANEWARD_BACKLOG", "$KV.PANEWARD_BACKLOG.", 0,
	    512 << 10 },
	[STORE_LEASES]  = { "KV_PANEWARD_LEASES", "$KV.PANEWARD_LEASES.", 0,
	    16 << 10 },
	[STORE_NOTICES] = { "KV_PANEWARD_NOTICES", "$KV.PANEWARD_NOTICES.",
	    86400000, 16 << 10 },
};

const char *
store_stream(enum store which)
{
	return kinds[which].stream;
}

const char *
store_prefix(enum store which)
{
	return kinds[which].prefix;
}

/* ---- streams ------------------------------------------------------------- */

static natsStatus
store_make(struct link *l, enum store which, jsErrCode *code)
{
	char subject[64];
	const char *subjects[] = { subject };
	jsStreamConfig c;
	natsStatus s = jsStreamConfig_Init(&c);
	const struct fleetrules *r = link_rules(l);
	int64_t lasts = which == STORE_LEASES ? r->lease * 1000 :
	    kinds[which].lasts;

	snprintf(subject, sizeof(subject), "%s>", kinds[which].prefix);
	c.Name = kinds[which].stream;
	c.Subjects = subjects;
	c.SubjectsLen = 1;
	c.MaxMsgSize = kinds[which].most;
	c.DenyDelete = true;
	/* Nor by a message that replaces all others. */
	c.DenyPurge = true;
	if (which == STORE_EVENTS) {
		c.MaxAge = r->keep_days * 86400000 * NANO;
		c.MaxBytes = r->keep_bytes;
		/* An event that is sent again this late is still known. */
		c.Duplicates = 3600000 * NANO;
	} else {
		c.MaxMsgsPerSubject = 1;
		c.Discard = js_DiscardNew;
		c.AllowDirect = true;
		c.MaxAge = lasts * NANO;
		c.Duplicates = lasts > 0 && lasts < 120000 ? lasts * NANO :
		    120000 * NANO;
	}
	return s == NATS_OK ? js_AddStream(NULL, link_js(l), &c, NULL, code) :
	    s;
}

/*
 * Asks for a stream, and waits while the server makes it for another host: it
 * has no date yet, and nats-server before 2.9.15 dies if it is then asked for
 * a message of it.
 */
static natsStatus
store_ask(struct link *l, enum store which, jsStreamInfo **info,
    jsErrCode *code)
{
	natsStatus s;
	int tries;

	for (tries = 0; tries < LINK_LIMIT / MAKING; tries++) {
		s = js_GetStreamInfo(info, link_js(l), kinds[which].stream,
		    NULL, code);
		if (s != NATS_OK)
			return *code == JSStreamNotFoundErr ? NATS_NOT_FOUND :
			    s;
		if ((*info)->Created != 0) {
			link_learn(l, 1U << which);
			return s;
		}
		jsStreamInfo_Destroy(*info);
		*info = NULL;
		loop_pause(MAKING);
	}
	return NATS_TIMEOUT;
}

static natsStatus
store_last_message(struct link *l, enum store which, const char *subject,
    natsMsg **m, jsErrCode *code)
{
	jsStreamInfo *info = NULL;
	natsStatus s = NATS_OK;

	if (!link_knows(l, 1U << which))
		s = store_ask(l, which, &info, code);
	jsStreamInfo_Destroy(info);
	return s == NATS_OK ? js_GetLastMsg(m, link_js(l),
	    kinds[which].stream, subject, NULL, code) : s;
}

int
store_look(struct link *l, enum store which, struct store_look *look,
    struct buf *why)
{
	jsStreamInfo *info = NULL;
	jsErrCode code = 0;
	natsStatus s = store_ask(l, which, &info, &code);
	const jsStreamConfig *c;

	if (s == NATS_NOT_FOUND)
		return 0;
	if (s != NATS_OK) {
		link_why(l, s, why);
		return -1;
	}
	c = info->Config;
	/* Could messages get lost there, or come from elsewhere, or go
	 * there? */
	*look = (struct store_look){ .made = info->Created / NANO,
	    .newest = info->State.LastTime / NANO,
	    .lasts = c->MaxAge / NANO, .most = c->MaxBytes,
	    .bytes = (int64_t)info->State.Bytes,
	    .messages = (int64_t)info->State.Msgs,
	    .other = !c->DenyDelete || !c->DenyPurge || c->AllowRollup ||
	    c->Mirror != NULL || c->SourcesLen > 0 || c->RePublish != NULL ||
	    c->SubjectsLen != 1 };
	jsStreamInfo_Destroy(info);
	return 1;
}

/* NULL after saying why; for jsStreamInfo_Destroy(). */
static jsStreamInfo *
store_info(struct link *l, enum store which, struct buf *why)
{
	jsStreamInfo *info = NULL;
	struct buf reason = BUF_INIT;
	jsErrCode code = 0;
	natsStatus s = store_ask(l, which, &info, &code);

	if (s == NATS_NOT_FOUND) {
		s = store_make(l, which, &code);
		if (s != NATS_OK)
			link_why(l, s, &reason);
		/* Another host may have made it meanwhile, or be about to: what
		 * that one reserves is missing for ours. */
		s = store_ask(l, which, &info, &code);
	}
	if (s != NATS_OK && reason.len == 0)
		link_why(l, s, &reason);
	if (s != NATS_OK)
		buf_printf(why, "stream %s: %s", kinds[which].stream,
		    buf_str(&reason));
	buf_release(&reason);
	return s == NATS_OK ? info : NULL;
}

int
store_open(struct link *l, enum store which, msec *made, struct buf *why)
{
	jsStreamInfo *info = store_info(l, which, why);

	if (info == NULL)
		return -1;
	if (made != NULL)
		*made = info->Created / NANO;
	jsStreamInfo_Destroy(info);
	return 0;
}

int
store_discards(struct link *l, enum store which, bool *discards,
    struct buf *why)
{
	jsStreamInfo *info = store_info(l, which, why);

	if (info == NULL)
		return -1;
	*discards = info->State.FirstSeq > 1;
	jsStreamInfo_Destroy(info);
	return 0;
}

/* ---- keys of buckets ----------------------------------------------------- */

/* Sends what becomes the last message of the key, if the last one is that. */
static enum store_end
store_send(struct link *l, enum store which, natsMsg *m, uint64_t *revision,
    struct buf *why)
{
	jsPubOptions o;
	jsPubAck *ack = NULL;
	jsErrCode code = 0;
	natsStatus s = jsPubOptions_Init(&o);

	o.ExpectStream = kinds[which].stream;
	if (*revision != STORE_ANY && *revision != 0)
		o.ExpectLastSubjectSeq = *revision;
	o.ExpectNoMessage = *revision == 0;
	NATS_THEN(s, js_PublishMsg(&ack, link_js(l), m, &o, &code));
	natsMsg_Destroy(m);
	if (s == NATS_OK)
		*revision = ack->Sequence;
	jsPubAck_Destroy(ack);
	if (s == NATS_OK)
		return STORE_DONE;
	if (code == JSStreamWrongLastSequenceErr)
		return STORE_TAKEN;
	link_why(l, s, why);
	return STORE_FAILED;
}

static natsMsg *
store_message(enum store which, const char *key, const struct buf *value)
{
	struct buf subject = BUF_INIT;
	natsMsg *m = NULL;

	buf_printf(&subject, "%s%s", kinds[which].prefix, key);
	if (natsMsg_Create(&m, buf_str(&subject), NULL,
	    value != NULL ? value->data : NULL,
	    value != NULL ? (int)value->len : 0) != NATS_OK)
		m = NULL;
	buf_release(&subject);
	return m;
}

enum store_end
store_put(struct link *l, enum store which, const char *key,
    const struct buf *value, uint64_t *revision, struct buf *why)
{
	return store_send(l, which, store_message(which, key, value), revision,
	    why);
}

enum store_end
store_delete(struct link *l, enum store which, const char *key,
    uint64_t revision, struct buf *why)
{
	natsMsg *m = store_message(which, key, NULL);

	natsMsgHeader_Set(m, "KV-Operation", "DEL");
	return store_send(l, which, m, &revision, why);
}

int
store_get(struct link *l, enum store which, const char *key,
    struct buf *value, uint64_t *revision, msec *time, struct buf *why)
{
	struct buf subject = BUF_INIT;
	const char *operation = NULL;
	natsMsg *m = NULL;
	jsErrCode code = 0;
	natsStatus s;
	int ret = -1;

	*revision = 0;
	buf_printf(&subject, "%s%s", kinds[which].prefix, key);
	s = store_last_message(l, which, buf_str(&subject), &m, &code);
	if (s == NATS_OK) {
		*revision = natsMsg_GetSequence(m);
		*time = natsMsg_GetTime(m) / NANO;
		/* A deleted key has a last message, too. */
		ret = natsMsgHeader_Get(m, "KV-Operation", &operation) !=
		    NATS_OK;
		if (ret == 1)
			buf_add(value, natsMsg_GetData(m),
			    (size_t)natsMsg_GetDataLength(m));
	} else if (s == NATS_NOT_FOUND || code == JSNoMessageFoundErr) {
		ret = 0;
	} else {
		link_why(l, s, why);
	}
	natsMsg_Destroy(m);
	buf_release(&subject);
	return ret;
}

int
store_keys(struct link *l, enum store which,
    void (*take)(void *, const char *key), void *context, struct buf *why)
{
	const char *prefix = kinds[which].prefix, *subject;
	const jsStreamStateSubjects *list;
	jsStreamInfo *info = NULL;
	jsOptions o;
	natsStatus s = jsOptions_Init(&o);
	int i;

	o.Wait = LINK_LIMIT;
	o.Stream.Info.SubjectsFilter = ">";
	NATS_THEN(s, js_GetStreamInfo(&info, link_js(l), kinds[which].stream,
	    &o, NULL));
	if (s != NATS_OK) {
		link_why(l, s, why);
		return -1;
	}
	list = info->State.Subjects;
	for (i = 0; list != NULL && i < list->Count; i++) {
		subject = list->List[i].Subject;
		if (strncmp(subject, prefix, strlen(prefix)) == 0)
			take(context, subject + strlen(prefix));
	}
	jsStreamInfo_Destroy(info);
	return 0;
}

int
store_each(struct link *l, enum store which, link_take *take, void *context,
    struct buf *why)
{
	char subject[64];

	snprintf(subject, sizeof(subject), "%s>", kinds[which].prefix);
	return link_each(l, kinds[which].stream, subject, LINK_LAST, false,
	    take, context, why);
}

/* ---- events -------------------------------------------------------------- */

enum { HEADERS = 512 };                 /* bytes of them, at most */

int
store_publish(struct link *l, const struct store_event *e, uint64_t *sequence,
    bool *again, struct buf *why)
{
	jsPubOptions o;
	jsPubAck *ack = NULL;
	jsErrCode code = 0;
	natsStatus s;
	/* 0: the server has not announced its limit yet. */
	int64_t most = natsConnection_GetMaxPayload(link_nats(l));

	if (most == 0 || most > kinds[STORE_EVENTS].most)
		most = kinds[STORE_EVENTS].most;
	if ((int64_t)(e->len + strlen(e->subject)) + HEADERS > most) {
		buf_printf(why, "%zu bytes are too much", e->len);
		return 0;
	}
	s = jsPubOptions_Init(&o);
	o.ExpectStream = kinds[STORE_EVENTS].stream;
	o.MsgId = e->id;
	NATS_THEN(s, js_Publish(&ack, link_js(l), e->subject, e->data,
	    (int)e->len, &o, &code));
	if (s == NATS_OK) {
		*sequence = ack->Sequence;
		*again = ack->Duplicate;
	}
	jsPubAck_Destroy(ack);
	if (s != NATS_OK)
		link_why(l, s, why);
	/* NATS_MAX_PAYLOAD is no answer: it is one of a connection that has
	 * not yet heard from its server, too. */
	return s == NATS_OK ? 1 :
	    code == JSStreamMessageExceedsMaximumErr ? 0 : -1;
}

int
store_last(struct link *l, enum store which, const char *subject,
    uint64_t *sequence, struct buf *why)
{
	natsMsg *m = NULL;
	jsErrCode code = 0;
	natsStatus s = store_last_message(l, which, subject, &m, &code);

	*sequence = s == NATS_OK ? natsMsg_GetSequence(m) : 0;
	natsMsg_Destroy(m);
	if (s != NATS_OK && code != JSNoMessageFoundErr)
		link_why(l, s, why);
	return s == NATS_OK || code == JSNoMessageFoundErr ? 0 : -1;
}

/* ---- names --------------------------------------------------------------- */

void
store_token(struct buf *out, const char *text)
{
	bool lost = strlen(text) > TOKEN || text[0] == '\0';
	size_t i;

	for (i = 0; text[i] != '\0' && i < TOKEN; i++) {
		bool good = text_alnum(text[i]) || text[i] == '-' ||
		    text[i] == '_';

		buf_addc(out, good ? text[i] : '_');
		lost |= !good;
	}
	if (lost)
		buf_printf(out, "-%08x", (unsigned)text_hash(text,
		    strlen(text)));
}

void
store_project(struct buf *out, const char *directory)
{
	char *folder = statusdir_folder(directory);
	const char *last = strrchr(folder, '/');
	struct buf name = BUF_INIT;

	store_token(&name, last != NULL ? last + 1 : folder);
	buf_printf(out, "%s-%08x", buf_str(&name),
	    (unsigned)text_hash(directory, strlen(directory)));
	buf_release(&name);
	free(folder);
}

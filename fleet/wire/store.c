#include "fleet/wire/wire.h"

enum {
	TOKEN = 40,                     /* bytes of a text */
	MAKING = 20                     /* ms between looks */
};

#define NANO INT64_C(1000000)

#define BUCKET(name) "KV_PANEWARD_" name, "$KV.PANEWARD_" name "."

const struct store_kind stores[STORES] = {
	[STORE_EVENTS]  = { "PANEWARD", "paneward.", 0, STORE_LINE },
	[STORE_HOSTS]   = { BUCKET("HOSTS"), STORE_GONE, 16 << 10 },
	[STORE_ROWS]    = { BUCKET("ROWS"), 0, 256 << 10 },
	[STORE_BACKLOG] = { BUCKET("BACKLOG"), 0, 512 << 10 },
	[STORE_LEASES]  = { BUCKET("LEASES"), 0, 16 << 10 },
	[STORE_NOTICES] = { BUCKET("NOTICES"), 86400000, 16 << 10 },
};

/* Waits while the server makes it for another host: nats-server before 2.9.15
 * dies if asked for a message of a stream without a date. */
static natsStatus
store_ask(struct link *l, enum store which, jsStreamInfo **info)
{
	jsErrCode code = 0;
	natsStatus s;
	int tries;

	for (tries = 0; tries < LINK_LIMIT / MAKING; tries++) {
		s = js_GetStreamInfo(info, l->js, stores[which].stream, NULL,
		    &code);
		if (s != NATS_OK)
			return code == JSStreamNotFoundErr ? NATS_NOT_FOUND : s;
		if ((*info)->Created != 0) {
			l->known[which] = l->connects;
			return s;
		}
		jsStreamInfo_Destroy(*info);
		*info = NULL;
		loop_pause(MAKING);
	}
	return NATS_TIMEOUT;
}

int
store_look(struct link *l, enum store which, struct store_look *look,
    struct buf *why)
{
	jsStreamInfo *info = NULL;
	const jsStreamConfig *c;
	natsStatus s = store_ask(l, which, &info);

	if (s != NATS_OK)
		return s == NATS_NOT_FOUND ? 0 : link_why(l, s, why);
	c = info->Config;
	*look = (struct store_look){ .made = info->Created / NANO,
	    .newest = info->State.LastTime / NANO,
	    .lasts = c->MaxAge / NANO, .most = c->MaxBytes,
	    .bytes = (int64_t)info->State.Bytes,
	    .messages = (int64_t)info->State.Msgs,
	    .discards = info->State.FirstSeq > 1,
	    /* Messages could vanish there, or come from elsewhere. */
	    .other = !c->DenyDelete || !c->DenyPurge || c->AllowRollup ||
	    c->Mirror != NULL || c->SourcesLen > 0 || c->RePublish != NULL ||
	    c->SubjectsLen != 1 };
	jsStreamInfo_Destroy(info);
	return 1;
}

static natsStatus
store_make(struct link *l, enum store which)
{
	char subject[64];
	const char *subjects[] = { subject };
	jsStreamConfig c;
	natsStatus s = jsStreamConfig_Init(&c);
	const struct fleetrules *r = l->rules;
	int64_t lasts = which == STORE_LEASES ? r->lease * 1000 :
	    stores[which].lasts;

	snprintf(subject, sizeof(subject), "%s>", stores[which].prefix);
	c.Name = stores[which].stream;
	c.Subjects = subjects;
	c.SubjectsLen = 1;
	c.MaxMsgSize = stores[which].most;
	c.DenyDelete = true;
	/* Refuses a message that replaces all others, too. */
	c.DenyPurge = true;
	if (which == STORE_EVENTS) {
		c.MaxAge = r->keep_days * 86400000 * NANO;
		c.MaxBytes = r->keep_bytes;
		/* A repeated event this late is still known. */
		c.Duplicates = 3600000 * NANO;
	} else {
		c.MaxMsgsPerSubject = 1;
		c.Discard = js_DiscardNew;
		c.AllowDirect = true;
		c.MaxAge = lasts * NANO;
	}
	return NATS_THEN(s, js_AddStream(NULL, l->js, &c, NULL, NULL));
}

int
store_open(struct link *l, enum store which, struct store_look *look,
    struct buf *why)
{
	struct buf reason = BUF_INIT;
	int there = store_look(l, which, look, &reason);

	if (there == 0) {
		link_why(l, store_make(l, which), &reason);
		/* Another host may have made it, or be about to: its
		 * reservation is missing for ours. */
		there = store_look(l, which, look, reason.len > 0 ? NULL :
		    &reason);
		if (there == 0 && reason.len == 0)
			link_why(l, NATS_NOT_FOUND, &reason);
	}
	if (there != 1)
		buf_printf(why, "stream %s: %s", stores[which].stream,
		    buf_str(&reason));
	buf_release(&reason);
	return there == 1 ? 0 : -1;
}

/* nats.c's own calls for keys do not report another revision. */
enum store_end
store_put(struct link *l, enum store which, const char *key,
    const struct buf *value, uint64_t *revision, struct buf *why)
{
	char *subject = xasprintf("%s%s", stores[which].prefix, key);
	jsPubAck *ack = NULL;
	natsMsg *m = NULL;
	jsErrCode code = 0;
	jsPubOptions o;
	natsStatus s = jsPubOptions_Init(&o);

	o.ExpectStream = stores[which].stream;
	if (*revision != STORE_ANY)
		o.ExpectLastSubjectSeq = *revision;
	o.ExpectNoMessage = *revision == 0;
	NATS_THEN(s, natsMsg_Create(&m, subject, NULL, value != NULL ?
	    value->data : NULL, value != NULL ? (int)value->len : 0));
	if (value == NULL)
		NATS_THEN(s, natsMsgHeader_Set(m, "KV-Operation", "DEL"));
	NATS_THEN(s, js_PublishMsg(&ack, l->js, m, &o, &code));
	natsMsg_Destroy(m);
	free(subject);
	if (s == NATS_OK)
		*revision = ack->Sequence;
	else if (code != JSStreamWrongLastSequenceErr)
		link_why(l, s, why);
	jsPubAck_Destroy(ack);
	return s == NATS_OK ? STORE_DONE :
	    code == JSStreamWrongLastSequenceErr ? STORE_TAKEN : STORE_FAILED;
}

int
store_get(struct link *l, enum store which, const char *key,
    struct json **value, uint64_t *revision, msec *time, struct buf *why)
{
	char *subject = xasprintf("%s%s", stores[which].prefix, key);
	jsStreamInfo *info = NULL;
	const char *operation;
	natsMsg *m = NULL;
	jsErrCode code = 0;
	natsStatus s = NATS_OK;
	int ret = -1;

	*revision = 0;
	if (value != NULL)
		*value = NULL;
	if (l->known[which] != l->connects)
		s = store_ask(l, which, &info);
	jsStreamInfo_Destroy(info);
	NATS_THEN(s, js_GetLastMsg(&m, l->js, stores[which].stream, subject,
	    NULL, &code));
	if (s == NATS_OK) {
		*revision = natsMsg_GetSequence(m);
		if (time != NULL)
			*time = natsMsg_GetTime(m) / NANO;
		/* A deleted key has a last message, too. */
		ret = natsMsgHeader_Get(m, "KV-Operation", &operation) !=
		    NATS_OK;
		if (ret == 1 && value != NULL)
			*value = json_parse(natsMsg_GetData(m),
			    (size_t)natsMsg_GetDataLength(m), false, NULL);
	} else if (s == NATS_NOT_FOUND || code == JSNoMessageFoundErr) {
		ret = 0;
	} else {
		link_why(l, s, why);
	}
	natsMsg_Destroy(m);
	free(subject);
	return ret;
}

int
store_keys(struct link *l, enum store which,
    void (*take)(void *, const char *key), void *context, struct buf *why)
{
	const char *prefix = stores[which].prefix, *subject;
	const jsStreamStateSubjects *list;
	jsStreamInfo *info = NULL;
	jsOptions o;
	natsStatus s = jsOptions_Init(&o);
	int i;

	o.Wait = LINK_LIMIT;
	o.Stream.Info.SubjectsFilter = ">";
	NATS_THEN(s, js_GetStreamInfo(&info, l->js, stores[which].stream, &o,
	    NULL));
	if (link_why(l, s, why) == -1)
		return -1;
	list = info->State.Subjects;
	for (i = 0; list != NULL && i < list->Count; i++) {
		subject = list->List[i].Subject;
		if (strncmp(subject, prefix, strlen(prefix)) == 0)
			take(context, subject + strlen(prefix));
	}
	jsStreamInfo_Destroy(info);
	return 0;
}

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

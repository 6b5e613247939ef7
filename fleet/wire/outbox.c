#include "fleet/wire/wire.h"

#include "data/fields.h"
#include "run/journal.h"

enum {
	BATCH = 100,                    /* events in a turn */
	TURN = STORE_BEAT / 2,          /* ms of a turn */
	ID_MOST = 200,
	HEADERS = 512                   /* bytes at most */
};

static const char journal_name[] = "journal.ndjson";

#define EVENT(member) FIELD_AT(struct outbox_event, member)

static const struct field data_of[] = {
	{ "run", FIELD_WORD, EVENT(run) },
	{ 0 }
};

static const struct field event_of[] = {
	{ "id", FIELD_TEXT, EVENT(id), .required = true },
	{ "subject", FIELD_TEXT, EVENT(subject), .required = true },
	{ "time", FIELD_TIME, EVENT(time), .required = true },
	{ "data", FIELD_OBJECT, .fields = data_of },
	{ 0 }
};

bool
outbox_event_parse(struct outbox_event *e, const char *line, size_t len)
{
	*e = (struct outbox_event){ 0 };
	if (fields_parse(event_of, e, line, len) == 0)
		return true;
	outbox_event_release(e);
	return false;
}

void
outbox_event_release(struct outbox_event *e)
{
	fields_release(event_of, e);
}

void
outbox_event_id(struct buf *out, const struct outbox_event *e,
    const char *host, const char *directory)
{
	struct buf source = BUF_INIT;
	const char *p = e->id;

	/* A header's value must be one word. */
	while (*p > ' ' && *p <= '~')
		p++;
	if (*p == '\0' && p > e->id && p - e->id <= ID_MOST)
		buf_adds(out, e->id);
	else
		buf_printf(out, "id-%016llx", (unsigned long long)
		    text_hash(e->id, strlen(e->id)));
	if (e->run[0] != '\0' && strncmp(e->id, e->run, strlen(e->run)) == 0)
		return;
	buf_printf(&source, "%s\n%s", host, directory);
	buf_printf(out, "-%08x", (unsigned)text_hash(source.data, source.len));
	buf_release(&source);
}

static int
hash_order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void
there_add(void *context, const struct link_message *m)
{
	struct outbox *o = context;

	if (m->sequence > o->sequence)
		o->sequence = m->sequence;
	if (m->id != NULL)
		*ARRAY_ADD(o->there, o->nthere) = text_hash(m->id,
		    strlen(m->id));
}

/* A stream that discards may have discarded the lines before its first one;
 * others never had them. */
static bool
place_ask(struct outbox *o, struct link *l, struct buf *why)
{
	char *keys = xasprintf("%s*", o->prefix);
	struct store_look look = { 0 };

	free(o->there);
	o->there = NULL;
	o->nthere = 0;
	o->nrecent = 0;
	o->sequence = 0;
	o->at = -1;
	o->from = 0;
	o->skipped = 0;
	o->known = link_each(l, STORE_EVENTS, keys, LINK_BARE, 0, there_add, o,
	    why) == 0 && store_open(l, STORE_EVENTS, &look, why) == 0;
	if (o->nthere > 0)
		qsort(o->there, o->nthere, sizeof(*o->there), hash_order);
	o->discarded = look.discards && o->nthere > 0;
	free(keys);
	return o->known;
}

static bool
place_stands(struct outbox *o, struct link *l, struct journal_reader *r)
{
	struct stat st = { 0 };
	struct buf id = BUF_INIT;
	struct outbox_event e;
	bool same;

	if (r->fd != -1 && fstat(r->fd, &st) == -1)
		return false;
	if (o->ino != st.st_ino || st.st_size < o->from) {
		o->ino = st.st_ino;
		return false;
	}
	if (o->at == -1)
		return true;
	journal_seek(r, o->at);
	if (journal_next_line(r) != 1 || r->from != o->at ||
	    !outbox_event_parse(&e, r->line, r->len))
		return false;
	outbox_event_id(&id, &e, l->rules->host, o->dir.path);
	same = text_hash(id.data, id.len) == o->last;
	outbox_event_release(&e);
	buf_release(&id);
	return same;
}

/* 1: the stream has it; 0, with why: no stream would take it; -1: it may have
 * it. */
static int
send_event(struct outbox *o, struct link *l, struct buf *id,
    const struct outbox_event *e, const struct journal_reader *r,
    struct buf *why)
{
	/* 0: no limit is announced yet.  NATS_MAX_PAYLOAD does not tell: a
	 * waiting connection fails so, too. */
	int64_t most = natsConnection_GetMaxPayload(l->nats);
	struct buf subject = BUF_INIT;
	jsPubAck *ack = NULL;
	jsErrCode code = 0;
	jsPubOptions with;
	natsStatus s = jsPubOptions_Init(&with);
	int sent = 1;

	buf_printf(&subject, "%s%s", stores[STORE_EVENTS].prefix, o->prefix);
	store_token(&subject, e->subject);
	with.ExpectStream = stores[STORE_EVENTS].stream;
	with.MsgId = buf_str(id);
	if (most == 0 || most > STORE_LINE)
		most = STORE_LINE;
	if ((int64_t)(r->len + subject.len) + HEADERS > most) {
		buf_printf(why, "%zu bytes are too much", r->len);
		buf_release(&subject);
		return 0;
	}
	NATS_THEN(s, js_Publish(&ack, l->js, buf_str(&subject), r->line,
	    (int)r->len, &with, &code));
	buf_release(&subject);
	if (s != NATS_OK) {
		link_why(l, s, why);
		sent = code == JSStreamMessageExceedsMaximumErr ? 0 : -1;
	} else if (!ack->Duplicate && ack->Sequence > o->sequence) {
		o->sequence = ack->Sequence;
	} else if (!ack->Duplicate) {
		/* A stream that begins anew was made anew. */
		buf_adds(why, "the stream is another one");
		sent = -1;
	}
	jsPubAck_Destroy(ack);
	return sent;
}

static int
send_line(struct outbox *o, struct link *l, const struct journal_reader *r,
    struct buf *skipped, struct buf *why)
{
	msec keep = (msec)l->rules->keep_days * 86400000;
	off_t next = r->from + (off_t)r->len + 1;
	struct buf id = BUF_INIT;
	struct outbox_event e;
	uint64_t hash;
	bool before;
	unsigned i;
	int sent = 0;

	if (!outbox_event_parse(&e, r->line, r->len)) {
		o->from = next;
		return 0;
	}
	outbox_event_id(&id, &e, l->rules->host, o->dir.path);
	hash = text_hash(id.data, id.len);
	/* A journal may hold an event twice. */
	before = o->there != NULL && bsearch(&hash, o->there, o->nthere,
	    sizeof(hash), hash_order) != NULL;
	for (i = 0; i < o->nrecent && i < OUTBOX_RECENT; i++)
		before |= o->recent[i] == hash;
	if (!before && !o->discarded && e.time >= clock_wall() - keep)
		sent = send_event(o, l, &id, &e, r, why);
	if (sent != -1)
		o->from = next;
	if (before || sent == 1) {
		o->last = hash;
		o->at = r->from;
		o->discarded = false;
		o->recent[o->nrecent++ % OUTBOX_RECENT] = hash;
	} else if (sent == 0 && why->len > 0) {
		o->skipped++;
		buf_add(skipped, why->data, why->len);
		buf_reset(why);
	}
	outbox_event_release(&e);
	buf_release(&id);
	return sent;
}

bool
outbox_send(struct outbox *o, struct link *l, struct buf *skipped,
    struct buf *why)
{
	struct journal_reader r;
	bool well = journal_open(&r, o->dir.state_fd) == 0;
	int got = 1, sent = 0, n = 0;
	msec until;

	if (!well)
		buf_adds(why, strerror(errno));
	if (well && (!place_stands(o, l, &r) || !o->known))
		well = place_ask(o, l, why);
	if (!well)
		goto out;
	until = clock_now() + TURN;
	journal_seek(&r, o->from);
	r.skipped = 0;
	while (n < BATCH && clock_now() < until && sent != -1 &&
	    (got = journal_next_line(&r)) == 1) {
		sent = send_line(o, l, &r, skipped, why);
		n += sent > 0;
	}
	if (got == -1)
		buf_adds(why, strerror(errno));
	if (r.skipped > 0 && skipped->len == 0)
		buf_adds(skipped, "a line of more than a MiB");
	o->skipped += r.skipped;
	o->wanted = got != 0;
	well = got != -1 && sent != -1;
out:
	journal_close(&r);
	o->known = o->known && well;
	return well;
}

struct outbox *
outbox_new(const struct statusdir *dir, const char *host)
{
	struct outbox *o = xcalloc(1, sizeof(*o));
	struct buf project = BUF_INIT;

	o->dir = *dir;
	store_project(&project, dir->path);
	o->prefix = xasprintf("%s.%s.", host, buf_str(&project));
	buf_release(&project);
	o->watch = o->at = -1;
	o->wanted = true;
	return o;
}

void
outbox_free(struct outbox *o)
{
	statusdir_close(&o->dir);
	free(o->there);
	free(o->prefix);
	free(o);
}

void
outbox_watch(struct outbox *o, struct notify *n)
{
	struct stat st = { 0 };
	int fd = file_open_own(o->dir.state_fd, journal_name, O_RDONLY, &st);

	notify_unwatch(n, o->watch);
	o->watched = fd != -1 ? st.st_ino : 0;
	o->watch = fd != -1 ? notify_watch(n, fd, NOTIFY_FILE) :
	    notify_watch(n, o->dir.state_fd, NOTIFY_DIRECTORY);
	file_close(fd);
	o->wanted = true;
}

void
outbox_check(struct outbox *o, struct notify *n)
{
	struct stat st = { 0 };

	fstatat(o->dir.state_fd, journal_name, &st, AT_SYMLINK_NOFOLLOW);
	if (st.st_ino != o->watched)
		outbox_watch(o, n);
	o->wanted |= st.st_ino != o->ino || st.st_size != o->from;
}

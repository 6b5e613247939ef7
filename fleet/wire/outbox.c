#include "fleet/wire/outbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "data/fields.h"
#include "fleet/wire/store.h"
#include "os/file.h"
#include "run/journal.h"

enum {
	BATCH = 100,                    /* events in a turn, and */
	TURN = STORE_BEAT / 2,          /* ms of it, if the server is slow */
	ID_MOST = 200
};

static const char journal_name[] = "journal.ndjson";

/* ---- an event ------------------------------------------------------------ */

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

	/* A header's value: it must be no more than a word. */
	while (*p > ' ' && *p <= '~')
		p++;
	if (*p == '\0' && p > e->id && p - e->id <= ID_MOST)
		buf_adds(out, e->id);
	else
		buf_printf(out, "id-%016llx", (unsigned long long)
		    text_hash(e->id, strlen(e->id)));
	if (e->run[0] != '\0' &&
	    strncmp(e->id, e->run, strlen(e->run)) == 0)
		return;
	buf_printf(&source, "%s\n%s", host, directory);
	buf_printf(out, "-%08x", (unsigned)text_hash(source.data, source.len));
	buf_release(&source);
}

static uint64_t
id_hash(const struct buf *id)
{
	return text_hash(id->data, id->len);
}

/* ---- what was sent ------------------------------------------------------- */

static int
hash_order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* An event of which nothing but the journal is known may be journaled again. */
static bool
sent_before(const struct outbox *o, uint64_t id)
{
	unsigned i, n = o->nrecent < OUTBOX_RECENT ? o->nrecent :
	    OUTBOX_RECENT;

	for (i = 0; i < n; i++)
		if (o->recent[i] == id)
			return true;
	return o->there != NULL && bsearch(&id, o->there, o->nthere,
	    sizeof(id), hash_order) != NULL;
}

/* The stream has the event of the line. */
static void
sent_take(struct outbox *o, uint64_t id, const struct journal_reader *r)
{
	o->last = id;
	o->at = r->from;
	o->from = r->from + (off_t)r->len + 1;
	o->discarded = false;
	o->recent[o->nrecent++ % OUTBOX_RECENT] = id;
}

/* ---- the place ----------------------------------------------------------- */

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

/* Asks the stream.  One that has discarded messages may have discarded those
 * of the lines before the first one that it has; any other had none of them. */
static int
place_ask(struct outbox *o, struct link *l, struct buf *why)
{
	char *subjects = xasprintf("%s*", o->prefix);
	bool discards = false;

	free(o->there);
	o->there = NULL;
	o->nthere = 0;
	o->nrecent = 0;
	o->sequence = 0;
	o->at = -1;
	o->from = 0;
	o->skipped = 0;
	o->known = link_each(l, store_stream(STORE_EVENTS), subjects, LINK_ALL,
	    true, there_add, o, why) == 0 &&
	    store_discards(l, STORE_EVENTS, &discards, why) == 0;
	if (o->nthere > 0)
		qsort(o->there, o->nthere, sizeof(*o->there), hash_order);
	o->discarded = discards && o->nthere > 0;
	free(subjects);
	return o->known ? 0 : -1;
}

/* Is it still the journal in which the place was found? */
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
	outbox_event_id(&id, &e, link_rules(l)->host, o->dir.path);
	same = id_hash(&id) == o->last;
	outbox_event_release(&e);
	buf_release(&id);
	return same;
}

/* ---- sending ------------------------------------------------------------- */

static int
send_event(struct outbox *o, struct link *l, struct buf *id,
    const struct outbox_event *e, const struct journal_reader *r,
    struct buf *why)
{
	struct buf subject = BUF_INIT;
	uint64_t sequence = 0;
	bool again = false;
	int sent;

	buf_adds(&subject, o->prefix);
	store_token(&subject, e->subject);
	sent = store_publish(l, &(struct store_event){ buf_str(&subject),
	    buf_str(id), r->line, r->len }, &sequence, &again, why);
	buf_release(&subject);
	if (sent != 1 || again)
		return sent;
	/* One that begins anew was made anew. */
	if (sequence <= o->sequence) {
		buf_adds(why, "the stream is another one");
		return -1;
	}
	o->sequence = sequence;
	return 1;
}

/* The line was looked at; it is not sent, or not again. */
static int
send_over(struct outbox *o, const struct journal_reader *r)
{
	o->from = r->from + (off_t)r->len + 1;
	return 0;
}

/* 1: it was sent; 0: it is not to be; -1 after saying why. */
static int
send_line(struct outbox *o, struct link *l, const struct journal_reader *r,
    struct buf *skipped, struct buf *why)
{
	msec keep = (msec)link_rules(l)->keep_days * 86400000;
	struct buf id = BUF_INIT;
	struct outbox_event e;
	int sent = 0;

	if (!outbox_event_parse(&e, r->line, r->len))
		return send_over(o, r);
	outbox_event_id(&id, &e, link_rules(l)->host, o->dir.path);
	if (sent_before(o, id_hash(&id)))
		sent_take(o, id_hash(&id), r);
	else if (o->discarded || e.time < clock_wall() - keep)
		send_over(o, r);
	else if ((sent = send_event(o, l, &id, &e, r, why)) == 1)
		sent_take(o, id_hash(&id), r);
	if (sent == 0 && why->len > 0) {
		o->skipped++;
		buf_add(skipped, why->data, why->len);
		buf_reset(why);
		send_over(o, r);
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
		well = place_ask(o, l, why) == 0;
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

/* ---- the journal --------------------------------------------------------- */

struct outbox *
outbox_new(const struct statusdir *dir, const char *host)
{
	struct outbox *o = xcalloc(1, sizeof(*o));
	struct buf project = BUF_INIT;

	o->dir = *dir;
	store_project(&project, dir->path);
	o->project = buf_steal(&project);
	o->prefix = xasprintf("%s%s.%s.", store_prefix(STORE_EVENTS), host,
	    o->project);
	o->watch = -1;
	o->at = -1;
	o->wanted = true;
	return o;
}

void
outbox_free(struct outbox *o)
{
	statusdir_close(&o->dir);
	free(o->there);
	free(o->project);
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

/* The file of the journal; all zero without one. */
static struct stat
journal_stat(const struct outbox *o)
{
	struct stat st;

	return fstatat(o->dir.state_fd, journal_name, &st,
	    AT_SYMLINK_NOFOLLOW) == 0 ? st : (struct stat){ 0 };
}

bool
outbox_same(const struct outbox *o)
{
	return journal_stat(o).st_ino == o->watched;
}

void
outbox_check(struct outbox *o)
{
	struct stat st = journal_stat(o);

	o->wanted |= st.st_ino != o->ino || st.st_size != o->from;
}

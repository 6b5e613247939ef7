#include "run/journal.h"

#include "data/fields.h"
#include "data/json.h"
#include "os/compat.h"
#include "os/file.h"

enum { LINE = 1 << 20, PIECE = 64 << 10 };      /* bytes */

static const char *const types[JOURNAL_TYPES] = {
	[JOURNAL_RUN]     = "paneward.run",
	[JOURNAL_STATE]   = "paneward.state",
	[JOURNAL_STALE]   = "paneward.stale",
	[JOURNAL_REFUSED] = "paneward.refused",
	[JOURNAL_HANDOFF] = "paneward.handoff",
	[JOURNAL_NOTIFY]  = "paneward.notify",
	[JOURNAL_ANSWER]  = "paneward.answer",
	[JOURNAL_SENT]    = "paneward.sent",
	[JOURNAL_MERGE]   = "paneward.merge",
	[JOURNAL_PARKED]  = "paneward.parked",
	[JOURNAL_WARNING] = "paneward.warning",
};

static unsigned
hash_text(const char *text)
{
	uint64_t hash = text_hash(text, strlen(text));

	return (unsigned)(hash ^ hash >> 32);
}

static struct json *
new_event(const char *id, const char *dir, enum journal_type type,
    const char *subject)
{
	struct json *o = json_new_object();

	json_add_texts(o, "specversion", "1.0", "id", id, "source", dir,
	    "type", types[type], "subject", subject);
	json_add_time(o, "time", clock_wall());
	json_add_text(o, "datacontenttype", "application/json");
	return o;
}

static int
append(int state_fd, struct json *event, msec patience, bool sync)
{
	struct buf line = BUF_INIT;
	struct stat st;
	int ret = -1, saved, fd = file_open_own(state_fd, "journal.ndjson",
	    O_RDWR | O_CREAT | O_APPEND, &st);
	char last = '\n';
	off_t before;
	ssize_t n;

	if (fd == -1 || file_lock(fd, patience) == -1)
		goto out;
	before = lseek(fd, 0, SEEK_END);
	/* A crash may have cut the last line. */
	if (before > 0 && pread(fd, &last, 1, before - 1) == 1 && last != '\n')
		buf_addc(&line, '\n');
	json_print(&line, event);
	buf_addc(&line, '\n');
	n = write(fd, line.data, line.len);
	if (n == (ssize_t)line.len) {
		ret = sync ? fdatasync(fd) : 0;
	} else {
		saved = n == -1 ? errno : ENOSPC;
		if (ftruncate(fd, before) == -1)
			ret = -1;
		errno = saved;
	}
out:
	file_close(fd);
	json_free(event);
	buf_release(&line);
	return ret;
}

int
journal_add(int state_fd, const char *dir, enum journal_type type,
    const struct status *s, const char *detail)
{
	const struct verdict *v = &s->verdict;
	const struct handoff *h = &s->handoff;
	char id[128];
	struct json *o, *data;

	snprintf(id, sizeof(id), "%s-%llu-%s-%08x", s->run,
	    (unsigned long long)s->changes, strchr(types[type], '.') + 1,
	    hash_text(detail ? detail : ""));
	o = new_event(id, dir, type, s->issue);
	data = json_add_object(o, "data");
	json_add_text(data, "run", s->run);
	if (type == JOURNAL_STATE) {
		json_add_texts(data, "state", state_name(v->state), "source",
		    verdict_source(v), "why", v->why, "message",
		    v->message[0] != '\0' ? v->message : NULL, "task",
		    s->task, "said", v->state == STATE_WAITING ? s->said :
		    NULL);
		if (s->exit_code != -1)
			json_add_number(data, "exit_code", s->exit_code);
		if (s->exit_signal != -1)
			json_add_number(data, "exit_signal", s->exit_signal);
	}
	if (type == JOURNAL_HANDOFF) {
		json_add_texts(data, "handoff", h->id, "state",
		    handoff_states[h->state]);
		json_add_number(data, "attempt", h->attempts);
		/* A running one has the last attempt's. */
		if (h->state != HANDOFF_RUNNING && h->last_exit != -1)
			json_add_number(data, "exit", h->last_exit);
		if (h->state != HANDOFF_RUNNING)
			json_add_text(data, "message", h->message);
	}
	json_add_text(data, "detail", detail);
	return append(state_fd, o, FILE_PATIENT, true);
}

int
journal_add_inbox(int state_fd, const char *dir,
    const struct journal_inbox *event, msec patience, bool sync)
{
	struct buf text = BUF_INIT, subject = BUF_INIT;
	struct json *o, *data;
	char id[128];

	buf_add(&text, event->entry, event->len);
	buf_printf(&subject, "queue/inbox/%s.yaml", event->target);
	snprintf(id, sizeof(id), "inbox-%08x-%08x",
	    hash_text(buf_str(&subject)), hash_text(buf_str(&text)));
	o = new_event(id, dir, JOURNAL_WARNING, buf_str(&subject));
	data = json_add_object(o, "data");
	json_add_texts(data, "detail", event->detail, "entry", buf_str(&text));
	buf_release(&subject);
	buf_release(&text);
	return append(state_fd, o, patience, sync);
}

#define EVENT(member) FIELD_AT(struct journal_event, member)

static const struct field data_fields[] = {
	{ "run", FIELD_WORD, EVENT(run) },
	{ "state", FIELD_TEXT, EVENT(state) },
	{ "why", FIELD_TEXT, EVENT(why) },
	{ "message", FIELD_TEXT, EVENT(message) },
	{ "task", FIELD_TEXT, EVENT(task) },
	{ "said", FIELD_TEXT, EVENT(said) },
	{ "detail", FIELD_TEXT, EVENT(detail) },
	{ "exit", FIELD_SIGNED, EVENT(exit), .fallback = -1 },
	{ 0 }
};

static const struct field line_fields[] = {
	{ "id", FIELD_TEXT, EVENT(id), .required = true },
	{ "type", FIELD_NAME, EVENT(type), FIELD_NAMES(types),
	    .required = true },
	{ "source", FIELD_TEXT, EVENT(source) },
	{ "subject", FIELD_TEXT, EVENT(subject), .required = true },
	{ "host", FIELD_TEXT, EVENT(host) },
	{ "time", FIELD_TIME, EVENT(time), .required = true },
	{ "data", FIELD_OBJECT, .fields = data_fields },
	{ 0 }
};

void
journal_event_release(struct journal_event *e)
{
	fields_release(line_fields, e);
}

int
journal_open(struct journal_reader *r, int state_fd)
{
	struct stat st;

	*r = (struct journal_reader){ .fd = file_open_own(state_fd,
	    "journal.ndjson", O_RDONLY, &st) };
	return r->fd == -1 && errno != ENOENT ? -1 : 0;
}

void
journal_close(struct journal_reader *r)
{
	file_close(r->fd);
	buf_release(&r->text);
	journal_event_release(&r->event);
}

void
journal_seek(struct journal_reader *r, off_t at)
{
	r->text.len = r->at = 0;
	r->skipping = false;
	r->offset = at;
}

int
journal_next_line(struct journal_reader *r)
{
	const char *end;
	ssize_t n = 1;
	char *room;

	while (n > 0) {
		end = r->text.len == r->at ? NULL : memchr(r->text.data +
		    r->at, '\n', r->text.len - r->at);
		if (end != NULL) {
			r->line = r->text.data + r->at;
			r->len = (size_t)(end - r->line);
			r->from = r->offset + (off_t)r->at;
			r->at += r->len + 1;
			if (!r->skipping)
				return 1;
			r->skipping = false;
			r->skipped++;
			continue;
		}
		if (r->text.len - r->at > LINE) {
			r->skipping = true;
			r->at = r->text.len;
		}
		r->text.len -= r->at;
		if (r->at > 0)
			memmove(r->text.data, r->text.data + r->at,
			    r->text.len);
		r->offset += (off_t)r->at;
		r->at = 0;
		room = buf_room(&r->text, PIECE);
		n = r->fd == -1 ? 0 : r->stream ? read(r->fd, room, PIECE) :
		    pread(r->fd, room, PIECE, r->offset + (off_t)r->text.len);
		r->text.len += n > 0 ? (size_t)n : 0;
	}
	return n == -1 ? -1 : 0;
}

int
journal_next(struct journal_reader *r)
{
	int ret;

	while ((ret = journal_next_line(r)) == 1) {
		journal_event_release(&r->event);
		r->event = (struct journal_event){ .exit = -1 };
		if (fields_parse(line_fields, &r->event, r->line, r->len) == 0)
			break;
	}
	return ret;
}

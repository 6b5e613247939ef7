#include "run/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "os/compat.h"
#include "os/file.h"
#include "text/json.h"

static const char *const types[] = {
	[JOURNAL_RUN]     = "paneward.run",
	[JOURNAL_STATE]   = "paneward.state",
	[JOURNAL_STALE]   = "paneward.stale",
	[JOURNAL_REFUSED] = "paneward.refused",
	[JOURNAL_HANDOFF] = "paneward.handoff",
	[JOURNAL_NOTIFY]  = "paneward.notify",
	[JOURNAL_WARNING] = "paneward.warning",
};

static unsigned
hash_text(const char *text)
{
	uint64_t hash = text_hash(text, strlen(text));

	return (unsigned)(hash ^ hash >> 32);
}

static void
add_data(cJSON *o, enum journal_type type, const struct status *s,
    const char *detail)
{
	cJSON *data = json_add_object(o, "data");
	const struct verdict *v = &s->verdict;
	const struct handoff *h = &s->handoff;

	json_add_text(data, "run", s->run);
	if (type == JOURNAL_STATE) {
		json_add_text(data, "state", state_name(v->state));
		json_add_text(data, "source", verdict_source(v));
		json_add_text(data, "why", v->why);
		if (v->message[0] != '\0')
			json_add_text(data, "message", v->message);
		if (s->exit_code != -1)
			json_add_number(data, "exit_code", s->exit_code);
		if (s->exit_signal != -1)
			json_add_number(data, "exit_signal", s->exit_signal);
	}
	if (type == JOURNAL_HANDOFF) {
		json_add_text(data, "handoff", h->id);
		json_add_text(data, "state", handoff_states[h->state]);
		json_add_number(data, "attempt", h->attempts);
		if (h->last_exit != -1)
			json_add_number(data, "exit", h->last_exit);
		json_add_text(data, "message", h->message);
	}
	json_add_text(data, "detail", detail);
}

/* The members of every event. */
static cJSON *
new_event(const char *id, const char *dir, enum journal_type type,
    const char *subject)
{
	cJSON *o = json_new_object();

	json_add_text(o, "specversion", "1.0");
	json_add_text(o, "id", id);
	json_add_text(o, "source", dir);
	json_add_text(o, "type", types[type]);
	json_add_text(o, "subject", subject);
	json_add_time(o, "time", clock_wall());
	json_add_text(o, "datacontenttype", "application/json");
	return o;
}

/* Takes the event over. */
static int
append(int state_fd, cJSON *event, msec patience, bool sync)
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
	/* Does it end within a line? */
	if (before > 0 && pread(fd, &last, 1, before - 1) == 1 && last != '\n')
		buf_addc(&line, '\n');
	json_print(&line, event);
	buf_addc(&line, '\n');
	n = write(fd, line.data, line.len);
	if (n == (ssize_t)line.len) {
		ret = sync ? fdatasync(fd) : 0;
	} else {
		/* A full disk took a part of it, which is cut off again. */
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
	char id[128];
	cJSON *o;

	/* The same event always has the same id. */
	snprintf(id, sizeof(id), "%s-%llu-%s-%08x", s->run,
	    (unsigned long long)s->changes, strchr(types[type], '.') + 1,
	    hash_text(detail ? detail : ""));
	o = new_event(id, dir, type, s->issue);
	add_data(o, type, s, detail);
	return append(state_fd, o, FILE_PATIENT, true);
}

int
journal_add_inbox(int state_fd, const char *dir,
    const struct journal_inbox *event, msec patience, bool sync)
{
	struct buf text = BUF_INIT, subject = BUF_INIT;
	cJSON *o, *data;
	char id[128];

	buf_add(&text, event->entry, event->len);
	buf_printf(&subject, "queue/inbox/%s.yaml", event->target);
	snprintf(id, sizeof(id), "inbox-%08x-%08x",
	    hash_text(buf_str(&subject)), hash_text(buf_str(&text)));
	o = new_event(id, dir, JOURNAL_WARNING, buf_str(&subject));
	data = json_add_object(o, "data");
	json_add_text(data, "detail", event->detail);
	json_add_text(data, "entry", buf_str(&text));
	buf_release(&subject);
	buf_release(&text);
	return append(state_fd, o, patience, sync);
}

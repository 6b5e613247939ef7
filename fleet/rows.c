#include "fleet/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/text.h"
#include "fleet/store.h"
#include "os/compat.h"
#include "os/file.h"
#include "os/spawn.h"

enum {
	SILENCE = 75000,                /* ms without a line; one comes each
					   half minute */
	PAUSE_LEAST = 1000,
	PAUSE_MOST = 60000,
	LINE_MOST = 256 << 10,          /* bytes, less what the server adds */
	SENT = 100                      /* rows in a turn */
};

struct sentrow {
	char   token[17];               /* of its key */
	char  *line;                    /* NULL: it is gone */
	size_t len;
	bool   there;                   /* the child that runs has printed it */
	bool   differs;                 /* from what the bucket has */
};

struct rows {
	const char  *program, *host;
	struct loop *loop;
	struct spawn spawn;             /* the child */
	int          in;                /* its input, which ends it if we end;
					   -1: there is no child */
	size_t       had;               /* bytes of a line's begin */
	bool         answered;          /* it has printed all rows */
	bool         failed;            /* it was said that it ended */
	msec         due, pause;        /* until the next one */
	struct buf   why;
	struct sentrow *rows;
	size_t       n;
	bool         known;             /* what the bucket has */
};

struct rows *
rows_new(const char *program, const char *host, struct loop *loop)
{
	struct rows *r = xcalloc(1, sizeof(*r));

	*r = (struct rows){ .program = program, .host = host, .loop = loop,
	    .spawn = SPAWN_INIT, .in = -1, .pause = PAUSE_LEAST };
	return r;
}

/* ---- the rows ------------------------------------------------------------ */

static struct sentrow *
sentrow_find(struct rows *r, const char *token)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (strcmp(r->rows[i].token, token) == 0)
			return &r->rows[i];
	return NULL;
}

static struct sentrow *
sentrow_add(struct rows *r, const char *token)
{
	struct sentrow *s;

	r->rows = xreallocarray(r->rows, r->n + 1, sizeof(*r->rows));
	s = &r->rows[r->n++];
	*s = (struct sentrow){ .differs = true };
	snprintf(s->token, sizeof(s->token), "%s", token);
	return s;
}

static void
sentrow_set(struct sentrow *s, const char *line, size_t len)
{
	s->there = line != NULL;
	s->differs |= s->len != len || (s->line == NULL) != (line == NULL) ||
	    (len > 0 && memcmp(s->line, line, len) != 0);
	free(s->line);
	s->line = line != NULL ? xstrndup(line, len) : NULL;
	s->len = len;
}

static void
sentrow_drop(struct rows *r, struct sentrow *s)
{
	free(s->line);
	*s = r->rows[--r->n];
}

/* ---- the child ----------------------------------------------------------- */

static void
child_close(struct rows *r)
{
	spawn_release(&r->spawn);
	r->spawn = (struct spawn)SPAWN_INIT;
	file_close(r->in);
	r->in = -1;
}

static void
child_begin(struct rows *r, msec now)
{
	const char *const argv[] = { r->program, "status", "--all", "--json",
	    "--follow", "--pace", "10", NULL };
	int in[2];

	r->due = now + r->pause;
	r->answered = false;
	if (pipe2(in, O_CLOEXEC) == -1)
		return;
	r->in = in[1];
	r->had = 0;
	if (spawn_begin(&r->spawn, &(struct spawn_how){ .argv = argv,
	    .in = in[0], .limit = SILENCE }) == -1)
		child_close(r);
	spawn_follow(&r->spawn, r->loop, NULL, NULL);
	close(in[0]);
}

/* Its last words. */
static const char *
child_ended(struct rows *r, msec now)
{
	const char *text, *last;

	buf_chomp(&r->spawn.errors);
	text = buf_str(&r->spawn.errors);
	last = strrchr(text, '\n');
	buf_reset(&r->why);
	if (text[0] != '\0')
		buf_adds(&r->why, last != NULL ? last + 1 : text);
	else
		buf_printf(&r->why, "'%s' ended with exit status %d",
		    r->program, r->spawn.status);
	child_close(r);
	r->due = now + r->pause;
	r->pause = 2 * r->pause < PAUSE_MOST ? 2 * r->pause : PAUSE_MOST;
	if (r->failed)
		return NULL;
	r->failed = true;
	return buf_str(&r->why);
}

static void
child_line(struct rows *r, const char *line, size_t len)
{
	cJSON *o = len > 0 && len <= LINE_MOST ?
	    json_parse(line, len, false, NULL) : NULL;
	const char *key = json_text(o, "key");
	struct sentrow *s;
	char token[17];
	size_t i;

	/* An empty line ends a batch; behind the first one the rows are
	 * complete. */
	for (i = 0; len == 0 && i < r->n && !r->answered; i++)
		if (!r->rows[i].there)
			sentrow_set(&r->rows[i], NULL, 0);
	if (len == 0) {
		r->answered = true;
		r->failed = false;
		r->pause = PAUSE_LEAST;
	}
	if (key != NULL) {
		snprintf(token, sizeof(token), "%016llx",
		    (unsigned long long)text_hash(key, strlen(key)));
		s = sentrow_find(r, token);
		if (json_bool(o, "gone", false))
			line = NULL;
		if (s == NULL)
			s = sentrow_add(r, token);
		sentrow_set(s, line, line != NULL ? len : 0);
	}
	json_free(o);
}

msec
rows_due(const struct rows *r)
{
	return r->in == -1 ? r->due : CLOCK_NEVER;
}

const char *
rows_turn(struct rows *r, msec now)
{
	struct buf *out = &r->spawn.output;
	size_t i, at = 0;
	const char *end;

	if (r->in == -1) {
		for (i = 0; i < r->n && now >= r->due; i++)
			r->rows[i].there = false;
		if (now >= r->due)
			child_begin(r, now);
		return NULL;
	}
	if (out->len > r->had && r->spawn.pid != 0)
		spawn_extend(&r->spawn, now + SILENCE);
	while (at < out->len && (end = memchr(out->data + at, '\n',
	    out->len - at)) != NULL) {
		child_line(r, out->data + at, (size_t)(end - out->data) - at);
		at = (size_t)(end - out->data) + 1;
	}
	r->had = out->len -= at;
	if (at > 0)
		memmove(out->data, out->data + at, out->len);
	return r->spawn.pid == 0 ? child_ended(r, now) : NULL;
}

void
rows_free(struct rows *r)
{
	child_close(r);
	while (r->n > 0)
		sentrow_drop(r, &r->rows[0]);
	free(r->rows);
	buf_release(&r->why);
	free(r);
}

/* ---- the bucket ---------------------------------------------------------- */

void
rows_forget(struct rows *r)
{
	r->known = false;
}

bool
rows_wait(const struct rows *r)
{
	size_t i = 0;

	if (!r->answered)
		return false;
	while (r->known && i < r->n && !r->rows[i].differs)
		i++;
	return !r->known || i < r->n;
}

static void
bucket_row(void *context, const struct link_message *m)
{
	struct rows *r = context;
	const char *token = strrchr(m->subject, '.') + 1;
	struct sentrow *s = sentrow_find(r, token);

	if (s == NULL && !m->gone && strlen(token) < sizeof(s->token))
		sentrow_add(r, token);
	if (s != NULL && !m->gone)
		s->differs = s->line == NULL || s->len != m->len ||
		    memcmp(s->line, m->data, m->len) != 0;
	if (s != NULL && m->gone)
		s->differs = s->line != NULL;
}

static int
bucket_read(struct rows *r, struct link *l, struct buf *why)
{
	char *subjects = xasprintf("%s%s.>", store_prefix(STORE_ROWS),
	    r->host);
	size_t i;
	int ret;

	for (i = 0; i < r->n; i++)
		r->rows[i].differs = true;
	ret = link_each(l, store_stream(STORE_ROWS), subjects, LINK_LAST,
	    false, bucket_row, r, why);
	free(subjects);
	r->known = ret == 0;
	return ret;
}

static int
bucket_write(struct rows *r, struct sentrow *s, struct link *l,
    struct buf *why)
{
	struct buf value = { .data = s->line, .len = s->len };
	char *key = xasprintf("%s.%s", r->host, s->token);
	uint64_t revision = STORE_ANY;
	enum store_end end = s->line != NULL ?
	    store_put(l, STORE_ROWS, key, &value, &revision, why) :
	    store_delete(l, STORE_ROWS, key, STORE_ANY, why);

	free(key);
	s->differs = end != STORE_DONE;
	r->known = end == STORE_DONE;
	return end == STORE_DONE ? 0 : -1;
}

int
rows_send(struct rows *r, struct link *l, struct buf *why)
{
	unsigned sent = 0;
	size_t i;

	if (!r->answered)
		return 0;
	if (!r->known && bucket_read(r, l, why) == -1)
		return -1;
	for (i = r->n; i-- > 0 && sent < SENT; ) {
		if (r->rows[i].differs) {
			sent++;
			if (bucket_write(r, &r->rows[i], l, why) == -1)
				return -1;
		}
		if (r->rows[i].line == NULL)
			sentrow_drop(r, &r->rows[i]);
	}
	return 0;
}

int
rows_remove(struct rows *r, struct link *l, struct buf *why)
{
	size_t i;

	if (!r->known && bucket_read(r, l, why) == -1)
		return -1;
	for (i = 0; i < r->n; i++) {
		free(r->rows[i].line);
		r->rows[i].line = NULL;
		if (bucket_write(r, &r->rows[i], l, why) == -1)
			return -1;
	}
	return 0;
}

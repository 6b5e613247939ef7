#include "fleet/wire/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "fleet/wire/store.h"
#include "queue/lines.h"

enum {
	ANSWER = 75000,                 /* ms for the child's first line */
	ROWS_MOST = 64 << 20,           /* bytes of all rows */
	SENT = 100                      /* rows in a turn */
};

struct rows {
	const char  *host;
	const char  *argv[9];
	struct rowfeed feed;
	bool         failed;            /* the child's end was reported */
	struct lines bucket;            /* the server's, by the hash of a key */
	bool         known;             /* the bucket was read */
	bool         same;              /* it has the rows of the child */
};

struct rows *
rows_new(const char *program, const char *host, struct loop *loop)
{
	struct rows *r = xcalloc(1, sizeof(*r));

	*r = (struct rows){ .host = host, .argv = { program, "status", "--all",
	    "--json", "--follow", "--pace", "10" } };
	r->feed = (struct rowfeed){ .argv = r->argv, .answer = ANSWER,
	    .most = ROWS_MOST };
	rowfeed_begin(&r->feed, loop);
	return r;
}

void
rows_free(struct rows *r)
{
	rowfeed_end(&r->feed);
	lines_release(&r->bucket);
	free(r);
}

const char *
rows_trouble(struct rows *r)
{
	bool said = r->failed;

	r->failed = r->feed.why.len > 0;
	return r->failed && !said ? buf_str(&r->feed.why) : NULL;
}

void
rows_forget(struct rows *r)
{
	r->known = false;
}

bool
rows_wait(struct rows *r)
{
	r->same = r->same && !r->feed.changed;
	r->feed.changed = false;
	return r->feed.whole && !(r->known && r->same);
}

static void
bucket_row(void *context, const struct link_message *m)
{
	struct rows *r = context;

	if (!m->gone)
		lines_set(&r->bucket, strrchr(m->subject, '.') + 1, m->data,
		    m->len, 0);
}

/* line NULL: deletes it. */
static int
bucket_write(struct rows *r, const char *token, const struct line *line,
    struct link *l, struct buf *why)
{
	char *key = xasprintf("%s.%s", r->host, token);
	uint64_t revision = STORE_ANY;

	r->known = (line == NULL ? store_delete(l, STORE_ROWS, key, STORE_ANY,
	    why) : store_put(l, STORE_ROWS, key, &(struct buf){
	    .data = line->text, .len = line->len }, &revision, why)) ==
	    STORE_DONE;
	free(key);
	return r->known ? 0 : -1;
}

/* The bucket gets those lines, and no others. */
static int
bucket_make(struct rows *r, const struct lines *lines, struct link *l,
    struct buf *why)
{
	struct line *line;
	unsigned sent = 0;
	char token[17], *subjects;
	size_t i;

	if (!r->known) {
		lines_release(&r->bucket);
		subjects = xasprintf("%s%s.>", store_prefix(STORE_ROWS),
		    r->host);
		r->known = link_each(l, store_stream(STORE_ROWS), subjects,
		    LINK_LAST, false, bucket_row, r, why) == 0;
		free(subjects);
	}
	if (!r->known)
		return -1;
	r->bucket.round++;
	for (i = 0; i < lines->n && sent < SENT; i++) {
		line = &lines->line[i];
		snprintf(token, sizeof(token), "%016llx", (unsigned long long)
		    text_hash(line->key, strlen(line->key)));
		if (!lines_set(&r->bucket, token, line->text, line->len,
		    i)->news)
			continue;
		sent++;
		if (bucket_write(r, token, line, l, why) == -1)
			return -1;
	}
	while (i == lines->n && sent < SENT &&
	    (line = lines_old(&r->bucket)) != NULL) {
		sent++;
		if (bucket_write(r, line->key, NULL, l, why) == -1)
			return -1;
		lines_drop(&r->bucket, line);
	}
	r->same = sent < SENT;
	return 0;
}

int
rows_send(struct rows *r, struct link *l, struct buf *why)
{
	return r->feed.whole ? bucket_make(r, &r->feed.lines, l, why) : 0;
}

int
rows_remove(struct rows *r, struct link *l, struct buf *why)
{
	static const struct lines none;
	int ret;

	do
		ret = bucket_make(r, &none, l, why);
	while (ret == 0 && !r->same);
	return ret;
}

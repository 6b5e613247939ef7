#include "queue/hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "base/utf8.h"
#include "os/compat.h"
#include "os/file.h"
#include "os/spawn.h"

enum {
	ONCE = 2000,                    /* ms for the answer if we wait */
	ANSWER = 10000,                 /* if we do not */
	SILENCE = 75000,                /* without a line; one comes each half
					   minute */
	PAUSE_LEAST = 1000,
	PAUSE_MOST = 60000,
	LINE_MOST = 256 << 10,          /* bytes */
	ROWS_MOST = 16 << 20,           /* of all rows of a host, */
	FLEET_MOST = 64 << 20,          /* and of a fleet */
	MINUTE_MOST = 64 << 20,         /* of all lines in a minute */
	SHOWN = 160                     /* of what was wrong */
};

struct far_row {
	struct row row;
	char      *key;                 /* as the other side calls it */
	size_t     size;                /* of its line, and its own */
};

/* What one program tells: of a host, or of all that are in the fleet. */
struct host {
	const char   *name;             /* for ssh; NULL: each row says whose
					   it is */
	const char   *program;          /* what runs: "ssh", a path */
	struct spawn  spawn;            /* that; pid 0: none */
	int           in;               /* its input, which ends it if we end */
	struct far_row **rows;
	size_t        n, size;          /* size: of all rows */
	bool          answered;         /* all rows have come once */
	struct row    problem;          /* why there are none */
	unsigned      misses;           /* connections that failed, in series */
	msec          begun;            /* the connection, */
	msec          minute;           /* the count of bytes begins, */
	size_t        bytes;            /* and is this */
	size_t        had;              /* bytes of a line's begin */
	struct hosts *hosts;            /* whose it is */
	struct loop_wait wait;          /* until it connects again */
};

struct hosts {
	struct host *hosts;
	size_t       n;
	struct loop *loop;              /* NULL: none */
	bool         changed;
};

static void host_connect(void *, msec now);
static void host_read(void *, msec now);

static void
hosts_add(struct hosts *h, const char *name, const char *program)
{
	struct host *new = &h->hosts[h->n++];

	*new = (struct host){ .name = name, .program = program,
	    .spawn = SPAWN_INIT, .in = -1, .hosts = h,
	    .wait = LOOP_WAIT(-1, host_connect, new) };
	status_init(&new->problem.status, "");
}

struct hosts *
hosts_new(char *const *names, const char *fleet)
{
	struct hosts *h = xcalloc(1, sizeof(*h));
	size_t i, n = argv_count(names);

	h->hosts = xcalloc(n + 1, sizeof(*h->hosts));
	for (i = 0; i < n; i++)
		hosts_add(h, names[i], "ssh");
	if (fleet != NULL)
		hosts_add(h, NULL, fleet);
	return h;
}

/* ---- rows ---------------------------------------------------------------- */

static size_t
host_find(const struct host *h, const char *key)
{
	size_t i = 0;

	while (i < h->n && strcmp(h->rows[i]->key, key) != 0)
		i++;
	return i;
}

static void
host_drop(struct host *h, size_t place)
{
	struct far_row *f = h->rows[place];

	h->size -= f->size;
	row_release(&f->row);
	free(f->key);
	free(f);
	h->rows[place] = h->rows[--h->n];
}

static void
host_empty(struct host *h)
{
	while (h->n > 0)
		host_drop(h, h->n - 1);
	h->answered = false;
}

/* The key without the host before it, which row_key() adds. */
static char *
far_key(const struct row *r)
{
	size_t len = strlen(r->host);

	return xstrdup(strncmp(r->key, r->host, len) == 0 &&
	    r->key[len] == ':' ? r->key + len + 1 : r->key);
}

/* Takes over the row, in place of the one with its key.  ssh's host has its name
 * from us. */
static void
host_add(struct host *h, const struct row *r, size_t len)
{
	size_t place = host_find(h, r->key);
	struct far_row *f = xcalloc(1, sizeof(*f));

	if (place < h->n)
		host_drop(h, place);
	f->row = *r;
	f->key = r->key;
	if (h->name != NULL) {
		free(f->row.host);
		f->row.host = xstrdup(h->name);
		f->row.key = xstrdup(f->key);
	} else {
		f->row.key = far_key(r);
	}
	f->size = len + sizeof(*f);
	h->size += f->size;
	h->rows = xreallocarray(h->rows, h->n + 1, sizeof(*h->rows));
	h->rows[h->n++] = f;
}

/* ---- a connection -------------------------------------------------------- */

static void
host_close(struct host *h)
{
	spawn_release(&h->spawn);
	file_close(h->in);
	h->in = -1;
	host_empty(h);
}

/* There is one row, that says why. */
static void
host_fail(struct host *h, const char *why, size_t len, msec now)
{
	struct row *r = &h->problem;
	struct buf shown = BUF_INIT, text = BUF_INIT;
	msec pause;

	utf8_add_shown(&shown, why, len, SHOWN);
	msg_escape(&text, buf_str(&shown), shown.len);
	buf_release(&shown);
	host_close(h);
	if (now - h->begun > PAUSE_MOST)
		h->misses = 0;
	pause = PAUSE_LEAST << h->misses;
	h->misses += h->misses < 6;
	h->wait.at = now + (pause < PAUSE_MOST ? pause : PAUSE_MOST);
	if (r->problem == NULL)
		r->status.since = clock_wall();
	free(r->problem);
	r->problem = buf_steal(&text);
	if (r->host == NULL)
		r->host = xstrdup(h->name != NULL ? h->name : "fleet");
	row_rate(r);
	h->hosts->changed = true;
}

static void
host_fails(struct host *h, const char *why, msec now)
{
	host_fail(h, why, strlen(why), now);
}

static void
host_connect(void *context, msec now)
{
	struct host *h = context;
	const char *const far[] = { h->program, "-T", "-o", "BatchMode=yes",
	    h->name, "paneward", "status", "--all", "--json", "--follow", NULL };
	const char *const fleet[] = { h->program, "follow", "--json", NULL };
	int in[2];

	h->begun = h->minute = now;
	h->bytes = h->had = 0;
	h->wait.at = CLOCK_NEVER;
	if (pipe2(in, O_CLOEXEC) == -1) {
		host_fails(h, strerror(errno), now);
		return;
	}
	h->in = in[1];
	if (spawn_begin(&h->spawn, &(struct spawn_how){
	    .argv = h->name != NULL ? far : fleet, .in = in[0], .limit = ANSWER }) == -1)
		host_fails(h, buf_str(&h->spawn.errors), now);
	else
		spawn_follow(&h->spawn, h->hosts->loop, host_read, h);
	close(in[0]);
}

/* Its last words; ssh ends its lines as a terminal wants them. */
static void
host_ended(struct host *h, msec now)
{
	struct spawn *s = &h->spawn;
	const char *text = buf_str(&s->errors), *last = strrchr(text, '\n');
	const char *program = strrchr(h->program, '/');
	struct buf why = BUF_INIT;

	last = last != NULL ? last + 1 : text;
	if (s->status == SPAWN_TIMEOUT)
		buf_adds(&why, "it does not answer");
	else if (h->name == NULL && access(h->program, X_OK) == -1)
		buf_printf(&why, "there is no %s, which is built where "
		    "libnats is: see paneward-fleet(1)", h->program);
	else if (text[0] != '\0')
		buf_add(&why, last, strcspn(last, "\r"));
	else
		buf_printf(&why, "%s ended with exit status %d", program !=
		    NULL ? program + 1 : h->program, s->status);
	host_fail(h, buf_str(&why), why.len, now);
	buf_release(&why);
}

/* ---- what it says -------------------------------------------------------- */

/* An empty line ends a batch: the rows before it are complete. */
static void
host_beats(struct host *h)
{
	if (h->answered)
		return;
	h->answered = h->hosts->changed = true;
	row_release(&h->problem);
	status_init(&h->problem.status, "");
}

/* False: it was no line of a queue. */
static bool
host_line(struct host *h, const char *line, size_t len)
{
	enum row_line kind;
	struct row r;
	size_t place;

	if (len == 0) {
		host_beats(h);
		return true;
	}
	kind = row_parse(&r, line, len);
	if (kind == ROW_THERE && h->name == NULL && r.host == NULL) {
		row_release(&r);
		kind = ROW_WRONG;
	} else if (kind == ROW_THERE) {
		host_add(h, &r, len);
	} else if (kind == ROW_LEFT) {
		place = host_find(h, r.key);
		if (place < h->n)
			host_drop(h, place);
		row_release(&r);
	}
	h->hosts->changed |= h->answered;
	return kind != ROW_WRONG;
}

/* Why a line is not taken; NULL: it was. */
static const char *
host_take(struct host *h, const char *line, size_t len, bool whole)
{
	if (len > LINE_MOST ||
	    h->size > (h->name != NULL ? ROWS_MOST : FLEET_MOST))
		return "it sends too much";
	return !whole || host_line(h, line, len) ? NULL :
	    "its answer is no queue";
}

static void
host_refuse(struct host *h, const char *wrong, const char *line, size_t len,
    msec now)
{
	struct buf why = BUF_INIT;

	buf_printf(&why, "%s: ", wrong);
	buf_add(&why, line, len < SHOWN ? len : SHOWN);
	host_fail(h, buf_str(&why), why.len, now);
	buf_release(&why);
}

/* False, after the connection was closed: something was wrong with a line. */
static bool
host_lines(struct host *h, msec now)
{
	struct buf *out = &h->spawn.output;
	const char *line, *end, *wrong;
	size_t at = 0, len;

	while (at < out->len) {
		line = out->data + at;
		end = memchr(line, '\n', out->len - at);
		len = end != NULL ? (size_t)(end - line) : out->len - at;
		wrong = host_take(h, line, len, end != NULL);
		if (wrong != NULL) {
			host_refuse(h, wrong, line, len, now);
			return false;
		}
		if (end == NULL)
			break;
		at += len + 1;
	}
	out->len -= at;
	memmove(out->data, out->data + at, out->len);
	return true;
}

static bool
host_floods(struct host *h, size_t bytes, msec now)
{
	if (now - h->minute >= 60000) {
		h->minute = now;
		h->bytes = 0;
	}
	h->bytes += bytes;
	return h->bytes > MINUTE_MOST;
}

/* Lines that have been taken leave the output. */
static void
host_read(void *context, msec now)
{
	struct host *h = context;
	struct spawn *s = &h->spawn;
	size_t more = s->output.len - h->had;
	bool over = s->pid == 0;

	if (more > 0 && !over)
		spawn_extend(s, now + SILENCE);
	if (host_floods(h, more, now))
		host_fails(h, "it sends too much", now);
	else if ((s->output.len == 0 || host_lines(h, now)) && over)
		host_ended(h, now);
	h->had = s->output.len;
}

/* ---- all of them --------------------------------------------------------- */

void
hosts_free(struct hosts *h)
{
	for (; h->n > 0; h->n--) {
		loop_drop(&h->hosts[h->n - 1].wait);
		host_close(&h->hosts[h->n - 1]);
		row_release(&h->hosts[h->n - 1].problem);
		free(h->hosts[h->n - 1].rows);
	}
	free(h->hosts);
	free(h);
}

void
hosts_connect(struct hosts *h)
{
	msec now = clock_now();
	size_t i;

	for (i = 0; i < h->n; i++)
		host_connect(&h->hosts[i], now);
}

static bool
host_waits(const struct host *h)
{
	return h->spawn.pid != 0 && !h->answered;
}

void
hosts_wait(struct hosts *h)
{
	struct loop own = LOOP_INIT;
	msec deadline = (h->n > 0 ? h->hosts[0].begun : 0) + ONCE;
	size_t i, waits = 0;

	for (i = 0; i < h->n; i++)
		spawn_follow(&h->hosts[i].spawn, &own, host_read, &h->hosts[i]);
	do {
		for (i = waits = 0; i < h->n; i++)
			waits += host_waits(&h->hosts[i]);
		if (waits > 0)
			loop_round(&own, deadline);
	} while (waits > 0 && own.now < deadline);
	for (i = 0; i < h->n; i++)
		if (host_waits(&h->hosts[i]))
			host_fails(&h->hosts[i], "it did not answer within "
			    "two seconds", own.now);
	loop_release(&own);
}

void
hosts_follow(struct hosts *h, struct loop *loop)
{
	size_t i;

	h->loop = loop;
	for (i = 0; i < h->n; i++)
		loop_add(loop, &h->hosts[i].wait);
	hosts_connect(h);
}

bool
hosts_changed(struct hosts *h)
{
	bool changed = h->changed;

	h->changed = false;
	return changed;
}

/* Does ssh reach this host of the fleet now? */
static bool
hosts_reach(const struct hosts *h, const char *name)
{
	const char *other;
	size_t i;

	for (i = 0; i < h->n; i++) {
		if (h->hosts[i].name == NULL || !h->hosts[i].answered)
			continue;
		other = strrchr(h->hosts[i].name, '@');
		other = other != NULL ? other + 1 : h->hosts[i].name;
		if (strcmp(other, name) == 0)
			return true;
	}
	return false;
}

void
hosts_rows(const struct hosts *h, void (*take)(void *, struct row *),
    void *context)
{
	struct host *host;
	struct row *r;
	size_t i, k;

	for (i = 0; i < h->n; i++) {
		host = &h->hosts[i];
		if (host->problem.problem != NULL)
			take(context, &host->problem);
		for (k = 0; host->answered && k < host->n; k++) {
			r = &host->rows[k]->row;
			if (host->name != NULL || !hosts_reach(h, r->host))
				take(context, r);
		}
	}
}

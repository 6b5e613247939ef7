#include "queue/lines.h"

#include "os/compat.h"

bool
lines_key(struct buf *key, const char *line, size_t len)
{
	static const char name[] = "\"key\":\"";
	const char *end = line + len, *at = line, *from = NULL;

	while ((at = text_find(at, end, name, sizeof(name) - 1)) != NULL)
		from = at += sizeof(name) - 1;
	for (at = from; at != NULL && at < end && *at != '"'; at++)
		at += *at == '\\';
	buf_reset(key);
	if (at == NULL || at >= end)
		return false;
	buf_add(key, from, (size_t)(at - from));
	return true;
}

struct line *
lines_find(const struct lines *x, const char *key, size_t likely)
{
	size_t i = 0;

	if (likely < x->n && strcmp(x->line[likely].key, key) == 0)
		return &x->line[likely];
	while (i < x->n && strcmp(x->line[i].key, key) != 0)
		i++;
	return i < x->n ? &x->line[i] : NULL;
}

struct line *
lines_set(struct lines *x, const char *key, const char *text, size_t len,
    size_t likely)
{
	struct line *l = lines_find(x, key, likely);

	if (l == NULL) {
		l = ARRAY_ADD(x->line, x->n);
		*l = (struct line){ .key = xstrdup(key) };
	}
	l->round = x->round;
	l->news = l->text == NULL || l->len != len ||
	    memcmp(l->text, text, len) != 0;
	if (!l->news)
		return l;
	free(l->text);
	l->text = xstrndup(text, len);
	l->len = len;
	x->bytes -= l->size;
	l->size = len + strlen(key) + sizeof(*l);
	x->bytes += l->size;
	return l;
}

struct line *
lines_old(const struct lines *x)
{
	size_t i = 0;

	while (i < x->n && x->line[i].round == x->round)
		i++;
	return i < x->n ? &x->line[i] : NULL;
}

void
lines_drop(struct lines *x, struct line *l)
{
	if (l == NULL)
		return;
	if (l->row != NULL)
		row_release(l->row);
	x->bytes -= l->size;
	free(l->row);
	free(l->key);
	free(l->text);
	free(l->note);
	memmove(l, l + 1, (size_t)(&x->line[--x->n] - l) * sizeof(*l));
}

void
lines_release(struct lines *x)
{
	while (x->n > 0)
		lines_drop(x, &x->line[x->n - 1]);
	free(x->line);
	*x = (struct lines){ .round = x->round };
}

enum {
	SILENCE = 75000,                /* ms; a line comes each half minute */
	PAUSE_LEAST = 1000,
	PAUSE_MOST = 60000,
	LINE_MOST = 256 << 10,          /* bytes */
	MINUTE_MOST = 64 << 20,
	SHOWN = 160                     /* characters of a failure */
};

static void
rowfeed_close(struct rowfeed *f)
{
	spawn_release(&f->spawn);
	file_close(f->in);
	f->in = -1;
	lines_release(&f->lines);
	f->whole = false;
}

void
rowfeed_fail(struct rowfeed *f, const char *why, msec now)
{
	struct buf shown = BUF_INIT;

	utf8_add_shown(&shown, why, strlen(why), SHOWN);
	if (f->why.len == 0)
		f->since = clock_wall();
	buf_reset(&f->why);
	msg_escape(&f->why, buf_str(&shown), shown.len);
	buf_release(&shown);
	rowfeed_close(f);
	if (now - f->begun > PAUSE_MOST)
		f->misses = 0;
	f->wait.at = now + clock_sooner(PAUSE_LEAST << f->misses, PAUSE_MOST);
	f->misses += f->misses < 6;
	f->changed = true;
}

static bool
rowfeed_line(struct rowfeed *f, const char *line, size_t len)
{
	static const char gone[] = "\",\"gone\":true}";
	struct line *l;

	/* An empty line ends a batch. */
	if (len == 0) {
		f->changed |= !f->whole;
		f->whole = true;
		buf_reset(&f->why);
		return true;
	}
	if (!lines_key(&f->key, line, len))
		return false;
	f->changed |= f->whole;
	if (len >= sizeof(gone) - 1 && memcmp(line + len - (sizeof(gone) - 1),
	    gone, sizeof(gone) - 1) == 0) {
		lines_drop(&f->lines, lines_find(&f->lines, buf_str(&f->key),
		    0));
		return true;
	}
	l = lines_set(&f->lines, buf_str(&f->key), line, len, 0);
	return !l->news || f->take == NULL || f->take(f->context, l);
}

static void
rowfeed_read(void *context, msec now)
{
	struct rowfeed *f = context;
	struct buf *out = &f->spawn.output, why = BUF_INIT;
	size_t at = 0, len = 0, more = out->len - f->had;
	bool over = f->spawn.pid == 0;
	const char *line = NULL, *end, *wrong = NULL, *program;

	if (more > 0 && !over)
		f->spawn.deadline = now + SILENCE;
	if (now - f->minute >= 60000) {
		f->minute = now;
		f->bytes = 0;
	}
	f->bytes += more;
	while (wrong == NULL && at < out->len) {
		line = out->data + at;
		end = memchr(line, '\n', out->len - at);
		len = end != NULL ? (size_t)(end - line) : out->len - at;
		if (len > LINE_MOST || f->lines.bytes > f->most ||
		    f->bytes > MINUTE_MOST)
			wrong = "it sends too much";
		else if (end == NULL)
			break;
		else if (!rowfeed_line(f, line, len))
			wrong = "its answer is no queue";
		at += len + 1;
	}
	if (wrong != NULL) {
		buf_printf(&why, "%s: ", wrong);
		buf_add(&why, line, len < SHOWN ? len : SHOWN);
		rowfeed_fail(f, buf_str(&why), now);
		buf_release(&why);
		return;
	}
	out->len -= at;
	if (at > 0)
		memmove(out->data, out->data + at, out->len);
	f->had = out->len;
	if (!over)
		return;
	/* ssh ends its lines with CR LF. */
	line = buf_last_line(&f->spawn.errors);
	program = strrchr(f->argv[0], '/');
	if (f->spawn.status == SPAWN_TIMEOUT)
		buf_adds(&why, "it does not answer");
	else if (line[0] != '\0')
		buf_add(&why, line, strcspn(line, "\r"));
	else
		buf_printf(&why, "%s ended with exit status %d", program !=
		    NULL ? program + 1 : f->argv[0], f->spawn.status);
	rowfeed_fail(f, buf_str(&why), now);
	buf_release(&why);
}

static void
rowfeed_connect(void *context, msec now)
{
	struct rowfeed *f = context;
	int in[2];

	f->begun = f->minute = now;
	f->bytes = f->had = 0;
	f->wait.at = CLOCK_NEVER;
	if (pipe2(in, O_CLOEXEC) == -1) {
		rowfeed_fail(f, strerror(errno), now);
		return;
	}
	f->in = in[1];
	if (spawn_begin(&f->spawn, &(struct spawn_how){ .argv = f->argv,
	    .in = in[0], .limit = f->answer }) == -1)
		rowfeed_fail(f, buf_str(&f->spawn.errors), now);
	else
		spawn_follow(&f->spawn, f->loop, rowfeed_read, f);
	close(in[0]);
}

void
rowfeed_begin(struct rowfeed *f, struct loop *loop)
{
	f->loop = loop;
	f->spawn = (struct spawn)SPAWN_INIT;
	f->in = -1;
	f->wait = LOOP_WAIT(-1, rowfeed_connect, f);
	loop_add(loop, &f->wait);
	rowfeed_connect(f, clock_now());
}

void
rowfeed_end(struct rowfeed *f)
{
	loop_drop(&f->wait);
	rowfeed_close(f);
	buf_release(&f->why);
	buf_release(&f->key);
}

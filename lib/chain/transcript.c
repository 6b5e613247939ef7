#include "chain/transcript.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "chain/reset.h"
#include "marker/markersource.h"
#include "text/json.h"

enum { PIECE = 256 << 10 };             /* bytes of one read */

/* ---- the format ---------------------------------------------------------- */

enum { NOTHING = EVENT_TYPES, SAID, OUTPUT };   /* beside the events' types */

struct transcript_row {
	int         type;               /* an event's, or one of the above */
	const char *of;                 /* WAITING: for what */
	char       *each, *text, *id, *call, *command, *output, *kind, *error,
		   *words;
	cJSON      *when;
};

struct transcript_rows {
	struct transcript_row *row;
	size_t n;
};

struct transcript_format {
	struct transcript_place place;
	char *time;
	struct transcript_rows lines, process;
};

static int
take_is(struct strict *s, const struct strict_row *row, void *field,
    const cJSON *value)
{
	struct transcript_row *r = field;
	const char *is = cJSON_GetStringValue(value);
	struct event_meaning meaning;

	(void)row;
	if (event_meaning(is, &meaning)) {
		r->type = (int)meaning.type;
		r->of = meaning.kind;
		return 0;
	}
	r->type = is == NULL ? EVENT_NONE : strcmp(is, "nothing") == 0 ?
	    NOTHING : strcmp(is, "said") == 0 ? SAID :
	    strcmp(is, "output") == 0 ? OUTPUT : EVENT_NONE;
	return r->type != EVENT_NONE ? 0 :
	    strict_refuse(s, value, " is nothing that a line may be");
}

static int
take_when(struct strict *s, const struct strict_row *row, void *field,
    const cJSON *value)
{
	cJSON **when = field;

	if (strict_ignored_object(s, row, field, value) == -1)
		return -1;
	*when = cJSON_Duplicate(value, true);
	return 0;
}

#define ROW(member) #member, .at = offsetof(struct transcript_row, member)

static const struct strict_row row_rows[] = {
	{ "is",         .take = take_is },
	{ ROW(when),    .take = take_when },
	{ ROW(each),    .take = strict_filled },
	{ ROW(text),    .take = strict_filled },
	{ ROW(id),      .take = strict_filled },
	{ ROW(call),    .take = strict_filled },
	{ ROW(command), .take = strict_filled },
	{ ROW(output),  .take = strict_filled },
	{ ROW(kind),    .take = strict_filled },
	{ ROW(error),   .take = strict_filled },
	{ ROW(words),   .take = strict_filled },
	{ .key = NULL }
};

static int
take_rows(struct strict *s, const struct strict_row *row, void *field,
    const cJSON *value)
{
	struct transcript_rows *f = field;
	struct transcript_row *r;
	const cJSON *member;

	(void)row;
	if (!cJSON_IsArray(value))
		return strict_refuse(s, value, " is not a list");
	f->row = xcalloc((size_t)cJSON_GetArraySize(value) + 1,
	    sizeof(*f->row));
	cJSON_ArrayForEach(member, value) {
		r = &f->row[f->n++];
		if (!cJSON_IsObject(member))
			return strict_refuse(s, member, " is not an object");
		if (strict_read(s, row_rows, r, member) == -1)
			return -1;
		if (r->type == EVENT_NONE || r->when == NULL)
			return strict_refuse(s, member, " has no 'is', or no "
			    "'when'");
	}
	return 0;
}

#define FORMAT(member) .at = offsetof(struct transcript_format, member)

static const struct strict_row format_rows[] = {
	{ "folder",       .take = strict_filled, FORMAT(place.folder) },
	{ "variable",     .take = strict_filled, FORMAT(place.variable) },
	{ "files",        .take = strict_filled, FORMAT(place.files) },
	{ "open",         .take = strict_flag,   FORMAT(place.open) },
	{ "shared",       .take = strict_filled, FORMAT(place.shared) },
	{ "late",         .take = strict_flag,   FORMAT(place.late) },
	{ "process",      .take = strict_filled, FORMAT(place.process) },
	{ "session",      .take = strict_filled, FORMAT(place.session) },
	{ "process_time", .take = strict_filled, FORMAT(place.process_time) },
	{ "states",       .take = take_rows,     FORMAT(process) },
	{ "time",         .take = strict_filled, FORMAT(time) },
	{ "lines",        .take = take_rows,     FORMAT(lines) },
	{ .key = NULL }
};

int
transcript_take(struct strict *s, const struct strict_row *row, void *field,
    const cJSON *value)
{
	struct transcript_format **f = field;
	struct strict_row rows = { .rows = format_rows };

	(void)row;
	*f = xcalloc(1, sizeof(**f));
	return strict_object(s, &rows, *f, value);
}

static void
free_texts(const struct strict_row *row, void *of)
{
	for (; row->key != NULL; row++)
		if (row->take == strict_filled)
			free(*(char **)((char *)of + row->at));
}

static void
free_rows(struct transcript_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->n; i++) {
		json_free(rows->row[i].when);
		free_texts(row_rows, &rows->row[i]);
	}
	free(rows->row);
}

void
transcript_format_free(struct transcript_format *f)
{
	if (f == NULL)
		return;
	free_rows(&f->lines);
	free_rows(&f->process);
	free_texts(format_rows, f);
	free(f);
}

const struct transcript_place *
transcript_place(const struct transcript_format *f)
{
	return f->place.folder != NULL && f->place.files != NULL ? &f->place :
	    NULL;
}

/* ---- a line -------------------------------------------------------------- */

/* A line, and the member of its list that a row is about. */
struct entry {
	const cJSON *line, *item;
	msec time;
};

static const cJSON *
entry_find(const struct entry *e, const char *path)
{
	if (path == NULL)
		return NULL;
	return path[0] == '@' ? json_follow(e->item, path + 1) :
	    json_follow(e->line, path);
}

static const char *
entry_text(const struct entry *e, const char *path)
{
	return cJSON_GetStringValue(entry_find(e, path));
}

static bool
entry_matches(const struct entry *e, const struct transcript_row *row)
{
	const cJSON *wanted, *value;
	bool match = true;

	cJSON_ArrayForEach(wanted, row->when) {
		value = entry_find(e, wanted->string);
		if (cJSON_IsString(wanted))
			match = cJSON_IsString(value) && fnmatch(
			    wanted->valuestring, value->valuestring, 0) == 0;
		else if (cJSON_IsNull(wanted) || cJSON_IsFalse(wanted))
			match = value == NULL || cJSON_IsNull(value) ||
			    cJSON_IsFalse(value);
		else
			match = cJSON_Compare(value, wanted, true);
		if (!match)
			break;
	}
	return match;
}

static void
transcript_scan(struct transcript *t, struct event *o, const char *text)
{
	struct buf message = BUF_INIT;

	o->hits = marker_source(t->markers, text, strlen(text), &o->fence,
	    &message);
	if (o->time <= t->since)
		o->hits = (struct marker_hits){ .stale = o->hits.complete +
		    o->hits.error + o->hits.stale };
	if (o->hits.error > 0)
		event_words(o->error, sizeof(o->error), buf_str(&message));
	buf_release(&message);
}

static void
hits_sub(struct marker_hits *sum, const struct marker_hits *hits)
{
	sum->complete -= hits->complete;
	sum->error -= hits->error;
	sum->bound_complete -= hits->bound_complete;
	sum->bound_error -= hits->bound_error;
	sum->stale -= hits->stale;
}

/* Some clients write a message again when they know more of it. */
static void
read_text(struct transcript *t, struct event *o, const struct entry *e,
    const struct transcript_row *row)
{
	const char *text = entry_text(e, row->text);
	const char *id = entry_text(e, row->id);

	o->said = text != NULL && text[0] != '\0';
	if (!o->said)
		return;
	transcript_scan(t, o, text);
	event_words(o->text, sizeof(o->text), text);
	if (id != NULL && strcmp(id, t->message) == 0)
		hits_sub(&t->events.hits, &t->hits);
	if (id == NULL || strlen(id) >= sizeof(t->message))
		id = "";
	memcpy(t->message, id, strlen(id) + 1);
	t->hits = o->hits;
}

/* What a tool printed is in its own line, or comes with the same id. */
static void
read_call(struct transcript *t, struct event *o, const struct entry *e,
    const struct transcript_row *row)
{
	const char *command = entry_text(e, row->command);
	const char *printed = entry_text(e, row->output);
	const char *call = entry_text(e, row->call);
	size_t len = call != NULL ? strlen(call) : sizeof(t->calls[0]);

	if (command == NULL || !marker_command(t->markers, command))
		return;
	if (printed != NULL) {
		transcript_scan(t, o, printed);
	} else if (len < sizeof(t->calls[0])) {
		memcpy(t->calls[t->ncalls % TRANSCRIPT_CALLS], call, len + 1);
		t->ncalls++;
	}
}

static void
read_output(struct transcript *t, struct event *o, const struct entry *e,
    const struct transcript_row *row)
{
	const char *printed = entry_text(e, row->output);
	const char *call = entry_text(e, row->call);
	unsigned i;

	o->type = EVENT_TOOL;
	for (i = 0; printed != NULL && call != NULL && call[0] != '\0' &&
	    i < TRANSCRIPT_CALLS; i++) {
		if (strcmp(t->calls[i], call) != 0)
			continue;
		transcript_scan(t, o, printed);
		t->calls[i][0] = '\0';
	}
}

static void
read_failure(struct event *o, const struct entry *e, const struct transcript_row *row)
{
	const char *kind = row->kind;
	const char *words = entry_text(e, row->words);

	if (kind == NULL)
		kind = entry_text(e, row->error);
	if (kind != NULL)
		event_words(o->kind, sizeof(o->kind), kind);
	if (words == NULL)
		return;
	event_words(o->text, sizeof(o->text), words);
	o->reset = reset_find(words, strlen(words), o->time);
}

/* Adds an event.  The end of a turn keeps the words of its message, and an
 * older event says nothing about what the agent is at now. */
static void
transcript_fold(struct transcript *t, const struct event *o)
{
	struct event_evidence *e = &t->events, before = *e;

	events_fold(e, o);
	if (o->type == EVENT_ENDED && before.last == EVENT_MESSAGE)
		memcpy(e->text, before.text, sizeof(e->text));
	if (o->time >= before.time)
		return;
	e->last = before.last;
	memcpy(e->kind, before.kind, sizeof(e->kind));
	memcpy(e->text, before.text, sizeof(e->text));
	e->reset = before.reset;
	e->unsaid = before.unsaid;
	e->whole = before.whole;
}

static void
read_entry(struct transcript *t, const struct entry *e,
    const struct transcript_row *row)
{
	struct event o = { .time = e->time };

	if (row->type < EVENT_TYPES)
		o.type = (enum event_type)row->type;
	event_words(o.kind, sizeof(o.kind), row->of);
	if (row->type == OUTPUT)
		read_output(t, &o, e, row);
	else if (o.type == EVENT_TOOL)
		read_call(t, &o, e, row);
	else if (o.type == EVENT_FAILED)
		read_failure(&o, e, row);
	else
		read_text(t, &o, e, row);
	transcript_fold(t, &o);
}

/* A line is each row that matches it, up to one of nothing, or of a turn that
 * failed.  A line without a time is as new as the newest one. */
static bool
read_rows(struct transcript *t, const struct transcript_rows *rows,
    const char *time, const cJSON *line)
{
	const struct transcript_row *row = rows->row, *end = row + rows->n;
	struct entry e = { line, NULL, transcript_time(line, time) };
	const cJSON *list;
	msec now = clock_wall();
	bool known = false;

	if (e.time == -1)
		e.time = t->events.time;
	if (e.time > now)
		e.time = now;           /* the clock was set back */
	for (; row < end; row++) {
		list = row->each != NULL ? json_follow(line, row->each) : NULL;
		e.item = list != NULL ? list->child : NULL;
		if (row->each != NULL && (e.item == NULL ||
		    !cJSON_IsArray(list)))
			continue;
		do {
			if (!entry_matches(&e, row))
				continue;
			if (row->type == NOTHING || row->type == EVENT_FAILED)
				end = row;
			if (row->type != NOTHING)
				read_entry(t, &e, row);
			known = true;
		} while (e.item != NULL && (e.item = e.item->next) != NULL);
	}
	return known;
}

void
transcript_process(struct transcript *t, const cJSON *process)
{
	read_rows(t, &t->format->process, t->format->place.process_time,
	    process);
}

/* ---- the file ------------------------------------------------------------ */

static const char standard[] = "TASK";  /* in every marker but a custom one */

/* The longest word of a text, which JSON never escapes. */
static size_t
longest_word(const char *p, const char **word)
{
	size_t n, len = 0;

	for (*word = p; *p != '\0'; p += n > 0 ? n : 1) {
		n = strspn(p, "abcdefghijklmnopqrstuvwxyz"
		    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
		if (n > len) {
			*word = p;
			len = n;
		}
	}
	return len;
}

struct reading {
	struct transcript *t;
	const char *word;               /* of a custom marker; NULL: none */
	size_t      word_len;
	uint64_t    parse;              /* every line from this offset on */
};

static bool
may_hold_marker(const struct reading *r, const char *line, size_t len)
{
	return memmem(line, len, standard, sizeof(standard) - 1) != NULL ||
	    (r->word != NULL && memmem(line, len, r->word, r->word_len) !=
	    NULL);
}

static void
take_line(struct reading *r, const char *line, size_t len, uint64_t at)
{
	struct transcript *t = r->t;
	cJSON *o;

	if (len == 0)
		return;
	t->lines++;
	if (at < r->parse && !may_hold_marker(r, line, len))
		return;
	o = json_parse(line, len, false, NULL);
	if (o == NULL)
		t->broken++;
	else
		t->known += read_rows(t, &t->format->lines, t->format->time,
		    o);
	json_free(o);
}

/* Whole lines only: what is being written is read with what follows. */
static void
take_lines(struct reading *r, struct buf *text)
{
	struct transcript *t = r->t;
	size_t from = 0, len;
	const char *end;

	while ((end = memchr(text->data + from, '\n', text->len - from)) !=
	    NULL) {
		len = (size_t)(end - text->data) - from;
		if (t->skipped > 0)
			t->oversize++;
		else
			take_line(r, text->data + from, len, t->read);
		t->read += t->skipped + len + 1;
		t->skipped = 0;
		from += len + 1;
	}
	memmove(text->data, text->data + from, text->len - from);
	text->len -= from;
	if (text->len > TRANSCRIPT_LINE || t->skipped > 0) {
		t->skipped += text->len;
		text->len = 0;
	}
}

/* Is the file still the one that was read, and only longer? */
static bool
same_file(const struct transcript *t, int fd, const struct stat *st)
{
	char last = '\n';

	return t->dev == st->st_dev && t->ino == st->st_ino &&
	    (uint64_t)st->st_size >= t->read + t->skipped &&
	    (t->read == 0 || (pread(fd, &last, 1, (off_t)t->read - 1) == 1 &&
	    last == '\n'));
}

int
transcript_read(struct transcript *t, int fd)
{
	struct reading r = { .t = t };
	struct buf text = BUF_INIT;
	struct stat st;
	uint64_t at;
	ssize_t n;

	if (fstat(fd, &st) == -1)
		return -1;
	if (!same_file(t, fd, &st))
		*t = (struct transcript){ .format = t->format,
		    .markers = t->markers, .since = t->since,
		    .dev = st.st_dev, .ino = st.st_ino };
	at = t->read;
	if ((uint64_t)st.st_size > at + TRANSCRIPT_NEW)
		r.parse = (uint64_t)st.st_size - TRANSCRIPT_NEW;
	if (t->markers->custom[0] != '\0')
		r.word_len = longest_word(t->markers->custom, &r.word);
	while ((n = pread(fd, buf_room(&text, PIECE), PIECE, (off_t)(t->read +
	    t->skipped + text.len))) > 0) {
		text.len += (size_t)n;
		take_lines(&r, &text);
	}
	buf_release(&text);
	return n == -1 ? -1 : t->read > at;
}

#include "agent/transcript.h"

#include <fnmatch.h>

#include "agent/signs.h"
#include "os/file.h"

enum { PIECE = 256 << 10 };             /* bytes of one read */

/* More types of a row; from TITLE on they are no events. */
enum { NOTHING = EVENT_TYPES, SAID, OUTPUT, TITLE, TYPED, AGAIN, CALL, RESULT,
	BACKGROUND };

struct transcript_format {
	struct transcript_place place;
	char  *time, *version;
	struct json *lines, *usage;     /* lists of rows */
};

/* EVENT_NONE: the word is unknown.  *kind of a wait, or NULL. */
static int
row_type(const char *is, const char **kind)
{
	static const char *const more[] = { "nothing", "said", "output",
	    "title", "typed", "repeated", "call", "result", "background" };
	struct event_meaning event = { EVENT_NONE, NULL };
	size_t i;

	if (is == NULL || event_meaning(is, &event)) {
		*kind = event.kind;
		return (int)event.type;
	}
	*kind = NULL;
	for (i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		if (strcmp(more[i], is) == 0)
			return NOTHING + (int)i;
	return EVENT_NONE;
}

static int
check_is(struct strict *s, void *field, const struct json *value)
{
	const char *kind;

	(void)field;
	return row_type(json_text_of(value), &kind) != EVENT_NONE ? 0 :
	    strict_refuse(s, value, " is nothing that a line may be");
}

#define TEXT(name) { name, .take = strict_ignored }

static const struct strict_row row_rows[] = {
	{ "is",      .take = check_is },
	{ "when",    .take = strict_ignored_object },
	TEXT("each"), TEXT("text"), TEXT("id"), TEXT("call"), TEXT("command"),
	TEXT("output"), TEXT("kind"), TEXT("error"), TEXT("words"),
	TEXT("tool"), TEXT("arguments"), TEXT("folder"),
	{ "subject", .take = strict_ignored_texts },
	{ .key = NULL }
};

static const struct strict_row usage_rows[] = {
	{ "input",   .take = strict_ignored_texts },
	{ "when",    .take = strict_ignored_object },
	{ "id",      .take = strict_ignored },
	{ "cached",  .take = strict_ignored_texts },
	{ "output",  .take = strict_ignored_texts },
	{ .key = NULL }
};

/* Rows need "when" and the first key of the table. */
static int
take_rows(struct strict *s, void *field, const struct json *value)
{
	const char *first = s->row->rows[0].key;
	struct json **list = field;
	const struct json *member;

	if (!json_is(value, JSON_LIST))
		return strict_refuse(s, value, " is not a list");
	json_each(member, value) {
		if (!json_is(member, JSON_OBJECT))
			return strict_refuse(s, member, " is not an object");
		if (strict_read(s, s->row->rows, NULL, member) == -1)
			return -1;
		if (json_member(member, first) == NULL ||
		    json_member(member, "when") == NULL)
			return strict_refuse(s, member, " has no '%s', or no "
			    "'when'", first);
	}
	*list = json_copy(NULL, value);
	return 0;
}

#define FORMAT(member) .at = offsetof(struct transcript_format, member)
#define PLACE(name) { #name, .take = strict_filled, FORMAT(place.name) }

static const struct strict_row format_rows[] = {
	PLACE(folder), PLACE(variable), PLACE(files), PLACE(shared),
	PLACE(process), PLACE(session), PLACE(process_time), PLACE(moved),
	PLACE(moved_to), PLACE(process_id),
	{ "open",    .take = strict_flag,   FORMAT(place.open) },
	{ "late",    .take = strict_flag,   FORMAT(place.late) },
	{ "parts",   .take = strict_flag,   FORMAT(place.parts) },
	{ "time",    .take = strict_filled, FORMAT(time) },
	{ "version", .take = strict_filled, FORMAT(version) },
	{ "states",  .take = take_rows, FORMAT(place.states), .rows = row_rows },
	{ "lines",   .take = take_rows, FORMAT(lines), .rows = row_rows },
	{ "usage",   .take = take_rows, FORMAT(usage), .rows = usage_rows },
	{ .key = NULL }
};

int
transcript_take(struct strict *s, void *field, const struct json *value)
{
	struct transcript_format **f = field;

	*f = xcalloc(1, sizeof(**f));
	return strict_read(s, format_rows, *f, value);
}

void
transcript_format_free(struct transcript_format *f)
{
	if (f == NULL)
		return;
	strict_release(format_rows, f);
	json_free(f->lines);
	json_free(f->place.states);
	json_free(f->usage);
	free(f);
}

const struct transcript_place *
transcript_place(const struct transcript_format *f)
{
	return f->place.folder != NULL && f->place.files != NULL ? &f->place :
	    NULL;
}

struct entry {
	const struct json *line, *row, *item;
	msec time;
};

static const struct json *
entry_find(const struct entry *e, const char *path)
{
	return path[0] == '@' ? json_follow(e->item, path + 1) :
	    json_follow(e->line, path);
}

static const char *
entry_text(const struct entry *e, const char *key)
{
	const char *path = json_text(e->row, key);

	return path != NULL ? json_text_of(entry_find(e, path)) : NULL;
}

/* A hash; 0: none. */
static uint64_t
entry_id(const struct entry *e, const char *key)
{
	const char *id = entry_text(e, key);

	return id != NULL && id[0] != '\0' ? text_hash(id, strlen(id)) : 0;
}

static bool
is_off(const struct json *v)
{
	return v == NULL || v->type == JSON_NULL ||
	    (v->type == JSON_BOOL && v->number == 0);
}

static bool
entry_matches(const struct entry *e)
{
	const struct json *wanted, *value;
	bool match = true;

	json_each(wanted, json_member(e->row, "when")) {
		value = entry_find(e, wanted->key);
		if (json_is(wanted, JSON_TEXT))
			match = json_is(value, JSON_TEXT) && fnmatch(
			    wanted->text, value->text, 0) == 0;
		else if (is_off(wanted))
			match = is_off(value);
		else
			match = json_same(value, wanted);
		if (!match)
			break;
	}
	return match;
}

static void
transcript_scan(struct transcript *t, struct event *o, const char *text)
{
	event_scan(o, t->markers, text);
	if (o->time <= t->since)
		o->hits = (struct marker_hits){ .stale = o->hits.complete +
		    o->hits.error + o->hits.stale };
}

static void
entry_message(struct transcript *t, struct event *o, const struct entry *e)
{
	const char *text = entry_text(e, "text");
	uint64_t id = entry_id(e, "id");
	bool again = id != 0 && id == t->message;

	o->said = text != NULL && text[0] != '\0';
	if (!o->said)
		return;
	transcript_scan(t, o, text);
	event_words(o->text, sizeof(o->text), text);
	event_line(o->line, text, t->markers);
	if (t->said != NULL && (!t->resumed || o->time > t->since))
		buf_set(t->said, text, strnlen(text, TRANSCRIPT_SAID));
	if (t->each != NULL)
		t->each(t->context, text, again);
	if (again)
		marker_hits_sum(&t->events->hits, &t->hits, -1);
	t->message = id;
	t->hits = o->hits;
}

/* "Edit src/x.c": the tool, and the first text that is its subject.  Arguments
 * may be a text of JSON. */
static void
entry_call(struct transcript *t, const struct entry *e)
{
	const char *tool = entry_text(e, "tool"), *subject = NULL;
	const char *inner = entry_text(e, "arguments");
	struct json *arguments = inner == NULL ? NULL :
	    json_parse(inner, strlen(inner), false, NULL);
	struct buf what = BUF_INIT;
	const struct json *path;

	json_each(path, json_member(e->row, "subject"))
		if (subject == NULL)
			subject = json_text_of(arguments != NULL ?
			    json_follow(arguments, path->text) :
			    entry_find(e, path->text));
	if (t->nopen == TRANSCRIPT_OPEN)
		memmove(t->open, t->open + 1, --t->nopen * sizeof(t->open[0]));
	buf_printf(&what, "%s%s%s", tool ? tool : "", tool && subject ? " " :
	    "", subject ? subject : "");
	t->open[t->nopen].id = entry_id(e, "call");
	event_words(t->open[t->nopen++].what, EVENT_BRIEF, buf_str(&what));
	buf_release(&what);
	json_free(arguments);
}

/* Takes title, prompt and tool, which a row tells beside the events. */
static void
entry_row(struct transcript *t, const struct entry *e, int type)
{
	struct event_evidence *all = t->events;
	uint64_t id = type == RESULT ? entry_id(e, "call") : 0;
	unsigned i = 0;

	while (i < t->nopen && t->open[i].id != id)
		i++;
	if (type == TITLE || type == TYPED ||
	    (type == AGAIN && all->prompt[0] == '\0'))
		event_line(type == TITLE ? all->title : all->prompt,
		    entry_text(e, "text"), NULL);
	else if (type == CALL)
		entry_call(t, e);
	else if (type == RESULT && i < t->nopen)
		memmove(t->open + i, t->open + i + 1,
		    (--t->nopen - i) * sizeof(t->open[0]));
	else if (type == EVENT_TURN || type == EVENT_ENDED ||
	    type == EVENT_FAILED)
		t->nopen = 0;
	if (type == CALL || type == RESULT)
		all->acted = e->time;
	all->doing[0] = '\0';
	if (t->nopen > 0)
		memcpy(all->doing, t->open[t->nopen - 1].what, EVENT_BRIEF);
}

/* A tool's output may stand in a line of its own. */
static void
entry_read(struct transcript *t, const struct entry *e, int type,
    const char *kind)
{
	const char *printed = entry_text(e, "output"), *words;
	const char *command = entry_text(e, "command");
	uint64_t call = entry_id(e, "call");
	size_t i;
	bool prints = type == EVENT_TOOL && command != NULL &&
	    marker_command(t->markers, command);
	struct event_evidence *all = t->events, before = *all;
	bool waits = before.last == EVENT_WAITING &&
	    strcmp(before.kind, "prompt") == 0;
	struct event o = { .time = e->time };

	if (type < EVENT_TYPES)
		o.type = (enum event_type)type;
	if (type == EVENT_FAILED && json_text(e->row, "kind") != NULL)
		kind = json_text(e->row, "kind");
	else if (type == EVENT_FAILED && entry_text(e, "error") != NULL)
		kind = entry_text(e, "error");
	event_words(o.kind, sizeof(o.kind), kind);
	if (type == OUTPUT) {
		o.type = EVENT_TOOL;
		for (i = 0; printed != NULL && call != 0 &&
		    i < TRANSCRIPT_CALLS; i++)
			if (t->calls[i] == call) {
				transcript_scan(t, &o, printed);
				t->calls[i] = 0;
			}
	} else if (prints && printed != NULL) {
		transcript_scan(t, &o, printed);
	} else if (prints && call != 0) {
		t->calls[t->ncalls++ % TRANSCRIPT_CALLS] = call;
	} else if (type != EVENT_TOOL && type != EVENT_FAILED) {
		entry_message(t, &o, e);
	} else if (type == EVENT_FAILED &&
	    (words = entry_text(e, "words")) != NULL) {
		event_words(o.text, sizeof(o.text), words);
		o.reset = reset_find(words, strlen(words), o.time);
	}
	if (t->resumed && o.time <= t->since) {
		all->hits.stale += o.hits.stale;
		all->told |= o.said;
		return;
	}
	events_fold(all, &o);
	memcpy(all->doing, before.doing, sizeof(all->doing));
	all->acted = before.acted;
	/* The end of a turn keeps its message.  A client may write both after
	 * its wait. */
	if (waits && o.type == EVENT_MESSAGE)
		memcpy(before.text, o.text, sizeof(before.text));
	if ((waits && o.type == EVENT_MESSAGE) || (o.type == EVENT_ENDED &&
	    (waits || before.last == EVENT_MESSAGE)))
		memcpy(all->text, before.text, sizeof(all->text));
	/* An older event changes the state only if it ends the turn. */
	if (o.time >= before.time || (waits && (o.type == EVENT_ENDED ||
	    o.type == EVENT_FAILED)))
		return;
	all->last = before.last;
	memcpy(all->kind, before.kind, sizeof(all->kind));
	memcpy(all->text, before.text, sizeof(all->text));
	all->reset = before.reset;
	all->unsaid = before.unsaid;
	all->whole = before.whole;
}

enum { LINE_NOTHING = 1 << 0, LINE_EVENT = 1 << 1 };

/* 0: no row matches. */
static unsigned
transcript_rows(struct transcript *t, const struct json *rows, const char *time,
    const struct json *line)
{
	struct entry e = { line, NULL, NULL, transcript_time(line, time) };
	const struct json *list;
	const char *each, *kind;
	unsigned is = 0;
	bool over = false;
	int type;

	/* A line without a time, or ahead of the clock, is as new as the
	 * newest. */
	if (e.time == -1 || e.time > clock_wall())
		e.time = t->events->time;
	json_each(e.row, rows) {
		type = row_type(json_text(e.row, "is"), &kind);
		each = json_text(e.row, "each");
		list = each != NULL ? json_follow(line, each) : NULL;
		e.item = each == NULL ? line :
		    json_is(list, JSON_LIST) ? list->child : NULL;
		for (; e.item != NULL && !over; e.item = each != NULL ?
		    e.item->next : NULL) {
			if (!entry_matches(&e))
				continue;
			if (type < TITLE)
				is |= type == NOTHING ? LINE_NOTHING :
				    LINE_EVENT;
			/* A process that is busy says so again and again. */
			if (rows == t->format->lines)
				entry_row(t, &e, type);
			if (type != NOTHING && type < TITLE)
				entry_read(t, &e, type, kind);
			over = type == NOTHING || type == EVENT_FAILED;
		}
	}
	return is;
}

void
transcript_process(struct transcript *t, const struct json *process)
{
	transcript_rows(t, t->format->place.states, t->format->place.process_time,
	    process);
}

bool
transcript_session(const struct transcript_place *p, const struct json *file,
    struct transcript_session *s)
{
	struct entry e = { .line = file };
	const char *kind;

	json_each(e.row, p->states)
		if (row_type(json_text(e.row, "is"), &kind) == BACKGROUND &&
		    entry_matches(&e))
			break;
	*s = (struct transcript_session){ .id = NULL };
	if (file == NULL || e.row == NULL || p->session == NULL)
		return false;
	s->id = entry_text(&e, "id");
	s->session = json_text_of(json_follow(file, p->session));
	s->name = entry_text(&e, "text");
	s->folder = entry_text(&e, "folder");
	return s->session != NULL && s->id != NULL && issue_valid(s->id);
}

enum { USAGE_MOST = 1 << 30 };          /* tokens that one line may tell */

/* False: a path leads to anything but a number of tokens. */
static bool
usage_sum(const struct entry *e, const char *key, uint64_t *sum, bool *told)
{
	const struct json *path, *value;

	json_each(path, json_member(e->row, key)) {
		value = entry_find(e, path->text);
		if (value == NULL || json_is(value, JSON_NULL))
			continue;
		if (!json_is(value, JSON_NUMBER) || !(value->number >= 0 &&
		    value->number <= USAGE_MOST))
			return false;
		*sum += (uint64_t)value->number;
		*told = true;
	}
	return true;
}

static void
usage_count(struct transcript *t, const struct json *line)
{
	const struct transcript_format *f = t->format;
	struct entry e = { line, NULL, line, transcript_time(line, f->time) };
	struct tokens tokens = { 0 };
	const char *id;
	bool told = false, cached = false;

	json_each(e.row, f->usage)
		if (entry_matches(&e))
			break;
	if (e.row == NULL || !usage_sum(&e, "input", &tokens.input, &told) ||
	    !usage_sum(&e, "output", &tokens.output, &told) ||
	    !usage_sum(&e, "cached", &tokens.cached, &cached) || !told)
		return;
	id = entry_text(&e, "id");
	tokens_count(t->tokens, id != NULL ? id : "", &tokens, e.time == -1 ||
	    e.time > clock_wall() ? t->tokens->newest : e.time, t->began);
}

/* In every marker but a custom one. */
static const char standard[] = "TASK";

struct reading {
	struct transcript *t;
	const char *word;               /* of a custom marker; NULL: none */
	size_t      word_len;
	uint64_t    parse;              /* every line from this offset on */
};

static void
transcript_line(struct reading *r, const char *line, size_t len)
{
	struct transcript *t = r->t;
	const struct transcript_format *f = t->format;
	bool reads = t->read >= r->parse ||
	    memmem(line, len, standard, sizeof(standard) - 1) != NULL ||
	    (r->word != NULL && memmem(line, len, r->word, r->word_len) !=
	    NULL), counts = false;
	const char *path, *name;
	const struct json *row;
	unsigned is;
	struct json *o;

	if (t->tokens != NULL && t->read >= t->tokens->read)
		json_each(row, f->usage) {
			path = json_text_of(json_at(json_member(row, "input"),
			    0));
			name = path != NULL ? strrchr(path, '.') : NULL;
			name = name != NULL ? name + 1 : path;
			counts = counts || (name != NULL &&
			    memmem(line, len, name, strlen(name)) != NULL);
		}
	t->lines++;
	if (!counts && !reads)
		return;
	o = json_parse(line, len, false, NULL);
	t->broken += o == NULL;
	if (o != NULL && counts)
		usage_count(t, o);
	if (o != NULL && reads) {
		is = transcript_rows(t, f->lines, f->time, o);
		t->known += (is & LINE_EVENT) != 0;
		t->strange += is == 0 && marker_set_in(t->markers, line, len);
		if (f->version != NULL)
			event_words(t->version, sizeof(t->version),
			    json_text_of(json_follow(o, f->version)));
	}
	json_free(o);
}

int
transcript_read(struct transcript *t, int fd)
{
	struct reading r = { .t = t };
	struct buf text = BUF_INIT;
	struct stat st;
	uint64_t at, left;
	const char *end, *p = t->markers->custom;
	char last = '\n';
	size_t from, len;
	ssize_t n = 1;

	if (fstat(fd, &st) == -1)
		return -1;
	if (t->dev != st.st_dev || t->ino != st.st_ino ||
	    (uint64_t)st.st_size < t->read + t->skipped || (t->read > 0 &&
	    (pread(fd, &last, 1, (off_t)t->read - 1) != 1 || last != '\n'))) {
		*t->events = (struct event_evidence){ .there = false };
		memset(&t->read, 0, sizeof(*t) -
		    offsetof(struct transcript, read));
		if (t->said != NULL)
			buf_reset(t->said);
	}
	t->dev = st.st_dev;
	t->ino = st.st_ino;
	if (t->tokens != NULL && t->tokens->read > (uint64_t)st.st_size)
		*t->tokens = (struct token_count){ .read = 0 };
	at = t->read;
	if (!t->all && (uint64_t)st.st_size > at + TRANSCRIPT_NEW)
		r.parse = (uint64_t)st.st_size - TRANSCRIPT_NEW;
	/* JSON never escapes the longest word of a marker. */
	r.word = *p != '\0' ? p : NULL;
	for (; *p != '\0'; p += len > 0 ? len : 1) {
		for (len = 0; text_alnum(p[len]) || p[len] == '_'; len++)
			continue;
		if (len > r.word_len) {
			r.word = p;
			r.word_len = len;
		}
	}
	t->size = t->read + t->skipped;
	while (n > 0 && (left = (uint64_t)st.st_size - t->size) > 0) {
		if (left > PIECE)
			left = PIECE;
		n = pread(fd, buf_room(&text, left), left, (off_t)t->size);
		if (n > 0)
			text.len += (size_t)n;
		for (from = 0; (end = memchr(text.data + from, '\n',
		    text.len - from)) != NULL; from += len + 1) {
			len = (size_t)(end - text.data) - from;
			if (t->skipped > 0 || len > TRANSCRIPT_LINE)
				t->oversize++;
			else if (len > 0)
				transcript_line(&r, text.data + from, len);
			t->read += t->skipped + len + 1;
			t->skipped = 0;
			if (t->tokens != NULL && t->tokens->read < t->read)
				t->tokens->read = t->read;
		}
		text.len -= from;
		memmove(text.data, text.data + from, text.len);
		if (text.len > TRANSCRIPT_LINE || t->skipped > 0) {
			t->skipped += text.len;
			text.len = 0;
		}
		t->size = t->read + t->skipped + text.len;
	}
	buf_release(&text);
	return n == -1 ? -1 : t->read > at;
}

/* Several parts are short, and are read anew each time. */
int
transcript_read_path(struct transcript *t, const char *path)
{
	char **parts = transcript_parts(&t->format->place, path), **p;
	struct token_count *c = t->tokens;
	struct stat st;
	int fd, got = 0;

	if (parts[1] != NULL)
		t->ino = 0;
	/* Lines up to the newest counted one were counted before. */
	if (parts[1] != NULL && c != NULL)
		*c = (struct token_count){ .sum = c->sum, .newest = c->newest,
		    .since = c->newest };
	for (p = parts; *p != NULL && got != -1; p++) {
		fd = transcript_open(*p);
		if (p > parts && fd != -1 && fstat(fd, &st) == 0) {
			t->dev = st.st_dev;
			t->ino = st.st_ino;
			t->read = t->skipped = 0;
			if (c != NULL)
				c->read = 0;
		}
		got = fd == -1 ? -1 : transcript_read(t, fd);
		file_close(fd);
	}
	argv_free(parts);
	return got;
}

static void
answer_take(void *context, const char *text, bool again)
{
	(void)again;
	buf_set(context, text, strlen(text));
}

int
transcript_answer(const struct transcript_format *f, const char *path,
    struct buf *text)
{
	int got = 0, all;
	struct event_evidence ignored;
	struct transcript t;
	struct marker_set none;

	marker_set_init(&none, "", NULL, NULL);
	/* The end of a long file mostly has it. */
	for (all = 0; got != -1 && text->len == 0 && all < 2; all++) {
		t = (struct transcript){ .format = f, .markers = &none,
		    .events = &ignored, .each = answer_take,
		    .context = text, .all = all == 1 };
		got = transcript_read_path(&t, path);
	}
	return got == -1 ? -1 : text->len > 0;
}

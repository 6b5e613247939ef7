#include "run/events.h"

#include <sys/file.h>

#include "data/fields.h"
#include "os/compat.h"
#include "run/journal.h"
#include "run/sigfile.h"

enum {
	LOCKING = 200,          /* ms; one write is whole without it, too */
	REPEATED = 10000,       /* ms; the same tool is no news */
	TWICE = 1000,           /* ms between hooks registered twice */
	PIECES = 64 << 10,
	COPIED = 8 << 20,
	WORKS = 1 << EVENT_TURN | 1 << EVENT_TOOL | 1 << EVENT_MESSAGE |
	    1 << EVENT_COMPACT
};

const char *const event_types[EVENT_TYPES] = {
	[EVENT_NONE] = "none",          [EVENT_SESSION] = "session-started",
	[EVENT_TURN] = "turn-started",  [EVENT_TOOL] = "tool",
	[EVENT_MESSAGE] = "message",    [EVENT_COMPACT] = "compacting",
	[EVENT_WAITING] = "waiting",    [EVENT_ENDED] = "turn-ended",
	[EVENT_FAILED] = "turn-failed", [EVENT_OVER] = "session-ended",
	[EVENT_STOPPED] = "stopped",
};

static const char event_begins[] = "begins";

static void
processes_print(struct buf *out, const void *event)
{
	const struct event *r = event;
	unsigned i;

	for (i = 0; i < r->nprocesses; i++)
		buf_printf(out, "%s%ld.%llu", i > 0 ? " " : "",
		    (long)r->processes[i].pid,
		    (unsigned long long)r->processes[i].start);
}

static void
processes_parse(void *event, const char *p)
{
	struct event *r = event;
	unsigned long long start;
	long pid;
	int used = 0;

	for (; r->nprocesses < EVENT_PROCESSES &&
	    sscanf(p, "%ld.%llu%n", &pid, &start, &used) == 2 && pid > 0;
	    p += used)
		r->processes[r->nprocesses++] = (struct event_process){
		    (pid_t)pid, start };
}

static bool
is_message(const void *event)
{
	return ((const struct event *)event)->type == EVENT_MESSAGE;
}

#define EVENT(member) FIELD_AT(struct event, member)

static const struct field event_fields[] = {
	{ "time", FIELD_TIME, EVENT(time), .required = true },
	{ "event", FIELD_NAME, EVENT(type), FIELD_NAMES(event_types),
	    .required = true },
	{ "run", FIELD_WORD, EVENT(run), .omit = true },
	{ "session", FIELD_WORD, EVENT(session), .omit = true },
	{ "processes", FIELD_CODED, .print = processes_print,
	    .parse = processes_parse, .omit = true },
	{ "pane", FIELD_WORD, EVENT(pane), .omit = true },
	{ "transcript", FIELD_WORD, EVENT(transcript), .omit = true },
	{ "kind", FIELD_WORD, EVENT(kind), .omit = true },
	{ "text", FIELD_WORD, EVENT(text), .omit = true },
	{ "line", FIELD_WORD, EVENT(line), .omit = true },
	{ "notice", FIELD_BOOL, EVENT(notice), .omit = true },
	{ "reset", FIELD_TIME, EVENT(reset), .omit = true },
	{ "said", FIELD_BOOL, EVENT(said), .omit = true },
	{ "complete", FIELD_UNSIGNED, EVENT(hits.complete), .omit = true },
	{ "error", FIELD_UNSIGNED, EVENT(hits.error), .omit = true },
	{ "bound_complete", FIELD_UNSIGNED, EVENT(hits.bound_complete),
	    .omit = true },
	{ "bound_error", FIELD_UNSIGNED, EVENT(hits.bound_error),
	    .omit = true },
	{ "stale", FIELD_UNSIGNED, EVENT(hits.stale), .omit = true },
	{ "error_text", FIELD_WORD, EVENT(error), .omit = true },
	{ "message", FIELD_WORD, EVENT(message), .when = is_message },
	{ "index", FIELD_UNSIGNED, EVENT(index), .when = is_message },
	{ "final", FIELD_BOOL, EVENT(final), .when = is_message },
	{ "fence", FIELD_LETTER, EVENT(fence.mark), .names = WORDS("`~"),
	    .omit = true, .when = is_message },
	{ "fence_length", FIELD_UNSIGNED, EVENT(fence.len), .omit = true,
	    .when = is_message },
	{ 0 }
};

static bool
parse_event(struct event *r, const char *line, size_t len)
{
	*r = (struct event){ .type = EVENT_NONE };
	return fields_parse(event_fields, r, line, len) == 0 &&
	    r->type != EVENT_NONE;
}

bool
event_meaning(const char *name, struct event_meaning *meaning)
{
	static const char *const waits[] = { "notice", "permission",
	    "question", "prompt" };
	size_t i;

	if (name == NULL)
		return false;
	*meaning = (struct event_meaning){ EVENT_WAITING, NULL };
	for (i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (strcmp(waits[i], name) == 0) {
			meaning->kind = i > 0 ? waits[i] : NULL;
			return true;
		}
	if (strcmp(name, "tool-begins") == 0) {
		*meaning = (struct event_meaning){ EVENT_TOOL, event_begins };
		return true;
	}
	for (i = EVENT_SESSION; i < EVENT_TYPES; i++)
		if (i != EVENT_WAITING && strcmp(event_types[i], name) == 0) {
			meaning->type = (enum event_type)i;
			return true;
		}
	return false;
}

void
event_words(char *field, size_t size, const char *words)
{
	struct buf shown = BUF_INIT;

	if (words == NULL)
		return;
	sigfile_text(&shown, words, strlen(words), 200);
	utf8_fit(field, size, buf_str(&shown), shown.len);
	buf_release(&shown);
}

/* As text_line(), from the end. */
static bool
line_from_end(const char *text, const char **end, const char **line,
    size_t *len)
{
	if (*end <= text)
		return false;
	*line = memrchr(text, '\n', (size_t)(*end - text));
	*line = *line != NULL ? *line + 1 : text;
	*len = (size_t)(*end - *line);
	*end = *line > text ? *line - 1 : text;
	return true;
}

void
event_line(char *field, const char *text, const struct marker_set *markers)
{
	const char *end = text != NULL ? text + strlen(text) : NULL, *line;
	struct buf shown = BUF_INIT;
	size_t len;

	while (end != NULL && (markers != NULL ?
	    line_from_end(text, &end, &line, &len) :
	    text_line(&text, end, &line, &len))) {
		if (text_empty(line, len) || (markers != NULL &&
		    marker_set_in(markers, line, len)))
			continue;
		sigfile_text(&shown, line, len < EVENT_TEXT ? len : EVENT_TEXT,
		    200);
		utf8_fit(field, EVENT_BRIEF, buf_str(&shown), shown.len);
		break;
	}
	buf_release(&shown);
}

void
event_scan(struct event *r, const struct marker_set *markers, const char *text)
{
	struct buf message = BUF_INIT;

	r->hits = marker_source(markers, text, strlen(text), &r->fence,
	    &message);
	if (r->hits.error > 0)
		event_words(r->error, sizeof(r->error), buf_str(&message));
	buf_release(&message);
}

int
event_add(const struct event *r, int state_fd, const char *issue)
{
	static const int flags = O_RDWR | O_APPEND;
	struct buf line = BUF_INIT, tail = BUF_INIT;
	bool repeats = r->type == EVENT_TOOL && r->kind[0] == '\0' &&
	    r->hits.complete == 0 && r->hits.error == 0;
	struct event last;
	struct stat st;
	int fd = events_open(state_fd, issue, flags, &st);
	const char *end, *before;
	size_t len;
	ssize_t n = 0;

	if (fd == -1 && errno == ENOENT) {
		file_lock(state_fd, LOCKING);
		fd = events_open(state_fd, issue, flags, &st);
		/* Watchers hear of renames only.  Others wait for the lock, so
		 * nothing is synced. */
		if (fd == -1 && errno == ENOENT && file_put(state_fd,
		    ISSUE_NAME(issue, "records"), NULL, 0, 0600, false) == 0)
			fd = events_open(state_fd, issue, flags, &st);
		flock(state_fd, LOCK_UN);
	}
	if (fd == -1)
		return -1;
	file_lock(fd, LOCKING);
	file_read_open(fd, FILE_TAIL, &tail, repeats ? EVENT_MAX : 1);
	if (tail.len > 0 && tail.data[tail.len - 1] != '\n')
		buf_addc(&line, '\n');          /* its writer was killed */
	buf_chomp(&tail);
	end = buf_str(&tail) + tail.len;
	repeats = repeats && line_from_end(tail.data, &end, &before, &len) &&
	    parse_event(&last, before, len) && last.type == EVENT_TOOL &&
	    last.kind[0] == '\0' && strcmp(r->run, last.run) == 0 &&
	    strcmp(r->session, last.session) == 0 &&
	    r->time >= last.time && r->time < last.time + REPEATED;
	if (!repeats) {
		fields_print(&line, event_fields, r);
		buf_addc(&line, '\n');
		n = write(fd, line.data, line.len);
		if (n >= 0 && (size_t)n < line.len) {
			errno = ENOSPC;
			n = -1;
		}
	}
	file_close(fd);
	buf_release(&line);
	buf_release(&tail);
	return n == -1 ? -1 : 0;
}

int
events_copy(int from, const char *name, int state_fd, const char *issue)
{
	const char *file = ISSUE_NAME(issue, "records");
	struct buf text = BUF_INIT;
	int ret = -1;

	file_read(state_fd, file, FILE_NOFOLLOW, &text, COPIED);
	if (file_read(from, ISSUE_NAME(name, "records"), FILE_NOFOLLOW, &text,
	    COPIED) == 0)
		ret = file_put(state_fd, file, text.data, text.len, 0600,
		    false);
	buf_release(&text);
	return ret;
}

bool
event_piece(struct event *r, int state_fd, const char *issue,
    const char *message, unsigned index)
{
	struct buf tail = BUF_INIT;
	struct stat st;
	int fd = events_open(state_fd, issue, O_RDONLY, &st);
	const char *end, *line;
	size_t len;
	bool found = false;

	if (fd != -1)
		file_read_open(fd, FILE_TAIL, &tail, PIECES);
	file_close(fd);
	end = buf_str(&tail) + tail.len;
	while (!found && line_from_end(tail.data, &end, &line, &len))
		found = parse_event(r, line, len) && r->type == EVENT_MESSAGE &&
		    r->index == index && strcmp(r->message, message) == 0;
	buf_release(&tail);
	return found;
}

bool
events_lost(const struct event_evidence *e)
{
	return e->unsaid && (e->last == EVENT_ENDED ||
	    e->last == EVENT_FAILED || e->last == EVENT_OVER ||
	    (e->last == EVENT_WAITING && strcmp(e->kind, "prompt") == 0));
}

static bool
under_way(const struct event_evidence *e)
{
	return e->unsaid && !events_lost(e);
}

/* The session of the run's agent, or of the next one in its pane, becomes the
 * run's: few agents report their end.  A turn may run another agent, so unknown
 * processes do not count in it. */
static bool
takes_over(const struct event_evidence *e, const struct event *r)
{
	unsigned i;

	if (r->type != EVENT_SESSION)
		return false;
	if (e->agent.pid == 0 || r->nprocesses == 0)
		return !under_way(e);
	for (i = 0; i < r->nprocesses; i++)
		if (r->processes[i].pid == e->agent.pid &&
		    r->processes[i].start == e->agent.start)
			return i == 0;
	return strcmp(r->pane, e->pane) == 0;
}

/* Hooks overtake each other: a message's piece after a turn's end belongs to
 * the turn.  A compacted session starts again within its turn. */
static bool
known(const struct event_evidence *e, const struct event *r)
{
	bool prompt = strcmp(r->kind, "prompt") == 0;

	switch (r->type) {
	case EVENT_MESSAGE:
		return e->last != EVENT_NONE && !under_way(e);
	case EVENT_SESSION:
		return under_way(e);
	case EVENT_WAITING:
		if (prompt && (e->last == EVENT_ENDED ||
		    e->last == EVENT_FAILED))
			return true;
		if (e->last != EVENT_WAITING || strcmp(e->kind, r->kind) != 0)
			return false;
		return prompt || r->text[0] == '\0' ||
		    (strcmp(e->text, r->text) == 0 ?
		    r->notice || r->time < e->asked + TWICE :
		    r->notice && !e->notice);
	case EVENT_TOOL:                /* of a helper, or begun before */
		return e->last == EVENT_WAITING && !e->notice &&
		    e->text[0] != '\0' && r->text[0] != '\0' &&
		    strcmp(e->text, r->text) != 0;
	default:
		return false;
	}
}

/* A permission is no end of its tool. */
static void
fold_row(struct event_evidence *e, const struct event *r)
{
	bool begins = r->type == EVENT_TOOL &&
	    strcmp(r->kind, event_begins) == 0;
	const char *subject = strstr(r->text, ": ");

	if (r->type == EVENT_TURN)
		event_line(e->prompt, r->text, NULL);
	if (r->line[0] != '\0')
		memcpy(e->line, r->line, sizeof(e->line));
	if (begins ? r->text[0] == '\0' : e->doing[0] == '\0' ||
	    r->type == EVENT_MESSAGE || r->type == EVENT_WAITING ||
	    r->type == EVENT_COMPACT)
		return;
	e->doing[0] = '\0';
	if (begins)                     /* "Bash: npm test" */
		snprintf(e->doing, sizeof(e->doing), "%.*s%s",
		    (int)(subject != NULL ? subject - r->text : EVENT_BRIEF),
		    r->text, subject != NULL ? subject + 1 : "");
	e->acted = r->time;
}

void
events_fold(struct event_evidence *e, const struct event *r)
{
	bool other = e->there && strcmp(e->session, r->session) != 0;

	if (r->type == EVENT_STOPPED) {
		utf8_fit(e->stopped, EVENT_WHO, r->text, strlen(r->text));
		return;
	}
	if (other && !takes_over(e, r))
		return;
	memcpy(e->session, r->session, sizeof(e->session));
	if (r->type == EVENT_SESSION) {
		e->stopped[0] = '\0';
		e->agent = r->processes[0];
		memcpy(e->pane, r->pane, sizeof(e->pane));
	}
	if (other || r->transcript[0] != '\0')
		memcpy(e->transcript, r->transcript, sizeof(e->transcript));
	e->there = true;
	marker_hits_sum(&e->hits, &r->hits, 1);
	e->told |= r->said || r->final;
	if (r->hits.error > 0)
		memcpy(e->error, r->error, sizeof(e->error));
	if (r->time > e->time)
		e->time = r->time;
	fold_row(e, r);
	if (!other && known(e, r))
		return;
	if (!(WORKS & 1 << e->last) || !(WORKS & 1 << r->type))
		e->began = r->time;
	/* Some agents report a message and its end apart. */
	switch (r->type) {
	case EVENT_TURN: case EVENT_TOOL: case EVENT_MESSAGE:
	case EVENT_FAILED:
		e->unsaid = true;
		e->whole = r->type == EVENT_MESSAGE && r->said;
		break;
	case EVENT_ENDED:
		e->unsaid = !r->said && !e->whole;
		e->turns += !e->unsaid;
		break;
	default:
		break;
	}
	e->last = r->type;
	e->notice = r->notice;
	if (r->type == EVENT_WAITING)
		e->asked = r->time;
	e->reset = r->reset;
	memcpy(e->kind, r->kind, sizeof(e->kind));
	memcpy(e->text, r->text, sizeof(e->text));
}

bool
events_unread(int state_fd, const char *issue, uint64_t read)
{
	struct stat st;

	if (fstatat(state_fd, ISSUE_NAME(issue, "records"), &st,
	    AT_SYMLINK_NOFOLLOW) == -1)
		return read != 0;
	return (uint64_t)st.st_size != read;
}

int
events_read(struct events_reader *reader, struct event_evidence *e,
    int state_fd, const char *issue, const struct events_run *run)
{
	struct journal_reader lines = { .skipped = 0 };
	msec now = clock_wall();
	struct event r;
	struct stat st;
	uint64_t read;
	bool mine;
	int got;

	lines.fd = events_open(state_fd, issue, O_RDONLY, &st);
	if (lines.fd == -1)
		return errno == ENOENT || errno == EBADF ? 0 : -1;
	if (reader->ino != st.st_ino || (uint64_t)st.st_size < reader->read) {
		*reader = (struct events_reader){ .ino = st.st_ino };
		*e = (struct event_evidence){ .ignored = e->ignored };
	}
	journal_seek(&lines, (off_t)reader->read);
	while ((got = journal_next_line(&lines)) == 1) {
		if (lines.len == 0 || lines.len >= EVENT_MAX ||
		    !parse_event(&r, lines.line, lines.len) ||
		    (run->session != NULL &&
		    strcmp(r.session, run->session) != 0))
			continue;
		mine = run->id != NULL && strcmp(r.run, run->id) == 0;
		if (!mine && ((run->id != NULL && r.run[0] != '\0') ||
		    r.time < run->started))
			continue;
		if (r.time > now)
			r.time = now;           /* the clock was set back */
		events_fold(e, &r);
	}
	read = (uint64_t)lines.offset + lines.at;
	if (got == 0)
		got = read != reader->read;
	reader->read = read;
	journal_close(&lines);
	return got;
}

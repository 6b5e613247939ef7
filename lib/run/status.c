#include "run/status.h"

#include <sys/file.h>

#include "data/fields.h"
#include "project/statusdir.h"

const char *const handoff_states[] = {
	[HANDOFF_NONE] = "none",        [HANDOFF_PENDING] = "pending",
	[HANDOFF_RUNNING] = "running",  [HANDOFF_DONE] = "done",
	[HANDOFF_FAILED] = "failed",    [HANDOFF_REFUSED] = "refused",
};

void
status_init(struct status *s, const char *issue)
{
	*s = (struct status){ .exit_code = -1, .exit_signal = -1,
	    .handoff.last_exit = -1, .tree.changes = -1 };
	memcpy(s->issue, issue, strlen(issue) + 1);
}

bool
status_over(const struct status *s)
{
	return state_ended(s->verdict.state) || s->ended;
}

bool
status_session(struct status *s, const char *session)
{
	if (session[0] == '\0' || (s->agent.session != NULL &&
	    strcmp(s->agent.session, session) == 0))
		return false;
	free(s->agent.session);
	s->agent.session = xstrdup(session);
	return true;
}

bool
status_named(int state_fd, const char *name, char issue[ISSUE_MAX + 1])
{
	/* A loop's state alone begins with this member. */
	static const char loop[] = "{\"loop\":";
	struct buf text = BUF_INIT;
	bool ours = issue_in_name(name, "", ".json", issue);

	if (ours && strncmp(name, "loop-", 5) == 0)
		ours = file_read(state_fd, name, FILE_NOFOLLOW, &text,
		    sizeof(loop) - 1) == -1 ||
		    strcmp(buf_str(&text), loop) != 0;
	buf_release(&text);
	return ours;
}

char **
status_issues(int state_fd)
{
	char **names = statusdir_names(state_fd), issue[ISSUE_MAX + 1];
	size_t i, n = 0;

	for (i = 0; names != NULL && names[i] != NULL; i++)
		if (status_named(state_fd, names[i], issue)) {
			names[n] = names[i];
			names[n++][strlen(issue)] = '\0';
		} else {
			free(names[i]);
		}
	if (names != NULL)
		names[n] = NULL;
	return names;
}

#define STATUS(member) FIELD_AT(struct status, member)
#define SCAN(member) STATUS(log.scan.member)
/* OR_NONE leaves out -1; OBJECT leaves out an object as in a new record. */
#define OR_NONE .fallback = -1, .omit = true
#define OBJECT(table) FIELD_OBJECT, .fields = (table), .omit = true
/* Not in the JSON for other programs. */
#define INSIDE .inside = true

static const struct field place_fields[] = {
	{ "socket", FIELD_TEXT, STATUS(place.socket) },
	{ "server_pid", FIELD_SIGNED, STATUS(place.server) },
	{ "server_start", FIELD_SIGNED, STATUS(place.server_start) },
	{ "session", FIELD_WORD, STATUS(place.session), .omit = true },
	{ "window", FIELD_WORD, STATUS(place.window), .omit = true },
	{ "pane", FIELD_WORD, STATUS(place.pane), .omit = true },
	{ "pane_pid", FIELD_SIGNED, STATUS(place.pane_pid) },
	{ "pane_start", FIELD_UNSIGNED, STATUS(place.pane_start) },
	{ 0 }
};

static const struct field scan_fields[] = {
	{ "offset", FIELD_UNSIGNED, SCAN(offset) },
	{ "complete", FIELD_UNSIGNED, SCAN(hits.complete) },
	{ "error", FIELD_UNSIGNED, SCAN(hits.error) },
	{ "bound_complete", FIELD_UNSIGNED, SCAN(hits.bound_complete) },
	{ "bound_error", FIELD_UNSIGNED, SCAN(hits.bound_error) },
	{ "stale", FIELD_UNSIGNED, SCAN(hits.stale) },
	{ "fence", FIELD_LETTER, SCAN(fence.mark), .names = WORDS("`~"),
	    .omit = true },
	{ "fence_len", FIELD_UNSIGNED, SCAN(fence.len), .omit = true },
	{ "want_message", FIELD_BOOL, SCAN(want_message), .omit = true },
	{ 0 }
};

/* A JSON number would round these. */
static void
file_print(struct buf *out, const void *s)
{
	const struct log_mark *m = &((const struct status *)s)->log;

	buf_printf(out, "%llx:%llx", (unsigned long long)m->dev,
	    (unsigned long long)m->ino);
}

static void
file_parse(void *s, const char *text)
{
	struct log_mark *m = &((struct status *)s)->log;
	char *end;

	m->dev = (dev_t)strtoull(text, &end, 16);
	m->ino = *end == ':' ? (ino_t)strtoull(end + 1, NULL, 16) : 0;
}

static void
head_print(struct buf *out, const void *s)
{
	const struct log_mark *m = &((const struct status *)s)->log;

	buf_printf(out, "%u:%llx", m->head_len, (unsigned long long)m->head);
}

static void
head_parse(void *s, const char *text)
{
	struct log_mark *m = &((struct status *)s)->log;
	char *end;

	m->head_len = (unsigned)strtoul(text, &end, 10);
	m->head = *end == ':' ? strtoull(end + 1, NULL, 16) : 0;
}

static const struct field log_fields[] = {
	{ "file", FIELD_CODED, .print = file_print, .parse = file_parse },
	{ "head", FIELD_CODED, .print = head_print, .parse = head_parse },
	{ "base", FIELD_UNSIGNED, STATUS(log.base) },
	{ "begin", FIELD_UNSIGNED, STATUS(log.begin) },
	{ "read", FIELD_UNSIGNED, STATUS(log.read) },
	{ "scan", FIELD_OBJECT, .fields = scan_fields },
	{ 0 }
};

static const struct field past_fields[] = {
	{ "complete", FIELD_UNSIGNED,
	    FIELD_AT(struct marker_ignored, complete) },
	{ "error", FIELD_UNSIGNED, FIELD_AT(struct marker_ignored, error) },
	{ 0 }
};

static bool
handoff_is_running(const void *s)
{
	return ((const struct status *)s)->handoff.state == HANDOFF_RUNNING;
}

#define HANDOFF(member) STATUS(handoff.member)

static const struct field handoff_fields[] = {
	{ "state", FIELD_NAME, HANDOFF(state), FIELD_NAMES(handoff_states) },
	{ "before", FIELD_NAME, HANDOFF(before), FIELD_NAMES(handoff_states),
	    .fallback = HANDOFF_PENDING, .omit = true,
	    .when = handoff_is_running, INSIDE },
	{ "id", FIELD_WORD, HANDOFF(id), .omit = true },
	{ "attempts", FIELD_UNSIGNED, HANDOFF(attempts) },
	{ "failures", FIELD_UNSIGNED, HANDOFF(failures) },
	{ "delays", FIELD_UNSIGNED, HANDOFF(delays), INSIDE },
	{ "last_exit", FIELD_SIGNED, HANDOFF(last_exit), OR_NONE },
	{ "next", FIELD_TIME, HANDOFF(next), .omit = true },
	{ "begun", FIELD_TIME, HANDOFF(begun), .omit = true },
	{ "pid", FIELD_SIGNED, HANDOFF(group.pid), .omit = true, INSIDE },
	{ "start", FIELD_UNSIGNED, HANDOFF(group.start), .omit = true, INSIDE },
	{ "boot", FIELD_WORD, HANDOFF(group.boot), .omit = true, INSIDE },
	{ "signal", FIELD_TEXT, HANDOFF(signal), INSIDE },
	{ "message", FIELD_TEXT, HANDOFF(message) },
	{ 0 }
};

static const struct field agent_fields[] = {
	{ "pid", FIELD_SIGNED, STATUS(agent.pid) },
	{ "start", FIELD_UNSIGNED, STATUS(agent.start) },
	{ "session", FIELD_TEXT, STATUS(agent.session) },
	{ "moved", FIELD_BOOL, STATUS(agent.moved), .omit = true, INSIDE },
	{ "background", FIELD_BOOL, STATUS(agent.background), .omit = true,
	    INSIDE },
	{ 0 }
};

static const struct field tokens_fields[] = {
	{ "input", FIELD_UNSIGNED, FIELD_AT(struct tokens, input) },
	{ "cached", FIELD_UNSIGNED, FIELD_AT(struct tokens, cached) },
	{ "output", FIELD_UNSIGNED, FIELD_AT(struct tokens, output) },
	{ 0 }
};

static const struct field counted_fields[] = {
	{ "read", FIELD_UNSIGNED, STATUS(tokens.read) },
	{ "id", FIELD_WORD, STATUS(tokens.id), .omit = true },
	{ "last", OBJECT(tokens_fields), STATUS(tokens.last) },
	{ "newest", FIELD_TIME, STATUS(tokens.newest), .omit = true },
	{ "since", FIELD_TIME, STATUS(tokens.since), .omit = true },
	{ 0 }
};

static const struct field transcript_fields[] = {
	{ "path", FIELD_TEXT, STATUS(transcript.path) },
	{ "read", FIELD_UNSIGNED, STATUS(transcript.read), INSIDE },
	{ "said", FIELD_BOOL, STATUS(transcript.said), .omit = true, INSIDE },
	{ "past", FIELD_TIME, STATUS(transcript.past), .omit = true, INSIDE },
	{ "counted", OBJECT(counted_fields), INSIDE },
	{ 0 }
};

static const struct field tree_fields[] = {
	{ "branch", FIELD_TEXT, STATUS(tree.branch) },
	{ "changes", FIELD_SIGNED, STATUS(tree.changes), OR_NONE },
	{ 0 }
};

static bool
has_ended(const void *s)
{
	return ((const struct status *)s)->ended;
}

static void
set_ended(void *s, const char *key)
{
	(void)key;
	((struct status *)s)->ended = true;
}

static const struct field exit_fields[] = {
	{ "code", FIELD_SIGNED, STATUS(exit_code), OR_NONE },
	{ "signal", FIELD_SIGNED, STATUS(exit_signal), OR_NONE },
	{ 0 }
};

static const struct field reload_fields[] = {
	{ "since", FIELD_TIME, STATUS(reload.since) },
	{ "phase", FIELD_WORD, STATUS(reload.phase) },
	{ 0 }
};

static const struct field runner_fields[] = {
	{ "pid", FIELD_SIGNED, STATUS(runner.pid) },
	{ "start", FIELD_UNSIGNED, STATUS(runner.start) },
	{ "boot", FIELD_WORD, STATUS(runner.boot) },
	{ 0 }
};

static const struct field parked_fields[] = {
	{ "since", FIELD_TIME, STATUS(parked.since), .omit = true },
	{ "until", FIELD_TIME, STATUS(parked.until), .omit = true },
	{ "next", FIELD_TIME, STATUS(parked.next), .omit = true },
	{ "asked", FIELD_TIME, STATUS(parked.asked), .omit = true },
	{ "asks", FIELD_UNSIGNED, STATUS(parked.asks), .omit = true },
	{ 0 }
};

static void
source_print(struct buf *out, const void *s)
{
	buf_adds(out, verdict_source(&((const struct status *)s)->verdict));
}

static void
source_parse(void *s, const char *text)
{
	verdict_set_source(&((struct status *)s)->verdict, text);
}

static const char *const notices[] = { [NOTICE_NONE] = "none",
    [NOTICE_STATE] = "state", [NOTICE_HANDOFF] = "handoff" };

static const struct field status_fields[] = {
	{ "v", FIELD_CONSTANT, .fallback = 1 },
	{ "issue", FIELD_WORD, STATUS(issue), .required = true },
	{ "name", FIELD_TEXT, STATUS(name) },
	{ "run", FIELD_WORD, STATUS(run), .required = true },
	{ "state", FIELD_NAME, STATUS(verdict.state),
	    FIELD_NAMES(state_names) },
	{ "since", FIELD_TIME, STATUS(since) },
	{ "source", FIELD_CODED, .print = source_print, .parse = source_parse },
	{ "why", FIELD_WORD, STATUS(verdict.why), .fit = verdict_shown },
	{ "message", FIELD_WORD, STATUS(verdict.message), .fit = verdict_shown,
	    .omit = true },
	{ "question", FIELD_UNSIGNED, STATUS(verdict.question), .omit = true },
	{ "last_message", FIELD_TEXT, STATUS(last_message) },
	{ "task", FIELD_TEXT, STATUS(task) },
	{ "prompt", FIELD_TEXT, STATUS(prompt) },
	{ "said", FIELD_TEXT, STATUS(said) },
	{ "handoff", OBJECT(handoff_fields) },
	{ "runner", OBJECT(runner_fields), INSIDE },
	{ "backend", FIELD_TEXT, STATUS(backend) },
	{ "marker", FIELD_TEXT, STATUS(marker), INSIDE },
	{ "adopted", FIELD_BOOL, STATUS(adopted), .omit = true },
	{ "hidden", FIELD_BOOL, STATUS(hidden), .omit = true, INSIDE },
	{ "exit_is_report", FIELD_BOOL, STATUS(exit_is_report), .omit = true,
	    INSIDE },
	{ "handoff_command", FIELD_WORDS, STATUS(handoff_command), INSIDE },
	{ "fresh", FIELD_BOOL, STATUS(fresh), .omit = true, INSIDE },
	{ "tmux", OBJECT(place_fields) },
	{ "session", FIELD_TEXT, STATUS(session_name) },
	{ "boot", FIELD_WORD, STATUS(boot), .omit = true },
	{ "agent", OBJECT(agent_fields) },
	{ "cwd", FIELD_TEXT, STATUS(cwd) },
	{ "worktree", FIELD_TEXT, STATUS(worktree) },
	{ "transcript", OBJECT(transcript_fields) },
	{ "tokens", OBJECT(tokens_fields), STATUS(tokens.sum) },
	{ "branch", FIELD_TEXT, STATUS(branch) },
	{ "base", FIELD_TEXT, STATUS(base) },
	{ "tree", OBJECT(tree_fields), INSIDE },
	{ "started", FIELD_TIME, STATUS(started) },
	{ "log", FIELD_OBJECT, .fields = log_fields, INSIDE },
	{ "past_log", OBJECT(past_fields), STATUS(ignored_log), INSIDE },
	{ "past_capture", OBJECT(past_fields), STATUS(ignored_capture), INSIDE },
	{ "past_records", OBJECT(past_fields), STATUS(ignored_events), INSIDE },
	{ "records", FIELD_UNSIGNED, STATUS(events), .omit = true, INSIDE },
	{ "captured", FIELD_TIME, STATUS(captured), .omit = true, INSIDE },
	{ "exit", FIELD_OBJECT, .fields = exit_fields, .when = has_ended,
	    .parse = set_ended },
	{ "reload", OBJECT(reload_fields) },
	{ "parked", OBJECT(parked_fields) },
	{ "changes", FIELD_UNSIGNED, STATUS(changes), INSIDE },
	{ "episode", FIELD_UNSIGNED, STATUS(episode), INSIDE },
	{ "notice", FIELD_NAME, STATUS(notice), FIELD_NAMES(notices),
	    .omit = true, INSIDE },
	{ 0 }
};

void
status_release(struct status *s)
{
	fields_release(status_fields, s);
	status_init(s, "");
}

struct json *
status_object(const struct status *s)
{
	struct json *o = json_new_object();

	fields_add(o, status_fields, s, false);
	return o;
}

void
status_print(struct buf *out, const struct status *s)
{
	fields_print(out, status_fields, s);
}

int
status_write(const struct status *s, int state_fd)
{
	return fields_write(state_fd, ISSUE_NAME(s->issue, "json"),
	    status_fields, s);
}

int
status_take(struct status *s, const struct json *object)
{
	status_init(s, "");
	if (json_is(object, JSON_OBJECT) &&
	    fields_take(status_fields, s, object) == 0 &&
	    issue_valid(s->issue))
		return 0;
	status_release(s);
	return -1;
}

int
status_read(struct status *s, int state_fd, const char *issue)
{
	int got;

	status_init(s, issue);
	if (state_fd == -1)
		return 0;
	got = fields_read(state_fd, ISSUE_NAME(issue, "json"), STATUS_MAX,
	    status_fields, s);
	if (got == 1 && (strcmp(s->issue, issue) != 0 ||
	    !run_id_valid(s->run))) {
		errno = EBADMSG;
		got = -1;
	}
	if (got == -1) {
		status_release(s);
		status_init(s, issue);
	}
	if (s->handoff.state != HANDOFF_RUNNING)
		s->handoff.before = HANDOFF_NONE;
	return got;
}

enum { FIRST = 1000 };                  /* ms */

/* If the lock's file is removed, its holder and a new one lock the record, from
 * the check of the lock to the write.  1: there is no record.  EBUSY: the other
 * holds it. */
static int
record_lock(int state_fd, const char *issue, int *fd)
{
	struct stat st;

	*fd = file_open_own(state_fd, ISSUE_NAME(issue, "json"), O_RDONLY, &st);
	if (*fd == -1)
		return file_missing(errno) ? 1 : file_refused(errno) ? 0 : -1;
	if (flock(*fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	errno = EBUSY;
	return -1;
}

int
status_save(const struct status *s, const struct lock *l, int state_fd)
{
	struct stat st;
	int fd, ret = record_lock(state_fd, s->issue, &fd);

	/* Before there is a record, they lock the folder. */
	if (ret == 1) {
		fd = openat(state_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ret = fd == -1 || (file_lock(fd, FIRST) == -1 &&
		    errno == EWOULDBLOCK) ? -1 : file_look(state_fd,
		    ISSUE_NAME(s->issue, "json"), 0, &st);
		if (ret == 1)
			errno = EBUSY;
	}
	if (ret == 0)
		ret = lock_counts(l, state_fd, s->issue) ?
		    status_write(s, state_fd) : -1;
	file_close(fd);
	return ret == 0 ? 0 : -1;
}

int
status_lock(struct lock *l, int state_fd, const char *issue, msec patience)
{
	int got = lock_await(l, state_fd, issue, patience), fd = -1, error;
	struct status s;

	if (got == 1 && record_lock(state_fd, issue, &fd) == -1)
		got = errno == EBUSY ? 0 : -1;
	error = errno;
	/* The caller reads the record, too, and reports a failure. */
	if (status_read(&s, state_fd, issue) == 1 &&
	    proc_id_alive(&s.runner) && got != -1) {
		l->holder = s.runner.pid;
		l->holder_start = s.runner.start;
		got = 0;
	}
	file_close(fd);
	status_release(&s);
	if (got != 1)
		lock_release(l);
	errno = error;
	return got;
}

#include "run/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "os/file.h"
#include "run/statusdir.h"
#include "text/json.h"

static const char *const handoff_states[] = {
	[HANDOFF_NONE]    = "none",
	[HANDOFF_PENDING] = "pending",
	[HANDOFF_RUNNING] = "running",
	[HANDOFF_DONE]    = "done",
	[HANDOFF_FAILED]  = "failed",
	[HANDOFF_REFUSED] = "refused",
};

const char *
handoff_state_name(enum handoff_state state)
{
	return handoff_states[state];
}

enum handoff_state
handoff_state_of(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(handoff_states) / sizeof(handoff_states[0]); i++)
		if (strlen(handoff_states[i]) == len &&
		    memcmp(handoff_states[i], name, len) == 0)
			return (enum handoff_state)i;
	return HANDOFF_NONE;
}

void
status_init(struct status *s, const char *issue)
{
	*s = (struct status){ .exit_code = -1, .exit_signal = -1,
	    .handoff.last_exit = -1 };
	snprintf(s->issue, sizeof(s->issue), "%s", issue);
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

void
status_release(struct status *s)
{
	free(s->backend);
	free(s->marker);
	pane_ref_release(&s->place);
	free(s->agent.session);
	free(s->worktree);
	free(s->branch);
	free(s->handoff.signal);
	free(s->handoff.message);
	status_init(s, "");
}

/* Only a state begins with this member. */
static bool
of_loop(int state_fd, const char *name)
{
	static const char begin[] = "{\"loop\":";
	struct buf text = BUF_INIT;
	bool is = file_read(state_fd, name, FILE_NOFOLLOW, &text,
	    sizeof(begin) - 1) == 0 && strcmp(buf_str(&text), begin) == 0;

	buf_release(&text);
	return is;
}

bool
status_named(int state_fd, const char *name, char issue[ISSUE_MAX + 1])
{
	return issue_in_name(name, "", ".json", issue) &&
	    !(strncmp(name, "loop-", 5) == 0 && of_loop(state_fd, name));
}

void
status_name(char name[STATUS_NAME], const char *issue)
{
	snprintf(name, STATUS_NAME, "%s.json", issue);
}

static void
add_place(cJSON *o, const struct pane_ref *p)
{
	cJSON *tmux;

	if (p->socket == NULL)
		return;
	tmux = json_add_object(o, "tmux");
	json_add_text(tmux, "socket", p->socket);
	json_add_number(tmux, "server_pid", p->server);
	json_add_number(tmux, "server_start", p->server_start);
	json_add_text(tmux, "session", p->session);
	json_add_text(tmux, "window", p->window);
	json_add_text(tmux, "pane", p->pane);
	json_add_number(tmux, "pane_pid", p->pane_pid);
	json_add_number(tmux, "pane_start", (int64_t)p->pane_start);
}

static void
add_log(cJSON *o, const struct log_mark *m)
{
	const struct marker_state *at = &m->scan;
	char fence[2] = { at->fence, '\0' }, file[40], head[40];
	cJSON *log = json_add_object(o, "log"), *scan;

	/* As text: a JSON number would round the large ones. */
	snprintf(file, sizeof(file), "%llx:%llx", (unsigned long long)m->dev,
	    (unsigned long long)m->ino);
	json_add_text(log, "file", file);
	snprintf(head, sizeof(head), "%u:%llx", m->head_len,
	    (unsigned long long)m->head);
	json_add_text(log, "head", head);
	json_add_number(log, "base", (int64_t)m->base);
	json_add_number(log, "begin", (int64_t)m->begin);
	json_add_number(log, "read", (int64_t)m->read);
	scan = json_add_object(log, "scan");
	json_add_number(scan, "offset", (int64_t)at->offset);
	json_add_number(scan, "complete", at->hits.complete);
	json_add_number(scan, "error", at->hits.error);
	json_add_number(scan, "bound_complete", at->hits.bound_complete);
	json_add_number(scan, "bound_error", at->hits.bound_error);
	json_add_number(scan, "stale", at->hits.stale);
	if (at->fence != 0) {
		json_add_text(scan, "fence", fence);
		json_add_number(scan, "fence_len", at->fence_len);
	}
	if (at->want_message)
		json_add_bool(scan, "want_message", true);
}

static void
add_past(cJSON *o, const char *name, const struct marker_ignored *past)
{
	cJSON *p;

	if (past->complete == 0 && past->error == 0)
		return;
	p = json_add_object(o, name);
	json_add_number(p, "complete", past->complete);
	json_add_number(p, "error", past->error);
}

static void
add_exit(cJSON *o, const struct status *s)
{
	cJSON *e;

	if (!s->ended)
		return;
	e = json_add_object(o, "exit");
	if (s->exit_code != -1)
		json_add_number(e, "code", s->exit_code);
	if (s->exit_signal != -1)
		json_add_number(e, "signal", s->exit_signal);
}

static void
add_reload(cJSON *o, const struct status *s)
{
	cJSON *reload;

	if (s->reload.since == 0)
		return;
	reload = json_add_object(o, "reload");
	json_add_time(reload, "since", s->reload.since);
	json_add_text(reload, "phase", s->reload.phase);
}

static void
add_agent(cJSON *o, const struct status *s)
{
	cJSON *agent;

	if (s->agent.pid == 0 && s->agent.session == NULL)
		return;
	agent = json_add_object(o, "agent");
	json_add_number(agent, "pid", s->agent.pid);
	json_add_number(agent, "start", (int64_t)s->agent.start);
	json_add_text(agent, "session", s->agent.session);
}

/* Where there is nothing to hand off, nothing is said about it. */
void
status_add_handoff(cJSON *o, const struct handoff *h)
{
	cJSON *handoff;

	if (h->state == HANDOFF_NONE && h->attempts == 0)
		return;
	handoff = json_add_object(o, "handoff");
	json_add_text(handoff, "state", handoff_state_name(h->state));
	if (h->state == HANDOFF_RUNNING && h->before != HANDOFF_PENDING)
		json_add_text(handoff, "before", handoff_state_name(h->before));
	json_add_text(handoff, "id", h->id);
	json_add_number(handoff, "attempts", h->attempts);
	json_add_number(handoff, "failures", h->failures);
	json_add_number(handoff, "delays", h->delays);
	if (h->last_exit != -1)
		json_add_number(handoff, "last_exit", h->last_exit);
	if (h->next != 0)
		json_add_time(handoff, "next", h->next);
	if (h->begun != 0)
		json_add_time(handoff, "begun", h->begun);
	if (h->pid != 0) {
		json_add_number(handoff, "pid", h->pid);
		json_add_number(handoff, "start", (int64_t)h->start);
		json_add_text(handoff, "boot", h->boot);
	}
	json_add_text(handoff, "signal", h->signal);
	json_add_text(handoff, "message", h->message);
}

static const char *const notices[] = {
	[NOTICE_NONE] = "none",
	[NOTICE_STATE] = "state",
	[NOTICE_HANDOFF] = "handoff",
};

cJSON *
status_object(const struct status *s)
{
	cJSON *o = json_new_object();

	json_add_number(o, "v", 1);
	json_add_text(o, "issue", s->issue);
	json_add_text(o, "run", s->run);
	json_add_text(o, "state", state_name(s->verdict.state));
	json_add_time(o, "since", s->since);
	json_add_text(o, "source", verdict_source(&s->verdict));
	json_add_text(o, "why", s->verdict.why);
	if (s->verdict.message[0] != '\0')
		json_add_text(o, "message", s->verdict.message);
	status_add_handoff(o, &s->handoff);
	json_add_text(o, "backend", s->backend);
	json_add_text(o, "marker", s->marker);
	if (s->adopted)
		json_add_bool(o, "adopted", true);
	if (s->exit_is_report)
		json_add_bool(o, "exit_is_report", true);
	if (s->fresh)
		json_add_bool(o, "fresh", true);
	add_place(o, &s->place);
	json_add_text(o, "boot", s->boot);
	add_agent(o, s);
	json_add_text(o, "worktree", s->worktree);
	json_add_text(o, "branch", s->branch);
	json_add_time(o, "started", s->started);
	add_log(o, &s->log);
	add_past(o, "past_log", &s->ignored_log);
	add_past(o, "past_capture", &s->ignored_capture);
	add_past(o, "past_records", &s->ignored_events);
	if (s->events > 0)
		json_add_number(o, "records", (int64_t)s->events);
	if (s->captured != 0)
		json_add_time(o, "captured", s->captured);
	add_exit(o, s);
	add_reload(o, s);
	json_add_number(o, "changes", (int64_t)s->changes);
	json_add_number(o, "episode", (int64_t)s->episode);
	if (s->notice != NOTICE_NONE)
		json_add_text(o, "notice", notices[s->notice]);
	return o;
}

void
status_print(struct buf *out, const struct status *s)
{
	cJSON *o = status_object(s);

	json_print(out, o);
	json_free(o);
}

int
status_write(const struct status *s, int state_fd)
{
	struct buf text = BUF_INIT;
	char name[STATUS_NAME];
	int ret, saved;

	status_print(&text, s);
	buf_addc(&text, '\n');
	status_name(name, s->issue);
	ret = file_replace(state_fd, name, text.data, text.len, 0600);
	saved = errno;
	buf_release(&text);
	errno = saved;
	return ret;
}

static void
take_verdict(struct verdict *v, const cJSON *o)
{
	const char *state = json_text(o, "state");
	const char *source = json_text(o, "source");
	const char *why = json_text(o, "why");
	const char *message = json_text(o, "message");

	v->state = state ? state_of(state, strlen(state)) : STATE_NONE;
	verdict_set_source(v, source ? source : "");
	verdict_why(v, "%s", why ? why : "");
	if (message != NULL)
		verdict_message(v, message, strlen(message));
}

static void
take_place(struct pane_ref *p, const cJSON *tmux)
{
	p->socket = json_copy(tmux, "socket");
	p->server = (pid_t)json_number(tmux, "server_pid", 0);
	p->server_start = json_number(tmux, "server_start", 0);
	json_word(tmux, "session", p->session, sizeof(p->session));
	json_word(tmux, "window", p->window, sizeof(p->window));
	json_word(tmux, "pane", p->pane, sizeof(p->pane));
	p->pane_pid = (pid_t)json_number(tmux, "pane_pid", 0);
	p->pane_start = (uint64_t)json_number(tmux, "pane_start", 0);
}

static void
take_log(struct log_mark *m, const cJSON *log)
{
	const cJSON *scan = json_member(log, "scan");
	struct marker_state *at = &m->scan;
	const char *fence = json_text(scan, "fence");
	const char *file = json_text(log, "file");
	const char *head = json_text(log, "head");
	unsigned long long dev, ino, hash;

	if (file != NULL && sscanf(file, "%llx:%llx", &dev, &ino) == 2) {
		m->dev = (dev_t)dev;
		m->ino = (ino_t)ino;
	}
	if (head != NULL && sscanf(head, "%u:%llx", &m->head_len, &hash) == 2)
		m->head = hash;
	m->base = (uint64_t)json_number(log, "base", 0);
	m->begin = (uint64_t)json_number(log, "begin", 0);
	m->read = (uint64_t)json_number(log, "read", 0);
	at->offset = (uint64_t)json_number(scan, "offset", 0);
	at->hits.complete = (unsigned)json_number(scan, "complete", 0);
	at->hits.error = (unsigned)json_number(scan, "error", 0);
	at->hits.bound_complete =
	    (unsigned)json_number(scan, "bound_complete", 0);
	at->hits.bound_error = (unsigned)json_number(scan, "bound_error", 0);
	at->hits.stale = (unsigned)json_number(scan, "stale", 0);
	if (fence != NULL && (fence[0] == '`' || fence[0] == '~')) {
		at->fence = fence[0];
		at->fence_len = (unsigned)json_number(scan, "fence_len", 3);
	}
	at->want_message = json_bool(scan, "want_message", false);
}

static void
take_past(struct marker_ignored *past, const cJSON *p)
{
	past->complete = (unsigned)json_number(p, "complete", 0);
	past->error = (unsigned)json_number(p, "error", 0);
}

static void
take_exit(struct status *s, const cJSON *e)
{
	s->ended = e != NULL;
	s->exit_code = (int)json_number(e, "code", -1);
	s->exit_signal = (int)json_number(e, "signal", -1);
}

static void
take_reload(struct status *s, const cJSON *o)
{
	s->reload.since = json_time(o, "since");
	json_word(o, "phase", s->reload.phase, sizeof(s->reload.phase));
}

static void
take_handoff(struct handoff *h, const cJSON *o)
{
	const char *state = json_text(o, "state");
	const char *before = json_text(o, "before");

	h->state = state ? handoff_state_of(state, strlen(state)) :
	    HANDOFF_NONE;
	if (h->state == HANDOFF_RUNNING)
		h->before = before ? handoff_state_of(before, strlen(before)) :
		    HANDOFF_PENDING;
	json_word(o, "id", h->id, sizeof(h->id));
	h->attempts = (unsigned)json_number(o, "attempts", 0);
	h->failures = (unsigned)json_number(o, "failures", 0);
	h->delays = (unsigned)json_number(o, "delays", 0);
	h->last_exit = (int)json_number(o, "last_exit", -1);
	h->next = json_time(o, "next");
	h->begun = json_time(o, "begun");
	h->pid = (pid_t)json_number(o, "pid", 0);
	h->start = (uint64_t)json_number(o, "start", 0);
	json_word(o, "boot", h->boot, sizeof(h->boot));
	h->signal = json_copy(o, "signal");
	h->message = json_copy(o, "message");
}

static enum notice
notice_of(const char *word, size_t len)
{
	size_t i = sizeof(notices) / sizeof(notices[0]);

	while (--i > NOTICE_NONE && (strlen(notices[i]) != len ||
	    memcmp(notices[i], word, len) != 0))
		continue;
	return (enum notice)i;
}

static int
take_record(struct status *s, const cJSON *o)
{
	const char *issue = json_text(o, "issue"), *run = json_text(o, "run");
	const char *notice = json_text(o, "notice");
	const cJSON *agent = json_member(o, "agent");

	if (issue == NULL || strcmp(issue, s->issue) != 0 || run == NULL ||
	    !run_id_valid(run))
		return -1;
	memcpy(s->run, run, sizeof(s->run));
	take_verdict(&s->verdict, o);
	s->since = json_time(o, "since");
	s->backend = json_copy(o, "backend");
	s->marker = json_copy(o, "marker");
	s->adopted = json_bool(o, "adopted", false);
	s->exit_is_report = json_bool(o, "exit_is_report", false);
	s->fresh = json_bool(o, "fresh", false);
	take_place(&s->place, json_member(o, "tmux"));
	json_word(o, "boot", s->boot, sizeof(s->boot));
	s->agent.pid = (pid_t)json_number(agent, "pid", 0);
	s->agent.start = (uint64_t)json_number(agent, "start", 0);
	s->agent.session = json_copy(agent, "session");
	s->worktree = json_copy(o, "worktree");
	s->branch = json_copy(o, "branch");
	s->started = json_time(o, "started");
	take_log(&s->log, json_member(o, "log"));
	take_past(&s->ignored_log, json_member(o, "past_log"));
	take_past(&s->ignored_capture, json_member(o, "past_capture"));
	take_past(&s->ignored_events, json_member(o, "past_records"));
	s->events = (uint64_t)json_number(o, "records", 0);
	s->captured = json_time(o, "captured");
	take_exit(s, json_member(o, "exit"));
	take_reload(s, json_member(o, "reload"));
	s->changes = (uint64_t)json_number(o, "changes", 0);
	take_handoff(&s->handoff, json_member(o, "handoff"));
	s->episode = (uint64_t)json_number(o, "episode", 0);
	if (notice != NULL)
		s->notice = notice_of(notice, strlen(notice));
	return 0;
}

int
status_read(struct status *s, int state_fd, const char *issue)
{
	struct buf text = BUF_INIT;
	char name[STATUS_NAME];
	cJSON *o = NULL;
	int ret = 0;

	status_init(s, issue);
	if (state_fd == -1)
		return 0;
	status_name(name, issue);
	if (file_read(state_fd, name, FILE_NOFOLLOW, &text, STATUS_MAX) == -1) {
		ret = errno == ENOENT ? 0 : -1;
		goto out;
	}
	o = json_parse(buf_str(&text), text.len, false, NULL);
	ret = o != NULL && take_record(s, o) == 0 ? 1 : -1;
	if (ret == -1) {
		status_release(s);
		status_init(s, issue);
		errno = EBADMSG;
	}
out:
	json_free(o);
	buf_release(&text);
	return ret;
}

/*
 * Takes "name":"value" and what ends it off the head of a record, as
 * status_print() writes it.  False where it stands otherwise or holds an
 * escape: then the record is parsed.
 */
static bool
take_head(const char **p, const char *name, const char **value, size_t *len)
{
	size_t size = strlen(name);

	if ((*p)[0] != '"' || strncmp(*p + 1, name, size) != 0 ||
	    strncmp(*p + 1 + size, "\":\"", 3) != 0)
		return false;
	*value = *p + size + 4;
	*len = strcspn(*value, "\"\\");
	*p = *value + *len + 2;
	return (*value)[*len] == '"' && (*p)[-1] == ',';
}

enum { SKETCH = 8192 };                 /* bytes of a record that are enough */

static bool
sketch_head(struct status *s, const char *p)
{
	static const char begin[] = "{\"v\":1,", handoff[] = "\"handoff\":{";
	const char *issue, *run, *state, *since, *source, *why, *message;
	size_t nissue, nrun, nstate, nsince, nsource, nwhy, nmessage;
	char text[64];

	if (strncmp(p, begin, sizeof(begin) - 1) != 0)
		return false;
	p += sizeof(begin) - 1;
	if (!take_head(&p, "issue", &issue, &nissue) ||
	    !take_head(&p, "run", &run, &nrun) ||
	    !take_head(&p, "state", &state, &nstate) ||
	    !take_head(&p, "since", &since, &nsince) ||
	    !take_head(&p, "source", &source, &nsource) ||
	    !take_head(&p, "why", &why, &nwhy) ||
	    nissue != strlen(s->issue) || memcmp(issue, s->issue, nissue) ||
	    nrun != RUN_ID_LEN || nsince >= sizeof(text) ||
	    nsource >= sizeof(text))
		return false;
	memcpy(s->run, run, nrun);
	s->run[nrun] = '\0';
	memcpy(text, source, nsource);
	text[nsource] = '\0';
	verdict_set_source(&s->verdict, text);
	memcpy(text, since, nsince);
	text[nsince] = '\0';
	s->since = clock_parse(text);
	if (!run_id_valid(s->run) || s->since == -1)
		return false;
	s->verdict.state = state_of(state, nstate);
	verdict_why(&s->verdict, "%.*s", (int)nwhy, why);
	if (strncmp(p, "\"message\"", 9) == 0) {
		if (!take_head(&p, "message", &message, &nmessage))
			return false;
		verdict_message(&s->verdict, message, nmessage);
	}
	if (strncmp(p, handoff, sizeof(handoff) - 1) != 0)
		return true;
	p += sizeof(handoff) - 1;
	if (!take_head(&p, "state", &state, &nstate))
		return false;
	s->handoff.state = handoff_state_of(state, nstate);
	return true;
}

/* Does a record end here, or go on beyond what was read of it? */
static bool
whole(const char *text)
{
	size_t len = strlen(text);

	return len == SKETCH - 1 || (len > 2 && text[len - 1] == '\n' &&
	    text[len - 2] == '}');
}

/*
 * What stands behind a key of the record's own object, or of one in it.  No
 * text can be taken for the key, since the quotes in a text are escaped.
 */
static const char *
behind(const char *text, const char *key)
{
	const char *at = text ? strstr(text, key) : NULL;

	return at ? at + strlen(key) : NULL;
}

static msec
time_behind(const char *text, const char *key)
{
	char time[CLOCK_TEXT];
	const char *at = behind(text, key);
	msec t;

	if (at == NULL)
		return 0;
	snprintf(time, sizeof(time), "%.*s", (int)strcspn(at, "\""), at);
	t = clock_parse(time);
	return t == -1 ? 0 : t;
}

/* The place, unless there is none; false: it stands there in another form. */
static bool
sketch_place(struct pane_ref *p, const char *text)
{
	const char *at = behind(text, ",\"tmux\":{\"socket\":\"");
	size_t len;
	int server, pane_pid;
	long long started;
	unsigned long long pane_start;

	if (at == NULL)
		return strstr(text, ",\"tmux\":") == NULL;
	len = strcspn(at, "\"\\");
	if (at[len] != '"' || sscanf(at + len, "\",\"server_pid\":%d,"
	    "\"server_start\":%lld,\"session\":\"%23[$0-9]\",\"window\":"
	    "\"%23[@0-9]\",\"pane\":\"%23[%0-9]\",\"pane_pid\":%d,"
	    "\"pane_start\":%llu}", &server, &started, p->session, p->window,
	    p->pane, &pane_pid, &pane_start) != 7)
		return false;
	p->socket = xstrndup(at, len);
	p->server = server;
	p->server_start = started;
	p->pane_pid = pane_pid;
	p->pane_start = pane_start;
	return true;
}

static bool
sketch_log(struct log_mark *m, const char *text)
{
	const char *at = behind(text, ",\"log\":{\"file\":\"");
	const char *base = behind(at, ",\"base\":");
	unsigned long long dev, ino, from, begin, read;

	if (base == NULL || sscanf(at, "%llx:%llx\"", &dev, &ino) != 2 ||
	    sscanf(base, "%llu,\"begin\":%llu,\"read\":%llu,", &from, &begin,
	    &read) != 3)
		return false;
	*m = (struct log_mark){ .dev = (dev_t)dev, .ino = (ino_t)ino,
	    .base = from, .begin = begin, .read = read };
	return true;
}

static bool
sketch_rest(struct status *s, const char *text)
{
	const char *boot = behind(text, ",\"boot\":\"");
	const char *agent = behind(text, ",\"agent\":{");
	const char *records = behind(text, ",\"records\":");
	const char *notice = behind(text, ",\"notice\":\"");
	unsigned long long start;
	int pid;

	if (boot == NULL || !sketch_place(&s->place, text) ||
	    !sketch_log(&s->log, text))
		return false;
	snprintf(s->boot, sizeof(s->boot), "%.*s", (int)strcspn(boot, "\""),
	    boot);
	if (agent != NULL && sscanf(agent, "\"pid\":%d,\"start\":%llu", &pid,
	    &start) == 2) {
		s->agent.pid = pid;
		s->agent.start = start;
	}
	s->adopted = strstr(text, ",\"adopted\":true") != NULL;
	s->events = records != NULL ? strtoull(records, NULL, 10) : 0;
	s->captured = time_behind(text, ",\"captured\":\"");
	if (notice != NULL)
		s->notice = notice_of(notice, strcspn(notice, "\""));
	s->ended = strstr(text, ",\"exit\":{") != NULL;
	s->reload.since = time_behind(text, ",\"reload\":{\"since\":\"");
	return true;
}

int
status_sketch(struct status *s, int state_fd, const char *issue)
{
	char name[STATUS_NAME], text[SKETCH];
	ssize_t n;
	int fd;

	status_init(s, issue);
	status_name(name, issue);
	fd = openat(state_fd, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd != -1) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
		text[n > 0 ? n : 0] = '\0';
		if (n > 0 && whole(text) && sketch_head(s, text) &&
		    sketch_rest(s, text))
			return 1;
	}
	status_release(s);
	return status_read(s, state_fd, issue);
}

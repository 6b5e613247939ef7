#include "run/queued.h"

#include "data/fields.h"
#include "os/spawn.h"

enum { QUEUED_BYTES = 256 << 20, LOCK_PATIENCE = 10 * 1000 };

/* ms at the prompt; ms from the start until an answer: a client shows an empty
 * prompt before it takes that of its command line. */
enum { QUEUED_IDLE = 10 * 1000, QUEUED_BEGINS = 60 * 1000 };

#define QUEUED(member) FIELD_AT(struct queued, member)

static const struct field queued_fields[] = {
	{ "issue", FIELD_WORD, QUEUED(issue), .required = true },
	{ "run", FIELD_WORD, QUEUED(run), .required = true },
	{ "since", FIELD_TIME, QUEUED(since) },
	{ "at_once", FIELD_UNSIGNED, QUEUED(at_once) },
	{ "begun", FIELD_BOOL, QUEUED(begun), .omit = true },
	{ "backend", FIELD_TEXT, QUEUED(backend) },
	{ "cwd", FIELD_TEXT, QUEUED(cwd), .required = true },
	{ "words", FIELD_WORDS, QUEUED(words), .required = true },
	{ "env", FIELD_WORDS, QUEUED(env) },
	{ 0 }
};

static const struct field list_fields[] = {
	{ "v", FIELD_CONSTANT, .fallback = 1 },
	{ "queued", FIELD_LIST, FIELD_AT(struct queued_list, v),
	    .fields = queued_fields, .each = sizeof(struct queued),
	    .count = offsetof(struct queued_list, n) },
	{ 0 }
};

void
queued_release(struct queued_list *l)
{
	fields_release(list_fields, l);
	argv_free(l->holders);
	*l = (struct queued_list){ 0 };
}

int
queued_read(struct queued_list *l, int state_fd)
{
	const struct queued *q;
	int got;

	*l = (struct queued_list){ 0 };
	if (state_fd == -1)
		return 0;
	got = fields_read(state_fd, QUEUED_FILE, QUEUED_BYTES, list_fields, l);
	for (q = l->v; got == 1 && q < l->v + l->n; q++)
		if (!issue_valid(q->issue) || !run_id_valid(q->run)) {
			errno = EBADMSG;
			got = -1;
		}
	if (got == -1)
		queued_release(l);
	return got == -1 ? -1 : 0;
}

/* Watchers notice a replaced file, but no removed one. */
int
queued_write(const struct queued_list *l, int state_fd)
{
	int ret = fields_write(state_fd, QUEUED_FILE, list_fields, l);

	if (ret == 0 && l->n == 0)
		ret = unlinkat(state_fd, QUEUED_FILE, 0);
	return ret;
}

struct queued *
queued_find(const struct queued_list *l, const char *issue)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (strcmp(l->v[i].issue, issue) == 0)
			return &l->v[i];
	return NULL;
}

void
queued_drop(struct queued_list *l, struct queued *q)
{
	fields_release(queued_fields, q);
	l->n--;
	memmove(q, q + 1, (size_t)(l->v + l->n - q) * sizeof(*q));
}

int
queued_open(struct lock *lock, struct queued_list *l, int state_fd)
{
	*l = (struct queued_list){ 0 };
	return lock_await(lock, state_fd, ".queued", LOCK_PATIENCE) == 1 ?
	    queued_read(l, state_fd) : -1;
}

int
queued_forget(int state_fd, const char *issue, const char *run)
{
	struct lock lock = LOCK_INIT;
	struct queued_list l;
	struct queued *q;
	int ret = -1, saved;

	if (queued_open(&lock, &l, state_fd) == 0) {
		q = queued_find(&l, issue);
		if (q == NULL || (run != NULL && strcmp(q->run, run) != 0)) {
			errno = ENOENT;
		} else if (run == NULL && q->begun) {
			errno = EBUSY;
		} else {
			queued_drop(&l, q);
			ret = queued_write(&l, state_fd);
		}
	}
	saved = errno;
	queued_release(&l);
	lock_release(&lock);
	errno = saved;
	return ret;
}

bool
queued_started(const struct queued *q, const struct status *r)
{
	return strcmp(r->run, q->run) == 0 &&
	    (r->place.socket != NULL || status_over(r));
}

bool
queued_lives(const struct status *r)
{
	if (handoff_open(&r->handoff))
		return true;
	return r->verdict.state != STATE_ERROR && !status_over(r) &&
	    r->place.pane_pid != 0 && !proc_boot_over(r->boot) &&
	    proc_alive(r->place.pane_pid, r->place.pane_start);
}

msec
queued_rest(const struct status *r, msec wall)
{
	msec left = r->since + QUEUED_IDLE - wall;
	msec begins = r->started + QUEUED_BEGINS - wall;

	if (!queued_lives(r))
		return 0;
	if (r->verdict.state != STATE_WAITING)
		return CLOCK_NEVER;
	if (r->last_message == NULL && begins > left)
		left = begins;
	return left <= 0 ? 0 : left < QUEUED_BEGINS ? left : QUEUED_BEGINS;
}

char **
queued_agents(int state_fd, bool at_work)
{
	char **all = status_issues(state_fd), **issue, **agents;
	struct status r;
	int got, error = 0;

	if (all == NULL)
		return NULL;
	agents = xcalloc(1, sizeof(*agents));
	for (issue = all; *issue != NULL; issue++) {
		got = status_read(&r, state_fd, *issue);
		if (got == -1 && !file_refused(errno))
			error = errno;
		if (got == 1 && (at_work ? queued_rest(&r, clock_wall()) > 0 :
		    queued_lives(&r)))
			agents = argv_add(agents, *issue);
		status_release(&r);
	}
	argv_free(all);
	if (error != 0) {
		argv_free(agents);
		errno = error;
		return NULL;
	}
	argv_sort(agents);
	return agents;
}

void
queued_record(struct queued_list *l, const struct queued *q, int state_fd,
    struct status *r)
{
	size_t before = (size_t)(q - l->v);
	struct buf why = BUF_INIT;
	char **h;

	status_init(r, q->issue);
	memcpy(r->run, q->run, sizeof(r->run));
	r->backend = q->backend != NULL ? xstrdup(q->backend) : NULL;
	r->since = r->started = q->since;
	r->verdict.state = STATE_QUEUED;
	if (q->begun)
		buf_adds(&why, "it is being started");
	else if (before == 0)
		buf_adds(&why, "next in line");
	else
		buf_printf(&why, "%zu before it in line", before);
	if (l->holders == NULL && q->at_once != 0)
		l->holders = queued_agents(state_fd, true);
	if (!q->begun && q->at_once != 0 &&
	    argv_count(l->holders) >= q->at_once) {
		buf_printf(&why, "; the %u place%s taken by", q->at_once,
		    q->at_once == 1 ? " is" : "s are");
		for (h = l->holders; *h != NULL; h++)
			buf_printf(&why, " %s%s", *h, h[1] != NULL ? "," : "");
	}
	verdict_why(&r->verdict, "%s", buf_str(&why));
	buf_release(&why);
}

void
queued_go(const struct statusdir *dir)
{
	if (faccessat(dir->state_fd, QUEUED_FILE, F_OK, 0) == -1)
		return;
	spawn_detached(&(struct spawn_how){ .argv = WORDS(proc_program(),
	    "start-queued", dir->path) }, -1, STDERR_FILENO);
}

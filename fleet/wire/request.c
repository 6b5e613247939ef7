#include "fleet/wire/outbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/issue.h"
#include "base/utf8.h"
#include "data/fields.h"
#include "fleet/wire/store.h"
#include "os/file.h"
#include "os/spawn.h"
#include "os/userfolder.h"
#include "run/status.h"

enum {
	LONGEST = 86400000,             /* ms that a hand-off may take */
	WAITING = 100,                  /* orders that are kept */
	SHOWN = 400                     /* bytes of what it says last */
};

struct request {
	struct request *next;
	uint64_t sequence;
	char  *from;                    /* the host */
	char  *id, *issue, *project;
};

struct requests {
	const char *program, *host;
	struct request *first;          /* those that wait; it runs */
	bool     running;
	struct spawn spawn;
	struct loop *loop;
	char    *result;                /* a line to be sent; NULL: none */
	msec     made;                  /* the stream, and the last order in */
	uint64_t sequence;              /* it that was begun */
	bool     begun;                 /* and has no result yet */
	int      tag;                   /* by which orders come, */
	bool     missed;                /* and some did not fit */
};

/* ---- lines --------------------------------------------------------------- */

char *
request_subject(const char *from, const char *to)
{
	return xasprintf("%s%s._order.%s", store_prefix(STORE_EVENTS), from,
	    to);
}

char *
result_subject(const char *from, const char *to)
{
	return xasprintf("%s%s._result.%s", store_prefix(STORE_EVENTS), from,
	    to);
}

void
request_line(struct buf *out, const char *type, const char *id,
    const char *host, const char *issue, const struct request_data *data,
    int exit)
{
	cJSON *o = json_new_object(), *d;

	json_add_text(o, "specversion", "1.0");
	json_add_text(o, "id", id);
	json_add_text(o, "source", host);
	json_add_text(o, "type", type);
	json_add_text(o, "subject", issue);
	json_add_time(o, "time", clock_wall());
	json_add_text(o, "datacontenttype", "application/json");
	d = json_add_object(o, "data");
	for (; data->name != NULL; data++)
		json_add_text(d, data->name, data->value);
	if (exit != -1)
		json_add_number(d, "exit", exit);
	json_print(out, o);
	json_free(o);
}

#define REQUEST(member) FIELD_AT(struct request, member)

static const struct field request_data_fields[] = {
	{ "project", FIELD_TEXT, REQUEST(project) },
	{ 0 }
};

static const struct field request_fields[] = {
	{ "id", FIELD_TEXT, REQUEST(id), .required = true },
	{ "subject", FIELD_TEXT, REQUEST(issue), .required = true },
	{ "data", FIELD_OBJECT, .fields = request_data_fields },
	{ 0 }
};

static void
request_free(struct request *r)
{
	fields_release(request_fields, r);
	free(r->from);
	free(r);
}

/* ---- which was begun ----------------------------------------------------- */

static const char place_file[] = "fleet-orders";

static int
place_write(struct requests *q)
{
	int state = userfolder_state(NULL, true), ret = -1;
	char text[80];

	snprintf(text, sizeof(text), "%" PRId64 " %" PRIu64 " %s\n", q->made,
	    q->sequence, q->begun ? "begun" : "over");
	if (state != -1)
		ret = file_replace(state, place_file, text, strlen(text),
		    0600);
	file_close(state);
	return ret;
}

struct requests *
requests_new(const char *program, const char *host, struct loop *loop)
{
	struct requests *q = xcalloc(1, sizeof(*q));

	q->program = program;
	q->host = host;
	q->loop = loop;
	q->spawn = (struct spawn)SPAWN_INIT;
	return q;
}

void
requests_free(struct requests *q)
{
	struct request *r;

	spawn_follow(&q->spawn, NULL, NULL, NULL);
	while ((r = q->first) != NULL) {
		q->first = r->next;
		request_free(r);
	}
	free(q->result);
	free(q);
}

/* ---- what comes ---------------------------------------------------------- */

/* All orders that are there are old if this is the first agent. */
static int
place_begin(struct requests *q, struct link *l, const char *subjects,
    msec made, struct buf *why)
{
	int state = userfolder_state(NULL, false);
	struct buf text = BUF_INIT;
	char word[8] = "";
	bool there = state != -1 && file_read(state, place_file,
	    FILE_NOFOLLOW, &text, 80) == 0 && sscanf(buf_str(&text),
	    "%" SCNd64 " %" SCNu64 " %7s", &q->made, &q->sequence, word) == 3;

	q->begun = strcmp(word, "begun") == 0;
	buf_release(&text);
	file_close(state);
	if (!there && store_last(l, STORE_EVENTS, subjects, &q->sequence,
	    why) == -1)
		return -1;
	if (there && q->made == made)
		return 0;
	if (there)
		q->sequence = 0;        /* that stream is gone */
	q->made = made;
	q->begun = false;
	if (place_write(q) == 0)
		return 0;
	buf_printf(why, "cannot write '%s' in the user's folder of state: %s",
	    place_file, strerror(errno));
	return -1;
}

int
requests_follow(struct requests *q, struct link *l, int tag, msec made,
    struct buf *why)
{
	char *subjects = request_subject("*", q->host);
	int ret = 0;

	q->tag = tag;
	if (q->made != made && !q->running)
		ret = place_begin(q, l, subjects, made, why);
	link_unfollow(l, tag);
	if (ret == 0)
		ret = link_follow(l, tag, store_stream(STORE_EVENTS), subjects,
		    LINK_ALL, why);
	free(subjects);
	return ret;
}

void
requests_take(struct requests *q, const struct link_message *m)
{
	struct request **link = &q->first, *r;
	const char *from;
	unsigned n = 0;

	if (m->sequence < q->sequence ||
	    (m->sequence == q->sequence && !q->begun))
		return;
	for (; *link != NULL && n < WAITING; link = &(*link)->next, n++)
		if ((*link)->sequence == m->sequence)
			return;
	q->missed |= n == WAITING;
	if (n == WAITING)
		return;
	r = xcalloc(1, sizeof(*r));
	if (fields_parse(request_fields, r, m->data, m->len) == -1) {
		request_free(r);
		return;
	}
	r->sequence = m->sequence;
	from = m->subject + strlen(store_prefix(STORE_EVENTS));
	r->from = xstrndup(from, strcspn(from, "."));
	*link = r;
}

/* ---- running it ---------------------------------------------------------- */

/* The issue's project by a folder's name or any of its paths. */
static bool
request_means(const struct request *r, const struct outbox *o)
{
	char *root = statusdir_project(&o->dir);
	const char *name = strrchr(root, '/');
	bool means = r->project == NULL || strcmp(r->project, root) == 0 ||
	    strcmp(r->project, o->dir.path) == 0 ||
	    strcmp(r->project, o->project) == 0 ||
	    (name != NULL && strcmp(r->project, name + 1) == 0);

	free(root);
	return means;
}

/* The status directory of the issue; NULL after saying why. */
static const char *
request_directory(const struct request *r, const struct outbox *o,
    struct buf *why)
{
	const char *found = NULL;
	char name[ISSUE_FILE];

	if (!issue_valid(r->issue)) {
		buf_adds(why, "that is no issue");
		return NULL;
	}
	for (; o != NULL; o = o->next) {
		if (!request_means(r, o) || faccessat(o->dir.state_fd,
		    issue_file(name, r->issue, "json"), F_OK,
		    AT_SYMLINK_NOFOLLOW) == -1)
			continue;
		if (found != NULL) {
			buf_adds(why, "several projects have it; name one "
			    "with --project");
			return NULL;
		}
		found = o->dir.path;
	}
	if (found == NULL)
		buf_adds(why, "no project there has it");
	return found;
}

static void
request_result(struct requests *q, const char *message, int exit)
{
	struct request *r = q->first;
	char *id = xasprintf("%.100s-result", r->id);
	struct buf line = BUF_INIT, shown = BUF_INIT;

	utf8_add_shown(&shown, message, strlen(message), SHOWN);
	request_line(&line, RESULT_TYPE, id, q->host, r->issue,
	    (const struct request_data[]){ { "order", r->id },
	    { "message", buf_str(&shown) }, { NULL, NULL } }, exit);
	free(q->result);
	q->result = buf_steal(&line);
	buf_release(&shown);
	free(id);
}

/* -1 with errno: what is begun cannot be recorded, so it is not begun. */
static int
request_next(struct requests *q, const struct outbox *journals)
{
	struct buf why = BUF_INIT;
	const char *directory;

	if (q->begun && q->first->sequence == q->sequence) {
		request_result(q, "the agent of the host ended while it ran; "
		    "'paneward explain' there says what became of it",
		    EXIT_COULD_NOT);
		return 0;
	}
	q->sequence = q->first->sequence;
	q->begun = true;
	if (place_write(q) == -1) {
		q->sequence--;
		q->begun = false;
		return -1;
	}
	directory = request_directory(q->first, journals, &why);
	if (directory == NULL)
		request_result(q, buf_str(&why), EXIT_NO);
	else if (spawn_begin(&q->spawn, &(struct spawn_how){
	    .argv = WORDS(q->program, "handoff", "--status-dir", directory,
	    "--", q->first->issue), .cwd = directory, .limit = LONGEST,
	    .most = 1 << 20 }) == -1)
		request_result(q, buf_str(&q->spawn.errors),
		    EXIT_COULD_NOT);
	else
		q->running = true;
	spawn_follow(&q->spawn, q->loop, NULL, NULL);
	buf_release(&why);
	return 0;
}

static int
request_send(struct requests *q, struct link *l, struct buf *why)
{
	struct request *r = q->first;
	char *subject = result_subject(q->host, r->from);
	char *id = xasprintf("%.100s-result", r->id);
	uint64_t sequence;
	bool again;
	int sent = store_publish(l, &(struct store_event){ subject, id,
	    q->result, strlen(q->result) }, &sequence, &again, why);

	free(subject);
	free(id);
	if (sent == -1)
		return -1;
	buf_reset(why);
	free(q->result);
	q->result = NULL;
	q->begun = false;
	q->first = r->next;
	request_free(r);
	place_write(q);
	return 0;
}

bool
requests_due(const struct requests *q)
{
	return q->running ? q->spawn.pid == 0 : q->first != NULL || q->missed;
}

int
requests_turn(struct requests *q, struct link *l,
    const struct outbox *journals, struct buf *why)
{
	struct buf *said;

	/* All orders come again. */
	if (q->first == NULL && q->missed)
		q->missed = requests_follow(q, l, q->tag, q->made, why) == -1;
	if (q->first == NULL)
		return q->missed ? -1 : 0;
	if (q->running && q->spawn.pid == 0) {
		/* What it said last. */
		said = q->spawn.errors.len > 0 ? &q->spawn.errors :
		    &q->spawn.output;
		request_result(q, buf_last_line(said), q->spawn.status >= 0 ?
		    q->spawn.status : EXIT_COULD_NOT);
		spawn_release(&q->spawn);
		q->running = false;
	}
	if (q->running)
		return 0;
	if (q->result == NULL && request_next(q, journals) == -1) {
		buf_printf(why, "cannot record an order: %s", strerror(errno));
		return -1;
	}
	return q->result != NULL ? request_send(q, l, why) : 0;
}

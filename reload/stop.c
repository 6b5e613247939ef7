/* stop.c - ends agents politely: pane, work tree and hand-off stay. */
#include "paneward.h"
#include "queue/answer.h"
#include "queue/target.h"
#include "run/journal.h"
#include "run/launch.h"

enum { PACE = 250, RECORDING = 10000 };         /* ms */

struct stopping {
	const char *dir;
	bool   json;
	struct context context;
	struct loop loop;
	struct queue *queue;
	struct typist typist;
	struct buf who;
};

static const struct command_option options[] = {
	JSON_AT(struct stopping, json, "one JSON object per line"),
	CONTEXT_OPTION_AT(struct stopping, dir),
	{ 0 }
};

/* A program that is no known client gets one Ctrl+C.  Its runner knows its
 * process before the record does, and a moment after its start. */
static bool
stopping_find(struct stopping *x, const struct row *r, struct buf *why)
{
	static const struct backend plain = { .interrupts = 1 };
	const struct status *s = &r->status;
	struct launched l = { .pid = s->agent.pid, .start = s->agent.start };
	msec until = clock_now() + RECORDING;

	if (state_ended(s->verdict.state) && !r->alive) {
		buf_adds(why, "it has ended already");
		return false;
	}
	if (typist_find(&x->typist, queue_backends(x->queue), r, why) == 0)
		return true;
	while (l.pid == 0 && r->host == NULL && launched_read(&l,
	    queue_dir(x->queue, r)->state_fd, s->issue, s->run) == 0 &&
	    !s->adopted && clock_now() < until && proc_alive(s->place.pane_pid,
	    s->place.pane_start))
		loop_pause(PACE);
	if (r->host != NULL || row_session(r) || l.pid <= 0 ||
	    !proc_alive(l.pid, l.start))
		return false;
	buf_reset(why);
	x->typist.backend = &plain;
	x->typist.agent = l.pid;
	x->typist.start = l.start;
	return true;
}

/* The record says who stopped it: the event is there before its end. */
static bool
stopping_end(struct stopping *x, const struct row *r, struct buf *why)
{
	const struct statusdir *dir = queue_dir(x->queue, r);
	const struct status *s = &r->status;
	struct event e = { .type = EVENT_STOPPED, .time = clock_wall() };
	char *detail = xasprintf("stopped by %s", buf_str(&x->who));
	bool ended;

	memcpy(e.run, s->run, sizeof(e.run));
	event_words(e.text, sizeof(e.text), buf_str(&x->who));
	if (dir->state_fd != -1 && e.run[0] != '\0' &&
	    event_add(&e, dir->state_fd, s->issue) == -1)
		buf_printf(why, "cannot record it in '%s': %s", dir->path,
		    strerror(errno));
	x->typist.place = &s->place;
	ended = why->len == 0 && typist_end(&x->typist, NULL, NULL, why);
	if (ended && journal_add(dir->state_fd, dir->path, JOURNAL_RUN, s,
	    detail) == -1)
		warn("cannot write to the journal in '%s'", dir->path);
	free(detail);
	return ended;
}

static enum exit_status
stopping_agent(struct stopping *x, const char *word)
{
	enum exit_status status;
	struct buf why = BUF_INIT;
	struct row *r = target_find(x->queue, &x->context, word, &status, &why);
	bool issue = r != NULL && !r->pane, ended = false;
	msec until;

	if (r != NULL && !stopping_find(x, r, &why))
		status = EXIT_NO;
	if (status == EXIT_DONE && !stopping_end(x, r, &why))
		status = EXIT_COULD_NOT;
	if (status != EXIT_DONE) {
		warnx("cannot stop '%s': %s", word, buf_str(&why));
		return status;
	}
	/* Who stopped it has seen its end. */
	for (until = clock_now() + RECORDING; r != NULL && !ended &&
	    clock_now() < until;) {
		loop_round(&x->loop, clock_now() + PACE);
		queue_changed(x->queue);
		r = target_row(x->queue, &x->context, word, &why);
		ended = r != NULL && state_ended(r->status.verdict.state);
	}
	if (ended)
		queue_see(x->queue, r, SEEN_ONCE);
	if (x->json)
		json_puts(row_done(r, word, "stopped"));
	else
		printf("%s: stopped%s%s%s\n", word, issue ? "; 'paneward "
		    "revive " : "", issue ? word : "", issue ? "' brings it "
		    "back" : "");
	return EXIT_DONE;
}

static int
stop_run(const struct command *c, int argc, char **argv)
{
	struct stopping x = { .dir = NULL };
	int status = EXIT_DONE, i;
	enum exit_status one;

	command_option(c, argc, argv, &x);
	for (i = optind; i < argc; i++)
		command_agent(c, argv[i]);
	context_open(&x.context, x.dir, false);
	typist_who(&x.who);
	x.queue = queue_new(&(struct queue_how){ .context = &x.context,
	    .all = true, .panes = true, .loop = &x.loop, .pace = PACE });
	queue_look(x.queue);
	for (i = optind; i < argc; i++) {
		one = stopping_agent(&x, argv[i]);
		status = one != EXIT_DONE && status != EXIT_COULD_NOT ?
		    (int)one : status;
	}
	queue_end(x.queue);
	return status;
}

const struct command stop_command = {
	.name = "stop",
	.guess = "kill",
	.summary = "End agents; their panes and work trees stay",
	.arguments = "ISSUE|%PANE...",
	.examples =
	"  paneward stop 42\n"
	"  paneward stop 42 43 %7\n",
	.options = options,
	.run = stop_run,
};

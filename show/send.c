/*
 * send.c - types one more prompt into an agent that is at its prompt.
 *
 * The row decides whether it is asked at all; typist_tell() types only on the
 * screen of an empty prompt.  Sent means that the client has taken it.
 */
#include "queue/answer.h"
#include "show/show.h"

enum {                                  /* ms */
	PACE = 250, SOON = 50,          /* between looks: at panes, at files */
	TAKING = 10000,                 /* until the client has taken it */
	RESTING = 2000,                 /* at a prompt, if no row tells */
	LATE = 2000                     /* until it has written its answer */
};

struct sending {
	const char *word, *dir;         /* word: the agent's */
	const char *until;              /* --wait's states, or "" */
	bool   wait, idle, command, json;
	struct context context;
	struct loop    loop;
	struct queue  *queue;
	struct row    *row;
	msec   at;                      /* wall time of the typing */
	bool   worked;                  /* a turn was seen since */
	struct buf text, answer;
	struct sources  sources;        /* of its turns */
	struct evidence ev;
};

enum { WAIT_KEY = OPTION_LONG };

static const struct command_option options[] = {
	{ WAIT_KEY, "wait", "[=STATE]", "until its turn is over, or it has "
	    "that state; print its answer" },
	{ 0, "when-idle", NULL, "wait until it is at its prompt",
	    FLAG_AT(struct sending, idle) },
	{ 0, "command", NULL, "the text may be a command of the client",
	    FLAG_AT(struct sending, command) },
	JSON_AT(struct sending, json, "print what was done as JSON"),
	CONTEXT_OPTION_AT(struct sending, dir),
	{ 0 }
};

static void
sending_round(struct sending *x, msec most)
{
	struct buf why = BUF_INIT;
	msec until = clock_now() + most;

	do {
		loop_round(&x->loop, until);
	} while (!queue_changed(x->queue) && clock_now() < until);
	x->row = target_row(x->queue, &x->context, x->word, &why);
}

/* Waits until it may be asked.  False with the reason. */
static bool
sending_begin(struct sending *x, struct buf *why)
{
	const struct typist_hold *hold;
	const struct verdict *v;

	for (; x->row != NULL; sending_round(x, PACE)) {
		v = &x->row->status.verdict;
		hold = &typist_holds[v->state];
		if (hold->why != NULL && x->idle && hold->passes)
			continue;
		if (hold->why != NULL && v->state == STATE_ASKING)
			buf_printf(why, "%s: ", v->why);
		if (hold->why != NULL)
			buf_printf(why, "%s%s", hold->why, hold->way);
		return hold->why == NULL;
	}
	buf_adds(why, "its row is gone");
	return false;
}

/* A row that is late may yet tell the end of the turn before.  Events tell the
 * end of this one. */
static bool
sending_news(const struct sending *x)
{
	const struct status *r = &x->row->status;

	return r->since >= x->at && (r->verdict.state != STATE_WAITING ||
	    (!x->ev.hook.there && !x->ev.transcript.there));
}

/* Is a turn over since, without a report that the row lacks?  A row keeps its
 * state through a short one and once its run is over, and is a second late. */
static bool
sending_turn(struct sending *x)
{
	struct status *r = &x->row->status;
	const struct event_evidence *h = &x->ev.hook, *t = &x->ev.transcript;
	const struct event_evidence *e;

	x->sources.record = r;
	x->sources.events_due = true;
	x->sources.now = clock_now();
	gather_hook(&x->sources, &x->ev);
	gather_transcript(&x->sources, &x->ev);
	e = t->time > h->time ? t : h;
	x->worked |= sending_news(x) || e->began >= x->at;
	return e->began >= x->at && e->last == EVENT_ENDED &&
	    strcmp(e->kind, "background") != 0 &&
	    (state_reported(r->verdict.state) || h->hits.complete +
	    h->hits.error <= h->ignored.complete + h->ignored.error);
}

static bool
sending_journal(struct sending *x, const char *how, struct buf *out)
{
	const struct statusdir *dir = queue_dir(x->queue, x->row);
	struct buf detail = BUF_INIT, shown = BUF_INIT;
	bool recorded;

	buf_printf(&detail, "%s, %zu bytes by ", how, x->text.len);
	typist_who(&detail);
	buf_adds(&detail, ": ");
	utf8_add_shown(&detail, buf_str(&x->text), x->text.len, 200);
	msg_escape(&shown, buf_str(&detail), detail.len);
	recorded = journal_add(dir->state_fd, dir->path, JOURNAL_SENT,
	    &x->row->status, buf_str(&shown)) == 0;
	if (!recorded)
		buf_printf(out, "%s, and cannot be recorded: %s",
		    out->len > 0 ? "" : how, strerror(errno));
	return recorded;
}

static enum exit_status
sending_type(struct sending *x, struct buf *out)
{
	struct typist_order order = { .text = buf_str(&x->text),
	    .command = x->command };
	enum typist_end end;
	bool recorded = false;
	msec until;

	for (;; sending_round(x, PACE)) {
		buf_reset(out);
		if (!sending_begin(x, out))
			return EXIT_NO;
		order.worked = false;
		x->at = clock_wall();
		end = typist_tell(queue_backends(x->queue), x->row, &order,
		    out);
		if (end != TYPIST_REFUSED)
			break;
		/* A row may miss the beginning of a turn. */
		if (!x->idle || !order.worked)
			return EXIT_NO;
	}
	x->worked = order.worked;
	for (until = clock_now() + TAKING; end == TYPIST_DONE && !x->worked &&
	    x->row != NULL && clock_now() < until; sending_round(x, PACE))
		sending_turn(x);
	if (end == TYPIST_DONE && !x->worked) {
		buf_adds(out, "its client has not taken it within ten seconds");
		end = TYPIST_STAYS;
	}
	if (x->row != NULL)
		recorded = sending_journal(x, end == TYPIST_DONE ? "sent" :
		    end == TYPIST_STAYS ? "typed, but not taken" :
		    "typed, perhaps not sent", out);
	else
		buf_adds(out, "typed, and its row is gone");
	return end == TYPIST_DONE && recorded ? EXIT_DONE : EXIT_COULD_NOT;
}

/* Some clients write their answers a moment after the turn's end. */
static void
sending_answer(struct sending *x)
{
	msec until = clock_now() + LATE;
	const struct event_evidence *h = &x->ev.hook, *t = &x->ev.transcript;
	struct buf why = BUF_INIT;

	for (;; loop_pause(PACE / 5)) {
		buf_reset(&x->answer);
		if (x->row == NULL || backend_answer(queue_backends(x->queue),
		    &x->row->status, &x->answer, &why) != 1 ||
		    clock_now() >= until || (t->time >= x->at &&
		    t->text[0] != '\0' && (h->last != EVENT_ENDED ||
		    h->text[0] == '\0' || strcmp(h->text, t->text) == 0)))
			break;
		sending_turn(x);
	}
}

/* The prompt shows the end of a turn that the row misses. */
static enum exit_status
sending_wait(struct sending *x, unsigned states)
{
	enum state state = STATE_GONE;
	msec rests = 0;
	bool news = true, over;

	for (; x->row != NULL; sending_round(x, SOON)) {
		state = x->row->status.verdict.state;
		over = sending_turn(x);
		news = sending_news(x);
		if ((!over && (news || !x->worked || state == STATE_WORKING)) ||
		    !typist_rests(queue_backends(x->queue), x->row))
			rests = 0;
		else if (rests == 0 || over)
			rests = clock_now() + (over ? 0 : RESTING);
		if (over && rests != 0 && !state_reported(state)) {
			verdict_why(&x->row->status.verdict, "at its prompt");
			x->row->status.verdict.state = state = STATE_WAITING;
		}
		if ((states & 1u << state) != 0 && (news ||
		    (rests != 0 && clock_now() >= rests)))
			break;
	}
	sending_answer(x);
	return state == STATE_WAITING || !news ? EXIT_DONE :
	    (enum exit_status)state_exit(state);
}

static void
sending_print(struct sending *x)
{
	const struct status *s = x->row != NULL ? &x->row->status : NULL;
	struct json *o;

	if (x->json) {
		o = row_done(x->row, x->word, "sent");
		json_add_text(o, "answer", x->answer.len > 0 ?
		    buf_str(&x->answer) : NULL);
		json_puts(o);
	} else if (x->answer.len > 0) {
		show_answer(&x->answer, s != NULL ? s->marker : NULL);
	} else if (x->wait && s != NULL) {
		printf("%s %s: %s\n", x->word, state_name(s->verdict.state),
		    s->verdict.why);
	} else {
		printf("%s: sent %zu bytes\n", x->word, x->text.len);
	}
}

static void
sending_read(struct sending *x, const struct command *c, const char *word)
{
	struct buf why = BUF_INIT;

	if (strcmp(word, "-") != 0)
		buf_adds(&x->text, word);
	else if (file_drain(STDIN_FILENO, &x->text, PROMPT_TEXT + 2) == -1)
		fatal("cannot read the text from standard input");
	buf_chomp(&x->text);
	if (memchr(buf_str(&x->text), '\0', x->text.len) != NULL ||
	    !prompt_text_valid(buf_str(&x->text), x->command, &why))
		command_usage(c, "%s", why.len > 0 ? buf_str(&why) :
		    "a text has no NUL");
}

static int
send_run(const struct command *c, int argc, char **argv)
{
	struct sending x = { .until = "asking,waiting,limited,complete,error,"
	    "dead,gone" };
	struct buf out = BUF_INIT;
	enum exit_status status;
	unsigned states;
	bool done;

	while (command_option(c, argc, argv, &x) == WAIT_KEY) {
		x.wait = true;
		x.until = optarg != NULL ? optarg : x.until;
	}
	states = command_states(c, "--wait", x.until);
	x.word = command_agent(c, argv[optind]);
	sending_read(&x, c, argv[optind + 1]);
	context_open(&x.context, x.dir, false);
	x.queue = queue_new(&(struct queue_how){ .context = &x.context,
	    .all = true, .panes = true, .loop = &x.loop, .pace = PACE });
	queue_look(x.queue);
	x.row = target_find(x.queue, &x.context, x.word, &status, &out);
	if (status == EXIT_DONE) {
		evidence_init(&x.ev, x.word);
		sources_init(&x.sources, queue_dir(x.queue, x.row),
		    &x.row->status);
		sources_backend(&x.sources, queue_backends(x.queue), NULL,
		    x.context.config.backend, &out);
		status = sending_type(&x, &out);
	}
	if (status != EXIT_DONE)
		warnx("cannot send to '%s': %s", x.word, buf_str(&out));
	done = status == EXIT_DONE;
	if (done && x.wait)
		status = sending_wait(&x, states);
	if (done)
		sending_print(&x);
	queue_end(x.queue);
	return status;
}

const struct command send_command = {
	.name = "send",
	.summary = "Give an agent at its prompt its next prompt",
	.arguments = "ISSUE|%PANE TEXT|-",
	.examples =
	"  paneward send 42 'Also the docs, please.'\n"
	"  paneward send 42 --wait 'Which files did you change?'\n"
	"  paneward send %7 --when-idle - <next-steps.txt\n",
	.options = options,
	.run = send_run,
};

/*
 * next.c - goes to the agent that has needed a person longest.
 *
 * The file "next" of the user's folder of state has the last jump: when, the
 * pane, and the row's place in the order of the queue.  Soon after that, and
 * from there, a call goes to the first row behind that place, even if the row
 * has left the list.
 */
#include <inttypes.h>

#include "os/userfolder.h"
#include "show/show.h"

enum {
	STEP = 10000,                   /* ms after a call that goes on */
	LAST_MAX = 8192
};

static const char last_file[] = "next";

struct next {
	const char *dir, *client;
	bool           print, json;
	struct context context;
	struct queue  *queue;
	struct jump    jump;

	/* The last jump. */
	msec       when;                /* wall time; 0: none */
	char       pane[PANE_REF_NAME]; /* "-": none that this host knows */
	struct row last;                /* what row_compare() reads */
};

static const struct command_option options[] = {
	{ 'p', "print", NULL, "print the row and how to go there",
	    FLAG_AT(struct next, print) },
	JSON_AT(struct next, json, "print its row as JSON"),
	{ 'c', "client", "TTY", "the terminal of the tmux client that goes",
	    TEXT_AT(struct next, client) },
	CONTEXT_OPTION_AT(struct next, dir),
	{ 0 }
};

static void
next_print(const struct next *x, struct row *r)
{
	msec now = clock_wall();
	struct buf out = BUF_INIT, target = BUF_INIT;
	char word[JUMP_WORD];
	struct layout l;
	struct json *o;

	jump_word(word, r);
	buf_printf(&target, "%s%s%s", r->host != NULL ? r->host : "",
	    r->host != NULL ? ":" : "", word);
	if (x->json) {
		o = row_object(r);
		json_add_text(o, "target", buf_str(&target));
		json_puts(o);
	} else {
		columns_begin();
		layout_fit(&l, &r, 1, columns_terminal(STDOUT_FILENO), false,
		    now);
		layout_line(&out, &l, r, false, now);
		printf("%s\npaneward attach %s\n", buf_str(&out),
		    buf_str(&target));
	}
}

static enum exit_status
next_do(struct next *x)
{
	msec now = clock_wall();
	const char *here = x->jump.here;
	/* Outside tmux the place of the person is unknown. */
	bool step = x->when != 0 && now >= x->when && now - x->when <= STEP &&
	    (here[0] == '\0' || strcmp(x->pane, "-") == 0 ||
	    strcmp(x->pane, here) == 0);
	const struct row *last = &x->last;
	struct row *r = NULL, *first = NULL, *each;
	size_t i;
	struct buf out = BUF_INIT, why = BUF_INIT;
	enum exit_status status = EXIT_DONE;
	bool needed = false;            /* a row that has no pane */

	for (i = 0; r == NULL && i < x->queue->nrows; i++) {
		each = x->queue->rows[i];
		if (!row_needs(each) || row_finished(each))
			continue;
		if (each->host == NULL && each->where == NULL)
			needed = true;
		else if (!step || row_compare(&last, &each) < 0)
			r = each;
		else if (first == NULL)
			first = each;
	}
	if (r == NULL)
		r = first;
	if (r == NULL) {
		buf_adds(&out, needed ? "the agents that need a person have "
		    "no pane; 'paneward status --all' shows them" :
		    "no agent needs a person");
		status = EXIT_NO;
	} else if (x->print) {
		next_print(x, r);
	} else {
		buf_printf(&out, "%lld %s %d %lld %s\n", (long long)now,
		    r->host != NULL ? "-" : PANE_NAME(&r->status.place),
		    (int)r->rank, (long long)r->status.since, row_name(r));
		/* Without that file the next call goes to the first row. */
		file_replace(userfolder_state(NULL, true), last_file, out.data,
		    out.len, 0600);
		buf_reset(&out);
		if (jump_to(&x->jump, x->queue, r, &why) == -1) {
			buf_printf(&out, "cannot go to '%s': %s", row_name(r),
			    buf_str(&why));
			status = EXIT_COULD_NOT;
		} else if (x->json) {
			next_print(x, r);
		}
	}
	if (status != EXIT_DONE && !x->print)
		jump_tell(&x->jump, buf_str(&out));
	if (status != EXIT_DONE)
		warnx("%s", buf_str(&out));
	return status;
}

static int
next_run(const struct command *c, int argc, char **argv)
{
	struct next x = { .dir = NULL };
	enum exit_status seen = EXIT_DONE;
	struct buf why = BUF_INIT, text = BUF_INIT;
	int status, rank = 0, used = 0;

	command_option(c, argc, argv, &x);
	if (jump_open(&x.jump, x.client, &why) == -1 && !x.print)
		fatalx("cannot go anywhere: %s", buf_str(&why));
	x.queue = show_queue(&x.context, x.dir, (struct queue_how){
	    .all = true, .panes = true, .hosts = true }, &seen);
	file_read(userfolder_state(NULL, false), last_file, FILE_NOFOLLOW,
	    &text, LAST_MAX);
	text.len = strcspn(buf_str(&text), "\n");
	if (sscanf(buf_str(&text), "%" SCNd64 " %47s %d %" SCNd64 " %n",
	    &x.when, x.pane, &rank, &x.last.status.since, &used) < 4 ||
	    used == 0)
		x.when = 0;
	x.last.rank = (enum row_rank)rank;
	x.last.pane = true;
	x.last.where = xstrdup(buf_str(&text) + used);
	status = next_do(&x);
	queue_end(x.queue);
	return status == EXIT_NO && seen != EXIT_DONE ? (int)seen : status;
}

const struct command next_command = {
	.name = "next",
	.summary = "Go to the agent that has needed you longest",
	.examples =
	"  paneward next\n"
	"  paneward next --print --json\n"
	"  bind-key N run-shell -b 'paneward next --client #{client_tty} "
	"|| true'\n",
	.options = options,
	.run = next_run,
};

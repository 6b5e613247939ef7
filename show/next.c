/*
 * next.c - goes to the agent that has needed a person longest.
 *
 * Where the last call went is in the file "next" of the user's folder of state:
 * when, the pane, and the row's place in the order of the queue.  Soon after
 * that, and from there, a call goes to the first row behind that place, even if
 * the row itself has left the list.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/columns.h"
#include "base/msg.h"
#include "os/file.h"
#include "os/userfolder.h"
#include "paneward.h"
#include "queue/jump.h"
#include "queue/layout.h"
#include "show/show.h"

enum {
	OPTION_PRINT = 'p', OPTION_CLIENT = 'c',
	STEP = 10000,                   /* ms in which a call goes on */
	LAST_MAX = 8192
};

static const char last_file[] = "next";

/* The last jump. */
struct last {
	msec       when;                /* wall time; 0: none */
	char       pane[PANE_REF_NAME]; /* "-": none that this host knows */
	struct row row;                 /* what row_compare() reads */
};

struct next {
	struct context context;
	struct queue  *queue;
	struct jump    jump;
	struct last    last;
	bool           print;
	bool           needed;          /* a row that has no pane */
};

/* ---- the row ------------------------------------------------------------- */

/* NULL: none. */
static struct row *
next_choose(struct next *x, msec now)
{
	const struct last *l = &x->last;
	const char *here = x->jump.here;
	/* Outside tmux nothing tells where the person is. */
	bool step = l->when != 0 && now >= l->when && now - l->when <= STEP &&
	    (here[0] == '\0' || strcmp(l->pane, "-") == 0 ||
	    strcmp(l->pane, here) == 0);
	const struct row *last = &l->row;
	struct row *const *rows, *first = NULL;
	size_t n, i;

	rows = queue_rows(x->queue, &n);
	for (i = 0; i < n; i++) {
		if (!row_needs(rows[i]) || row_finished(rows[i]))
			continue;
		if (rows[i]->host == NULL && rows[i]->where == NULL) {
			x->needed = true;
			continue;
		}
		if (!step || row_compare(&last, &rows[i]) < 0)
			return rows[i];
		if (first == NULL)
			first = rows[i];
	}
	return first;
}

static void
next_tell(const struct next *x, const char *text)
{
	if (!x->print)
		jump_tell(&x->jump, text);
	warnx("%s", text);
}

static enum exit_status
next_do(struct next *x)
{
	msec now = clock_wall();
	struct row *r = next_choose(x, now);
	struct buf out = BUF_INIT, why = BUF_INIT;
	enum exit_status status = EXIT_DONE;
	struct layout l;
	char word[JUMP_WORD], pane[PANE_REF_NAME];
	int dir;

	if (r == NULL) {
		next_tell(x, x->needed ? "the agents that need a person have "
		    "no pane; 'paneward status --all' shows them" :
		    "no agent needs a person");
		return EXIT_NO;
	}
	if (!x->print) {
		/* If that is lost, the next call begins at the first row. */
		dir = userfolder_state(NULL, true);
		pane_ref_name(pane, &r->status.place);
		buf_printf(&out, "%lld %s %d %lld %s\n", (long long)now,
		    r->host != NULL ? "-" : pane, (int)r->rank,
		    (long long)r->status.since, row_name(r));
		if (dir != -1)
			file_replace(dir, last_file, out.data, out.len, 0600);
		file_close(dir);
		buf_reset(&out);
		if (jump_to(&x->jump, x->queue, r, &why) == -1) {
			buf_printf(&out, "cannot go to '%s': %s", row_name(r),
			    buf_str(&why));
			next_tell(x, buf_str(&out));
			status = EXIT_COULD_NOT;
		}
		buf_release(&why);
		buf_release(&out);
		return status;
	}
	columns_begin();
	layout_fit(&l, &r, 1, columns_terminal(STDOUT_FILENO), now);
	layout_line(&out, &l, r, false, now);
	jump_word(word, r);
	buf_printf(&out, "\npaneward attach %s%s%s\n",
	    r->host != NULL ? r->host : "", r->host != NULL ? ":" : "", word);
	fputs(buf_str(&out), stdout);
	buf_release(&out);
	return EXIT_DONE;
}

/* ---- the command --------------------------------------------------------- */

static const struct command_option options[] = {
	{ OPTION_PRINT, "print", NULL, "print the row and how to go there" },
	{ OPTION_CLIENT, "client", "TTY",
	    "the terminal of the tmux client that goes" },
	CONTEXT_OPTION,
	{ 0 }
};

static int
next_run(const struct command *c, int argc, char **argv)
{
	const char *dir = NULL, *client = NULL;
	struct next x = { .print = false };
	enum exit_status seen = EXIT_DONE;
	struct buf why = BUF_INIT, text = BUF_INIT;
	int key, status, state, rank, used = 0;
	long long when, since;

	while ((key = command_option(c, argc, argv, NULL)) != -1) {
		switch (key) {
		case OPTION_PRINT: x.print = true; break;
		case OPTION_CLIENT: client = optarg; break;
		case CONTEXT_KEY: dir = optarg; break;
		}
	}
	if (argc > optind)
		command_usage(c, "it takes no argument");
	if (jump_open(&x.jump, client, &why) == -1 && !x.print)
		fatalx("cannot go anywhere: %s", buf_str(&why));
	context_open(&x.context, dir, false);
	x.queue = queue_new(&(struct queue_how){ .context = &x.context,
	    .all = true, .panes = true, .hosts = true,
	    .trouble = show_trouble, .trouble_context = &seen });
	queue_look(x.queue);
	state = userfolder_state(NULL, false);
	if (state != -1)
		file_read(state, last_file, FILE_NOFOLLOW, &text, LAST_MAX);
	text.len = strcspn(buf_str(&text), "\n");
	if (sscanf(buf_str(&text), "%lld %47s %d %lld %n", &when, x.last.pane,
	    &rank, &since, &used) >= 4 && used > 0) {
		x.last.when = when;
		x.last.row.rank = (enum row_rank)rank;
		x.last.row.status.since = since;
		x.last.row.pane = true;
		x.last.row.where = xstrdup(buf_str(&text) + used);
	}
	buf_release(&text);
	file_close(state);
	status = next_do(&x);
	row_release(&x.last.row);
	queue_end(x.queue);
	context_close(&x.context);
	jump_release(&x.jump);
	buf_release(&why);
	return status == EXIT_NO && seen != EXIT_DONE ? (int)seen : status;
}

const struct command next_command = {
	.name = "next",
	.summary = "Go to the agent that has needed you longest",
	.examples =
	"  paneward next\n"
	"  paneward next --print\n"
	"  bind-key N run-shell -b 'paneward next --client #{client_tty} "
	"|| true'\n",
	.options = options,
	.run = next_run,
};

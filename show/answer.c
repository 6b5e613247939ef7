/*
 * answer.c - answers the dialog that an agent shows, in its pane.
 *
 * Without an answer it prints the dialog.
 */
#include "queue/answer.h"
#include "show/show.h"

enum {                                  /* ms */
	LOOKING = 100,                  /* between two looks */
	APPEARING = 10000,              /* until a dialog is drawn */
	RECORDING = 3000                /* until it is drawn and recorded */
};

struct answering {
	const char *word;               /* the agent's */
	const char *dir;
	bool        json;
	struct answer_order order;      /* without a text the dialog is shown */
	struct context  context;
	struct queue   *queue;
	struct row     *row;
	struct answer   answer;
	struct json    *object;         /* the dialog, with --json */
};

static void
answering_print(const struct answering *x)
{
	const struct dialog *d = &x->answer.dialog;
	const char *meaning, *text;
	struct buf line = BUF_INIT;
	size_t i, len;

	msg_escape(&line, d->what, strlen(d->what));
	printf("%s: %s\n", row_name(x->row), buf_str(&line));
	for (text = d->text; *text != '\0'; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		buf_reset(&line);
		msg_escape(&line, text, len);
		printf("  | %s\n", buf_str(&line));
	}
	for (i = 0; i < d->n; i++) {
		meaning = dialog_takes_text(d, i) ? "TEXT" : NULL;
		if (dialog_meaning(d, i) != NULL)
			meaning = dialog_meaning(d, i);
		buf_reset(&line);
		msg_escape(&line, d->choices[i], strlen(d->choices[i]));
		printf("  %zu  %s%s%s%s\n", i + 1, buf_str(&line),
		    meaning ? "  (" : "", meaning ? meaning : "",
		    meaning ? ")" : "");
	}
	if (!dialog_answerable(d))
		printf("its keys are not known; go there: paneward attach %s\n",
		    x->word);
	else
		printf("answer it: paneward answer --dialog %s %s "
		    "yes|no|NUMBER|TEXT\n", d->id, x->word);
}

static struct json *
answering_object(const struct answering *x)
{
	const struct dialog *d = &x->answer.dialog;
	struct json *o = row_done(x->row, x->word, NULL), *list, *choice;
	size_t i;

	json_add_texts(o, "dialog", d->id, "asks", d->rules->asks, "what",
	    d->what, "command", d->command, "text", d->text);
	list = json_add_list(o, "choices");
	for (i = 0; i < d->n; i++) {
		choice = json_add_object(list, NULL);
		json_add_number(choice, "number", (int64_t)i + 1);
		json_add_texts(choice, "text", d->choices[i], "means",
		    dialog_takes_text(d, i) ? "text" : dialog_meaning(d, i));
	}
	return o;
}

/* Waits for a dialog.  Returns what answer_look() does. */
static int
answering_find(struct answering *x, struct buf *why)
{
	msec until = clock_now() + RECORDING;
	enum exit_status status;
	bool wait;
	int found;

	for (;; loop_pause(LOOKING)) {
		answer_release(&x->answer);
		if (x->queue != NULL)
			queue_free(x->queue);
		x->queue = queue_new(&(struct queue_how){ .context =
		    &x->context, .all = true, .panes = true });
		queue_look(x->queue);
		buf_reset(why);
		x->row = target_find(x->queue, &x->context, x->word, &status,
		    why);
		if (x->row == NULL)
			return status == EXIT_NO ? 0 : -1;
		found = answer_look(&x->answer, queue_backends(x->queue),
		    x->row, why);
		wait = found == 0 &&
		    x->row->status.verdict.state == STATE_ASKING;
		if (found == 1 && x->order.text != NULL &&
		    x->order.dialog == NULL)
			wait = !answer_known(&x->answer, x->row, NULL, why);
		if (!wait || clock_now() >= until)
			return found;
	}
}

/* Prints the result, else why not and what a person does now. */
static enum exit_status
answering_end(struct answering *x, enum exit_status status, struct buf *out)
{
	const struct pane_ref *p = x->row ? &x->row->status.place : NULL;

	if (status == EXIT_DONE && x->object != NULL) {
		/* They are those of before. */
		if (x->answer.did != NULL) {
			json_drop(x->object, "state");
			json_drop(x->object, "why");
		}
		json_add_texts(x->object, "did", x->answer.did, "choice",
		    x->answer.choice, "reason", x->answer.unrecorded ?
		    buf_str(out) : NULL);
		json_puts(x->object);
	} else if (status == EXIT_DONE && out->len > 0) {
		printf("%s\n", buf_str(out));
	} else if (out->len > 0) {
		if (p == NULL)
			buf_adds(out, "; 'paneward status --all' lists them");
		else if (proc_alive(p->pane_pid, p->pane_start))
			buf_printf(out, "; go there: 'paneward attach %s'",
			    x->word);
		else
			buf_printf(out, "; see 'paneward explain %s'", x->word);
		warnx("cannot answer '%s': %s", x->word, buf_str(out));
	}
	queue_free(x->queue);
	return status == EXIT_DONE && x->answer.unrecorded ? EXIT_COULD_NOT :
	    status;
}

static int
answer_run(const struct command *c, int argc, char **argv)
{
	struct answering x = { .word = NULL };
	struct buf out = BUF_INIT;
	enum exit_status status;
	int found;

	command_option(c, argc, argv, &x);
	x.word = argv[optind];
	x.order.text = argv[optind + 1];
	context_open(&x.context, x.dir, false);
	found = answering_find(&x, &out);
	if (found == 1 && x.json)
		x.object = answering_object(&x);
	if (found != 1) {
		status = found == 0 ? EXIT_NO : EXIT_COULD_NOT;
	} else if (x.order.text != NULL && out.len == 0) {
		status = answer_do(&x.answer, x.queue, x.row, &x.order, &out);
	} else {
		status = out.len == 0 ? EXIT_DONE : EXIT_NO;
		if (!x.json)
			answering_print(&x);
		else if (status == EXIT_NO)
			json_puts(x.object);
	}
	return answering_end(&x, status, &out);
}

/* The watcher runs it when an agent asks something.  It waits until the dialog
 * stands still. */
static int
answerrun_run(const struct command *c, int argc, char **argv)
{
	msec until = clock_now() + APPEARING;
	struct answering x = { .order.rule = true };
	const struct dialog *d = &x.answer.dialog;
	const char *asks, *text;
	struct buf out = BUF_INIT;

	command_option(c, argc, argv, NULL);
	x.word = argv[1];
	context_open(&x.context, argv[2], false);
	x.queue = queue_new(&(struct queue_how){ .context = &x.context,
	    .issues = (char *const[]){ argv[1], NULL } });
	queue_look(x.queue);
	if (x.queue->nrows != 1)
		return EXIT_NO;
	x.row = x.queue->rows[0];
	for (; answer_look(&x.answer, queue_backends(x.queue), x.row,
	    &out) != 1 || !answer_rests(&x.answer, &out); loop_pause(LOOKING)) {
		answer_release(&x.answer);
		buf_reset(&out);
		if (clock_now() >= until)
			return EXIT_NO;
	}
	asks = d->rules->asks;
	text = asks != NULL && strcmp(asks, "permission") == 0 ? d->command :
	    d->asked;
	if (asks != NULL && text != NULL)
		x.order.text = answerrules_find(&x.context.config.answers,
		    asks, text);
	return answering_end(&x, x.order.text == NULL ? EXIT_NO : answer_do(
	    &x.answer, x.queue, x.row, &x.order, &out), &out);
}

const struct command answerrun_command = {
	.name = "answer-run",
	.arguments = "ISSUE STATUS-DIRECTORY",
	.run = answerrun_run,
};

const struct command answer_command = {
	.name = "answer",
	.summary = "Answer the dialog that an agent shows",
	.arguments = "ISSUE|%PANE [yes|no|NUMBER|TEXT]",
	.examples =
	"  paneward answer 42\n"
	"  paneward answer 42 yes\n"
	"  paneward answer %7 3\n"
	"  paneward answer %7 1,3\n",
	.options = (const struct command_option[]){
		{ 0, "dialog", "ID", "only if it is still this one",
		    TEXT_AT(struct answering, order.dialog) },
		JSON_AT(struct answering, json, "print the dialog as JSON"),
		CONTEXT_OPTION_AT(struct answering, dir),
		{ 0 }
	},
	.run = answer_run,
};

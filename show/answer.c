/*
 * answer.c - answers the dialog that an agent shows, in its pane.
 *
 * Without an answer it prints the dialog.  What was answered by whom is in the
 * journal: of the issue's project, or of the user's folder "panes" for a pane
 * that belongs to no issue.
 */
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/command.h"
#include "base/exitstatus.h"
#include "base/msg.h"
#include "os/file.h"
#include "os/proc.h"
#include "queue/answer.h"
#include "queue/jump.h"
#include "queue/paneevents.h"
#include "run/journal.h"
#include "show/commands.h"
#include "show/pick.h"
#include "text/json.h"

enum { OPTION_JSON = OPTION_LONG, OPTION_DIALOG };

enum {                                  /* milliseconds */
	LOOKING = 100,                  /* between two looks of a rule */
	APPEARING = 10000,              /* for a dialog to be drawn */
	RECORDING = 3000                /* for it to be drawn, and recorded by
					   the watcher */
};

static const struct command_option options[] = {
	{ OPTION_DIALOG, "dialog", "ID", "only if it is still this one" },
	{ OPTION_JSON, "json", NULL, "print the dialog as JSON" },
	CONTEXT_OPTION,
	{ 0 }
};

struct answering {
	const char *word, *reply;       /* the agent's, and the answer or NULL */
	const char *dialog;             /* its id, or NULL */
	bool        json;
	bool        rule;               /* the configuration answers */
	struct context  context;
	struct queue   *queue;
	struct row     *row;
	struct answer   answer;
	int         trouble;            /* errno of a record that could not be
					   read; 0 */
};

/* ---- printing ------------------------------------------------------------ */

static void
answering_print_lines(const char *text)
{
	struct buf line = BUF_INIT;
	size_t len;

	for (; *text != '\0'; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		buf_reset(&line);
		msg_escape(&line, text, len);
		printf("  | %s\n", buf_str(&line));
	}
	buf_release(&line);
}

static void
answering_print(const struct answering *x)
{
	const struct dialog *d = &x->answer.dialog;
	struct buf line = BUF_INIT;
	const char *meaning;
	size_t i;

	msg_escape(&line, d->what, strlen(d->what));
	printf("%s: %s\n", row_name(x->row), buf_str(&line));
	answering_print_lines(d->text);
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
		printf("it is not known how it is answered; go there: "
		    "paneward attach %s\n", x->word);
	else
		printf("answer it: paneward answer --dialog %s %s "
		    "yes|no|NUMBER|TEXT\n", d->id, x->word);
	buf_release(&line);
}

static cJSON *
answering_choices(const struct dialog *d)
{
	cJSON *list = cJSON_CreateArray(), *o;
	size_t i;

	for (i = 0; i < d->n; i++) {
		o = json_new_object();
		json_add_number(o, "number", (int64_t)i + 1);
		json_add_text(o, "text", d->choices[i]);
		json_add_text(o, "means", dialog_takes_text(d, i) ? "text" :
		    dialog_meaning(d, i));
		cJSON_AddItemToArray(list, o);
	}
	return list;
}

static void
answering_print_json(const struct answering *x)
{
	const struct dialog *d = &x->answer.dialog;
	struct buf line = BUF_INIT;
	cJSON *o = json_new_object();

	json_add_text(o, x->row->pane ? "where" : "issue", row_name(x->row));
	json_add_text(o, "pane", x->row->status.place.pane);
	json_add_text(o, "dialog", d->id);
	json_add_text(o, "asks", d->rules->asks);
	json_add_text(o, "what", d->what);
	json_add_text(o, "command", d->command);
	json_add_text(o, "text", d->text);
	cJSON_AddItemToObject(o, "choices", answering_choices(d));
	json_print(&line, o);
	printf("%s\n", buf_str(&line));
	json_free(o);
	buf_release(&line);
}

/* ---- answering ----------------------------------------------------------- */

/* "me on pts/3 at host, from 10.0.0.7". */
static void
answering_who(struct buf *out)
{
	const struct passwd *pw = getpwuid(getuid());
	const char *ssh = getenv("SSH_CONNECTION");
	char host[256] = "?";
	struct proc self;

	gethostname(host, sizeof(host) - 1);
	buf_adds(out, pw != NULL ? pw->pw_name : "?");
	if (proc_read(&self, getpid()) == 0 && self.terminal[0] != '\0')
		buf_printf(out, " on %s", self.terminal);
	buf_printf(out, " at %s", host);
	if (ssh != NULL)
		buf_printf(out, ", from %.*s", (int)strcspn(ssh, " "), ssh);
}

static void
answering_journal_pane(const struct row *r, const char *detail)
{
	struct status s;
	char name[ISSUE_MAX + 1];
	int fd = paneevents_open(true);

	if (fd == -1 || !paneevents_name(name, r->status.place.pane,
	    r->status.place.server)) {
		warn("cannot record the answer");
		return;
	}
	status_init(&s, name);
	if (journal_add(fd, "panes", JOURNAL_ANSWER, &s, detail) == -1)
		warn("cannot record the answer");
	status_release(&s);
	file_close(fd);
}

static void
answering_journal(const struct answering *x, const char *what, const char *how)
{
	const struct row *r = x->row;
	struct buf detail = BUF_INIT, shown = BUF_INIT;
	struct statusdir dir;

	buf_printf(&detail, "%s '%s' to: %s; by ", how, x->reply, what);
	if (x->rule)
		buf_adds(&detail, "a rule of 'answers' in the configuration");
	else
		answering_who(&detail);
	msg_escape(&shown, detail.data, detail.len);
	if (r->pane) {
		answering_journal_pane(r, buf_str(&shown));
	} else {
		context_statusdir(&dir, r->directory);
		if (journal_add(dir.state_fd, dir.path, JOURNAL_ANSWER,
		    &r->status, buf_str(&shown)) == -1)
			warn("cannot record the answer");
		statusdir_close(&dir);
	}
	buf_release(&detail);
	buf_release(&shown);
}

static const struct { const char *how; enum exit_status status; } ends[] = {
	[TYPIST_DONE]   = { "answered", EXIT_DONE },
	[TYPIST_REFUSED] = { NULL, EXIT_NO },
	[TYPIST_STAYS]   = { "answered without effect", EXIT_COULD_NOT },
	[TYPIST_LATE]    = { "answered, but as the screen changed,",
	    EXIT_COULD_NOT },
	[TYPIST_HALF]    = { "typed but did not send", EXIT_COULD_NOT },
};

static enum exit_status
answering_give(struct answering *x, struct buf *why)
{
	struct dialog *d = &x->answer.dialog;
	struct dialog_reply reply;
	enum typist_end result;
	const char *how;
	char *what, *choice;

	if (x->dialog != NULL && strcmp(x->dialog, d->id) != 0) {
		buf_adds(why, "it shows another dialog; nothing was typed");
		return EXIT_NO;
	}
	if (dialog_choose(d, x->reply, &reply, why) == -1)
		return EXIT_NO;
	what = xstrdup(d->what);
	choice = xstrdup(reply.text != NULL ? reply.text : reply.choice);
	result = answer_give(&x->answer, &reply, why);
	how = result == TYPIST_DONE && reply.marks ? "toggled" :
	    ends[result].how;
	if (how != NULL)
		answering_journal(x, what, how);
	if (result == TYPIST_DONE) {
		printf("%s: %s '%s' %s: %s\n", row_name(x->row), how, choice,
		    reply.marks ? "in" : "to", what);
		if (!x->rule)
			queue_see(x->queue, x->row, SEEN_ONCE);
	}
	free(what);
	free(choice);
	return ends[result].status;
}

/* A person answers what a row or a notice has shown.  Is that the dialog on the
 * screen, and does the dialog show what is to be run? */
static bool
answering_known(const struct answering *x, struct buf *why)
{
	const struct verdict *v = &x->row->status.verdict;
	const struct dialog *d = &x->answer.dialog;

	if (v->state == STATE_ASKING ? v->question != d->question :
	    v->state != STATE_LIMITED || !d->limit)
		buf_printf(why, "its screen asks something else than its row, "
		    "which says '%s: %s%s%s'", state_name(v->state), v->why,
		    v->message[0] ? ": " : "", v->message);
	else if (d->asked == NULL && d->rules->asks != NULL &&
	    strcmp(d->rules->asks, "permission") == 0)
		buf_adds(why, "what is to be run is not known");
	return why->len == 0;
}

/* Without its record an issue could be taken for another project's. */
static bool
answering_certain(const struct answering *x)
{
	const char *own = x->context.dir.path;

	return x->row != NULL && (x->row->pane || (own != NULL &&
	    x->row->directory != NULL && strcmp(x->row->directory, own) == 0));
}

static void
answering_trouble(void *context, const char *dir, const char *issue, int error)
{
	struct answering *x = context;

	(void)dir;
	(void)issue;
	if (error != 0 && !file_refused(error))
		x->trouble = error;
}

/* Looks until the agent shows a dialog that can be answered.  As
 * answer_look(). */
static int
answering_find(struct answering *x, struct backends *all, struct buf *why)
{
	msec until = clock_now() + RECORDING;
	bool wait;
	int found;

	for (;; poll(NULL, 0, LOOKING)) {
		answer_release(&x->answer);
		if (x->queue != NULL)
			queue_free(x->queue);
		x->queue = queue_new(&(struct queue_how){ .context =
		    &x->context, .all = true, .panes = true,
		    .trouble = answering_trouble, .trouble_context = x });
		queue_look(x->queue);
		buf_reset(why);
		x->row = pick_row(x->queue, &x->context, x->word, why);
		if (x->trouble != 0 && !answering_certain(x)) {
			buf_reset(why);
			buf_printf(why, "not all agents can be read: %s",
			    strerror(x->trouble));
			x->row = NULL;
			return -1;
		}
		if (x->row == NULL)
			return 0;
		found = answer_look(&x->answer, all, x->row, why);
		wait = found == 0 &&
		    x->row->status.verdict.state == STATE_ASKING;
		if (found == 1 && x->reply != NULL && x->dialog == NULL)
			wait = !answering_known(x, why);
		if (!wait || clock_now() >= until)
			return found;
	}
}

static enum exit_status
answering_do(struct answering *x, struct buf *why)
{
	struct backends all = { .first = NULL };
	int found;

	backends_all(&all, why);
	found = answering_find(x, &all, why);
	if (found != 1)
		return found == 0 ? EXIT_NO : EXIT_COULD_NOT;
	if (x->reply != NULL && why->len == 0)
		return answer_rests(&x->answer, why) ?
		    answering_give(x, why) : EXIT_NO;
	if (x->json)
		answering_print_json(x);
	else
		answering_print(x);
	return why->len == 0 ? EXIT_DONE : EXIT_NO;
}

/* ---- the command --------------------------------------------------------- */

/* What a person does now. */
static void
answering_advise(struct buf *why, const struct answering *x)
{
	const struct pane_ref *p;

	if (x->row == NULL) {
		buf_adds(why, "; 'paneward status --all' lists them");
		return;
	}
	p = &x->row->status.place;
	if (x->row->host != NULL || proc_alive(p->pane_pid, p->pane_start))
		buf_printf(why, "; go there: 'paneward attach %s'", x->word);
	else
		buf_printf(why, "; see 'paneward explain %s'", x->word);
}

static int
answer_run(const struct command *c, int argc, char **argv)
{
	const char *dir = NULL;
	struct answering x = { .json = false };
	struct buf why = BUF_INIT;
	enum exit_status status;
	int key;

	while ((key = command_option(c, argc, argv)) != -1) {
		switch (key) {
		case OPTION_DIALOG: x.dialog = optarg; break;
		case OPTION_JSON: x.json = true; break;
		case CONTEXT_KEY: dir = optarg; break;
		}
	}
	if (argc - optind < 1 || argc - optind > 2)
		command_usage(c, "one agent is to be named, and one answer; put "
		    "a text in quotes");
	x.word = argv[optind];
	x.reply = argv[optind + 1];
	context_open(&x.context, dir, false);
	status = answering_do(&x, &why);
	if (why.len > 0) {
		answering_advise(&why, &x);
		warnx("cannot answer '%s': %s", x.word, buf_str(&why));
	}
	answer_release(&x.answer);
	queue_free(x.queue);
	context_close(&x.context);
	buf_release(&why);
	return status;
}

/* ---- by a rule ----------------------------------------------------------- */

/* Looks until the issue shows a dialog that rests. */
static bool
answering_wait(struct answering *x, struct backends *all, struct buf *why)
{
	msec until = clock_now() + APPEARING;

	while (clock_now() < until) {
		answer_release(&x->answer);
		buf_reset(why);
		if (answer_look(&x->answer, all, x->row, why) == 1 &&
		    answer_rests(&x->answer, why))
			return true;
		poll(NULL, 0, LOOKING);
	}
	return false;
}

static enum exit_status
answering_by_rule(struct answering *x, struct buf *why)
{
	const struct dialog *d = &x->answer.dialog;
	struct backends all = { .first = NULL };
	const char *asks, *text;
	struct row *const *rows;
	size_t n;

	rows = queue_rows(x->queue, &n);
	if (n != 1)
		return EXIT_NO;
	x->row = rows[0];
	backends_all(&all, why);
	if (!answering_wait(x, &all, why))
		return EXIT_NO;
	buf_reset(why);
	x->dialog = NULL;
	asks = d->rules->asks;
	text = asks != NULL && strcmp(asks, "permission") == 0 ? d->command :
	    d->asked;
	x->reply = asks == NULL || text == NULL ? NULL :
	    answerrules_find(&x->context.config.answers, asks, text);
	return x->reply == NULL ? EXIT_NO : answering_give(x, why);
}

/* What its watcher runs when the agent of an issue asks something. */
static int
answerrun_run(const struct command *c, int argc, char **argv)
{
	struct answering x = { .rule = true };
	struct buf why = BUF_INIT;
	enum exit_status status;

	if (argc != 3)
		command_usage(c, "is run by paneward itself");
	x.word = argv[1];
	context_open(&x.context, argv[2], false);
	x.queue = queue_new(&(struct queue_how){ .context = &x.context,
	    .issues = argv + 1, .nissues = 1 });
	queue_look(x.queue);
	status = answering_by_rule(&x, &why);
	if (x.reply != NULL && why.len > 0)
		warnx("cannot answer '%s': %s", x.word, buf_str(&why));
	answer_release(&x.answer);
	queue_free(x.queue);
	context_close(&x.context);
	buf_release(&why);
	return status;
}

const struct command answerrun_command = {
	.name = "answer-run",
	.arguments = "ISSUE STATUS-DIRECTORY",
	.options = (const struct command_option[]){ { 0 } },
	.run = answerrun_run,
};

const struct command answer_command = {
	.name = "answer",
	.summary = "Answer the dialog that an agent shows",
	.arguments = "ISSUE|%PANE [yes|no|NUMBER|TEXT]",
	.examples =
	"  paneward answer 42\n"
	"  paneward answer 42 yes\n"
	"  paneward answer %7 3\n",
	.options = options,
	.run = answer_run,
};

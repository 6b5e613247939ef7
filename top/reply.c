#include "top/live.h"

#include "queue/answer.h"
#include "queue/target.h"
#include "run/jobenv.h"

enum { LIMIT = 60000 };                 /* ms: more than an answer takes */

const char *
reply_refuses(struct live *t, const struct row *r)
{
	const char *name = r->status.backend;
	const char *why = typist_holds[r->status.verdict.state].why;
	struct buf wrong = BUF_INIT;
	const struct backend *b = name == NULL ? NULL :
	    backends_get(queue_backends(t->queue), name, &wrong);

	buf_release(&wrong);
	return why != NULL ? why : !r->alive ? "its process has ended" :
	    b == NULL || b->signs.empty == NULL ?
	    "the look of its empty prompt is not known" : NULL;
}

void
reply_begin(struct live *t, bool prompt, struct buf *why)
{
	const struct row *row = choice_row(&t->choice);
	const char *refused = reply_refuses(t, row);
	struct answer a = { .did = NULL };
	struct reply **at = &t->replies, *r;
	bool asks = !prompt && answer_look(&a, queue_backends(t->queue), row,
	    why) == 1;

	while (*at != NULL && !buf_same(&(*at)->key, &t->choice.agent))
		at = &(*at)->next;
	r = *at;
	if (!asks && refused == NULL)
		buf_reset(why);
	if (r != NULL && r->given)
		buf_adds(why, "a text is on its way to it");
	else if (asks && !dialog_answerable(&a.dialog))
		buf_adds(why, "its keys are not known");
	else if (prompt && refused != NULL)
		buf_adds(why, refused);
	if (why->len == 0 && r != NULL && !asks) {
		*at = r->next;
		t->reply = r;
	} else if (why->len == 0) {
		t->reply = r = xcalloc(1, sizeof(*r));
		r->spawn = (struct spawn)SPAWN_INIT;
		buf_adds(&r->key, buf_str(&t->choice.agent));
		r->name = xstrdup(row_name(row));
		if (asks)
			memcpy(r->dialog, a.dialog.id, sizeof(r->dialog));
	}
	answer_release(&a);
}

void
reply_leave(struct live *t)
{
	struct reply *r = t->reply;

	t->reply = NULL;
	r->given = false;
	if (r->dialog[0] != '\0' || r->typed.len == 0) {
		buf_release(&r->key);
		free(r->name);
		buf_release(&r->typed);
		spawn_release(&r->spawn);
		free(r);
	} else {
		r->next = t->replies;
		t->replies = r;
	}
}

static int
reply_do(void *context)
{
	struct live *t = context;
	const char *typed = buf_str(&t->reply->typed);
	struct row *row = choice_row(&t->choice);
	enum exit_status status = EXIT_NO;
	struct buf out = BUF_INIT;
	struct answer a;

	if (answer_look(&a, queue_backends(t->queue), row, &out) == 1)
		status = answer_do(&a, t->queue, row, &(struct answer_order){
		    .text = strcmp(typed, "y") == 0 ? "yes" :
		    strcmp(typed, "n") == 0 ? "no" : typed,
		    .dialog = t->reply->dialog }, &out);
	dprintf(STDOUT_FILENO, "%s", buf_str(&out));
	return status;
}

/* A text goes by `paneward send`, which waits until it was taken; others can
 * read words of a command line. */
void
reply_give(struct live *t)
{
	struct reply *r = t->reply;
	const struct row *row = choice_row(&t->choice);
	const char *dir = row == NULL || row->pane ? NULL : row->directory;
	char word[JUMP_WORD];
	int in = -1;

	if (row == NULL || !buf_same(&r->key, &t->choice.agent)) {
		buf_adds(&r->spawn.errors, "it has left the list");
	} else if (r->dialog[0] != '\0') {
		spawn_begin(&r->spawn, &(struct spawn_how){ .call = reply_do,
		    .context = t, .limit = LIMIT });
	} else if (prompt_text_valid(buf_str(&r->typed), false,
	    &r->spawn.errors)) {
		jump_word(word, row);
		in = jobenv_pipe(&r->typed);
		if (in == -1)
			buf_adds(&r->spawn.errors, strerror(errno));
		else
			spawn_begin(&r->spawn, &(struct spawn_how){ .argv =
			    WORDS(t->program, "send", row->pane ? word :
			    row->status.issue, "-", dir != NULL ?
			    "--status-dir" : NULL, dir), .cwd = dir != NULL ?
			    row->project : NULL, .in = in, .limit = LIMIT });
		file_close(in);
	}
	spawn_follow(&r->spawn, &t->loop, NULL, NULL);
	r->given = true;
	r->next = t->replies;
	t->replies = r;
	t->reply = NULL;
}

bool
reply_turn(struct live *t)
{
	static const char own[] = "paneward: cannot send to '";
	struct reply **at = &t->replies, *r;
	bool over = false, prompt, done;
	const char *said, *reason;
	struct spawn *s;

	while ((r = *at) != NULL) {
		/* The line is not free while something is typed there. */
		if (!r->given || r->spawn.pid != 0 || t->reply != NULL ||
		    t->typing) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		over = true;
		/* The result becomes the message. */
		s = &r->spawn;
		prompt = r->dialog[0] == '\0';
		done = s->output.len > 0 && s->status == EXIT_DONE;
		said = buf_str(prompt || s->output.len == 0 ? &s->errors :
		    &s->output);
		reason = strncmp(said, own, sizeof(own) - 1) == 0 ?
		    strstr(said, "': ") : NULL;
		if (t->message.len > 0)
			buf_adds(&t->message, "; ");
		if (prompt && done)
			buf_printf(&t->message, "sent to %s", r->name);
		else if (prompt)        /* send names it in its own way */
			buf_printf(&t->message, "cannot send to %s: %s; s "
			    "brings the text back", r->name,
			    reason != NULL ? reason + 3 : said);
		else
			buf_printf(&t->message, "%s%s%s%s", done ? "" :
			    "cannot answer ", done ? "" : r->name,
			    done ? "" : ": ", said);
		if (done)
			buf_reset(&r->typed);
		spawn_release(s);
		t->reply = r;
		reply_leave(t);
	}
	return over;
}

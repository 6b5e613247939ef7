#include "top/live.h"

#include "queue/answer.h"

enum { LIMIT = 60000 };                 /* ms: more than an answer takes */

void
reply_free(struct reply *r)
{
	buf_release(&r->key);
	free(r->name);
	buf_release(&r->typed);
	spawn_release(&r->spawn);
	free(r);
}

void
reply_begin(struct live *t, struct buf *why)
{
	const struct row *row = choice_row(&t->choice);
	struct reply *r;
	struct answer a;

	for (r = t->given; r != NULL; r = r->next)
		if (buf_same(&r->key, &t->choice.agent)) {
			buf_adds(why, "it is being answered");
			return;
		}
	if (answer_look(&a, queue_backends(t->queue), row, why) != 1) {
		answer_release(&a);
		return;
	}
	if (!dialog_answerable(&a.dialog)) {
		buf_adds(why, "its keys are not known");
	} else {
		t->reply = r = xcalloc(1, sizeof(*r));
		r->spawn = (struct spawn)SPAWN_INIT;
		buf_adds(&r->key, buf_str(&t->choice.agent));
		r->name = xstrdup(row_name(row));
		memcpy(r->dialog, a.dialog.id, sizeof(r->dialog));
	}
	answer_release(&a);
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

void
reply_give(struct live *t)
{
	struct reply *r = t->reply;

	if (choice_row(&t->choice) == NULL ||
	    !buf_same(&r->key, &t->choice.agent))
		buf_adds(&r->spawn.errors, "it has left the list");
	else
		spawn_begin(&r->spawn, &(struct spawn_how){ .call = reply_do,
		    .context = t, .limit = LIMIT });
	spawn_follow(&r->spawn, &t->loop, NULL, NULL);
	r->next = t->given;
	t->given = r;
	t->reply = NULL;
}

bool
reply_turn(struct live *t)
{
	struct reply **at = &t->given, *r;
	struct spawn *s;
	bool over = false;

	while ((r = *at) != NULL) {
		s = &r->spawn;
		/* The line is not free while something is typed there. */
		if (s->pid != 0 || t->reply != NULL || t->typing) {
			at = &r->next;
			continue;
		}
		if (t->message.len > 0)
			buf_adds(&t->message, "; ");
		if (s->output.len == 0 || s->status != EXIT_DONE)
			buf_printf(&t->message, "cannot answer %s: ", r->name);
		buf_adds(&t->message, buf_str(s->output.len > 0 ? &s->output :
		    &s->errors));
		*at = r->next;
		reply_free(r);
		over = true;
	}
	return over;
}

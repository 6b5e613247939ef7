#include "queue/answer.h"

#include "run/journal.h"

enum {
	RESTING = 700,                  /* ms before a dialog is answered */
	RESTLESS = 3000,                /* ms for the screen to rest */
	GOING = 5000,                   /* ms for a dialog to go */
	OPENING = 3000                  /* ms for a field or a text */
};

static bool
answer_read(struct answer *a)
{
	const struct tmux_still *still = &a->typist.still;

	dialog_release(&a->dialog);
	if (!dialog_read(&a->dialog, &a->typist.backend->signs, still->rows,
	    still->colored))
		return false;
	a->typist.first = a->dialog.first;
	return true;
}

int
answer_look(struct answer *a, struct backends *all, const struct row *r,
    struct buf *why)
{
	*a = (struct answer){ .dialog = { .rules = NULL } };
	if (typist_find(&a->typist, all, r, why) == -1)
		return 0;
	if (typist_look(&a->typist, why) == -1)
		return -1;
	if (answer_read(a))
		return 1;
	buf_printf(why, "pane %s shows no dialog that is known",
	    a->typist.place->pane);
	return 0;
}

void
answer_release(struct answer *a)
{
	still_release(&a->typist.still);
	dialog_release(&a->dialog);
	free(a->choice);
	a->choice = NULL;
}

struct answer_want {
	struct answer *a;
	struct dialog was;
	size_t number, marked;          /* the choice to give; the highlight */
	bool   moved;
	char  *shown;                   /* the field has to show it; or NULL */
};

static void
answer_want(struct answer_want *w, struct answer *a)
{
	*w = (struct answer_want){ .a = a, .was = a->dialog,
	    .marked = a->dialog.marked };
	a->dialog = (struct dialog){ .rules = NULL };
}

static enum typist_sight
answer_judge_same(void *who, struct buf *why)
{
	struct answer_want *w = who;
	const struct dialog *d = &w->a->dialog;
	struct still_span *matter = w->a->typist.matter;
	size_t row;

	if (answer_read(w->a) && (w->moved ? strcmp(d->rest, w->was.rest) :
	    strcmp(d->id, w->was.id)) == 0) {
		/* The question and the choice tell most. */
		row = w->number > 0 ? d->rows[w->number - 1] : 0;
		matter[0] = (struct still_span){ d->asked_row, d->asked_stop };
		matter[1] = (struct still_span){ row, d->asked_stop == 0 ||
		    row == 0 ? 0 : row + 1 };
		if (d->marked == w->marked)
			return TYPIST_WANTED;
		buf_adds(why, "the highlight has not moved to the choice, "
		    "which was not confirmed");
		return TYPIST_LATER;
	}
	buf_adds(why, w->moved ? "the dialog has changed; the choice was not "
	    "confirmed" : "the dialog has changed; nothing was typed");
	return TYPIST_OTHER;
}

static enum typist_sight
answer_judge_matter(void *who, struct buf *why)
{
	struct answer_want *w = who;
	const struct dialog *d = &w->a->dialog, *was = &w->was;
	size_t i = 0;

	(void)why;
	if (!answer_read(w->a))
		return TYPIST_LATER;
	while (i < d->n && i < was->n &&
	    strcmp(d->choices[i], was->choices[i]) == 0)
		i++;
	return i == d->n && i == was->n && strcmp(d->what, was->what) == 0 ?
	    TYPIST_WANTED : TYPIST_OTHER;
}

/* Claude Code drops an answer in the first 0.15 s of a dialog, or 0.6 s after
 * typing. */
bool
answer_rests(struct answer *a, struct buf *why)
{
	struct answer_want w;
	bool rests;

	answer_want(&w, a);
	loop_pause(RESTING);
	rests = typist_look(&a->typist, why) == 0 &&
	    answer_judge_same(&w, why) == TYPIST_WANTED;
	dialog_release(&w.was);
	return rests;
}

/* The same dialog, with its open field or the text in it. */
static enum typist_sight
answer_judge_field(void *who, struct buf *why)
{
	struct answer_want *w = who;
	const struct dialog *d = &w->a->dialog;

	if (answer_read(w->a) && d->rules == w->was.rules &&
	    strcmp(d->what, w->was.what) == 0 && (w->shown != NULL ?
	    strstr(d->text, w->shown) != NULL :
	    pattern_match(d->rules->field, d->text, strlen(d->text))))
		return TYPIST_WANTED;
	buf_adds(why, w->shown != NULL ? "the text does not show in its field, "
	    "and was not sent" : "its field for a text has not opened");
	return TYPIST_LATER;
}

/* A client breaks no word, and a short one may be in the question. */
static char *
longest_word(const char *text)
{
	const char *word = text;
	size_t len = 0, n;

	for (; *text != '\0'; text += n + (text[n] == ' ')) {
		n = strcspn(text, " ");
		if (n > len)
			word = text;
		len = n > len ? n : len;
	}
	return xstrndup(word, len);
}

enum typist_end
answer_give(struct answer *a, const struct dialog_reply *reply, struct buf *why)
{
	struct typist *t = &a->typist;
	const char *colored = t->still.colored, *text = reply->text;
	bool moves = reply->number > 0 && a->dialog.moves, there, sent = false;
	enum typist_end end = TYPIST_DONE;
	struct answer_want w;
	struct typist_step step = { .judge = answer_judge_same, .who = &w,
	    .most = RESTLESS };

	if (reply->guarded && !pattern_match(a->dialog.rules->shows, colored,
	    strlen(colored))) {
		buf_adds(why, "the highlight is not on the first choice");
		return TYPIST_REFUSED;
	}
	answer_want(&w, a);
	w.number = reply->number;
	/* The highlight moves a choice at a time, and is seen there. */
	do {
		step.key = moves ? dialog_step(&w.was, w.marked, w.number - 1) :
		    NULL;
		there = step.key == NULL;
		if (there)
			step.key = reply->key;
		if (typist_type(t, &step, why) != TYPIST_WANTED) {
			end = w.moved ? TYPIST_HALF : TYPIST_REFUSED;
		} else if (t->late) {
			buf_adds(why, TYPIST_LATE_WHY);
			end = TYPIST_LATE;
		}
		if (!there)
			w.marked += w.marked + 1 < w.number ? 1 : (size_t)-1;
		w.moved |= !there;
	} while (!there && end == TYPIST_DONE);
	if (end == TYPIST_DONE && text == NULL) {
		step.judge = answer_judge_matter;
		if (!typist_gone(t, &step, GOING)) {
			buf_adds(why, "the answer was typed, but the dialog is "
			    "still there");
			end = TYPIST_STAYS;
		}
	} else if (end == TYPIST_DONE) {
		/* A client may draw a field before it reads from it. */
		loop_pause(RESTING);
		step = (struct typist_step){ .judge = answer_judge_field,
		    .who = &w, .text = text, .most = OPENING };
		if (typist_type(t, &step, why) == TYPIST_WANTED) {
			w.shown = longest_word(text);
			sent = typist_send(t, &step, why);
			free(w.shown);
		}
		end = sent ? TYPIST_DONE : TYPIST_HALF;
	}
	dialog_release(&w.was);
	return end;
}

/* Toggles and submits, each step as it is seen; then a page that only shows the
 * answers again is sent. */
static enum typist_end
answer_boxes(struct answer *a, unsigned boxes, struct buf *why)
{
	const struct dialog *d = &a->dialog;
	uint32_t question = d->question;
	struct dialog_reply step;
	bool sent = false, page = false;
	enum typist_end end;
	size_t steps;

	for (steps = 0;; steps++) {
		if (!page && (d->rules == NULL || d->question != question ||
		    steps > d->n)) {
			buf_adds(why, "its boxes have not changed as they "
			    "should, and were not sent");
			return TYPIST_HALF;
		}
		dialog_boxes(d, boxes, &step);
		end = answer_give(a, &step, why);
		if (end != TYPIST_DONE || page)
			return end == TYPIST_REFUSED && steps > 0 ?
			    TYPIST_HALF : end;
		sent = !step.marks;
		loop_pause(RESTING);
		if (typist_look(&a->typist, why) == -1)
			return sent ? end : TYPIST_HALF;
		page = answer_read(a) && sent && d->rules->box == NULL &&
		    d->rules->submit != NULL;
		if (sent && !page)
			return end;
	}
}

bool
answer_known(const struct answer *a, const struct row *r, const char *id,
    struct buf *why)
{
	const struct verdict *v = &r->status.verdict;
	const struct dialog *d = &a->dialog;

	if (id != NULL && strcmp(id, d->id) == 0)
		return true;
	if (id != NULL)
		buf_adds(why, "it shows another dialog; nothing was typed");
	else if (v->state == STATE_ASKING ? v->question != d->question :
	    v->state != STATE_LIMITED || !d->limit)
		buf_printf(why, "its screen asks something else than its row, "
		    "which says '%s: %s%s%s'", state_name(v->state), v->why,
		    v->message[0] ? ": " : "", v->message);
	else if (d->asked == NULL && d->rules->asks != NULL &&
	    strcmp(d->rules->asks, "permission") == 0)
		buf_adds(why, "the command to run is not known");
	return why->len == 0;
}

static const struct { const char *how; enum exit_status status; } ends[] = {
	[TYPIST_DONE]   = { "answered", EXIT_DONE },
	[TYPIST_REFUSED] = { NULL, EXIT_NO },
	[TYPIST_STAYS]   = { "answered without effect", EXIT_COULD_NOT },
	[TYPIST_LATE]    = { "answered, but as the screen changed,",
	    EXIT_COULD_NOT },
	[TYPIST_HALF]    = { "typed but did not send", EXIT_COULD_NOT },
};

enum exit_status
answer_do(struct answer *a, struct queue *q, struct row *r,
    const struct answer_order *o, struct buf *out)
{
	struct buf detail = BUF_INIT, shown = BUF_INIT;
	struct dialog *d = &a->dialog;
	const struct statusdir *dir;
	struct dialog_reply reply;
	char *what;
	enum typist_end end;
	const char *how;

	if (!o->rule && (!answer_known(a, r, o->dialog, out) ||
	    !answer_rests(a, out)))
		return EXIT_NO;
	if (dialog_choose(d, o->text, &reply, out) == -1)
		return EXIT_NO;
	what = xstrdup(d->what);
	a->choice = xstrdup(reply.text != NULL ? reply.text : reply.choice);
	end = reply.boxes != 0 ? answer_boxes(a, reply.boxes, out) :
	    answer_give(a, &reply, out);
	how = a->did = end == TYPIST_DONE && reply.marks ? "toggled" :
	    ends[end].how;
	if (end == TYPIST_DONE) {
		buf_reset(out);
		buf_printf(out, "%s: %s '%s' %s: %s", row_name(r), how, a->choice,
		    reply.marks ? "in" : "to", what);
	}
	if (how != NULL) {
		buf_printf(&detail, "%s '%s' to: %s; by ", how, o->text, what);
		if (o->rule)
			buf_adds(&detail, "a rule of 'answers' in the "
			    "configuration");
		else
			typist_who(&detail);
		msg_escape(&shown, detail.data, detail.len);
		dir = queue_dir(q, r);
		a->unrecorded = journal_add(dir->state_fd, dir->path,
		    JOURNAL_ANSWER, &r->status, buf_str(&shown)) == -1;
		if (a->unrecorded)
			buf_printf(out, "; cannot record the answer: %s",
			    strerror(errno));
	}
	if (end == TYPIST_DONE && !o->rule)
		queue_see(q, r, SEEN_ONCE);
	buf_release(&detail);
	buf_release(&shown);
	free(what);
	return ends[end].status;
}

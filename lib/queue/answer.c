#include "queue/answer.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "os/proc.h"
#include "queue/agentprocess.h"
#include "tmux/tmux.h"

enum { ENTERS = 3 };

enum {                                  /* milliseconds */
	AGAIN = 20,                     /* between two looks */
	RESTING = 700,                  /* before a dialog is answered */
	RESTLESS = 3000,                /* for the screen to rest */
	GOING = 5000,                   /* for a dialog to go */
	ABSENT = 400,                   /* it is gone then */
	OPENING = 3000                  /* for a field or a text to be drawn */
};

/* ---- looking ------------------------------------------------------------- */

/* The process of the run, else a known agent that is in front. */
static bool
answer_find_agent(struct answer *a, struct backends *all, const struct row *r,
    struct buf *why)
{
	const struct status *s = &r->status;
	struct agentprocess found = { .backend = NULL };
	struct buf wrong = BUF_INIT;

	a->backend = NULL;
	if (s->agent.pid > 0 && s->backend != NULL &&
	    proc_in_front(s->agent.pid, s->agent.start, s->place.pane_pid)) {
		a->backend = backends_get(all, s->backend, &wrong);
		a->agent = s->agent.pid;
		a->start = s->agent.start;
	}
	buf_release(&wrong);
	if ((a->backend == NULL || a->backend->signs.n == 0) &&
	    agentprocess_look(&found, all, s->place.pane_pid)) {
		a->backend = found.backend;
		a->agent = found.pid;
		a->start = found.start;
	}
	if (a->backend == NULL)
		buf_printf(why, "no known agent is in front of pane %s",
		    s->place.pane);
	return a->backend != NULL;
}

/* Reads the screen anew. */
static int
answer_read(struct answer *a, struct buf *why)
{
	const char *refused;

	still_release(&a->still);
	dialog_release(&a->dialog);
	if (tmux_look(a->place, &a->still, why) != TMUX_OK)
		return -1;
	refused = still_refuses(&a->still);
	if (refused != NULL) {
		buf_printf(why, "pane %s: %s", a->place->pane, refused);
		return -1;
	}
	if (dialog_read(&a->dialog, &a->backend->signs, a->still.rows,
	    strlen(a->still.rows)))
		return 1;
	buf_printf(why, "pane %s shows no dialog that is known",
	    a->place->pane);
	return 0;
}

int
answer_look(struct answer *a, struct backends *all, const struct row *r,
    struct buf *why)
{
	*a = (struct answer){ .place = &r->status.place };
	if (r->host != NULL || a->place->socket == NULL) {
		buf_adds(why, r->host != NULL ? "it is on another host" :
		    "its pane is not known");
		return -1;
	}
	return answer_find_agent(a, all, r, why) ? answer_read(a, why) : -1;
}

void
answer_release(struct answer *a)
{
	still_release(&a->still);
	dialog_release(&a->dialog);
}

/* ---- typing -------------------------------------------------------------- */

static void
answer_pause(void)
{
	poll(NULL, 0, AGAIN);
}

/* Is the dialog still there?  Reads the screen anew. */
static bool
answer_same(struct answer *a, const char *id)
{
	struct buf why = BUF_INIT;
	bool same = answer_read(a, &why) == 1 && strcmp(a->dialog.id, id) == 0;

	buf_release(&why);
	return same;
}

/* Claude Code drops an answer in the first 0.15 s of a dialog, or 0.6 s if a
 * person was typing as it came. */
bool
answer_rests(struct answer *a, struct buf *why)
{
	char id[DIALOG_ID + 1];

	memcpy(id, a->dialog.id, sizeof(id));
	poll(NULL, 0, RESTING);
	if (answer_same(a, id))
		return true;
	buf_adds(why, "the dialog has changed; nothing was typed");
	return false;
}

bool
answer_put(struct answer *a, size_t first, const char *key, const char *text,
    bool *again, struct buf *why)
{
	struct buf question = BUF_INIT;
	bool typed = false;

	*again = false;
	if (!proc_in_front(a->agent, a->start, a->place->pane_pid))
		buf_adds(why, "the agent is no longer in front of its pane");
	else if (still_question(&a->still, first, a->twice, &question, why) &&
	    tmux_type(a->place, buf_str(&question), key, text, &typed, why) ==
	    TMUX_OK)
		*again = !typed;
	buf_release(&question);
	return typed;
}

/* A client that draws leaves the cursor elsewhere for moments, so the same
 * dialog is tried again. */
static enum answer_result
answer_type(struct answer *a, const char *key, const char *text,
    struct buf *why)
{
	msec until = clock_now() + RESTLESS;
	char id[DIALOG_ID + 1];
	bool again;

	memcpy(id, a->dialog.id, sizeof(id));
	while (!answer_put(a, a->dialog.first, key, text, &again, why)) {
		if (!again)
			return ANSWER_REFUSED;
		if (!answer_same(a, id)) {
			buf_adds(why, "the dialog has changed; nothing was "
			    "typed");
			return ANSWER_CHANGED;
		}
		if (clock_now() >= until) {
			buf_adds(why, "the screen does not rest; nothing was "
			    "typed");
			return ANSWER_REFUSED;
		}
		answer_pause();
	}
	return ANSWER_GIVEN;
}

/* What is asked, with which choices: not which one is selected. */
static char *
answer_matter(const struct dialog *d)
{
	struct buf matter = BUF_INIT;
	size_t i;

	buf_adds(&matter, d->what != NULL ? d->what : "");
	for (i = 0; i < d->n; i++)
		buf_printf(&matter, "\n%s", d->choices[i]);
	return buf_steal(&matter);
}

/* Does the screen show that still?  -1: it shows no dialog. */
static int
answer_stays(struct answer *a, const char *before)
{
	struct buf why = BUF_INIT;
	int stays = -1;
	char *now;

	if (answer_read(a, &why) == 1) {
		now = answer_matter(&a->dialog);
		stays = strcmp(now, before) == 0;
		free(now);
	}
	buf_release(&why);
	return stays;
}

/* A client that draws anew shows no dialog for a moment. */
static bool
answer_goes(struct answer *a, const char *before, msec most)
{
	msec now = clock_now(), until = now + most, seen = now;
	int stays;

	while ((stays = answer_stays(a, before)) != 0) {
		now = clock_now();
		if (stays == 1)
			seen = now;
		else if (now >= seen + ABSENT)
			return true;
		if (now >= until)
			return false;
		answer_pause();
	}
	return true;
}

static enum answer_result
answer_key(struct answer *a, const char *key, struct buf *why)
{
	char *before = answer_matter(&a->dialog);
	enum answer_result result = answer_type(a, key, NULL, why);

	if (result == ANSWER_GIVEN && !answer_goes(a, before, GOING)) {
		buf_adds(why, "it was typed, and the dialog is still there");
		result = ANSWER_STAYS;
	}
	free(before);
	return result;
}

/* ---- a text -------------------------------------------------------------- */

/* Does the same dialog show its open field, or the text (NULL: none) in it? */
static bool
answer_shows(struct answer *a, const struct dialogrules *rules,
    const char *asked, const char *text)
{
	struct buf why = BUF_INIT;
	bool shows = answer_read(a, &why) == 1 && a->dialog.rules == rules &&
	    strcmp(a->dialog.what, asked) == 0 && (text != NULL ?
	    strstr(a->dialog.text, text) != NULL :
	    pattern_match(rules->field, a->dialog.text,
	    strlen(a->dialog.text)));

	buf_release(&why);
	return shows;
}

/* One step of an answer with a text. */
struct answer_step {
	const struct dialogrules *rules;
	const char *asked;              /* what the dialog says */
	const char *shown;              /* a text that it shows; NULL: its open
					   field */
	const char *key, *text;         /* what is typed then */
};

/* Types once the dialog shows that.  A client may still draw it. */
static enum answer_result
answer_step(struct answer *a, const struct answer_step *s, struct buf *why)
{
	msec until = clock_now() + OPENING;
	enum answer_result result = ANSWER_CHANGED;

	while (result == ANSWER_CHANGED && clock_now() < until) {
		buf_reset(why);
		if (answer_shows(a, s->rules, s->asked, s->shown))
			result = answer_type(a, s->key, s->text, why);
		else
			answer_pause();
	}
	if (result == ANSWER_CHANGED && why->len == 0)
		buf_adds(why, s->shown != NULL ? "the text is not to be seen "
		    "in its field, and was not sent" :
		    "its field for a text has not opened");
	return result;
}

/* The beginning of a text, which a client does not break. */
static char *
answer_head(const char *text)
{
	return xstrndup(text, strcspn(text, " "));
}

/* Some clients ignore an Enter that comes soon after a text. */
static enum answer_result
answer_send(struct answer *a, struct answer_step *s, struct buf *why)
{
	enum answer_result result;
	char *before;
	bool went = false;
	int i;

	s->key = "Enter";
	s->text = NULL;
	for (i = 0; i < ENTERS && !went; i++) {
		result = answer_step(a, s, why);
		if (i > 0 && result == ANSWER_CHANGED) {
			buf_reset(why);
			return ANSWER_GIVEN;    /* it went late */
		}
		if (result != ANSWER_GIVEN)
			return ANSWER_HALF;
		before = answer_matter(&a->dialog);
		went = answer_goes(a, before, GOING / ENTERS);
		free(before);
	}
	if (!went)
		buf_adds(why, "the text is in its field, and Enter did not "
		    "send it");
	return went ? ANSWER_GIVEN : ANSWER_HALF;
}

/* Opens the field, types into it, sends it: each step is verified. */
static enum answer_result
answer_text(struct answer *a, const struct dialog_reply *reply,
    struct buf *why)
{
	char *asked = xstrdup(a->dialog.what), *text = xstrdup(reply->text);
	char *head = answer_head(text);
	struct answer_step step = { .rules = a->dialog.rules, .asked = asked,
	    .text = text };
	enum answer_result result = answer_type(a, reply->key, NULL, why);

	if (result == ANSWER_GIVEN &&
	    answer_step(a, &step, why) != ANSWER_GIVEN)
		result = ANSWER_HALF;
	step.shown = head;
	if (result == ANSWER_GIVEN)
		result = answer_send(a, &step, why);
	free(asked);
	free(text);
	free(head);
	return result;
}

enum answer_result
answer_give(struct answer *a, const struct dialog_reply *reply,
    struct buf *why)
{
	if (reply->guarded && !pattern_match(a->dialog.rules->shows,
	    a->still.colored, strlen(a->still.colored))) {
		buf_adds(why, "another choice than the first is selected");
		return ANSWER_REFUSED;
	}
	return reply->text != NULL ? answer_text(a, reply, why) :
	    answer_key(a, reply->key, why);
}

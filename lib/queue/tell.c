#include "queue/tell.h"

#include <poll.h>
#include <string.h>

#include "backend/prompt.h"
#include "base/clock.h"
#include "queue/answer.h"

enum { TELL_ENTERS = 3 };

enum {                                  /* milliseconds */
	TELL_AGAIN = 40,                /* between two looks */
	TELL_CALM = 5000,               /* for an empty prompt to rest */
	TELL_DRAWN = 5000,              /* for the text to be drawn */
	TELL_SENT = 2000                /* for Enter to have an effect */
};

struct tell {
	struct backends *all;
	const struct row *row;
	const char *text;
	struct answer a;
	struct prompt prompt;
	struct buf *why;
};

/* Looks at the prompt anew.  False with the reason: it is not there. */
static bool
tell_look(struct tell *t)
{
	int shows;

	buf_reset(t->why);
	answer_release(&t->a);
	shows = answer_look(&t->a, t->all, t->row, t->why);
	t->prompt = (struct prompt){ .ready = false };
	if (shows == 1)
		buf_adds(t->why, t->a.dialog.what);
	if (shows != 0)
		return false;
	buf_reset(t->why);
	t->prompt = prompt_read(&t->a.backend->signs, t->a.still.rows,
	    t->a.still.colored);
	if (!t->prompt.ready)
		buf_adds(t->why, "it does not show its prompt");
	return t->prompt.ready;
}

static bool
tell_shown(const struct tell *t)
{
	return prompt_holds(&t->prompt, t->a.still.rows, t->text);
}

/* Is the prompt empty, or does it show the text? */
static bool
tell_may(struct tell *t, bool typed)
{
	if (!tell_look(t))
		return false;
	/* The same text may stand above, from the last time. */
	t->a.twice = typed;
	if (typed ? tell_shown(t) : t->prompt.empty)
		return true;
	buf_adds(t->why, typed ? "the text is not to be seen in its prompt" :
	    t->a.backend->signs.empty == NULL ? "how an empty prompt of it "
	    "looks is not known" : "something is typed in its prompt");
	return false;
}

/* Types as soon as it may. */
static bool
tell_type(struct tell *t, const char *key, const char *text, msec most)
{
	msec until = clock_now() + most;
	bool again;

	for (;;) {
		again = true;
		if (tell_may(t, text == NULL) && answer_put(&t->a,
		    t->prompt.first, key, text, &again, t->why))
			return true;
		if (!again || clock_now() >= until)
			break;
		poll(NULL, 0, TELL_AGAIN);
	}
	if (t->why->len == 0)
		buf_adds(t->why, "its screen does not rest");
	return false;
}

/* The prompt may be gone for a moment while a client draws it anew, but then
 * the text is gone from it, or is there again. */
static bool
tell_went(struct tell *t)
{
	msec until = clock_now() + TELL_SENT;

	while (tell_look(t) && tell_shown(t)) {
		if (clock_now() >= until)
			return false;
		poll(NULL, 0, TELL_AGAIN);
	}
	return true;
}

static bool
tell_send(struct tell *t)
{
	int i;

	for (i = 0; i < TELL_ENTERS; i++) {
		if (!tell_type(t, "Enter", NULL, TELL_DRAWN))
			return i > 0 && t->prompt.ready; /* it went late */
		if (tell_went(t))
			return true;
	}
	buf_reset(t->why);
	buf_adds(t->why, "the text is in its prompt, and Enter does not send "
	    "it");
	return false;
}

enum tell_result
tell(struct backends *all, const struct row *row, const char *text,
    struct buf *why)
{
	struct tell t = { .all = all, .row = row, .text = text, .why = why };
	enum tell_result result = TELL_REFUSED;

	if (dialog_text_valid(text, why) && tell_type(&t, NULL, text,
	    TELL_CALM))
		result = tell_send(&t) ? TELL_TOLD : TELL_HALF;
	answer_release(&t.a);
	return result;
}

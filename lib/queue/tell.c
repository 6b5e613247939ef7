#include "queue/tell.h"

#include <string.h>

#include "backend/dialog.h"

enum {                                  /* milliseconds */
	CALM = 5000,                    /* for an empty prompt to rest */
	DRAWN = 5000                    /* for the text to be drawn */
};

struct tell {
	const char *text;
	struct typist typist;
};

/* Why is there no prompt? */
static void
tell_blame(const struct tell *t, struct buf *why)
{
	const char *rows = t->typist.still.rows;
	struct dialog d;

	if (dialog_read(&d, &t->typist.backend->signs, rows, strlen(rows)))
		buf_adds(why, d.what);
	else
		buf_adds(why, "it does not show its prompt");
	dialog_release(&d);
}

static struct prompt
tell_read(struct tell *t, struct buf *why)
{
	const struct tmux_still *still = &t->typist.still;
	struct prompt p = prompt_read(&t->typist.backend->signs, still->rows,
	    still->colored);

	t->typist.first = p.first;
	if (!p.ready)
		tell_blame(t, why);
	return p;
}

static enum typist_sight
tell_judge_empty(void *who, struct buf *why)
{
	struct tell *t = who;
	struct prompt p = tell_read(t, why);

	if (p.ready && p.empty)
		return TYPIST_WANTED;
	if (p.ready)
		buf_adds(why, t->typist.backend->signs.empty == NULL ?
		    "how an empty prompt of it looks is not known" :
		    "something is typed in its prompt");
	return TYPIST_LATER;
}

static enum typist_sight
tell_judge_text(void *who, struct buf *why)
{
	struct tell *t = who;
	struct prompt p = tell_read(t, why);

	/* The same text may stand above, from the last time. */
	t->typist.twice = true;
	if (p.ready && prompt_holds(&p, t->typist.still.rows, t->text))
		return TYPIST_WANTED;
	if (p.ready)
		buf_adds(why, "the text is not to be seen in its prompt");
	return TYPIST_LATER;
}

static enum typist_end
tell_type(struct tell *t, struct buf *why)
{
	struct typist_step step = { .judge = tell_judge_empty, .who = t,
	    .text = t->text, .most = CALM };

	if (typist_type(&t->typist, &step, why) != TYPIST_WANTED)
		return TYPIST_REFUSED;
	step.judge = tell_judge_text;
	step.most = DRAWN;
	return typist_send(&t->typist, &step, why) ? TYPIST_DONE : TYPIST_HALF;
}

enum typist_end
tell(struct backends *all, const struct row *row, const char *text,
    struct buf *why)
{
	struct tell t = { .text = text };
	enum typist_end end = TYPIST_REFUSED;

	if (dialog_text_valid(text, why) &&
	    typist_find(&t.typist, all, row, why) == 0)
		end = tell_type(&t, why);
	typist_release(&t.typist);
	return end;
}

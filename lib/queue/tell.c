#include "queue/typist.h"

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

static struct prompt
tell_read(struct tell *t, struct buf *why)
{
	const struct tmux_still *still = &t->typist.still;
	const struct signs *signs = &t->typist.backend->signs;
	struct prompt p = prompt_read(signs, still->rows, still->colored);
	struct dialog d;

	t->typist.first = p.first;
	if (p.ready)
		return p;
	if (dialog_read(&d, signs, still->rows, strlen(still->rows)))
		buf_adds(why, d.what);
	else
		buf_adds(why, "it does not show its prompt");
	dialog_release(&d);
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

enum typist_end
tell(struct backends *all, const struct row *row, const char *text,
    struct buf *why)
{
	struct tell t = { .text = text };
	struct typist_step step = { .judge = tell_judge_empty, .who = &t,
	    .text = text, .most = CALM };
	enum typist_end end = TYPIST_REFUSED;

	if (dialog_text_valid(text, why) &&
	    typist_find(&t.typist, all, row, why) == 0 &&
	    typist_type(&t.typist, &step, why) == TYPIST_WANTED) {
		step.judge = tell_judge_text;
		step.most = DRAWN;
		end = typist_send(&t.typist, &step, why) ? TYPIST_DONE :
		    TYPIST_HALF;
	}
	typist_release(&t.typist);
	return end;
}

#include "queue/typist.h"

#include <string.h>

#include "os/loop.h"
#include "os/proc.h"
#include "queue/agentprocess.h"
#include "tmux/tmux.h"

enum { ENTERS = 3 };

enum {                                  /* milliseconds */
	AGAIN = 20,                     /* between two looks */
	LOOKING = 100,                  /* that long at most, by rights */
	ABSENT = 400,                   /* what is gone so long is gone */
	SENDING = 2000                  /* for Enter to have an effect */
};

/* ---- the agent ----------------------------------------------------------- */

/* The process of the run, else a known agent that is in front. */
static void
typist_find_agent(struct typist *t, struct backends *all,
    const struct status *s)
{
	struct agentprocess found = { .backend = NULL };
	struct buf wrong = BUF_INIT;

	if (s->agent.pid > 0 && s->backend != NULL &&
	    proc_in_front(s->agent.pid, s->agent.start, s->place.pane_pid)) {
		t->backend = backends_get(all, s->backend, &wrong);
		t->agent = s->agent.pid;
		t->start = s->agent.start;
	}
	buf_release(&wrong);
	if ((t->backend == NULL || t->backend->signs.n == 0) &&
	    agentprocess_look(&found, all, s->place.pane_pid)) {
		t->backend = found.backend;
		t->agent = found.pid;
		t->start = found.start;
	}
}

int
typist_find(struct typist *t, struct backends *all, const struct row *r,
    struct buf *why)
{
	*t = (struct typist){ .place = &r->status.place };
	if (r->host != NULL || t->place->socket == NULL) {
		buf_adds(why, r->host != NULL ? "it is on another host" :
		    "its pane is not known");
		return -1;
	}
	if (!proc_alive(t->place->pane_pid, t->place->pane_start)) {
		buf_printf(why, "its pane %s is gone", t->place->pane);
		return -1;
	}
	typist_find_agent(t, all, &r->status);
	if (t->backend != NULL)
		return 0;
	buf_printf(why, "no known agent is in front of pane %s",
	    t->place->pane);
	return -1;
}

void
typist_release(struct typist *t)
{
	still_release(&t->still);
}

/* ---- looking ------------------------------------------------------------- */

int
typist_look(struct typist *t, struct buf *why)
{
	const char *refused;

	still_release(&t->still);
	if (tmux_look(t->place, &t->still, why) != TMUX_OK)
		return -1;
	refused = still_refuses(&t->still);
	if (refused == NULL)
		return 0;
	buf_printf(why, "pane %s: %s", t->place->pane, refused);
	return -1;
}

static enum typist_sight
typist_see(struct typist *t, const struct typist_step *s, struct buf *why)
{
	buf_reset(why);
	return typist_look(t, why) == -1 ? TYPIST_BLIND :
	    s->judge(s->who, why);
}

bool
typist_gone(struct typist *t, const struct typist_step *s, msec most)
{
	msec last = clock_now(), until = last + most, now, absent = 0;
	struct buf why = BUF_INIT;
	enum typist_sight sight;

	for (;; last = now, loop_pause(AGAIN)) {
		now = clock_now();      /* we may stand still behind the look */
		sight = typist_see(t, s, &why);
		/* A client that draws anew shows nothing for a moment.  Time in
		 * which nobody looked does not count. */
		absent = sight == TYPIST_WANTED ? 0 : absent +
		    (now - last < LOOKING ? now - last : LOOKING);
		if (sight == TYPIST_OTHER || absent >= ABSENT || now >= until)
			break;
	}
	buf_release(&why);
	return sight == TYPIST_OTHER || absent >= ABSENT;
}

/* ---- typing -------------------------------------------------------------- */

/* Types if the screen is still the same; *again: it is not. */
static bool
typist_ask(struct typist *t, const struct typist_step *s, const char *question,
    bool *again, struct buf *why)
{
	struct buf quick = BUF_INIT;
	enum tmux_typed typed = TMUX_CHANGED;
	struct tmux_typing typing = { .question = question, .key = s->key,
	    .text = s->text };

	if (still_quick(&t->still, t->matter, sizeof(t->matter) /
	    sizeof(*t->matter), &quick))
		typing.quick = buf_str(&quick);
	*again = tmux_type(t->place, &typing, &typed, why) == TMUX_OK &&
	    typed == TMUX_CHANGED;
	t->late = t->late || typed == TMUX_TYPED_LATE;
	buf_release(&quick);
	return typed != TMUX_CHANGED;
}

static bool
typist_put(struct typist *t, const struct typist_step *s, bool *again,
    struct buf *why)
{
	struct buf question = BUF_INIT;
	bool typed = false;

	*again = false;
	if (!proc_in_front(t->agent, t->start, t->place->pane_pid))
		buf_adds(why, "the agent is no longer in front of its pane");
	else if (still_question(&t->still, t->first, t->twice, &question, why))
		typed = typist_ask(t, s, buf_str(&question), again, why);
	buf_release(&question);
	return typed;
}

/* A client that draws leaves the cursor elsewhere for moments, so the same
 * screen is tried again. */
enum typist_sight
typist_type(struct typist *t, const struct typist_step *s, struct buf *why)
{
	msec until = clock_now() + s->most;
	enum typist_sight sight;
	bool again = true;

	for (;;) {
		sight = typist_see(t, s, why);
		if (sight == TYPIST_WANTED && typist_put(t, s, &again, why))
			return TYPIST_WANTED;
		if (sight == TYPIST_OTHER || !again || clock_now() >= until)
			break;
		loop_pause(AGAIN);
	}
	if (sight != TYPIST_WANTED)
		return sight;
	if (again)
		buf_adds(why, "the screen does not rest; nothing was typed");
	return TYPIST_BLIND;
}

bool
typist_send(struct typist *t, struct typist_step *s, struct buf *why)
{
	enum typist_sight sight;
	int i;

	s->key = "Enter";
	s->text = NULL;
	for (i = 0; i < ENTERS; i++) {
		sight = typist_type(t, s, why);
		if (sight != TYPIST_WANTED)
			return i > 0 && sight != TYPIST_BLIND; /* went late */
		if (t->late) {
			buf_adds(why, TYPIST_LATE_WHY);
			return false;
		}
		if (typist_gone(t, s, SENDING))
			return true;
	}
	buf_reset(why);
	buf_adds(why, "the text is there, and Enter does not send it");
	return false;
}

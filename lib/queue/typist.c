#include "queue/answer.h"

#include <pwd.h>
#include <signal.h>

#include "os/child.h"

enum {
	ENTERS = 3,
	AGAIN = 20,                     /* ms between two looks */
	LOOKING = 100,                  /* ms that a look counts at most */
	ABSENT = 400,                   /* ms until it is gone */
	SENDING = 2000,                 /* ms for an Enter to work, */
	CALM = 5000,                    /* for an empty prompt, */
	DRAWN = 5000,                   /* for a text in it */
	ABOVE = 6,                      /* lines */
	POLL = 25,                      /* ms between looks at the process */
	TERMINATING = 5000, KILLING = 10000, STOPPING = 15000,  /* ms until */
	INTERRUPTING = 1000,            /* ms between extra Ctrl+C */
	INTERRUPTS = 2                  /* that are extra */
};

int
typist_find(struct typist *t, struct backends *all, const struct row *r,
    struct buf *why)
{
	const struct status *s = &r->status;
	struct agentprocess found = { .backend = NULL };
	struct buf wrong = BUF_INIT;

	*t = (struct typist){ .place = &s->place };
	if (r->host != NULL || t->place->socket == NULL) {
		buf_adds(why, r->host != NULL ? "it is on another host" :
		    row_session(r) ? "it has no pane: 'paneward attach' opens "
		    "one" : "its pane is not known");
		return -1;
	}
	if (!proc_alive(t->place->pane_pid, t->place->pane_start)) {
		buf_printf(why, "its pane %s is gone", t->place->pane);
		return -1;
	}
	if (s->agent.pid > 0 && s->backend != NULL &&
	    proc_in_front(s->agent.pid, s->agent.start, s->place.pane_pid)) {
		t->backend = backends_get(all, s->backend, &wrong);
		t->agent = s->agent.pid;
		t->start = s->agent.start;
	}
	buf_release(&wrong);
	if ((t->backend == NULL || t->backend->signs.n == 0) &&
	    agentprocess_look(&found, all, s->place.pane_pid) == 1) {
		t->backend = found.backend;
		t->agent = found.pid;
		t->start = found.start;
	}
	if (t->backend != NULL)
		return 0;
	buf_printf(why, "no known agent is in front of pane %s",
	    t->place->pane);
	return -1;
}

int
typist_look(struct typist *t, struct buf *why)
{
	const char *refused;

	buf_reset(why);
	still_release(&t->still);
	if (tmux_look(t->place, &t->still, why) != TMUX_OK)
		return -1;
	refused = still_refuses(&t->still);
	if (refused == NULL)
		return 0;
	buf_printf(why, "pane %s: %s", t->place->pane, refused);
	return -1;
}

bool
typist_gone(struct typist *t, const struct typist_step *s, msec most)
{
	msec last = clock_now(), until = last + most, now, absent = 0;
	struct buf why = BUF_INIT;
	enum typist_sight sight;

	for (;; last = now, loop_pause(AGAIN)) {
		now = clock_now();      /* before the look, which may hang */
		sight = typist_look(t, &why) == -1 ? TYPIST_BLIND :
		    s->judge(s->who, &why);
		/* A redrawing client shows nothing for a moment. */
		absent = sight == TYPIST_WANTED ? 0 : absent +
		    (now - last < LOOKING ? now - last : LOOKING);
		if (sight == TYPIST_OTHER || absent >= ABSENT || now >= until)
			break;
	}
	buf_release(&why);
	return sight == TYPIST_OTHER || absent >= ABSENT;
}

/* The cursor moves while a client draws, so it tries again. */
enum typist_sight
typist_type(struct typist *t, const struct typist_step *s, struct buf *why)
{
	struct buf question = BUF_INIT, quick = BUF_INIT;
	struct tmux_typing typing = { .key = s->key, .text = s->text };
	enum tmux_typed typed = TMUX_CHANGED;
	msec until = clock_now() + s->most;
	enum typist_sight sight;
	bool again = true;

	for (;; loop_pause(AGAIN)) {
		sight = typist_look(t, why) == -1 ? TYPIST_BLIND :
		    s->judge(s->who, why);
		if (sight == TYPIST_WANTED) {
			again = false;
			buf_reset(&question);
			buf_reset(&quick);
			if (!proc_in_front(t->agent, t->start,
			    t->place->pane_pid)) {
				buf_adds(why, "the agent is no longer in "
				    "front of its pane");
			} else if (still_question(&t->still, t->first,
			    t->strict, &question, why)) {
				typing.question = buf_str(&question);
				typing.quick = still_quick(&t->still, t->matter,
				    2, &quick) ? buf_str(&quick) : NULL;
				again = tmux_type(t->place, &typing, &typed,
				    why) == TMUX_OK && typed == TMUX_CHANGED;
				t->late |= typed == TMUX_TYPED_LATE;
			}
		}
		if (typed != TMUX_CHANGED || sight == TYPIST_OTHER || !again ||
		    clock_now() >= until)
			break;
	}
	buf_release(&question);
	buf_release(&quick);
	if (typed != TMUX_CHANGED || sight != TYPIST_WANTED)
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
			return i > 0 && sight != TYPIST_BLIND;
		if (t->late) {
			buf_adds(why, TYPIST_LATE_WHY);
			return false;
		}
		if (typist_gone(t, s, SENDING))
			return true;
	}
	buf_reset(why);
	buf_adds(why, "the text stands in the prompt, but Enter does not send "
	    "it");
	return false;
}

const struct typist_hold typist_holds[STATE_COUNT] = {
	[STATE_WORKING] = { "it is busy", "; --when-idle waits until it is at "
	    "its prompt", true },
	[STATE_ASKING]  = { "answer it first", ", with 'paneward answer'",
	    true },
	[STATE_LIMITED] = { "a usage limit holds it", "", true },
	[STATE_QUEUED]  = { "it has not started yet", "", true },
	[STATE_DEAD]    = { "its process has ended", "", false },
	[STATE_GONE]    = { "its pane is gone", "", false },
};

struct tell {
	struct typist_order *order;
	struct typist typist;
	bool typed;                     /* wants the text; else an empty
					   prompt */
};

static enum typist_sight
tell_judge(void *who, struct buf *why)
{
	struct tell *t = who;
	const char *rows = t->typist.still.rows;
	const struct signs *signs = &t->typist.backend->signs;
	struct prompt p = prompt_read(signs, rows, t->typist.still.colored);
	struct dialog d;
	struct sign_match m;

	/* Some clients show their work above the prompt. */
	t->typist.first = p.first > ABOVE ? p.first - ABOVE : 0;
	/* An earlier text may stand above. */
	t->typist.strict = t->typed ? SIZE_MAX : p.first;
	if (p.ready && (t->typed ? prompt_holds(&p, signs, rows,
	    t->order->text) : p.empty))
		return TYPIST_WANTED;
	if (!p.ready) {
		m = signs_find(signs, SIGN_SCREEN, rows, strlen(rows), 0);
		t->order->worked |= m.sign != NULL && m.sign->kind == SIGN_BUSY;
		buf_adds(why, dialog_read(&d, signs, rows, rows) ?
		    d.what : "it does not show its prompt");
		dialog_release(&d);
	} else {
		buf_adds(why, t->typed ? "the text does not show in its "
		    "prompt" : signs->empty == NULL ? "the look of its empty "
		    "prompt is not known" : "something is typed in its "
		    "prompt");
	}
	return TYPIST_LATER;
}

enum typist_end
typist_tell(struct backends *all, const struct row *row,
    struct typist_order *order, struct buf *why)
{
	struct tell t = { .order = order };
	struct typist_step step = { .judge = tell_judge, .who = &t,
	    .text = order->text, .most = CALM };
	enum typist_end end = TYPIST_REFUSED;

	if (prompt_text_valid(order->text, order->command, why) &&
	    typist_find(&t.typist, all, row, why) == 0 &&
	    typist_type(&t.typist, &step, why) == TYPIST_WANTED) {
		t.typed = true;
		order->worked = false;
		step.most = DRAWN;
		end = typist_send(&t.typist, &step, why) ? TYPIST_DONE :
		    TYPIST_HALF;
	}
	still_release(&t.typist.still);
	return end;
}

void
typist_who(struct buf *out)
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

bool
typist_rests(struct backends *all, const struct row *row)
{
	struct buf why = BUF_INIT;
	struct typist t;
	bool ready = typist_find(&t, all, row, &why) == 0 &&
	    typist_look(&t, &why) == 0 && prompt_read(&t.backend->signs,
	    t.still.rows, t.still.colored).ready;

	still_release(&t.still);
	buf_release(&why);
	return ready;
}

bool
typist_end(const struct typist *e, void (*say)(void *, const char *),
    void *context, struct buf *why)
{
	int64_t most = e->backend->interrupts + INTERRUPTS, presses = 0;
	msec from = clock_now(), now, next = from;
	int fd = proc_open(e->agent, e->start), sent = 0, signo;
	struct buf refused = BUF_INIT, said = BUF_INIT;
	bool front;

	for (; proc_alive(e->agent, e->start) && why->len == 0;
	    loop_await(fd, POLLIN, clock_now() + POLL)) {
		now = clock_now();
		front = proc_in_front(e->agent, e->start, e->place->pane_pid);
		if (front && presses < most && now >= next && sent == 0) {
			if (tmux_input(e->place, &refused) != TMUX_OK ||
			    tmux_key(e->place, "C-c", NULL, &refused) !=
			    TMUX_OK)
				buf_printf(&said, "no Ctrl+C: %s",
				    buf_str(&refused));
			buf_reset(&refused);
			next = now + (++presses < e->backend->interrupts ?
			    e->backend->interrupt_gap : INTERRUPTING);
		}
		signo = now < from + TERMINATING ? 0 : sent == 0 ? SIGTERM :
		    now >= from + KILLING && sent == SIGTERM ? SIGKILL : 0;
		/* An ended agent is not in front either. */
		if (signo != 0 && !front && proc_alive(e->agent, e->start)) {
			buf_adds(why, "the agent is no longer in front of its "
			    "pane; leaving it alone");
		} else if (signo != 0) {
			buf_printf(&said, "signal %d (%s)", signo,
			    strsignal(signo));
			child_signal(e->agent, signo);
			sent = signo;
		} else if (now >= from + STOPPING) {
			buf_printf(why, "process %ld cannot be stopped",
			    (long)e->agent);
		}
		if (said.len > 0 && say != NULL)
			say(context, buf_str(&said));
		buf_reset(&said);
	}
	file_close(fd);
	buf_release(&refused);
	buf_release(&said);
	return why->len == 0;
}

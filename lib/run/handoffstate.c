
#include "run/sigfile.h"

enum {
	MINUTE = 60 * 1000,
	WITHHELD = 10 * 1000,           /* until it is tried again */
	SOON = 10,                      /* delays of a minute; then of ten */
	LONGEST = 60 * MINUTE           /* else the clock was set back */
};

/* Minutes after each failure. */
static const int pauses[] = { 1, 5, 15, 60 };

bool
handoff_open(const struct handoff *h)
{
	return h->state == HANDOFF_PENDING || h->state == HANDOFF_RUNNING;
}

void
handoff_want(struct handoff *h, const char *run)
{
	if (h->state == HANDOFF_RUNNING) {
		h->before = HANDOFF_PENDING;
		return;
	}
	free(h->signal);
	free(h->message);
	*h = (struct handoff){ .state = HANDOFF_PENDING, .last_exit = -1,
	    .attempts = h->attempts };
	snprintf(h->id, sizeof(h->id), "%s", run);
}

msec
handoff_wait(const struct handoff *h, msec wall)
{
	msec left = h->next - wall;

	return h->state == HANDOFF_PENDING && left > 0 && left <= LONGEST ?
	    left : 0;
}

void
handoff_begin(struct handoff *h, msec wall)
{
	h->group = (struct proc_id){ 0 };
	if (h->state != HANDOFF_RUNNING)
		h->before = h->state;
	h->state = HANDOFF_RUNNING;
	h->attempts++;
	h->next = 0;
	h->begun = wall;
	free(h->signal);
	h->signal = NULL;
}

void
handoff_end(struct handoff *h, int status, int64_t most, msec wall)
{
	size_t i, last = sizeof(pauses) / sizeof(pauses[0]) - 1;

	h->group = (struct proc_id){ 0 };
	h->last_exit = status;
	if (h->before != HANDOFF_PENDING) {
		h->state = status == 0 ? HANDOFF_DONE : h->before;
		return;
	}
	h->delays = status == HANDOFF_LATER ? h->delays + 1 : 0;
	h->next = 0;
	h->state = status == 0 ? HANDOFF_DONE : HANDOFF_REFUSED;
	if (status == HANDOFF_LATER) {
		h->state = HANDOFF_PENDING;
		h->next = wall + (h->delays <= SOON ? MINUTE : 10 * MINUTE);
	} else if (status != 0 && status != HANDOFF_NEVER) {
		h->state = HANDOFF_FAILED;
		i = h->failures++;
		if (h->failures >= most)
			return;
		h->state = HANDOFF_PENDING;
		h->next = wall + (msec)pauses[i < last ? i : last] * MINUTE;
	}
}

void
handoff_withhold(struct handoff *h, int status, msec wall)
{
	h->last_exit = status;
	if (!handoff_open(h))
		return;
	h->state = status == HANDOFF_NEVER ? HANDOFF_REFUSED : HANDOFF_PENDING;
	h->next = status == HANDOFF_NEVER ? 0 : wall + WITHHELD;
}

void
handoff_interrupt(struct handoff *h)
{
	h->group = (struct proc_id){ 0 };
	h->state = h->before;
}

int
handoff_take_signal(struct status *r, const struct statusdir *dir)
{
	char id[SIGFILE_ID];
	struct sigfile s;
	int ret = sigfile_read_run(&s, dir, SIGFILE_COMPLETE, r, NULL);

	free(r->handoff.signal);
	r->handoff.signal = NULL;
	if (ret == 0 && s.found == SIGFILE_SIGNAL) {
		sigfile_id(id, &s);
		/* Its time changes once an empty one is filled. */
		if (s.empty)
			strrchr(id, ':')[1] = '\0';
		r->handoff.signal = xstrdup(id);
	}
	return ret;
}

int
handoff_find_signal(const struct status *r, const struct statusdir *dir,
    struct sigfile *s)
{
	const struct handoff *h = &r->handoff;
	char id[SIGFILE_ID];

	if (h->state != HANDOFF_DONE || h->signal == NULL)
		return 0;
	if (sigfile_read_run(s, dir, SIGFILE_COMPLETE, r, NULL) == -1)
		return -1;
	sigfile_id(id, s);
	return s->found == SIGFILE_SIGNAL && strncmp(id, h->signal,
	    strlen(h->signal)) == 0;
}

int
handoff_remove_signal(const struct status *r, const struct statusdir *dir)
{
	struct sigfile s;
	int there = handoff_find_signal(r, dir, &s);

	return there != 1 ? there :
	    sigfile_remove(&s, dir->fd, SIGFILE_COMPLETE, r->issue);
}

static void
describe_attempt(struct buf *out, const struct handoff *h, const char *what)
{
	int status = h->last_exit;

	buf_adds(out, what != NULL ? what : status == HANDOFF_LATER ?
	    "hand-off not yet" : "hand-off failed");
	if (status == HANDOFF_LATE)
		buf_adds(out, " (it took too long)");
	else if (status == HANDOFF_LOST)
		buf_adds(out, " (its runner was killed)");
	else if (status > 128)
		buf_printf(out, " (signal %d)", status - 128);
	else
		buf_printf(out, " (exit %d)", status);
	buf_printf(out, ", attempt %u", h->attempts);
}

void
handoff_describe_end(struct buf *out, const struct handoff *h)
{
	if (h->last_exit <= 0 || h->last_exit == HANDOFF_NEVER)
		buf_adds(out, h->last_exit == -1 ? "no hand-off" :
		    h->last_exit == 0 ? "handed off" : "hand-off refused");
	else
		describe_attempt(out, h, NULL);
	if (h->last_exit > 0 && h->message != NULL)
		buf_printf(out, ": %s", h->message);
}

void
handoff_describe(struct buf *out, const struct handoff *h, msec wall)
{
	bool waits = h->state == HANDOFF_PENDING && h->last_exit != -1;

	if (h->state == HANDOFF_NONE)
		handoff_describe_end(out, h);
	else if (waits || h->state == HANDOFF_FAILED)
		describe_attempt(out, h, waits ? NULL :
		    "hand-off failed for good");
	else if (h->state == HANDOFF_DONE)
		buf_adds(out, "handed off");
	else
		buf_printf(out, "hand-off %s", handoff_states[h->state]);
	if (h->state == HANDOFF_RUNNING)
		buf_printf(out, ", attempt %u", h->attempts);
	if (waits) {
		buf_adds(out, ", again at ");
		clock_local(out, h->next, wall);
	}
	if (h->message != NULL && (waits || h->state == HANDOFF_FAILED ||
	    h->state == HANDOFF_REFUSED))
		buf_printf(out, ": %s", h->message);
}

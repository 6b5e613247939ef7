#include "chain/sources.h"

bool
gather_signal(struct sources *s, struct evidence *ev)
{
	struct sigfile *error = &ev->signal[SIGFILE_ERROR];
	msec age;
	int kind;

	s->signal_error = 0;
	for (kind = 0; kind < SIGFILE_KINDS && s->dir->fd != -1; kind++) {
		buf_reset(&ev->signal_text[kind]);
		if (sigfile_read_run(&ev->signal[kind], s->dir,
		    (enum sigfile_kind)kind, s->record,
		    &ev->signal_text[kind]) == -1) {
			s->signal_error = errno;
			return false;
		}
	}
	/* An empty error file may be filled in a moment. */
	age = clock_wall() - error->written;
	if (error->found == SIGFILE_SIGNAL && error->empty && !s->hasty &&
	    age > -EVIDENCE_FILLING && age < EVIDENCE_FILLING) {
		error->found = SIGFILE_NONE;
		evidence_again(ev, s->now + EVIDENCE_FILLING - age);
	}
	return s->dir->fd != -1;
}

bool
detect_conflict(const struct evidence *ev, struct verdict *v)
{
	const struct buf *text = &ev->signal_text[SIGFILE_ERROR];
	const char *name = SIGFILE_OF(SIGFILE_ERROR, ev->issue);
	char *also;

	if (v->state != STATE_COMPLETE || strstr(v->why, name) != NULL ||
	    ev->signal[SIGFILE_ERROR].found != SIGFILE_SIGNAL)
		return false;
	also = xasprintf(", and counts before %s: %.*s", name, (int)text->len,
	    text->data);
	verdict_add_why(v, also);
	free(also);
	return true;
}

static void
signal_message(struct verdict *v, const struct buf *text)
{
	struct buf cut = BUF_INIT;

	utf8_add_valid(&cut, text->data, text->len, MARKER_MESSAGE_MAX);
	verdict_message(v, cut.data, cut.len);
	buf_release(&cut);
}

bool
detect_signal(const struct evidence *ev, struct verdict *v)
{
	const struct sigfile *s = ev->signal;
	const struct buf *text = ev->signal_text;

	if (s[SIGFILE_COMPLETE].found == SIGFILE_SIGNAL) {
		v->state = STATE_COMPLETE;
		verdict_why(v, "signal-complete-%s is there", ev->issue);
		signal_message(v, &text[SIGFILE_COMPLETE]);
		detect_conflict(ev, v);
		return true;
	}
	if (s[SIGFILE_ERROR].found == SIGFILE_SIGNAL && ev->errors) {
		signal_message(v, &text[SIGFILE_ERROR]);
		return detector_decides(v, STATE_ERROR,
		    "signal-error-%s is there", ev->issue);
	}
	return false;
}

void
describe_signal(struct sources *s, const struct evidence *ev, struct buf *out)
{
	static const char *const found[] = {
		[SIGFILE_NONE]    = "not there",
		[SIGFILE_SIGNAL]  = "there",
		[SIGFILE_STALE]   = "there, of another run",
		[SIGFILE_REFUSED] = "no signal",
	};
	const struct sigfile *f;
	enum sigfile_kind kind;

	for (kind = 0; kind < SIGFILE_KINDS; kind++) {
		f = &ev->signal[kind];
		buf_printf(out, "%s%s: %s", kind ? "; " : "",
		    SIGFILE_OF(kind, s->record->issue), s->signal_error != 0 ?
		    strerror(s->signal_error) : found[f->found]);
		if (f->found == SIGFILE_REFUSED)
			buf_printf(out, " (%s)", f->refusal);
	}
}

/* A completion's signal goes with its hand-off, an error's once it is recorded.
 * Without a hand-off, an error beside a completion stays for the program that
 * acts on completions. */
int
signals_remove(const struct status *r, const struct evidence *ev,
    const struct statusdir *dir, bool errors)
{
	const struct sigfile *s = ev->signal;
	enum state state = r->verdict.state;
	bool handed = r->handoff.state != HANDOFF_NONE;
	int ret = 0;

	if (handed)
		ret = handoff_remove_signal(r, dir);
	else if (state == STATE_COMPLETE &&
	    s[SIGFILE_COMPLETE].found == SIGFILE_SIGNAL)
		ret = sigfile_remove(&s[SIGFILE_COMPLETE], dir->fd,
		    SIGFILE_COMPLETE, r->issue);
	if ((handed || (errors && state == STATE_ERROR)) &&
	    s[SIGFILE_ERROR].found == SIGFILE_SIGNAL)
		ret |= sigfile_remove(&s[SIGFILE_ERROR], dir->fd,
		    SIGFILE_ERROR, r->issue);
	return ret;
}

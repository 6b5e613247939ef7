#include "chain/screen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "chain/osc.h"
#include "chain/reset.h"
#include "os/shell.h"

void
screen_init(struct screen *s, const struct signs *signs)
{
	*s = (struct screen){ .signs = signs };
}

void
screen_release(struct screen *s)
{
	buf_release(&s->announced);
	buf_release(&s->title);
	*s = (struct screen){ 0 };
}

/* ---- the agent's own word ------------------------------------------------ */

/* What two words for the same are is the same word. */
static bool
same_word(const struct sign_match *a, const struct sign_match *b)
{
	return a->sign == b->sign || (a->sign != NULL && b->sign != NULL &&
	    a->sign->kind == b->sign->kind);
}

static void
take_word(struct screen *s)
{
	struct sign_match before = s->own;

	s->own_place = SIGN_ANNOUNCED;
	s->own = signs_find(s->signs, SIGN_ANNOUNCED, buf_str(&s->announced),
	    s->announced.len, 0);
	if (s->own.sign == NULL) {
		s->own_place = SIGN_TITLE;
		s->own = signs_find(s->signs, SIGN_TITLE, buf_str(&s->title),
		    s->title.len, 0);
	}
	s->outdated |= !same_word(&before, &s->own);
}

static void
replace(struct buf *old, const struct buf *new)
{
	buf_reset(old);
	buf_add(old, new->data, new->len);
}

void
screen_print(struct screen *s, const char *bytes, size_t len)
{
	struct buf text = BUF_INIT;
	bool any = false;

	if (s->signs == NULL || len == 0)
		return;
	if (s->signs->osc != 0 && osc_state(bytes, len, s->signs->osc,
	    s->signs->app, &text)) {
		replace(&s->announced, &text);
		any = true;
	}
	buf_reset(&text);
	if (osc_title(bytes, len, &text)) {
		replace(&s->title, &text);
		any = true;
	}
	buf_release(&text);
	if (any)
		take_word(s);
}

static ssize_t
read_at(int fd, char *bytes, size_t len, uint64_t at)
{
	ssize_t n;

	do
		n = pread(fd, bytes, len, (off_t)at);
	while (n == -1 && errno == EINTR);
	return n;
}

/* Where in the run's output a piece begins that ends with what was read. */
static uint64_t
piece(const struct screen *s, const struct panelog *p, uint64_t begin)
{
	uint64_t from = s->read > OSC_OVERLAP ? s->read - OSC_OVERLAP : 0;
	uint64_t to = p->file.ahead;

	if (from < begin)
		from = begin;
	if (from < p->file.base)
		from = p->file.base;
	return to > SCREEN_TAIL && from < to - SCREEN_TAIL ?
	    to - SCREEN_TAIL : from;
}

void
screen_log(struct screen *s, const struct panelog *p, uint64_t begin)
{
	uint64_t to = p->file.ahead, from;
	char *bytes;
	ssize_t n;

	if (s->signs == NULL || p->file.fd == -1 || s->read == to)
		return;
	from = piece(s, p, begin);
	s->read = to;
	if (from >= to)
		return;
	bytes = xmalloc((size_t)(to - from));
	n = read_at(p->file.fd, bytes, (size_t)(to - from),
	    from - p->file.base);
	if (n > 0)
		screen_print(s, bytes, (size_t)n);
	free(bytes);
}

void
screen_title(struct screen *s, const char *title)
{
	if (s->signs == NULL || strcmp(buf_str(&s->title), title) == 0)
		return;
	buf_reset(&s->title);
	buf_adds(&s->title, title);
	take_word(s);
}

/* ---- what is in front ---------------------------------------------------- */

void
screen_front(struct screen *s, const char *command)
{
	s->away = shell_known(command);
}

/* ---- the text ------------------------------------------------------------ */

static size_t
trimmed(const char *text, size_t len)
{
	while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\n'))
		len--;
	return len;
}

/* Where the last lines begin.  Empty ones are not counted: some clients keep
 * their prompt at the bottom of a large window. */
static const char *
last_lines(const char *text, size_t len)
{
	const char *p = text + len, *end = p;
	int lines = 0;

	for (;;) {
		while (p > text && p[-1] != '\n')
			p--;
		lines += trimmed(p, (size_t)(end - p)) > 0;
		if (p == text || lines == SCREEN_LINES)
			break;
		end = --p;
	}
	if (text + len - p > SCREEN_BYTES) {
		p = memchr(text + len - SCREEN_BYTES, '\n', SCREEN_BYTES);
		p = p != NULL ? p + 1 : text + len;
	}
	return p;
}

/* The visible text: the last lines, without the blanks that fill them up and
 * the empty ones below. */
static void
take_lines(struct buf *out, const char *text, size_t len)
{
	const char *end = text + trimmed(text, len), *p, *stop;

	for (p = last_lines(text, (size_t)(end - text)); p < end;
	    p = stop + 1) {
		stop = memchr(p, '\n', (size_t)(end - p));
		if (stop == NULL)
			stop = end;
		if (out->len > 0)
			buf_add(out, "\n", 1);
		buf_add(out, p, trimmed(p, (size_t)(stop - p)));
	}
}

/* "3pm" is tomorrow once it is past; what shows it is still the same. */
static bool
same_limit(const struct sign_match *old, const struct sign_match *new,
    msec wall)
{
	return old->sign == new->sign && old->reset != 0 &&
	    strcmp(old->until, new->until) == 0 &&
	    reset_time(new->until, wall + 1000) != new->reset + 1000;
}

void
screen_capture(struct screen *s, const char *text, size_t len, msec wall)
{
	struct sign_match before = s->seen;
	struct buf lines = BUF_INIT;

	if (s->signs == NULL)
		return;
	take_lines(&lines, text, len);
	s->seen = signs_find(s->signs, SIGN_SCREEN, buf_str(&lines), lines.len,
	    wall);
	buf_release(&lines);
	if (s->seen.sign != NULL && same_limit(&before, &s->seen, wall))
		s->seen.reset = before.reset;
	s->captured = true;
	s->when = wall;
	s->outdated = s->moved = false;
}

/* ---- what is said of it -------------------------------------------------- */

static bool
is_kind(const struct sign_match *m, enum sign_kind kind)
{
	return m->sign != NULL && m->sign->kind == kind;
}

/* Does the text say more than that it is ready? */
static bool
says_why(const struct sign_match *seen)
{
	return is_kind(seen, SIGN_ASKING) || is_kind(seen, SIGN_LIMITED);
}

/* See the top of screen.h; NULL: nothing can be told. */
static const struct sign_match *
telling(const struct screen *s)
{
	bool of_now = s->captured && !s->outdated;

	if (s->away)
		return NULL;
	if (s->own.sign == NULL)
		return s->seen.sign ? &s->seen : NULL;
	if (is_kind(&s->own, SIGN_BUSY))
		return s->own_place == SIGN_TITLE && of_now &&
		    is_kind(&s->seen, SIGN_ASKING) ? &s->seen : &s->own;
	if (s->captured && s->outdated)
		return NULL;
	return says_why(&s->seen) || (s->seen.sign != NULL &&
	    is_kind(&s->own, SIGN_READY)) ? &s->seen : &s->own;
}

bool
screen_doubts(const struct screen *s)
{
	const struct sign_match *m = telling(s);

	if (s->signs == NULL || !s->captured || s->away)
		return false;
	if (m == NULL)
		return s->own.sign != NULL;
	return s->moved && !is_kind(m, SIGN_BUSY);
}

static const enum state states[] = {
	[SIGN_ASKING]  = STATE_ASKING,
	[SIGN_LIMITED] = STATE_LIMITED,
	[SIGN_BUSY]    = STATE_WORKING,
	[SIGN_READY]   = STATE_WAITING,
};

static void
tell_what(struct screen_evidence *e, const struct sign_match *m)
{
	const char *until = m->reset == 0 ? m->until : "";

	snprintf(e->what, sizeof(e->what), "%s%s%s%s%s", m->sign->what,
	    m->asked[0] ? ": " : "", m->asked, until[0] ? " until " : "",
	    until);
}

bool
screen_tell(const struct screen *s, struct screen_evidence *e, msec wall)
{
	const struct sign_match *m = telling(s);

	*e = (struct screen_evidence){ .state = STATE_NONE };
	if (m == NULL)
		return false;
	e->state = states[m->sign->kind];
	e->text = m == &s->seen ? s->when : 0;
	tell_what(e, m);
	if (m->reset == 0 || wall < m->reset + RESET_GRACE) {
		e->reset = m->reset;
		return true;
	}
	e->state = STATE_ASKING;
	snprintf(e->what, sizeof(e->what), "its limit has ended, and it does "
	    "not go on");
	return true;
}

bool
screen_recall(struct screen_evidence *e, const struct verdict *v)
{
	if (strcmp(v->source, "screen") != 0)
		return false;
	*e = (struct screen_evidence){ .state = v->state,
	    .text = CLOCK_NEVER };
	snprintf(e->what, sizeof(e->what), "%s", v->why);
	return true;
}

static void
describe_place(struct buf *out, const char *name, const struct buf *shown,
    const struct sign_match *m)
{
	buf_printf(out, "%s%s", out->len > 0 ? "; " : "", name);
	if (shown != NULL)
		buf_printf(out, " '%.*s'", (int)trimmed(shown->data,
		    shown->len), shown->data);
	buf_printf(out, ": %s", m->sign ? sign_kind_name(m->sign->kind) :
	    "no sign");
	if (m->sign != NULL && m->sign->number > 1)
		buf_printf(out, " (pattern %u)", m->sign->number);
}

void
screen_describe(const struct screen *s, struct buf *out)
{
	static const struct sign_match none = { .sign = NULL };
	struct buf said = BUF_INIT;

	if (s->announced.len > 0)
		describe_place(&said, "announces", &s->announced,
		    s->own_place == SIGN_ANNOUNCED ? &s->own : &none);
	if (s->title.len > 0)
		describe_place(&said, "title", &s->title,
		    s->own_place == SIGN_TITLE ? &s->own : &none);
	if (s->captured)
		describe_place(&said, "text", NULL, &s->seen);
	if (said.len == 0)
		buf_adds(&said, "nothing to be seen");
	if (s->away)
		buf_adds(&said, "; a shell is in front of it");
	buf_add(out, said.data, said.len);
	buf_release(&said);
}

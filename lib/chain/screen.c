#include "chain/sources.h"

#define ESC '\033'
#define BEL '\a'

void
screen_release(struct screen *s)
{
	buf_release(&s->announced);
	buf_release(&s->title);
	*s = (struct screen){ 0 };
}

/* Only whole sequences count: ESC ], a number (0 and 2: title; another: state),
 * a semicolon, text without controls, BEL or ESC \. */
struct osc {
	unsigned    number;
	const char *text;
	size_t      len;
};

static bool
osc_read(struct osc *o, const char *p, const char *end)
{
	enum { DIGITS = 5 };
	const char *first;

	if (end - p < 2 || p[0] != ESC || p[1] != ']')
		return false;
	first = p += 2;
	for (o->number = 0; p < end && *p >= '0' && *p <= '9'; p++)
		o->number = o->number * 10 + (unsigned)(*p - '0');
	if (p == first || p - first > DIGITS || p == end || *p != ';')
		return false;
	for (o->text = ++p; p < end && (unsigned char)*p >= ' '; p++)
		continue;
	o->len = (size_t)(p - o->text);
	return (p < end && *p == BEL) ||
	    (end - p >= 2 && p[0] == ESC && p[1] == '\\');
}

static enum sign_kind
kind_of(const struct sign_match *m)
{
	return m->sign != NULL ? m->sign->kind : SIGN_KINDS;
}

/* Another sign of the same kind is no news. */
static void
take_stated(struct screen *s)
{
	enum sign_kind before = kind_of(&s->stated);

	s->stated = signs_find(s->signs, SIGN_ANNOUNCED, s->announced.data,
	    s->announced.len, 0);
	if (s->stated.sign == NULL)
		s->stated = signs_find(s->signs, SIGN_TITLE, s->title.data,
		    s->title.len, 0);
	s->outdated |= before != kind_of(&s->stated);
}

/* The last title and state count. */
void
screen_print(struct screen *s, const char *bytes, size_t len)
{
	const char *end = bytes + len, *p = end;
	bool title = false, state = false, osc = s->signs != NULL &&
	    s->signs->osc != 0;
	struct buf text = BUF_INIT, app = BUF_INIT;
	const char *value;
	struct osc o;

	if (s->signs == NULL)
		return;
	while (p > bytes && (!title || (!state && osc))) {
		if (*--p != ESC || !osc_read(&o, p, end))
			continue;
		if (!title && (o.number == 0 || o.number == 2)) {
			buf_set(&s->title, o.text, o.len);
			title = true;
		}
		if (state || !osc || o.number != s->signs->osc)
			continue;
		/* "state=working:app=codex", of the app (NULL: any) */
		buf_reset(&text);
		buf_reset(&app);
		buf_printf(&text, ":%.*s:", (int)o.len, o.text);
		if (s->signs->app != NULL)
			buf_printf(&app, ":app=%s:", s->signs->app);
		value = strstr(buf_str(&text), ":state=");
		state = value != NULL &&
		    strstr(text.data, buf_str(&app)) != NULL;
		if (state)
			buf_set(&s->announced, value + 7,
			    strcspn(value + 7, ":"));
	}
	buf_release(&text);
	buf_release(&app);
	if (title || state)
		take_stated(s);
}

void
screen_log(struct screen *s, const struct panelog *p, uint64_t begin)
{
	uint64_t to = p->file.ahead, from;
	char *bytes;
	ssize_t n;

	if (s->signs == NULL || p->file.fd == -1 || s->read == to)
		return;
	from = s->read > SCREEN_OVERLAP ? s->read - SCREEN_OVERLAP : 0;
	if (from < begin)
		from = begin;
	if (from < p->file.base)
		from = p->file.base;
	if (to > SCREEN_TAIL && from < to - SCREEN_TAIL)
		from = to - SCREEN_TAIL;
	if (from >= to)
		return;
	bytes = xmalloc((size_t)(to - from));
	n = pread(p->file.fd, bytes, (size_t)(to - from),
	    (off_t)(from - p->file.base));
	if (n != -1) {
		screen_print(s, bytes, (size_t)n);
		s->read = to;
	}
	free(bytes);
}

void
screen_title(struct screen *s, const char *title)
{
	if (s->signs == NULL || strcmp(buf_str(&s->title), title) == 0)
		return;
	buf_set(&s->title, title, strlen(title));
	take_stated(s);
}

static size_t
trimmed(const char *text, size_t len)
{
	while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\n'))
		len--;
	return len;
}

/* Empty lines do not count: some clients keep their prompt at the bottom of a
 * large window. */
void
screen_lines(struct buf *lines, const char *text, size_t len)
{
	const char *end = text + trimmed(text, len), *p = end, *stop = end;
	int n = 0;

	while (p > text) {
		while (p > text && p[-1] != '\n')
			p--;
		n += trimmed(p, (size_t)(stop - p)) > 0;
		if (p == text || n >= SCREEN_LINES)
			break;
		stop = --p;
	}
	if (end - p > SCREEN_BYTES) {
		p = memchr(end - SCREEN_BYTES, '\n', SCREEN_BYTES);
		p = p != NULL ? p + 1 : end;
	}
	signs_lines(lines, p, (size_t)(end - p));
}

void
screen_capture(struct screen *s, const char *text, size_t len, msec wall)
{
	struct sign_match before = s->shown;
	struct buf lines = BUF_INIT;

	if (s->signs == NULL)
		return;
	screen_lines(&lines, text, len);
	s->shown = signs_find(s->signs, SIGN_SCREEN, buf_str(&lines), lines.len,
	    wall);
	buf_release(&lines);
	/* After 3 pm, "3pm" would mean tomorrow, but is the same limit. */
	if (s->shown.sign != NULL && s->shown.sign == before.sign &&
	    before.reset != 0 && strcmp(s->shown.until, before.until) == 0 &&
	    reset_time(before.until, wall + 1000) != s->shown.reset + 1000)
		s->shown.reset = before.reset;
	s->captured = true;
	s->captured_at = wall;
	s->outdated = false;
}

static const struct sign_match *
deciding(const struct screen *s)
{
	enum sign_kind stated = kind_of(&s->stated), shown = kind_of(&s->shown);
	bool asks = shown == SIGN_ASKING || shown == SIGN_LIMITED;

	if (s->shell_in_front)
		return NULL;
	if (stated == SIGN_KINDS)
		return shown != SIGN_KINDS ? &s->shown : NULL;
	if (stated == SIGN_BUSY)
		return s->stated.sign->place == SIGN_TITLE && s->captured &&
		    !s->outdated && asks ? &s->shown : &s->stated;
	if (s->captured && s->outdated)
		return NULL;
	return asks || (shown != SIGN_KINDS && stated == SIGN_READY) ?
	    &s->shown : &s->stated;
}

bool
screen_doubts(const struct screen *s)
{
	const struct sign_match *m = deciding(s);

	return s->captured && !s->shell_in_front && (m != NULL ?
	    kind_of(m) != SIGN_BUSY : s->stated.sign != NULL);
}

static const enum state states[] = {
	[SIGN_ASKING]  = STATE_ASKING,
	[SIGN_LIMITED] = STATE_LIMITED,
	[SIGN_BUSY]    = STATE_WORKING,
	[SIGN_READY]   = STATE_WAITING,
};

bool
screen_tell(const struct screen *s, struct screen_evidence *e, bool parked,
    msec wall)
{
	const struct sign_match *m = deciding(s);
	const char *until;

	*e = (struct screen_evidence){ .state = STATE_NONE,
	    .dialog = s->dialog };
	if (m == NULL)
		return false;
	e->text = m == &s->shown ? s->captured_at : 0;
	if (m->reset != 0 && !parked && wall >= m->reset + RESET_GRACE) {
		e->state = STATE_ASKING;
		snprintf(e->what, sizeof(e->what), "its limit ended, but it "
		    "does not continue");
		return true;
	}
	e->state = states[m->sign->kind];
	e->reset = m->reset;
	until = m->reset == 0 ? m->until : "";
	if (e->state == STATE_ASKING && e->text != 0) {
		e->asked = m->asked;
		e->kind = m->sign->asks;
		e->question = m->question;
		e->command = m->command;
	}
	snprintf(e->what, sizeof(e->what), "%s%s%s%s%s", m->sign->what,
	    m->asked[0] && !e->asked ? ": " : "", e->asked ? "" : m->asked,
	    until[0] ? " until " : "", until);
	return true;
}

bool
screen_recall(struct screen_evidence *e, const struct verdict *v)
{
	if (strcmp(v->source, "screen") != 0)
		return false;
	*e = (struct screen_evidence){ .state = v->state,
	    .text = CLOCK_NEVER, .question = v->question,
	    .asked = v->state == STATE_ASKING ? v->message : NULL };
	snprintf(e->what, sizeof(e->what), "%s", v->why);
	return true;
}

static void
add_place(struct buf *out, const char *name, const struct buf *shown,
    const struct sign *sign)
{
	buf_printf(out, "%s%s", out->len > 0 ? "; " : "", name);
	if (shown != NULL)
		buf_printf(out, " '%.*s'", (int)trimmed(shown->data,
		    shown->len), shown->data);
	buf_printf(out, ": %s", sign ? sign_kinds[sign->kind].key : "no sign");
	if (sign != NULL && sign->number > 1)
		buf_printf(out, " (pattern %u)", sign->number);
}

void
screen_describe(const struct screen *s, struct buf *out)
{
	const struct sign *stated = s->stated.sign;
	bool title = stated != NULL && stated->place == SIGN_TITLE;
	struct buf text = BUF_INIT;

	if (s->announced.len > 0)
		add_place(&text, "announces", &s->announced,
		    title ? NULL : stated);
	if (s->title.len > 0)
		add_place(&text, "title", &s->title, title ? stated : NULL);
	if (s->captured)
		add_place(&text, "text", NULL, s->shown.sign);
	buf_printf(out, "%s%s", text.len > 0 ? buf_str(&text) :
	    "nothing to be seen", s->shell_in_front ?
	    "; a shell is in front of it" : "");
	buf_release(&text);
}

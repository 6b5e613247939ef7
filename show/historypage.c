#include "show/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/html.h"

enum { SHORTEST = 60 * 1000 };          /* ms on a scale, at least */

/* The events that are shown, by their time. */
struct sorted {
	const struct journal_event **events;
	size_t n;
};

/* A local day, and its part of the sorted events. */
struct day {
	msec   from, to;
	size_t first, end;
	struct html_scale scale;
};

/* Events of one moment keep their order, which is that of the array. */
static int
event_compare(const void *a, const void *b)
{
	const struct journal_event *x = *(const struct journal_event *const *)a;
	const struct journal_event *y = *(const struct journal_event *const *)b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void
add_text(struct buf *out, const char *before, const char *text)
{
	buf_adds(out, before);
	html_add(out, text);
}

static void
add_why(struct buf *out, const struct journal_event *e)
{
	struct buf words = BUF_INIT;

	eventwords_add(&words, e);
	html_add(out, buf_str(&words));
	buf_release(&words);
}

/* ---- the head ------------------------------------------------------------ */

static void
add_head(struct buf *out, const struct historypage *p, size_t shown)
{
	const struct timeline_run *r = p->timeline->runs;
	bool seen[STATE_COUNT] = { false };
	size_t i, k, runs = 0;
	int state;

	for (i = 0; i < p->timeline->n; i++, r++) {
		runs += r->spans[r->n - 1].to >= p->since;
		for (k = 0; k < r->n; k++)
			seen[r->spans[k].state] |= r->spans[k].to >= p->since;
	}
	add_text(out, "<p>", p->from);
	if (p->since != 0) {
		buf_adds(out, ", since ");
		html_time(out, "%Y-%m-%d %H:%M", p->since);
	}
	buf_printf(out, ": %zu event%s, %zu run%s. Made ", shown,
	    shown == 1 ? "" : "s", runs, runs == 1 ? "" : "s");
	html_time(out, "%Y-%m-%d %H:%M %Z", p->now);
	buf_adds(out, "; times are local.</p>\n");
	if (p->left_out > 0)
		buf_printf(out, "<p>%" PRIu64 " earlier events are left out; "
		    "name an issue or a time to see more of it.</p>\n",
		    p->left_out);
	buf_adds(out, "<div class=\"legend\">");
	for (state = 0; state < STATE_COUNT; state++)
		if (seen[state])
			buf_printf(out, "<span class=\"chip %s\">%s</span> ",
			    state_names[state], state_names[state]);
	buf_adds(out, "</div>\n");
}

/* ---- the chart of a day -------------------------------------------------- */

/* With its date, if that is another day. */
static void
add_time(struct buf *out, const struct day *d, msec wall)
{
	if (wall < d->from || wall >= d->to)
		html_time(out, "%d %b ", wall);
	html_time(out, "%H:%M:%S", wall);
}

static void
add_bar(struct buf *out, const struct historypage *p, const struct day *d,
    const struct timeline_run *r, const struct span *s)
{
	const struct journal_event *e = &p->events[s->event];
	char href[32];
	struct html_bar bar = { .kind = state_name(s->state),
	    .word = state_name(s->state), .from = s->from, .to = s->to };

	snprintf(href, sizeof(href), "#e%zu", s->event);
	if (e->time >= p->since)
		bar.href = href;
	html_bar_begin(out, &d->scale, &bar);
	buf_printf(out, "<em><strong>%s</strong> ", bar.kind);
	html_add(out, r->issue);
	buf_adds(out, ", ");
	add_time(out, d, s->from);
	buf_adds(out, " to ");
	if (r->open && s == &r->spans[r->n - 1])
		buf_adds(out, "now");
	else
		add_time(out, d, s->to);
	buf_adds(out, ", ");
	clock_span(out, s->to - s->from);
	buf_adds(out, "</em>");
	add_why(out, e);
	html_bar_end(out, &bar);
}

static void
add_row(struct buf *out, const struct historypage *p, const struct day *d,
    const struct timeline_run *r)
{
	struct buf more = BUF_INIT;
	const struct span *s;
	bool begun = false;
	size_t i;

	for (i = 0; i < r->n; i++) {
		/* A state that lasted no time has a place, too. */
		s = &r->spans[i];
		if (s->from > d->scale.to || (s->from < d->scale.from &&
		    s->to <= d->scale.from))
			continue;
		if (!begun) {
			buf_printf(&more, "%s, run %s", r->issue, r->run);
			html_row_begin(out, r->issue, buf_str(&more));
		}
		begun = true;
		add_bar(out, p, d, r, s);
	}
	if (begun)
		html_row_end(out);
	buf_release(&more);
}

/* ---- the events of a day ------------------------------------------------- */

static void
add_event(struct buf *out, const struct historypage *p,
    const struct journal_event *e)
{
	const char *what = eventwords_what(e);

	buf_printf(out, "<tr id=\"e%zu\"><td class=\"at\">",
	    (size_t)(e - p->events));
	html_time(out, "%H:%M:%S", e->time);
	add_text(out, "<td class=\"name\">", e->subject);
	buf_printf(out, "<td><span class=\"chip %s\">%s</span><td>",
	    e->type == JOURNAL_STATE ? what : "other", what);
	add_why(out, e);
	buf_addc(out, '\n');
}

/* ---- the days ------------------------------------------------------------ */

/* The local midnight so many days after the one before a time. */
static msec
midnight(msec wall, int days)
{
	struct tm tm = *html_local(wall);

	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_mday += days;
	tm.tm_isdst = -1;
	return (msec)mktime(&tm) * 1000;
}

static bool
any_open(const struct timeline *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (t->runs[i].open)
			return true;
	return false;
}

/* The day of a time, whose events end at this place. */
static struct day
find_day(const struct historypage *p, const struct sorted *s, msec wall,
    size_t end)
{
	struct day d = { .from = midnight(wall, 0), .to = midnight(wall, 1),
	    .first = end, .end = end };
	struct html_scale *c = &d.scale;

	while (d.first > 0 && s->events[d.first - 1]->time >= d.from)
		d.first--;
	/* Its scale: from the first event, or the time asked for, to the last
	 * one, or until now. */
	*c = (struct html_scale){ d.from, p->now };
	if (d.first < d.end) {
		c->from = s->events[d.first]->time;
		c->to = s->events[d.end - 1]->time;
	}
	if (p->since > d.from)
		c->from = p->since;
	if (any_open(p->timeline) && p->now >= d.from && p->now < d.to &&
	    c->to < p->now)
		c->to = p->now;
	if (c->to - c->from < SHORTEST)
		c->to = c->from + SHORTEST;
	return d;
}

static void
add_day(struct buf *out, const struct historypage *p, const struct sorted *s,
    const struct day *d)
{
	size_t i;

	buf_adds(out, "<section>\n<h2>");
	html_time(out, "%A, %d %B %Y", d->from);
	buf_adds(out, "</h2>\n");
	html_chart_begin(out, &d->scale);
	for (i = 0; i < p->timeline->n; i++)
		add_row(out, p, d, &p->timeline->runs[i]);
	html_chart_end(out);
	if (d->first < d->end)
		buf_adds(out, "<table class=\"lines\">\n"
		    "<tr><th>time<th>issue<th>what<th>why\n");
	for (i = d->first; i < d->end; i++)
		add_event(out, p, s->events[i]);
	if (d->first < d->end)
		buf_adds(out, "</table>\n");
	buf_adds(out, "</section>\n");
}

/* Today, if a run stands although nothing happened, and each day with an
 * event. */
static void
add_days(struct buf *out, const struct historypage *p, const struct sorted *s)
{
	struct day d;
	size_t end = s->n;

	if (any_open(p->timeline) &&
	    (end == 0 || s->events[end - 1]->time < midnight(p->now, 0))) {
		d = find_day(p, s, p->now, end);
		add_day(out, p, s, &d);
	}
	while (end > 0) {
		d = find_day(p, s, s->events[end - 1]->time, end);
		add_day(out, p, s, &d);
		end = d.first;
	}
}

int
historypage_add(struct buf *out, const struct historypage *p, struct buf *why)
{
	struct sorted s = { xreallocarray(NULL, p->n + 1, sizeof(*s.events)),
	    0 };
	struct buf title = BUF_INIT;
	size_t i;
	int ret;

	for (i = 0; i < p->n; i++)
		if (p->events[i].time >= p->since)
			s.events[s.n++] = &p->events[i];
	qsort(s.events, s.n, sizeof(*s.events), event_compare);
	buf_adds(&title, "paneward history");
	if (p->issue != NULL)
		buf_printf(&title, " of issue %s", p->issue);
	ret = html_begin(out, buf_str(&title), why);
	if (ret == 0) {
		add_head(out, p, s.n);
		add_days(out, p, &s);
		html_end(out);
	}
	free(s.events);
	buf_release(&title);
	return ret;
}

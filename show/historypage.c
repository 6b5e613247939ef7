#include "show/show.h"

#include <inttypes.h>

#include "data/html.h"

enum { SHORTEST = 60 * 1000 };          /* ms on a scale, at least */

/* A local day, and its events among those that are shown, by time. */
struct day {
	msec   from, to;
	size_t first, end;
	struct html_scale scale;
};

/* Events of one moment keep the order of the array. */
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
add_why(struct buf *out, const struct journal_event *e)
{
	struct buf words = BUF_INIT;

	eventwords_add(&words, e);
	html_add(out, buf_str(&words));
	buf_release(&words);
}

/* With the date, if that is another day. */
static void
add_time(struct buf *out, const struct day *d, msec wall)
{
	if (wall < d->from || wall >= d->to)
		html_time(out, "%d %b ", wall);
	html_time(out, "%H:%M:%S", wall);
}

static void
add_row(struct buf *out, const struct historypage *p, const struct day *d,
    const struct timeline_run *r)
{
	const struct journal_event *e;
	struct buf more = BUF_INIT;
	const struct span *s;
	struct html_bar bar;
	bool begun = false;
	char href[32];

	for (s = r->spans; s < r->spans + r->n; s++) {
		/* A state that lasted no time is shown, too. */
		if (s->from > d->scale.to || (s->from < d->scale.from &&
		    s->to <= d->scale.from))
			continue;
		if (!begun) {
			buf_printf(&more, "%s, run %s", r->issue, r->run);
			html_row_begin(out, r->issue, buf_str(&more));
		}
		begun = true;
		e = &p->events[s->event];
		snprintf(href, sizeof(href), "#e%zu", s->event);
		bar = (struct html_bar){ .kind = state_name(s->state),
		    .word = state_name(s->state), .from = s->from, .to = s->to,
		    .href = e->time >= p->since ? href : NULL };
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
	if (begun)
		html_row_end(out);
	buf_release(&more);
}

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

/* The day of a time, whose events end at this place. */
static struct day
find_day(const struct historypage *p, const struct journal_event **events,
    msec wall, size_t end)
{
	struct day d = { .from = midnight(wall, 0), .to = midnight(wall, 1),
	    .first = end, .end = end };
	struct html_scale *c = &d.scale;

	while (d.first > 0 && events[d.first - 1]->time >= d.from)
		d.first--;
	/* The scale begins with the first event, or the time asked for, and
	 * ends with the last one, or now. */
	*c = (struct html_scale){ d.from, p->now };
	if (d.first < d.end) {
		c->from = events[d.first]->time;
		c->to = events[d.end - 1]->time;
	}
	if (p->since > d.from)
		c->from = p->since;
	if (p->timeline.open && p->now >= d.from && p->now < d.to &&
	    c->to < p->now)
		c->to = p->now;
	if (c->to - c->from < SHORTEST)
		c->to = c->from + SHORTEST;
	return d;
}

static void
add_day(struct buf *out, const struct historypage *p,
    const struct journal_event **events, const struct day *d)
{
	const struct journal_event *e;
	const char *what;
	size_t i;

	buf_adds(out, "<section>\n<h2>");
	html_time(out, "%A, %d %B %Y", d->from);
	buf_adds(out, "</h2>\n");
	html_chart_begin(out, &d->scale);
	for (i = 0; i < p->timeline.n; i++)
		add_row(out, p, d, &p->timeline.runs[i]);
	html_chart_end(out);
	if (d->first < d->end)
		buf_adds(out, "<table class=\"lines\">\n"
		    "<tr><th>time<th>issue<th>what<th>why\n");
	for (i = d->first; i < d->end; i++) {
		e = events[i];
		what = eventwords_what(e);
		buf_printf(out, "<tr id=\"e%zu\"><td class=\"at\">",
		    (size_t)(e - p->events));
		html_time(out, "%H:%M:%S", e->time);
		buf_adds(out, "<td class=\"name\">");
		html_add(out, e->subject);
		buf_printf(out, "<td><span class=\"chip %s\">%s</span><td>",
		    e->type == JOURNAL_STATE ? what : "other", what);
		add_why(out, e);
		buf_addc(out, '\n');
	}
	if (d->first < d->end)
		buf_adds(out, "</table>\n");
	buf_adds(out, "</section>\n");
}

int
historypage_add(struct buf *out, const struct historypage *p, struct buf *why)
{
	const struct journal_event **events = xreallocarray(NULL, p->n + 1,
	    sizeof(*events));
	const struct timeline_run *r = p->timeline.runs;
	bool seen[STATE_COUNT] = { false };
	size_t i, k, end = 0, runs = 0;
	struct buf title = BUF_INIT;
	struct day d;

	for (i = 0; i < p->n; i++)
		if (p->events[i].time >= p->since)
			events[end++] = &p->events[i];
	qsort(events, end, sizeof(*events), event_compare);
	for (i = 0; i < p->timeline.n; i++, r++) {
		runs += r->spans[r->n - 1].to >= p->since;
		for (k = 0; k < r->n; k++)
			seen[r->spans[k].state] |= r->spans[k].to >= p->since;
	}
	buf_printf(&title, "paneward history%s%s", p->agent ? " of " : "",
	    p->agent ? p->agent : "");
	if (html_begin(out, buf_str(&title), why) == -1)
		return -1;
	buf_adds(out, "<p>");
	html_add(out, p->from);
	if (p->since != 0) {
		buf_adds(out, ", since ");
		html_time(out, "%Y-%m-%d %H:%M", p->since);
	}
	buf_printf(out, ": %zu event%s, %zu run%s. Made ", end,
	    end == 1 ? "" : "s", runs, runs == 1 ? "" : "s");
	html_time(out, "%Y-%m-%d %H:%M %Z", p->now);
	buf_adds(out, "; times are local.</p>\n");
	if (p->left_out > 0)
		buf_printf(out, "<p>%" PRIu64 " earlier events are left out; "
		    "name an issue or a time to see more of it.</p>\n",
		    p->left_out);
	buf_adds(out, "<div class=\"legend\">");
	for (i = 0; i < STATE_COUNT; i++)
		if (seen[i])
			buf_printf(out, "<span class=\"chip %s\">%s</span> ",
			    state_names[i], state_names[i]);
	buf_adds(out, "</div>\n");
	/* Today, if a run stands although nothing happened, and each day with
	 * an event. */
	if (p->timeline.open && (end == 0 ||
	    events[end - 1]->time < midnight(p->now, 0))) {
		d = find_day(p, events, p->now, end);
		add_day(out, p, events, &d);
	}
	for (; end > 0; end = d.first) {
		d = find_day(p, events, events[end - 1]->time, end);
		add_day(out, p, events, &d);
	}
	html_end(out);
	free(events);
	buf_release(&title);
	return 0;
}

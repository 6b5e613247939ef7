#include "data/html.h"

#include "data/datafile.h"

enum { TICKS = 8 };                     /* at most on a scale */

void
html_add(struct buf *out, const char *text)
{
	struct buf cut = BUF_INIT, clean = BUF_INIT;
	const char *p;

	utf8_add_shown(&cut, text, strlen(text), 1000);
	msg_escape(&clean, buf_str(&cut), cut.len);
	for (p = buf_str(&clean); *p != '\0'; p++)
		switch (*p) {
		case '<': buf_adds(out, "&lt;"); break;
		case '>': buf_adds(out, "&gt;"); break;
		case '&': buf_adds(out, "&amp;"); break;
		case '"': buf_adds(out, "&quot;"); break;
		default: buf_addc(out, *p);
		}
	buf_release(&cut);
	buf_release(&clean);
}

int
html_begin(struct buf *out, const char *title, struct buf *why)
{
	buf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\""
	    "default-src 'none'; style-src 'unsafe-inline'\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width\">\n"
	    "<title>");
	html_add(out, title);
	buf_adds(out, "</title>\n<style>\n");
	if (ownfile_template(out, "templates", "page.css", why) == -1)
		return -1;
	buf_adds(out, "</style>\n</head>\n<body>\n<h1>");
	html_add(out, title);
	buf_adds(out, "</h1>\n");
	return 0;
}

const struct tm *
html_local(msec wall)
{
	time_t seconds = (time_t)(wall / 1000);
	static struct tm tm;

	tm = (struct tm){ .tm_mday = 1 };
	localtime_r(&seconds, &tm);
	return &tm;
}

/* Percentage of the scale before a time. */
static double
scale_share(const struct html_scale *s, msec wall)
{
	wall = wall < s->from ? s->from : clock_sooner(wall, s->to);
	return 100 * (double)(wall - s->from) / (double)(s->to - s->from);
}

void
html_chart_begin(struct buf *out, const struct html_scale *s)
{
	/* Seconds between two ticks. */
	static const msec parts[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600,
	    900, 1800, 3600, 7200, 10800, 21600, 43200, 86400 };
	const msec *part = parts;
	msec zone = (msec)html_local(s->from)->tm_gmtoff * 1000, step, at;
	msec span = (s->to - s->from) / 1000;

	while (span / *part > TICKS && *part < 86400)
		part++;
	for (step = *part; span / step > TICKS; step *= 2)
		continue;
	step *= 1000;
	at = (s->from + zone + step - 1) / step * step - zone;
	buf_adds(out, "<div class=\"chart\">\n<div class=\"scale\">");
	for (; at <= s->to; at += step) {
		buf_printf(out, "<i style=\"left:%.2f%%\">",
		    scale_share(s, at));
		html_time(out, step >= 86400000 ? "%d %b" : step >= 60000 ?
		    "%H:%M" : "%H:%M:%S", at);
		buf_adds(out, "</i>");
	}
	buf_adds(out, "</div>\n");
}

void
html_row_begin(struct buf *out, const char *label, const char *more)
{
	buf_adds(out, "<div class=\"row\"><div class=\"label\" title=\"");
	html_add(out, more);
	buf_adds(out, "\">");
	html_add(out, label);
	buf_adds(out, "</div><div class=\"track\">");
}

void
html_bar_begin(struct buf *out, const struct html_scale *s,
    const struct html_bar *b)
{
	double left = scale_share(s, b->from);

	if (b->href != NULL)
		buf_printf(out, "<a href=\"%s\"", b->href);
	else
		buf_adds(out, "<span tabindex=\"0\"");
	buf_printf(out, " class=\"bar %s\" style=\"left:%.2f%%;width:%.2f%%\">"
	    "<b>", b->kind, left, scale_share(s, b->to) - left);
	html_add(out, b->word);
	buf_adds(out, "</b><span class=\"tip\">");
}

/*
 * html.h - pages that need no other file, script or network.
 *
 * html_add() adds all outside text, between tags or in a double-quoted
 * attribute.
 */
#ifndef PANEWARD_HTML_H
#define PANEWARD_HTML_H

#include <time.h>

#include "base/base.h"

/* Adds at most 1000 characters, escaped for HTML and as in messages. */
void html_add(struct buf *, const char *text);

/* -1 with the reason: no style sheet. */
int  html_begin(struct buf *, const char *title, struct buf *why);
#define html_end(out) buf_adds((out), "</body>\n</html>\n")

/* Local time; valid until the next call. */
const struct tm *html_local(msec wall);
/* format: a literal of strftime(3). */
#define html_time(out, format, wall) \
	((out)->len += strftime(buf_room((out), 64), 64, (format), \
	    html_local(wall)))

struct html_scale {
	msec from, to;                  /* to is later */
};

struct html_bar {
	const char *kind;               /* CSS class */
	const char *word;               /* text, as far as it fits */
	const char *href;               /* NULL: no link */
	msec from, to;                  /* cut to the scale */
};

void html_chart_begin(struct buf *, const struct html_scale *);
#define html_chart_end(out) buf_adds((out), "</div>\n")
/* more is the label's tip. */
void html_row_begin(struct buf *, const char *label, const char *more);
#define html_row_end(out) buf_adds((out), "</div></div>\n")
/* Text between the two is the tip. */
void html_bar_begin(struct buf *, const struct html_scale *,
    const struct html_bar *);
#define html_bar_end(out, bar) buf_adds((out), \
	(bar)->href != NULL ? "</span></a>" : "</span></span>")

#endif

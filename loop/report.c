#include "loop/report.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "loop/manager.h"
#include "os/file.h"
#include "text/json.h"

enum { WIDTH = 900, BAR = 14, GAP = 4, LABEL = 60 };

/* ---- for programs -------------------------------------------------------- */

static cJSON *
round_object(const char *name, const struct round *r)
{
	char log[LOOP_FILE];
	cJSON *o = json_new_object();

	loop_log_name(log, name, r->iteration);
	json_add_number(o, "iteration", r->iteration);
	json_add_text(o, "end", round_end_name(r));
	json_add_time(o, "began", r->began);
	json_add_time(o, "ended", r->ended);
	json_add_number(o, "milliseconds", r->ended - r->began);
	if (r->exit_code != -1)
		json_add_number(o, "exit", r->exit_code);
	if (r->exit_signal != -1)
		json_add_number(o, "signal", r->exit_signal);
	json_add_number(o, "bytes", (int64_t)r->bytes);
	json_add_text(o, "log", log);
	return o;
}

static void
add_json(struct buf *out, const struct loop_state *s, const char *name,
    const char *logs)
{
	cJSON *o = json_new_object(), *list;
	size_t i;

	json_add_bool(o, "success", strcmp(s->reason, "keyword") == 0);
	json_add_number(o, "iterations", s->iteration);
	json_add_text(o, "reason", s->reason);
	json_add_text(o, "issue", s->issue);
	json_add_text(o, "backend", s->backend);
	json_add_text(o, "session_manager", s->manager);
	json_add_text(o, "keyword", s->keyword);
	json_add_time(o, "started", s->started);
	json_add_number(o, "milliseconds", s->elapsed);
	json_add_text(o, "logs", logs);
	list = cJSON_AddArrayToObject(o, "rounds");
	for (i = 0; i < s->nrounds; i++)
		cJSON_AddItemToArray(list, round_object(name, &s->rounds[i]));
	json_print(out, o);
	buf_addc(out, '\n');
	json_free(o);
}

/* ---- for people ---------------------------------------------------------- */

/* Text as HTML shows it. */
static void
add_html(struct buf *out, const char *text)
{
	struct buf clean = BUF_INIT;
	const char *p;

	utf8_add_shown(&clean, text, strlen(text), 1000);
	for (p = buf_str(&clean); *p != '\0'; p++)
		switch (*p) {
		case '<': buf_adds(out, "&lt;"); break;
		case '>': buf_adds(out, "&gt;"); break;
		case '&': buf_adds(out, "&amp;"); break;
		case '"': buf_adds(out, "&quot;"); break;
		default: buf_addc(out, (unsigned char)*p < ' ' ? ' ' : *p);
		}
	buf_release(&clean);
}

/* How a round is shown; one that exited by how it did. */
static const struct {
	const char *colour, *meaning;
} shown[ROUND_ENDS] = {
	[ROUND_KEYWORD]     = { "#2a9d4b", "printed the keyword" },
	[ROUND_SIGNAL]      = { "#2a9d4b", "signalled" },
	[ROUND_LIMITED]     = { "#c9a227", "usage limit" },
	[ROUND_IDLE]        = { "#c0392b", "idle" },
	[ROUND_TIME]        = { "#8a8a8a", "out of time" },
	[ROUND_INTERRUPTED] = { "#8a8a8a", "interrupted" },
	[ROUND_NO_SESSION]  = { "#c0392b", "no session" },
};

static void
add_how(struct buf *out, const struct round *r)
{
	if (r->end != ROUND_EXITED)
		buf_adds(out, shown[r->end].meaning);
	else if (round_lost(r))
		buf_adds(out, "lost");
	else if (r->exit_signal != -1)
		buf_printf(out, "signal %d", r->exit_signal);
	else
		buf_printf(out, "exit %d", r->exit_code);
}

static double
round_seconds(const struct round *r)
{
	return (double)(r->ended - r->began) / 1000;
}

/* A bar from each round's beginning to its end, as wide as its share of the
 * time. */
static void
add_timeline(struct buf *out, const struct loop_state *s)
{
	const struct round *r = s->rounds;
	msec whole = s->nrounds > 0 ? r[s->nrounds - 1].ended - r->began : 0;
	double scale = (double)(WIDTH - LABEL) / (double)(whole ? whole : 1);
	double width;
	size_t i, y = 0;

	buf_printf(out, "<svg width=\"%d\" height=\"%zu\" role=\"img\" "
	    "aria-label=\"the iterations in time\">\n", WIDTH,
	    s->nrounds * (BAR + GAP));
	for (i = 0; i < s->nrounds; i++, r++, y += BAR + GAP) {
		width = (double)(r->ended - r->began) * scale;
		buf_printf(out, "<text x=\"0\" y=\"%zu\">%ld</text>"
		    "<rect x=\"%.1f\" y=\"%zu\" width=\"%.1f\" height=\"%d\" "
		    "fill=\"%s\"><title>", y + BAR - 3, r->iteration, LABEL +
		    (double)(r->began - s->rounds[0].began) * scale, y,
		    width > 1 ? width : 1, BAR, r->end != ROUND_EXITED ?
		    shown[r->end].colour : round_failed(r) ? "#c0392b" :
		    "#5b7fa6");
		add_how(out, r);
		buf_printf(out, ", %.1f s</title></rect>\n", round_seconds(r));
	}
	buf_adds(out, "</svg>\n");
}

static void
add_rows(struct buf *out, const struct loop_state *s, const char *name)
{
	char began[CLOCK_TEXT], log[LOOP_FILE];
	const struct round *r = s->rounds;
	size_t i;

	buf_adds(out, "<table><tr><th>iteration<th>began<th>seconds<th>how it "
	    "ended<th>bytes<th>log\n");
	for (i = 0; i < s->nrounds; i++, r++) {
		clock_format(began, r->began);
		loop_log_name(log, name, r->iteration);
		buf_printf(out, "<tr><td>%ld<td>%s<td>%.1f<td>", r->iteration,
		    began, round_seconds(r));
		add_how(out, r);
		buf_printf(out, "<td>%llu<td>%s\n",
		    (unsigned long long)r->bytes, log);
	}
	buf_adds(out, "</table>\n");
}

static void
add_page(struct buf *out, const struct loop_state *s, const char *name,
    const char *logs)
{
	buf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\"><head>"
	    "<meta charset=\"utf-8\">\n<title>");
	add_html(out, name);
	buf_adds(out, "</title>\n<style>body{font:14px sans-serif;margin:2em}"
	    "svg text{font-size:11px}"
	    "td,th{text-align:left;padding-right:1em}</style></head>"
	    "<body>\n<h1>");
	add_html(out, name);
	buf_adds(out, "</h1>\n<p>");
	add_html(out, s->reason);
	buf_printf(out, " after %ld iteration%s, %.1f s; backend ",
	    s->iteration, s->iteration == 1 ? "" : "s",
	    (double)s->elapsed / 1000);
	add_html(out, s->backend);
	buf_adds(out, ", sessions in ");
	add_html(out, s->manager);
	buf_adds(out, ", keyword ");
	add_html(out, s->keyword);
	buf_adds(out, ".<br>Logs: ");
	add_html(out, logs);
	buf_addc(out, '/');
	add_html(out, name);
	buf_adds(out, ".*.log</p>\n");
	add_timeline(out, s);
	add_rows(out, s, name);
	buf_adds(out, "</body></html>\n");
}

/* ---- both ---------------------------------------------------------------- */

static const struct {
	const char *ending;
	void (*add)(struct buf *, const struct loop_state *, const char *name,
	    const char *logs);
} reports[REPORTS] = {
	[REPORT_JSON] = { ".json", add_json },
	[REPORT_HTML] = { ".html", add_page },
};

enum report
report_kind(const char *path)
{
	const char *dot = strrchr(path, '.');
	enum report kind;

	for (kind = 0; kind < REPORTS; kind++)
		if (dot != NULL && strcmp(dot, reports[kind].ending) == 0)
			break;
	return kind;
}

int
report_write(const struct loop_state *s, enum report kind, const char *name,
    const char *logs)
{
	struct buf text = BUF_INIT;
	int ret;

	reports[kind].add(&text, s, name, logs);
	ret = file_replace(AT_FDCWD, s->reports[kind], text.data,
	    text.len, 0666);
	buf_release(&text);
	return ret;
}

#include "loop/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "data/html.h"
#include "os/file.h"

/* ---- for programs -------------------------------------------------------- */

static int
add_json(struct buf *out, const struct loop_state *s, const char *name,
    const char *logs, struct buf *why)
{
	cJSON *o = json_new_object(), *list, *row;
	const struct round *r;
	char log[LOOP_FILE];

	(void)why;
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
	for (r = s->rounds; r < s->rounds + s->nrounds; r++) {
		row = json_new_object();
		loop_log_name(log, name, r->iteration);
		json_add_number(row, "iteration", r->iteration);
		json_add_text(row, "end", round_end_name(r));
		json_add_time(row, "began", r->began);
		json_add_time(row, "ended", r->ended);
		json_add_number(row, "milliseconds", r->ended - r->began);
		if (r->exit_code != -1)
			json_add_number(row, "exit", r->exit_code);
		if (r->exit_signal != -1)
			json_add_number(row, "signal", r->exit_signal);
		json_add_number(row, "bytes", (int64_t)r->bytes);
		json_add_text(row, "log", log);
		cJSON_AddItemToArray(list, row);
	}
	json_print(out, o);
	buf_addc(out, '\n');
	json_free(o);
	return 0;
}

/* ---- for people ---------------------------------------------------------- */

/* How a round is shown, its kind being one of the style sheet; one that exited
 * by how it did. */
static const struct {
	const char *kind, *meaning;
} shown[ROUND_ENDS] = {
	[ROUND_EXITED]      = { "working",  NULL },
	[ROUND_KEYWORD]     = { "complete", "printed the keyword" },
	[ROUND_SIGNAL]      = { "complete", "signalled" },
	[ROUND_LIMITED]     = { "limited",  "usage limit" },
	[ROUND_IDLE]        = { "stalled",  "idle" },
	[ROUND_TIME]        = { "gone",     "out of time" },
	[ROUND_INTERRUPTED] = { "gone",     "interrupted" },
	[ROUND_NO_SESSION]  = { "error",    "no session" },
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

/* The agent of a normal round may exit with any status: the loop goes on. */
static const char *
round_kind(const struct round *r)
{
	return round_lost(r) || (r->end == ROUND_EXITED &&
	    r->exit_signal != -1) ? "dead" : shown[r->end].kind;
}

/* A bar from each round's beginning to its end. */
static void
add_timeline(struct buf *out, const struct loop_state *s, const char *name)
{
	const struct round *r = s->rounds, *end = r + s->nrounds;
	char log[LOOP_FILE], label[32], href[32];
	struct html_bar bar = { .href = href };
	struct html_scale scale;
	struct buf how = BUF_INIT;

	if (s->nrounds == 0)
		return;
	scale = (struct html_scale){ r->began, end[-1].ended };
	if (scale.to <= scale.from)
		scale.to = scale.from + 1000;
	html_chart_begin(out, &scale);
	for (; r < end; r++) {
		loop_log_name(log, name, r->iteration);
		snprintf(label, sizeof(label), "%ld", r->iteration);
		snprintf(href, sizeof(href), "#r%ld", r->iteration);
		buf_reset(&how);
		add_how(&how, r);
		bar.word = buf_str(&how);
		bar.kind = round_kind(r);
		bar.from = r->began;
		bar.to = r->ended;
		html_row_begin(out, label, log);
		html_bar_begin(out, &scale, &bar);
		buf_printf(out, "<strong>iteration %ld</strong>: %s, %.1f s",
		    r->iteration, bar.word, round_seconds(r));
		html_bar_end(out, &bar);
		html_row_end(out);
	}
	html_chart_end(out);
	buf_release(&how);
}

static int
add_page(struct buf *out, const struct loop_state *s, const char *name,
    const char *logs, struct buf *why)
{
	const struct round *r;
	char log[LOOP_FILE];

	if (html_begin(out, name, why) == -1)
		return -1;
	buf_adds(out, "<p>");
	html_add(out, s->reason);
	buf_printf(out, " after %ld iteration%s, %.1f s; backend ",
	    s->iteration, s->iteration == 1 ? "" : "s",
	    (double)s->elapsed / 1000);
	html_add(out, s->backend);
	buf_adds(out, ", sessions in ");
	html_add(out, s->manager);
	buf_adds(out, ", keyword ");
	html_add(out, s->keyword);
	buf_adds(out, ".</p>\n<p>Logs: ");
	html_add(out, logs);
	buf_addc(out, '/');
	html_add(out, name);
	buf_adds(out, ".*.log</p>\n<section>\n");
	add_timeline(out, s, name);
	buf_adds(out, "<table>\n<tr><th>iteration<th>began"
	    "<th class=\"number\">seconds<th>how it ended"
	    "<th class=\"number\">bytes<th>log\n");
	for (r = s->rounds; r < s->rounds + s->nrounds; r++) {
		loop_log_name(log, name, r->iteration);
		buf_printf(out, "<tr id=\"r%ld\"><td>%ld<td class=\"at\">",
		    r->iteration, r->iteration);
		html_time(out, "%Y-%m-%d %H:%M:%S", r->began);
		buf_printf(out, "<td class=\"number\">%.1f<td>"
		    "<span class=\"chip %s\">", round_seconds(r),
		    round_kind(r));
		add_how(out, r);
		buf_printf(out, "</span><td class=\"number\">%llu<td>%s\n",
		    (unsigned long long)r->bytes, log);
	}
	buf_adds(out, "</table>\n</section>\n");
	html_end(out);
	return 0;
}

/* ---- both ---------------------------------------------------------------- */

static const struct {
	const char *ending;
	int (*add)(struct buf *, const struct loop_state *, const char *name,
	    const char *logs, struct buf *why);
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
    const char *logs, struct buf *why)
{
	struct buf text = BUF_INIT;
	int ret = reports[kind].add(&text, s, name, logs, why);

	if (ret == 0 && file_replace(AT_FDCWD, s->reports[kind], text.data,
	    text.len, 0666) == -1) {
		buf_adds(why, strerror(errno));
		ret = -1;
	}
	buf_release(&text);
	return ret;
}

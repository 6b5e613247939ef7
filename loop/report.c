#include "loop/engine.h"

#include "data/html.h"

/* ---- for programs -------------------------------------------------------- */

static void
add_json(struct buf *out, const struct loop_state *s, const char *logs)
{
	struct json *o = json_new_object(), *list, *row;
	const struct round *r;
	char log[LOOP_FILE];

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
	list = json_add_list(o, "rounds");
	for (r = s->rounds; r < s->rounds + s->nrounds; r++) {
		row = json_add_object(list, NULL);
		loop_log_name(log, s->loop, r->iteration);
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
	}
	json_print(out, o);
	buf_addc(out, '\n');
	json_free(o);
}

/* ---- for people ---------------------------------------------------------- */

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
	    r->exit_signal != -1) ? "dead" : round_words[r->end].kind;
}

/* A bar from each round's beginning to its end. */
static void
add_timeline(struct buf *out, const struct loop_state *s)
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
		loop_log_name(log, s->loop, r->iteration);
		snprintf(label, sizeof(label), "%ld", r->iteration);
		snprintf(href, sizeof(href), "#r%ld", r->iteration);
		buf_reset(&how);
		round_how(&how, r, round_words[r->end].meaning);
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
add_page(struct buf *out, const struct loop_state *s, const char *logs,
    struct buf *why)
{
	const struct round *r;
	char log[LOOP_FILE];

	if (html_begin(out, s->loop, why) == -1)
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
	html_add(out, s->loop);
	buf_adds(out, ".*.log</p>\n<section>\n");
	add_timeline(out, s);
	buf_adds(out, "<table>\n<tr><th>iteration<th>began"
	    "<th class=\"number\">seconds<th>how it ended"
	    "<th class=\"number\">bytes<th>log\n");
	for (r = s->rounds; r < s->rounds + s->nrounds; r++) {
		loop_log_name(log, s->loop, r->iteration);
		buf_printf(out, "<tr id=\"r%ld\"><td>%ld<td class=\"at\">",
		    r->iteration, r->iteration);
		html_time(out, "%Y-%m-%d %H:%M:%S", r->began);
		buf_printf(out, "<td class=\"number\">%.1f<td><span "
		    "class=\"chip %s\">", round_seconds(r), round_kind(r));
		round_how(out, r, round_words[r->end].meaning);
		buf_printf(out, "</span><td class=\"number\">%llu<td>%s\n",
		    (unsigned long long)r->bytes, log);
	}
	buf_adds(out, "</table>\n</section>\n");
	html_end(out);
	return 0;
}

/* ---- both ---------------------------------------------------------------- */

enum report
report_kind(const char *path)
{
	const char *dot = strrchr(path, '.');

	if (dot != NULL && strcmp(dot, ".json") == 0)
		return REPORT_JSON;
	return dot != NULL && strcmp(dot, ".html") == 0 ? REPORT_HTML : REPORTS;
}

int
report_write(const struct loop_state *s, enum report kind, const char *logs,
    struct buf *why)
{
	struct buf text = BUF_INIT;
	int ret = 0;

	if (kind == REPORT_JSON)
		add_json(&text, s, logs);
	else
		ret = add_page(&text, s, logs, why);
	if (ret == 0 && file_replace(AT_FDCWD, s->reports[kind], text.data,
	    text.len, 0666) == -1) {
		buf_adds(why, strerror(errno));
		ret = -1;
	}
	buf_release(&text);
	return ret;
}

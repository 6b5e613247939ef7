/*
 * report.c - the output of a loop, and its reports.
 */
#include "loop/engine.h"

#include "base/columns.h"
#include "data/html.h"

enum { REDRAW = 1000, LAST_LINE = 80 };

/* ---- while it runs ------------------------------------------------------- */

void
progress_wipe(struct progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = false;
}

msec
progress_live(struct progress *p, const struct loop_state *state,
    const struct loop_session *s, msec now)
{
	struct buf line = BUF_INIT, text = BUF_INIT;
	unsigned room = columns_terminal(STDERR_FILENO);

	if (!p->live)
		return CLOCK_NEVER;
	if (now - p->drawn_at < REDRAW)
		return p->drawn_at + REDRAW;
	room = room > 20 && room < COLUMNS_ALL ? room - 1 : 79;
	buf_printf(&line, "iteration %ld/%ld  ", state->iteration,
	    state->max_iterations);
	clock_span(&line, state->elapsed);
	if (line.len + 2 < room) {
		buf_adds(&line, "  ");
		if (s->manager->output != NULL)
			s->manager->output(s, &text);
		else
			tail_read(&text, s->log);
		tail_last_line(&line, &text, room - line.len);
	}
	progress_wipe(p);
	fwrite(line.data, 1, line.len, stderr);
	fflush(stderr);
	p->drawn = true;
	p->drawn_at = now;
	buf_release(&line);
	buf_release(&text);
	return now + REDRAW;
}

/*
 * If the reader of standard output is gone, perhaps by the same Ctrl+C, the
 * loop ends as by a signal, and tidies up.  For a closed terminal SIGHUP does
 * that, unless it is ignored.
 */
void
progress_say(struct progress *p, struct buf *line)
{
	progress_wipe(p);
	if ((puts(buf_str(line)) == EOF || fflush(stdout) == EOF) &&
	    (errno == EPIPE || errno == EIO)) {
		if (errno == EPIPE)
			raise(SIGTERM);
		if (freopen("/dev/null", "w", stdout) == NULL)
			clearerr(stdout);
	}
	buf_release(line);
}

/* Adds the word, or how the agent exited. */
static void
round_how(struct buf *out, const struct round *r, const char *word)
{
	if (r->end != ROUND_EXITED)
		buf_adds(out, word);
	else if (r->exit_signal != -1)
		buf_printf(out, "signal %d", r->exit_signal);
	else
		buf_printf(out, "exit %d", r->exit_code);
}

static void
add_round(struct json *o, const struct round *r)
{
	json_add_number(o, "iteration", r->iteration);
	json_add_text(o, "end", round_names[r->end]);
	if (r->exit_code != -1)
		json_add_number(json_add_object(o, "exit"), "code",
		    r->exit_code);
	else if (r->exit_signal != -1)
		json_add_number(json_add_object(o, "exit"), "signal",
		    r->exit_signal);
	json_add_number(o, "milliseconds", r->ended - r->began);
	json_add_number(o, "bytes", r->bytes);
}

void
progress_round(struct progress *p, const struct round *r, int log)
{
	struct buf line = BUF_INIT, text = BUF_INIT;
	struct json *o;

	if (p->json) {
		o = json_new_object();
		add_round(o, r);
		json_give(&line, o);
	} else {
		buf_printf(&line, "iteration %ld  ", r->iteration);
		round_how(&line, r, round_names[r->end]);
		buf_adds(&line, "  ");
		clock_span(&line, r->ended - r->began);
		buf_adds(&line, "  ");
		tail_read(&text, log);
		tail_last_line(&line, &text, LAST_LINE);
		buf_release(&text);
	}
	progress_say(p, &line);
}

void
progress_end(struct progress *p, const struct loop_state *state, bool success,
    const char *logs)
{
	struct buf line = BUF_INIT;
	struct json *o;

	if (p->json) {
		o = json_new_object();
		json_add_bool(o, "success", success);
		json_add_number(o, "iterations", state->iteration);
		json_add_text(o, "reason", state->reason);
		json_give(&line, o);
	} else {
		buf_printf(&line, "%s after %ld iteration%s, ", state->reason,
		    state->iteration, state->iteration == 1 ? "" : "s");
		clock_span(&line, state->elapsed);
		buf_adds(&line, "; logs: ");
		msg_escape(&line, logs, strlen(logs));
	}
	progress_say(p, &line);
}

static void
add_json(struct buf *out, const struct loop_state *s, const char *logs)
{
	struct json *o = json_new_object(), *list, *row;
	const struct round *r;
	char log[LOOP_FILE];

	json_add_bool(o, "success", strcmp(s->reason, "keyword") == 0);
	json_add_number(o, "iterations", s->iteration);
	json_add_texts(o, "reason", s->reason, "issue", s->issue, "backend",
	    s->backend, "session_manager", s->manager, "keyword", s->keyword);
	json_add_time(o, "started", s->started);
	json_add_number(o, "milliseconds", s->elapsed);
	json_add_text(o, "logs", logs);
	list = json_add_list(o, "rounds");
	for (r = s->rounds; r < s->rounds + s->nrounds; r++) {
		row = json_add_object(list, NULL);
		loop_log_name(log, s->loop, r->iteration);
		add_round(row, r);
		json_add_time(row, "began", r->began);
		json_add_time(row, "ended", r->ended);
		json_add_text(row, "log", log);
	}
	json_give(out, o);
	buf_addc(out, '\n');
}

/* ---- a report for people ------------------------------------------------- */

/* The kind is one of the style sheet. */
static const struct {
	const char *meaning, *kind;
} round_words[ROUND_ENDS] = {
	[ROUND_EXITED]  = { NULL, "working" },
	[ROUND_LOST]    = { "lost", "dead" },
	[ROUND_KEYWORD] = { "printed the keyword", "complete" },
	[ROUND_SIGNAL]  = { "signalled", "complete" },
	[ROUND_IDLE]    = { "idle", "stalled" },
	[ROUND_TIME]    = { "out of time", "gone" },
	[ROUND_LIMITED] = { "usage limit", "limited" },
	[ROUND_INTERRUPTED] = { "interrupted", "gone" },
	[ROUND_NO_SESSION] = { "no session", "error" },
};

/* An agent may exit with any status: the loop goes on. */
static const char *
round_kind(const struct round *r)
{
	return r->end == ROUND_EXITED && r->exit_signal != -1 ? "dead" :
	    round_words[r->end].kind;
}

static void
add_timeline(struct buf *out, const struct loop_state *s)
{
	const struct round *r = s->rounds, *end = r + s->nrounds;
	char log[LOOP_FILE], label[32], href[32];
	struct buf how = BUF_INIT;
	struct html_scale scale;
	struct html_bar bar;

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
		bar = (struct html_bar){ round_kind(r), buf_str(&how), href,
		    r->began, r->ended };
		html_row_begin(out, label, log);
		html_bar_begin(out, &scale, &bar);
		buf_printf(out, "<strong>iteration %ld</strong>: %s, %.1f s",
		    r->iteration, bar.word, (r->ended - r->began) / 1000.0);
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
	struct buf words = BUF_INIT;
	const struct round *r;

	if (html_begin(out, s->loop, why) == -1)
		return -1;
	buf_printf(&words, "%s after %ld iteration%s, %.1f s; backend %s, "
	    "sessions in %s, keyword %s.", s->reason, s->iteration,
	    s->iteration == 1 ? "" : "s", (double)s->elapsed / 1000,
	    s->backend, s->manager, s->keyword);
	buf_adds(out, "<p>");
	html_add(out, buf_str(&words));
	buf_adds(out, "</p>\n<p>Logs: ");
	html_add(out, logs);
	buf_addc(out, '/');
	html_add(out, s->loop);
	buf_adds(out, ".*.log</p>\n<section>\n");
	buf_release(&words);
	add_timeline(out, s);
	buf_adds(out, "<table>\n<tr><th>iteration<th>began"
	    "<th class=\"number\">seconds<th>how it ended"
	    "<th class=\"number\">bytes<th>log\n");
	for (r = s->rounds; r < s->rounds + s->nrounds; r++) {
		buf_printf(out, "<tr id=\"r%ld\"><td>%ld<td class=\"at\">",
		    r->iteration, r->iteration);
		html_time(out, "%Y-%m-%d %H:%M:%S", r->began);
		buf_printf(out, "<td class=\"number\">%.1f<td><span "
		    "class=\"chip %s\">", (r->ended - r->began) / 1000.0,
		    round_kind(r));
		round_how(out, r, round_words[r->end].meaning);
		buf_printf(out, "</span><td class=\"number\">%llu<td>"
		    "%s.%ld.log\n", (unsigned long long)r->bytes, s->loop,
		    r->iteration);
	}
	buf_adds(out, "</table>\n</section>\n");
	html_end(out);
	return 0;
}

enum report
report_kind(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot == NULL ? REPORTS : strcmp(dot, ".json") == 0 ?
	    REPORT_JSON : strcmp(dot, ".html") == 0 ? REPORT_HTML : REPORTS;
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

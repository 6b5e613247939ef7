#include "loop/engine.h"

#include <sys/ioctl.h>

#include "data/json.h"

enum { REDRAW = 1000, LAST_LINE = 80 };

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
	unsigned room = 79;
	struct winsize w;

	if (!p->live)
		return CLOCK_NEVER;
	if (now - p->drawn_at < REDRAW)
		return p->drawn_at + REDRAW;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20)
		room = w.ws_col - 1;
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
 * Prints a line and releases it.  If the reader of standard output is gone,
 * perhaps by the same Ctrl+C, the loop ends as by a signal, and tidies up.  For
 * a closed terminal SIGHUP does that, unless the user has it ignored.
 */
static void
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

void
progress_begin(struct progress *p, const struct loop_session *s)
{
	struct buf line = BUF_INIT;

	if (p->json)
		return;
	buf_printf(&line, "iteration %ld  begins  ", s->iteration);
	s->manager->attach(s, &line);
	progress_say(p, &line);
}

void
progress_round(struct progress *p, const struct round *r, int log)
{
	struct buf line = BUF_INIT, text = BUF_INIT;
	struct json *o;

	if (p->json) {
		o = json_new_object();
		json_add_number(o, "iteration", r->iteration);
		json_add_text(o, "end", round_end_name(r));
		if (r->exit_code != -1)
			json_add_number(o, "exit", r->exit_code);
		if (r->exit_signal != -1)
			json_add_number(o, "signal", r->exit_signal);
		json_add_number(o, "milliseconds", r->ended - r->began);
		json_add_number(o, "bytes", (int64_t)r->bytes);
		json_print(&line, o);
		json_free(o);
	} else {
		buf_printf(&line, "iteration %ld  ", r->iteration);
		round_how(&line, r, round_end_name(r));
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
progress_pause(struct progress *p, msec until)
{
	struct buf text = BUF_INIT;

	clock_ahead(&text, until, clock_wall());
	progress_wipe(p);
	warnx("loop run: usage limit: the loop goes on at %s", buf_str(&text));
	buf_release(&text);
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
		json_print(&line, o);
		json_free(o);
	} else {
		buf_printf(&line, "%s after %ld iteration%s, ", state->reason,
		    state->iteration, state->iteration == 1 ? "" : "s");
		clock_span(&line, state->elapsed);
		buf_adds(&line, "; logs: ");
		msg_escape(&line, logs, strlen(logs));
	}
	progress_say(p, &line);
}

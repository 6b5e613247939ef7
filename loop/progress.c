/*
 * progress.c - what a loop tells while it runs: one live line on a terminal,
 * a line per round otherwise, objects with --json.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/msg.h"
#include "loop/engine.h"
#include "loop/tail.h"
#include "text/json.h"

enum { REDRAW = 1000, LAST_LINE = 80 };

static void
add_span(struct buf *out, msec span)
{
	long seconds = (long)(span / 1000);

	if (seconds >= 3600)
		buf_printf(out, "%ldh%02ldm", seconds / 3600,
		    seconds / 60 % 60);
	else if (seconds >= 60)
		buf_printf(out, "%ldm%02lds", seconds / 60, seconds % 60);
	else
		buf_printf(out, "%lds", seconds);
}

static unsigned
columns(void)
{
	struct winsize w;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ?
	    w.ws_col : 80;
}

void
progress_wipe(struct engine *e)
{
	if (e->drawn)
		fputs("\r\033[K", stderr);
	e->drawn = false;
}

static void
draw(struct engine *e, const struct loop_session *s)
{
	struct buf line = BUF_INIT, text = BUF_INIT;
	unsigned room = columns() - 1;

	buf_printf(&line, "iteration %ld/%" PRId64 "  ", e->state.iteration,
	    e->state.max_iterations);
	add_span(&line, engine_elapsed(e));
	if (line.len + 2 < room) {
		buf_adds(&line, "  ");
		e->manager->output(s, &text);
		tail_last_line(&line, &text, room - line.len);
	}
	progress_wipe(e);
	fwrite(line.data, 1, line.len, stderr);
	fflush(stderr);
	e->drawn = true;
	buf_release(&line);
	buf_release(&text);
}

msec
progress_live(struct engine *e, const struct loop_session *s, msec now)
{
	if (!e->live)
		return CLOCK_NEVER;
	if (now - e->drawn_at >= REDRAW) {
		draw(e, s);
		e->drawn_at = now;
	}
	return e->drawn_at + REDRAW;
}

/* Who listened has gone, perhaps by the same Ctrl+C: that is no reason not to
 * tidy up, but one to end, and no error of ours.  Of a terminal that was closed
 * SIGHUP tells, unless somebody wants us to go on. */
static void
nobody_listens(bool end)
{
	if (end)
		raise(SIGTERM);
	if (freopen("/dev/null", "w", stdout) == NULL)
		clearerr(stdout);
}

static void
say(struct engine *e, struct buf *line)
{
	progress_wipe(e);
	if ((puts(buf_str(line)) == EOF || fflush(stdout) == EOF) &&
	    (errno == EPIPE || errno == EIO))
		nobody_listens(errno == EPIPE);
	buf_release(line);
}

void
progress_begin(struct engine *e, const struct loop_session *s)
{
	struct buf line = BUF_INIT;

	if (e->json)
		return;
	buf_printf(&line, "iteration %ld  begins  ", e->state.iteration);
	e->manager->attach(s, &line);
	say(e, &line);
}

static void
round_json(struct engine *e)
{
	const struct round *r = &e->round;
	struct buf line = BUF_INIT;
	cJSON *o = json_new_object();

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
	say(e, &line);
}

void
progress_round(struct engine *e, int log)
{
	const struct round *r = &e->round;
	struct buf line = BUF_INIT, text = BUF_INIT;

	if (e->json) {
		round_json(e);
		return;
	}
	buf_printf(&line, "iteration %ld  ", r->iteration);
	if (r->end != ROUND_EXITED || round_lost(r))
		buf_adds(&line, round_end_name(r));
	else if (r->exit_signal != -1)
		buf_printf(&line, "signal %d", r->exit_signal);
	else
		buf_printf(&line, "exit %d", r->exit_code);
	buf_adds(&line, "  ");
	add_span(&line, r->ended - r->began);
	buf_adds(&line, "  ");
	if (log != -1)
		tail_read(&text, log);
	tail_last_line(&line, &text, LAST_LINE);
	buf_release(&text);
	say(e, &line);
}

void
progress_pause(struct engine *e)
{
	char until[CLOCK_TEXT];
	struct buf line = BUF_INIT;

	clock_format(until, e->state.limited_until);
	progress_wipe(e);
	buf_printf(&line, "usage limit: the loop goes on at %s", until);
	warnx("loop run: %s", buf_str(&line));
	buf_release(&line);
}

void
progress_end(struct engine *e, bool success)
{
	struct buf line = BUF_INIT;
	cJSON *o;

	if (e->json) {
		o = json_new_object();
		json_add_bool(o, "success", success);
		json_add_number(o, "iterations", e->state.iteration);
		json_add_text(o, "reason", e->state.reason);
		json_print(&line, o);
		json_free(o);
	} else {
		buf_printf(&line, "%s after %ld iteration%s, ",
		    e->state.reason, e->state.iteration,
		    e->state.iteration == 1 ? "" : "s");
		add_span(&line, engine_elapsed(e));
		buf_adds(&line, "; logs: ");
		msg_escape(&line, e->context.dir.path,
		    strlen(e->context.dir.path));
		buf_printf(&line, "/.paneward/%s.*.log", e->name);
	}
	say(e, &line);
}

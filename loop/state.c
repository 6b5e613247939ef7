/*
 * state.c - the state of a loop, and its file.
 */
#include "loop/engine.h"

#include "data/fields.h"

enum { STATE_BYTES = 4 << 20 };

const char *const round_names[ROUND_ENDS] = {
	[ROUND_EXITED] = "exited", [ROUND_LOST] = "lost",
	[ROUND_KEYWORD] = "keyword", [ROUND_SIGNAL] = "signal-complete",
	[ROUND_IDLE] = "idle-timeout", [ROUND_TIME] = "max-time",
	[ROUND_LIMITED] = "limited", [ROUND_INTERRUPTED] = "interrupted",
	[ROUND_NO_SESSION] = "error",
};

void
loop_state_text(char **place, const char *text)
{
	char *copy = text ? xstrdup(text) : NULL;

	free(*place);
	*place = copy;
}

void
loop_state_add(struct loop_state *s, const struct round *r)
{
	if (s->nrounds == STATE_ROUNDS)
		memmove(s->rounds, s->rounds + 1,
		    --s->nrounds * sizeof(*s->rounds));
	*ARRAY_ADD(s->rounds, s->nrounds) = *r;
}

#define ROUND(member) FIELD_AT(struct round, member)

static const struct field round_fields[] = {
	{ "iteration", FIELD_SIGNED, ROUND(iteration) },
	{ "end", FIELD_NAME, ROUND(end), FIELD_NAMES(round_names) },
	{ "began", FIELD_SIGNED, ROUND(began) },
	{ "ended", FIELD_SIGNED, ROUND(ended) },
	{ "exit", FIELD_SIGNED, ROUND(exit_code), .fallback = -1,
	    .omit = true },
	{ "signal", FIELD_SIGNED, ROUND(exit_signal), .fallback = -1,
	    .omit = true },
	{ "bytes", FIELD_UNSIGNED, ROUND(bytes) },
	{ 0 }
};

#define LOOP(member) FIELD_AT(struct loop_state, member)

static const struct field loop_fields[] = {
	/* First: status_named() looks for it. */
	{ "loop", FIELD_TEXT, LOOP(loop), .required = true },
	{ "v", FIELD_CONSTANT, .fallback = 1 },
	{ "issue", FIELD_TEXT, LOOP(issue) },
	{ "backend", FIELD_TEXT, LOOP(backend), .required = true },
	{ "session_manager", FIELD_TEXT, LOOP(manager), .required = true },
	{ "keyword", FIELD_TEXT, LOOP(keyword), .required = true },
	{ "cwd", FIELD_TEXT, LOOP(cwd), .required = true },
	{ "prompt_file", FIELD_TEXT, LOOP(prompt_file) },
	{ "reason", FIELD_TEXT, LOOP(reason) },
	{ "title", FIELD_TEXT, LOOP(title) },
	{ "socket", FIELD_TEXT, LOOP(socket) },
	{ "report_json", FIELD_TEXT, LOOP(reports[REPORT_JSON]) },
	{ "report_html", FIELD_TEXT, LOOP(reports[REPORT_HTML]) },
	{ "max_iterations", FIELD_SIGNED, LOOP(max_iterations) },
	{ "max_time", FIELD_SIGNED, LOOP(max_time) },
	{ "idle_timeout", FIELD_SIGNED, LOOP(idle_timeout) },
	/* The file of 0.1.0 has no number for it. */
	{ "same_rounds", FIELD_SIGNED, LOOP(same_rounds), .fallback = 5 },
	{ "started", FIELD_SIGNED, LOOP(started) },
	{ "elapsed", FIELD_SIGNED, LOOP(elapsed) },
	{ "limited_until", FIELD_SIGNED, LOOP(limited_until) },
	{ "done", FIELD_SIGNED, LOOP(done) },
	{ "iteration", FIELD_SIGNED, LOOP(iteration) },
	{ "failures", FIELD_SIGNED, LOOP(failures) },
	{ "same", FIELD_SIGNED, LOOP(same) },
	{ "run", FIELD_WORD, LOOP(run), .omit = true },
	{ "boot", FIELD_WORD, LOOP(boot), .omit = true },
	{ "command", FIELD_WORDS, LOOP(words) },
	{ "rounds", FIELD_LIST, LOOP(rounds), .fields = round_fields,
	    .each = sizeof(struct round),
	    .count = offsetof(struct loop_state, nrounds) },
	{ 0 }
};

void
loop_state_release(struct loop_state *s)
{
	fields_release(loop_fields, s);
	*s = (struct loop_state){ 0 };
}

int
loop_state_write(const struct loop_state *s, int state_fd)
{
	return fields_write(state_fd, ISSUE_NAME(s->loop, "json"), loop_fields,
	    s);
}

int
loop_state_read(struct loop_state *s, int state_fd, const char *loop)
{
	int got;

	*s = (struct loop_state){ 0 };
	got = fields_read(state_fd, ISSUE_NAME(loop, "json"), STATE_BYTES,
	    loop_fields, s);
	if (got == 1 && (strcmp(s->loop, loop) != 0 || s->done < 0 ||
	    manager_named(s->manager) == NULL || (s->run[0] != '\0' &&
	    (!run_id_valid(s->run) || s->title == NULL ||
	    strchr(s->title, '/') != NULL)))) {
		errno = EBADMSG;
		got = -1;
	}
	if (got == -1)
		loop_state_release(s);
	return got;
}

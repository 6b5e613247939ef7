#include "hook/hook.h"

#include "agent/signs.h"

#define COPY(member, text) event_words((member), sizeof(member), (text))

static const char *
text_of(const struct hookevent *h, const char *field)
{
	return dialect_text(h->dialect, h->input, field);
}

/* A command alone in the background may be a server, which never ends. */
static void
read_message(struct event *o, const struct hookevent *h)
{
	const char *command = json_text(h->dialect->hooks,
	    "background_command"), *kind = NULL, *type;
	const char *text = text_of(h, "message");
	const struct json *task, *tasks = dialect_member(h->dialect, h->input,
	    "background", false);

	o->said = text != NULL;
	if (text != NULL)
		event_scan(o, h->markers, text);
	COPY(o->text, text);
	event_line(o->line, text, h->markers);
	json_each(task, tasks) {
		type = dialect_text(h->dialect, task, "background_type");
		kind = type != NULL && command != NULL &&
		    strcmp(type, command) == 0 ? "command" : "background";
		if (kind[0] == 'b')
			break;
	}
	COPY(o->kind, kind);
}

static bool
read_piece(struct event *o, const struct hookevent *h)
{
	const char *text = text_of(h, "piece");
	const char *id = text_of(h, "piece_of");
	const struct json *at = dialect_member(h->dialect, h->input,
	    "piece_index", false);
	double index = json_is(at, JSON_NUMBER) ? at->number : 0;
	struct event before, inside = { .fence = { '`', 3 } };
	bool known;

	if (text == NULL || id == NULL || index < 0 || index > INT32_MAX)
		return false;
	COPY(o->message, id);
	o->index = (unsigned)index;
	o->final = json_is_true(dialect_member(h->dialect, h->input,
	    "piece_last", false));
	known = o->index == 0 || event_piece(&before, h->state_fd, h->issue,
	    o->message, o->index - 1);
	if (known && o->index > 0)
		o->fence = before.fence;
	event_scan(o, h->markers, text);
	/* Without the piece before, a fence may be open: only markers found
	 * both ways count. */
	if (!known) {
		event_scan(&inside, h->markers, text);
		if (inside.hits.complete < o->hits.complete)
			o->hits.complete = inside.hits.complete;
		if (inside.hits.error < o->hits.error)
			o->hits.error = inside.hits.error;
		o->hits.bound_complete = o->hits.bound_error = 0;
	}
	return true;
}

/* A tool that asks is its question. */
static void
read_subject(struct event *o, const struct hookevent *h, const char *tool)
{
	const char *command = text_of(h, "command");
	bool asks = argv_has(h->dialect->questions, tool);
	struct buf words = BUF_INIT;

	buf_printf(&words, "%s%s%s", asks ? "" : tool, command && !asks ? ": " :
	    "", command ? command : "");
	COPY(o->text, buf_str(&words));
	buf_release(&words);
}

bool
hookevent_read(const struct hookevent *h, struct event *o)
{
	const char *path = text_of(h, "transcript");
	const char *tool = text_of(h, "tool"), *text, *command;
	const char *completed;

	o->type = h->event.type;
	COPY(o->session, text_of(h, "session"));
	if ((o->type == EVENT_SESSION || o->type == EVENT_TURN) &&
	    path != NULL && strlen(path) < sizeof(o->transcript))
		memcpy(o->transcript, path, strlen(path) + 1);
	switch (o->type) {
	case EVENT_SESSION:
	case EVENT_OVER:
		COPY(o->kind, text_of(h, "why"));
		return true;
	case EVENT_TURN:
		event_line(o->text, text_of(h, "prompt"), NULL);
		return true;
	case EVENT_TOOL:
		COPY(o->kind, h->event.kind);
		/* A marker in a tool's output counts if its command printed it
		 * and no helper ran the tool. */
		text = text_of(h, "output");
		command = text_of(h, "command");
		if ((tool == NULL || argv_has(h->dialect->shells, tool)) &&
		    command != NULL && text != NULL &&
		    dialect_member(h->dialect, h->input, "helper", false) ==
		    NULL && marker_command(h->markers, command))
			event_scan(o, h->markers, text);
		if (tool != NULL)
			read_subject(o, h, tool);
		return true;
	case EVENT_MESSAGE:
		if (json_follow(h->dialect->hooks, "fields.piece"))
			return read_piece(o, h);
		read_message(o, h);
		return true;
	case EVENT_WAITING:
		COPY(o->kind, h->event.kind);
		o->notice = text_of(h, "notice") != NULL;
		if (tool != NULL)
			read_subject(o, h, tool);
		else
			COPY(o->text, text_of(h, "words"));
		return true;
	case EVENT_ENDED:
		text = text_of(h, "status");
		completed = json_text(h->dialect->hooks, "completed");
		if (text != NULL && completed != NULL &&
		    strcmp(text, completed) != 0) {
			o->type = EVENT_FAILED;
			COPY(o->kind, text);
		} else {
			read_message(o, h);
		}
		return true;
	case EVENT_FAILED:
		text = text_of(h, "message");
		if (text == NULL)
			text = text_of(h, "words");
		COPY(o->kind, dialect_error(h->dialect, text_of(h, "error")));
		COPY(o->text, text);
		if (text != NULL)
			o->reset = reset_find(text, strlen(text), o->time);
		return true;
	default:
		return true;
	}
}

/*
 * loop.c - the hook that keeps an agent going, turn after turn.  The first rule
 * that holds lets the agent stop.  Else the hook counts the turn and gives the
 * prompt of the loop, or the news of the channel.  Without a count the agent
 * may stop: the loop might never end.
 */
#include <inttypes.h>

#include "hook/hook.h"
#include "loop/loop.h"
#include "marker/defang.h"
#include "run/sigfile.h"

enum { CLIENT_CAP = 8 };        /* blocks in a row, in Claude Code */

struct turn {
	struct hook_call *call;
	time_t now;
	const char *root;
	struct loopfile file;
	struct channel channel;
	struct self own;
	struct buf detail;
	bool ends;                      /* the loop is over */
};

/* ---- may it stop? -------------------------------------------------------- */

/* The evidence that the run is complete, or NULL. */
static const char *
run_complete(struct turn *t)
{
	const struct self *own = &t->own;
	const struct status *r = &own->record;
	const char *event = json_text(t->call->input, "hook_event_name");
	const char *said = json_text(t->call->input, "last_assistant_message");
	struct buf why = BUF_INIT;
	struct fence fence = { 0 };
	struct marker_set set;
	struct sigfile s;
	int found = self_find(&t->own, SELF_OPTIONS, t->root, &why);
	const char *run = own->run[0] ? own->run : NULL;

	hook_collect(&t->call->why, &why);
	if (found != 1)
		return NULL;
	if (own->dir.fd != -1 && sigfile_read(&s, own->dir.fd, own->dir.owner,
	    SIGFILE_COMPLETE, own->issue, run, r->started -
	    (r->fresh ? 0 : SIGFILE_SLACK), NULL) != -1 &&
	    s.found == SIGFILE_SIGNAL)
		return "signal";
	if (r->verdict.state == STATE_COMPLETE)
		return verdict_source(&r->verdict);
	/* All hooks of a stop run at once, so the message may not be judged
	 * yet. */
	return event != NULL && strcmp(event, "Stop") == 0 && said != NULL &&
	    marker_set_init(&set, own->issue, run, r->marker) != -1 &&
	    marker_source(&set, said, strlen(said), &fence,
	    NULL).complete > 0 ? "its message" : NULL;
}

/*
 * A rule that lets the agent stop, or NULL.  Order is policy: an unreadable
 * loop is left alone; then a request beats a count.
 */
static const char *
may_stop(struct turn *t)
{
	const char *event = json_text(t->call->input, "hook_event_name");
	const char *agent = NULL, *how;
	struct loopstate *s = &t->file.state;
	const int64_t *number = s->number;
	struct buf *detail = &t->detail, why = BUF_INIT;
	enum loopfile_result opened;
	int64_t past;

	if (event != NULL && strcmp(event, "Stop") != 0 &&
	    strcmp(event, "SubagentStop") != 0) {
		buf_printf(detail, "'%s' is no stop", event);
		return "other-event";
	}
	if (!loopfile_agent(&agent)) {
		buf_printf(detail, "TH_LOOP_AGENT is '%s': letters, digits, "
		    "'_' and '-', at most %d", agent, LOOPFILE_AGENT);
		return "bad-agent";
	}
	opened = loopfile_open(&t->file, t->root, agent, detail);
	if (opened != LOOPFILE_OK)
		return opened == LOOPFILE_MISSING ? "no-state" : opened ==
		    LOOPFILE_MALFORMED ? "malformed" : "unreadable";
	if (!loopstate_active(s)) {
		buf_printf(detail, "the status is '%s'",
		    buf_str(&s->values[LOOPSTATE_STATUS].text));
		return "inactive";
	}
	buf_printf(detail, "'%s': ", t->file.path);
	if (loopstate_numbers(s, detail) == -1)
		return "malformed";
	buf_reset(detail);
	t->ends = true;
	how = run_complete(t);
	if (how != NULL) {
		buf_printf(detail, "issue %s is complete: %s", t->own.issue,
		    how);
		return "run-complete";
	}
	t->channel.now = t->now;
	t->channel.started = number[LOOPSTATE_STARTED];
	t->channel.last_read = number[LOOPSTATE_LAST_READ];
	channel_read(&t->channel, t->root, &why);
	hook_collect(&t->call->why, &why);
	if (t->channel.stop) {
		buf_printf(detail, "'%s/%s.md' says so", CHANNEL_FOLDER,
		    t->channel.stop_day);
		return "channel-stop";
	}
	if (number[LOOPSTATE_ITERATION] >= number[LOOPSTATE_MAX_TURNS]) {
		buf_printf(detail, "%" PRId64 " of %" PRId64 " turns",
		    number[LOOPSTATE_ITERATION], number[LOOPSTATE_MAX_TURNS]);
		return "max-iterations";
	}
	past = t->now - number[LOOPSTATE_STARTED];
	if (number[LOOPSTATE_DURATION] > 0 &&
	    past >= number[LOOPSTATE_DURATION]) {
		buf_printf(detail, "%" PRId64 " of %" PRId64 " seconds", past,
		    number[LOOPSTATE_DURATION]);
		return "duration";
	}
	t->ends = false;
	return NULL;
}

/* ---- what the agent is told ---------------------------------------------- */

void
loopreason_add(struct buf *out, const char *text, size_t len)
{
	struct buf printable = BUF_INIT;
	const char *end = text + len, *p;
	unsigned long c;
	size_t size;

	if (len > LOOPREASON_MAX) {
		p = memchr(end - LOOPREASON_MAX, '\n', LOOPREASON_MAX);
		text = p != NULL ? p + 1 : end - LOOPREASON_MAX;
		buf_adds(out, "(Older messages were left out.)\n");
	}
	/* Drops control characters, of CR LF the CR. */
	for (; text < end; text += size) {
		size = utf8_decode(text, (size_t)(end - text), &c);
		if (size == 0)
			size = 1;
		else if (c != '\n' && c != '\t' &&
		    (c < 0x20 || (c >= 0x7f && c < 0xa0)))
			continue;
		buf_add(&printable, text, size);
	}
	defang_add(out, buf_str(&printable), printable.len, NULL, DEFANG_BLANK);
	buf_release(&printable);
}

static bool
write_state(struct turn *t)
{
	if (loopfile_write(&t->file, t->root) == 0)
		return true;
	buf_printf(hook_more(&t->call->why), "cannot write '%s': %s",
	    t->file.path, strerror(errno));
	return false;
}

int
hook_loop(struct hook_call *c)
{
	struct turn t = { .call = c, .now = (time_t)(clock_wall() / 1000),
	    .root = hook_folder() };
	struct loopstate *s = &t.file.state;
	struct buf *given = &s->values[LOOPSTATE_PROMPT].text;
	char time[CHANNEL_TIME] = "the loop began";
	struct buf text = BUF_INIT;
	const char *caps = getenv("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"), *word;
	int64_t cap = CLIENT_CAP, since, turns;         /* cap 0: any number */
	bool prompted;

	word = may_stop(&t);
	if (word != NULL) {
		buf_printf(hook_more(&c->why), "%s: %s", word,
		    buf_str(&t.detail));
		if (t.ends) {
			loopstate_set(s, LOOPSTATE_STATUS, "stopped");
			write_state(&t);
		}
		return 0;
	}
	prompted = !text_empty(given->data, given->len);
	if (!prompted)
		given = &t.channel.news;
	loopreason_add(&text, buf_str(given), given->len);
	if (text_empty(text.data, text.len)) {
		buf_reset(&text);
		since = s->number[LOOPSTATE_LAST_READ];
		if (since == -1)
			since = s->number[LOOPSTATE_STARTED];
		if (since != -1)
			channel_time(time, since);
		buf_printf(&text, "(No new messages since %s)", time);
	}
	/* The client counts blocks since the last use of a tool.  The turns of
	 * the loop are at least as many, so a warning may come too often. */
	if (caps != NULL && caps[0] != '\0' &&
	    caps[strspn(caps, "0123456789")] == '\0')
		cap = strtol(caps, NULL, 10);
	turns = s->number[LOOPSTATE_ITERATION];
	if (cap != 0 && turns >= cap - 2 && hook_kept_going(c))
		buf_printf(&text, "\n\n(The client keeps a turn going for %"
		    PRId64 " blocks of a hook in a row and then ends it, "
		    "unless a tool is used in between. Use one in this turn.)",
		    cap);
	loopstate_set_number(s, LOOPSTATE_ITERATION, turns + 1);
	if (!prompted)
		loopstate_set_number(s, LOOPSTATE_LAST_READ, t.now);
	return hook_block(c, &t.own, &text) && !write_state(&t) ? -1 : 0;
}

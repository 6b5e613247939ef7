/*
 * loop.c - the hook that keeps an agent going, turn after turn.
 *
 * A table of rules decides, from top to bottom: the first rule that holds lets
 * the agent stop, and is named on standard error.  If none holds, the hook
 * counts the turn and gives the agent the prompt of the loop, or the news of
 * the channel.  If it cannot count the turn, it lets the agent stop: the loop
 * might never end.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/utf8.h"
#include "hook/hook.h"
#include "loop/loop.h"
#include "marker/defang.h"
#include "marker/markersource.h"
#include "run/self.h"
#include "run/sigfile.h"

enum { CLIENT_CAP = 8 };        /* blocks in a row, in Claude Code */

struct turn {
	struct hook_call *call;
	time_t now;
	const char *root, *agent;       /* the folder; the name, or NULL */
	enum loopfile_result opened;
	struct loopfile file;
	struct loopstate *state;        /* in the file; the rules ask it */
	struct channel channel;
	struct self own;                /* the run it belongs to, or none */
	struct buf detail;              /* what is said behind a rule's word */
};

/* ---- the loop ------------------------------------------------------------ */

static bool
other_event(struct turn *t)
{
	const char *event = json_text(t->call->input, "hook_event_name");

	if (event == NULL || strcmp(event, "Stop") == 0 ||
	    strcmp(event, "SubagentStop") == 0)
		return false;
	buf_printf(&t->detail, "'%s' is no stop", event);
	return true;
}

static bool
bad_agent(struct turn *t)
{
	const char *name = getenv("TH_LOOP_AGENT");

	t->agent = name != NULL && name[0] != '\0' ? name : NULL;
	if (t->agent == NULL || loopfile_agent_valid(t->agent))
		return false;
	buf_printf(&t->detail, "TH_LOOP_AGENT is '%s': letters, digits, '_' "
	    "and '-', at most %d", t->agent, LOOPFILE_AGENT);
	return true;
}

static const char *const unopened[] = {
	[LOOPFILE_MISSING] = "no-state",
	[LOOPFILE_MALFORMED] = "malformed",
	[LOOPFILE_FAILED] = "unreadable",
};

static bool
not_open(struct turn *t)
{
	t->opened = loopfile_open(&t->file, t->root, t->agent, &t->detail);
	return t->opened != LOOPFILE_OK;
}

static bool
inactive(struct turn *t)
{
	const struct buf *status = &t->state->values[LOOPSTATE_STATUS].text;

	if (loopstate_is(t->state, "active"))
		return false;
	buf_printf(&t->detail, "the status is '%.*s'", (int)status->len,
	    status->len > 0 ? status->data : "");
	return true;
}

static bool
bad_numbers(struct turn *t)
{
	buf_printf(&t->detail, "'%s': ", t->file.path);
	if (loopstate_numbers(t->state, &t->detail) == -1)
		return true;
	buf_reset(&t->detail);
	return false;
}

/* ---- the run it belongs to ----------------------------------------------- */

/* Has our run left a signal that it is complete? */
static bool
signalled(const struct self *own)
{
	const struct status *r = &own->record;
	msec from = r->started - (r->fresh ? 0 : SIGFILE_SLACK);
	struct sigfile s;

	return own->dir.fd != -1 && sigfile_read(&s, own->dir.fd,
	    own->dir.owner, SIGFILE_COMPLETE, own->issue,
	    own->run[0] ? own->run : NULL, from, NULL) != -1 &&
	    s.found == SIGFILE_SIGNAL;
}

/* Does the message of this very turn report it?  The event of it may not be
 * judged yet: all hooks of a stop run at once. */
static bool
said(const struct self *own, const cJSON *input)
{
	const char *event = json_text(input, "hook_event_name");
	const char *text = json_text(input, "last_assistant_message");
	struct fence fence = { 0 };
	struct marker_set set;

	return event != NULL && strcmp(event, "Stop") == 0 && text != NULL &&
	    marker_set_init(&set, own->issue, own->run[0] ? own->run : NULL,
	    own->record.marker) != -1 &&
	    marker_source(&set, text, strlen(text), &fence,
	    NULL).complete > 0;
}

static bool
run_complete(struct turn *t)
{
	const struct verdict *v = &t->own.record.verdict;
	struct buf why = BUF_INIT;
	const char *how = NULL;

	if (self_find(&t->own, SELF_OPTIONS, t->root, &why) == 1)
		how = signalled(&t->own) ? "signal" :
		    v->state == STATE_COMPLETE ? verdict_source(v) :
		    said(&t->own, t->call->input) ? "its message" : NULL;
	hook_collect(&t->call->why, &why);
	if (how != NULL)
		buf_printf(&t->detail, "issue %s is complete: %s",
		    t->own.issue, how);
	return how != NULL;
}

/* ---- its limits ---------------------------------------------------------- */

static bool
channel_stop(struct turn *t)
{
	const struct loopstate *s = t->state;
	const struct channel_question question = { t->now, s->started,
	    s->last_read };
	struct buf why = BUF_INIT;

	channel_read(&t->channel, t->root, &question, &why);
	hook_collect(&t->call->why, &why);
	if (t->channel.stop)
		buf_printf(&t->detail, "'%s/%s.md' says so", CHANNEL_FOLDER,
		    t->channel.stop_day);
	return t->channel.stop;
}

static bool
max_iterations(struct turn *t)
{
	const struct loopstate *s = t->state;

	if (s->iteration < s->max)
		return false;
	buf_printf(&t->detail, "%" PRId64 " of %" PRId64 " turns",
	    s->iteration, s->max);
	return true;
}

static bool
duration(struct turn *t)
{
	const struct loopstate *s = t->state;

	if (s->duration == 0 || t->now < s->started ||
	    t->now - s->started < s->duration)
		return false;
	buf_printf(&t->detail, "%" PRId64 " of %" PRId64 " seconds",
	    (int64_t)t->now - s->started, s->duration);
	return true;
}

/*
 * Why an agent may stop.  Order is policy: a loop that is not ours, or that
 * cannot be read, is left alone; then a request beats a count.  Later rules may
 * use what earlier ones have read.
 */
static const struct rule {
	const char *word;               /* NULL: that of unopened[] */
	bool      (*holds)(struct turn *);
	bool        ends;               /* the loop, so that none goes on */
} rules[] = {
	{ "other-event",    other_event,    false },
	{ "bad-agent",      bad_agent,      false },
	{ NULL,             not_open,       false },  /* opens the file */
	{ "inactive",       inactive,       false },
	{ "malformed",      bad_numbers,    false },  /* reads them */
	{ "run-complete",   run_complete,   true },
	{ "channel-stop",   channel_stop,   true },   /* reads the channel */
	{ "max-iterations", max_iterations, true },
	{ "duration",       duration,       true },
};

/* ---- what the agent is told ---------------------------------------------- */

/* Control characters are dropped, of CR LF the CR; tabs and lines stay. */
static void
add_printable(struct buf *out, const char *text, size_t len)
{
	unsigned long c;
	size_t size;

	for (; len > 0; text += size, len -= size) {
		size = utf8_decode(text, len, &c);
		if (size == 0)
			size = 1;
		else if (c != '\n' && c != '\t' &&
		    (c < 0x20 || (c >= 0x7f && c < 0xa0)))
			continue;
		buf_add(out, text, size);
	}
}

void
loopreason_add(struct buf *out, const char *text, size_t len)
{
	struct buf printable = BUF_INIT;
	const char *end, *p;

	if (len == 0)
		return;                 /* text may be NULL */
	end = text + len;
	if (len > LOOPREASON_MAX) {
		p = memchr(end - LOOPREASON_MAX, '\n', LOOPREASON_MAX);
		text = p != NULL ? p + 1 : end - LOOPREASON_MAX;
		buf_adds(out, "(What is older has been left out.)\n");
	}
	add_printable(&printable, text, (size_t)(end - text));
	defang_add(out, buf_str(&printable), printable.len, NULL,
	    DEFANG_BLANK);
	buf_release(&printable);
}

/* ---- the hook ------------------------------------------------------------ */

static bool
write_state(struct turn *t)
{
	if (loopfile_write(&t->file, t->root) == 0)
		return true;
	buf_printf(hook_more(&t->call->why), "cannot write '%s': %s",
	    t->file.path, strerror(errno));
	return false;
}

/* Gives the agent the prompt, else what is new in the channel. */
static void
block(struct turn *t)
{
	struct loopstate *s = t->state;
	const struct buf *prompt = &s->values[LOOPSTATE_PROMPT].text;
	int64_t since = s->last_read != -1 ? s->last_read : s->started;
	char time[CHANNEL_TIME] = "the loop began";
	struct buf text = BUF_INIT, reason = BUF_INIT, *why = &t->call->why;
	const char *caps = getenv("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP");
	int64_t cap = CLIENT_CAP;       /* 0: as often as they like */
	bool prompted;
	char *end;
	long n;

	loopreason_add(&text, prompt->data, prompt->len);
	prompted = !text_empty(text.data, text.len);
	if (!prompted) {
		buf_reset(&text);
		loopreason_add(&text, buf_str(&t->channel.news),
		    t->channel.news.len);
	}
	if (text_empty(text.data, text.len)) {
		buf_reset(&text);
		if (since != -1)
			channel_time(time, since);
		buf_printf(&text, "(No new messages since %s)", time);
	}
	/* The client counts blocks in a row, and the use of a tool resets its
	 * count.  The hook knows only the turns of the loop, which are at least
	 * as many.  So it warns once too often rather than never. */
	if (caps != NULL && caps[0] >= '0' && caps[0] <= '9') {
		n = strtol(caps, &end, 10);
		cap = *end == '\0' ? n : CLIENT_CAP;
	}
	if (cap != 0 && s->iteration >= cap - 2 && hook_kept_going(t->call))
		buf_printf(&text, "\n\n(The client keeps a turn going for %"
		    PRId64 " blocks of a hook in a row and then ends it, "
		    "unless a tool is used in between. Use one in this turn.)",
		    cap);
	defang_add(&reason, text.data, text.len, t->own.record.marker,
	    DEFANG_BLANK);
	loopstate_set_number(s, LOOPSTATE_ITERATION, s->iteration + 1);
	if (!prompted)
		loopstate_set_number(s, LOOPSTATE_LAST_READ, t->now);
	if (t->own.unsure)
		buf_adds(hook_more(why), "the agent is not kept going");
	else if (!defang_clean(reason.data, reason.len, t->own.record.marker))
		buf_adds(hook_more(why), "the reason holds the run's own "
		    "marker");
	else if (write_state(t))
		hook_block(t->call, buf_str(&reason));
	buf_release(&text);
	buf_release(&reason);
}

int
hook_loop(struct hook_call *c)
{
	struct turn t = {
		.call = c, .now = (time_t)(clock_wall() / 1000),
		.root = hook_folder(),
		.file = LOOPFILE_INIT, .channel = CHANNEL_INIT,
	};
	size_t i, n = sizeof(rules) / sizeof(rules[0]);

	t.state = &t.file.state;
	self_init(&t.own);
	for (i = 0; i < n && !rules[i].holds(&t); i++)
		continue;
	if (i < n)
		buf_printf(hook_more(&c->why), "%s: %s", rules[i].word ?
		    rules[i].word : unopened[t.opened], buf_str(&t.detail));
	else
		block(&t);
	if (i < n && rules[i].ends) {
		loopstate_set_word(t.state, LOOPSTATE_STATUS, "stopped");
		write_state(&t);
	}
	loopfile_close(&t.file);
	channel_release(&t.channel);
	self_release(&t.own);
	buf_release(&t.detail);
	return 0;
}

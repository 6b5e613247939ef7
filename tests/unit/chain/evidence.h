/*
 * evidence.h - evidence in words, for tables of what a detector makes of it.
 *
 *	"final, pane=gone, exit_code=7, last=so long, hook.time=now-2000"
 *
 * sets those fields.  Without "+" in front it begins with a living pane that
 * has printed nothing of interest.  A name alone is 1.
 */
#ifndef PANEWARD_EVIDENCE_H
#define PANEWARD_EVIDENCE_H

#include "chain/detectors.h"

#include "tap.h"

static struct evidence ev;

#define FIELD(name, field) name, offsetof(struct evidence, field), \
	sizeof(ev.field)
#define NUMBER(name) { FIELD(#name, name), 'n', { NULL } }
#define TEXT(name)   { FIELD(#name, name), 't', { NULL } }
#define ENUM(name, ...) { FIELD(#name, name), 'n', { __VA_ARGS__ } }
#define MARKERS(name) \
	{ FIELD(#name ".complete", name.hits.complete), 'n', { NULL } }, \
	{ FIELD(#name ".error", name.hits.error), 'n', { NULL } }, \
	{ FIELD(#name ".bound_complete", name.hits.bound_complete), 'n', \
	    { NULL } }, \
	{ FIELD(#name ".bound_error", name.hits.bound_error), 'n', { NULL } }, \
	{ FIELD(#name ".stale", name.hits.stale), 'n', { NULL } }, \
	NUMBER(name.ignored.complete), NUMBER(name.ignored.error)
#define EVENTS(name) MARKERS(name), NUMBER(name.there), NUMBER(name.told), \
	NUMBER(name.unsaid), NUMBER(name.time), NUMBER(name.reset), \
	NUMBER(name.asked), TEXT(name.kind), TEXT(name.text), \
	{ FIELD(#name ".message", name.error), 't', { NULL } }, \
	ENUM(name.last, "none", "session", "turn", "tool", "message", \
	    "compact", "waiting", "ended", "failed", "over")
#define SIGNAL(name, kind) \
	{ FIELD(name, signal[kind].found), 'n', \
	    { "none", "there", "stale", "refused" } }, \
	{ FIELD(name ".text", signal_text[kind]), 'b', { NULL } }

static const struct evidence_word {
	const char *name;
	size_t at, size;
	char   kind;                    /* number, text, buf */
	const char *values[10];         /* of an enum */
} evidence_words[] = {
	ENUM(pane, "unseen", "lives", "dead", "gone", "none", "silent"),
	SIGNAL("signal-complete", SIGFILE_COMPLETE),
	SIGNAL("signal-error", SIGFILE_ERROR),
	EVENTS(hook), EVENTS(transcript), MARKERS(log), MARKERS(capture),
	{ FIELD("log.message", log.message), 'b', { NULL } },
	{ FIELD("capture.message", capture.message), 'b', { NULL } },
	NUMBER(log_there), NUMBER(capture_alone), NUMBER(errors),
	NUMBER(reload), NUMBER(transcript_due), NUMBER(transcript_told),
	NUMBER(final), NUMBER(agent_ended), NUMBER(exit_code), NUMBER(exit_signal),
	NUMBER(exit_is_report), NUMBER(lease_over), NUMBER(silent),
	NUMBER(unsure), NUMBER(stalled_after), NUMBER(wall), TEXT(last),
	NUMBER(screen.text), NUMBER(screen.dialog),
	ENUM(screen.state, "none", "working", "asking", "waiting", "limited"),
};

static inline void
evidence_value(const struct evidence_word *w, const char *value)
{
	void *to = (char *)&ev + w->at;
	struct buf *text = to;
	int n = 0;

	while (n < 9 && w->values[n] && strcmp(w->values[n], value) != 0)
		n++;
	ok(w->values[0] == NULL || w->values[n] != NULL);
	if (w->values[0] == NULL)
		n = atoi(value);
	if (w->kind == 't') {
		snprintf(to, w->size, "%s", value);
	} else if (w->kind == 'b') {
		text->len = 0;
		buf_adds(text, value);
	} else if (w->size == sizeof(bool)) {
		*(bool *)to = n != 0;
	} else if (w->size == sizeof(int)) {
		*(int *)to = n;
	} else {
		*(msec *)to = strncmp(value, "now", 3) != 0 ? atoll(value) :
		    ev.wall + atoll(value + 3);
	}
}

static inline void
evidence_set(const char *words)
{
	const struct evidence_word *w, *end = evidence_words +
	    sizeof(evidence_words) / sizeof(evidence_words[0]);
	char copy[512], *item, *value, *rest = copy;

	if (words[0] != '+') {
		evidence_release(&ev);
		evidence_init(&ev, "7");
		ev.pane = PANE_LIVES;
		ev.wall = 10000000;
	}
	snprintf(copy, sizeof(copy), "%s", words + (words[0] == '+'));
	while ((value = strsep(&rest, ",")) != NULL) {
		value += *value == ' ';
		item = strsep(&value, "=");
		for (w = evidence_words; w < end; w++)
			if (strcmp(w->name, item) == 0)
				break;
		if (w == end && *item != '\0')
			is_text(item, "a word of evidence");
		else if (w < end)
			evidence_value(w, value != NULL ? value : "1");
	}
}

#endif

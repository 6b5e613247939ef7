#include "queue/issues.h"

#include "base/text.h"
#include "run/restart.h"

enum {
	CAPTURE_QUIET = 1000,           /* ms without output, or */
	CAPTURE_EVERY = 3000,           /* ms since the last capture */
	JUDGE_EVERY = 10000             /* ms, though nothing changed */
};

bool
look_rests(const struct look *k, const struct tmux_pane *pane)
{
	return !pane->dead && (msec)pane->activity * 1000 + 1000 < k->judged &&
	    clock_wall() < k->judged + JUDGE_EVERY &&
	    k->title == text_hash(pane->title, strlen(pane->title)) &&
	    !events_unread(k->sources.dir->state_fd,
	    k->sources.record->issue, k->sources.events.read);
}

bool
look_wants(const struct look *k)
{
	msec now = clock_wall();

	/* tmux counts in seconds. */
	return k == NULL || k->captured == 0 ||
	    (k->activity + 1000 > k->captured &&
	    (now >= k->activity + 1000 + CAPTURE_QUIET ||
	    now >= k->captured + CAPTURE_EVERY));
}

bool
look_misled(const struct look *k)
{
	return clock_wall() < k->judged;
}

bool
look_judge(struct look *k, const struct tmux_pane *pane,
    const struct tmux_capture *c, struct backends *backends,
    const char *configured)
{
	struct sources *s = &k->sources;
	struct status *r = s->record;
	bool issue = s->dir->fd != -1, first = k->captured == 0, changes;
	struct buf error = BUF_INIT;
	struct verdict v;

	if (issue) {
		reload_take(r, s->dir->state_fd, &k->evidence.reload);
		reload_find(r, s->dir->state_fd, pane);
	} else {
		k->evidence.reload = r->reload.since != 0;
	}
	sources_life(s, &k->evidence, pane->dead ? PANE_DEAD : PANE_LIVES,
	    pane);
	sources_backend(s, backends, pane->command, configured, &error);
	buf_release(&error);
	s->now = k->judged = clock_wall();
	k->title = text_hash(pane->title, strlen(pane->title));
	s->title = pane->title;
	/* Without an issue the agent was found by its process: a shell in front
	 * is its wrapper. */
	s->foreground = issue ? pane->command : NULL;
	s->text = c != NULL ? c->text : NULL;
	s->text_len = c != NULL ? c->len : 0;
	if (c != NULL)
		k->captured = s->now;
	s->events_due = true;
	judge(s, &k->evidence, &v);
	s->pane = NULL;
	s->title = s->foreground = s->text = NULL;
	changes = judge_changes(r, &v);
	if (!issue && (v.state == STATE_NONE || state_ended(v.state)))
		return false;           /* its process is searched again */
	if (!changes) {
		/* An agent without a record is told as it goes on. */
		if (r->run[0] != '\0')
			return false;
		changes = strcmp(r->verdict.why, v.why) != 0 ||
		    strcmp(r->verdict.message, v.message) != 0;
		r->verdict = v;
		return changes;
	}
	if (issue && (state_reported(v.state) || state_ended(v.state)))
		verdict_add_why(&v, v.state == STATE_ERROR ?
		    "; not recorded yet, 'paneward sweep --check-errors' does "
		    "that" : "; not recorded yet, 'paneward sweep' does that");
	judge_since(r, &v, &k->evidence, first, k->judged,
	    first ? 0 : k->judged);
	r->verdict = v;
	return true;
}

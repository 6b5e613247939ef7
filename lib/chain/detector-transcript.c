#include "chain/sources.h"

/* ms between searches; before an adopted run began */
enum { TRANSCRIPT_SEARCH = 700, TRANSCRIPT_SLACK = 2000 };

static void
find_transcript(struct sources *s, struct evidence *ev,
    const struct transcript_place *place, struct transcript_found *found)
{
	struct status *r = s->record;
	bool runs = r->agent.pid != 0 && !r->ended &&
	    proc_alive(r->agent.pid, r->agent.start), another, left;
	struct proc process;
	const struct transcript_lead lead = {
		.agent = runs ? r->agent.pid : 0,
		.session = r->agent.session, .run = r->run,
		.told = ev->hook.transcript[0] != '\0' ?
		    ev->hook.transcript : NULL,
		.told_session = ev->hook.session,
		.known = s->transcript_error != ENOENT ? r->transcript.path :
		    NULL,
	};

	transcript_find(found, place, &lead);
	/* An issue's run goes on with its session. */
	if (!runs && s->dir->fd != -1) {
		left = found->left_to != 0 &&
		    proc_read(&process, found->left_to) == 0;
		s->changed |= left || r->agent.background;
		r->agent.background = left;
		r->agent.pid = left ? process.pid : r->agent.pid;
		r->agent.start = left ? process.start : r->agent.start;
	}
	/* A process may begin another session.  If that goes on in another
	 * process, only its own hooks report it: the old session's last report
	 * would stand for ever. */
	another = found->session != NULL && status_session(r, found->session);
	s->changed |= another;
	r->agent.moved |= another && found->moved;
	if (another && r->agent.moved) {
		r->ignored_events = (struct marker_ignored){ 0 };
		s->events = (struct events_reader){ 0 };
		s->events_due = true;
		if (!s->pass)
			evidence_again(ev, s->now);
	}
	if (found->path == NULL || (r->transcript.path != NULL &&
	    strcmp(r->transcript.path, found->path) == 0))
		return;
	if (r->transcript.path != NULL)
		r->tokens = (struct token_count){ .sum = r->tokens.sum,
		    .newest = r->tokens.newest, .since = r->tokens.newest };
	free(r->transcript.path);
	r->transcript.path = found->path;
	found->path = NULL;
	if (r->backend == NULL)
		r->backend = xstrdup(s->backend->name);
	s->changed = true;
}

bool
gather_transcript(struct sources *s, struct evidence *ev)
{
	struct transcript *t = &s->transcript;
	struct transcript_found found = { .path = NULL };
	const struct transcript_place *place;
	struct status *r = s->record;
	msec since = r->started - (r->adopted ? TRANSCRIPT_SLACK : 0);
	bool lives, background = r->agent.background;

	ev->transcript_told = r->transcript.said;
	ev->said = &s->said;
	if (s->backend == NULL || s->backend->transcript == NULL)
		return false;
	/* Reads anew lines with old markers, and lines that a record from the
	 * disk has not counted. */
	if (since < r->transcript.past)
		since = r->transcript.past;
	if (t->since != since || t->format != s->backend->transcript ||
	    t->read > r->tokens.read) {
		ev->transcript = (struct event_evidence){ .there = false };
		*t = (struct transcript){ .since = since,
		    .resumed = !r->adopted };
	}
	t->events = &ev->transcript;
	t->tokens = &r->tokens;
	t->began = r->started;
	t->format = s->backend->transcript;
	t->said = &s->said;
	t->markers = &s->log.set;
	place = s->replay ? NULL : transcript_place(t->format);
	ev->wall = clock_wall();
	lives = ev->pane == PANE_LIVES && !ev->agent_ended;
	if (place != NULL && r->transcript.path != NULL && !s->pass &&
	    s->now < s->transcript_at && (lives || r->agent.background)) {
		evidence_again(ev, s->transcript_at);
	} else if (place != NULL) {
		s->transcript_at = s->now + TRANSCRIPT_SEARCH;
		find_transcript(s, ev, place, &found);
		/* No pane prints that its state has changed. */
		if ((background || r->agent.background) && !s->pass)
			evidence_again(ev, s->transcript_at);
	}
	if (!s->replay)
		s->transcript_path = place != NULL ? r->transcript.path : NULL;
	if (s->transcript_path != NULL) {
		s->transcript_error = transcript_read_path(t,
		    s->transcript_path) == -1 ? errno : 0;
	}
	if (found.process != NULL)
		transcript_process(t, found.process);
	transcript_found_release(&found);
	/* Some clients make the file with the first message; all write other
	 * lines first. */
	ev->transcript_due = place != NULL && r->agent.session != NULL &&
	    (s->transcript_path == NULL ? place->late :
	    s->transcript_error == 0 && t->known == 0 && t->strange == 0);
	s->changed |= ev->transcript.told && !r->transcript.said;
	r->transcript.said |= ev->transcript.told;
	ev->transcript_told = r->transcript.said ||
	    (t->known > 0 && t->strange == 0);
	return ev->transcript.there;
}

bool
detect_transcript(const struct evidence *ev, struct verdict *v)
{
	return detect_events(ev, &ev->transcript, "in its transcript", v);
}

void
describe_transcript(struct sources *s, const struct evidence *ev,
    struct buf *out)
{
	const struct transcript *t = &s->transcript;

	if (s->transcript_path == NULL) {
		buf_adds(out, "none is known");
		if (ev->transcript.there) {
			buf_adds(out, ", but a file of its process: ");
			describe_events(&ev->transcript, out);
		}
		return;
	}
	buf_printf(out, "'%s': ", s->transcript_path);
	if (s->backend == NULL || s->backend->transcript == NULL)
		buf_adds(out, "its format is not known");
	else if (s->transcript_error != 0)
		buf_adds(out, s->transcript_error == EBADMSG ?
		    "no file of yours" : strerror(s->transcript_error));
	else if (t->known == 0)
		buf_printf(out, "none of its %u lines is of the known format",
		    t->lines);
	else
		describe_events(&ev->transcript, out);
	tokens_describe(out, "; tokens: ", &s->record->tokens.sum);
	if (ev->transcript.hits.stale > 0)
		buf_printf(out, "; %u markers are of another run, or from "
		    "before", ev->transcript.hits.stale);
	if (t->strange > 0)
		buf_printf(out, "; %u lines with a marker are of no known "
		    "format", t->strange);
	if (t->broken > 0)
		buf_printf(out, "; %u lines are no JSON", t->broken);
	if (t->oversize > 0)
		buf_printf(out, "; %u lines are too long", t->oversize);
}

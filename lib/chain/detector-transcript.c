#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chain/detectors.h"
#include "chain/sources.h"

/* Where is it?  Clients begin another one in the same process. */
static void
find_transcript(struct sources *s)
{
	struct status *r = s->record;
	const struct transcript_place *place = transcript_place(
	    s->transcript.format);
	struct transcript_found found;

	if (s->replay || place == NULL)
		return;
	transcript_find(&found, place, r->ended ? 0 : r->agent.pid,
	    r->agent.session);
	if (found.process != NULL)
		transcript_process(&s->transcript, found.process);
	if (found.path != NULL && (r->transcript == NULL ||
	    strcmp(r->transcript, found.path) != 0)) {
		if (r->transcript != NULL)
			r->ignored_transcript = (struct marker_ignored){ 0 };
		free(r->transcript);
		r->transcript = found.path;
		found.path = NULL;
		s->changed = true;
	}
	transcript_found_release(&found);
	s->transcript_path = r->transcript;
}

static void
read_transcript(struct sources *s)
{
	int fd = transcript_open(s->transcript_path);

	s->transcript_error = fd == -1 ||
	    transcript_read(&s->transcript, fd) == -1 ? errno : 0;
	if (fd != -1)
		close(fd);
}

bool
gather_transcript(struct sources *s, struct evidence *ev)
{
	struct transcript *t = &s->transcript;
	struct marker_ignored *ignored = &s->record->ignored_transcript;

	t->format = s->backend != NULL ? s->backend->transcript : NULL;
	if (t->format == NULL)
		return false;
	ev->wall = clock_wall();
	t->markers = &s->log.set;
	t->started = s->record->started;
	find_transcript(s);
	if (s->transcript_path != NULL)
		read_transcript(s);
	/* A file may be written anew, and shorter. */
	if (ignored->complete > t->events.hits.complete)
		ignored->complete = t->events.hits.complete;
	if (ignored->error > t->events.hits.error)
		ignored->error = t->events.hits.error;
	t->events.ignored = *ignored;
	ev->transcript = t->events;
	return t->events.there;
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
	if (t->broken > 0)
		buf_printf(out, "; %u lines are no JSON", t->broken);
	if (t->oversize > 0)
		buf_printf(out, "; %u lines are too long", t->oversize);
}

#include "chain/sources.h"
#include "data/shell.h"

bool
gather_screen(struct sources *s, struct evidence *ev)
{
	struct screen *screen = &s->screen;
	msec wall = clock_wall();
	bool told;

	if (s->title != NULL)
		screen_title(screen, s->title);
	if (s->foreground != NULL && s->record->adopted)
		screen->shell_in_front = shell_known(s->foreground);
	if (s->text != NULL)
		screen_capture(screen, s->text, s->text_len, wall);
	if (s->recall && !screen->captured)
		return screen->signs != NULL &&
		    screen_recall(&ev->screen, &s->record->verdict);
	told = screen_tell(screen, &ev->screen, ev->parked, wall);
	if (ev->screen.state == STATE_ASKING)
		screen->dialog = wall;
	return told;
}

bool
detect_screen(const struct evidence *ev, struct verdict *v)
{
	const struct screen_evidence *s = &ev->screen;
	const struct event_evidence *e = ev->hook.there ? &ev->hook :
	    &ev->transcript;

	/* The screen of a stalled agent may still show work. */
	if (s->state == STATE_NONE || ev->reload ||
	    (s->state == STATE_WORKING && ev->silent >= ev->stalled_after))
		return false;
	/* A dialog from before the end of its turn is answered. */
	if (s->kind != NULL && e->last == EVENT_ENDED && s->text < e->time)
		return false;
	v->reset = s->reset;
	v->question = s->question;
	if (s->asked != NULL)
		verdict_message(v, s->asked, strlen(s->asked));
	return detector_decides(v, s->state, "%s%s%s", s->what,
	    s->reset != 0 ? " until " : "", s->reset != 0 ?
	    CLOCK_WORDS(s->reset) : "");
}

void
describe_screen(struct sources *s, const struct evidence *ev, struct buf *out)
{
	(void)ev;
	if (s->backend == NULL) {
		buf_adds(out, "the backend is not known");
		return;
	}
	buf_printf(out, "backend %s: ", s->backend->name);
	if (s->backend->signs.n == 0)
		buf_adds(out, "it has no signs");
	else
		screen_describe(&s->screen, out);
}

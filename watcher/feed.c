#include "watcher/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "queue/queue.h"
#include "queue/segment.h"

struct feed {
	struct queue   *queue;
	struct segment *segment;
};

enum shown { SHOWN_NOT, SHOWN, SHOWN_UNKNOWN };

static enum shown
feed_shown_by(const struct tmux_server *s)
{
	static const char format[] =
	    "#{m:*PANEWARD_QUEUE*,#{status-left}#{status-right}}"
	    "#{m:*@paneward_state*,#{window-status-format}"
	    "#{window-status-current-format}}";
	struct buf answer = BUF_INIT, why = BUF_INIT;
	enum shown shown = s->result == TMUX_OK ||
	    s->result == TMUX_NO_SERVER ? SHOWN_NOT : SHOWN_UNKNOWN;

	if (s->listing.npanes > 0 && tmux_pane_tell(s->socket,
	    s->listing.panes[0].id, format, &answer, &why) != TMUX_OK)
		shown = SHOWN_UNKNOWN;
	if (strchr(buf_str(&answer), '1') != NULL)
		shown = SHOWN;
	buf_release(&answer);
	buf_release(&why);
	return shown;
}

static void
feed_show(struct watch *w)
{
	size_t n;
	struct row *const *rows = queue_rows(w->feed->queue, &n);

	segment_set(w->feed->segment, rows, n);
}

static void
feed_begin(struct watch *w)
{
	w->feed = xmalloc(sizeof(*w->feed));
	*w->feed = (struct feed){ .queue = queue_new(&(struct queue_how){
	    .context = &w->sites->context, .all = true, .panes = true,
	    .loop = &w->loop }) };
	queue_look(w->feed->queue);
	w->feed->segment = segment_new(queue_servers(w->feed->queue));
	feed_show(w);
}

void
feed_look(struct watch *w)
{
	const struct tmux_server *s = w->sites == NULL ? NULL :
	    w->servers.first;
	bool unknown = false;

	for (; s != NULL; s = s->next)
		switch (feed_shown_by(s)) {
		case SHOWN:
			if (w->feed == NULL)
				feed_begin(w);
			return;
		case SHOWN_UNKNOWN:
			unknown = true;
			break;
		case SHOWN_NOT:
			break;
		}
	if (!unknown)
		feed_end(w);
}

void
feed_turn(struct watch *w)
{
	if (queue_changed(w->feed->queue))
		feed_show(w);
}

void
feed_end(struct watch *w)
{
	if (w->feed == NULL)
		return;
	segment_free(w->feed->segment);
	queue_free(w->feed->queue);
	free(w->feed);
	w->feed = NULL;
}

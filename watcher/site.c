#include "watcher/site.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "run/queued.h"
#include "watcher/hold.h"

struct site *
site_new(struct watch *w, struct site **end)
{
	struct site *s = xmalloc(sizeof(*s));

	*s = (struct site){ .watch = w, .context.dir = STATUSDIR_INIT,
	    .dir_watch = -1, .state_watch = -1, .all = LOCK_INIT };
	while (*end != NULL)
		end = &(*end)->next;
	return *end = s;
}

void
site_free(struct site *s)
{
	struct watch *w = s->watch;
	struct site **link = &w->sites;

	while (*link != s)
		link = &(*link)->next;
	*link = s->next;
	notify_unwatch(w->notify, s->dir_watch);
	notify_unwatch(w->notify, s->state_watch);
	lock_release(&s->all);
	pattern_free(s->rules.pattern);
	argv_free(s->unread);
	context_close(&s->context);
	free(s);
}

int
site_prepare(struct site *s, struct buf *wrong)
{
	struct watch *w = s->watch;
	struct config *config = &s->context.config;
	struct backend used;

	if (runner_choose(config, w->handoff, w->no_handoff, wrong) == -1 ||
	    backend_read(&used, config->backend, wrong) == -1)
		return -1;
	backend_release(&used);
	s->rules = paneowner_open(&s->context);
	return 0;
}

void
site_watch(struct site *s)
{
	const struct statusdir *dir = &s->context.dir;
	struct notify *n = s->watch->notify;

	notify_unwatch(n, s->dir_watch);
	notify_unwatch(n, s->state_watch);
	s->dir_watch = notify_watch(n, dir->fd, NOTIFY_DIRECTORY);
	/* Only renames there, so that a line in the journal does not wake every
	 * watcher of the directory. */
	s->state_watch = notify_watch(n, dir->state_fd, NOTIFY_RENAMES);
}

void
site_claim(struct site *s)
{
	const struct watch *w = s->watch;

	if (!w->all || w->policy->once || w->no_handoff || w->handoff != NULL ||
	    w->warned_most)
		lock_release(&s->all);
	else if (s->all.fd != -1)
		lock_touch(&s->all);
	else
		lock_take(&s->all, s->context.dir.state_fd, STATUSDIR_ALL);
	if (s->all.fd != -1)
		queued_go(&s->context.dir);
}

void
site_renew(struct site *s)
{
	struct track *t;

	if (!context_renew(&s->context, &s->warned_directory))
		return;
	lock_release(&s->all);
	s->watch->lost = true;
	site_watch(s);
	for (t = s->watch->tracks; t != NULL; t = t->next)
		if (t->site == s)
			hold_moved(t);
}

struct site *
site_watched(const struct watch *w, int watch)
{
	struct site *s = w->sites;

	if (w->panes != NULL && w->panes->state_watch == watch)
		s = w->panes;
	while (s != NULL && s->dir_watch != watch && s->state_watch != watch)
		s = s->next;
	return watch == -1 ? NULL : s;
}

#include "watcher/everywhere.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/argv.h"
#include "base/msg.h"
#include "os/file.h"
#include "os/userfolder.h"
#include "project/registry.h"
#include "watcher/all.h"
#include "watcher/feed.h"
#include "watcher/site.h"

/* ---- one process --------------------------------------------------------- */

static void
everywhere_alone(struct lock *l, int state)
{
	switch (lock_await(l, state, REGISTRY_LOCK, LOCK_ENDING)) {
	case 0:
		fatalx("cannot watch everywhere: process %ld does it; end that "
		    "one first", (long)l->holder);
	case -1:
		fatal("cannot watch everywhere: cannot lock '%s.lock' in the "
		    "user's folder of state", REGISTRY_LOCK);
	}
}

void
everywhere_open(struct watch *w)
{
	int state = userfolder_state(NULL, true);

	if (state == -1)
		fatal("cannot watch everywhere: no folder for the user's "
		    "state");
	w->registry.due = true;
	if (!w->policy->once)
		everywhere_alone(&w->registry.lock, state);
	w->registry.watch = notify_watch(w->notify, state, NOTIFY_RENAMES);
	close(state);
}

/* ---- the sites ----------------------------------------------------------- */

static struct site *
everywhere_site(const struct watch *w, const struct statusdir *d)
{
	struct site *s = w->sites;

	while (s != NULL && (&s->context.dir == d ||
	    s->context.dir.dev != d->dev || s->context.dir.ino != d->ino))
		s = s->next;
	return s;
}

/* Opens the directory as a site's.  -1 with the reason in *why, or without any
 * if it is no project, or another one by now. */
static int
everywhere_use(struct site *s, const char *path, struct buf *why)
{
	struct context *c = &s->context;
	char *other = NULL;
	bool ours;

	switch (context_at(c, path, why)) {
	case EXIT_DONE:
		break;
	case EXIT_COULD_NOT:
		buf_reset(why);
		return -1;
	default:
		return -1;
	}
	ours = statusdir_ours(&c->dir, c->project.root, true, &other);
	free(other);
	if (!ours || everywhere_site(s->watch, &c->dir) != NULL)
		return -1;
	c->claimed = true;
	return site_prepare(s, why);
}

static void
everywhere_add(struct watch *w, const char *path)
{
	struct buf why = BUF_INIT;
	struct site *s = site_new(w, &w->sites);

	if (everywhere_use(s, path, &why) == 0) {
		s->rules.within = true;
		site_watch(s);
		site_claim(s);
	} else {
		site_free(s);
		if (why.len > 0 && !argv_has(w->registry.refused, path)) {
			warnx("'%s' is left out: %s", path, buf_str(&why));
			w->registry.refused = argv_add(w->registry.refused,
			    path);
		}
	}
	buf_release(&why);
}

static bool
everywhere_knows(const struct watch *w, const char *path)
{
	const struct site *s = w->sites;

	while (s != NULL && strcmp(s->context.dir.path, path) != 0)
		s = s->next;
	return s != NULL;
}

/* A look that fails does not say that it is gone. */
static bool
everywhere_missing(const char *path)
{
	return access(path, F_OK) == -1 &&
	    (errno == ENOENT || errno == ENOTDIR);
}

/* Without its project nothing of it can be recorded.  A directory alone is made
 * again for the issues that are followed. */
static bool
everywhere_gone(const struct site *s)
{
	bool project = !everywhere_missing(s->context.project.root);
	const struct track *t;
	bool any = false;

	if (project && !everywhere_missing(s->context.dir.path))
		return false;
	for (t = s->watch->tracks; t != NULL; t = t->next) {
		if (t->site == s && t->runner.fd != -1)
			return false;
		any = any || (t->site == s && !t->life.finished);
	}
	return !project || !any;
}

bool
everywhere_drop(struct site *s)
{
	struct track **link = &s->watch->tracks, *t;

	if (!everywhere_gone(s))
		return false;
	/* It may have its context; the next look begins it again. */
	feed_end(s->watch);
	s->watch->around_at = 0;
	while ((t = *link) != NULL) {
		if (t->site != s) {
			link = &t->next;
			continue;
		}
		*link = t->next;
		track_free(t);
	}
	site_free(s);
	return true;
}

static void
everywhere_read(struct watch *w)
{
	argv_free(w->registry.paths);
	w->registry.paths = registry_directories(false);
	w->registry.due = w->registry.paths == NULL && errno != 0;
	if (w->registry.due)
		warn("cannot read which projects there are; retrying");
}

void
everywhere_turn(struct watch *w)
{
	struct site **link = &w->sites, *s, *fresh;
	char **p;

	if (w->registry.due)
		everywhere_read(w);
	while (*link != NULL)
		link = &(*link)->next;
	for (p = w->registry.paths; p != NULL && *p != NULL; p++)
		if (!everywhere_knows(w, *p))
			everywhere_add(w, *p);
	fresh = *link;
	if (fresh == NULL)
		return;
	w->around_at = 0;
	all_turn(w);
	for (s = fresh; s != NULL; s = s->next)
		all_names(s);
}

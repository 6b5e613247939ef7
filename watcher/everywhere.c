#include "watcher/track.h"

#include "queue/paneevents.h"
#include "queue/queue.h"

void
everywhere_open(struct watch *w)
{
	struct lock *l = &w->registry.lock;
	int state = userfolder_state(NULL, true);
	struct site *s = site_new(w, &w->panes);
	struct context *c = &s->context;
	struct buf why = BUF_INIT;

	if (state == -1)
		fatal("cannot watch everywhere: no folder for the user's "
		    "state");
	w->registry.due = true;
	switch (w->policy->once ? 1 : lock_await(l, state, REGISTRY_LOCK,
	    LOCK_ENDING)) {
	case 0:
		fatalx("cannot watch everywhere: process %ld does it; end that "
		    "one first", (long)l->holder);
	case -1:
		fatal("cannot watch everywhere: cannot lock '%s.lock' in the "
		    "user's folder of state", REGISTRY_LOCK);
	}
	watch_again(w, &w->registry.watch, state, NOTIFY_RENAMES);
	close(state);
	c->dir = paneevents_dir(true);
	if (c->dir.state_fd == -1)
		fatal("cannot watch everywhere: cannot open '%s'", c->dir.path);
	c->project.root = xstrdup(c->dir.path);
	if (config_read(&c->config, &c->project, &why) != EXIT_DONE ||
	    runner_choose(&c->config, NULL, true, &why) == -1)
		fatal_wrong("%s", buf_str(&why));
	c->config.on_limit = false;
	answerrules_release(&c->config.answers);
	s->rules = paneowner_open(c);
	site_watch(s, NOTIFY_RENAMES);
	backends_all(&w->backends, &why);
	if (why.len > 0)
		warnx("%s", buf_str(&why));
	buf_release(&why);
	paneevents_tidy(c->dir.state_fd);
	w->panes_at = w->policy->once ? CLOCK_NEVER : w->now;
	all_names(s);
	everywhere_turn(w);
}

bool
everywhere_drop(struct site *s)
{
	struct track **link = &s->watch->tracks, *t;
	const char *root = s->context.project.root;
	/* A failed look does not prove that it is gone. */
	bool project = access(root, F_OK) == 0 || !file_missing(errno);
	bool any = false;

	/* Recording needs the project.  Followed issues make a removed
	 * directory again. */
	if (project && (access(s->context.dir.path, F_OK) == 0 ||
	    !file_missing(errno)))
		return false;
	for (t = *link; t != NULL; t = t->next) {
		if (t->site == s && t->runner.fd != -1)
			return false;
		any = any || (t->site == s && !t->life.finished);
	}
	if (project && any)
		return false;
	/* The feed may use its context; the next look restarts it. */
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

void
everywhere_turn(struct watch *w)
{
	struct site **link = &w->sites, *s, *o, *fresh;
	struct buf why = BUF_INIT;
	enum exit_status got;
	struct context *c;
	char **p, *other;
	bool used;

	if (w->registry.due) {
		argv_free(w->registry.paths);
		w->registry.paths = registry_directories(false);
		w->registry.due = w->registry.paths == NULL && errno != 0;
		if (w->registry.due)
			warn("cannot read which projects there are; retrying");
	}
	while (*link != NULL)
		link = &(*link)->next;
	for (p = w->registry.paths; p != NULL && *p != NULL; p++) {
		for (s = w->sites; s != NULL &&
		    strcmp(s->context.dir.path, *p) != 0; s = s->next)
			continue;
		if (s != NULL)
			continue;
		s = site_new(w, &w->sites);
		c = &s->context;
		got = context_at(c, *p, &why);
		other = NULL;
		used = got == EXIT_DONE && statusdir_ours(&c->dir,
		    c->project.root, true, &other) == 1;
		free(other);
		o = w->sites;
		while (o != NULL && (o == s || o->context.dir.dev !=
		    c->dir.dev || o->context.dir.ino != c->dir.ino))
			o = o->next;
		/* It may be no project, or another's directory, by now. */
		if (got == EXIT_COULD_NOT)
			buf_reset(&why);
		c->claimed = used = used && o == NULL;
		if (used && site_prepare(s, &why) == 0) {
			s->rules.within = true;
			site_watch(s, NOTIFY_DIRECTORY);
			site_claim(s);
		} else {
			site_free(s);
			if (why.len > 0 && !argv_has(w->registry.refused, *p)) {
				warnx("'%s' is left out: %s", *p,
				    buf_str(&why));
				w->registry.refused = argv_add(
				    w->registry.refused, *p);
			}
		}
		buf_reset(&why);
	}
	buf_release(&why);
	fresh = *link;
	if (fresh == NULL)
		return;
	w->around_at = 0;
	all_turn(w);
	for (s = fresh; s != NULL; s = s->next)
		all_names(s);
}

void
feed_look(struct watch *w)
{
	static const char format[] =
	    "#{m:*PANEWARD_QUEUE*,#{status-left}#{status-right}}"
	    "#{m:*@paneward_state*,#{window-status-format}"
	    "#{window-status-current-format}}";
	const struct tmux_server *s = w->sites == NULL ? NULL :
	    w->servers.first;
	struct buf answer = BUF_INIT, why = BUF_INIT;
	bool shown = false, unknown = false;

	for (; s != NULL && !shown; s = s->next) {
		buf_reset(&answer);
		unknown |= (s->result != TMUX_OK && s->result !=
		    TMUX_NO_SERVER) || (s->listing.npanes > 0 &&
		    tmux_pane_tell(s->socket, s->listing.panes[0].id, format,
		    &answer, &why) != TMUX_OK);
		shown = strchr(buf_str(&answer), '1') != NULL;
	}
	buf_release(&answer);
	buf_release(&why);
	if (!shown && !unknown)
		feed_end(w);
	if (!shown || w->queue != NULL)
		return;
	w->queue = queue_new(&(struct queue_how){ .context = &w->sites->context,
	    .all = true, .panes = true, .loop = &w->loop });
	queue_look(w->queue);
	w->segment = segment_new(&w->queue->servers);
	segment_set(w->segment, w->queue->rows, w->queue->nrows);
}

void
feed_end(struct watch *w)
{
	if (w->queue == NULL)
		return;
	segment_free(w->segment);
	queue_free(w->queue);
	w->queue = NULL;
}

#include "queue/target.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/command.h"
#include "base/msg.h"
#include "queue/issues.h"
#include "queue/jump.h"
#include "queue/paneevents.h"
#include "tmux/servers.h"

/* Says why no row has that name. */
static void
target_missing(const struct context *context, const char *name,
    struct buf *why)
{
	const char *reason = "none of your tmux servers has that pane";
	struct servers all = SERVERS_INIT;
	struct tmux_server *s;
	struct server_pane at;
	char *place, *id, *end;
	long server = strtol(name, &end, 10);

	buf_printf(why, "no agent is known by the name '%s'", name);
	if (!command_pane(name))
		return;
	servers_add_all(&all, context->config.sockets);
	servers_ask(&all, false);
	for (s = all.first; s != NULL; s = s->next) {
		at.server = s;
		if (s->result != TMUX_OK && s->result != TMUX_NO_SERVER)
			reason = buf_str(&s->why);
		for (at.pane = s->listing.panes; at.pane <
		    s->listing.panes + s->listing.npanes; at.pane++) {
			place = server_pane_name(&at);
			id = xasprintf("%ld%s", (long)s->listing.server,
			    at.pane->id);
			if (strcmp(name, place) == 0 || strcmp(name, id) == 0 ||
			    strcmp(name, at.pane->id) == 0)
				reason = "no agent that paneward knows runs in "
				    "that pane";
			free(place);
			free(id);
		}
	}
	if (server > 0 && *end == '%' && kill((pid_t)server, 0) == -1 &&
	    errno == EPERM)
		reason = "that tmux server is another user's";
	buf_printf(why, ": %s", reason);
	servers_release(&all);
}

struct row *
target_row(const struct queue *q, const struct context *context,
    const char *name, struct buf *why)
{
	struct row *const *rows, *r, *first[2] = { NULL }, *found;
	/* $TMUX has the pid of our tmux server: socket,pid,number. */
	const char *tmux = getenv("TMUX");
	const char *comma = tmux != NULL ? strchr(tmux, ',') : NULL;
	long ours = comma != NULL ? strtol(comma + 1, NULL, 10) : 0;
	const struct pane_ref *place;
	struct buf words = BUF_INIT;
	char word[JUMP_WORD], one[JUMP_WORD] = "";
	size_t n, i, count[2] = { 0 };
	bool named, far;

	rows = queue_rows(q, &n);
	for (i = 0; i < n; i++) {
		r = rows[i];
		place = &r->status.place;
		jump_word(word, r);
		named = strcmp(name, row_name(r)) == 0 ||
		    strcmp(name, word) == 0 ||
		    (r->where != NULL && strcmp(name, r->where) == 0) ||
		    (place->pane[0] != '\0' && strcmp(name, place->pane) == 0);
		if (!named || r->host != NULL || r->problem != NULL)
			continue;
		/* The pane of an issue that is over may have a row, too. */
		if (strchr(one, '%') != NULL && strcmp(one, word) == 0)
			continue;
		memcpy(one, word, sizeof(one));
		far = name[0] == '%' || r->directory == NULL ?
		    place->server == 0 || place->server != ours :
		    strcmp(r->directory, context->dir.path) != 0;
		if (count[far]++ == 0)
			first[far] = r;
		buf_printf(&words, "%s%s%s%s%s", words.len > 0 ? ", " : "",
		    word, r->project ? " (" : "", r->project ? r->project : "",
		    r->project ? ")" : "");
	}
	far = count[false] == 0;
	found = count[far] == 1 ? first[far] : NULL;
	if (count[far] == 0)
		target_missing(context, name, why);
	else if (found == NULL)
		buf_printf(why, "'%s' names several: %s", name,
		    buf_str(&words));
	buf_release(&words);
	return found;
}

void
target_open(struct target_agent *t, struct context *c, const char *act,
    const char *name, const char *status_dir)
{
	struct buf why = BUF_INIT;
	struct context own;
	struct queue *q;
	struct row *r;

	*t = (struct target_agent){ .issue = name };
	context_open(c, status_dir, false);
	if (name == NULL || !command_pane(name))
		return;
	q = queue_new(&(struct queue_how){ .context = c, .all = true,
	    .panes = true });
	queue_look(q);
	r = target_row(q, c, name, &why);
	if (r == NULL)
		fatal_no("cannot %s '%s': %s; 'paneward status --all' lists "
		    "the agents", act, name, buf_str(&why));
	t->issue = xstrdup(r->status.issue);
	if (!r->pane) {
		if (context_at(&own, r->directory, &why) != EXIT_DONE)
			fatalx("cannot %s '%s': %s", act, name, buf_str(&why));
		queue_free(q);
		context_close(c);
		*c = own;
		return;
	}
	t->pane = xstrdup(row_name(r));
	t->record = r->status;
	status_init(&r->status, "");
	queue_free(q);
	statusdir_close(&c->dir);
	c->dir = paneevents_dir(false);
}

#include "setup/doctor.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "os/lock.h"
#include "os/spawn.h"
#include "project/config.h"
#include "project/noticeway.h"
#include "project/statusdir.h"
#include "queue/presence.h"
#include "run/panelog.h"
#include "run/run.h"
#include "run/status.h"
#include "tmux/servers.h"

void
doctor_check_tmux(struct doctor *d)
{
	char *version = doctor_ask("tmux", "-V");      /* "tmux 3.3a" */
	const char *number;
	int major, minor;
	bool flawed;

	if (version == NULL) {
		doctor_found(d, PROBLEM, "panes cannot be inspected",
		    "install tmux 3.0 or later", "no tmux in PATH answers");
		return;
	}
	number = version + strcspn(version, "0123456789");
	flawed = sscanf(number, "%3d.%3d", &major, &minor) == 2 &&
	    major == 3 && minor < 6;
	number = strchr(version, ' ');
	if (number != NULL && tmux_version_old(number + 1))
		doctor_found(d, PROBLEM, "paneward needs 3.0 or later",
		    "install a newer one", "'%s' is too old", version);
	else
		doctor_found(d, OK, NULL, NULL, "%s%s", version, flawed ?
		    " (a known flaw of builds with utempter, as in Debian, "
		    "is worked around)" : "");
}

void
doctor_check_servers(struct doctor *d)
{
	struct servers *all = &d->servers;
	const struct tmux_server *s;
	size_t i;

	if (spawn_find("tmux") == NULL)
		return;                 /* doctor_check_tmux() printed that */
	servers_add_usual(all, d->configured ? d->config.sockets : NULL);
	for (i = 0; i < d->nrecords; i++)
		if (!d->records[i].ended && d->records[i].place.socket != NULL)
			servers_add(all, d->records[i].place.socket);
	servers_ask(all, false);
	for (s = all->first; s != NULL; s = s->next) {
		if (s->result == TMUX_OK)
			doctor_found(d, OK, NULL, NULL, "'%s' answers, %zu "
			    "panes, %zu clients", s->socket, s->listing.npanes,
			    s->listing.nclients);
		else if (s->result == TMUX_NO_SERVER)
			doctor_found(d, OK, NULL, NULL, "none at '%s'",
			    s->socket);
		else if (s->result == TMUX_SILENT)
			doctor_found(d, PROBLEM, "what its panes do is unknown "
			    "until it does", "see what holds it up, or end it",
			    "the one at '%s' does not answer", s->socket);
		else
			doctor_found(d, PROBLEM, "what its panes do is unknown",
			    "try 'tmux -S' with that socket; a client of the "
			    "server's own version may be needed",
			    "the one at '%s': %s", s->socket,
			    s->why.data ? s->why.data : "failed");
	}
}

void
doctor_check_notices(struct doctor *d)
{
	const struct noticeways *ways = &d->config.notify;
	const struct tmux_server *s;
	bool client = false;            /* at which a terminal would show it */
	struct buf error = BUF_INIT;
	enum noticeway_kind kind;
	size_t i;

	if (!d->configured)
		return;
	for (s = d->servers.first; s != NULL; s = s->next)
		client |= s->listing.nclients > 0;
	if (ways->n == 0)
		doctor_found(d, OK, NULL, NULL, "none is sent: 'notify' is not "
		    "set");
	for (i = 0; i < ways->n; i++) {
		kind = ways->way[i].kind;
		buf_reset(&error);
		if (noticeway_check(&ways->way[i], &error) == -1)
			doctor_found(d, WARNING, "no notice is sent by it",
			    "install it, or take it out of 'notify'", "%s",
			    buf_str(&error));
		else
			doctor_found(d, OK, NULL, NULL, "by %s%s",
			    noticeway_name(kind), kind > NOTICEWAY_OSC ||
			    client ? "" : ", once a client is attached");
	}
	buf_release(&error);
}

/* A pane's output is only known if the pipe of the pane is ours. */
void
doctor_check_pipes(struct doctor *d)
{
	const char *why = "only its screen is read";
	char name[PANE_REF_NAME];
	const struct status *r;
	size_t i, ours = 0;
	struct server_pane p;
	uint64_t start;
	pid_t pid;

	for (i = 0; i < d->nrecords; i++) {
		r = &d->records[i];
		if (d->servers.first == NULL ||
		    run_life(&d->servers, r, &p) != PANE_LIVES)
			continue;
		pane_ref_name(name, &r->place);
		if (!p.pane->pipe)
			doctor_found(d, WARNING, why, "'paneward watch' opens "
			    "one", "pane %s of issue '%s' has no pipe",
			    p.pane->id, r->issue);
		else if (panelog_writer(d->dir.state_fd, r->issue, name, &pid,
		    &start) == PANELOG_UNWRITTEN)
			doctor_found(d, WARNING, why, "'paneward watch "
			    "--steal-pipe' takes it over", "pane %s of issue "
			    "'%s' has another program's pipe", p.pane->id,
			    r->issue);
		else
			ours++;
	}
	if (ours > 0)
		doctor_found(d, OK, NULL, NULL, "%zu of issues' panes are "
		    "logged", ours);
}

void
doctor_check_watchers(struct doctor *d)
{
	struct presence x;
	const char *ended;
	char since[CLOCK_TEXT];
	msec when;
	size_t i;

	presence_init(&x);
	presence_enter(&x, d->dir.state_fd);
	for (i = 0; i < d->nrecords; i++) {
		when = presence_unwatched(&x, &d->records[i]);
		if (when == 0)
			continue;
		ended = presence_ended(&x, &d->records[i]);
		clock_format(since, when);
		doctor_found(d, WARNING, ended ? ended : "changes of its state "
		    "are not recorded", "run 'paneward watch' or 'paneward "
		    "sweep'", "issue '%s' is unwatched since %s",
		    d->records[i].issue, since);
	}
	if (lock_held(d->dir.state_fd, STATUSDIR_ALL, NULL))
		doctor_found(d, OK, NULL, NULL, "a watcher follows all issues, "
		    "later ones too");
}

#include "watcher/server.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "os/proc.h"

struct server *
server_at(struct server **list, const char *socket, msec now)
{
	struct server *s;

	for (s = *list; s != NULL; s = s->next)
		if (!s->ended && strcmp(s->socket, socket) == 0)
			return s;
	s = xcalloc(1, sizeof(*s));
	s->socket = xstrdup(socket);
	s->fd = -1;
	s->query = (struct tmux_query)TMUX_QUERY_INIT;
	s->due = now + SERVER_LISTING;
	s->next = *list;
	*list = s;
	return s;
}

void
server_free(struct server *s)
{
	tmux_query_release(&s->query);
	if (s->fd != -1)
		close(s->fd);
	free(s->socket);
	free(s);
}

msec
server_deadline(const struct server *s, msec now)
{
	if (s->running)
		return spawn_deadline(&s->query.spawn, now);
	return s->asked ? 0 : s->due;
}

void
server_identify(struct server *s, pid_t pid, int64_t start)
{
	struct proc p;

	if (s->pid == pid && s->start == start)
		return;
	/* tmux records when it started; its process must be as old. */
	if (proc_read(&p, pid) == -1 || p.began / 1000 < start - 5 ||
	    p.began / 1000 > start + 5)
		return;
	if (s->fd != -1)
		close(s->fd);
	s->pid = pid;
	s->start = start;
	s->proc_start = p.start;
	s->fd = proc_open(pid, p.start);
}

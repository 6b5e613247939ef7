/*
 * issues.h - the agents of this host, a source of the queue's rows: the issues
 * of status directories, and agents without one in the panes of tmux.
 *
 * A row is the agent's record, or what stands for it while it waits for its
 * start, compared with what the system has of it.  An unwatched row is judged
 * here once its pane was listed; nothing is written.
 *
 * An agent without an issue is found by its process.  Its record is in the
 * folder of panes (paneevents.h) if a watcher wrote one; else its run begins
 * here, in memory.
 */
#ifndef PANEWARD_ISSUES_H
#define PANEWARD_ISSUES_H

#include "agent/backend.h"
#include "os/notify.h"
#include "queue/presence.h"
#include "queue/queuehow.h"
#include "queue/row.h"
#include "tmux/servers.h"

enum { QUEUE_TICK = 1000 };             /* ms */

struct issues {
	struct queue_how how;
	struct backends  backends;      /* complete if panes are searched */
	struct notify   *notify;        /* NULL: changes are not awaited */
	uint64_t         budget;        /* bytes of logs that are read */
	struct folder  **folders;       /* status directories */
	size_t           nfolders;
	struct folder   *panes;         /* of agents without an issue; NULL */
	struct queue_entry **entries;   /* all agents */
	size_t           nentries;
	unsigned         found;         /* so far */
	size_t           entry_room;
	struct queue_entry **placed;    /* those with a pane, in the order of
					   panes; as many as entries fit */
	size_t           nplaced;
	bool             sorted;        /* placed is as the entries are */
	struct presence  presence;      /* of the last look or tick */
	bool             changed;       /* set if rows may have changed */
};

/* The pace is set. */
void issues_init(struct issues *, const struct queue_how *);
void issues_release(struct issues *);

/* Opens and reads the status directories that are new. */
void issues_find(struct issues *);
/* Drops those whose paths lead elsewhere by now, or nowhere. */
void issues_forget(struct issues *);

/* The tmux server that is to be asked for the agent of that place, of nentries;
 * NULL: none is. */
const char *issues_socket(const struct issues *, size_t);

/*
 * For each answer of a server, in this order.  Its panes are compared with the
 * agents; the screens that are wanted, if wishes is not NULL, are those of
 * unwatched issues, and of panes in which an agent is likely.  Then agents are
 * searched in the panes that are no issue's, and judged: in the first look each
 * once, with its screen, or without it if no more screens come.
 */
size_t issues_listed(struct issues *, struct tmux_server *,
    struct tmux_wish *wishes);
void issues_search(struct issues *, struct tmux_server *);
void issues_judge(struct issues *, struct tmux_server *, bool first, bool more);
/* The screens of that server that are wanted in its next answer: nentries at
 * most. */
size_t issues_wishes(const struct issues *, pid_t server, int64_t start,
    struct tmux_wish *);

/* A change of a directory; one that is no directory's may be any one's. */
void issues_note(struct issues *, int watch, enum notify_change,
    const char *name);
/* Compares agents with the system: an end that is not reported is found by
 * looking.  Watched agents are compared only each so many turns. */
void issues_tick(struct issues *, unsigned turn, unsigned slow);

void issues_rows(const struct issues *, void (*take)(void *, struct row *),
    void *);
/* As queue_see() and queue_dir(). */
int  issues_see(struct issues *, struct row *, enum seen);
const struct statusdir *issues_dir(struct issues *, const struct row *);

#endif

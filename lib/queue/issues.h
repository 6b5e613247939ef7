/*
 * issues.h - the issues of status directories, a source of the queue's rows.
 *
 * A row is the issue's record, or what stands for it while it waits for its
 * start, compared with what the system has of it.  An issue that nothing
 * watches is judged here once its pane was listed; nothing is written.
 */
#ifndef PANEWARD_ISSUES_H
#define PANEWARD_ISSUES_H

#include "backend/backend.h"
#include "os/notify.h"
#include "project/context.h"
#include "queue/panes.h"
#include "queue/presence.h"

struct issues_how {
	const struct context *where;       /* where we are; borrowed */
	bool all;                       /* the projects of the registry, too */
	bool panes;                     /* agents without an issue are searched,
					   too */
	bool names;                     /* no issue is judged */
	char *const *issues;            /* only these; NULL: all */
	size_t nissues;
	struct notify *notify;          /* NULL: changes are not awaited */
	msec pace;                      /* between looks at what no event
					   reports */
	bool directories;               /* of notify: names come and go */
	struct backends *backends;      /* borrowed, like the next one */
	uint64_t *budget;               /* bytes of logs that are read */
	/* As in queue.h; NULL: none is told. */
	void (*trouble)(void *, const char *dir, const char *issue, int error);
	/* Called if a pane was listed: a client may show the row's. */
	void (*shown)(void *, struct row *);
	void *context, *trouble_context;
};

struct issues {
	struct issues_how how;
	struct folder  **folders;       /* status directories */
	size_t           nfolders;
	struct entry   **entries;       /* their issues */
	size_t           nentries;
	unsigned         found;         /* so far */
	size_t           entry_room;
	struct entry   **placed;        /* those with a pane, in the order of
					   panes; as many as entries fit */
	size_t           nplaced;       /* 0: to be sorted anew */
	struct presence  presence;      /* of the last look or tick */
	bool             changed;       /* set if rows may have changed */
};

void issues_init(struct issues *, const struct issues_how *);
void issues_release(struct issues *);

/* Opens and reads the status directories that are new. */
void issues_find(struct issues *);
/* Drops those whose paths lead elsewhere by now, or nowhere. */
void issues_forget(struct issues *);

/* The tmux server that is to be asked for the issue of that place, of nentries;
 * NULL: none is. */
const char *issues_socket(const struct issues *, size_t);
/* owner() and judge() of panes.h; the context is the struct issues. */
enum panes_owner issues_owned(void *, const struct paneat *);
bool issues_judge(void *, const struct paneat *, const struct tmux_capture *);

/* A change of a directory; one that is no directory's may be any one's. */
void issues_note(struct issues *, int watch, enum notify_change,
    const char *name);
/* Compares issues with the system: what ends without a word is found by looking.
 * Those that are watched only if it is their turn. */
void issues_tick(struct issues *, bool turn(const void *, size_t),
    const void *);

void issues_rows(const struct issues *, void (*take)(void *, struct row *),
    void *);
/* The .paneward of the row's issue; -1: it is none of these. */
int  issues_state_fd(const struct issues *, const struct row *);

#endif

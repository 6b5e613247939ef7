/*
 * inboxfile.h - messages between agents: queue/inbox/<target>.yaml.
 *
 * An inbox is a mapping of lists of entries.  People and other programs write
 * it too, so a change touches as little as possible (inboxedit.h).  The new
 * text is written beside and renamed, under flock(2) of <target>.yaml.lock.
 * Readers need no lock; a file that another program changed without the lock is
 * read again before it would be lost.  Links are not followed and only regular
 * files of at most YAML_MAX bytes are read.
 *
 * Each function that can fail adds what is wrong to why.
 */
#ifndef PANEWARD_HOOK_INBOXFILE_H
#define PANEWARD_HOOK_INBOXFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/clock.h"
#include "hook/inboxedit.h"
#include "text/yaml.h"

enum {
	INBOX_PATIENCE = 15000,         /* ms for a lock: three times 5 s */
	INBOX_ID = 9                    /* eight digits and a NUL */
};

enum inbox_result {
	INBOX_OK,
	INBOX_MISSING,                  /* there is no such inbox */
	INBOX_REFUSED,                  /* the file is not as it should be */
	INBOX_BUSY,                     /* another process held the lock, or
					   kept writing without it */
	INBOX_FAILED                    /* the system */
};

/*
 * The open folder queue/inbox of a root; with make set it is made if it is
 * missing.  -1 with errno, ENOENT where it is missing.
 */
int  inbox_open(const char *root, bool make, struct buf *why);

/* The inbox as it is, to be released if INBOX_OK.  With unread set, one in
 * which nothing can be unread seems empty and costs little. */
enum inbox_result inbox_load(struct inbox *, int dir, const char *target,
    bool unread, struct buf *why);
void inbox_release(struct inbox *);

/* A name for an entry, the same whether it is read or not. */
void inbox_id(char id[INBOX_ID], const struct yaml_node *entry);

/* How an inbox is changed. */
struct inbox_change {
	int dir;                        /* from inbox_open() */
	const char *target;
	msec patience;                  /* for the lock; 0: not at all */
	bool sync;                      /* the disk has it before it counts */
	/* What is added to the list `reports`; of its kind the newest
	 * INBOX_NOTICES stay.  NULL: unread entries are marked as read. */
	const struct inbox_notice *notice;
	/* Called for each entry before it is removed; false: all stay. */
	bool (*gone)(void *context, const char *entry, size_t len);
	/* Is the entry to be marked? */
	bool (*wanted)(void *context, const struct yaml_node *entry);
	void *context;
	size_t marked;                  /* how many were */
};

enum inbox_result inbox_change(struct inbox_change *, struct buf *why);

#endif

/*
 * inbox.h - messages between agents: queue/inbox/<target>.yaml.
 *
 * An inbox is a mapping of lists of entries.  It belongs to people and to
 * other programs as much as to us: a change is spliced into its bytes, so that
 * comments, order, quoting, line ends and mode stay.  What comes of it is
 * parsed again, and put in place only if it says what was meant and nothing
 * else has changed; it is written beside, synced and renamed, under flock(2)
 * of <target>.yaml.lock.  Whoever reads needs no lock.  Links are not followed
 * and only regular files of at most YAML_MAX bytes are read.
 *
 * Each function that can fail adds what is wrong to why.
 */
#ifndef PANEWARD_INBOX_H
#define PANEWARD_INBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "clock.h"
#include "yaml.h"

enum {
	INBOX_NOTICES = 50,             /* that an inbox keeps */
	INBOX_PATIENCE = 15000,         /* ms for a lock: three times 5 s */
	INBOX_TARGET = 200,             /* bytes of a name */
	INBOX_ID = 9                    /* eight digits and a NUL */
};

enum inbox_result {
	INBOX_OK,
	INBOX_MISSING,                  /* there is no such inbox */
	INBOX_REFUSED,                  /* the file is not as it should be */
	INBOX_BUSY,                     /* somebody else held the lock */
	INBOX_FAILED                    /* the system */
};

struct inbox {
	struct buf  text;
	struct yaml yaml;
};

/* May it be the name of an inbox?  Not empty, no '/', no leading dot. */
bool inbox_target_valid(const char *target);

/*
 * The open folder queue/inbox of a root; with make set it is made if it is
 * missing.  -1 with errno, ENOENT where it is missing.
 */
int  inbox_open(const char *root, bool make, struct buf *why);

/* The inbox as it is.  To be released if INBOX_OK. */
enum inbox_result inbox_load(struct inbox *, int dir, const char *target,
    struct buf *why);
void inbox_release(struct inbox *);

/*
 * Walks the entries of all lists: *list and *entry are NULL in the beginning,
 * and the next ones after each call that says true.
 */
bool inbox_next(const struct inbox *, const struct yaml_node **list,
    const struct yaml_node **entry);

/* Does it say `read: false`? */
bool inbox_unread(const struct yaml_node *entry);
/* A name for an entry, the same whether it is read or not. */
void inbox_id(char id[INBOX_ID], const struct yaml_node *entry);

/* How an inbox is changed. */
struct inbox_how {
	msec patience;                  /* for the lock; 0: not at all */
	bool sync;                      /* the disk has it before it counts */
	/* Told of the entries that go, before they do; false: they stay. */
	bool (*pushed_out)(void *, const struct yaml_node *const *, size_t);
	void *context;
};

struct inbox_notice {
	const char *content, *type, *from;
	const char *message;    /* which message it is about, in a word; an
				   unread notice of the same is not repeated;
				   or NULL */
};

/* Adds a notice to the list `reports`.  Of its kind the newest INBOX_NOTICES
 * stay. */
enum inbox_result inbox_add(int dir, const char *target,
    const struct inbox_notice *, const struct inbox_how *, struct buf *why);

/* Marks the unread entries that are wanted as read; *marked says how many. */
enum inbox_result inbox_mark(int dir, const char *target,
    bool (*wanted)(void *, const struct yaml_node *entry), void *,
    const struct inbox_how *, size_t *marked, struct buf *why);

/*
 * Adds text with each finished marker (markerset.h) broken up by hash, what
 * its first '#' is written as: nothing of ours may be taken for a report.
 */
void inbox_defuse(struct buf *, const char *text, size_t len,
    const char *hash);

#endif

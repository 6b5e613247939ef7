/*
 * mail.h - messages between agents: queue/inbox/<target>.yaml.
 */
#ifndef PANEWARD_MAIL_MAIL_H
#define PANEWARD_MAIL_MAIL_H

#include "data/yaml.h"
#include "project/context.h"

/* ---- the text of an inbox: inboxedit.c ----------------------------------- */

/*
 * A change is spliced into the text at places that its tree names, so that
 * comments, order, quoting and line ends stay.  The edited text is parsed
 * again, and accepted only if it differs by exactly that change.
 *
 * The functions return why a change is refused, or NULL with the text in out.
 * The tree is used up.
 */

enum { INBOX_NOTICES = 50 };

struct inbox {
	struct buf  text;
	struct yaml yaml;
};

struct inbox_notice {
	const char *content, *type, *from;
	const char *request;            /* request_id; NULL: none */
	const char *subtask;            /* subtask_id; NULL: that of the
					   notices */
};

/* Adds a notice to the list `reports`.  With push set the oldest notices leave,
 * marked as gone, so that INBOX_NOTICES remain.  A notice with its own
 * subtask_id neither pushes nor leaves. */
const char *inboxedit_add(struct inbox *, const struct inbox_notice *,
    bool push, struct buf *out);

void inboxedit_entry(struct buf *, const struct inbox_notice *,
    const char *between);

/* Marks wanted unread entries as read; without any, out stays empty. */
const char *inboxedit_mark(struct inbox *,
    bool (*wanted)(void *, const struct yaml_node *entry), void *,
    struct buf *out);

/*
 * Walks the entries of all lists; both begin as NULL.  False at the end.
 */
bool inbox_next(const struct inbox *, struct yaml_node **list,
    struct yaml_node **entry);
#define inbox_unread(entry) yaml_is_false(yaml_member((entry), "read"))
/* The first of summary, description, title and subtask_id that inbox_text()
 * finds, or NULL. */
const struct yaml_node *inbox_about(const struct yaml_node *entry);
/* A member that is a text and not blank, or NULL. */
const struct yaml_node *inbox_text(const struct yaml_node *entry,
    const char *key);

/* ---- its file: inboxfile.c ----------------------------------------------- */

/*
 * An inbox is a mapping of lists of entries, which people and other programs
 * write, too.  Its new text is written beside and renamed, under flock(2) of
 * <target>.yaml.lock.  Readers need no lock; a file that changed without it is
 * read again.  Functions that can fail add the reason to why.
 */

enum { INBOX_PATIENCE = 15000, INBOX_ID = 9 };  /* ms for a lock; bytes */

enum inbox_result {
	INBOX_OK, INBOX_MISSING,
	INBOX_REFUSED,                  /* a malformed file */
	INBOX_BUSY,                     /* locked, or written without the
					   lock */
	INBOX_FAILED
};

/*
 * Opens queue/inbox of a root.  -1 with errno, ENOENT if it is missing.
 */
int  inbox_open(const char *root, bool make, struct buf *why);

/* Release it if INBOX_OK.  With unread set, an inbox without unread entries may
 * seem empty. */
enum inbox_result inbox_load(struct inbox *, int dir, const char *target,
    bool unread, struct buf *why);
void inbox_release(struct inbox *);

void inbox_id(char id[INBOX_ID], const struct yaml_node *entry);

struct inbox_change {
	int dir;                        /* from inbox_open() */
	const char *target;
	msec patience;
	bool sync;
	/* NULL: unread entries are marked as read. */
	const struct inbox_notice *notice;
	/* Called before an entry is removed; false: all stay. */
	bool (*gone)(void *context, const char *entry, size_t len);
	bool (*wanted)(void *context, const struct yaml_node *entry);
	void *context;
};

enum inbox_result inbox_change(struct inbox_change *, struct buf *why);

/* ---- the inboxes of a project: mail.c ------------------------------------ */

/* Notices that leave an inbox, or are lost, are journaled. */
struct mail {
	struct context context;
	const char *root;               /* of queue/inbox; borrowed */
	const char *target;
	struct buf trouble;             /* the reason why nothing is
					   journaled */
	/* Set by the caller. */
	msec patience;                  /* 0: the agent waits */
	const char *status_dir;         /* the option, or NULL */
	bool sync;
};

/* Finds the project from a folder, or by the environment.  EXIT_DONE, or the
 * exit status with why.  To look, any folder will do. */
enum exit_status mail_open(struct mail *, const char *from, bool look,
    struct buf *why);

/* The same as inbox_change().  If pushed notices cannot be journaled, they
 * stay. */
enum inbox_result mail_add(struct mail *, const char *target,
    const struct inbox_notice *, struct buf *why);

/* Journals a lost notice.  Without patience no status directory is made. */
void mail_lost(struct mail *, const char *target, const struct inbox_notice *,
    const char *reason);

/* ---- the last message of an agent: inbox.c ------------------------------- */

/* Completion comes before errors.  False: neither. */
bool mailjudge(const struct inboxrules *, const char *message,
    size_t len, enum inbox_kind *);

#endif

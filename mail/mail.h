/*
 * mail.h - messages between agents: queue/inbox/<target>.yaml.
 */
#ifndef PANEWARD_MAIL_MAIL_H
#define PANEWARD_MAIL_MAIL_H

#include "data/yaml.h"
#include "project/context.h"

/* ---- the text of an inbox: inboxedit.c ----------------------------------- */

/*
 * A change is spliced into the bytes of the text at places that its tree
 * names, so that comments, order, quoting and line ends stay.  Instead of
 * handling every YAML style, the edited text is parsed again and accepted only
 * if it differs by exactly the intended change.  A notice in a block list needs
 * no second parse if the places in the tree show as much.
 *
 * The functions return why a change is refused, or NULL with the new text in
 * out.  The tree is changed by that and must not be used again.
 */

enum { INBOX_NOTICES = 50 };            /* that an inbox keeps */

struct inbox {
	struct buf  text;
	struct yaml yaml;               /* of the text */
};

struct inbox_notice {
	const char *content, *type, *from;
	const char *request;            /* its request_id; NULL: none */
	const char *subtask;            /* its subtask_id; NULL: that of the
					   notices, of which only so many
					   stay */
};

/* Adds a notice to the list `reports`.  With push set its oldest notices leave
 * the list, so that INBOX_NOTICES remain; they are marked as gone.  A notice
 * with its own subtask_id pushes out none and is never pushed out.  A last line
 * without an end gets one where something comes behind it, also if that makes
 * it the end of a block text, too. */
const char *inboxedit_add(struct inbox *, const struct inbox_notice *,
    bool push, struct buf *out);

/* Adds the members of a notice, with that between each two. */
void inboxedit_entry(struct buf *, const struct inbox_notice *,
    const char *between);

/* Marks the unread entries that are wanted as read; *marked says how many. */
const char *inboxedit_mark(struct inbox *,
    bool (*wanted)(void *, const struct yaml_node *entry), void *,
    size_t *marked, struct buf *out);

/*
 * Walks the entries of all lists: *list and *entry are NULL in the beginning,
 * and the next ones after each call that says true.
 */
bool inbox_next(const struct inbox *, struct yaml_node **list,
    struct yaml_node **entry);
/* Does it say `read: false`? */
bool inbox_unread(const struct yaml_node *entry);
/* The entry's subject: the first of summary, description, title and subtask_id
 * that is a text and not blank; NULL: none is. */
const struct yaml_node *inbox_about(const struct yaml_node *entry);
/* A member that is a text and not blank, or NULL. */
const struct yaml_node *inbox_text(const struct yaml_node *entry,
    const char *key);

/* ---- its file: inboxfile.c ----------------------------------------------- */

/*
 * An inbox is a mapping of lists of entries.  People and other programs write
 * it too, so a change touches as little as possible (inboxedit.c).  The new
 * text is written beside and renamed, under flock(2) of <target>.yaml.lock.
 * Readers need no lock; a file that another program changed without the lock is
 * read again before it would be lost.  Links are not followed and only regular
 * files of at most YAML_MAX bytes are read.
 *
 * Each function that can fail adds what is wrong to why.
 */

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
	/* Added to the list `reports`, which keeps the newest INBOX_NOTICES of
	 * this kind.  NULL: unread entries are marked as read. */
	const struct inbox_notice *notice;
	/* Called for each entry before it is removed; false: all stay. */
	bool (*gone)(void *context, const char *entry, size_t len);
	/* Is the entry to be marked? */
	bool (*wanted)(void *context, const struct yaml_node *entry);
	void *context;
	size_t marked;                  /* how many were */
};

enum inbox_result inbox_change(struct inbox_change *, struct buf *why);

/* ---- the inboxes of a project: mail.c ------------------------------------ */

/* Notices that are pushed out of the inboxes, or cannot be added, are
 * journaled. */
struct mail {
	struct context context;         /* its status directory is opened to
					   journal */
	const char *root;               /* of queue/inbox; borrowed */
	const char *target;             /* of mail_add(), while it runs */
	struct buf trouble;             /* what keeps us from journaling */
	/* Set by the caller. */
	msec patience;                  /* for locks; 0: the agent waits */
	const char *status_dir;         /* the option of a command, or NULL */
	bool sync;                      /* nothing is left to a power cut */
};

/* Fills context and root, from a folder on unless the environment names one;
 * EXIT_DONE, or what to exit with, and why.  Only to look, a folder that is no
 * project by itself will do. */
enum exit_status mail_open(struct mail *, const char *from, bool look,
    struct buf *why);

/* Adds a notice, as inbox_change() does.  The notices that it pushes out are
 * journaled; if that fails they stay. */
enum inbox_result mail_add(struct mail *, const char *target,
    const struct inbox_notice *, struct buf *why);

/* Journals a notice that could not be added, and the reason.  Without patience
 * no status directory is made: the caller warns instead. */
void mail_lost(struct mail *, const char *target, const struct inbox_notice *,
    const char *reason);

/* ---- the last message of an agent: inbox.c ------------------------------- */

/* Searches a message for the end of its turn: completion before errors, a line
 * at a time.  False: neither. */
bool mailjudge(const struct inboxrules *, const char *message,
    size_t len, enum inbox_kind *);

#endif

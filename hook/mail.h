/*
 * mail.h - the inboxes of a project.  Notices that are pushed out of them, or
 * cannot be added, are journaled.
 */
#ifndef PANEWARD_HOOK_MAIL_H
#define PANEWARD_HOOK_MAIL_H

#include "base/msg.h"
#include "hook/inboxfile.h"
#include "project/context.h"

struct mail {
	struct context context;         /* its status directory is opened to
					   journal */
	const char *root;               /* of queue/inbox; borrowed */
	struct buf trouble;             /* what keeps us from journaling */
	/* Set by the caller. */
	msec patience;                  /* for locks; 0: the agent waits */
	const char *status_dir;         /* the option of a command, or NULL */
	bool sync;                      /* nothing is left to a power cut */
};

/* Fills context and root, from a folder on unless the environment names one;
 * EXIT_DONE, or what to exit with, and why. */
enum exit_status mail_open(struct mail *, const char *from, struct buf *why);
void mail_close(struct mail *);

/* Adds a notice, as inbox_change() does.  The notices that it pushes out are
 * journaled; if that fails they stay. */
enum inbox_result mail_add(struct mail *, const char *target,
    const struct inbox_notice *, struct buf *why);

/* Journals a notice that could not be added, and the reason.  Without patience
 * no status directory is made: the caller warns instead. */
void mail_lost(struct mail *, const char *target, const struct inbox_notice *,
    const char *reason);

#endif

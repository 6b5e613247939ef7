/*
 * mail.h - where the inboxes of a project are, and what becomes of the notices
 * that leave them or do not come into them: those are journaled.
 */
#ifndef PANEWARD_HOOK_MAIL_H
#define PANEWARD_HOOK_MAIL_H

#include "base/msg.h"
#include "hook/inboxfile.h"
#include "run/config.h"
#include "run/project.h"

struct mail {
	struct project project;         /* around the current directory */
	struct config  config;
	const char *root;               /* of queue/inbox; borrowed */
	const char *status_dir;         /* the option of a command, or NULL */
	bool sync;                      /* nothing is left to a power cut */
};

/* Fills project, config and root; EXIT_DONE, or what to exit with, and why. */
enum exit_status mail_open(struct mail *, struct buf *why);
void mail_close(struct mail *);

/*
 * Adds a notice, as inbox_add() does.  The notices that it pushes out are
 * journaled; where that cannot be done, which trouble says, they stay.
 * Whoever has no patience has little for the journal, too.
 */
enum inbox_result mail_add(struct mail *, const char *target,
    const struct inbox_notice *, msec patience, struct buf *trouble,
    struct buf *why);

/*
 * Journals a notice that could not be added, and the reason; trouble says if
 * that cannot be done either.  Whoever has no patience has somebody to tell
 * the reason, and makes no status directory for it.
 */
void mail_lost(struct mail *, const char *target, const struct inbox_notice *,
    const char *reason, msec patience, struct buf *trouble);

#endif

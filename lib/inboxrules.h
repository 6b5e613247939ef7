/*
 * inboxrules.h - who reads which inbox, and what a message says of its turn:
 * the key `inbox` of the configuration, and what holds without it.
 *
 *	{ "roles": { "shogun": "approve",
 *	             "karo-roju": { "unread": ["roju_reports"] },
 *	             "ashigaru1": { "assigned": ["ashigaru1"] } },
 *	  "patterns": { "report_completed": ["task completed"],
 *	                "error_report": ["failed.*stop"] } }
 *
 * What is given takes the place of the default: all roles, or the patterns of
 * one kind.
 */
#ifndef PANEWARD_INBOXRULES_H
#define PANEWARD_INBOXRULES_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "json.h"

struct inbox_role {
	const char *agent;
	bool approve;                   /* at once: nothing is looked at */
	/* Inboxes; NULL, or NULL-ended. */
	const char *const *unread;      /* in which `read: false` counts */
	const char *const *assigned;    /* in which tasks count that are so */
};

/* In the order in which a message is asked. */
enum inbox_kind { INBOX_COMPLETED, INBOX_ERROR, INBOX_KINDS };

/* The type of the notice about a message. */
const char *inbox_kind_name(enum inbox_kind);

struct inboxrules;

/* NULL where it is wrong, with what is wrong and a blank before it in why. */
struct inboxrules *inboxrules_new(const cJSON *, struct buf *why);
void inboxrules_free(struct inboxrules *);      /* NULL is fine */

/* The rules may be NULL: the defaults.  NULL where nothing is known of the
 * agent. */
const struct inbox_role *inboxrules_role(const struct inboxrules *,
    const char *agent);

/* What a message says: of completion before errors, a line at a time.  False:
 * nothing. */
bool inboxrules_judge(const struct inboxrules *, const char *message,
    size_t len, enum inbox_kind *);

#endif

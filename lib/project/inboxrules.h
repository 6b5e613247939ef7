/*
 * inboxrules.h - who reads which inbox, what a message means for its turn, and
 * the words of notices: the key `inbox` of the configuration, and its defaults.
 *
 *	{ "roles": { "shogun": "approve",
 *	             "karo-roju": { "unread": ["roju_reports"] },
 *	             "ashigaru1": { "assigned": ["ashigaru1"] } },
 *	  "patterns": { "report_completed": ["task completed"],
 *	                "error_report": ["failed.*stop"] },
 *	  "notify_to": "roju_reports",
 *	  "texts": { "report_completed": "<<agent>> is done" } }
 *
 * A value replaces its default: all roles, the patterns of one kind, a text.
 */
#ifndef PANEWARD_INBOXRULES_H
#define PANEWARD_INBOXRULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "data/strict.h"

struct inbox_role {
	const char *agent;
	bool approve;                   /* at once, without reading anything */
	/* Inboxes; NULL, or NULL-ended. */
	const char *const *unread;      /* in which `read: false` counts */
	const char *const *assigned;    /* in which tasks count that are so */
};

/* In the order in which a message is matched. */
enum inbox_kind { INBOX_COMPLETED, INBOX_ERROR, INBOX_KINDS };

enum { INBOX_TARGET = 200 };            /* bytes of an inbox's name */

/* The type of the notice about a message. */
const char *inbox_kind_name(enum inbox_kind);

/* Texts.  The first are the notices, by enum inbox_kind. */
enum inbox_words {
	INBOX_REASON = INBOX_KINDS,     /* why an agent has to continue */
	INBOX_BETWEEN,                  /* between two of its files */
	INBOX_MORE,                     /* files that it does not list */
	INBOX_WORDS
};

/* What may stand in a text. */
struct inbox_telling {
	const char *agent, *files;
	size_t      count;
};

struct inboxrules;
struct pattern;

/* Reads them into a struct inboxrules *, which may be NULL before. */
strict_take inboxrules_take;
void inboxrules_free(struct inboxrules *);      /* NULL is fine */

/* The rules may be NULL: the defaults.  NULL if the agent has no role. */
const struct inbox_role *inboxrules_role(const struct inboxrules *,
    const char *agent);

/* The inbox that notices go to. */
const char *inboxrules_notify_to(const struct inboxrules *);

/* Adds the text of an enum inbox_kind or inbox_words. */
void inboxrules_tell(const struct inboxrules *, struct buf *out,
    unsigned words, const struct inbox_telling *);

/* The patterns of a kind, NULL-ended: configured ones, or the defaults. */
const char *const *inboxrules_patterns(const struct inboxrules *,
    enum inbox_kind);

/* Compiles a pattern for messages; NULL with the reason, of at most so many
 * bytes. */
struct pattern *inboxrules_compile(const char *pattern, char *error,
    size_t size);

/* May it be the name of an inbox?  Not empty, no '/', no leading dot. */
bool inboxrules_target_valid(const char *target);

#endif

/*
 * inboxedit.h - how the text of an inbox is changed, in memory.
 *
 * A change is spliced into the bytes of the text at places that its tree
 * names, so that comments, order, quoting and line ends stay.  Instead of
 * handling every YAML style, the edited text is parsed again and accepted only
 * if it differs by exactly the intended change.  A notice in a block list needs
 * no second parse if the places in the tree show as much.
 *
 * The functions return why a change is refused, or NULL with the new text in
 * out.  The tree is changed by that and must not be used again.
 */
#ifndef PANEWARD_HOOK_INBOXEDIT_H
#define PANEWARD_HOOK_INBOXEDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "text/yaml.h"

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
 * the list, so that INBOX_NOTICES remain; they are marked as gone.  One with a
 * subtask_id of its own pushes out none and is never pushed out.  A last line
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
/* What it is about: the first of summary, description, title and subtask_id
 * that is a text and not blank; NULL: none is. */
const struct yaml_node *inbox_about(const struct yaml_node *entry);
/* A member that is a text and not blank, or NULL. */
const struct yaml_node *inbox_text(const struct yaml_node *entry,
    const char *key);

#endif

/*
 * mailjudge.h - what the last message of an agent says of its turn.
 */
#ifndef PANEWARD_HOOK_MAILJUDGE_H
#define PANEWARD_HOOK_MAILJUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "project/inboxrules.h"

/* What a message says: of completion before errors, a line at a time.  False:
 * nothing. */
bool mailjudge(const struct inboxrules *, const char *message,
    size_t len, enum inbox_kind *);

#endif

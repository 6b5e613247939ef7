/*
 * eventwords.h - an event of the journal in words, for people.
 *
 * The texts are as they were recorded, those of agents, too: the caller escapes
 * them.
 */
#ifndef PANEWARD_EVENTWORDS_H
#define PANEWARD_EVENTWORDS_H

#include "run/journal.h"

/* What happened, in a word: the state, "run", "hand-off".  At most eight
 * letters. */
const char *eventwords_what(const struct journal_event *);

/* Why, or what else is known: "it asks for permission: rm -r build". */
void eventwords_add(struct buf *, const struct journal_event *);

#endif

/*
 * refusal.h - why the server, or nats.c, refused a connection or a call, in
 * words that name the file or key to look at.
 */
#ifndef PANEWARD_FLEET_REFUSAL_H
#define PANEWARD_FLEET_REFUSAL_H

#include "base/buf.h"
#include "project/fleetrules.h"

/* Adds what a text of nats.c or of the server means; an unknown one as it is,
 * without the place in its source. */
void refusal_explain(struct buf *, const char *text,
    const struct fleetrules *);

/* Can the files of our certificate be read, and the key by its owner alone?  Else
 * adds why not. */
bool refusal_files(struct buf *, const struct fleetrules *);

#endif

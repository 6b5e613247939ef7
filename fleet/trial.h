/*
 * trial.h - does the server let us do that?  For requests that change nothing
 * even if it does, since they name what is not there, or demand what is not so.
 *
 * The server drops what a client may not send, and tells it so without an
 * answer; that comes before its answer to a later ping.
 */
#ifndef PANEWARD_FLEET_TRIAL_H
#define PANEWARD_FLEET_TRIAL_H

#include "fleet/link.h"

enum trial { TRIAL_REFUSED, TRIAL_ALLOWED, TRIAL_UNKNOWN };

/* Asks to store a message, on the condition that it is for a stream of another
 * name, which no stream meets. */
enum trial trial_store(struct link *, const char *subject);
/* Sends a request without a body. */
enum trial trial_request(struct link *, const char *subject);
/* Asks for what comes to a subject, for a moment. */
enum trial trial_listen(struct link *, const char *subject);

/* Can it be connected to by these rules? */
enum trial trial_connect(const struct fleetrules *);

/* The server's clock, wall, as of the middle of the call, and how much that may
 * be wrong.  -1 after saying why. */
int trial_time(struct link *, const char *stream, msec *time, msec *off,
    struct buf *why);

#endif

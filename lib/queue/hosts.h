/*
 * hosts.h - the queues of other hosts: of each by one ssh that runs `paneward
 * status --all --json --follow` there, and of the fleet's by `paneward-fleet
 * follow --json` here.  Each is a feed (queue/rowfeed.h), whose lines are parsed
 * here.
 *
 * What comes from there is only shown.  Lines and bytes are limited.  A host
 * that cannot be reached, answers something else, or falls silent is one row
 * that says so, and is asked again.
 *
 * A host that ssh reaches is shown as ssh has it, also if it is in the fleet.
 */
#ifndef PANEWARD_HOSTS_H
#define PANEWARD_HOSTS_H

#include "os/loop.h"
#include "queue/row.h"

struct hosts;

/* Borrows the names, which hostname_valid() has accepted, and the path of
 * paneward-fleet; NULL: there is no fleet. */
struct hosts *hosts_new(char *const *names, const char *fleet);
/* Ends the connections. */
void hosts_free(struct hosts *);

/* Connects, and in that loop again after each pause. */
void hosts_connect(struct hosts *, struct loop *);
/* Runs the loop until each host has answered or failed to, two seconds from the
 * connecting at most. */
void hosts_wait(struct hosts *);
/* Have rows changed since the last call? */
bool hosts_changed(struct hosts *);

/* Calls take for each row. */
void hosts_rows(struct hosts *, void (*take)(void *, struct row *), void *);

#endif

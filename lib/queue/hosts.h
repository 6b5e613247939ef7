/*
 * hosts.h - the queues of other hosts: of each by one ssh that runs `paneward
 * status --all --json --follow` there, and of the fleet's by `paneward-fleet
 * follow --json` here.
 *
 * What comes from there is only shown.  Lines and bytes are limited.  A host
 * that cannot be reached, answers something else, or falls silent is one row
 * that says so, and is asked again after a pause, which grows from a second to a
 * minute.
 *
 * A host that ssh reaches is shown as ssh has it, also if it is in the fleet.
 */
#ifndef PANEWARD_HOSTS_H
#define PANEWARD_HOSTS_H

#include <poll.h>

#include "queue/row.h"

struct hosts;

/* Borrows the names, which hostname_valid() has accepted, and the path of
 * paneward-fleet; NULL: there is no fleet. */
struct hosts *hosts_new(char *const *names, const char *fleet);
/* Ends the connections. */
void hosts_free(struct hosts *);

/* Connects, and afterwards waits until each host has answered or failed to, two
 * seconds from the connecting at most. */
void hosts_connect(struct hosts *);
void hosts_wait(struct hosts *);

/* Without waiting: poll what hosts_poll() says (so many at most) until
 * hosts_due(), and call hosts_turn().  True: rows changed. */
size_t hosts_poll(const struct hosts *, struct pollfd *, size_t most);
msec   hosts_due(const struct hosts *, msec now);
bool   hosts_turn(struct hosts *, msec now);

/* Calls take for each row. */
void hosts_rows(const struct hosts *, void (*take)(void *, struct row *),
    void *);

#endif

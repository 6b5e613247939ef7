/*
 * lease.h - until when a host of the fleet may work on an issue:
 * .paneward/<issue>.lease.
 *
 * paneward-fleet(1) writes it before it starts the issue, and renews it.  The
 * parent of the agent reads it and ends the agent at the deadline, even if
 * paneward-fleet is dead.  An issue without this file is not of the fleet.
 *
 * The clock counts while the machine sleeps; a lease of another boot is over.
 * A renewal is written in place, under a lock, and needs no space on the disk.
 */
#ifndef PANEWARD_LEASE_H
#define PANEWARD_LEASE_H

#include "os/proc.h"

struct lease {
	uint64_t token;                 /* its first revision on the server */
	uint64_t revision;              /* the last known one */
	msec     deadline;              /* the agent is asked to end, */
	msec     over;                  /* and killed: another host may begin */
	char     boot[PROC_BOOT];
};

/* Now, by that clock. */
msec lease_now(void);

/* Sets deadline and over of a lease that lasts so long from a moment after
 * sent.  It ends a fifth sooner for us. */
void lease_renew(struct lease *, msec sent, msec lasts);

/* Is its deadline over? */
bool lease_past(const struct lease *, msec now);

/* 1: read; 0: there is none; -1 with errno; EBADMSG: it is damaged. */
int  lease_read(struct lease *, int state_fd, const char *issue);
/* Writes it, in place if there is one.  -1 with errno. */
int  lease_write(const struct lease *, int state_fd, const char *issue);
void lease_remove(int state_fd, const char *issue);

#endif

/*
 * lease.h - until when a host of the fleet may work on an issue:
 * .paneward/<issue>.lease.
 *
 * paneward-fleet(1) writes it before it starts the issue, and renews it.  The
 * parent of the agent reads it and ends the agent at the deadline, even if
 * paneward-fleet is dead; a hand-off asks paneward-fleet for a permit.  An
 * issue without this file has nothing to do with the fleet.
 *
 * Times are of a clock that counts while the machine sleeps, and of one boot:
 * a lease of another boot is over.  The numbers have a fixed length, so a
 * renewal is written in place, under a lock, and needs no space on the disk.
 */
#ifndef PANEWARD_LEASE_H
#define PANEWARD_LEASE_H

#include "os/proc.h"

struct lease {
	uint64_t token;                 /* the lease's first revision on the
					   server: it tells leases apart */
	uint64_t revision;              /* the last one that we know */
	msec     deadline;              /* the agent is asked to end, */
	msec     over;                  /* and is killed: another host may have
					   the issue from now on */
	char     boot[PROC_BOOT];
};

/* Now, by that clock. */
msec lease_now(void);

/* Sets deadline and over of a lease that lasts so long, as the server counts
 * from some moment after sent; it ends a fifth sooner for us. */
void lease_renew(struct lease *, msec sent, msec lasts);

/* Is its deadline over? */
bool lease_past(const struct lease *, msec now);

/* 1: read; 0: there is none; -1 with errno; EBADMSG: it is damaged. */
int  lease_read(struct lease *, int state_fd, const char *issue);
/* Writes it, in place if there is one.  -1 with errno. */
int  lease_write(const struct lease *, int state_fd, const char *issue);
void lease_remove(int state_fd, const char *issue);

#endif

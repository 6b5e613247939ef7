/*
 * lease.h - until when a host of the fleet may work on an issue:
 * .paneward/<issue>.lease.
 *
 * paneward-fleet(1) writes it; the agent's parent ends the agent at the
 * deadline, even if paneward-fleet is dead.  The clock counts while the machine
 * sleeps; a lease of another boot is over.  A renewal in place needs no disk
 * space.
 */
#ifndef PANEWARD_LEASE_H
#define PANEWARD_LEASE_H

#include "os/proc.h"

struct lease {
	uint64_t token, revision;       /* the first, the last one */
	msec     deadline, over;        /* to end; to be killed */
	char     boot[PROC_BOOT];
};

msec lease_now(void);

/* The lease lasts so long from a moment after sent; a fifth is kept back. */
void lease_renew(struct lease *, msec sent, msec lasts);

bool lease_past(const struct lease *, msec now);

/* 1: read; 0: none; -1 with errno. */
int  lease_read(struct lease *, int state_fd, const char *issue);
int  lease_write(const struct lease *, int state_fd, const char *issue);
#define lease_remove(state_fd, issue) \
	unlinkat((state_fd), ISSUE_NAME((issue), "lease"), 0)

#endif

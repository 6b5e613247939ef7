/*
 * greeting.h - what the fleet's server tells each client before it knows which
 * one it is, without TLS: its version, and what it wants of a client.
 */
#ifndef PANEWARD_FLEET_GREETING_H
#define PANEWARD_FLEET_GREETING_H

#include <stdbool.h>

#include "base/buf.h"

struct greeting {
	char version[32];
	bool tls;                       /* no client may go on without TLS, */
	bool certificate;               /* or without a certificate */
	bool jetstream;
};

/* Connects to an address of the configuration and reads it.  -1 after saying
 * why. */
int greeting_read(const char *address, struct greeting *, struct buf *why);
/* Reads the line "INFO {...}".  False: it is none of a NATS server. */
bool greeting_parse(const char *line, size_t len, struct greeting *);
/* Is the version at least this one?  An unknown one is not. */
bool greeting_atleast(const struct greeting *, unsigned major,
    unsigned minor);

#endif

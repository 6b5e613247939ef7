/*
 * fleetrules.h - where the user's fleet is, and what this host is in it: the key
 * `fleet` of the user's configuration.
 *
 *	{ "servers": ["tls://queue.example:4222"],
 *	  "host": "desk", "labels": ["linux", "gpu"],
 *	  "ca": "fleet/ca.pem", "cert": "fleet/desk.pem",
 *	  "key": "fleet/desk.key", "lease": 60 }
 *
 * paneward-fleet(1) connects there; the other commands only look whether it is
 * set.
 */
#ifndef PANEWARD_FLEETRULES_H
#define PANEWARD_FLEETRULES_H

#include <stdbool.h>
#include <stdint.h>

#include "data/strict.h"

enum { FLEET_HOST_MAX = 63 };           /* bytes of a name */

struct fleetrules {
	char  **servers;                /* addresses, NULL-ended; not empty */
	char   *host;                   /* the name of this one */
	char  **labels;                 /* what it has, NULL-ended, or NULL */
	char   *ca, *cert, *key;        /* absolute; all, or none is set */
	int64_t lease;                  /* seconds, 10 to 86400 */
	int64_t keep_days;              /* of the stream, 1 to 3650 */
	int64_t keep_bytes;             /* 1 MiB to 2^50 */
};

/* Reads them into a struct fleetrules *, which may be NULL before. */
strict_take fleetrules_take;
void fleetrules_free(struct fleetrules *);      /* NULL is fine */

/* A name of a host, or a label: [A-Za-z0-9_-]+, at most FLEET_HOST_MAX bytes.
 * It is one token of a subject. */
bool fleet_name_valid(const char *);

#endif

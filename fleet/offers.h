/*
 * offers.h - the orders of the backlog that this host might take, the oldest
 * first.
 */
#ifndef PANEWARD_FLEET_OFFERS_H
#define PANEWARD_FLEET_OFFERS_H

#include "fleet/order.h"

struct offer {
	char    *key;
	uint64_t number;
	char    *repository;
	char    *host;                  /* that took it last; NULL: none */
	msec     later;                 /* clock_now(): not before that */
};

struct offers {
	struct offer *v;
	size_t n;
};

/* Takes note of a key of the backlog. */
void offers_take(struct offers *, const struct link_message *,
    const struct fleetrules *);
void offers_release(struct offers *);

#endif

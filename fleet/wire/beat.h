/*
 * beat.h - the sign of life of this host: a key of the fleet's bucket of hosts,
 * written every STORE_BEAT.
 *
 * Its value is a line of JSON: "host", "id" (random, made once for this user of
 * this host, so that two hosts of one name are told apart), "version", "user",
 * "address" (what the host calls itself), "began" (this process),
 * "working" (how many issues of the backlog it holds), "skipped" (how many lines
 * of its journals cannot be sent), and "desk": how many ms ago a client of tmux
 * was used here; without it none is attached.
 */
#ifndef PANEWARD_FLEET_BEAT_H
#define PANEWARD_FLEET_BEAT_H

#include "base/clock.h"
#include "fleet/wire/link.h"

struct beat {
	const char *host;
	char       *const *sockets;     /* configured ones of tmux, or NULL */
	char        id[33];
	msec        began;              /* wall */
	unsigned    working, skipped;
	msec        due;                /* the next one */
	uint64_t    revision;           /* of ours; 0: it is not known */
	bool        ours;               /* it was ours once */
	msec        asked;              /* tmux may be asked again then */
	msec        used;               /* the latest "desk"; -1: none */
};

/* Reads the id, or makes it.  -1 with errno. */
int beat_open(struct beat *);

enum beat_end {
	BEAT_DONE,
	BEAT_FAILED,                    /* why says it */
	BEAT_OTHER                      /* another host or process has the name:
					   why says which */
};
enum beat_end beat_send(struct beat *, struct link *, struct buf *why);
/* Says that it ended in order. */
void beat_end(struct beat *, struct link *);

#endif

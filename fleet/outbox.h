/*
 * outbox.h - a journal (run/journal.h) that is sent to the fleet's stream: each
 * event once, in the order of the lines.
 *
 * The journal itself is the outbox, and the stream knows what was sent.  So
 * nothing is kept here that could be lost, or be older than either.  The stream
 * is asked for the ids of all events that it has of this journal whenever its
 * answer may have changed: after a connection began, after a call without an
 * answer, and if the journal is another one.  What it lacks is sent.
 *
 * The last id would not do.  A server that was killed may have forgotten what
 * it acknowledged, and a store may be another one; an event that was on its way
 * meanwhile then comes before those that are to be sent again.
 *
 * Beyond that the stream refuses an id that it has seen within the hour.
 */
#ifndef PANEWARD_FLEET_OUTBOX_H
#define PANEWARD_FLEET_OUTBOX_H

#include "base/clock.h"
#include "fleet/link.h"
#include "os/notify.h"
#include "project/statusdir.h"

enum { OUTBOX_RECENT = 512 };

struct outbox {
	struct outbox   *next;
	struct statusdir dir;
	char     *project;              /* its token in subjects */
	char     *prefix;               /* "paneward.HOST.PROJECT." */
	int       watch;                /* of the journal, or of its folder
					   while there is none; -1 */
	ino_t     watched;              /* the journal's; 0: the folder is */
	bool      known;                /* the place below counts */
	bool      wanted;               /* there may be more in the journal */
	ino_t     ino;                  /* the journal's; 0: there was none */
	off_t     at;                   /* the last line of which the stream
					   has the event; -1: of none */
	uint64_t  last;                 /* the hash of its id */
	off_t     from;                 /* what is to be sent next */
	bool      discarded;            /* the stream had it, and has discarded
					   it */
	uint64_t  sequence;             /* in the stream */
	uint64_t  recent[OUTBOX_RECENT];        /* hashes of ids that were
						   sent last */
	unsigned  nrecent;              /* so many since the stream was asked */
	uint64_t *there;                /* of all that it had then, sorted */
	size_t    nthere;
	unsigned  skipped;              /* lines that cannot be sent */
};

/* What a line says of an event, for fields.h; its texts are freed by
 * outbox_event_release(). */
struct outbox_event {
	char  *id, *subject;
	msec   time;
	char   run[64];
};

/* False: the line is no event. */
bool outbox_event_parse(struct outbox_event *, const char *line, size_t len);
void outbox_event_release(struct outbox_event *);
/* Adds what tells the event from all others of all hosts: a run's events have
 * random ids; any other gets a hash of its source. */
void outbox_event_id(struct buf *, const struct outbox_event *,
    const char *host, const char *directory);

/* Takes over the open directory. */
struct outbox *outbox_new(const struct statusdir *, const char *host);
void outbox_free(struct outbox *);

/* Watches the journal; to be called again after any change of the watch. */
void outbox_watch(struct outbox *, struct notify *);
/* Is what is watched still what is there? */
bool outbox_same(const struct outbox *);
/* Has the journal changed since it was read?  For times without hints. */
void outbox_check(struct outbox *);

/* Sends a part of what is new.  False after saying why: the server does not
 * take it now, and the place is not known any more.  What can never be sent is
 * skipped, and *skipped becomes the reason. */
bool outbox_send(struct outbox *, struct link *, struct buf *skipped,
    struct buf *why);

#endif

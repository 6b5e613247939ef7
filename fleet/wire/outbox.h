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

#include "fleet/wire/link.h"
#include "os/loop.h"
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

/* ---- what another host orders: request.c --------------------------------- */

/*
 * Another host orders to hand off an issue of ours.
 *
 * An order is an event of the stream, paneward.FROM._order.HOST, and its result
 * another one, paneward.HOST._result.FROM.  Its data names the issue's project,
 * by folder, path, or not at all if one project alone has the issue.
 *
 * An order is run once at most, one at a time: before it begins, its sequence is
 * written to "fleet-orders" in the user's folder of state, synced.  If the agent
 * ends meanwhile, `paneward handoff` goes on by itself, and the result is then
 * that its end was not seen; the issue's record has it.  Orders from before the
 * first agent of this user are left alone.
 */

#define REQUEST_TYPE "paneward.fleet.handoff"
#define RESULT_TYPE "paneward.fleet.result"

/* The subjects, allocated. */
char *request_subject(const char *from, const char *to);
char *result_subject(const char *from, const char *to);

/* Adds a line: an event of that type, with the data {"NAME": "VALUE"...} and an
 * exit status unless that is -1. */
struct request_data {
	const char *name, *value;       /* the last one has no name */
};
void request_line(struct buf *, const char *type, const char *id,
    const char *host, const char *issue, const struct request_data *, int exit);

struct requests;

/* Both are borrowed. */
struct requests *requests_new(const char *program, const char *host,
    struct loop *);
/* A hand-off that runs continues. */
void   requests_free(struct requests *);

/* Follows the orders in a stream that was made then.  -1 after saying why. */
int    requests_follow(struct requests *, struct link *, int tag, msec made,
    struct buf *why);
/* A message that came by that tag. */
void   requests_take(struct requests *, const struct link_message *);

/* To be called after each round of the loop, and if it is due: begins the next
 * order and sends the results.  -1 after saying why: it is to be tried again. */
bool   requests_due(const struct requests *);
int    requests_turn(struct requests *, struct link *,
    const struct outbox *journals, struct buf *why);

#endif

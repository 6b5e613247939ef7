/*
 * wire.h - the fleet's server: connection, stores, and this host's messages.
 *
 * A function with a parameter why adds the reason of its failure there, and
 * returns -1, false or NULL.
 */
#ifndef PANEWARD_FLEET_WIRE_H
#define PANEWARD_FLEET_WIRE_H

#include <nats/nats.h>
#include <pthread.h>

#include "base/command.h"
#include "queue/lines.h"

extern const struct command fleet_agent_command, fleet_handoff_command,
    fleet_doctor_command, fleet_follow_command, fleet_history_command,
    fleet_printserver_command, fleet_printunit_command, fleet_backlog_command,
    fleet_permit_command, fleet_release_command, fleet_submit_command,
    fleet_work_command;

/* ---- messages: link.c ---------------------------------------------------- */

struct link_message {
	struct link_message *next;
	natsSubscription *from;
	char    *subject, *data;        /* data: NUL-ended; may hold NULs */
	char    *id;                    /* Nats-Msg-Id, or NULL */
	size_t   len;
	uint64_t sequence;              /* a key's revision */
	uint64_t pending;               /* messages behind it */
	msec     time;                  /* stored then, by the server's clock */
	bool     gone;
};

struct link_inbox {
	pthread_mutex_t lock;
	struct link_message *first, *last;
	bool woken;
	int  pipe[2];
};

#define INBOX_INIT { .lock = PTHREAD_MUTEX_INITIALIZER, .pipe = { -1, -1 } }

void inbox_close(struct link_inbox *);
/* Takes over the message, in any thread; NULL only wakes the reader. */
void inbox_put(struct link_inbox *, struct link_message *);
struct link_message *inbox_next(struct link_inbox *);
/* Takes over the message of nats.c. */
struct link_message *inbox_message(natsMsg *, natsSubscription *from);
void link_message_free(struct link_message *);

/* ---- the connection: link.c ---------------------------------------------- */

/* A stream, and five buckets with the last value of each key.  Hosts, leases
 * and notices expire. */
enum store {
	STORE_EVENTS,   /* paneward.HOST.PROJECT.ISSUE: the journals' lines */
	STORE_HOSTS,    /* HOST: its sign of life */
	STORE_ROWS,     /* HOST.KEY: a row of its queue */
	STORE_BACKLOG,  /* REPOSITORY.ISSUE: an order */
	STORE_LEASES,   /* REPOSITORY.ISSUE: its working host */
	STORE_NOTICES,  /* HOST.EPISODE: the notifying host */
	STORES
};

/*
 * Threads of nats.c only fill the inbox.  The owner polls inbox.pipe[0] for
 * messages and changes of the connection, and calls link_read().  A lost
 * connection comes back by itself; meanwhile calls fail.
 */

enum { LINK_LIMIT = 5000 };             /* ms for an answer */

/* Skips the call after a failed one. */
#define NATS_THEN(s, call) ((s) = (s) == NATS_OK ? (call) : (s))

struct link {
	const struct fleetrules *rules;
	const struct context *context;  /* by fleet_open(); or NULL */
	natsOptions    *options;
	natsConnection *nats;
	jsCtx          *js;
	natsSubscription *sub;
	int             end[2];         /* readable once link_close() runs */
	pthread_t       looker;         /* finds a vanished server */
	unsigned        known[STORES];  /* connects when it was found */
	_Atomic unsigned connects;
	_Atomic bool    over;
	struct link_inbox inbox;
	char            refusal[256];
};

/* With stay it retries in the background for ever. */
struct link *link_open(const struct fleetrules *, bool stay, struct buf *why);
void   link_close(struct link *);

bool   link_up(const struct link *);
/* Connects for a moment: a failure in the background has no reason. */
int    link_try(struct link *, struct buf *why);
/* 0 for NATS_OK; else -1 with the server's last refusal, or the status in
 * words.  why may be NULL, also of store_put(). */
int    link_why(struct link *, natsStatus, struct buf *why);

/* BARE: all, without data. */
enum link_from { LINK_LAST, LINK_ALL, LINK_BARE, LINK_NEW };

/* keys are ">" or "HOST.>", or of the stream "HOST.PROJECT.ISSUE" with "*" for
 * any.  since: the server's wall time; 0: ever. */
typedef void link_take(void *, const struct link_message *);
int    link_each(struct link *, enum store, const char *keys,
    enum link_from, msec since, link_take *, void *, struct buf *why);

int    link_follow(struct link *, enum store, const char *keys,
    enum link_from, struct buf *why);
/* The messages when following began; the server's time of it. */
int    link_began(struct link *, uint64_t *messages, msec *time,
    struct buf *why);
void   link_unfollow(struct link *);
void   link_read(struct link *, link_take *, void *context);

/* Adds a text of nats.c, explained by the file or key to correct. */
void refusal_explain(struct buf *, const char *text,
    const struct fleetrules *);
/* Are our certificate's files readable, the key by its owner alone? */
bool refusal_files(struct buf *why, const struct fleetrules *);

/* Ends the program on failure; dir is as for context_open().  Once. */
struct link *fleet_open(const char *dir, bool stay);
/* A nameless file with the text.  -1 with errno. */
int fleet_input(const char *text);

/* A lasting process's loop: signals, inbox, notify. */
struct fleetloop {
	struct loop    loop;
	struct notify *notify;
	struct loop_wait trap, news, changes;
};

void fleetloop_open(struct fleetloop *);
/* True after a signal to end. */
bool fleetloop_round(struct fleetloop *, const struct link *, msec until);

/* ---- before TLS: doctor.c ------------------------------------------------ */

struct greeting {
	char version[32];
	bool jetstream, recent;         /* recent: version 2.12 or later */
};

/* Reads "INFO {...}".  False: no NATS server's. */
bool greeting_parse(const char *line, size_t len, struct greeting *);

/* ---- its stores: store.c ------------------------------------------------- */

enum {
	STORE_BEAT = 10000,             /* ms between beats */
	STORE_GONE = 35000,             /* ms until a silent host is gone */
	STORE_LINE = 1 << 20
};

extern const struct store_kind {
	const char *stream;
	const char *prefix;             /* of subjects, with the dot */
	int64_t     lasts;              /* ms; 0: for ever, or by the rules */
	int32_t     most;
} stores[STORES];

struct store_look {
	msec    made;                   /* tells it from a later, empty one */
	msec    newest, lasts;          /* lasts 0: for ever */
	int64_t most, bytes, messages;  /* most: bytes; -1: any */
	bool    discards, other;        /* other: not by store_open() */
};

/* 1; 0: it is not there; -1. */
int    store_look(struct link *, enum store, struct store_look *,
    struct buf *why);
/* Makes a missing one: the first host sets the rules for all. */
int    store_open(struct link *, enum store, struct store_look *,
    struct buf *why);

/* TAKEN: another revision is there.  FAILED: it may be done. */
enum store_end { STORE_DONE, STORE_TAKEN, STORE_FAILED };

/* Writes a key, or deletes it (value NULL), if it has *revision (0: no key;
 * STORE_ANY: any), which becomes the new one. */
#define STORE_ANY UINT64_MAX
enum store_end store_put(struct link *, enum store, const char *key,
    const struct buf *value, uint64_t *revision, struct buf *why);
/* 1; 0: none; -1.  *value is NULL if it is no JSON; value and time may be
 * NULL. */
int    store_get(struct link *, enum store, const char *key,
    struct json **value, uint64_t *revision, msec *time, struct buf *why);
int    store_keys(struct link *, enum store, void (*take)(void *,
    const char *key), void *context, struct buf *why);
#define store_each(l, which, keys, take, context, why) \
	link_each((l), (which), (keys), LINK_LAST, 0, (take), (context), (why))

/* Adds a token of a subject: '_' replaces all but letters, digits and '-'; a
 * hash follows if anything is lost. */
void   store_token(struct buf *, const char *text);
/* Adds the token of a status directory's project: folder and hash. */
void   store_project(struct buf *, const char *directory);

/* ---- the sign of life: beat.c -------------------------------------------- */

/* A key of the bucket of hosts, written every STORE_BEAT with "version", "user"
 * and "address" (the host's own name). */
struct beat {
	char        id[33];             /* random, per user and host */
	msec        began, due;         /* wall; next beat */
	unsigned    skipped;            /* lines of journals */
	uint64_t    revision;           /* of the key; 0: unknown */
	bool        ours;
	msec        asked;              /* do not ask tmux before */
	msec        used;               /* "desk": ms since tmux was used here;
					   -1: no client */
};

/* Reads or makes the id.  -1 with errno. */
int beat_open(struct beat *);
/* OTHER: why names the host or process that has the name. */
enum beat_end { BEAT_DONE, BEAT_FAILED, BEAT_OTHER };
enum beat_end beat_send(struct beat *, struct link *, struct buf *why);
void beat_end(struct beat *, struct link *);

/* ---- a journal: outbox.c ------------------------------------------------- */

/*
 * The outbox sends each event of a journal (run/journal.h) once, in order.
 * After a connection or an unanswered call, and for a new journal, it asks the
 * stream for all its ids: a killed server may forget acknowledged events, but
 * have later ones.
 */
enum { OUTBOX_RECENT = 512 };

struct outbox {
	struct outbox   *next;
	struct statusdir dir;
	char     *prefix;               /* of its keys: "HOST.PROJECT." */
	int       watch;                /* of the journal or its folder; -1 */
	ino_t     watched, ino;         /* the journal's; watched 0: its folder
					   is watched */
	bool      known, wanted;        /* the place below counts; more may
					   come */
	off_t     at, from;             /* last line sent, or -1; next one */
	uint64_t  last, sequence;       /* last: hash of its id */
	bool      discarded;            /* by the stream: the lines before */
	uint64_t  recent[OUTBOX_RECENT];        /* of the last ids */
	unsigned  nrecent, skipped;     /* skipped: lines */
	uint64_t *there;                /* hashes of all ids, sorted */
	size_t    nthere;
};

struct outbox_event {
	char  *id, *subject;
	msec   time;
	char   run[64];
};

bool outbox_event_parse(struct outbox_event *, const char *line, size_t len);
void outbox_event_release(struct outbox_event *);
/* Adds an id unique among hosts: a hash of its source ends it, unless it is a
 * run's. */
void outbox_event_id(struct buf *, const struct outbox_event *,
    const char *host, const char *directory);

/* Takes over the open directory. */
struct outbox *outbox_new(const struct statusdir *, const char *host);
void outbox_free(struct outbox *);
void outbox_watch(struct outbox *, struct notify *);
void outbox_check(struct outbox *, struct notify *);
/* Sends some new lines.  *skipped tells why no server would take a line. */
bool outbox_send(struct outbox *, struct link *, struct buf *skipped,
    struct buf *why);

/* ---- notices: desk.c ----------------------------------------------------- */

/*
 * While a tmux client is used here, the desk follows all hosts' rows.  An
 * agent's own host sends its notice if a desk is in use there; else the first
 * host that writes the episode's key into the bucket.  Another host takes over
 * the key of one that dies before it records the notice: a notice may be
 * doubled, but is not lost.
 */
enum { DESK_USED = 60000 };     /* ms that a desk stays in use */

struct desk {
	const char  *program;           /* borrowed, as the next two */
	struct link *link;
	struct loop *loop;
	struct spawn spawn;             /* SPAWN_INIT */
	bool         here;
	struct need *needs, *telling;   /* telling: by spawn */
	bool         dropped;           /* the need is over */
};

/* Call it again after a connection. */
int    desk_set(struct desk *, bool here, struct buf *why);
void   desk_take(void *desk, const struct link_message *);
/* desk_turn() follows each round of the loop. */
msec   desk_due(const struct desk *);
int    desk_turn(struct desk *, msec now, struct buf *why);

/* ---- the rows of other hosts: farrows.c ---------------------------------- */

/*
 * Rows come as they change.  Each STORE_BEAT one request lists the living
 * hosts: following all beats would cost hosts squared.
 *
 * A silent host keeps its rows, as not watched since then, and gets one of its
 * own.  A host without rows ended in order.  A row says why the server is
 * away.  Server times are only compared with each other: clocks may be wrong.
 */
struct farrows;

/* Splits "$KV.PANEWARD_ROWS.HOST.TOKEN"; NULL: no row's. */
const char *farrows_token(const char *subject, char host[FLEET_HOST_MAX + 1]);
/* Never freed.  Borrows link and wanted hosts; NULL: all. */
struct farrows *farrows_new(struct link *, char *const *only);
/* Follows each round of a loop: gives lines all rows after a change, once all
 * have come. */
void farrows_turn(struct farrows *, struct rowlines *, msec wall, msec now);

#endif

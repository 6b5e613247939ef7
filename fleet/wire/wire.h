/*
 * wire.h - the fleet's server: the connection to it, its stores, and the
 * messages of this host.  Each file of paneward-fleet includes it.
 */
#ifndef PANEWARD_FLEET_WIRE_H
#define PANEWARD_FLEET_WIRE_H

#include <nats/nats.h>
#include <pthread.h>

#include "base/command.h"
#include "data/json.h"
#include "os/file.h"
#include "os/notify.h"
#include "os/spawn.h"
#include "project/context.h"
#include "queue/lines.h"

/* ---- the commands, for the table in fleet.c ------------------------------ */

extern const struct command fleet_agent_command, fleet_handoff_command,
    fleet_doctor_command, fleet_follow_command, fleet_history_command,
    fleet_printserver_command, fleet_printunit_command, fleet_backlog_command,
    fleet_permit_command, fleet_release_command, fleet_submit_command,
    fleet_work_command;

/* ---- the messages from the threads of nats.c: link.c --------------------- */

struct link_message {
	struct link_message *next;
	natsSubscription *from;         /* only compared */
	char    *subject;
	char    *id;                    /* Nats-Msg-Id of an event, or NULL */
	char    *data;                  /* NUL-ended; may hold others */
	size_t   len;
	uint64_t sequence;              /* in its stream: a key's revision */
	msec     time;                  /* the server's wall time of storing */
	uint64_t pending;               /* messages of the stream behind it */
	bool     gone;                  /* a deleted key */
};

struct link_inbox {
	pthread_mutex_t lock;           /* of all that follows */
	struct link_message *first, *last;
	bool woken;                     /* the pipe holds a byte */
	int  pipe[2];                   /* pipe[0] wakes the reader */
};

#define INBOX_INIT { .lock = PTHREAD_MUTEX_INITIALIZER, .pipe = { -1, -1 } }

void inbox_close(struct link_inbox *);
/* Takes over the message, in any thread; NULL only wakes the reader. */
void inbox_put(struct link_inbox *, struct link_message *);
/* The oldest message, for link_message_free(), or NULL. */
struct link_message *inbox_next(struct link_inbox *);
/* A copy of a message of that subscription. */
struct link_message *inbox_message(natsMsg *, natsSubscription *from);
void link_message_free(struct link_message *);

/* ---- the connection: link.c ---------------------------------------------- */

/* One stream and five buckets; a bucket is a stream that keeps the last value
 * of each key.  The server forgets keys of hosts, leases and notices after a
 * time, by its own clock. */
enum store {
	STORE_EVENTS,   /* paneward.HOST.PROJECT.ISSUE: the journals' lines */
	STORE_HOSTS,    /* HOST: its sign of life */
	STORE_ROWS,     /* HOST.KEY: a row of its queue */
	STORE_BACKLOG,  /* REPOSITORY.ISSUE: an order */
	STORE_LEASES,   /* REPOSITORY.ISSUE: the host that works on it */
	STORE_NOTICES,  /* HOST.EPISODE: the host that sends the notice */
	STORES
};

/*
 * The threads of nats.c only put messages into the inbox; one thread of ours
 * does everything else.  The owner polls inbox.pipe[0], readable after a message
 * and after a change of the connection, and calls link_next() until it returns
 * NULL.
 *
 * A lost connection comes back by itself; meanwhile calls fail.  The server
 * refuses without an answer, so a call without an answer was refused or lost:
 * link_why() reports the refusal if the server told it.
 */

enum { LINK_LIMIT = 5000 };             /* ms for an answer of the server */

/* Makes the next call of nats.c, unless one before has failed. */
#define NATS_THEN(s, call) ((s) = (s) == NATS_OK ? (call) : (s))

struct link {
	const struct fleetrules *rules;
	natsOptions    *options;
	natsConnection *nats;
	jsCtx          *js;
	natsSubscription *sub;          /* of link_follow(); NULL */
	int             end[2];         /* readable once link_close() runs */
	pthread_t       looker;         /* for a server that vanished, */
	bool            looks;          /* if it runs */
	unsigned        known;          /* a bit for each store that was found */
	unsigned        known_at;       /* by that connection */
	_Atomic unsigned connects;      /* connections so far: a caller that
					   keeps a state of the server reads it
					   anew after each */
	_Atomic bool    over;           /* nats.c has given up */
	struct link_inbox inbox;
	char            refusal[256];   /* under its lock */
};

/* Connects.  NULL after saying why.  With stay set it retries in the background
 * for ever, and fails only for the files of the rules. */
struct link *link_open(const struct fleetrules *, bool stay, struct buf *why);
void   link_close(struct link *);       /* NULL is fine */

bool   link_up(const struct link *);
/* Connects once more, for a moment, since nats.c does not report the reason of a
 * failure in the background.  0, or -1 after saying why that fails. */
int    link_try(struct link *, struct buf *why);
/* 0 for NATS_OK; else -1, and adds the server's last refusal since the last
 * link_why(), or the words for the status. */
int    link_why(struct link *, natsStatus, struct buf *why);

/* The last message of each subject; all; all without data; new ones. */
enum link_from { LINK_LAST, LINK_ALL, LINK_BARE, LINK_NEW };

/* Calls take for each message stored since that wall time of the server (0:
 * ever), and waits for them.  -1 after saying why: some may be missing. */
typedef void link_take(void *, const struct link_message *);
int    link_each(struct link *, const char *stream, const char *subject,
    enum link_from, msec since, link_take *, void *, struct buf *why);

/* Follows keys of a store, ">" or "HOST.>", instead of those before, also
 * across lost connections.  -1 after saying why. */
int    link_follow(struct link *, enum store, const char *keys,
    enum link_from, struct buf *why);
/* The number of messages that the store had at its begin, and its time by the
 * server's clock.  -1 after saying why. */
int    link_began(struct link *, uint64_t *messages, msec *time,
    struct buf *why);
void   link_unfollow(struct link *);
/* The next message, for link_message_free(), or NULL. */
struct link_message *link_next(struct link *);

/* Adds a text of nats.c or of the server in words that name the file or key to
 * correct; an unknown one without its place in the source. */
void refusal_explain(struct buf *, const char *text,
    const struct fleetrules *);
/* Are the files of our certificate readable, and the key by its owner alone?
 * Else adds why not. */
bool refusal_files(struct buf *, const struct fleetrules *);

/* Opens the context (dir as for context_open()) and the link, or ends the
 * program with a message. */
struct link *fleet_open(struct context *, const char *dir, bool stay);
/* A nameless file with the text, for a child: a pipe may be too small.  -1 with
 * errno. */
int fleet_input(const char *text);

/* The loop of a process that stays. */
struct fleetloop {
	struct loop    loop;
	struct notify *notify;
	struct loop_wait trap, news, changes;   /* signals, the inbox, notify */
};

/* Before the link is opened; ends the program if signals cannot be caught. */
void fleetloop_open(struct fleetloop *);
/* Waits for at most so long.  True after a signal to end. */
bool fleetloop_round(struct fleetloop *, const struct link *, msec until);

/* ---- before TLS: doctor.c ------------------------------------------------ */

/* The server sends it to each client before the client is known. */
struct greeting {
	char version[32];
	bool jetstream;
	bool recent;                    /* version 2.12 or later */
};

/* Reads "INFO {...}".  False: no NATS server sent that. */
bool greeting_parse(const char *line, size_t len, struct greeting *);

/* ---- its stores: store.c ------------------------------------------------- */

enum {
	STORE_BEAT = 10000,             /* ms between signs of life of a host */
	STORE_GONE = 35000,             /* ms until a silent host is gone */
	STORE_LINE = 1 << 20            /* bytes of an event */
};

extern const struct store_kind {
	const char *stream;             /* as in "KV_PANEWARD_ROWS" */
	const char *prefix;             /* of its subjects, with the dot */
	int64_t     lasts;              /* ms; 0: for ever, or by the rules */
	int32_t     most;               /* bytes of a value */
} stores[STORES];

/* The server's description of a store; times are wall times of the server. */
struct store_look {
	msec    made;                   /* tells it from a later, empty one */
	msec    newest;                 /* its last message */
	msec    lasts;                  /* of a message; 0: for ever */
	int64_t most;                   /* bytes; -1: any */
	int64_t bytes, messages;        /* there */
	bool    discards;               /* messages, too old or too many */
	bool    other;                  /* not as store_open() makes it */
};

/* 1; 0: it is not there; -1 after saying why. */
int    store_look(struct link *, enum store, struct store_look *,
    struct buf *why);
/* Makes it, unless it is there.  An existing one stands, even if our rules
 * differ: the first host sets the lease for all.  -1 after saying why. */
int    store_open(struct link *, enum store, struct store_look *,
    struct buf *why);

/* TAKEN: another revision is there.  FAILED, with why: it may be done. */
enum store_end { STORE_DONE, STORE_TAKEN, STORE_FAILED };

/* Writes a key, or deletes it (value NULL), if it has that revision; 0: it must
 * not be there; STORE_ANY: whatever is.  *revision becomes the new one. */
#define STORE_ANY UINT64_MAX
enum store_end store_put(struct link *, enum store, const char *key,
    const struct buf *value, uint64_t *revision, struct buf *why);
/* 1: the key's value (NULL: no JSON), revision, and time of storing; 0: there is
 * none; -1 after saying why.  value and time may be NULL. */
int    store_get(struct link *, enum store, const char *key,
    struct json **value, uint64_t *revision, msec *time, struct buf *why);
/* Lists the keys without their values.  -1 after saying why. */
int    store_keys(struct link *, enum store, void (*take)(void *,
    const char *key), void *context, struct buf *why);
/* link_each() for the last message of each key; keys as of link_follow(). */
int    store_each(struct link *, enum store, const char *keys, link_take *,
    void *context, struct buf *why);

/* Adds a token of a subject for a text: every character but a letter, digit,
 * '-' or '_' is replaced by '_'; if that, or the length, loses something,
 * "-" and a hash follow. */
void   store_token(struct buf *, const char *text);
/* Adds the token of a status directory's project: the name of its folder, and a
 * hash of the directory's path alone, which finds its events. */
void   store_project(struct buf *, const char *directory);

/* ---- the sign of life of this host: beat.c ------------------------------- */

/*
 * A key of the bucket of hosts, written every STORE_BEAT: an object with "host",
 * "id" (random, of this user of this host: it tells two hosts of one name
 * apart), "version", "user", "address" (the host's own name), "began" (this
 * process), "working" (its issues of the backlog), "skipped" (lines of its
 * journals that cannot be sent), and "desk": ms since a client of tmux was used
 * here; missing if none is attached.
 */
struct beat {
	const char *host;
	char       *const *sockets;     /* configured ones of tmux, or NULL */
	char        id[33];
	msec        began;              /* wall */
	unsigned    working, skipped;
	msec        due;                /* the next one */
	uint64_t    revision;           /* of the key; 0: unknown */
	bool        ours;               /* the key was ours once */
	msec        asked;              /* tmux is not asked before that */
	msec        used;               /* the latest "desk"; -1: none */
};

/* Reads the id, or makes it.  -1 with errno. */
int beat_open(struct beat *);
/* OTHER: another host or process, named in why, has the name. */
enum beat_end { BEAT_DONE, BEAT_FAILED, BEAT_OTHER };
enum beat_end beat_send(struct beat *, struct link *, struct buf *why);
/* Deletes the key: the process ends in order. */
void beat_end(struct beat *, struct link *);

/* ---- a journal that is sent: outbox.c ------------------------------------ */

/*
 * A journal (run/journal.h) is sent to the fleet's stream: each event once, in
 * the order of the lines.
 *
 * The journal and the stream are the whole state.  The outbox asks the stream
 * for the ids of all its events of this journal after each connection, after a
 * call without an answer, and for a new journal; then it sends the missing
 * ones.  The last id would not do: a killed server may have forgotten
 * acknowledged events, and have later ones that were under way.
 *
 * The stream itself refuses an id that it has seen within the hour.
 */
enum { OUTBOX_RECENT = 512 };

struct outbox {
	struct outbox   *next;
	struct statusdir dir;
	char     *prefix;               /* "paneward.HOST.PROJECT." */
	int       watch;                /* of the journal, else of its folder;
					   -1 */
	ino_t     watched;              /* the journal's; 0: the folder is */
	bool      known;                /* the place below counts */
	bool      wanted;               /* the journal may have more */
	ino_t     ino;                  /* the journal's; 0: there was none */
	off_t     at;                   /* the last line that the stream has;
					   -1: none */
	uint64_t  last;                 /* the hash of its id */
	off_t     from;                 /* the next line to send */
	bool      discarded;            /* the stream had the lines before, and
					   discarded them */
	uint64_t  sequence;             /* in the stream */
	uint64_t  recent[OUTBOX_RECENT];        /* hashes of the last ids sent */
	unsigned  nrecent;              /* ids sent since the stream was asked */
	uint64_t *there;                /* hashes of all its ids then, sorted */
	size_t    nthere;
	unsigned  skipped;              /* lines that cannot be sent */
};

/* The part of an event's line that the fleet reads. */
struct outbox_event {
	char  *id, *subject;
	msec   time;
	char   run[64];
};

/* False: the line is no event. */
bool outbox_event_parse(struct outbox_event *, const char *line, size_t len);
void outbox_event_release(struct outbox_event *);
/* Adds an id that no other event of any host has: a run's events have random
 * ids; any other gets a hash of its source. */
void outbox_event_id(struct buf *, const struct outbox_event *,
    const char *host, const char *directory);

/* Takes over the open directory. */
struct outbox *outbox_new(const struct statusdir *, const char *host);
void outbox_free(struct outbox *);
/* Watches the journal; again after any change of the watch. */
void outbox_watch(struct outbox *, struct notify *);
/* Checks whether the journal has changed or was replaced. */
void outbox_check(struct outbox *, struct notify *);
/* Sends a part of the new lines.  False after saying why: the server does not
 * answer, and the place is unknown.  A line that no server would take is
 * skipped, and *skipped becomes the reason. */
bool outbox_send(struct outbox *, struct link *, struct buf *skipped,
    struct buf *why);

/* ---- a person at this host, and agents on others: desk.c ----------------- */

/*
 * While a tmux client is used here, the desk follows the rows of all hosts.  An
 * agent that needs a person is left to its own host if a desk is in use there.
 * Else the first host that writes the episode's key into the bucket of notices
 * sends the notice, by `paneward notify --row`, and records that there.  A host
 * that dies in between leaves an unfinished key, which another one takes over:
 * a notice may be doubled, but is not lost.
 */
enum { DESK_USED = 60000 };     /* ms for which a used client shows a person */

struct desk {
	const char  *program;           /* paneward; borrowed, as the */
	struct link *link;              /* link is, */
	struct loop *loop;              /* and the loop */
	struct spawn spawn;             /* SPAWN_INIT */
	bool         here;
	struct need *needs;
	struct need *telling;           /* by spawn; NULL: none */
	bool         dropped;           /* it is needed no more */
};

/* After a new connection, again.  -1 after saying why. */
int    desk_set(struct desk *, bool here, struct buf *why);
void   desk_take(struct desk *, const struct link_message *, msec now);
/* desk_turn() follows each round of the loop, and is due then.  -1 after saying
 * why: the server did not answer. */
msec   desk_due(const struct desk *);
int    desk_turn(struct desk *, msec now, struct buf *why);

/* ---- the rows of the fleet's other hosts: farrows.c ---------------------- */

/*
 * Rows come from the server as they change.  Each STORE_BEAT one request lists
 * the living hosts: the beats of all hosts on all hosts would cost hosts
 * squared.
 *
 * A row is parsed once, as a check, and stays a line of JSON, which gets its
 * host and the time since which it is not watched.
 *
 * The rows of a silent host stay, as not watched since then, and a row of the
 * host itself says so.  A host without rows has none of its own either, so a
 * host that ended in order leaves nothing behind.  While the server is away, a
 * row says why.
 *
 * Times of the server are only compared with each other: a host's clock, or
 * ours, may be wrong.
 */
struct farrows;

/* The token of a row's subject, "$KV.PANEWARD_ROWS.HOST.TOKEN", and its host;
 * NULL: it is no row's. */
const char *farrows_token(const char *subject, char host[FLEET_HOST_MAX + 1]);
/* Borrows the link and the wanted hosts, NULL-ended, or NULL for all. */
struct farrows *farrows_new(struct link *, char *const *only);
void farrows_free(struct farrows *);
/* Follows each round of a loop, and is due at times: gives all rows to the
 * lines if some may have changed, but not before all have come once. */
void farrows_turn(struct farrows *, struct rowlines *, msec wall, msec now);

#endif

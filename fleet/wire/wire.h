/*
 * wire.h - the fleet's server: the connection to it, what it keeps, and what
 * this host sends there; and what each file of paneward-fleet includes.
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

/* They add to a list, and wake its one reader by a pipe. */

struct link_message {
	struct link_message *next;
	natsSubscription *from;         /* by which it came; only compared */
	char    *subject;
	char    *id;                    /* of an event: Nats-Msg-Id; or NULL */
	char    *data;                  /* NUL-ended; may hold others */
	size_t   len;
	uint64_t sequence;              /* in its stream: a key's revision */
	msec     time;                  /* when it was stored, by the server's
					   clock; wall */
	uint64_t pending;               /* how many follow that are there */
	bool     gone;                  /* a key that was deleted */
};

struct link_inbox {
	pthread_mutex_t lock;           /* of all that follows */
	struct link_message *first, **last;
	bool woken;                     /* there is a byte in the pipe */
	int  pipe[2];                   /* pipe[0] is readable when something
					   was put */
};

/* -1 with errno.  No thread uses one that is closed. */
int  inbox_open(struct link_inbox *);
void inbox_close(struct link_inbox *);
/* By any thread: takes over the message; NULL only wakes the reader. */
void inbox_put(struct link_inbox *, struct link_message *);
/* The oldest; NULL: none now.  For link_message_free(). */
struct link_message *inbox_next(struct link_inbox *);
/* A copy of a message that came by that subscription. */
struct link_message *inbox_message(natsMsg *, natsSubscription *from);
void link_message_free(struct link_message *);

/* ---- the connection: link.c ---------------------------------------------- */

/* One stream and five buckets; a bucket is a stream that keeps the last value
 * of each key.  Keys of hosts, leases and notices go by themselves after a
 * time, by the server's clock. */
enum store {
	STORE_EVENTS,   /* paneward.HOST.PROJECT.ISSUE: the journals' lines */
	STORE_HOSTS,    /* HOST: that it is there, and what it is */
	STORE_ROWS,     /* HOST.KEY: a row of its queue */
	STORE_BACKLOG,  /* REPOSITORY.ISSUE: what is to be done */
	STORE_LEASES,   /* REPOSITORY.ISSUE: which host does it now */
	STORE_NOTICES,  /* HOST.EPISODE: which host has told of it */
	STORES
};

/*
 * nats.c has threads of its own.  They only put what came into a list and wake
 * us: one thread of ours does everything else.  Poll inbox.pipe[0], which is
 * readable when there is a message, and when the connection came or went; then
 * take messages by link_next() until there is none.
 *
 * A lost connection comes back by itself; meanwhile calls fail.  The server
 * refuses what a host may not do without an answer, so a call that it did not
 * answer in time is refused or lost: link_why() says which, as far as the
 * server told.
 */

enum { LINK_LIMIT = 5000 };             /* ms for an answer of the server */

/* Makes the next call of nats.c, unless one before has failed. */
#define NATS_THEN(s, call) ((s) = (s) == NATS_OK ? (call) : (s))

struct link {
	const struct fleetrules *rules; /* by link_rules() */
	natsOptions    *options;
	natsConnection *nats;
	jsCtx          *js;
	natsSubscription *sub;          /* of link_follow(); NULL */
	int             end[2];         /* one that ends when we close */
	pthread_t       looker;         /* for a server that vanished, */
	bool            looks;          /* if it runs */
	unsigned        known;          /* stores that were there, a bit each, */
	unsigned        known_at;       /* by that connection */
	_Atomic unsigned connects;
	_Atomic bool    over;           /* nats.c has given up */
	struct link_inbox inbox;
	char            refusal[256];   /* under its lock */
};

/* Connects.  NULL after saying why.  With stay set, it goes on trying in the
 * background if the server is away, now or later, and the link is never NULL. */
struct link *link_open(const struct fleetrules *, bool stay, struct buf *why);
void   link_close(struct link *);       /* NULL is fine */

const struct fleetrules *link_rules(const struct link *);
/* Is it connected now, and how often has it been so?  A caller that keeps
 * a state of the server looks anew when the number grows. */
bool   link_up(const struct link *);
unsigned link_connects(const struct link *);
/* While it is not up: connects once more, for a moment.  0, or -1 after saying
 * why that fails. */
int    link_try(struct link *, struct buf *why);
/* 0 for NATS_OK; else -1, and adds the reason of the call that failed: the
 * server's last refusal since the last link_why(), else the words for the
 * status. */
int    link_why(struct link *, natsStatus, struct buf *why);

/* The last message of each subject; all of them; these without data; new ones. */
enum link_from { LINK_LAST, LINK_ALL, LINK_BARE, LINK_NEW };

/* Calls take for each message that is there and was stored since that wall time
 * of the server (0: ever), and waits for that.  -1 after saying why: maybe not
 * for all. */
typedef void link_take(void *, const struct link_message *);
int    link_each(struct link *, const char *stream, const char *subject,
    enum link_from, msec since, link_take *, void *, struct buf *why);

/* Follows keys of a store, ">" or "HOST.>", instead of what was followed
 * before.  The server keeps nothing of it: it goes on by itself after a lost
 * connection.  -1 after saying why. */
int    link_follow(struct link *, enum store, const char *keys,
    enum link_from, struct buf *why);
/* How many messages were there when it began, which come first, and when that
 * was by the server's clock.  -1 after saying why. */
int    link_began(struct link *, uint64_t *messages, msec *time,
    struct buf *why);
void   link_unfollow(struct link *);
/* NULL: none now.  For link_message_free(). */
struct link_message *link_next(struct link *);

/* Adds what a text of nats.c or of the server means, in words that name the
 * file or key to look at; an unknown one as it is, without the place in its
 * source. */
void refusal_explain(struct buf *, const char *text,
    const struct fleetrules *);
/* Can the files of our certificate be read, and the key by its owner alone?
 * Else adds why not. */
bool refusal_files(struct buf *, const struct fleetrules *);

/* Opens the context (dir as for context_open()) and the link, or ends the
 * program with a message: the fleet is not configured, or cannot be reached
 * (which is none with stay set). */
struct link *fleet_open(struct context *, const char *dir, bool stay);
/* Closes both; the exit status of a command that has done all, or not. */
enum exit_status fleet_close(struct context *, struct link *, bool good);
/* A file without a name that holds the text: the input of a child that may be
 * more than a pipe takes.  -1 with errno. */
int fleet_input(const char *text);

/* What a process that stays waits for. */
struct fleetloop {
	struct loop    loop;
	struct notify *notify;
	struct loop_wait trap, news, changes;   /* signals, the server's, and
					   of notify */
};

/* Before the link is opened; ends the program if signals cannot be caught. */
void fleetloop_open(struct fleetloop *);
/* Waits, until then at most.  True: a signal says that it is to end. */
bool fleetloop_round(struct fleetloop *, const struct link *, msec until);

/* ---- before TLS: doctor.c ------------------------------------------------ */

/* The server tells it each client before it knows which one it is. */
struct greeting {
	char version[32];
	bool jetstream;
};

/* Reads "INFO {...}".  False: it is none of a NATS server. */
bool greeting_parse(const char *line, size_t len, struct greeting *);
/* An unknown version is not. */
bool greeting_atleast(const struct greeting *, unsigned major,
    unsigned minor);

/* ---- what it keeps: store.c ---------------------------------------------- */

enum {
	STORE_BEAT = 10000,             /* ms between signs of life of a host */
	STORE_GONE = 35000,             /* without one: it is not heard of */
	STORE_LINE = 1 << 20            /* bytes of an event */
};

/* The name of its stream, "KV_PANEWARD_ROWS", and the beginning of its
 * subjects, "$KV.PANEWARD_ROWS.". */
const char *store_stream(enum store);
const char *store_prefix(enum store);

/* The server's description of a store. */
struct store_look {
	msec    made;                   /* by the server's clock, wall: another
					   moment is another, empty one */
	msec    newest;                 /* when its last message was stored */
	msec    lasts;                  /* of a message; 0: for ever */
	int64_t most;                   /* bytes; -1: any */
	int64_t bytes, messages;        /* there */
	bool    discards;               /* some messages, as too old or too
					   many */
	bool    other;                  /* it is not as store_open() makes it */
};

/* 1; 0: it is not there; -1 after saying why. */
int    store_look(struct link *, enum store, struct store_look *,
    struct buf *why);
/* Makes it, unless it is there.  What is there stands, even if our rules say
 * otherwise: the first host sets the lease for all.  -1 after saying why. */
int    store_open(struct link *, enum store, struct store_look *,
    struct buf *why);

/* TAKEN: another revision is there; FAILED, as why says: it may have been
 * done. */
enum store_end { STORE_DONE, STORE_TAKEN, STORE_FAILED };

/* Writes a key, or with value NULL deletes it: revision 0: it must not be
 * there; STORE_ANY: whatever is; else its present value must have that
 * revision. *revision becomes the new one. */
#define STORE_ANY UINT64_MAX
enum store_end store_put(struct link *, enum store, const char *key,
    const struct buf *value, uint64_t *revision, struct buf *why);
/* 1: its value (NULL: it is no JSON) and revision, and when it was stored; 0:
 * there is none; -1 after saying why.  value and time may be NULL. */
int    store_get(struct link *, enum store, const char *key,
    struct json **value, uint64_t *revision, msec *time, struct buf *why);
/* For each key, without reading their values.  -1 after saying why. */
int    store_keys(struct link *, enum store, void (*take)(void *,
    const char *key), void *context, struct buf *why);
/* link_each() for the last message of each key; keys as of link_follow(). */
int    store_each(struct link *, enum store, const char *keys, link_take *,
    void *context, struct buf *why);

/* Adds a token of a subject for a text: every character but a letter, digit,
 * '-' or '_' is replaced by '_'; if that, or the length, loses something,
 * "-" and a hash follow. */
void   store_token(struct buf *, const char *text);
/* The token of the project of a status directory: the name of its folder and a
 * hash of the directory's path alone, so that events are found by it. */
void   store_project(struct buf *, const char *directory);

/* ---- the sign of life of this host: beat.c ------------------------------- */

/*
 * A key of the fleet's bucket of hosts, written every STORE_BEAT, whose value
 * is a line of JSON: "host", "id" (random, made once for this user
 * of this host, so that two hosts of one name are told apart), "version",
 * "user", "address" (what the host calls itself), "began" (this process),
 * "working" (how many issues of the backlog it holds), "skipped" (how many
 * lines of its journals cannot be sent), and "desk": how many ms ago a client
 * of tmux was used here; without it none is attached.
 */
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
/* FAILED, as why says; OTHER: a host or process that why names has the name. */
enum beat_end { BEAT_DONE, BEAT_FAILED, BEAT_OTHER };
enum beat_end beat_send(struct beat *, struct link *, struct buf *why);
/* Says that it ended in order. */
void beat_end(struct beat *, struct link *);

/* ---- a journal that is sent: outbox.c ------------------------------------ */

/*
 * A journal (run/journal.h) is sent to the fleet's stream: each event once, in
 * the order of the lines.
 *
 * The journal is the outbox, and the stream knows what was sent: nothing is
 * kept here that could be lost, or be older than either.  The stream is asked
 * for the ids of all events that it has of this journal whenever its answer may
 * have changed: after a connection began, after a call without an answer, and
 * if the journal is another one.  What it lacks is sent.
 *
 * The last id would not do.  A server that was killed may have forgotten what
 * it acknowledged, and a store may be another one; an event that was on its way
 * meanwhile then comes before those that are to be sent again.
 *
 * Beyond that the stream refuses an id that it has seen within the hour.
 */
enum { OUTBOX_RECENT = 512 };

struct outbox {
	struct outbox   *next;
	struct statusdir dir;
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
/* Looks whether the journal has changed since it was read, or is another one,
 * which is watched then. */
void outbox_check(struct outbox *, struct notify *);
/* Sends a part of what is new.  False after saying why: the server does not
 * take it now, and the place is not known any more.  What can never be sent is
 * skipped, and *skipped becomes the reason. */
bool outbox_send(struct outbox *, struct link *, struct buf *skipped,
    struct buf *why);

/* ---- a person at this host, and agents on others: desk.c ----------------- */

/*
 * While a tmux client is used here, the rows of all hosts are followed.  An
 * agent needs a person: if its host has a desk in use, that tells it.  Else
 * the first host that writes the episode's key into the bucket of notices
 * tells it, by `paneward notify --row`, and writes there that it has.  A host
 * that dies in between leaves its key unfinished: another one takes it over,
 * so that a notice may be doubled then, but is not lost.
 */
enum { DESK_USED = 60000 };     /* ms since a client was used: a person is
				   there */

struct desk {
	const char  *program;           /* that of paneward; borrowed, as the */
	struct link *link;              /* link is, */
	struct loop *loop;              /* and the loop */
	struct spawn spawn;             /* SPAWN_INIT */
	bool         here;
	struct need *needs;
	struct need *telling;           /* by spawn; NULL: none */
	bool         dropped;           /* that one is needed no more */
};

void   desk_release(struct desk *);
/* After a new connection, again.  -1 after saying why. */
int    desk_set(struct desk *, bool here, struct buf *why);
void   desk_take(struct desk *, const struct link_message *, msec now);
/* To be called after each round of the loop, and when it is due. */
msec   desk_due(const struct desk *);
/* -1 after saying why: the server did not answer. */
int    desk_turn(struct desk *, msec now, struct buf *why);

/* ---- the rows of the fleet's other hosts: farrows.c ---------------------- */

/*
 * Rows come from the server as they change.  Each STORE_BEAT one request lists
 * the hosts that are there: getting the beats of all hosts on all hosts would
 * cost hosts squared.
 *
 * A row is parsed once, as a check.  It stays a line of JSON, which gets its
 * host, and the time since which it is not watched.
 *
 * The rows of a host stay when it is not heard of any more.  They are not
 * watched since then, and a row of the host itself says so, until it is back.
 * A host that has no rows has none of its own either, so one that ended in
 * order leaves nothing behind.  While the server is away, a row says why.
 *
 * Times of the server are only compared with each other: a host's clock, or
 * ours, may be wrong.
 */
struct farrows;

/* The token of a row's subject, "$KV.PANEWARD_ROWS.HOST.TOKEN", and its host;
 * NULL: it is no row's. */
const char *farrows_token(const char *subject, char host[FLEET_HOST_MAX + 1]);
/* Borrows the link and the names: these hosts alone, NULL-ended; or NULL. */
struct farrows *farrows_new(struct link *, char *const *only);
void farrows_free(struct farrows *);
/* Called after each round of a loop, and when it is due: gives all rows to the
 * lines if some may have changed, but not before all have come once. */
void farrows_turn(struct farrows *, struct rowlines *, msec wall, msec now);
msec farrows_due(const struct farrows *);

#endif

/*
 * config.h - what the user has set; see paneward.json(5).
 *
 * Flags beat the environment (PANEWARD_<KEY>; an empty variable is none, a
 * list has colons), which beats the project's .paneward.json, which beats the
 * user's config.json ($XDG_CONFIG_HOME/paneward, else ~/.config/paneward),
 * which beats the defaults.  Files are JSON with comments, read strictly: an
 * unknown key, a wrong type, a number out of range or a pattern that does not
 * compile is refused with file, line and key, even if another source beats it.
 * Keys are rows of one table in config.c; templates/config.schema.json
 * describes the same keys.
 */
#ifndef PANEWARD_CONFIG_H
#define PANEWARD_CONFIG_H

#include "data/strict.h"
#include "project/project.h"

/* ---- ways of a notice: noticeway.c --------------------------------------- */

/*
 * A way is a word ("bell", "tmux", "osc", "desktop"), an address behind a word
 * ("ntfy:https://ntfy.sh/TOPIC", "webhook:https://..."), or a command (see
 * below).  `notify` is one, or a list of them in which a command is a
 * list itself.  A list of words of which none is a way is one command.
 *
 * An address may hold a password: it is never part of a message, of an
 * argument or of the environment.
 */

/* In the order in which they are sent: those that can hang last. */
enum noticeway_kind {
	NOTICEWAY_BELL,
	NOTICEWAY_TMUX,
	NOTICEWAY_OSC,
	NOTICEWAY_DESKTOP,
	NOTICEWAY_NTFY,
	NOTICEWAY_WEBHOOK,
	NOTICEWAY_COMMAND,
	NOTICEWAY_KINDS
};

enum { NOTICEWAY_ID = 32 };

struct noticeway {
	enum noticeway_kind kind;
	char *address;                  /* of ntfy and webhook */
	char **words;                   /* of a command */
	char id[NOTICEWAY_ID];          /* "bell", "ntfy-1a2b3c4d": tells it
					   from the other ways */
};

struct noticeways {
	struct noticeway *way;
	size_t n;
};

/* For a row of strict.h; the field is a struct noticeways. */
strict_take noticeways_take;

/* Adds them as one line of JSON without a line feed, which parse() reads; -1:
 * it is no such line. */
void noticeways_print(struct buf *, const struct noticeways *);
int  noticeways_parse(struct noticeways *, const char *text, size_t len);
void noticeways_release(struct noticeways *);
void noticeway_release(struct noticeway *);

/* Can it be used?  -1 with the reason in *error, for people. */
int  noticeway_check(const struct noticeway *, struct buf *error);

/* "bell", ..., "command". */
const char *noticeway_name(enum noticeway_kind);
/* NOTICEWAY_KINDS for another name. */
enum noticeway_kind noticeway_named(const char *name);
/* The name of the way that was meant; NULL: none is near. */
const char *noticeway_nearest(const char *word);
/* Adds a way that is a word. */
void noticeways_add_word(struct noticeways *, enum noticeway_kind);

/* The path of the first program in PATH that can send it, for the caller to
 * free; NULL: there is none, or it needs none. */
char *noticeway_program(enum noticeway_kind);

/* ---- the configuration --------------------------------------------------- */

/* The options of `loop run`; NULL and 0 are not set anywhere. */
struct config_loop {
	char   *backend, *session_manager;
	char   *prompt_file, *report;   /* absolute */
	char   *keyword;
	int64_t max_iterations;         /* 1 to 1000000 */
	int64_t idle_timeout, max_time; /* seconds, 0 to 31536000 */
	int64_t same_rounds;            /* 0 to 1000000; 0 is one, too */
};

/* In notify_on: a hand-off was refused, or has failed for good. */
#define CONFIG_REFUSED (1u << STATE_COUNT)

struct answerrules {
	struct answerrule *v;
	size_t n;
};

struct config {
	char   *status_dir;             /* absolute; NULL: not set anywhere */
	char   *backend;                /* a name of [a-z0-9_-]+ */
	char   *session_pattern;        /* has a group called issue */
	char  **sockets;                /* absolute paths, NULL-ended */
	char  **hosts;                  /* names for ssh, NULL-ended; never from
					   a project */
	struct fleetrules *fleet;       /* NULL: none; never from a project */
	struct answerrules answers;     /* never from a project, either */
	int64_t capture_every;          /* seconds, 1 to 86400 */
	int64_t stalled_after;          /* seconds, 1 to 31536000 */
	int64_t log_cap;                /* bytes, 65536 to 2^40 */
	int64_t keep_logs;              /* bytes of all, 0 to 2^40 */
	char  **handoff;                /* a command, see below; NULL:
					   ours, no words: none */
	bool    handoff_option;         /* it is that of an option */
	int64_t handoff_timeout;        /* seconds, 1 to 86400 */
	int64_t handoff_attempts;       /* 1 to 1000 */
	char   *worktree_root;          /* absolute; NULL: not set anywhere */
	bool    worktree;               /* start makes a new one */
	char  **worktree_copy;          /* paths in the project, NULL-ended */
	char  **worktree_setup;         /* a command; NULL: none */
	char  **build_dirs;             /* names in a work tree, NULL-ended */
	struct noticeways notify;
	unsigned notify_on;             /* 1 << enum state; CONFIG_REFUSED */
	int64_t notify_again;           /* seconds; 0: never */
	bool    on_limit;               /* agents are told to go on when a usage
					   limit ends */
	char   *limit_prompt;           /* by that text, one line */
	struct inboxrules *inbox;       /* NULL: the default ones */
	struct config_loop loop;
};

/* Reads every source that applies to the project.  EXIT_USAGE or EXIT_COULD_NOT
 * with the whole message (without "paneward: ") in *error; then the
 * configuration is empty. */
enum exit_status config_read(struct config *, const struct project *,
    struct buf *error);
void config_release(struct config *);

/* Is it a relative path that does not climb, enters no .git, and may stand in a
 * list with colons? */
bool config_inside(const char *path);

/*
 * Dialogs that are answered without a person: `answers` in the user's
 * configuration, a list that a person wrote.
 *
 *	"answers": [ { "asks": "permission", "pattern": "(make|npm) test",
 *	    "answer": "yes" } ]
 *
 * A rule is for one kind of dialog (agent/signs.h).  Its pattern has to match
 * the whole command that is asked about, or the whole question.
 *
 * Some words delete, push, or run another program (rm, push, force, sudo...),
 * as do some characters (";", "|", ">"...).  A command that holds one is
 * matched only by a pattern that names it, too, so never by one that is only a
 * wildcard. No such list is complete.
 */

/* For a row of strict.h; the field is a struct answerrules. */
strict_take answerrules_take;
void answerrules_release(struct answerrules *);

/* The answer of the first rule for a dialog that asks that, about that text;
 * NULL: a person answers it. */
const char *answerrules_find(const struct answerrules *, const char *asks,
    const char *text);

/*
 * Where the user's fleet is, and what this host is in it: the key `fleet` of
 * the user's configuration.
 *
 *	{ "servers": ["tls://queue.example:4222"],
 *	  "host": "desk", "labels": ["linux", "gpu"],
 *	  "ca": "fleet/ca.pem", "cert": "fleet/desk.pem",
 *	  "key": "fleet/desk.key", "lease": 60 }
 *
 * paneward-fleet(1) connects there; the other commands only look whether it is
 * set.
 */

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

/* A name of a host, or a label: [A-Za-z0-9_-]+, at most FLEET_HOST_MAX bytes.
 * It is one token of a subject. */
bool fleet_name_valid(const char *);

/*
 * Who reads which inbox, what a message means for its turn, and the words of
 * notices: the key `inbox` of the configuration, and its defaults.
 *
 *	{ "roles": { "shogun": "approve",
 *	             "karo-roju": { "unread": ["roju_reports"] },
 *	             "ashigaru1": { "assigned": ["ashigaru1"] } },
 *	  "patterns": { "report_completed": ["task completed"],
 *	                "error_report": ["failed.*stop"] },
 *	  "notify_to": "roju_reports",
 *	  "texts": { "report_completed": "<<agent>> is done" } }
 *
 * A value replaces its default: all roles, the patterns of one kind, a text.
 */

struct inbox_role {
	const char *agent;
	bool approve;                   /* at once, without reading anything */
	/* Inboxes; NULL, or NULL-ended. */
	const char *const *unread;      /* in which `read: false` counts */
	const char *const *assigned;    /* in which tasks count that are so */
};

/* In the order in which a message is matched. */
enum inbox_kind { INBOX_COMPLETED, INBOX_ERROR, INBOX_KINDS };

enum { INBOX_TARGET = 200 };            /* bytes of an inbox's name */

/* The type of the notice about a message. */
const char *inbox_kind_name(enum inbox_kind);

/* Texts.  The first are the notices, by enum inbox_kind. */
enum inbox_words {
	INBOX_REASON = INBOX_KINDS,     /* why an agent has to continue */
	INBOX_BETWEEN,                  /* between two of its files */
	INBOX_MORE,                     /* files that it does not list */
	INBOX_WORDS
};

/* What may stand in a text. */
struct inbox_telling {
	const char *agent, *files;
	size_t      count;
};

struct inboxrules;
struct pattern;

/* Reads them into a struct inboxrules *, which may be NULL before. */
strict_take inboxrules_take;
void inboxrules_free(struct inboxrules *);      /* NULL is fine */

/* The rules may be NULL: the defaults.  NULL if the agent has no role. */
const struct inbox_role *inboxrules_role(const struct inboxrules *,
    const char *agent);

/* The inbox that notices go to. */
const char *inboxrules_notify_to(const struct inboxrules *);

/* Adds the text of an enum inbox_kind or inbox_words. */
void inboxrules_tell(const struct inboxrules *, struct buf *out,
    unsigned words, const struct inbox_telling *);

/* The patterns of a kind, NULL-ended: configured ones, or the defaults. */
const char *const *inboxrules_patterns(const struct inboxrules *,
    enum inbox_kind);

/* Compiles a pattern for messages; NULL with the reason, of at most so many
 * bytes. */
struct pattern *inboxrules_compile(const char *pattern, char *error,
    size_t size);

/* May it be the name of an inbox?  Not empty, no '/', no leading dot. */
bool inboxrules_target_valid(const char *target);

/* ---- a command of the user's own: usercommand.c -------------------------- */

/*
 * A command is a list of words, run without a shell.  If the user wrote a text,
 * one plain word is a program, and anything else a line for sh -c, unchanged,
 * in which "$@" stands for the added options.  A program whose name has a slash
 * but does not begin with one is relative to the folder base.  No words are no
 * command.  jobenv.h describes its environment.
 */

/* NULL-ended, from a text or from words; the caller frees them with
 * argv_free(). */
char **usercommand_parse(const char *text, const char *base);
char **usercommand_words(const char *const *words, const char *base);

/* Can it be run?  -1 with the reason in *error: "'x.sh' is not executable".  Of
 * a line for the shell only a plain first word is checked. */
int    usercommand_check(char *const *words, struct buf *error);

/* The user's pager: $PAGER, else less or more.  If LESS is not set, less gets
 * these letters as its options.  The caller frees the words with
 * argv_free(). */
char **usercommand_pager(const char *less);

#endif

/*
 * config.h - the user's settings, as paneward.json(5) describes them.
 *
 * Flags beat the environment, then the project, then the user's file; all are
 * read strictly.  Keys are in config.c's table and in
 * templates/config.schema.json.
 */
#ifndef PANEWARD_CONFIG_H
#define PANEWARD_CONFIG_H

#include "data/strict.h"
#include "project/project.h"

/* ---- ways of a notice: noticeway.c --------------------------------------- */

/* An address may hold a password, so it goes nowhere else. */

/* In the order of sending: the last ones can hang. */
enum noticeway_kind {
	NOTICEWAY_BELL, NOTICEWAY_TMUX, NOTICEWAY_OSC, NOTICEWAY_DESKTOP,
	NOTICEWAY_NTFY, NOTICEWAY_WEBHOOK, NOTICEWAY_COMMAND, NOTICEWAY_KINDS
};

enum { NOTICEWAY_ID = 32 };

struct noticeway {
	enum noticeway_kind kind;
	char *address;                  /* of ntfy and webhook */
	char **words;                   /* of a command */
	char id[NOTICEWAY_ID];          /* unique: "bell", "ntfy-1a2b3c4d" */
};

struct noticeways {
	struct noticeway *way;
	size_t n;
};

strict_take noticeways_take;

/* One line of JSON without its line feed.  -1: invalid. */
void noticeways_print(struct buf *, const struct noticeways *);
int  noticeways_parse(struct noticeways *, const char *text, size_t len);
void noticeways_release(struct noticeways *);
void noticeway_release(struct noticeway *);

int  noticeway_check(const struct noticeway *, struct buf *error);

const char *noticeway_name(enum noticeway_kind);
/* NOTICEWAY_KINDS: none.  *nearest is a similar name, or NULL. */
enum noticeway_kind noticeway_named(const char *name, const char **nearest);
/* Takes over a way and sets its id; drops a command without words. */
void noticeways_add(struct noticeways *, struct noticeway);

/* The first program that can send it, or NULL.  The caller frees it. */
char *noticeway_program(enum noticeway_kind);

/* ---- the inboxes between agents: inboxrules.c ---------------------------- */

/* `inbox`: a value replaces its default. */
struct inbox_role {
	const char *agent;
	bool approve;                   /* reads nothing */
	/* Inboxes with unread messages, or assigned tasks; or NULL. */
	const char *const *unread, *const *assigned;
};

/* In the order of matching a message. */
enum inbox_kind { INBOX_COMPLETED, INBOX_ERROR, INBOX_KINDS };

enum { INBOX_TARGET = 200 };            /* bytes of an inbox's name */

extern const char *const inbox_kinds[];

/* Texts: the notices by enum inbox_kind, then these. */
enum inbox_words {
	INBOX_REASON = INBOX_KINDS,     /* why an agent has to continue */
	INBOX_BETWEEN,                  /* between two of its files */
	INBOX_MORE,                     /* files that it does not list */
	INBOX_WORDS
};

struct inbox_telling {
	const char *agent, *files;
	size_t      count;
};

struct inboxrules {
	char *notify_to, *words[INBOX_WORDS], **patterns[INBOX_KINDS];
	struct inbox_role *roles;
	size_t nroles;
	bool   has_roles;               /* else the default ones count */
};

struct pattern;

strict_take inboxrules_take;
void inboxrules_init(struct inboxrules *);
void inboxrules_release(struct inboxrules *);

/* NULL: none. */
const struct inbox_role *inboxrules_role(const struct inboxrules *,
    const char *agent);

/* Adds the text of an enum inbox_kind or inbox_words. */
void inboxrules_tell(const struct inboxrules *, struct buf *out,
    unsigned words, const struct inbox_telling *);

/* NULL with the reason. */
struct pattern *inboxrules_compile(const char *pattern, char *error,
    size_t size);

bool inboxrules_target_valid(const char *target);

/* ---- the configuration --------------------------------------------------- */

struct config_loop {
	char   *backend, *session_manager, *keyword;
	char   *prompt_file, *report;   /* absolute */
	int64_t max_iterations, same_rounds;    /* 0 rounds are set */
	int64_t idle_timeout, max_time; /* seconds */
};

/* In notify_on: a hand-off was refused, or failed for good. */
#define CONFIG_REFUSED (1u << STATE_COUNT)

struct answerrules {
	struct answerrule *v;
	size_t n;
};

/* Lists end with NULL; hosts, fleet and answers never come from a project. */
struct config {
	char   *status_dir, *worktree_root;     /* absolute; NULL: not set */
	char   *backend;
	char   *session_pattern;        /* has a group called issue */
	char  **sockets, **hosts;       /* absolute paths; names for ssh */
	struct fleetrules *fleet;       /* or NULL */
	struct answerrules answers;
	int64_t capture_every, stalled_after, handoff_timeout;  /* seconds */
	int64_t log_cap, keep_logs;     /* bytes of one, bytes of all */
	char  **handoff;                /* NULL: ours; no words: none */
	bool    handoff_option;
	int64_t handoff_attempts;
	bool    worktree;               /* start makes a new one */
	char  **worktree_copy, **build_dirs;    /* paths in a work tree */
	char  **worktree_setup;         /* a command, or NULL */
	struct noticeways notify;
	unsigned notify_on;             /* 1 << enum state; CONFIG_REFUSED */
	int64_t notify_again;           /* seconds; 0: never */
	bool    on_limit;               /* an agent resumes after its limit, */
	char   *limit_prompt;           /* at this text */
	struct inboxrules inbox;
	struct config_loop loop;
};

/* EXIT_USAGE or EXIT_COULD_NOT puts the message into the empty error. */
enum exit_status config_read(struct config *, const struct project *,
    struct buf *error);
void config_release(struct config *);

/* A relative path that does not climb, enters no .git, has no colon. */
bool config_inside(const char *path);

/* `answers`: a pattern matches the whole command or question.  It must name
 * each dangerous word or character in that; no list of them is complete. */
strict_take answerrules_take;
void answerrules_release(struct answerrules *);

/* NULL: a person answers. */
const char *answerrules_find(const struct answerrules *, const char *asks,
    const char *text);

enum { FLEET_HOST_MAX = 63 };           /* bytes of a name */

/* `fleet`: paneward-fleet(1) connects there. */
struct fleetrules {
	char  **servers;                /* addresses, not empty */
	char   *host, **labels;         /* this one's name; labels or NULL */
	char   *ca, *cert, *key;        /* absolute; all or none is set */
	int64_t lease;                  /* seconds */
	int64_t keep_days, keep_bytes;  /* of the stream */
};

/* One token of a subject. */
bool fleet_name_valid(const char *);

/* ---- a command of the user's own: usercommand.c -------------------------- */

/* A command is a list of words, or no words.  A text of more than one plain
 * word goes to sh -c, where "$@" stands for added options.  A program with a
 * slash is relative to base. */
char **usercommand_parse(const char *text, const char *base);
char **usercommand_words(const char *const *words, const char *base);

/* -1 with before and the reason in the empty error.  A plain first word of a
 * shell's line is checked. */
int    usercommand_check(char *const *words, const char *before,
    struct buf *error);

/* $PAGER, else less with these letters (unless LESS is set), or more. */
char **usercommand_pager(const char *less);

#endif

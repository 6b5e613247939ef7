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

#include <stdint.h>

#include "base/buf.h"
#include "base/exitstatus.h"
#include "data/strict.h"
#include "project/fleetrules.h"
#include "project/noticeway.h"
#include "project/project.h"

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
	char  **handoff;                /* a command, see usercommand.h; NULL:
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
 * A rule is for one kind of dialog (agent/signs.h).  Its pattern has to
 * match the whole command that is asked about, or the whole question.
 *
 * Some words delete, push, or run another program (rm, push, force, sudo...), as
 * do some characters (";", "|", ">"...).  A command that holds one is matched
 * only by a pattern that names it, too, so never by one that is only a wildcard.
 * No such list is complete.
 */

/* For a row of strict.h; the field is a struct answerrules. */
strict_take answerrules_take;
void answerrules_release(struct answerrules *);

/* The answer of the first rule for a dialog that asks that, about that text;
 * NULL: a person answers it. */
const char *answerrules_find(const struct answerrules *, const char *asks,
    const char *text);

#endif

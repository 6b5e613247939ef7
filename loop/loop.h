/*
 * loop.h - the loop inside an agent's session: the text of its state, the file
 * of it, its channel, and what the agent is given (tests/vectors/README.md,
 * section "th-loop").
 */
#ifndef PANEWARD_LOOP_LOOP_H
#define PANEWARD_LOOP_LOOP_H

#include "os/file.h"

/* ---- the text of the state: loopstate.c ---------------------------------- */

/*
 * Between a first line `---` and the next one stand lines `key: value`.  The
 * text belongs to people as much as to us: keys that we do not know are not
 * looked at, and a change replaces one value, so that comments, order, line
 * ends and the text below stay.
 *
 * A text whose structure is wrong says nothing.  Its numbers may be wrong all
 * the same, which matters only where they are used.
 */

enum { LOOPSTATE_MAX = 64 << 10 };      /* bytes of a text */

enum loopstate_key {
	LOOPSTATE_STARTED,              /* epoch seconds; -1 if missing */
	LOOPSTATE_MAX_TURNS,            /* `max` */
	LOOPSTATE_ITERATION,            /* turns so far; 0 if missing */
	LOOPSTATE_DURATION,             /* seconds; 0: no limit */
	LOOPSTATE_LAST_READ,            /* `last_read_timestamp`, as STARTED */
	LOOPSTATE_NUMBERS,
	LOOPSTATE_STATUS = LOOPSTATE_NUMBERS,   /* "active", or it is over */
	LOOPSTATE_PROMPT,               /* empty: what is new in the channel */
	LOOPSTATE_KEYS
};

extern const char *const loopstate_names[LOOPSTATE_KEYS];

struct loopstate {
	struct buf text;
	size_t     end;                 /* where the closing `---` begins */
	struct loopstate_value {
		size_t     from, to;    /* the value, quotes included; 0: none
					   is given */
		struct buf text;        /* without quotes and escapes */
	} values[LOOPSTATE_KEYS];
	int64_t    number[LOOPSTATE_NUMBERS];
};

#define LOOPSTATE_INIT { .text = BUF_INIT }

/* Reads what is in text, all but the numbers.  -1 with what is wrong. */
int  loopstate_parse(struct loopstate *, struct buf *why);
void loopstate_release(struct loopstate *);

/* Reads the numbers of a text that was parsed.  -1 with what is wrong. */
int  loopstate_numbers(struct loopstate *, struct buf *why);

#define loopstate_active(s) \
	(strcmp(buf_str(&(s)->values[LOOPSTATE_STATUS].text), "active") == 0)

/*
 * Change a text that was parsed; a key that is missing is added as the last
 * one, a word that is NULL removes its line.  A word is put in as it stands, a
 * text in double quotes, and is then read as the same again.
 */
void loopstate_set(struct loopstate *, enum loopstate_key, const char *word);
void loopstate_set_number(struct loopstate *, enum loopstate_key, int64_t);
void loopstate_set_text(struct loopstate *, enum loopstate_key, const char *);

/* ---- its file: loopstate.c ----------------------------------------------- */

/*
 * The state is kept in .claude/th-loop.local.md in the agent's folder, for an
 * agent with a name in .claude/th-loop-NAME.local.md.
 *
 * An open file is locked with flock(2), so that two hooks at once count two
 * turns, and replaced as sharedfile.h says.  The file steers the agent: one
 * that belongs to another user, or that any user can write to, is refused.
 */

enum { LOOPFILE_AGENT = 100 };          /* letters of an agent's name */

enum loopfile_result {
	LOOPFILE_OK, LOOPFILE_MISSING,
	LOOPFILE_MALFORMED,             /* the file is not as it should be */
	LOOPFILE_FAILED                 /* the system, or no permission */
};

struct loopfile {
	int    dir, fd;                 /* .claude; the file, locked; -1 */
	char   path[LOOPFILE_AGENT + 32];       /* from the root on */
	struct stat seen;               /* the file; all zero: none was there */
	struct loopstate state;
};

/* May it be the name of an agent?  [A-Za-z0-9_-], LOOPFILE_AGENT at most. */
bool loopfile_agent_valid(const char *agent);

/*
 * Opens the state of an agent (NULL: of the one without a name) below root,
 * locks it, and reads its structure.  Whatever comes back, path is filled, and
 * why says what is wrong unless it is LOOPFILE_OK.  It stays open until the
 * process ends.
 */
enum loopfile_result loopfile_open(struct loopfile *, const char *root,
    const char *agent, struct buf *why);

/* Puts state.text into its place; where loopfile_open() has said
 * LOOPFILE_MISSING, the folder is made if need be.  -1 with errno; ESTALE if
 * another process changed the file meanwhile. */
int  loopfile_write(struct loopfile *, const char *root);

/*
 * Why an agent must not obey a file: a stranger may have written it.  NULL: it
 * may.  The reason is a constant.
 */
const char *loopfile_refusal(const struct stat *);

/* ---- the channel: channel.c ---------------------------------------------- */

/*
 * People and agents write to the agents in loops in
 * temp/th-channel/YYYY-MM-DD.md.
 *
 * A day's file has sections, which begin with `## HH:MM[:SS] ...` or with
 * `## YYYY-MM-DD HH:MM[:SS] ...`, local time.  Two things are looked for: a
 * line that is only `stop`, and what is new since the last time.
 *
 * Stopping does no harm, so a stop in any file counts.  News becomes an agent's
 * next prompt: only files that loopfile_refusal() accepts may have it.
 */

enum {
	CHANNEL_DAY = 11,               /* "2026-01-31" and NUL */
	CHANNEL_TIME = 20,              /* "2026-01-31 23:59:59" and NUL */
	CHANNEL_FILE = 1 << 20          /* bytes of a file that are read: its
					   last ones */
};

#define CHANNEL_FOLDER "temp/th-channel"

struct channel {
	/* Set by the caller: epoch seconds. */
	int64_t now;
	int64_t started;                /* of the loop; -1: not known */
	int64_t last_read;              /* -1: this is the first time */
	/* What channel_look() goes by: 20260131235959 is local time. */
	int64_t stop_from;              /* what is not older may stop */
	int64_t since;                  /* what is newer, or may be for want of
					   seconds, is news; 0: all */
	bool       last;                /* the last section so far has the word
					   that stops */
	bool       stop;
	char       stop_day[CHANNEL_DAY];       /* in whose file */
	struct buf news;                /* empty: nothing is new */
};

/*
 * Reads the files from the day of the last time (else of the start, else from
 * today's) to today's, in the channel below the folder root.  Adds to why what
 * cannot be read or is not given to the agent.
 */
void channel_read(struct channel *, const char *root, struct buf *why);

/* Does that with the text of one file, which a NUL ends.  Only messages of a
 * trusted one are handed on. */
void channel_look(struct channel *, const char *day, const char *text,
    size_t len, bool trusted);

/* Local time, as it stands in a heading. */
void channel_time(char text[CHANNEL_TIME], int64_t when);

/* ---- the reason: loop.c -------------------------------------------------- */

/*
 * Channels and prompts are untrusted text, and the client shows them in the
 * pane.  So the reason holds no control bytes and no finished marker of any
 * issue; the caller breaks up the run's own marker (defang.h).
 */

enum { LOOPREASON_MAX = 64 << 10 };     /* bytes of a text */

/*
 * Adds the text; of one longer than LOOPREASON_MAX the end, from the beginning
 * of a line on, behind a line that says so.
 */
void loopreason_add(struct buf *, const char *text, size_t len);

#endif

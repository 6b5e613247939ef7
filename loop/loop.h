/*
 * loop.h - the loop inside an agent's session: state, channel, reason
 * (tests/vectors/README.md, "th-loop").
 */
#ifndef PANEWARD_LOOP_LOOP_H
#define PANEWARD_LOOP_LOOP_H

#include "os/file.h"

/* ---- the state: loopstate.c ---------------------------------------------- */

/*
 * The text has lines `key: value` between two lines `---`.  People write it,
 * too: unknown keys are ignored, and a change replaces one value.
 */

enum { LOOPSTATE_MAX = 64 << 10 };      /* bytes of a text */

enum loopstate_key {
	LOOPSTATE_STARTED,              /* epoch seconds; -1 if missing */
	LOOPSTATE_MAX_TURNS,            /* `max` */
	LOOPSTATE_ITERATION,            /* turns so far; 0 if missing */
	LOOPSTATE_DURATION,             /* seconds; 0: no limit */
	LOOPSTATE_LAST_READ,            /* epoch seconds; -1 if missing */
	LOOPSTATE_NUMBERS,
	LOOPSTATE_STATUS = LOOPSTATE_NUMBERS,   /* "active", or over */
	LOOPSTATE_PROMPT,               /* empty: the channel */
	LOOPSTATE_KEYS
};

extern const char *const loopstate_names[LOOPSTATE_KEYS];

struct loopstate {
	struct buf text;
	size_t     end;                 /* where the closing `---` begins */
	struct loopstate_value {
		size_t     from, to;    /* 0: missing */
		struct buf text;        /* without quotes and escapes */
	} values[LOOPSTATE_KEYS];
	int64_t    number[LOOPSTATE_NUMBERS];
};

#define LOOPSTATE_INIT { .text = BUF_INIT }

/* Parses all but the numbers.  -1 with the reason. */
int  loopstate_parse(struct loopstate *, struct buf *why);
void loopstate_release(struct loopstate *);
/* -1 with the reason. */
int  loopstate_numbers(struct loopstate *, struct buf *why);

#define loopstate_active(s) \
	(strcmp(buf_str(&(s)->values[LOOPSTATE_STATUS].text), "active") == 0)

/* Change a parsed text.  A missing key becomes the last one; the word NULL
 * removes its line.  A text gets quotes. */
void loopstate_set(struct loopstate *, enum loopstate_key, const char *word);
void loopstate_set_number(struct loopstate *, enum loopstate_key, int64_t);
void loopstate_set_text(struct loopstate *, enum loopstate_key, const char *);

/*
 * The file is .claude/th-loop.local.md in the agent's folder, or with a name
 * .claude/th-loop-NAME.local.md.  flock(2) makes two hooks count two turns.
 */

enum { LOOPFILE_AGENT = 100 };

enum loopfile_result {
	LOOPFILE_OK, LOOPFILE_MISSING,
	LOOPFILE_MALFORMED,             /* or refused */
	LOOPFILE_FAILED
};

struct loopfile {
	int    dir, fd;                 /* or -1 */
	char   path[LOOPFILE_AGENT + 32];
	struct stat seen;               /* all zero: missing */
	struct loopstate state;
};

/* Sets an agent that is NULL to that of the environment, if it names one.  Is
 * it NULL or [A-Za-z0-9_-], LOOPFILE_AGENT at most? */
bool loopfile_agent(const char **agent);

/* Opens the file of an agent (NULL: no name) below root, locks it until the
 * process ends, and parses it.  Fills path always. */
enum loopfile_result loopfile_open(struct loopfile *, const char *root,
    const char *agent, struct buf *why);

/* Makes or replaces the file.  -1 with errno; ESTALE if another process changed
 * it. */
int  loopfile_write(struct loopfile *, const char *root);

/* Why an agent must not obey the file: a stranger may have written it.  NULL:
 * it may. */
const char *loopfile_refusal(const struct stat *);

/* ---- the channel: channel.c ---------------------------------------------- */

/*
 * People and agents write to temp/th-channel/YYYY-MM-DD.md, in sections with a
 * heading `## [YYYY-MM-DD] HH:MM[:SS] ...`, local time.  A line that is only
 * `stop` counts in any file.  News becomes a prompt, so loopfile_refusal() must
 * accept the file.
 */

enum {
	CHANNEL_DAY = 11,               /* "2026-01-31" and NUL */
	CHANNEL_TIME = 20,              /* "2026-01-31 23:59:59" and NUL */
	CHANNEL_FILE = 1 << 20          /* bytes of the end */
};

#define CHANNEL_FOLDER "temp/th-channel"

struct channel {
	/* Epoch seconds; -1: unknown. */
	int64_t now, started, last_read;
	/* Digits: 20260131235959. */
	int64_t stop_from;              /* of a stop */
	int64_t since;                  /* of news; 0: all */
	bool       last;                /* the last section says stop */
	bool       stop;
	char       stop_day[CHANNEL_DAY];
	struct buf news;
};

/* Reads the days since last_read, else started, else today.  Adds to why what
 * is not handed on. */
void channel_read(struct channel *, const char *root, struct buf *why);

/* The same with a text, which a NUL ends. */
void channel_look(struct channel *, const char *day, const char *text,
    size_t len, bool trusted);

void channel_time(char text[CHANNEL_TIME], int64_t when);

/* ---- the reason: loop.c -------------------------------------------------- */

enum { LOOPREASON_MAX = 64 << 10 };     /* bytes of a text */

/* Adds a text, or its last lines, without control bytes and finished markers:
 * the pane shows it.  The caller breaks up the marker of the run (defang.h). */
void loopreason_add(struct buf *, const char *text, size_t len);

#endif

/*
 * sources.h - the sources of a run's detectors.
 *
 * A watcher reads on; sweep and explain gather once (pass).
 */
#ifndef PANEWARD_SOURCES_H
#define PANEWARD_SOURCES_H

#include "agent/backend.h"
#include "chain/detectors.h"
#include "run/panelog.h"
#include "tmux/listing.h"

/*
 * ---- screen.c: the agent's state of the moment
 *
 * The backend's signs (signs.h) are searched in the announced state, the title
 * and the captured text.
 *
 * An announced state counts before the title.  Busy stands, unless only the
 * title says so and the text asks something or shows a limit.  Otherwise the
 * text decides: some agents never change their title.  A capture older than the
 * last title or state is ignored; "waiting" needs a current one.
 */

enum {
	/* of a capture, without empty lines; of a log */
	SCREEN_LINES = 40, SCREEN_BYTES = 16 << 10, SCREEN_TAIL = 64 << 10,
	SCREEN_OVERLAP = 1024           /* so that no sequence is cut */
};

struct screen {
	const struct signs *signs;      /* borrowed, or NULL */
	struct buf announced, title;
	struct sign_match stated, shown;
	msec captured_at, dialog;       /* wall time; dialog: it asked last */
	bool captured, outdated;        /* the agent stated another */
	bool shell_in_front;
	uint64_t read;
};

void screen_release(struct screen *);
/* Pieces of output should overlap. */
void screen_print(struct screen *, const char *bytes, size_t len);
void screen_log(struct screen *, const struct panelog *, uint64_t begin);
void screen_title(struct screen *, const char *title);
/* Adds the lines of a capture that are searched. */
void screen_lines(struct buf *, const char *text, size_t len);
void screen_capture(struct screen *, const char *text, size_t len, msec wall);
/* May it be outdated during output? */
bool screen_doubts(const struct screen *);
/* False: unknown.  A parked agent's limit does not end. */
bool screen_tell(const struct screen *, struct screen_evidence *, bool parked,
    msec wall);
/* False: the verdict was another detector's. */
bool screen_recall(struct screen_evidence *, const struct verdict *);
void screen_describe(const struct screen *, struct buf *);

/* ---- sources.c ----------------------------------------------------------- */

enum { SOURCES_ACTIVITY = 1000 };       /* ms: tmux counts seconds */

struct sources {
	const struct statusdir *dir;    /* borrowed, as all of these */
	struct status *record;
	const struct backend *backend;  /* or NULL */
	const struct tmux_pane *pane;   /* of a pass, or NULL */
	const char *title, *foreground; /* NULL: nothing new */
	const char *text, *trouble;     /* new; why tmux fails */
	size_t      text_len;
	bool     pass, hasty;           /* gathered once; accepts half-written
					   evidence */
	bool     replay, blind;         /* files replace the pane; no pane, no
					   process is known */
	bool     untrusted, recall;     /* captures replace the log; the record
					   has the screen until then */
	msec     now, output;           /* clock_now(); for a pass clock_wall(),
					   unused */
	uint64_t *budget;               /* NULL: all */
	judge_each *each;               /* or NULL */
	void       *each_context;
	struct panelog log;
	struct events_reader events;
	const char *transcript_path;    /* or NULL */
	struct transcript transcript;
	struct buf said;
	msec     transcript_at;
	struct screen screen;

	/* Set by gathering.  errno, or 0: */
	int      signal_error, log_error, events_error, transcript_error;
	/* The caller clears; printed: the log has grown. */
	bool     log_read, events_read, printed;
	bool     events_due;            /* set by callers, cleared by
					   gathering */
	bool     changed, captured;
	bool     replaying;             /* a restarted agent redraws */
	pid_t    agent;                 /* or 0 */
	struct marker_hits baseline;    /* of the log before */
};

/* -1: the record's marker cannot be one; the usual ones count. */
int  sources_init(struct sources *, const struct statusdir *, struct status *);
void sources_release(struct sources *);
int  sources_open_log(struct sources *);
/* Takes backend_choose()'s; searches the earlier output for a new one's signs.
 * -1 with the whole message in *error. */
int  sources_backend(struct sources *, struct backends *,
    const char *foreground, const char *configured, struct buf *error);
/* For a pass: the ends of pane and agent. */
void sources_life(struct sources *, struct evidence *, enum pane_life,
    const struct tmux_pane *);
/* 0: there is no log. */
msec sources_written(const struct sources *);
/* How long nothing was printed: by the log; by tmux, if it knows, in seconds of
 * a window. */
msec sources_silent(const struct sources *);
msec sources_quiet(const struct sources *);

#endif

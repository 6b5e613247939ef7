/*
 * panelog.h - what a pane printed: output-<issue>.log, read once, as it grows,
 * is emptied, is removed, or becomes output-<issue>.log.1.
 */
#ifndef PANEWARD_PANELOG_H
#define PANEWARD_PANELOG_H

#include "run/status.h"

/* A marker scan of a growing file.  The search runs ahead; after a find, the
 * scan is fed all searched bytes. */
struct scanfile {
	struct marker_scan *scan;
	int      fd;                    /* a regular file */
	/* Offsets: of the file, of the search, of the scan's next stop. */
	uint64_t base, ahead, due;
};

/* Reads to the end of the file; bytes that were not fed hold no marker.
 * settle: feeds them instead.  Its reads reduce *budget (or NULL).  1: the
 * budget ended before; -1 with errno. */
int scanfile_read(struct scanfile *, bool settle, uint64_t *budget);

enum { PANELOG_NAME = ISSUE_MAX + 16 };

struct panelog {
	int      dir;                   /* the status directory, borrowed */
	uid_t    owner;
	char     issue[ISSUE_MAX + 1];
	struct marker_set  set;
	struct scanfile     file;       /* fd -1: no log */
	struct log_mark     mark;       /* of the open one, or where to begin */
	struct log_mark     before;     /* where a line began */
	bool     refused;               /* the file is no log */
	uint64_t left;
};

/* `from` may be all zero. */
void panelog_init(struct panelog *, int dir, uid_t owner, const char *issue,
    const struct marker_set *, const struct log_mark *from);
void panelog_release(struct panelog *);

/* 1: something new; -1 with errno. */
int  panelog_read(struct panelog *, uint64_t *budget);

/* The place for a later panelog_init(). */
void panelog_mark(const struct panelog *, struct log_mark *);

/* May the log hold more than the mark?  Unless *there, the old log counts, if
 * it is the marked one. */
bool panelog_unread(int dir, const char *issue, const struct log_mark *,
    bool *there);

/* The end of the log, where a new run begins. */
void panelog_end(int dir, const char *issue, struct log_mark *);

const char *panelog_name(char name[PANELOG_NAME], const char *issue,
    const char *suffix);
#define PANELOG_OF(issue, suffix) \
	panelog_name((char[PANELOG_NAME]){ "" }, (issue), (suffix))

/* A log's writer is registered in .paneward until its pipe closes.  So a
 * registered process that ended was killed: the pipe is ours, and broken.  pane
 * is pane_ref_name(); the writer may be NULL, and gets no boot. */
enum panelog_writer { PANELOG_UNWRITTEN, PANELOG_WRITTEN, PANELOG_BROKEN };

/* tmux's command for the pipe. */
char *panelog_pipe(const char *issue, const char *status_dir, int64_t log_cap);
void panelog_register(int state_fd, const char *issue, const char *pane);
void panelog_unregister(int state_fd, const char *issue, const char *pane);
enum panelog_writer panelog_writer(int state_fd, const char *issue,
    const char *pane, struct proc_id *writer);

#endif

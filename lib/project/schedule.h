/*
 * schedule.h - the texts that let cron, systemd or launchd run a sweep of a
 * project every minute, or systemd, launchd or tmux a watch of all projects, or systemd
 * or launchd a revive at login, or the agent of a fleet.
 *
 * They are templates of the folder templates, with <<project>>, <<program>>,
 * <<home>>, <<environment>>, and <<name>>: made of the project's folder, of
 * nothing but letters, digits, '_' and single '-', and unique to the project.
 *
 * Each of them reads a text in its own way, so nothing is quoted: a path
 * with a character outside [A-Za-z0-9_@+=:,./-] is refused, and such a folder
 * is left out of PATH.
 */
#ifndef PANEWARD_SCHEDULE_H
#define PANEWARD_SCHEDULE_H

#include "project/project.h"

enum schedule_kind {
	SCHEDULE_CRON, SCHEDULE_SYSTEMD, SCHEDULE_LAUNCHD,
	SCHEDULE_WATCH_SYSTEMD, SCHEDULE_WATCH_LAUNCHD, SCHEDULE_WATCH_TMUX,
	SCHEDULE_REVIVE_SYSTEMD, SCHEDULE_REVIVE_LAUNCHD,
	SCHEDULE_FLEET_SYSTEMD, SCHEDULE_FLEET_LAUNCHD,
	SCHEDULES
};

enum { SCHEDULE_LINE_MAX = 998 };       /* bytes of a crontab's line */

/* What a schedule has to know; all of it is borrowed. */
struct schedule {
	const char  *program;           /* absolute path of paneward */
	const char  *root;              /* of the project; without one, HOME */
	const char  *home;              /* NULL: not known */
	char *const *env;               /* "NAME=value", NULL-ended */
};

/* Adds the text.  -1 with the whole reason in *error, and a part of the text
 * in out. */
int   schedule_fill(struct buf *out, enum schedule_kind, const char *text,
    size_t len, const struct schedule *, struct buf *error);

/*
 * What they need of our own environment, which neither cron nor its like
 * hand on: PATH, and what decides which tmux server, configuration and status
 * directory are meant.  NULL-ended; freed by argv_free().
 */
char **schedule_environment(void);

/* Prints the text for a project (NULL: for all) on standard output, or ends the
 * program; its comments say how to install it. */
void  schedule_print(enum schedule_kind, const struct project *);

#endif

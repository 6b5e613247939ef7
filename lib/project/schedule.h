/*
 * schedule.h - texts that let cron, systemd, launchd or tmux run a sweep, a
 * watch, a revive or the agent of a fleet.
 *
 * Readers quote differently, so a path with a character outside
 * [A-Za-z0-9_@+=:,./-] is refused, and such a folder is left out of PATH.
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

struct schedule {
	const char  *program;           /* absolute path of paneward */
	const char  *root;              /* of the project, or HOME */
	const char  *home;              /* or NULL */
	char *const *env;               /* "NAME=value", NULL-ended */
};

/* -1 with the reason, and a part of the text. */
int   schedule_fill(struct buf *out, enum schedule_kind, const char *text,
    size_t len, const struct schedule *, struct buf *error);

/* PATH, and variables that choose a server, configuration or status
 * directory. */
char **schedule_environment(void);

/* Prints the text, or ends the program; project may be NULL: all. */
void  schedule_print(enum schedule_kind, const struct project *);

#endif

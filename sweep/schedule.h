/*
 * schedule.h - the texts that let cron, systemd or launchd run a sweep of a
 * project every minute.
 *
 * They are templates of the folder templates.  In what the system reads stand
 * <<directory>>, <<command>>, <<environment>> and <<home>>, written as its
 * format wants them; in the comments <<project>> and <<program>>, the plain
 * paths, and <<name>>, which is made of the project's folder, of nothing but
 * letters, digits, '_' and single '-', and another one for another project.
 *
 * A text for a person to read and a machine to run holds no control character
 * and nothing but UTF-8; where it would, it is refused.
 */
#ifndef PANEWARD_SWEEP_SCHEDULE_H
#define PANEWARD_SWEEP_SCHEDULE_H

#include <stddef.h>

#include "base/buf.h"

enum units_kind { UNITS_CRON, UNITS_SYSTEMD, UNITS_LAUNCHD };

enum { UNITS_LINE_MAX = 998 };  /* bytes of a crontab's line */

/* What a unit has to know; all of it is borrowed. */
struct units {
	const char  *program;           /* absolute path of paneward */
	const char  *root;              /* of the project */
	const char  *home;              /* NULL: not known */
	char *const *env;               /* "NAME=value", NULL-ended */
};

/* The file with the template, as datafile_find() takes it. */
const char *units_template(enum units_kind);

/* Adds the text.  -1 with the whole reason in *error, and a part of the text
 * in out. */
int   units_fill(struct buf *out, enum units_kind, const char *text,
    size_t len, const struct units *, struct buf *error);

/*
 * What a sweep needs of our own environment, which neither cron nor its like
 * hand on: PATH, and what decides which tmux server, configuration and status
 * directory are meant.  NULL-ended; freed by argv_free().
 */
char **units_environment(void);

#endif

/*
 * runfiles.h - the files of a run in the status directory, beside its record,
 * its lock and its signals: logs, what hooks and the agent's parent wrote, the
 * pane's pipe, notes of a reload and of a removal.
 *
 * Those that must not count for the issue's next run are renamed to NAME.old
 * when it begins, over those of the run before.  A cleanup removes all of them.
 */
#ifndef PANEWARD_RUNFILES_H
#define PANEWARD_RUNFILES_H

#include <stdbool.h>

#include "base/issue.h"
#include "project/statusdir.h"

/* Whose it is: it must not count for the next one. */
enum runfile_of { RUNFILE_ANY, RUNFILE_RUN, RUNFILE_AGENT };

struct runfile {
	const char *before, *behind;    /* of the issue, in the name */
	bool        inner;              /* lies in .paneward */
	enum runfile_of of;
};

/* In the order in which they are removed; ends with an entry without names. */
extern const struct runfile runfiles[];

enum { RUNFILE_NAME = ISSUE_MAX + 32 };

/* Fills in and returns its name; old: of the one that was put aside. */
const char *runfile_name(char name[RUNFILE_NAME], const struct runfile *,
    const char *issue, bool old);

/* Renames those files of the last run (or of its agent alone) that exist and are
 * named by a bit each, or back.  Returns which. */
unsigned runfiles_move(const struct statusdir *, const char *issue,
    enum runfile_of, unsigned which, bool back);

#endif

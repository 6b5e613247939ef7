/*
 * self.h - the run that a command or a hook is itself a part of.
 *
 * The environment says which, or the options of the pane; its record says the
 * rest.
 */
#ifndef PANEWARD_SELF_H
#define PANEWARD_SELF_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/issue.h"
#include "run/status.h"
#include "run/statusdir.h"

struct ownrun {
	char issue[ISSUE_MAX + 1];
	char run[RUN_ID_LEN + 1];       /* empty: nobody says which one */
	struct statusdir dir;           /* fd -1: there is none */
	struct status record;           /* of this run, or of none */
	bool unsure;                    /* it could not be learnt, as why says:
					   no text is known to be harmless */
};

void ownrun_init(struct ownrun *);      /* none */

/*
 * Finds it; root is a folder of the project, whose status directory counts
 * where nobody names another one.  False: there is none, or why says what is
 * wrong; then its record is that of no run.  To be released in either case.
 */
bool ownrun_find(struct ownrun *, const char *root, struct buf *why);
void ownrun_release(struct ownrun *);

#endif

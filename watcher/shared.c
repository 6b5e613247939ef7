#include "watcher/shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/argv.h"
#include "base/exitstatus.h"
#include "base/msg.h"
#include "run/launch.h"
#include "run/queued.h"
#include "run/status.h"

/* Adds the living ones of that folder. */
static void
shared_living(int state_fd, const char *folder, struct buf *names)
{
	char **issues = queued_holders(state_fd), **p;
	const char *cwd;
	struct launch l;
	struct status r;

	for (p = issues; p != NULL && *p != NULL; p++) {
		status_read(&r, state_fd, *p);
		cwd = launch_noted(&l, state_fd, *p, r.run) == 1 ? l.cwd :
		    r.cwd;
		if (cwd != NULL && strcmp(cwd, folder) == 0)
			buf_printf(names, "%s, ", *p);
		launch_release(&l);
		status_release(&r);
	}
	argv_free(issues);
}

/* The folder of a number, if that is the first one with it. */
static const char *
shared_first(const struct shared *v, size_t i)
{
	size_t k;

	for (k = 0; v[i].folder != NULL && k < i; k++)
		if (v[k].folder != NULL &&
		    strcmp(v[k].folder, v[i].folder) == 0)
			return NULL;
	return v[i].folder;
}

void
shared_ask(int state_fd, const struct shared *v, size_t n)
{
	struct buf names = BUF_INIT;
	const char *folder;
	char answer[8] = "";
	bool any = false;
	size_t i, k, count;

	for (i = 0; i < n; i++) {
		if ((folder = shared_first(v, i)) == NULL)
			continue;
		buf_reset(&names);
		shared_living(state_fd, folder, &names);
		count = names.len > 0;
		for (k = i; k < n; k++)
			if (v[k].folder != NULL &&
			    strcmp(v[k].folder, folder) == 0) {
				buf_printf(&names, "%s, ", v[k].issue);
				count++;
			}
		if (count < 2)
			continue;
		warnx("more than one agent would work in '%s': issues %.*s; "
		    "--new-worktree makes a work tree for each", folder,
		    (int)names.len - 2, names.data);
		any = true;
	}
	buf_release(&names);
	if (!any || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return;
	fputs("Start all the same? [y/N] ", stderr);
	if (fgets(answer, sizeof(answer), stdin) == NULL ||
	    (answer[0] != 'y' && answer[0] != 'Y'))
		exit(EXIT_NO);
}

#include "watcher/leftovers.h"

#include <stdio.h>
#include <unistd.h>                     /* renameat() of NetBSD */

#include "base/issue.h"

static const struct {
	const char *before, *behind;    /* of the issue, in the name */
	bool        state;              /* lies in .paneward */
} leftovers[] = {
	{ "output-", ".log",     false },
	{ "output-", ".log.1",   false },
	{ "",        ".records", true },
	{ "",        ".agent",   true },
	{ "",        ".command", true },
	{ "",        ".pipe",    true },
};

enum { LEFTOVERS = sizeof(leftovers) / sizeof(leftovers[0]) };

/* One of them gets its other name; false: it is not there. */
static bool
leftover_move(const struct statusdir *d, const char *issue, size_t i,
    bool back)
{
	int dir = leftovers[i].state ? d->state_fd : d->fd;
	char name[ISSUE_MAX + 32], old[ISSUE_MAX + 40];

	snprintf(name, sizeof(name), "%s%s%s", leftovers[i].before, issue,
	    leftovers[i].behind);
	snprintf(old, sizeof(old), "%s.old", name);
	return renameat(dir, back ? old : name, dir, back ? name : old) == 0;
}

unsigned
leftovers_set_aside(const struct statusdir *d, const char *issue)
{
	unsigned moved = 0;
	size_t i;

	for (i = 0; i < LEFTOVERS; i++)
		if (leftover_move(d, issue, i, false))
			moved |= 1u << i;
	return moved;
}

void
leftovers_restore(const struct statusdir *d, const char *issue, unsigned moved)
{
	size_t i;

	for (i = 0; i < LEFTOVERS; i++)
		if (moved & 1u << i)
			leftover_move(d, issue, i, true);
}

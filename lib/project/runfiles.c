#include "project/runfiles.h"

#include <stdio.h>
#include <unistd.h>                     /* renameat() of NetBSD */

const struct runfile runfiles[] = {
	{ "output-", ".log",          false, true },
	{ "output-", ".log.1",        false, true },
	{ "",        ".watch.log",    true,  false },
	{ "",        ".setup.log",    true,  false },
	{ "",        ".records",      true,  true },
	{ "",        ".agent",        true,  true },
	{ "",        ".pipe",         true,  true },
	{ "",        ".command",      true,  true },
	{ "",        ".reload",       true,  false },
	{ "",        ".reload.log",   true,  false },
	/* The note that a removal has begun goes last. */
	{ "",        ".removing.new", true,  false },
	{ "",        ".removing",     true,  false },
	{ NULL,      NULL,            false, false }
};

const char *
runfile_name(char name[RUNFILE_NAME], const struct runfile *f,
    const char *issue, bool old)
{
	snprintf(name, RUNFILE_NAME, "%s%s%s%s", f->before, issue, f->behind,
	    old ? ".old" : "");
	return name;
}

/* One of them gets its other name; false: it is not there. */
static bool
runfile_move(const struct statusdir *d, const char *issue,
    const struct runfile *f, bool back)
{
	int dir = f->inner ? d->state_fd : d->fd;
	char from[RUNFILE_NAME], to[RUNFILE_NAME];

	return renameat(dir, runfile_name(from, f, issue, back), dir,
	    runfile_name(to, f, issue, !back)) == 0;
}

unsigned
runfiles_set_aside(const struct statusdir *d, const char *issue)
{
	unsigned moved = 0;
	size_t i;

	for (i = 0; runfiles[i].before != NULL; i++)
		if (runfiles[i].aside &&
		    runfile_move(d, issue, &runfiles[i], false))
			moved |= 1u << i;
	return moved;
}

void
runfiles_restore(const struct statusdir *d, const char *issue, unsigned moved)
{
	size_t i;

	for (i = 0; runfiles[i].before != NULL; i++)
		if (moved & 1u << i)
			runfile_move(d, issue, &runfiles[i], true);
}

#include "project/runfiles.h"

#include <stdio.h>
#include <unistd.h>                     /* renameat() of NetBSD */

const struct runfile runfiles[] = {
	{ "output-", ".log",          false, RUNFILE_RUN },
	{ "output-", ".log.1",        false, RUNFILE_RUN },
	{ "",        ".watch.log",    true },
	{ "",        ".setup.log",    true },
	{ "",        ".records",      true,  RUNFILE_AGENT },
	{ "",        ".agent",        true,  RUNFILE_AGENT },
	{ "",        ".pipe",         true,  RUNFILE_RUN },
	{ "",        ".command",      true,  RUNFILE_RUN },
	{ "",        ".reload",       true },
	{ "",        ".reload.log",   true },
	/* The note that a removal has begun goes last. */
	{ "",        ".removing.new", true },
	{ "",        ".removing",     true },
	{ NULL }
};

const char *
runfile_name(char name[RUNFILE_NAME], const struct runfile *f,
    const char *issue, bool old)
{
	snprintf(name, RUNFILE_NAME, "%s%s%s%s", f->before, issue, f->behind,
	    old ? ".old" : "");
	return name;
}

unsigned
runfiles_move(const struct statusdir *d, const char *issue,
    enum runfile_of of, unsigned which, bool back)
{
	char from[RUNFILE_NAME], to[RUNFILE_NAME];
	const struct runfile *f = runfiles;
	unsigned bit, moved = 0;
	int dir;

	for (bit = 1; f->before != NULL; bit <<= 1, f++) {
		dir = f->inner ? d->state_fd : d->fd;
		if (f->of >= of && which & bit && renameat(dir,
		    runfile_name(from, f, issue, back), dir,
		    runfile_name(to, f, issue, !back)) == 0)
			moved |= bit;
	}
	return moved;
}

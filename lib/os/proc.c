#include "os/proc.h"

#include <errno.h>
#include <string.h>

bool
proc_alive(pid_t pid, uint64_t start)
{
	struct proc p;

	if (proc_read(&p, pid) == -1)
		return errno != ESRCH;
	return !p.zombie && (start == 0 || p.start == start);
}

bool
proc_in_front(pid_t pid, uint64_t start, pid_t of)
{
	struct proc p, terminal;

	return proc_read(&p, pid) == 0 && !p.zombie &&
	    (start == 0 || p.start == start) &&
	    proc_read(&terminal, of) == 0 && terminal.foreground == p.group;
}

static bool
boot_known(const char *id)
{
	return id[0] != '\0' && strcmp(id, PROC_BOOT_UNKNOWN) != 0;
}

bool
proc_boot_differs(const char *a, const char *b)
{
	return boot_known(a) && boot_known(b) && strcmp(a, b) != 0;
}

bool
proc_boot_over(const char *id)
{
	char now[PROC_BOOT];

	proc_boot(now);
	return proc_boot_differs(now, id);
}

#include "proc.h"

bool
proc_alive(pid_t pid, uint64_t start)
{
	struct proc p;

	return proc_read(&p, pid) == 0 && !p.zombie &&
	    (start == 0 || p.start == start);
}

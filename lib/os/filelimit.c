#include "os/filelimit.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

static struct rlimit before;
static bool raised;

size_t
filelimit_raise(void)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, &before) == -1)
		return 256;             /* every system has so many */
	most = before;
	most.rlim_cur = most.rlim_max;
	raised = setrlimit(RLIMIT_NOFILE, &most) == 0;
	if (!raised)
		most = before;
	return most.rlim_cur < INT32_MAX ? (size_t)most.rlim_cur : INT32_MAX;
}

void
filelimit_restore(void)
{
	if (raised)
		setrlimit(RLIMIT_NOFILE, &before);
}

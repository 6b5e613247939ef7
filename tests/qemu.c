/*
 * qemu.c - the real /proc/PID/stat, where qemu runs programs of another machine.
 *
 * qemu-user makes up that file for the process that opens its own: with another
 * start, no group and no terminal.  It looks for that one spelling of the path.
 * make aarch64-test links this with --wrap=open.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>

int __real_open(const char *, int, ...);
int __wrap_open(const char *, int, ...);

int
__wrap_open(const char *path, int flags, ...)
{
	char spelled[64], end;
	va_list args;
	int pid, mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, int) : 0;
	va_end(args);
	if (sscanf(path, "/proc/%d/sta%c", &pid, &end) == 2 && end == 't' &&
	    (size_t)snprintf(spelled, sizeof(spelled), "/proc//%d/stat", pid) <
	    sizeof(spelled))
		path = spelled;
	return __real_open(path, flags, mode);
}

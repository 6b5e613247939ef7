#include "os/trap.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "os/compat.h"

static const int trapped[] = { SIGTERM, SIGINT, SIGHUP };
static struct sigaction before[sizeof(trapped) / sizeof(trapped[0])];
static int trap_pipe[2] = { -1, -1 };

static void
trap_handler(int signo)
{
	int saved = errno;
	unsigned char byte = (unsigned char)signo;

	if (write(trap_pipe[1], &byte, 1) == -1)
		errno = saved;
	errno = saved;
}

int
trap_open(void)
{
	struct sigaction sa = { .sa_handler = trap_handler };
	size_t i;

	if (pipe2(trap_pipe, O_CLOEXEC | O_NONBLOCK) == -1)
		return -1;
	for (i = 0; i < sizeof(trapped) / sizeof(trapped[0]); i++) {
		sigaction(trapped[i], NULL, &before[i]);
		/* SIGINT counts always: shells ignore it in the background. */
		if (trapped[i] == SIGINT || before[i].sa_handler != SIG_IGN)
			sigaction(trapped[i], &sa, NULL);
	}
	return trap_pipe[0];
}

void
trap_add(int signo)
{
	sigaction(signo, &(struct sigaction){ .sa_handler = trap_handler },
	    NULL);
}

int
trap_read(void)
{
	unsigned char byte;

	return read(trap_pipe[0], &byte, 1) == 1 ? byte : 0;
}

void
trap_close(void)
{
	size_t i;

	for (i = 0; i < sizeof(trapped) / sizeof(trapped[0]); i++)
		sigaction(trapped[i], &before[i], NULL);
	close(trap_pipe[0]);
	close(trap_pipe[1]);
	trap_pipe[0] = trap_pipe[1] = -1;
}

#include "fleet/vanished.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	LOOK = 10000,                   /* ms between looks at the sockets */
	SILENT = 30,                    /* s without a byte, until TCP asks; a
					   link that works has more to say */
	ASK_AGAIN = 5,                  /* s */
	ASKS = 3,                       /* without an answer: it is over */
	DESCRIPTORS = 1024
};

static void
socket_set(int fd, int level, int option, int value)
{
	/* A socket of another kind refuses it. */
	setsockopt(fd, level, option, &value, sizeof(value));
}

static void
socket_ask(int fd)
{
	int on = 0;
	socklen_t len = sizeof(on);

	if (getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, &len) == -1 || on)
		return;
#ifdef TCP_KEEPIDLE
	socket_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, SILENT);
	socket_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, ASK_AGAIN);
	socket_set(fd, IPPROTO_TCP, TCP_KEEPCNT, ASKS);
#endif
	socket_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
}

static void *
vanished_look(void *context)
{
	const struct vanished *v = context;
	struct pollfd end = { .fd = v->end, .events = POLLIN };
	int fd;

	while (poll(&end, 1, LOOK) == 0)
		for (fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++)
			socket_ask(fd);
	return NULL;
}

void
vanished_begin(struct vanished *v, int end)
{
	v->end = end;
	v->begun = pthread_create(&v->thread, NULL, vanished_look, v) == 0;
}

void
vanished_end(struct vanished *v)
{
	if (v->begun)
		pthread_join(v->thread, NULL);
}

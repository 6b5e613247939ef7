/*
 * vanished.h - connections whose other end has vanished without a word.
 *
 * nats.c waits without a limit for the server's part of a TLS handshake, and has
 * no option for that.  A server whose host loses power or network just then
 * would be waited for until the end of the process.  TCP itself can ask whether
 * the other end is there; so all TCP sockets of this process are set to do that.
 */
#ifndef PANEWARD_FLEET_VANISHED_H
#define PANEWARD_FLEET_VANISHED_H

#include <pthread.h>
#include <stdbool.h>

struct vanished {
	pthread_t thread;
	bool      begun;
	int       end;                  /* readable: the thread ends */
};

/* Starts a thread that looks at the sockets again and again, also while another
 * one waits for a handshake.  end is a pipe, whose other end the caller closes
 * before vanished_end(). */
void vanished_begin(struct vanished *, int end);
void vanished_end(struct vanished *);

#endif

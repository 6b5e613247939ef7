#include "fleet/greeting.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "fleet/link.h"
#include "os/loop.h"
#include "text/json.h"

enum { LINE_MAX_BYTES = 64 << 10 };

bool
greeting_parse(const char *line, size_t len, struct greeting *g)
{
	const char *text;
	cJSON *o;

	if (len < 5 || strncmp(line, "INFO ", 5) != 0)
		return false;
	o = json_parse(line + 5, len - 5, false, NULL);
	text = json_text(o, "version");
	*g = (struct greeting){
	    .tls = json_bool(o, "tls_required", false),
	    .certificate = json_bool(o, "tls_verify", false),
	    .jetstream = json_bool(o, "jetstream", false) };
	if (text != NULL)
		snprintf(g->version, sizeof(g->version), "%s", text);
	json_free(o);
	return text != NULL;
}

bool
greeting_atleast(const struct greeting *g, unsigned major, unsigned minor)
{
	unsigned m = 0, n = 0;

	return sscanf(g->version, "%9u.%9u", &m, &n) == 2 &&
	    (m > major || (m == major && n >= minor));
}

/* ---- the connection ------------------------------------------------------ */

/* Splits "tls://HOST:PORT" or "nats://[::1]"; the port may be missing. */
static struct addrinfo *
greeting_resolve(const char *address, struct buf *why)
{
	char *text = xstrdup(strstr(address, "://") + 3), *host = text;
	char *port = strrchr(text, ':'), *end = strrchr(text, ']');
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found = NULL;
	int error;

	if (port != NULL && (end == NULL || port > end))
		*port++ = '\0';
	else
		port = NULL;
	if (*host == '[' && end != NULL) {
		*end = '\0';
		host++;
	}
	error = getaddrinfo(host, port != NULL ? port : "4222", &hints,
	    &found);
	if (error != 0)
		buf_adds(why, gai_strerror(error));
	free(text);
	return error == 0 ? found : NULL;
}

static bool
greeting_wait(int fd, short events, msec until)
{
	errno = ETIMEDOUT;
	return clock_now() < until && loop_await(fd, events, until);
}

static int
greeting_connect(const struct addrinfo *a, msec until)
{
	int fd = socket(a->ai_family, SOCK_STREAM, 0), error = 0;
	socklen_t len = sizeof(error);

	if (fd == -1)
		return -1;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (connect(fd, a->ai_addr, a->ai_addrlen) == 0)
		return fd;
	if (errno == EINPROGRESS && greeting_wait(fd, POLLOUT, until) &&
	    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 &&
	    (errno = error) == 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static int
greeting_line(int fd, struct greeting *g, msec until)
{
	struct buf line = BUF_INIT;
	const char *end = NULL;
	char bytes[4096];
	ssize_t n = 1;
	bool good;

	while (end == NULL && n > 0 && line.len < LINE_MAX_BYTES &&
	    greeting_wait(fd, POLLIN, until)) {
		n = read(fd, bytes, sizeof(bytes));
		if (n > 0)
			buf_add(&line, bytes, (size_t)n);
		end = line.len > 0 ? memchr(line.data, '\n', line.len) : NULL;
	}
	good = end != NULL && greeting_parse(line.data,
	    (size_t)(end - line.data), g);
	buf_release(&line);
	return good ? 0 : -1;
}

int
greeting_read(const char *address, struct greeting *g, struct buf *why)
{
	struct addrinfo *found = greeting_resolve(address, why), *a;
	msec until = clock_now() + LINK_LIMIT;
	int fd = -1, ret;

	for (a = found; a != NULL && fd == -1; a = a->ai_next)
		fd = greeting_connect(a, until);
	if (fd == -1) {
		if (found != NULL) {
			buf_adds(why, strerror(errno));
			freeaddrinfo(found);
		}
		return -1;
	}
	freeaddrinfo(found);
	ret = greeting_line(fd, g, until);
	if (ret == -1)
		buf_adds(why, "what answers there is no NATS server");
	close(fd);
	return ret;
}

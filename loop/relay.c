#include "loop/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "os/compat.h"
#include "os/file.h"

enum { BLOCK = 16 << 10, TURNS = 16, PATIENCE = 200 };

static void
follow_size(const struct relay *r)
{
	struct winsize ours, its;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ours) == 0 && ours.ws_col > 0 &&
	    ioctl(r->source, TIOCGWINSZ, &its) == 0 &&
	    (ours.ws_col != its.ws_col || ours.ws_row != its.ws_row))
		ioctl(r->source, TIOCSWINSZ, &ours);
}

/* Only interrupts poll(). */
static void
resized(int signo)
{
	(void)signo;
}

/* A terminal as big as ours.  Our keys are the agent's, interrupts too. */
static int
open_terminal(struct relay *r)
{
	struct sigaction sa = { .sa_handler = resized };
	struct termios t;
	int slave;

	r->source = posix_openpt(O_RDWR | O_NOCTTY);
	if (r->source == -1 || fcntl(r->source, F_SETFD, FD_CLOEXEC) == -1 ||
	    fcntl(r->source, F_SETFL, O_NONBLOCK) == -1 ||
	    grantpt(r->source) == -1 || unlockpt(r->source) == -1)
		return -1;
	slave = open(ptsname(r->source), O_RDWR | O_NOCTTY | O_CLOEXEC);
	r->keys = STDIN_FILENO;
	fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK);
	follow_size(r);
	if (tcgetattr(STDIN_FILENO, &t) == 0) {
		cfmakeraw(&t);
		tcsetattr(STDIN_FILENO, TCSANOW, &t);
	}
	sigemptyset(&sa.sa_mask);
	sigaction(SIGWINCH, &sa, NULL);
	return slave;
}

int
relay_open(struct relay *r, int log, bool terminal)
{
	int ends[2];

	r->log = log;
	r->terminal = terminal;
	if (terminal)
		return open_terminal(r);
	if (pipe2(ends, O_CLOEXEC) == -1)
		return -1;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	r->source = ends[0];
	return ends[1];
}

/* A terminal that is slow or stopped misses output, so that it does not stop
 * the agent: the log has everything. */
static void
relay_show(struct relay *r, const char *bytes, size_t len)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };
	ssize_t n;

	while (len > 0) {
		if (poll(&p, 1, r->slow ? 0 : PATIENCE) == 0) {
			r->slow = true;
			return;
		}
		n = write(STDOUT_FILENO, bytes, len);
		if (n == -1 && errno != EINTR && errno != EAGAIN)
			return;
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
			r->slow = false;
		}
	}
}

/* True if there may be more at once.  The log is written first. */
static bool
copy_output(struct relay *r)
{
	char block[BLOCK];
	ssize_t n = read(r->source, block, sizeof(block));

	if (n > 0) {
		r->error = file_write(r->log, block, (size_t)n) == -1 ?
		    errno : 0;
		if (r->terminal)
			relay_show(r, block, (size_t)n);
		return true;
	}
	if (n == -1 && (errno == EINTR || errno == EAGAIN))
		return errno == EINTR;
	close(r->source);               /* the other end is closed */
	r->source = -1;
	return false;
}

void
relay_copy(struct relay *r)
{
	struct pollfd p = { .fd = r->keys, .events = POLLIN };
	char block[1024];
	ssize_t n;
	int turns;

	if (r->source == -1)
		return;
	if (r->terminal)
		follow_size(r);
	for (turns = 0; turns < TURNS && copy_output(r); turns++)
		continue;
	if (r->keys == -1 || poll(&p, 1, 0) != 1)
		return;
	n = read(r->keys, block, sizeof(block));
	if (n == 0 || (n == -1 && errno != EINTR && errno != EAGAIN))
		r->keys = -1;
	/* Keys that an agent does not read in time are lost. */
	if (n > 0 && r->source != -1 && write(r->source, block, (size_t)n) ==
	    -1)
		errno = 0;
}

void
relay_end(struct relay *r)
{
	while (r->source != -1 && copy_output(r))
		continue;
	if (r->source != -1)
		close(r->source);
	r->source = -1;
	r->keys = -1;
}

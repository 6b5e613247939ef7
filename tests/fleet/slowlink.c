/*
 * slowlink.c - joins two network interfaces of Linux, as a bad cable does.
 *
 *	slowlink INTERFACE INTERFACE <>FIFO
 *
 * Each frame that comes in at one goes out at the other.  What it suffers is a
 * line of standard input, words and whole numbers; the last line holds:
 *
 *	delay 40 jitter 10 reorder 25 loss 5
 *
 * A frame is kept for delay ms and up to jitter ms more, in each direction.
 * Frames keep their order, but reorder per cent of them overtake all that wait.
 * Loss per cent are dropped.  What a line does not name is 0.
 *
 * SIGTERM or the end of the input sends what waits, and ends it.
 */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/msg.h"
#include "os/trap.h"

enum {
	FRAME = 128 << 10,              /* bytes: more than one, unsegmented */
	QUEUE = 10000                   /* frames in each direction */
};

enum fault { DELAY, JITTER, REORDER, LOSS, FAULTS };

static const char *const fault_names[FAULTS] = {
	[DELAY] = "delay", [JITTER] = "jitter",
	[REORDER] = "reorder", [LOSS] = "loss"
};

struct frame {
	struct frame *next;
	msec   due;
	size_t len;
	char   bytes[];
};

/* One direction. */
struct way {
	int    from, to;
	struct frame *first, **end;     /* by due, which never falls */
	size_t n;
	msec   last;                    /* the due of the last one */
};

/* ---- the faults ---------------------------------------------------------- */

/* Reads a line; false: it is none. */
static bool
faults_parse(int faults[FAULTS], char *line)
{
	int new[FAULTS] = { 0 };
	char *word, *number, *rest;
	int i;

	for (word = strtok_r(line, " ", &rest); word != NULL;
	    word = strtok_r(NULL, " ", &rest)) {
		number = strtok_r(NULL, " ", &rest);
		for (i = 0; i < FAULTS; i++)
			if (strcmp(word, fault_names[i]) == 0)
				break;
		if (i == FAULTS || number == NULL)
			return false;
		new[i] = (int)strtol(number, NULL, 10);
	}
	memcpy(faults, new, sizeof(new));
	return true;
}

/* Takes the last whole line of what there is to read; false at its end. */
static bool
faults_read(int faults[FAULTS])
{
	char text[512], *line;
	ssize_t len = read(STDIN_FILENO, text, sizeof(text) - 1);

	if (len <= 0)
		return false;
	text[len] = '\0';
	while (len > 0 && text[len - 1] == '\n')
		text[--len] = '\0';
	line = strrchr(text, '\n');
	line = line == NULL ? text : line + 1;
	if (!faults_parse(faults, line))
		warnx("'%s' is no fault", line);
	return true;
}

static bool
chance(int per_cent)
{
	return random() % 100 < per_cent;
}

/* ---- the frames ---------------------------------------------------------- */

/* A socket for all frames of an interface.  Those that come from this machine
 * are neither split nor summed yet; a header tells, which goes with them. */
static int
way_socket(const char *interface)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET,
	    .sll_protocol = htons(ETH_P_ALL),
	    .sll_ifindex = (int)if_nametoindex(interface) };
	int on = 1;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd == -1 || at.sll_ifindex == 0 ||
	    setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on,
	    sizeof(on)) == -1 ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on,
	    sizeof(on)) == -1 ||
	    bind(fd, (struct sockaddr *)&at, sizeof(at)) == -1)
		fatal("cannot join '%s'", interface);
	return fd;
}

/* What cannot be sent is lost, as on any cable. */
static void
way_send(const struct way *w, const void *bytes, size_t len)
{
	(void)!write(w->to, bytes, len);
}

static void
way_keep(struct way *w, const void *bytes, size_t len, msec due)
{
	struct frame *f;

	if (w->n == QUEUE)
		return;
	f = xmalloc(sizeof(*f) + len);
	f->next = NULL;
	f->due = w->last = due > w->last ? due : w->last;
	f->len = len;
	memcpy(f->bytes, bytes, len);
	*w->end = f;
	w->end = &f->next;
	w->n++;
}

/* While an interface is down, reading fails, and so it waits. */
static void
way_read(struct way *w, const int faults[FAULTS], msec now)
{
	static char bytes[FRAME];
	ssize_t len;

	while ((len = read(w->from, bytes, sizeof(bytes))) > 0)
		if (chance(faults[LOSS]))
			continue;
		else if (chance(faults[REORDER]))
			way_send(w, bytes, (size_t)len);
		else
			way_keep(w, bytes, (size_t)len, now + faults[DELAY] +
			    random() % (faults[JITTER] + 1));
}

static void
way_flush(struct way *w, msec now)
{
	struct frame *f;

	while ((f = w->first) != NULL && f->due <= now) {
		way_send(w, f->bytes, f->len);
		w->first = f->next;
		if (w->first == NULL)
			w->end = &w->first;
		w->n--;
		free(f);
	}
}

static msec
way_due(const struct way *w)
{
	return w->first == NULL ? CLOCK_NEVER : w->first->due;
}

/* ---- the loop ------------------------------------------------------------ */

static void
join(struct way ways[2], int trap)
{
	struct pollfd fds[] = {
		{ .fd = trap, .events = POLLIN },
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = ways[0].from, .events = POLLIN },
		{ .fd = ways[1].from, .events = POLLIN }
	};
	int faults[FAULTS] = { 0 };
	msec now = clock_now();
	int i;

	while (fds[0].revents == 0) {
		for (i = 0; i < 2; i++) {
			way_read(&ways[i], faults, now);
			way_flush(&ways[i], now);
		}
		if (poll(fds, sizeof(fds) / sizeof(*fds),
		    clock_until(clock_sooner(way_due(&ways[0]),
		    way_due(&ways[1])), now)) == -1)
			continue;
		if (fds[1].revents != 0 && !faults_read(faults))
			break;
		now = clock_now();
	}
	for (i = 0; i < 2; i++)
		way_flush(&ways[i], CLOCK_NEVER);
}

int
main(int argc, char **argv)
{
	struct way ways[2] = { 0 };
	int trap, i;

	msg_program("slowlink");
	if (argc != 3)
		fatal_usage("slowlink INTERFACE INTERFACE <>FIFO");
	trap = trap_open();
	if (trap == -1)
		fatal("cannot wait for signals");
	for (i = 0; i < 2; i++) {
		ways[i].end = &ways[i].first;
		ways[i].from = ways[1 - i].to = way_socket(argv[1 + i]);
	}
	join(ways, trap);
	return EXIT_DONE;
}

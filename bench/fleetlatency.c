/*
 * fleetlatency SERVER CERTIFICATES FOLDER COUNT COMMAND [ARG...]
 *
 * Measures the time from a signal on one host to the row on another: from
 * FOLDER/signal-complete-N, written, to the line of standard output of the
 * command that has issue N as complete, for N from 1 to COUNT.  Before each it
 * measures the same server:
 *
 *	the round trip of a message that one connection publishes, until another
 *	one of this process has it;
 *
 *	the same from the start of a process that connects, publishes and ends.
 *
 * All connections are TLS, with the certificate bench.pem in CERTIFICATES.
 *
 * Printed are microseconds, a line for each issue: the row, the round trip, and
 * that with the start.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <nats/nats.h>

enum {
	SETTLING = 2500,        /* ms until the command is idle */
	PAUSE = 40,             /* ms before an event */
	PATIENCE = 10000,       /* ms until an event counts as missed */
	LINE = 1 << 16,
	ROW = 700               /* bytes of a message, as of a row */
};

static const char subject[] = "bench.roundtrip";

/* The command and what it has printed. */
static struct {
	pid_t  pid;
	int    fd;
	char   line[LINE];
	size_t len;
} ear;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void
die(const char *what, const char *why)
{
	fprintf(stderr, "fleetlatency: %s: %s\n", what, why);
	exit(3);
}

/* Not in step with a clock of any side. */
static void
rest(void)
{
	poll(NULL, 0, PAUSE + rand() % 10);
}

/* ---- the server ---------------------------------------------------------- */

static void
check(const char *what, natsStatus status)
{
	if (status != NATS_OK)
		die(what, nats_GetLastError(NULL) != NULL ?
		    nats_GetLastError(NULL) : natsStatus_GetText(status));
}

static const char *
in_folder(const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) == -1)
		die(name, strerror(errno));
	return path;
}

static natsConnection *
connect_to(const char *server, const char *certificates)
{
	natsConnection *nats;
	natsOptions *o;

	check("options", natsOptions_Create(&o));
	check(server, natsOptions_SetURL(o, server));
	check("TLS", natsOptions_SetSecure(o, true));
	check("ca.pem", natsOptions_LoadCATrustedCertificates(o,
	    in_folder(certificates, "ca.pem")));
	check("bench.pem", natsOptions_LoadCertificatesChain(o,
	    in_folder(certificates, "bench.pem"),
	    in_folder(certificates, "bench.key")));
	/* A thread that collects messages would delay each. */
	check("options", natsOptions_SetSendAsap(o, true));
	check(server, natsConnection_Connect(&nats, o));
	natsOptions_Destroy(o);
	return nats;
}

static void
publish(natsConnection *nats)
{
	static char text[ROW];

	check("publish", natsConnection_Publish(nats, subject, text, ROW));
}

static double
receive(natsSubscription *sub)
{
	natsMsg *m;

	check("no message came", natsSubscription_NextMsg(&m, sub, PATIENCE));
	natsMsg_Destroy(m);
	return now();
}

static double
roundtrip(natsConnection *nats, natsSubscription *sub)
{
	double begin = now();

	publish(nats);
	return receive(sub) - begin;
}

/* This program again, with nothing to do but that. */
static double
roundtrip_started(const char *program, char **argv, natsSubscription *sub)
{
	double begin = now(), came;
	pid_t pid = fork();

	if (pid == 0) {
		execl(program, "fleetlatency", argv[1], argv[2], NULL);
		_exit(127);
	}
	if (pid == -1)
		die(program, strerror(errno));
	came = receive(sub);
	waitpid(pid, NULL, 0);
	return came - begin;
}

static int
publish_once(char **argv)
{
	natsConnection *nats = connect_to(argv[1], argv[2]);

	publish(nats);
	check("flush", natsConnection_Flush(nats));
	return 0;
}

/* ---- the command --------------------------------------------------------- */

/* What is left would listen for ever. */
static void
ear_end(void)
{
	if (ear.pid > 0)
		kill(ear.pid, SIGTERM);
}

static void
ear_open(char **argv)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) == -1 || (ear.pid = fork()) == -1)
		die(argv[0], strerror(errno));
	if (ear.pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(ends[1]);
	ear.fd = ends[0];
	atexit(ear_end);
}

/* Takes whole lines; is one of them the row? */
static int
ear_lines(const char *issue)
{
	int found = 0;
	char *end;

	while ((end = memchr(ear.line, '\n', ear.len)) != NULL) {
		*end = '\0';
		found |= issue != NULL && strstr(ear.line, issue) != NULL &&
		    strstr(ear.line, "\"state\":\"complete\"") != NULL;
		ear.len -= (size_t)(end + 1 - ear.line);
		memmove(ear.line, end + 1, ear.len);
	}
	return found;
}

/* When the row came; 0: not within the time, in ms.  NULL: none is expected. */
static double
ear_hear(const char *issue, double patience)
{
	struct pollfd p = { .fd = ear.fd, .events = POLLIN };
	double at = now(), until = at + patience * 1e3;
	ssize_t n;

	while (at < until && poll(&p, 1, (int)((until - at) / 1e3) + 1) != -1) {
		at = now();
		if (p.revents == 0)
			continue;
		n = read(ear.fd, ear.line + ear.len, LINE - ear.len);
		if (n <= 0)
			die("the command", "has ended");
		ear.len += (size_t)n;
		if (ear_lines(issue))
			return at;
	}
	return 0;
}

/* ---- a signal ------------------------------------------------------------ */

static double
row(const char *folder, int issue)
{
	char path[4096], key[64];
	double begin, heard;
	int fd;

	snprintf(path, sizeof(path), "%s/signal-complete-%d", folder, issue);
	snprintf(key, sizeof(key), "\"issue\":\"%d\"", issue);
	begin = now();
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd == -1 || write(fd, "done\n", 5) != 5 || close(fd) == -1)
		die(path, strerror(errno));
	heard = ear_hear(key, PATIENCE);
	if (heard == 0)
		die(key, "its row did not come");
	return heard - begin;
}

int
main(int argc, char **argv)
{
	double trip, started;
	natsConnection *from, *to;
	natsSubscription *sub;
	int i, count;

	if (argc == 3)
		return publish_once(argv);
	if (argc < 6) {
		fprintf(stderr, "usage: fleetlatency SERVER CERTIFICATES "
		    "FOLDER COUNT COMMAND [ARG...]\n");
		return 2;
	}
	count = (int)strtol(argv[4], NULL, 10);
	from = connect_to(argv[1], argv[2]);
	to = connect_to(argv[1], argv[2]);
	check("subscribe", natsConnection_SubscribeSync(&sub, to, subject));
	check("subscribe", natsConnection_Flush(to));
	ear_open(argv + 5);
	ear_hear(NULL, SETTLING);
	for (i = 1; i <= count; i++) {
		rest();
		started = roundtrip_started("/proc/self/exe", argv, sub);
		rest();
		trip = roundtrip(from, sub);
		ear_hear(NULL, PAUSE + rand() % 10);
		printf("%.1f %.1f %.1f\n", row(argv[3], i), trip, started);
		fflush(stdout);
	}
	return 0;
}

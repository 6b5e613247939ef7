/*
 * doctor.c - paneward-fleet doctor: what the fleet's server is, what it keeps,
 * which hosts are there, and what a stranger, or a host, could do with it.
 *
 * It tries what must not work by requests that change nothing even if they do:
 * they name what is not there, or demand what is not so.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "data/findings.h"
#include "fleet/commands.h"
#include "fleet/work/order.h"
#include "os/loop.h"
#include "project/context.h"
#include "queue/row.h"

enum { CLOCK_OFF = 2000 };              /* ms; more is a warning */

#define PRINT "use the configuration that 'paneward-fleet print-server' prints"

struct checkup {
	struct findings found;
	const struct fleetrules *rules;
	const char     *server;         /* the one that was asked */
	struct greeting greeting;
	struct link    *link;           /* NULL: there is none */
	bool            here;           /* our agent is */
	bool            empty;          /* a stream is not there yet */
	unsigned        strange;        /* messages that are not ours, */
	char           *sender;         /* and the subject of the first one */
};

/* ---- what the server tells before TLS ------------------------------------ */

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

/* Connects to an address of the configuration and reads it.  -1 after saying
 * why. */
static int
greeting_read(const char *address, struct greeting *g, struct buf *why)
{
	struct addrinfo *found = greeting_resolve(address, why), *a;
	msec until = clock_now() + LINK_LIMIT;
	struct buf line = BUF_INIT;
	const char *end = NULL;
	char bytes[4096];
	ssize_t n = 1;
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
	while (end == NULL && n > 0 && line.len < LINE_MAX_BYTES &&
	    greeting_wait(fd, POLLIN, until)) {
		n = read(fd, bytes, sizeof(bytes));
		if (n > 0)
			buf_add(&line, bytes, (size_t)n);
		end = line.len > 0 ? memchr(line.data, '\n', line.len) : NULL;
	}
	ret = end != NULL && greeting_parse(line.data,
	    (size_t)(end - line.data), g) ? 0 : -1;
	if (ret == -1)
		buf_adds(why, "what answers there is no NATS server");
	buf_release(&line);
	close(fd);
	return ret;
}

/* ---- trials -------------------------------------------------------------- */

enum { TRIAL_TIME = 2000 };             /* ms for an answer */

/* The server drops what a client may not send, and tells it so without an
 * answer; that comes before its answer to a later ping. */
enum trial { TRIAL_REFUSED, TRIAL_ALLOWED, TRIAL_UNKNOWN };

/* A trial stores a message on the condition that it is for a stream of another
 * name, which no stream meets; or sends a request without a body; or listens to
 * a subject for a moment. */
enum trial_how { TRIAL_STORE, TRIAL_REQUEST, TRIAL_LISTEN };

static enum trial
trial_end(struct link *l, const char *subject, natsSubscription *answers)
{
	natsConnection *nats = link_nats(l);
	struct buf dropped = BUF_INIT;
	const char *text = NULL;
	natsMsg *m = NULL;
	natsStatus s = natsConnection_FlushTimeout(nats, TRIAL_TIME);
	bool refused;

	if (s != NATS_OK)
		return TRIAL_UNKNOWN;
	natsConnection_GetLastError(nats, &text);
	refused = text != NULL && strstr(text, subject) != NULL;
	/* It is no reason of a later call. */
	link_why(l, NATS_OK, &dropped);
	buf_release(&dropped);
	if (refused)
		return TRIAL_REFUSED;
	if (answers != NULL)
		s = natsSubscription_NextMsg(&m, answers, TRIAL_TIME);
	natsMsg_Destroy(m);
	return s == NATS_OK || s == NATS_NO_RESPONDERS ? TRIAL_ALLOWED :
	    TRIAL_UNKNOWN;
}

static enum trial
trial_subject(struct link *l, const char *subject, enum trial_how how)
{
	char *inbox = xasprintf("_INBOX_%s.trial", link_rules(l)->host);
	natsSubscription *answers = NULL;
	enum trial end = TRIAL_UNKNOWN;
	natsMsg *m = NULL;
	natsStatus s = natsConnection_SubscribeSync(&answers, link_nats(l),
	    how == TRIAL_LISTEN ? subject : inbox);

	if (how != TRIAL_LISTEN)
		NATS_THEN(s, natsMsg_Create(&m, subject, inbox, NULL, 0));
	if (how == TRIAL_STORE)
		NATS_THEN(s, natsMsgHeader_Set(m, "Nats-Expected-Stream",
		    "PANEWARD-trial-that-no-stream-meets"));
	if (how != TRIAL_LISTEN)
		NATS_THEN(s, natsConnection_PublishMsg(link_nats(l), m));
	if (s == NATS_OK)
		end = trial_end(l, subject, how == TRIAL_LISTEN ? NULL :
		    answers);
	natsMsg_Destroy(m);
	natsSubscription_Destroy(answers);
	free(inbox);
	return end;
}

/* Can it be connected to by these rules? */
static enum trial
trial_connect(const struct fleetrules *rules)
{
	struct buf why = BUF_INIT;
	struct link *l = link_open(rules, false, &why);
	enum trial end = l != NULL ? TRIAL_ALLOWED : TRIAL_REFUSED;

	link_close(l);
	buf_release(&why);
	return end;
}

/* The server's clock, wall, as of the middle of the call, and how much that may
 * be wrong: what the server makes for us bears the moment when it did.  -1 after
 * saying why. */
static int
trial_time(struct link *l, const char *stream, msec *time, msec *off,
    struct buf *why)
{
	jsConsumerInfo *info = NULL;
	natsSubscription *sub = NULL;
	msec before = clock_now();
	jsSubOptions o;
	natsStatus s = jsSubOptions_Init(&o);

	o.Stream = stream;
	o.Ordered = true;
	o.Config.DeliverPolicy = js_DeliverNew;
	o.Config.HeadersOnly = true;
	NATS_THEN(s, js_SubscribeSync(&sub, link_js(l), ">", NULL, &o, NULL));
	*off = (clock_now() - before) / 2;
	NATS_THEN(s, natsSubscription_GetConsumerInfo(&info, sub, NULL, NULL));
	if (s == NATS_OK)
		*time = info->Created / 1000000;
	else
		link_why(l, s, why);
	jsConsumerInfo_Destroy(info);
	natsSubscription_Destroy(sub);
	return s == NATS_OK ? 0 : -1;
}

/* ---- the server ---------------------------------------------------------- */

static void
checkup_server(struct checkup *c)
{
	const struct greeting *g = &c->greeting;
	struct buf why = BUF_INIT;

	c->server = c->rules->servers[0];
	if (greeting_read(c->server, &c->greeting, &why) == -1)
		findings_add(&c->found, PROBLEM, buf_str(&why), "see whether "
		    "nats-server runs there, and 'servers' in config.json",
		    "cannot reach '%s'", c->server);
	else if (!g->jetstream)
		findings_add(&c->found, PROBLEM, "it keeps nothing", PRINT,
		    "nats-server %s runs without JetStream", g->version);
	else if (!greeting_atleast(g, 2, 12))
		findings_add(&c->found, WARNING, "versions before 2.12 have "
		    "known holes, and cannot wait for the disk", "update it: "
		    "github.com/nats-io/nats-server/releases has newer ones",
		    "nats-server %s at '%s'", g->version, c->server);
	else
		findings_add(&c->found, OK, NULL, NULL, "nats-server %s at "
		    "'%s'", g->version, c->server);
	buf_release(&why);
}

/* ---- what a stranger could do -------------------------------------------- */

static void
checkup_tell(struct checkup *c, enum trial end, const char *who,
    const char *what)
{
	if (end == TRIAL_ALLOWED)
		findings_add(&c->found, PROBLEM, NULL, PRINT, "%s can %s",
		    who, what);
	else if (end == TRIAL_UNKNOWN)
		findings_add(&c->found, WARNING, "the server did not answer",
		    "run it again", "it is not known whether %s can %s", who,
		    what);
	else
		findings_add(&c->found, OK, NULL, NULL, "%s cannot %s", who,
		    what);
}

static void
checkup_strangers(struct checkup *c)
{
	static const char who[] = "a stranger";
	struct fleetrules plain = *c->rules, bare = *c->rules;

	plain.ca = plain.cert = plain.key = NULL;
	bare.cert = bare.key = NULL;
	checkup_tell(c, trial_connect(&plain), who, "connect without TLS");
	if (c->rules->ca != NULL)
		checkup_tell(c, trial_connect(&bare), who, "connect without a "
		    "certificate");
}

/* ---- the connection ------------------------------------------------------ */

static void
checkup_connection(struct checkup *c)
{
	struct buf why = BUF_INIT;

	c->link = link_open(c->rules, false, &why);
	if (c->link == NULL)
		findings_add(&c->found, PROBLEM, buf_str(&why), "until then "
		    "this host is not in the fleet", "cannot connect to '%s' "
		    "as host '%s'", c->server, c->rules->host);
	else
		findings_add(&c->found, OK, NULL, NULL, "this is host '%s'",
		    c->rules->host);
	buf_release(&why);
}

/* ---- what it keeps ------------------------------------------------------- */

static void
checkup_kept(struct checkup *c, enum store which,
    const struct store_look *look)
{
	const struct fleetrules *r = c->rules;
	bool events = which == STORE_EVENTS, leases = which == STORE_LEASES;

	if (look->other)
		findings_add(&c->found, WARNING, "what it has may be deleted, "
		    "or come from elsewhere", "remove it on the server; an "
		    "agent makes it again", "paneward has not made '%s'",
		    store_stream(which));
	else if (events && (look->lasts != r->keep_days * 86400000 ||
	    look->most != r->keep_bytes))
		findings_add(&c->found, WARNING, "the first host set them for "
		    "all", "write the same 'keep_days' and 'keep_bytes' into "
		    "config.json", "the server keeps events for %lld days, "
		    "and %lld bytes of them", (long long)look->lasts /
		    86400000, (long long)look->most);
	else if (events && look->bytes > look->most / 10 * 9)
		findings_add(&c->found, WARNING, "the oldest ones go when it "
		    "is full", "if that matters, have a server with more "
		    "'keep_bytes'", "%lld bytes of events of at most %lld",
		    (long long)look->bytes, (long long)look->most);
	else if (events)
		findings_add(&c->found, OK, NULL, NULL, "%lld events, %lld "
		    "bytes of at most %lld, for %lld days",
		    (long long)look->messages, (long long)look->bytes,
		    (long long)look->most, (long long)r->keep_days);
	else if (leases && look->lasts != r->lease * 1000)
		findings_add(&c->found, WARNING, "the first host set it for "
		    "all, and that one counts", "write \"lease\": that number "
		    "into config.json", "a lease lasts %lld seconds, not %lld",
		    (long long)look->lasts / 1000, (long long)r->lease);
	else if (leases)
		findings_add(&c->found, OK, NULL, NULL, "a lease lasts %lld "
		    "seconds", (long long)r->lease);
}

static void
checkup_stores(struct checkup *c)
{
	struct buf missing = BUF_INIT, why = BUF_INIT;
	struct store_look look;
	enum store which;
	int there;

	for (which = 0; c->link != NULL && which < STORES; which++) {
		there = store_look(c->link, which, &look, &why);
		if (there == 1) {
			checkup_kept(c, which, &look);
		} else if (there == 0) {
			buf_printf(&missing, "%s'%s'", missing.len > 0 ?
			    ", " : "", store_stream(which));
		} else {
			findings_add(&c->found, PROBLEM, buf_str(&why),
			    "until then this host has no part in it",
			    "cannot ask for '%s'", store_stream(which));
			link_close(c->link);
			c->link = NULL;
		}
	}
	buf_release(&why);
	c->empty = missing.len > 0;
	if (c->empty)
		findings_add(&c->found, WARNING, NULL, "start 'paneward-fleet "
		    "agent', which makes them", "not there yet: %s",
		    buf_str(&missing));
	buf_release(&missing);
}

/* ---- what is not ours ---------------------------------------------------- */

static void
strange_add(struct checkup *c, const struct link_message *m)
{
	if (c->strange++ == 0)
		c->sender = xstrdup(m->subject);
}

static void
take_row(void *c, const struct link_message *m)
{
	struct row r;

	if (m->gone)
		return;
	if (row_parse(&r, m->data, m->len))
		row_release(&r);
	else
		strange_add(c, m);
}

static void
take_order(void *c, const struct link_message *m)
{
	struct order o;

	if (m->gone)
		return;
	if (!order_parse(&o, m->data, m->len))
		strange_add(c, m);
	order_release(&o);
}

static void
checkup_content(struct checkup *c, enum store which, link_take *take)
{
	struct buf why = BUF_INIT;

	c->strange = 0;
	c->sender = NULL;
	if (store_each(c->link, which, take, c, &why) == -1)
		findings_add(&c->found, PROBLEM, buf_str(&why), PRINT,
		    "cannot read '%s'", store_stream(which));
	else if (c->strange > 0)
		findings_add(&c->found, WARNING, "it is skipped", "see who "
		    "writes it", "%u of '%s' is not paneward's, as '%s'",
		    c->strange, store_stream(which), c->sender);
	free(c->sender);
	buf_release(&why);
}

static void
checkup_contents(struct checkup *c)
{
	checkup_content(c, STORE_ROWS, take_row);
	checkup_content(c, STORE_BACKLOG, take_order);
}

static void
checkup_clock(struct checkup *c)
{
	struct buf why = BUF_INIT, span = BUF_INIT;
	msec time, off, ours;

	if (trial_time(c->link, store_stream(STORE_EVENTS), &time, &off,
	    &why) == -1) {
		findings_add(&c->found, PROBLEM, buf_str(&why), PRINT,
		    "cannot ask for the server's time");
	} else {
		ours = clock_wall() - off;
		clock_span(&span, ours > time ? ours - time : time - ours);
		if (ours - time > CLOCK_OFF + off ||
		    time - ours > CLOCK_OFF + off)
			findings_add(&c->found, WARNING, "no lease depends on "
			    "it, but times of events do", "let both set their "
			    "clocks by NTP", "the clock here is %s %s the "
			    "server's", buf_str(&span), ours > time ?
			    "before" : "behind");
		else
			findings_add(&c->found, OK, NULL, NULL, "that of the "
			    "server");
	}
	buf_release(&span);
	buf_release(&why);
}

/* ---- the hosts ----------------------------------------------------------- */

static void
take_beat(void *context, const struct link_message *m)
{
	struct checkup *c = context;
	const char *host = m->subject + strlen(store_prefix(STORE_HOSTS));
	cJSON *o = m->gone ? NULL : json_parse(m->data, m->len, false, NULL);
	const char *version = json_text(o, "version");
	int64_t skipped = json_number(o, "skipped", 0);

	if (m->gone)
		return;
	c->here |= strcmp(host, c->rules->host) == 0;
	if (version == NULL)
		findings_add(&c->found, WARNING, "what it sends is no sign of "
		    "life of paneward", "see what runs there", "host '%s'",
		    host);
	else if (strcmp(version, VERSION) != 0)
		findings_add(&c->found, WARNING, "what a newer one shows is "
		    "unknown to an older one", "install the same version on "
		    "all hosts", "host '%s' has version %s, this one %s",
		    host, version, VERSION);
	else
		findings_add(&c->found, OK, NULL, NULL, "host '%s', version "
		    "%s", host, version);
	if (skipped > 0)
		findings_add(&c->found, WARNING, "the server takes no line of "
		    "that size", "see what its agent says", "host '%s' cannot send "
		    "%lld lines of its journals", host, (long long)skipped);
	json_free(o);
}

static void
checkup_hosts(struct checkup *c)
{
	struct buf why = BUF_INIT;

	if (store_each(c->link, STORE_HOSTS, take_beat, c, &why) == -1)
		findings_add(&c->found, PROBLEM, buf_str(&why), PRINT,
		    "cannot ask which hosts are there");
	else if (!c->here)
		findings_add(&c->found, WARNING, "the others do not see what "
		    "happens here", "start 'paneward-fleet agent'", "no agent "
		    "of host '%s' is there", c->rules->host);
	buf_release(&why);
}

/* ---- what a host could do ------------------------------------------------ */

/* What one host must not do to the others, and to itself by a mistake.  The
 * host and the streams of the trials are not there. */
static const struct {
	const char *what;
	enum trial_how how;
	const char *subject;
} trials[] = {
	{ "report as another one", TRIAL_STORE,
	    "paneward.paneward-trial.project.issue" },
	{ "be there as another one", TRIAL_STORE,
	    "$KV.PANEWARD_HOSTS.paneward-trial" },
	{ "show rows as another one", TRIAL_STORE,
	    "$KV.PANEWARD_ROWS.paneward-trial.row" },
	{ "read what another one asked for", TRIAL_LISTEN,
	    "_INBOX_paneward-trial.answer" },
	{ "read what the server tells itself", TRIAL_LISTEN, "$SYS.trial" },
	{ "delete a stream", TRIAL_REQUEST,
	    "$JS.API.STREAM.DELETE.PANEWARD_TRIAL" },
	{ "empty a stream", TRIAL_REQUEST,
	    "$JS.API.STREAM.PURGE.PANEWARD_TRIAL" },
	{ "change a stream", TRIAL_REQUEST,
	    "$JS.API.STREAM.UPDATE.PANEWARD_TRIAL" },
	{ "make a stream of its own", TRIAL_REQUEST,
	    "$JS.API.STREAM.CREATE.PANEWARD_TRIAL" },
};

static void
checkup_rights(struct checkup *c)
{
	size_t i;

	for (i = 0; i < sizeof(trials) / sizeof(trials[0]); i++)
		checkup_tell(c, trial_subject(c->link, trials[i].subject,
		    trials[i].how), "a host", trials[i].what);
}

/* ---- the command --------------------------------------------------------- */

/* A check needs this, and all that stands before it. */
enum need { NEED_NOTHING, NEED_SERVER, NEED_LINK, NEED_STORES };

/* Order matters: later checks use what earlier ones have read; and nats.c ends
 * no connection while there is another one. */
static const struct {
	const char *name;
	void      (*check)(struct checkup *);
	enum need   needs;
} checkups[] = {
	{ "server",     checkup_server,     NEED_NOTHING },
	{ "strangers",  checkup_strangers,  NEED_SERVER },
	{ "connection", checkup_connection, NEED_SERVER },
	{ "stores",     checkup_stores,     NEED_LINK },
	{ "contents",   checkup_contents,   NEED_STORES },
	{ "clock",      checkup_clock,      NEED_STORES },
	{ "hosts",      checkup_hosts,      NEED_STORES },
	{ "rights",     checkup_rights,     NEED_LINK },
};

static int
fleetdoctor_run(const struct command *command, int argc, char **argv)
{
	struct buf why = BUF_INIT;
	struct checkup c = { 0 };
	struct context context;
	enum need there;
	size_t i;

	while (command_option(command, argc, argv, NULL) != -1)
		c.found.json = true;
	if (optind < argc)
		command_usage(command, "takes no argument");
	if (context_find(&context, ".", &why) != EXIT_DONE)
		fatal_usage("%s", buf_str(&why));
	c.rules = context.config.fleet;
	if (c.rules == NULL)
		fatal_usage("no fleet is configured: set 'fleet' in your "
		    "config.json (see paneward-fleet(1))");
	for (i = 0; i < sizeof(checkups) / sizeof(checkups[0]); i++) {
		there = c.greeting.version[0] == '\0' ? NEED_NOTHING :
		    c.link == NULL ? NEED_SERVER : c.empty ? NEED_LINK :
		    NEED_STORES;
		c.found.check = checkups[i].name;
		if (checkups[i].needs <= there)
			checkups[i].check(&c);
	}
	link_close(c.link);
	return c.found.worst == PROBLEM ? EXIT_NO : EXIT_DONE;
}

const struct command fleet_doctor_command = {
	.name = "doctor",
	.summary = "Check the fleet's server, and what strangers could do with it",
	.examples =
	"  paneward-fleet doctor | grep -v ^ok\n",
	.options = (const struct command_option[]){
		{ 'j', "json", NULL, "one JSON object per line" },
		{ 0 }
	},
	.run = fleetdoctor_run,
};

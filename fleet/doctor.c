/*
 * doctor.c - paneward-fleet doctor: the fleet's server, its stores, its hosts,
 * and the rights of strangers and hosts.
 *
 * Trials of forbidden requests change nothing even if they are allowed: their
 * target is not there, or their condition is not met.
 */
#include <netdb.h>
#include <sys/socket.h>

#include "data/findings.h"
#include "fleet/work/work.h"

enum { CLOCK_OFF = 2000 };              /* ms; more is a warning */

#define PRINT "use the configuration that 'paneward-fleet print-server' prints"

struct checkup {
	struct findings findings;
	const struct fleetrules *rules;
	struct greeting greeting;
	struct link    *link;
	struct buf      why;
	bool            here, empty;    /* our agent is; a stream is missing */
	enum store      which;
	unsigned        strange;        /* its messages that are not ours, */
	char           *sender;         /* and the subject of the first one */
};

bool
greeting_parse(const char *line, size_t len, struct greeting *g)
{
	unsigned major = 0, minor = 0;
	const char *text;
	struct json *o;

	if (len < 5 || strncmp(line, "INFO ", 5) != 0)
		return false;
	o = json_parse(line + 5, len - 5, false, NULL);
	text = json_text(o, "version");
	*g = (struct greeting){ .jetstream = json_true(o, "jetstream") };
	if (text != NULL)
		snprintf(g->version, sizeof(g->version), "%s", text);
	json_free(o);
	g->recent = sscanf(g->version, "%9u.%9u", &major, &minor) == 2 &&
	    (major > 2 || (major == 2 && minor >= 12));
	return text != NULL;
}

/* A child, since it may wait for long: connects to "tls://HOST:PORT" or
 * "nats://[::1]", whose port may be missing; writes a blank, then the
 * greeting. */
static int
greeting_fetch(void *address)
{
	char *host = xstrdup(strstr(address, "://") + 3), bytes[4096] = " ";
	char *end = strrchr(host, ']'), *port = strrchr(end ? end : host, ':');
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL, *a;
	const char *why;
	int fd = -1;
	ssize_t n = 1;

	if (port != NULL)
		*port++ = '\0';
	if (*host == '[' && end != NULL) {
		*end = '\0';
		host++;
	}
	why = gai_strerror(getaddrinfo(host, port != NULL ? port : "4222",
	    &hints, &found));
	for (a = found; a != NULL; a = a->ai_next) {
		fd = socket(a->ai_family, SOCK_STREAM, 0);
		if (fd != -1 && connect(fd, a->ai_addr, a->ai_addrlen) == 0)
			break;
		why = strerror(errno);
	}
	if (a == NULL) {
		file_write(STDERR_FILENO, why, strlen(why));
		return EXIT_NO;
	}
	while (n > 0 && file_write(STDOUT_FILENO, bytes, (size_t)n) == 0 &&
	    memchr(bytes, '\n', (size_t)n) == NULL)
		n = read(fd, bytes, sizeof(bytes));
	return EXIT_DONE;
}

enum { TRIAL_TIME = 2000 };             /* ms for an answer */

/* The server drops a forbidden message without an answer, but reports it before
 * it answers a later ping. */
enum trial { TRIAL_REFUSED, TRIAL_ALLOWED, TRIAL_UNKNOWN };

/* A trial listens to a subject for a moment; or sends it a message without a
 * body, for a stream of a name that none has. */
static enum trial
trial_subject(struct link *l, const char *subject, bool listens)
{
	char *inbox = xasprintf("_INBOX_%s.trial", l->rules->host);
	natsSubscription *answers = NULL;
	enum trial end = TRIAL_UNKNOWN;
	natsMsg *m = NULL, *answer = NULL;
	const char *text = NULL;
	natsStatus s = natsConnection_SubscribeSync(&answers, l->nats,
	    listens ? subject : inbox);

	NATS_THEN(s, natsMsg_Create(&m, subject, inbox, NULL, 0));
	NATS_THEN(s, natsMsgHeader_Set(m, "Nats-Expected-Stream",
	    "PANEWARD-trial-that-no-stream-meets"));
	if (!listens)
		NATS_THEN(s, natsConnection_PublishMsg(l->nats, m));
	NATS_THEN(s, natsConnection_FlushTimeout(l->nats, TRIAL_TIME));
	if (s == NATS_OK) {
		natsConnection_GetLastError(l->nats, &text);
		if (text != NULL && strstr(text, subject) != NULL)
			end = TRIAL_REFUSED;
		/* No later call may report that refusal. */
		link_why(l, NATS_ERR, NULL);
		if (end != TRIAL_REFUSED && !listens)
			s = natsSubscription_NextMsg(&answer, answers,
			    TRIAL_TIME);
		if (end != TRIAL_REFUSED &&
		    (s == NATS_OK || s == NATS_NO_RESPONDERS))
			end = TRIAL_ALLOWED;
	}
	natsMsg_Destroy(answer);
	natsMsg_Destroy(m);
	natsSubscription_Destroy(answers);
	free(inbox);
	return end;
}

static void
checkup_server(struct checkup *c)
{
	struct greeting *g = &c->greeting;
	char *server = c->rules->servers[0];
	struct spawn s = SPAWN_INIT;
	const char *line;

	spawn_run(&s, &(struct spawn_how){ .call = greeting_fetch,
	    .context = server, .limit = LINK_LIMIT, .most = 64 << 10 });
	line = buf_str(&s.output);
	if (s.output.len < 2 || !greeting_parse(line + 1, strcspn(line, "\n") -
	    1, g))
		problem(c, s.output.len > 0 ? "the program that answers there "
		    "is no NATS server" : s.errors.len > 0 ?
		    buf_str(&s.errors) : strerror(ETIMEDOUT), "see whether "
		    "nats-server runs there, and 'servers' in config.json",
		    "cannot reach '%s'", server);
	else if (!g->jetstream)
		problem(c, "it keeps nothing", PRINT, "nats-server %s runs "
		    "without JetStream", g->version);
	else if (!g->recent)
		warning(c, "versions before 2.12 have known holes, and cannot "
		    "wait for the disk", "update it: "
		    "github.com/nats-io/nats-server/releases has newer ones",
		    "nats-server %s at '%s'", g->version, server);
	else
		fine(c, "nats-server %s at '%s'", g->version, server);
}

static void
checkup_tell(struct checkup *c, enum trial end, const char *who,
    const char *what)
{
	if (end == TRIAL_ALLOWED)
		problem(c, NULL, PRINT, "%s can %s", who, what);
	else if (end == TRIAL_UNKNOWN)
		warning(c, "the server did not answer", "run it again", "it is "
		    "not known whether %s can %s", who, what);
	else
		fine(c, "%s cannot %s", who, what);
}

static void
checkup_strangers(struct checkup *c)
{
	struct fleetrules rules;
	struct link *l;
	int tls;

	for (tls = 0; tls <= (c->rules->ca != NULL); tls++) {
		rules = *c->rules;
		rules.cert = rules.key = NULL;
		if (!tls)
			rules.ca = NULL;
		l = link_open(&rules, false, &c->why);
		checkup_tell(c, l != NULL ? TRIAL_ALLOWED : TRIAL_REFUSED,
		    "a stranger", tls ? "connect without a certificate" :
		    "connect without TLS");
		link_close(l);
	}
}

static void
checkup_connection(struct checkup *c)
{
	c->link = link_open(c->rules, false, &c->why);
	if (c->link == NULL)
		problem(c, buf_str(&c->why), "until then this host is not in "
		    "the fleet", "cannot connect to '%s' as host '%s'",
		    c->rules->servers[0], c->rules->host);
	else
		fine(c, "this is host '%s'", c->rules->host);
}

static void
checkup_kept(struct checkup *c, enum store which, const struct store_look *look)
{
	const struct fleetrules *r = c->rules;
	bool events = which == STORE_EVENTS, leases = which == STORE_LEASES;

	if (look->other)
		warning(c, "its messages may be deleted, or be another's",
		    "remove it on the server; an agent makes it again",
		    "paneward has not made '%s'", stores[which].stream);
	else if (events && (look->lasts != r->keep_days * 86400000 ||
	    look->most != r->keep_bytes))
		warning(c, "the first host set them for all", "write the same "
		    "'keep_days' and 'keep_bytes' into config.json", "the "
		    "server keeps events for %lld days, and %lld bytes of them",
		    (long long)look->lasts / 86400000, (long long)look->most);
	else if (events && look->bytes > look->most / 10 * 9)
		warning(c, "the oldest ones go when it is full", "if that "
		    "matters, have a server with more 'keep_bytes'", "%lld "
		    "bytes of events of at most %lld", (long long)look->bytes,
		    (long long)look->most);
	else if (events)
		fine(c, "%lld events, %lld bytes of at most %lld, for %lld "
		    "days", (long long)look->messages, (long long)look->bytes,
		    (long long)look->most, (long long)r->keep_days);
	else if (leases && look->lasts != r->lease * 1000)
		warning(c, "the first host set it for all, and that one counts",
		    "write \"lease\": that number into config.json", "a lease "
		    "lasts %lld seconds, not %lld", (long long)look->lasts /
		    1000, (long long)r->lease);
	else if (leases)
		fine(c, "a lease lasts %lld seconds", (long long)r->lease);
}

static void
checkup_stores(struct checkup *c)
{
	struct buf missing = BUF_INIT;
	struct store_look look;
	enum store which;
	int there;

	for (which = 0; c->link != NULL && which < STORES; which++) {
		there = store_look(c->link, which, &look, &c->why);
		if (there == 1) {
			checkup_kept(c, which, &look);
		} else if (there == 0) {
			buf_printf(&missing, "%s'%s'", missing.len > 0 ?
			    ", " : "", stores[which].stream);
		} else {
			problem(c, buf_str(&c->why), "until then this host has "
			    "no part in it", "cannot ask for '%s'",
			    stores[which].stream);
			link_close(c->link);
			c->link = NULL;
		}
	}
	c->empty = missing.len > 0;
	if (c->empty)
		warning(c, NULL, "start 'paneward-fleet agent', which makes "
		    "them", "not there yet: %s", buf_str(&missing));
}

static void
take_content(void *context, const struct link_message *m)
{
	struct checkup *c = context;
	struct order o = { 0 };
	struct row r = { 0 };
	bool ours = c->which == STORE_ROWS ? row_parse(&r, m->data, m->len) :
	    order_take_message(&o, m);

	if (!m->gone && !ours && c->strange++ == 0)
		c->sender = xstrdup(m->subject);
	row_release(&r);
	order_release(&o);
}

static void
checkup_contents(struct checkup *c)
{
	for (c->which = STORE_ROWS; c->which <= STORE_BACKLOG; c->which++) {
		c->strange = 0;
		buf_reset(&c->why);
		if (store_each(c->link, c->which, ">", take_content, c,
		    &c->why) == -1)
			problem(c, buf_str(&c->why), PRINT, "cannot read '%s'",
			    stores[c->which].stream);
		else if (c->strange > 0)
			warning(c, "it is skipped", "see who writes it", "%u "
			    "of '%s' is not paneward's, as '%s'", c->strange,
			    stores[c->which].stream, c->sender);
	}
}

/* A new consumer bears the server's time, of the middle of the call give or
 * take a half of it. */
static void
checkup_clock(struct checkup *c)
{
	struct buf span = BUF_INIT;
	msec before = clock_now(), off, made, ahead;
	uint64_t messages;
	int got = link_follow(c->link, STORE_EVENTS, ">", LINK_NEW, &c->why);

	off = (clock_now() - before) / 2;
	if (got == -1 ||
	    link_began(c->link, &messages, &made, &c->why) == -1) {
		problem(c, buf_str(&c->why), PRINT, "cannot ask for the "
		    "server's time");
	} else {
		ahead = clock_wall() - off - made;
		clock_span(&span, ahead > 0 ? ahead : -ahead);
		if (ahead > CLOCK_OFF + off || -ahead > CLOCK_OFF + off)
			warning(c, "no lease depends on it, but times of "
			    "events do", "let both set their clocks by NTP",
			    "the clock here is %s %s the server's",
			    buf_str(&span), ahead > 0 ? "before" : "behind");
		else
			fine(c, "that of the server");
	}
	link_unfollow(c->link);
}

static void
take_beat(void *context, const struct link_message *m)
{
	struct checkup *c = context;
	const char *host = m->subject + strlen(stores[STORE_HOSTS].prefix);
	struct json *o = json_parse(m->data, m->len, false, NULL);
	const char *version = json_text(o, "version");
	int64_t skipped = json_number(o, "skipped", 0);

	if (m->gone)
		return;
	c->here |= strcmp(host, c->rules->host) == 0;
	if (version == NULL)
		warning(c, "its sign of life is not paneward's",
		    "see what runs there", "host '%s'", host);
	else if (strcmp(version, VERSION) != 0)
		warning(c, "an older one does not know all that a newer one "
		    "shows",
		    "install the same version on all hosts", "host '%s' has "
		    "version %s, this one %s", host, version, VERSION);
	else
		fine(c, "host '%s', version %s", host, version);
	if (skipped > 0)
		warning(c, "the server takes no line of that size", "see what "
		    "its agent says", "host '%s' cannot send %lld lines of its "
		    "journals", host, (long long)skipped);
	json_free(o);
}

static void
checkup_hosts(struct checkup *c)
{
	if (store_each(c->link, STORE_HOSTS, ">", take_beat, c, &c->why) == -1)
		problem(c, buf_str(&c->why), PRINT, "cannot ask which hosts "
		    "are there");
	else if (!c->here)
		warning(c, "the others do not see what happens here", "start "
		    "'paneward-fleet agent'", "no agent of host '%s' is there",
		    c->rules->host);
}

/* The host and the streams of the trials are not there. */
static const struct {
	const char *what, *subject;
	bool        listens;
} trials[] = {
	{ "report as another one", "paneward.paneward-trial.project.issue" },
	{ "be there as another one", "$KV.PANEWARD_HOSTS.paneward-trial" },
	{ "show rows as another one", "$KV.PANEWARD_ROWS.paneward-trial.row" },
	{ "read what another one asked for", "_INBOX_paneward-trial.answer",
	    true },
	{ "read what the server tells itself", "$SYS.trial", true },
	{ "delete a stream", "$JS.API.STREAM.DELETE.PANEWARD_TRIAL" },
	{ "empty a stream", "$JS.API.STREAM.PURGE.PANEWARD_TRIAL" },
	{ "change a stream", "$JS.API.STREAM.UPDATE.PANEWARD_TRIAL" },
	{ "make a stream of its own", "$JS.API.STREAM.CREATE.PANEWARD_TRIAL" },
};

static void
checkup_rights(struct checkup *c)
{
	size_t i;

	for (i = 0; i < sizeof(trials) / sizeof(trials[0]); i++)
		checkup_tell(c, trial_subject(c->link, trials[i].subject,
		    trials[i].listens), "a host", trials[i].what);
}

/* A check needs this, and all before it. */
enum checkup_need { NEED_NOTHING, NEED_SERVER, NEED_LINK, NEED_STORES };

/* Later checks use the results of earlier ones, and nats.c ends no connection
 * while there is another one. */
static const struct {
	const char *name;
	void      (*check)(struct checkup *);
	enum checkup_need needs;
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
	enum checkup_need there;
	size_t i;

	command_option(command, argc, argv, &c);
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
		c.findings.check = checkups[i].name;
		buf_reset(&c.why);
		if (checkups[i].needs <= there)
			checkups[i].check(&c);
	}
	link_close(c.link);
	return c.findings.worst == PROBLEM ? EXIT_NO : EXIT_DONE;
}

const struct command fleet_doctor_command = {
	.name = "doctor",
	.summary = "Check the fleet's server, and what strangers could do with it",
	.examples =
	"  paneward-fleet doctor | grep -v ^ok\n",
	.options = (const struct command_option[]){
		JSON_AT(struct checkup, findings.json,
		    "one JSON object per line"),
		{ 0 }
	},
	.run = fleetdoctor_run,
};

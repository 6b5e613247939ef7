#include "fleet/wire/wire.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "os/compat.h"
#include "os/trap.h"

enum {
	AGAIN = 1000,                   /* ms between tries */
	JITTER = 500,                   /* at most so much more */
	GIVEN_UP = 2000,                /* until it connects anew */
	PING = 20000,
	BUFFER = 16 << 10
};

/* ---- nats.c's threads ---------------------------------------------------- */

static void
link_failed(natsConnection *nats, natsSubscription *sub, natsStatus status,
    void *context)
{
	struct link *l = context;
	const char *text = NULL;

	(void)sub;
	if (natsConnection_GetLastError(nats, &text) != status ||
	    text == NULL || text[0] == '\0')
		text = natsStatus_GetText(status);
	pthread_mutex_lock(&l->inbox.lock);
	snprintf(l->refusal, sizeof(l->refusal), "%s", text);
	pthread_mutex_unlock(&l->inbox.lock);
}

static void
link_changed(natsConnection *nats, void *context)
{
	struct link *l = context;

	l->connects += natsConnection_Status(nats) ==
	    NATS_CONN_STATUS_CONNECTED;
	inbox_put(&l->inbox, NULL);
}

static void
link_came(natsConnection *nats, natsSubscription *sub, natsMsg *m,
    void *context)
{
	struct link *l = context;

	(void)nats;
	inbox_put(&l->inbox, inbox_message(m, sub));
}

/* nats.c gives up after two refusals, as by a starting server: link_read()
 * connects anew. */
static void
link_given_up(natsConnection *nats, void *context)
{
	struct link *l = context;

	(void)nats;
	if (loop_await(l->end[0], 0, clock_now() + GIVEN_UP))
		return;
	l->over = true;
	inbox_put(&l->inbox, NULL);
}

/* ---- a server that vanished ---------------------------------------------- */

/* nats.c waits for a TLS handshake without a limit, even if the server's host
 * loses power.  TCP keep-alive ends that: this thread meanwhile sets it on all
 * TCP sockets of the process. */
enum {
	LOOK = 10000,                   /* ms between looks */
	SILENT = 30,                    /* s without a byte */
	ASK_AGAIN = 5,                  /* s */
	ASKS = 3,                       /* without an answer */
	DESCRIPTORS = 1024
};

static void *
vanished_look(void *context)
{
	static const struct {
		int level, option, value;
	} asks[] = {
#ifdef TCP_KEEPIDLE
		{ IPPROTO_TCP, TCP_KEEPIDLE, SILENT },
		{ IPPROTO_TCP, TCP_KEEPINTVL, ASK_AGAIN },
		{ IPPROTO_TCP, TCP_KEEPCNT, ASKS },
#endif
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
	};
	const struct link *l = context;
	socklen_t len;
	int fd, on;
	size_t i;

	while (!loop_await(l->end[0], POLLIN, clock_now() + LOOK))
		for (fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++) {
			len = sizeof(on);
			if (getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on,
			    &len) == -1 || on)
				continue;
			/* A socket of another kind refuses it. */
			for (i = 0; i < sizeof(asks) / sizeof(asks[0]); i++)
				setsockopt(fd, asks[i].level, asks[i].option,
				    &asks[i].value, sizeof(int));
		}
	return NULL;
}

/* ---- connecting ---------------------------------------------------------- */

/* A ca of the user's own is the only one that is trusted.  nats.c adds those of
 * the system, which OpenSSL finds by these names, and reads at each start. */
static natsStatus
trust_only(natsOptions *o, const char *ca)
{
	static const char *const names[] = { "SSL_CERT_FILE", "SSL_CERT_DIR" };
	enum { NAMES = sizeof(names) / sizeof(names[0]) };
	char *were[NAMES], *value;
	natsStatus s;
	size_t i;

	for (i = 0; i < NAMES; i++) {
		value = getenv(names[i]);
		were[i] = value != NULL ? xstrdup(value) : NULL;
		setenv(names[i], "/dev/null", 1);
	}
	s = natsOptions_SetSecure(o, true);
	NATS_THEN(s, natsOptions_LoadCATrustedCertificates(o, ca));
	for (i = 0; i < NAMES; i++) {
		if (were[i] != NULL)
			setenv(names[i], were[i], 1);
		else
			unsetenv(names[i]);
		free(were[i]);
	}
	return s;
}

static natsStatus
options_set(natsOptions *o, struct link *l, bool stay)
{
	const struct fleetrules *r = l->rules;
	/* The server keeps other hosts away from this inbox. */
	char *inbox = xasprintf("_INBOX_%s", r->host);
	natsStatus s = natsOptions_SetServers(o,
	    (const char **)(uintptr_t)r->servers, (int)argv_count(r->servers));

	NATS_THEN(s, natsOptions_SetName(o, r->host));
	NATS_THEN(s, natsOptions_SetCustomInboxPrefix(o, inbox));
	NATS_THEN(s, natsOptions_SetTimeout(o, LINK_LIMIT));
	NATS_THEN(s, natsOptions_SetIOBufSize(o, BUFFER));
	NATS_THEN(s, natsOptions_SetFailRequestsOnDisconnect(o, true));
	NATS_THEN(s, natsOptions_SetErrorHandler(o, link_failed, l));
	if (r->ca != NULL)
		NATS_THEN(s, trust_only(o, r->ca));
	if (r->cert != NULL)
		NATS_THEN(s, natsOptions_LoadCertificatesChain(o, r->cert,
		    r->key));
	if (stay) {
		NATS_THEN(s, natsOptions_SetMaxReconnect(o, -1));
		NATS_THEN(s, natsOptions_SetReconnectWait(o, AGAIN));
		NATS_THEN(s, natsOptions_SetReconnectJitter(o, JITTER, JITTER));
		NATS_THEN(s, natsOptions_SetPingInterval(o, PING));
		NATS_THEN(s, natsOptions_SetRetryOnFailedConnect(o, true,
		    link_changed, l));
		NATS_THEN(s, natsOptions_SetReconnectedCB(o, link_changed, l));
		NATS_THEN(s, natsOptions_SetDisconnectedCB(o, link_changed, l));
		NATS_THEN(s, natsOptions_SetClosedCB(o, link_given_up, l));
	}
	free(inbox);
	return s;
}

static natsStatus
link_connect(struct link *l)
{
	natsStatus s = natsConnection_Connect(&l->nats, l->options);
	jsOptions js;

	if (s == NATS_OK)
		link_changed(l->nats, l);
	if (s == NATS_NOT_YET_CONNECTED)
		s = NATS_OK;
	NATS_THEN(s, jsOptions_Init(&js));
	js.Wait = LINK_LIMIT;
	NATS_THEN(s, natsConnection_JetStream(&l->js, l->nats, &js));
	return s;
}

struct link *
link_open(const struct fleetrules *rules, bool stay, struct buf *why)
{
	struct link *l;
	natsStatus s;

	if (!refusal_files(why, rules))
		return NULL;
	l = xmalloc(sizeof(*l));
	*l = (struct link){ .rules = rules, .inbox = INBOX_INIT };
	if (pipe2(l->inbox.pipe, O_CLOEXEC | O_NONBLOCK) == -1 ||
	    pipe2(l->end, O_CLOEXEC | O_NONBLOCK) == -1 ||
	    (errno = pthread_create(&l->looker, NULL, vanished_look, l)) != 0) {
		buf_adds(why, strerror(errno));
		free(l);
		return NULL;
	}
	s = natsOptions_Create(&l->options);
	NATS_THEN(s, options_set(l->options, l, stay));
	NATS_THEN(s, link_connect(l));
	if (s == NATS_OK)
		return l;
	link_why(l, s, why);
	link_close(l);
	return NULL;
}

void
link_close(struct link *l)
{
	if (l == NULL)
		return;
	close(l->end[1]);
	natsConnection_Close(l->nats);
	/* nats.c waits for ever for a subscription that is not destroyed. */
	natsSubscription_Destroy(l->sub);
	jsCtx_Destroy(l->js);
	natsConnection_Destroy(l->nats);
	natsOptions_Destroy(l->options);
	nats_CloseAndWait(0);
	pthread_join(l->looker, NULL);
	inbox_close(&l->inbox);
	close(l->end[0]);
	free(l);
}

int
link_try(struct link *l, struct buf *why)
{
	natsOptions *o = NULL;
	natsConnection *nats = NULL;
	natsStatus s = natsOptions_Create(&o);
	int ret;

	NATS_THEN(s, options_set(o, l, false));
	NATS_THEN(s, natsConnection_Connect(&nats, o));
	ret = link_why(l, s, why);
	natsConnection_Destroy(nats);
	natsOptions_Destroy(o);
	return ret;
}

bool
link_up(const struct link *l)
{
	return natsConnection_Status(l->nats) == NATS_CONN_STATUS_CONNECTED;
}

int
link_why(struct link *l, natsStatus status, struct buf *why)
{
	natsStatus last = NATS_OK;
	const char *text = nats_GetLastError(&last);

	if (status == NATS_OK)
		return 0;
	if (text == NULL || text[0] == '\0' || last != status)
		text = natsStatus_GetText(status);
	pthread_mutex_lock(&l->inbox.lock);
	if (why != NULL)
		refusal_explain(why, l->refusal[0] != '\0' ? l->refusal : text,
		    l->rules);
	l->refusal[0] = '\0';
	pthread_mutex_unlock(&l->inbox.lock);
	return -1;
}

/* ---- messages ------------------------------------------------------------ */

static natsStatus
follow_options(jsSubOptions *o, enum store which, enum link_from from)
{
	natsStatus s = jsSubOptions_Init(o);

	o->Stream = stores[which].stream;
	o->Ordered = true;
	o->Config.DeliverPolicy = from == LINK_LAST ? js_DeliverLastPerSubject :
	    from == LINK_NEW ? js_DeliverNew : js_DeliverAll;
	o->Config.HeadersOnly = from == LINK_BARE;
	return s;
}

int
link_each(struct link *l, enum store which, const char *keys,
    enum link_from from, msec since, link_take *take, void *context,
    struct buf *why)
{
	char *subject = xasprintf("%s%s", stores[which].prefix, keys);
	natsSubscription *sub = NULL;
	natsMsg *m;
	struct link_message *x;
	jsConsumerInfo *info = NULL;
	uint64_t pending = 0;
	jsSubOptions o;
	natsStatus s = follow_options(&o, which, from);

	if (since > 0) {
		o.Config.DeliverPolicy = js_DeliverByStartTime;
		o.Config.OptStartTime = since * 1000000;
	}
	NATS_THEN(s, js_SubscribeSync(&sub, l->js, subject, NULL, &o, NULL));
	/* If there is none, none would come. */
	if (NATS_THEN(s, natsSubscription_GetConsumerInfo(&info, sub, NULL,
	    NULL)) == NATS_OK)
		pending = info->NumPending + info->Delivered.Consumer;
	jsConsumerInfo_Destroy(info);
	while (pending > 0 && NATS_THEN(s, natsSubscription_NextMsg(&m, sub,
	    LINK_LIMIT)) == NATS_OK) {
		x = inbox_message(m, sub);
		pending = x->pending;
		take(context, x);
		link_message_free(x);
	}
	natsSubscription_Destroy(sub);
	free(subject);
	return link_why(l, s, why);
}

int
link_follow(struct link *l, enum store which, const char *keys,
    enum link_from from, struct buf *why)
{
	char *subject = xasprintf("%s%s", stores[which].prefix, keys);
	jsSubOptions o;
	natsStatus s = follow_options(&o, which, from);

	link_unfollow(l);
	NATS_THEN(s, js_Subscribe(&l->sub, l->js, subject, link_came, l, NULL,
	    &o, NULL));
	free(subject);
	return link_why(l, s, why);
}

int
link_began(struct link *l, uint64_t *messages, msec *time, struct buf *why)
{
	jsConsumerInfo *info = NULL;
	natsStatus s = natsSubscription_GetConsumerInfo(&info, l->sub, NULL,
	    NULL);

	if (link_why(l, s, why) == -1)
		return -1;
	*messages = info->Delivered.Consumer + info->NumPending;
	*time = info->Created / 1000000;
	jsConsumerInfo_Destroy(info);
	return 0;
}

/* The server drops a consumer without a listener.
 * natsSubscription_Unsubscribe() would ask it to, and races with a reset by
 * nats.c, which reads a freed name. */
void
link_unfollow(struct link *l)
{
	struct link_message *m;

	natsSubscription_Destroy(l->sub);
	l->sub = NULL;
	while ((m = inbox_next(&l->inbox)) != NULL)
		link_message_free(m);
	/* The connection may have changed. */
	inbox_put(&l->inbox, NULL);
}

void
link_read(struct link *l, link_take *take, void *context)
{
	struct link_message *m;

	if (l->over) {
		l->over = false;
		link_unfollow(l);
		jsCtx_Destroy(l->js);
		natsConnection_Destroy(l->nats);
		l->js = NULL;
		l->nats = NULL;
		if (link_connect(l) != NATS_OK)
			l->over = true;
	}
	while ((m = inbox_next(&l->inbox)) != NULL) {
		/* A thread may still have put one of an old subscription. */
		if (m->from == l->sub)
			take(context, m);
		link_message_free(m);
	}
}

/* ---- the inbox ----------------------------------------------------------- */

void
inbox_close(struct link_inbox *b)
{
	struct link_message *m;

	while ((m = inbox_next(b)) != NULL)
		link_message_free(m);
	close(b->pipe[0]);
	close(b->pipe[1]);
	pthread_mutex_destroy(&b->lock);
}

void
inbox_put(struct link_inbox *b, struct link_message *m)
{
	pthread_mutex_lock(&b->lock);
	if (m != NULL) {
		*(b->first == NULL ? &b->first : &b->last->next) = m;
		b->last = m;
	}
	if (!b->woken && write(b->pipe[1], "", 1) == 1)
		b->woken = true;
	pthread_mutex_unlock(&b->lock);
}

struct link_message *
inbox_next(struct link_inbox *b)
{
	struct link_message *m;
	char bytes[16];

	pthread_mutex_lock(&b->lock);
	while (b->woken && read(b->pipe[0], bytes, sizeof(bytes)) > 0)
		continue;
	b->woken = false;
	m = b->first;
	if (m != NULL)
		b->first = m->next;
	pthread_mutex_unlock(&b->lock);
	return m;
}

struct link_message *
inbox_message(natsMsg *m, natsSubscription *from)
{
	struct link_message *x = xcalloc(1, sizeof(*x));
	const char *text = NULL;
	struct buf data = BUF_INIT;
	jsMsgMetaData *meta = NULL;

	*x = (struct link_message){ .from = from,
	    .subject = xstrdup(natsMsg_GetSubject(m)),
	    .len = (size_t)natsMsg_GetDataLength(m),
	    .gone = natsMsgHeader_Get(m, "KV-Operation", &text) == NATS_OK };
	if (natsMsgHeader_Get(m, "Nats-Msg-Id", &text) == NATS_OK)
		x->id = xstrdup(text);
	if (x->len > 0)
		buf_add(&data, natsMsg_GetData(m), x->len);
	x->data = buf_steal(&data);
	if (natsMsg_GetMetaData(&meta, m) == NATS_OK) {
		x->sequence = meta->Sequence.Stream;
		x->pending = meta->NumPending;
		x->time = meta->Timestamp / 1000000;
	}
	jsMsgMetaData_Destroy(meta);
	natsMsg_Destroy(m);
	return x;
}

void
link_message_free(struct link_message *m)
{
	free(m->subject);
	free(m->id);
	free(m->data);
	free(m);
}

/* ---- why it was refused -------------------------------------------------- */

#define NOTHING ((size_t)-1)
#define KEY(name) offsetof(struct fleetrules, name)

#define NOT_TAKEN "", "the server ended the connection, since it does not " \
    "take the certificate", KEY(cert), ": see who signed it and how long it " \
    "lasts, by 'openssl x509 -noout -issuer -dates -in FILE'"
#define NOT_SIGNED "the server's certificate is not signed by", KEY(ca), \
    ": 'ca' must be the certificate of the authority that signed it"
#define NO_ANSWER "", "no server answers there", NOTHING, ""

/* The first row counts whose two words the text holds.  The message is what
 * (NULL: the text), the key's value in quotes, todo. */
static const struct meaning {
	const char *word, *other, *what;
	size_t      key;
	const char *todo;
} meanings[] = {
	{ "Permissions Violation", "_INBOX_", "the server knows our "
	    "certificate as another host than", KEY(host), ": 'host' in "
	    "config.json must be the CN of 'cert'" },
	{ "Permissions Violation", "", NULL, NOTHING, ": the server's "
	    "configuration is not what 'paneward-fleet print-server' prints "
	    "for this host" },
	{ "Authorization Violation", "", "the server knows no host by the "
	    "certificate", KEY(cert), ": give it the configuration with "
	    "this host (see fleet-reload.sh in paneward-fleet(1))" },
	{ "No responders available", "", "the server has not given this "
	    "host its store yet", NOTHING, ": let it reload once more" },
	{ "Expected 'PONG'", NOT_TAKEN },
	{ "SSL_write", NOT_TAKEN },
	{ "SSL", "has expired", "the server's certificate has expired: renew "
	    "it there", NOTHING, "" },
	{ "SSL", "mismatch:", "the server's certificate is for another name "
	    "than that in 'servers'", NOTHING, ": it must have each name and "
	    "address by which hosts reach it" },
	{ "SSL", "issuer", NOT_SIGNED },
	{ "SSL", "self", NOT_SIGNED },
	{ "private key", "mismatch", "this is not the key of 'cert':",
	    KEY(key), "" },
	{ "private key", "", "this is no private key:", KEY(key), "" },
	{ "certificate chain", "", "this is no certificate:", KEY(cert), "" },
	{ "trusted certificates", "", "this is no certificate:", KEY(ca), "" },
	{ "No server available", NO_ANSWER },
	{ "Connection Disconnected", NO_ANSWER },
	{ "Connection Closed", NO_ANSWER },
	{ "Stale Connection", NO_ANSWER },
	{ "Missed Server Heartbeat", NO_ANSWER },
	{ "Secure Connection Required", "", "the server wants TLS: set 'ca', "
	    "'cert' and 'key' in config.json", NOTHING, "" },
	{ "Secure Connection not available", "", "the server has no TLS: all that "
	    "is sent could be read, so nothing is", NOTHING, ": let it run "
	    "with what 'paneward-fleet print-server' prints" },
	{ "", "", NULL, NOTHING, "" }
};

void
refusal_explain(struct buf *why, const char *text,
    const struct fleetrules *rules)
{
	const struct meaning *m = meanings;
	const char *value = NULL;
	unsigned line;
	int used = 0;

	while (strstr(text, m->word) == NULL || strstr(text, m->other) == NULL)
		m++;
	/* Texts begin with "(conn.c:1909): ". */
	if (sscanf(text, "(%*31[a-z_].c:%u): %n", &line, &used) != 1)
		used = 0;
	if (m->key != NOTHING)
		memcpy(&value, (const char *)rules + m->key, sizeof(value));
	buf_adds(why, m->what == NULL ? text + used : m->what);
	if (value != NULL)
		buf_printf(why, " '%s'", value);
	buf_adds(why, m->todo);
}

bool
refusal_files(struct buf *why, const struct fleetrules *r)
{
	const char *const files[] = { r->ca, r->cert, r->key };
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i] != NULL && access(files[i], R_OK) == -1) {
			buf_printf(why, "cannot read '%s': %s", files[i],
			    strerror(errno));
			return false;
		}
	/* ssh refuses such a key, too. */
	if (r->key != NULL && stat(r->key, &st) == 0 &&
	    st.st_uid == geteuid() && (st.st_mode & 077) != 0) {
		buf_printf(why, "the key '%s' is open to other users (mode "
		    "%03o): let only its owner read it, by 'chmod 600'",
		    r->key, (unsigned)st.st_mode & 0777);
		return false;
	}
	return true;
}

/* ---- commands ----------------------------------------------------------- */

struct link *
fleet_open(const char *dir, bool stay)
{
	static struct context context;
	const struct fleetrules *rules;
	struct buf why = BUF_INIT;
	struct link *l;

	context_open(&context, dir, false);
	rules = context.config.fleet;
	if (rules == NULL)
		fatal_usage("no fleet is configured: set 'fleet' in your "
		    "config.json (see paneward-fleet(1))");
	l = link_open(rules, stay, &why);
	if (l == NULL)
		fatalx("cannot connect to '%s': %s", rules->servers[0],
		    buf_str(&why));
	l->context = &context;
	buf_release(&why);
	return l;
}

int
fleet_input(const char *text)
{
	FILE *f = tmpfile();
	int fd = -1;

	if (f == NULL)
		return -1;
	if (fputs(text, f) != EOF && fseek(f, 0, SEEK_SET) == 0)
		fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 3);
	fclose(f);
	return fd;
}

void
fleetloop_open(struct fleetloop *x)
{
	x->trap = LOOP_WAIT(trap_open(), NULL, NULL);
	x->news = x->changes = LOOP_WAIT(-1, NULL, NULL);
	loop_add(&x->loop, &x->trap);
	loop_add(&x->loop, &x->news);
	loop_add(&x->loop, &x->changes);
	if (x->trap.fd == -1)
		fatal("cannot catch signals");
	x->notify = context_notify();
}

bool
fleetloop_round(struct fleetloop *x, const struct link *l, msec until)
{
	x->news.fd = l->inbox.pipe[0];
	x->changes.fd = x->notify->fd;
	if (x->notify->fd == -1)
		until = clock_sooner(until, clock_now() + x->notify->period);
	loop_round(&x->loop, until);
	return trap_read() != 0;
}
